/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PLAN_PLAN_H
#define BACKOFF_PLAN_PLAN_H
/*
 * --plan: the schedule as people can see it.
 */

#include "options/option_types.h"

/*
 * To stdout, as a table with a chart or as JSON; exit with 0, or with 125
 * where that could not be written.
 */
_Noreturn void plan_show(const struct options *options);

#endif
