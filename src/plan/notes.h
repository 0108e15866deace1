/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PLAN_NOTES_H
#define BACKOFF_PLAN_NOTES_H
/* What may change the pauses of a plan. */

#include "options/options.h"

/* Prints it below the table, WIDTH columns wide. */
void plan_notes(const struct options *options, int width);

#endif
