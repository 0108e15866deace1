/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_SVG_H
#define BACKOFF_HERD_SVG_H
/*
 * What came of the trials, as a picture: their attempts over time.
 */

#include "herd/scenario.h"
#include "types/herd_options.h"

/* To stdout, as SVG. The first trial is the one that it is about. */
void herd_svg(const struct scenario *trials, const struct herd *herd);

#endif
