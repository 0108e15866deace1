/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_FIGURES_H
#define BACKOFF_HERD_FIGURES_H
/*
 * The figures of all scenarios, side by side.
 */

#include "core/base/text.h"
#include "herd/scenario.h"
#include "types/herd_options.h"

/*
 * What the trials are of: clients, outage, capacity, runs. Those are of the
 * first trial, the one that it is about.
 */
void figures_title(
    struct text *text, const struct scenario *trials, const struct herd *herd);

/* Prints to stdout. The first scenario has the user's own options. */
void figures_show(const struct scenario *trials, const struct herd *herd);

#endif
