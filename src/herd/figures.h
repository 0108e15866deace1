/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_FIGURES_H
#define BACKOFF_HERD_FIGURES_H
/*
 * What came of the trials: their figures side by side.
 */

#include "herd/scenario.h"
#include "options/herd_options.h"

/* To stdout. The first trial is the one that it is about. */
void figures_show(const struct scenario *trials, const struct herd *herd);

#endif
