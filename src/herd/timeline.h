/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_TIMELINE_H
#define BACKOFF_HERD_TIMELINE_H
/*
 * The attempts of each scenario over time, one chart for each.
 */

#include "herd/scenario.h"
#include "process/terminal.h"
#include "types/herd_options.h"

/* Prints to stdout. The first scenario has the user's own options. */
void timeline_show(const struct scenario *trials, const struct herd *herd,
    struct terminal terminal);

#endif
