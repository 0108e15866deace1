/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_FIGURES_H
#define BACKOFF_HERD_FIGURES_H
/*
 * What came of the trials: their figures side by side.
 */

#include "core/text.h"
#include "herd/scenario.h"
#include "options/herd_options.h"

/*
 * What the trials are of: clients, outage, capacity, runs. Those are of the
 * first trial, the one that it is about.
 */
void figures_title(
    struct text *text, const struct scenario *trials, const struct herd *herd);

/* To stdout. The first trial is the one that it is about. */
void figures_show(const struct scenario *trials, const struct herd *herd);

#endif
