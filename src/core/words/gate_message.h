/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_GATE_MESSAGE_H
#define BACKOFF_CORE_WORDS_GATE_MESSAGE_H
/*
 * What the log says of a gate, in text and as members of a JSON event.
 */

#include <stdint.h>

#include "core/base/text.h"
#include "core/gate/gate.h"

enum gate_log {
	GATE_LOG_SHUT, /* by our failure */
	GATE_LOG_WAIT, /* this run waits there */
	GATE_LOG_PROBE, /* our attempt is one */
	GATE_LOG_BACK, /* our success has ended an outage: it is paced */
	GATE_LOG_PACED, /* our refusal was one too many */
	GATE_LOG_OPEN, /* fully: it is no longer paced */
	GATE_LOG_LOST, /* our probe was taken for dead */
};

/* What a line may need. Times are spans. */
struct gate_event {
	enum gate_log kind;
	const char *name; /* of the gate */
	const struct gate *gate; /* as it is now */
	const char *until; /* of SHUT by a stated wait: the time of day */
	int64_t asked_ns; /* then: for how long the server asked */
	int64_t failures; /* of SHUT: so many in a row */
	int64_t probes; /* of BACK: so many were needed */
	int64_t shut_ns; /* of WAIT and BACK: it was shut for so long */
	int64_t waited_ns; /* at the gate, by this run, in all */
	int64_t next_ns; /* until the next attempt may start; < 0: unknown */
};

/* "gate hub shut: exit 7, 3 failures in a row" */
void gate_message(struct text *text, const struct gate_event *event);

/* The rate or limit of a pace: "18/s", "0.4/s". */
void gate_rate_text(struct text *text, double rate);

/*
 * The members of the event "gate": gate, state, rate, limit, reason, waited_s,
 * next_s.
 */
void gate_members(struct text *text, const struct gate_event *event);

#endif
