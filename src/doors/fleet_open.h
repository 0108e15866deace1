/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_FLEET_OPEN_H
#define BACKOFF_DOORS_FLEET_OPEN_H
/*
 * --gate=open:fleet:NAME.
 */

#include <stdbool.h>

#include "types/option_types.h"

#define FLEET_TEXT_SIZE 200

/* NULL, or "SERVER: WHY" that does not work. */
const char *fleet_open_gate(const struct shared_options *options,
    bool *was_shut, char reason[FLEET_TEXT_SIZE]);

#endif
