/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_FIGURES_H
#define BACKOFF_HERD_FIGURES_H
/*
 * The figures of all scenarios, side by side.
 */

#include "herd/scenario.h"
#include "options/herd_options.h"

/* Prints to stdout. The first scenario has the user's own options. */
void figures_show(const struct scenario *trials, const struct herd *herd);

#endif
