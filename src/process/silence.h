/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SILENCE_H
#define BACKOFF_PROCESS_SILENCE_H
/*
 * How long an attempt has been silent. supervise() looks from time to time, as
 * held output only shows that it has grown since the last look. Time in which
 * the attempt was stopped does not count.
 */

#include <stdbool.h>
#include <stdint.h>

#define SILENCE_LOOKS 10 /* in the time of the limit */

struct silence {
	int64_t limit_ns; /* INT64_MAX: there is none */
	int64_t lasted_ns; /* until the last look */
	int64_t looked_ns; /* when that was */
};

struct silence silence_begin(int64_t limit_ns, int64_t now_ns);

/*
 * A look at NOW_NS: the attempt wrote last at WROTE_NS. WAS_STOPPED: it was
 * stopped at some time since the last look.
 */
void silence_look(struct silence *silence, int64_t now_ns, int64_t wrote_ns,
    bool was_stopped);

bool silence_is_over(const struct silence *silence);

/* When to look next, if there is a limit. */
int64_t silence_next_ns(const struct silence *silence);

#endif
