/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PLAN_PLAN_H
#define BACKOFF_PLAN_PLAN_H
/*
 * --plan: prints the schedule.
 */

#include "types/option_types.h"

/*
 * Prints to stdout, as a table with a chart or as JSON. Exits with 0, or
 * with 125 if that could not be written.
 */
_Noreturn void plan_show(const struct options *options);

#endif
