/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TABLE_H
#define BACKOFF_TABLE_H
/*
 * What came of the trials: their figures side by side.
 */

#include "options.h"
#include "trial.h"

/* To stdout. The first trial is the one that it is about. */
void table_show(const struct trial *trials, const struct herd *herd);

#endif
