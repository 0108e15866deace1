/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_GATE_H
#define BACKOFF_CORE_GATE_GATE_H
/*
 * A gate that many runs pass before each attempt: a circuit breaker, and a
 * limiter that finds its rate. Where the service behind it is down it shuts
 * for all of them, one of them probes, and after a success they come back at a
 * pace (pace.h), which is also what a service gets that refuses many.
 *
 * Pure functions: (gate, now, what happened) -> (gate, what to do). Who may
 * not start has a ticket and sleeps; time decides whose turn it is, so that a
 * run that is stopped, killed or slow holds up nobody.
 *
 * Times are nanoseconds >= 0 of one clock that all runs have in common and
 * that only goes forward, such as CLOCK_BOOTTIME of one boot.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/pace.h"

#define GATE_REASON_SIZE 40
#define GATE_MOST_PROBERS 8

/* A probe is due after this long at most, if nobody asked to wait longer. */
#define GATE_DUE_NS (10 * INT64_C(1000000000))

enum gate_state {
	GATE_OPEN, /* an attempt starts at once */
	GATE_SHUT, /* nobody starts but a probe that is due */
	GATE_PACED, /* attempts start in the order of their tickets */
};
#define GATE_STATES 3

/* Failures without a success between. */
struct gate_row {
	uint32_t failures;
	bool two_runs; /* they came from at least two */
	uint64_t last_run; /* who failed last, as a hash of its id */
	int64_t first_ns, last_ns;
	int64_t longest_ns; /* of the attempts that failed */
};

struct gate {
	enum gate_state state;
	int64_t since_ns; /* in this state */
	int64_t changed_ns; /* attempts that began before tell no news */
	struct gate_row row;

	/* Tickets: those from head to next have not started yet. */
	uint64_t next, head; /* >= 1 */
	int64_t head_ns; /* paced: when head may start */

	/* While it is shut. */
	uint32_t probes; /* that failed */
	int64_t due_ns; /* the next one */
	bool stated; /* because the other side asked for it */
	uint64_t probers[GATE_MOST_PROBERS]; /* tickets of those that run */
	uint8_t probers_count;
	int64_t probe_ns; /* when the first of them began */

	struct pace pace;

	/* Ten seconds of results at an open gate, from a refusal on. */
	int64_t window_ns;
	struct pace_count window;

	/* Runs in a row that were told to wait; since when. */
	uint32_t told;
	int64_t told_ns;
	int64_t took_ns; /* the last success that is known; 0: none */

	/* Of a fleet's: when it was written, by the server's clock, and when
	 * the server was last asked. */
	int64_t written_ns, synced_ns;

	char reason[GATE_REASON_SIZE + 1]; /* why it is shut, or paced */
};

/* A run that wants to start an attempt. */
struct gate_visit {
	uint64_t ticket; /* 0: it has none */
	uint8_t living; /* bit i: the run of probers[i] lives */
};

enum gate_kind {
	GATE_GO, /* start; the ticket is used up */
	GATE_PROBE, /* start, with the ticket, until gate_result() */
	GATE_WAIT, /* look again with the ticket, at until_ns */
};

struct gate_answer {
	enum gate_kind kind;
	uint64_t ticket; /* of GATE_PROBE and GATE_WAIT */
	int64_t until_ns; /* of GATE_WAIT */
	/* The gate has to be written: time alone did not make this. */
	bool changed;
};

enum gate_outcome {
	GATE_SUCCESS, /* success or pass */
	GATE_FAILURE,
	GATE_REFUSAL, /* a failure: told to slow down */
	GATE_NEUTRAL, /* stop, not started, interrupted */
};

/* An attempt that has ended. */
struct gate_attempt {
	enum gate_outcome outcome;
	uint64_t run; /* a hash of its id, the same for all of its attempts */
	uint64_t ticket; /* of a probe; else 0 */
	int64_t began_ns, ended_ns;
	/* How long the other side asked to wait; 0: it did not. */
	int64_t stated_ns;
	/* ... with the jitter that keeps runs apart, or else, of a failure,
	 * the pause until the next probe, drawn for gate_next_failure(). */
	int64_t pause_ns;
	/* A row has to last for so long, if that is more than a second. */
	int64_t row_ns;
	const char *reason; /* of a failure or refusal */
};

/* What is a second old here may have shut a fleet's gate elsewhere. */
#define GATE_FLEET_ROW_NS (2 * INT64_C(1000000000))

/* A gate that nobody has used: open. */
struct gate gate_new(void);

/* Whether the run may start at NOW_NS. */
struct gate_answer gate_look(
    struct gate *gate, int64_t now_ns, const struct gate_visit *visit);

/*
 * An attempt has ended. True: the gate has to be written. Where the state is
 * another one than before, since_ns tells since when.
 */
bool gate_result(
    struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt);

/* For which failure in a row, >= 1, the pause until the next probe is. */
int64_t gate_next_failure(const struct gate *gate);

/* Somebody knows that the service is up. False: it is not shut. */
bool gate_reopen(struct gate *gate, int64_t now_ns);

/* Forgets the probers that have died: LIVING is as in a visit. */
void gate_bury(struct gate *gate, uint8_t living);

/* Whether TICKET's holder probes, as far as the gate knows. */
bool gate_is_probed_by(const struct gate *gate, uint64_t ticket);

/*
 * Who does not wait at a shut gate probes all the same where a probe has been
 * due for long, and nobody has come for it. LIVING is as in a visit.
 */
bool gate_is_deserted(const struct gate *gate, int64_t now_ns, uint8_t living);

/*
 * Whether a wait that goes on is the gate's: it is shut, not until a moment
 * that was stated, and not for a probe that outlives the failures.
 */
bool gate_keeps_waiting(const struct gate *gate, int64_t now_ns);

/* What time has changed by NOW_NS: the seconds of a paced gate. */
void gate_pass_time(struct gate *gate, int64_t now_ns);

#endif
