/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_NEXT_PAUSE_H
#define BACKOFF_CORE_LOOP_NEXT_PAUSE_H
/*
 * The pause after an attempt: what the schedule draws, what the other side
 * asked for, and what the deadline leaves room for.
 *
 * After the pause, a reserve of time is kept for the next attempt. If the
 * pause might reach into it, the pause is drawn from the upper half of the
 * room before it instead, so that the time is used up; if there is hardly any
 * room, there is no further attempt.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/loop/loop_state.h"

enum pause_kind {
	PAUSE_DRAWN,
	PAUSE_NO_TIME, /* none: no time is left for another attempt */
	PAUSE_ASKED_BEYOND, /* none: a hint asked for more than --hint-max */
	PAUSE_ASKED_TOO_LATE, /* none: a hint asked for more than the room */
};

struct pause {
	enum pause_kind kind;
	int64_t ns; /* from the end of the attempt */
};

/* A time limit for everything. Both INT64_MAX: no limit. */
struct budget {
	int64_t total_ns; /* from the start of the loop */
	int64_t left_ns; /* from the end of the attempt; < 0: it has passed */
};

/* What is left, at ELAPSED_NS, of TOTAL_NS; INT64_MAX: no limit. */
struct budget budget_at(int64_t total_ns, int64_t elapsed_ns);

/* What the loop knows. */
struct pause_context {
	const struct settings *settings;
	const struct loop_state *state;
	int64_t failures; /* n of the windows, >= 1 unless in a streak */
	struct budget deadline;
	struct budget until;
	int64_t longest_ns; /* the longest attempt so far, */
	bool longest_was_cut; /* which timed out */
};

struct room {
	int64_t ns; /* time for a pause; < 0: none; INT64_MAX: no limit */
	int64_t least_ns; /* if there is less, there is no further attempt */
	bool is_by_until; /* the limit is --until, not --deadline */
};

struct room next_pause_room(const struct pause_context *context);

/* The range of the wait before the first attempt; no limit has passed yet. */
struct range next_pause_splay(const struct pause_context *context);

/*
 * The range that the pause after a failure is drawn from, without hints.
 * False: there is no time for another attempt.
 */
bool next_pause_range(const struct pause_context *context,
    const struct schedule *schedule, struct range *range);

struct pause next_pause(
    const struct pause_context *context, struct schedule *schedule);

#endif
