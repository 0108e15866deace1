/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_TIMELINE_H
#define BACKOFF_HERD_TIMELINE_H
/*
 * What came of the trials: their attempts over time, one chart for each.
 */

#include "herd/scenario.h"
#include "options/herd_options.h"
#include "process/terminal.h"

/* To stdout. The first trial is the one that it is about. */
void timeline_show(const struct scenario *trials, const struct herd *herd,
    struct terminal terminal);

#endif
