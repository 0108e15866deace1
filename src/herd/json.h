/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_JSON_H
#define BACKOFF_HERD_JSON_H
/*
 * What came of the trials, for machines: see backoff-herd(1).
 */

#include "herd/scenario.h"
#include "types/herd_options.h"

/* To stdout: for each trial its figures, and its attempts over time. */
void herd_json(const struct scenario *trials, const struct herd *herd);

#endif
