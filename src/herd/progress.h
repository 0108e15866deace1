/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_PROGRESS_H
#define BACKOFF_HERD_PROGRESS_H
/*
 * A progress bar on stderr, if that is a terminal.
 */

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool wanted; /* stderr is a terminal */
	bool unicode;
	bool shown;
	int64_t next_ns; /* when to draw it next */
	double from, to; /* see progress_part() */
};

/* Nothing is shown in the first second. */
struct progress progress_start(bool unicode);

/* The work begun now is the part FROM..TO of the whole, which is 0..1. */
void progress_part(struct progress *progress, double from, double to);

/* DONE, 0..1, of the current part is finished. */
void progress_tell(struct progress *progress, double done);

/* Erases the bar. */
void progress_end(const struct progress *progress);

#endif
