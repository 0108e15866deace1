/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_REPORT_H
#define BACKOFF_HERD_REPORT_H
/*
 * Prints the results of the trials to stdout. The time axis ends with the first
 * trial, or a while after the outage.
 */

#include "herd/trial.h"
#include "process/terminal.h"
#include "types/option_types.h"

/* The figures side by side, and a chart of the attempts of each trial. */
void report_text(const struct trial *trials, const struct herd *herd,
    struct terminal terminal);

/* The same for programs: see backoff-herd(1). */
void report_json(const struct trial *trials, const struct herd *herd);

#endif
