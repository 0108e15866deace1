/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_FLEET_SLOTS_WORD_H
#define BACKOFF_DOORS_FLEET_SLOTS_WORD_H
/*
 * BACKOFF_SLOTS: what runs that COMMAND starts know of the slots that are held
 * for them.
 */

#include <stdbool.h>

#include "types/option_types.h"

/*
 * Whether WORDS, the value or NULL, name slots like those of OPTIONS that are
 * held by who has started us. The directory of the state is open, unless they
 * are of a fleet.
 */
bool fleet_slots_word_is_held(
    const struct slots_options *options, const char *words);

/* What COMMAND finds: the slots held ABOVE us, and ours. NULL: no memory. */
char *fleet_slots_word_entry(
    const struct slots_options *options, const char *above);

#endif
