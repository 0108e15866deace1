/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_PROGRESS_H
#define BACKOFF_HERD_PROGRESS_H
/*
 * A bar on stderr, for who waits at a terminal.
 */

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool wanted; /* stderr is a terminal */
	bool unicode;
	bool shown;
	int64_t next_ns; /* nothing is shown before */
	double from, to; /* see progress_part() */
};

/* Nothing is shown in the first second. */
struct progress progress_start(bool unicode);

/* Of the whole, 0..1, this part is at work. */
void progress_part(struct progress *progress, double from, double to);

/* DONE, 0..1, of what is at work. */
void progress_tell(struct progress *progress, double done);

/* The terminal is as it was before. */
void progress_end(struct progress *progress);

#endif
