/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_NEXT_PAUSE_H
#define BACKOFF_CORE_NEXT_PAUSE_H
/*
 * Which pause follows an attempt: what the schedule draws, what the other
 * side asked for, and what is left of the time.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/loop_state.h"
#include "core/settings.h"

enum pause_kind {
	PAUSE_DRAWN,
	PAUSE_TOO_LATE, /* nothing is left before the deadline */
	PAUSE_ASKED_BEYOND, /* we were asked for more than --hint-max */
	PAUSE_ASKED_TOO_LATE, /* ... for more than is left */
};

struct pause {
	enum pause_kind kind;
	int64_t ns; /* from the end of the attempt */
	bool last; /* the attempt after it is the last one */
};

/* What the loop knows. LEFT_NS is from the end of the attempt. */
struct pause_context {
	const struct settings *settings;
	const struct loop_state *state;
	int64_t failures; /* n of the windows, >= 1 unless in a streak */
	int64_t left_ns; /* before the deadline; INT64_MAX: there is none */
	int64_t longest_ns; /* attempt so far */
};

/* What the wait before the first attempt is drawn from; it ends by LEFT_NS. */
struct range next_pause_splay(const struct limits *limits, int64_t left_ns);

struct pause next_pause(
    const struct pause_context *context, struct schedule *schedule);

#endif
