/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_OPEN_H
#define BACKOFF_DOORS_GATE_OPEN_H
/*
 * --gate=open:NAME.
 */

#include "types/option_types.h"

/* Opens that gate by hand, prints what it did, and exits. */
_Noreturn void gate_open(const struct shared_options *options);

#endif
