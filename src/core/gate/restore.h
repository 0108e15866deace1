/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_RESTORE_H
#define BACKOFF_CORE_GATE_RESTORE_H
/*
 * A server that has lost the record of a fleet's gate is given the one that a
 * machine has seen last.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/record.h"

/* What is not used for so long goes. */
#define GATE_KEPT_NS (24 * 3600 * INT64_C(1000000000))

/*
 * Whether MIRROR, by the same clock, takes the place of *RECORD, which the
 * server has where IS_THERE. TURN is the one that a lease is for, or 0. Only a
 * copy of what a fleet has made counts, and only one whose gate could still be
 * shut; the newest of several copies wins.
 */
bool gate_restore(struct gate_record *record, bool is_there,
    const struct gate_record *mirror, uint32_t turn, int64_t now_ns);

#endif
