/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_GATE_H
#define BACKOFF_CORE_GATE_GATE_H
/*
 * A gate that many runs pass before each attempt: a circuit breaker, and a
 * limiter that finds its rate. While the service behind it is down, the gate is
 * shut for all of them and one run probes; after a success they come back at a
 * pace (pace.h). A service that refuses many attempts is paced, too.
 *
 * Pure functions: (gate, now, what happened) -> (gate, what to do). A run that
 * may not start gets a ticket and sleeps; time decides which ticket is next, so
 * a run that is stopped, killed or slow holds up nobody.
 *
 * Times are nanoseconds >= 0 of one clock that all runs have in common and
 * that only goes forward, such as CLOCK_BOOTTIME of one boot.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/pace.h"
#include "core/loop/loop.h"
#include "core/pause/random.h"
#include "core/pause/schedule.h"

#define GATE_REASON_SIZE 40
#define GATE_MOST_PROBERS 8

/* The next probe is due within this, or, by a stated wait, within a day. */
#define GATE_DUE_NS (10 * INT64_C(1000000000))
#define GATE_STATED_NS (24 * 3600 * INT64_C(1000000000))

enum gate_state {
	GATE_OPEN, /* an attempt starts at once */
	GATE_SHUT, /* only a probe that is due starts */
	GATE_PACED, /* attempts start in the order of their tickets */
};
#define GATE_STATES 3

/* Failures without a success between. */
struct gate_row {
	uint32_t failures;
	bool two_runs; /* they came from at least two */
	uint64_t last_run; /* the run that failed last: a hash of its id */
	int64_t first_ns, last_ns;
	int64_t longest_ns; /* of the attempts that failed */
};

struct gate {
	enum gate_state state;
	/* When the state began; attempts that began earlier do not count. */
	int64_t since_ns;
	struct gate_row row;

	/* Tickets: those from head to next have not started yet. */
	uint64_t next, head; /* >= 1 */
	int64_t head_ns; /* paced: when head may start */

	/* While it is shut. */
	uint32_t probes; /* that failed */
	int64_t due_ns; /* the next one */
	bool stated; /* the service asked for that moment */
	uint64_t probers[GATE_MOST_PROBERS]; /* tickets of those that run */
	uint8_t probers_count;
	int64_t probe_ns; /* when the first of them began */

	struct pace pace;

	/* Ten seconds of results at an open gate, from a refusal on. */
	int64_t window_ns;
	struct pace_count window;

	/* Attempts in a row that were told to wait; the first of them. */
	uint32_t told;
	int64_t told_ns; /* when it was */
	uint64_t told_run;
	int64_t took_ns; /* of the last success that was written; 0: none was */

	/* A fleet's gate: when it was written, by the server's clock, and when
	 * the server was last asked. */
	int64_t written_ns, synced_ns;

	char reason[GATE_REASON_SIZE + 1]; /* why it is shut, or paced */
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
	/* The gate has to be written: this is more than time has done. */
	bool changed;
};

enum gate_outcome {
	GATE_SUCCESS, /* success or pass */
	GATE_FAILURE,
	GATE_REFUSAL, /* a failure: told to slow down */
	GATE_NEUTRAL, /* stop, not started, interrupted */
	GATE_BY_HAND, /* no attempt: somebody says that the service is up */
};

/* An attempt that has ended. */
struct gate_attempt {
	enum gate_outcome outcome;
	uint64_t run; /* a hash of its id, the same for all of its attempts */
	uint64_t ticket; /* of a probe; else 0 */
	int64_t began_ns, ended_ns;
	/* How long the service asked to wait; 0: it did not. */
	int64_t stated_ns;
	int64_t pause_ns; /* until the next probe: gate_pause() */
	/* A row shuts the gate if it lasts this long; 0: a second. */
	int64_t row_ns;
	const char *reason; /* of a failure or refusal */
};

/* row_ns of a fleet: its machines may see the gate a second late. */
#define GATE_FLEET_ROW_NS (2 * INT64_C(1000000000))

/* A gate that nobody has used: open. */
struct gate gate_new(void);

/*
 * Whether a run with TICKET (0: it has none) may start at NOW_NS. Bit i of
 * LIVING: the run that has the ticket probers[i] lives.
 */
struct gate_answer gate_look(
    struct gate *gate, int64_t now_ns, uint64_t ticket, uint8_t living);

/*
 * An attempt has ended, or somebody opens the gate. True: it has to be written.
 */
bool gate_result(
    struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt);

/*
 * How long the gate waits for its next probe after an attempt, which has asked
 * for STATED_NS, or 0. Drawn by POLICY, but from windows of GATE_DUE_NS at
 * most, so that draws do not pile up there; and independent of what the run
 * itself has drawn.
 */
int64_t gate_pause(const struct gate *gate, const struct policy *policy,
    struct random *random, int64_t stated_ns);

/*
 * How the gate, which knows of ATTEMPT, changes the pause after it. PROBED: the
 * attempt was a probe, or --wake-on let it through a shut gate. The name in
 * .probe is not set.
 */
struct gate_effect gate_effect(
    const struct gate *gate, const struct gate_attempt *attempt, bool probed);

/* Forgets the probers that have died. LIVING is as for gate_look(). */
void gate_forget_dead(struct gate *gate, uint8_t living);

/* Whether the gate has TICKET as a prober's. */
bool gate_is_probed_by(const struct gate *gate, uint64_t ticket);

/*
 * Whether a probe has been due for so long that a run takes it which may not
 * wait. LIVING is as for gate_look().
 */
bool gate_is_deserted(const struct gate *gate, int64_t now_ns, uint8_t living);

/*
 * Whether a wait counts for --gate-wait: not until a moment that the service
 * stated, nor while a probe outlives the failures, for up to 10 minutes.
 */
bool gate_wait_counts(const struct gate *gate, int64_t now_ns);

/* Brings the gate to NOW_NS: time starts runs at a paced gate. */
void gate_pass_time(struct gate *gate, int64_t now_ns);

#endif
