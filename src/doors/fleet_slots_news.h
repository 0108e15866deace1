/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_FLEET_SLOTS_NEWS_H
#define BACKOFF_DOORS_FLEET_SLOTS_NEWS_H
/*
 * What a run tells of its slots, in the log and as its last line.
 */

#include <stdint.h>

#include "core/loop/loop.h"
#include "shared/shared_state.h"
#include "types/option_types.h"

/* Exits with 125: PART cannot be used, nor, for that reason, the fleet. */
_Noreturn void fleet_slots_news_refuse_run(const struct slots_options *options,
    const struct shared_part *part, const char *why);

/* It waits for one. */
void fleet_slots_news_wait(const struct slots_options *options);

/* It has one, after a wait of WAITED_NS. */
void fleet_slots_news_taken(
    const struct slots_options *options, int64_t waited_ns);

/* Others may have had it meanwhile: there may have been one too many. */
void fleet_slots_news_lost(const struct slots_options *options);

/*
 * No attempt: --slots-wait is over, or the limit of the run has come. WHY is
 * NULL where all slots are taken.
 */
struct entry fleet_slots_news_refuse(
    const struct slots_options *options, const char *why);
struct entry fleet_slots_news_late(
    const struct slots_options *options, const char *why);

#endif
