/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_NEXT_PAUSE_H
#define BACKOFF_CORE_NEXT_PAUSE_H
/*
 * Which pause follows an attempt: what the schedule draws, what the other
 * side asked for, and what the deadline leaves room for.
 *
 * Behind the pause a reserve is kept for the next attempt. Where the longest
 * pause that may be drawn reaches into it, the pause is drawn from the upper
 * half of the room before it instead, so that the time is used to its end;
 * where there is hardly any room, there is no further attempt.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/loop_state.h"
#include "core/settings.h"

enum pause_kind {
	PAUSE_DRAWN,
	PAUSE_NO_TIME, /* is left for another attempt */
	PAUSE_ASKED_BEYOND, /* we were asked for more than --hint-max */
	PAUSE_ASKED_TOO_LATE, /* ... for more than there is room for */
};

struct pause {
	enum pause_kind kind;
	int64_t ns; /* from the end of the attempt */
};

/* A limit on all that we do. INT64_MAX, both: there is none. */
struct budget {
	int64_t total_ns; /* from our start */
	int64_t left_ns; /* from the end of the attempt; < 0: it has passed */
};

/* What the loop knows. */
struct pause_context {
	const struct settings *settings;
	const struct loop_state *state;
	int64_t failures; /* n of the windows, >= 1 unless in a streak */
	struct budget deadline;
	struct budget until;
	int64_t longest_ns; /* attempt so far */
};

struct room {
	int64_t ns; /* for a pause; < 0: none. INT64_MAX: without end */
	int64_t least_ns; /* with less there is no further attempt */
};

struct room next_pause_room(const struct pause_context *context);

/* What the wait before the first attempt is drawn from; no limit is past. */
struct range next_pause_splay(const struct pause_context *context);

/*
 * What the pause after a failure is drawn from, hints aside. False: there is
 * no time for another attempt.
 */
bool next_pause_range(const struct pause_context *context,
    const struct schedule *schedule, struct range *range);

struct pause next_pause(
    const struct pause_context *context, struct schedule *schedule);

#endif
