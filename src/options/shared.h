/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_SHARED_H
#define BACKOFF_OPTIONS_SHARED_H
/*
 * The values of the options about what runs share.
 */

#include "options/values.h"

value_parser value_gate; /* struct gate_options; "list" is its own member */
value_parser value_defer; /* struct defer_options */
value_parser value_slots; /* struct slots_options */

#endif
