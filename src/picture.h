/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PICTURE_H
#define BACKOFF_PICTURE_H
/*
 * What came of the trials: their attempts over time, one chart for each.
 */

#include "options.h"
#include "screen.h"
#include "trial.h"

/* To stdout. The first trial is the one that it is about. */
void picture_show(
    const struct trial *trials, const struct herd *herd, struct screen screen);

#endif
