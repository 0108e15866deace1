/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_TURN_MESSAGE_H
#define BACKOFF_CORE_WORDS_TURN_MESSAGE_H
/*
 * What is said of a gate, in text and as members of a JSON event.
 */

#include <stdint.h>

#include "core/base/text.h"
#include "core/gate/gate.h"

enum turn_news {
	GATE_NEWS_SHUT, /* by our failure */
	GATE_NEWS_WAIT, /* we do, in front of it */
	GATE_NEWS_PROBE, /* our attempt is one */
	GATE_NEWS_RAMP, /* our success begins it */
	GATE_NEWS_OPEN, /* the ramp has come to its end */
	GATE_NEWS_LOST, /* our turn, which others have taken for stuck */
};

/* What a line may need. Times are spans. */
struct turn_event {
	const char *name; /* of the gate */
	const char *reason; /* why it is shut, or "" */
	const char *until; /* of SHUT by a hint: the time of day, or NULL */
	int64_t asked_ns; /* then: for how long the server asked */
	int64_t failures; /* of SHUT: so many in a row */
	int64_t probes; /* of RAMP: so many were needed */
	int64_t shut_ns; /* of WAIT and RAMP: it was shut for so long */
	/* Of RAMP, and of WAIT where it opens already: how. Else NULL. */
	const struct gate_record *ramp;
	int64_t waited_ns; /* at the gate, by this run, in all */
	int64_t next_ns; /* until the next attempt may start; < 0: unknown */
};

/*
 * "gate hub shut: exit 7, 3 failures in a row". Returns where the time of WAIT
 * stands, which grows; empty: there is none.
 */
struct span turn_message(
    struct text *text, enum turn_news news, const struct turn_event *event);

/*
 * "ramp 16/s, 2 of 14 failed": what a gate in the ramp goes by, and the results
 * of the second that runs, or of the last one in which anybody was there.
 */
void gate_ramp_text(struct text *text, const struct gate_record *record);

/*
 * The members of the event "gate": gate, state, reason, waited_s, next_s, and
 * of a ramp its rate, results and failed.
 */
void turn_members(
    struct text *text, enum turn_news news, const struct turn_event *event);

/* "gave up at gate hub after 1h: exit 7". REASON may be "". */
void turn_closing(
    struct text *text, const char *name, int64_t waited_ns, const char *reason);

#endif
