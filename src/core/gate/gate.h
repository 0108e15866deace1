/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_GATE_H
#define BACKOFF_CORE_GATE_GATE_H
/*
 * What runs know of each other: a gate with its pace, slots, and deferrals; the
 * record of these, and what backoff and its helper say to each other.
 *
 * Pure functions: (state, now, what happened) -> (state, what to do). A run
 * that may not start gets a ticket and sleeps; time decides which ticket is
 * next, so a run that is stopped, killed or slow holds up nobody.
 *
 * Times are nanoseconds >= 0 of one clock that all runs have in common and
 * that only goes forward, such as CLOCK_BOOTTIME of one boot; those of a
 * deferral are since the epoch.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/base.h"
#include "core/loop/loop.h"
#include "core/pause/schedule.h"

/* Tickets are 1 to this; they are not used up while a machine runs. */
#define LAST_TICKET (INT64_C(1) << 47)

/* Who is behind in line comes so much later for each place, up to a limit. */
#define PLACE_NS (20 * INT64_C(1000000))
#define PLACES_NS (3 * INT64_C(1000000000))

/* --- the pace of a gate --- */

/*
 * How many attempts a second may start. It finds the rate of a service without
 * being told, by doubling while that pays, and keeps it by the share of
 * attempts that are refused: told to slow down.
 *
 * Starts are counted, as refusals come at once and successes late, and time
 * alone makes starts: neither they nor successes need be written down.
 */
#define PACE_LEAST 0.2 /* starts a second */
#define PACE_FIRST 2.0
#define PACE_MOST 512.0
#define PACE_MOST_FAILING 0.95
#define PACE_MOST_CUTS 2

enum pace_phase {
	PACE_FINDING, /* doubles while that pays */
	PACE_KEEPING, /* near the limit */
	PACE_TRYING, /* for one interval, whether more would pay */
};

/* Starts, and how many of them were refused, or failed. */
struct pace_count {
	uint32_t starts, bad;
};

struct pace {
	enum pace_phase phase;
	double rate; /* starts a second, PACE_LEAST..PACE_MOST */
	double limit; /* of the service; 0: not known */
	int64_t second_ns; /* when the running second began */
	struct pace_count second; /* starts and refusals in it */

	/* An interval is a second or more in which the rate stayed. */
	int64_t interval_ns; /* when the running one began */
	struct pace_count interval; /* refusals of attempts that began in it */
	double served; /* a second in the last that paid; 0: none has yet */
	struct pace_count paid; /* in the intervals that did */

	/* Refusals that have nothing to do with the rate. */
	double base; /* their share of the starts */
	int64_t base_ns; /* when that was found */
	struct pace_count forty; /* the last forty starts, still running */
	double share; /* of refusals, in the forty before */

	int64_t kept_ns; /* earlier attempts say nothing of this rate */
	int64_t refused_ns; /* the last refusal */
	int64_t stated_ns; /* how long it asked to wait, or 0 */
	uint32_t quiet; /* starts since */

	int64_t try_ns,
	    try_gap_ns; /* the next try, and how far apart they are */
	double tried_from; /* the rate before a try */

	/* Failures that are no refusals. */
	struct pace_count look; /* since they were last looked at */
	double failing; /* the share that has nothing to do with the rate */
	uint8_t cuts; /* of the rate, which have not helped yet */
	double cut_share, cut_rate; /* before them */
	bool settles; /* the service still has what came before the last cut */
	int64_t calm_ns; /* the rate does not grow until then */
};

/*
 * The pacing begins: at half of the limit, or at PACE_FIRST where none is
 * known. What was learned of the service stays.
 */
void pace_begin(struct pace *pace, int64_t now_ns);

/* The time between two starts. */
int64_t pace_gap_ns(const struct pace *pace);

/* An attempt has started; or the running second is over, and is judged. */
void pace_start(struct pace *pace);
void pace_end_second(struct pace *pace);

/*
 * An attempt that began at BEGAN_NS was refused, and asked to wait for
 * STATED_NS, or 0.
 */
void pace_refused(
    struct pace *pace, int64_t now_ns, int64_t began_ns, int64_t stated_ns);

/* The share of refusals at NOW_NS that have nothing to do with the rate. */
double pace_base(const struct pace *pace, int64_t now_ns);

/*
 * How long it takes at least until COUNT attempts have started, if the pacing
 * begins now, and each doubling pays.
 */
int64_t pace_soonest_ns(const struct pace *pace, int64_t count);

/* --- the gate --- */

/*
 * A circuit breaker, and a limiter that finds its rate. While the service
 * behind it is down, the gate is shut for all runs and one of them probes;
 * after a success they come back at a pace. A service that refuses many
 * attempts is paced, too.
 */
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

/* A run has to wait, and looks again then; else it starts an attempt now. */
struct gate_answer {
	uint64_t ticket; /* to look again, or of a probe; 0: it is none */
	int64_t until_ns; /* 0: it starts */
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
	bool is_of_machine; /* of a fleet: run says which */
	const char *reason; /* of a failure or refusal */
};

/* A gate that nobody has used: open. */
struct gate gate_new(void);

/* Whether a run with TICKET (0: it has none) may start at NOW_NS. */
struct gate_answer gate_look(
    struct gate *gate, int64_t now_ns, uint64_t ticket);

/* An attempt has ended. True: the gate has to be written. */
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

/* Forgets the probers that have died: if bit i of LIVING is 0, probers[i]. */
void gate_forget_dead(struct gate *gate, uint8_t living);

/* Which of the probers has TICKET, if that is not 0; < 0: none. */
int gate_find_prober(const struct gate *gate, uint64_t ticket);

/* A probe has been due for so long that a run takes it which may not wait. */
bool gate_is_deserted(const struct gate *gate, int64_t now_ns);

/*
 * Whether a wait counts for --gate-wait: not until a moment that the service
 * stated, nor while a probe outlives the failures, for up to 10 minutes.
 */
bool gate_wait_counts(const struct gate *gate, int64_t now_ns);

/* Brings the gate to NOW_NS: time starts runs at a paced gate. */
void gate_pass_time(struct gate *gate, int64_t now_ns);

/* --- slots --- */

/*
 * The order in which runs get them. A slot itself is a lock, which is counted
 * and taken elsewhere.
 */
struct slots {
	int64_t next; /* the next ticket to be given */
	int64_t head; /* earlier tickets no longer count */
	int64_t passed; /* head has overtaken the tickets before this one */
	int64_t moved_ns; /* when a waiting run took a slot, or one came free */
	int64_t counted_ns; /* when the slots were counted: */
	int64_t busy, count; /* busy of count were taken */
	int64_t lost_since_ns; /* a server does not answer; 0: it does */
};

/* A run that waits, as it looks. */
struct slots_visit {
	int64_t ticket;
	int64_t count; /* N of --slots */
	int64_t busy; /* how many are taken; -1: not counted */
	bool is_first; /* nobody alive has an earlier ticket */
	bool is_far; /* a server has to be asked, which takes its time */
};

/* Nobody has waited yet. */
struct slots slots_new(int64_t now_ns);

/* Whether the slots are to be counted, as the last count is too old. */
bool slots_count_is_due(
    const struct slots *slots, int64_t now_ns, const struct slots_visit *visit);

/* 0: take a slot now; else wait, and look again at that moment. */
int64_t slots_look(
    struct slots *slots, int64_t now_ns, const struct slots_visit *visit);

/* --- deferrals --- */

#define DEFERRAL_REASON_SIZE 64

/* After a run gives up, the next runs are put off. All zero: they are not. */
struct deferral {
	uint32_t failures; /* runs in a row that gave up, saturating */
	int64_t until_ns; /* no run before it */
	int64_t window_ns; /* what that was drawn from: never put off longer */
	uint8_t status; /* of the last one, as $? has it */
	uint32_t runs; /* in a row that gave up by whatever verdict */
	int64_t since_ns; /* when the first of these did */
	char reason[DEFERRAL_REASON_SIZE + 1];
	int64_t last_ns; /* when the last one that counted gave up */
};

/*
 * How long a run whose own HIGH is HIGH_NS and that starts now is put off; 0:
 * not at all. The clock may have been set, and others may have written the
 * record: never longer than the window or HIGH, and then UNTIL_NS is lowered,
 * which has to be written.
 */
int64_t deferral_wait(
    struct deferral *deferral, int64_t high_ns, int64_t epoch_ns);

struct run_end {
	enum result result;
	enum verdict verdict; /* of the last attempt */
	int64_t began_ns, ended_ns;
	int status; /* as $? has it */
	const char *reason; /* kept on one line */
};

/* Whether a run that ended with RESULT gave up, by whatever verdict. */
bool deferral_gave_up(enum result result);

/*
 * A run that gave up, or was a success or pass, has ended. If a further attempt
 * could have helped, the next run is put off for U[w/2, w], which RANDOM draws,
 * and not for less than it was before: w = min(HIGH, LOW * 2^(n-1)) after n
 * such runs in a row, of which those that overlap count once. 0 < LOW <= HIGH
 * are those of LIMITS.
 */
void deferral_end(struct deferral *deferral, struct range limits,
    const struct run_end *end, struct random *random);

/* --- the name --- */

#define SHARED_NAME_SIZE 65 /* of the longest, with its terminator */
#define FLEET_PREFIX "fleet:" /* before that of what machines share */
#define FLEET_NAME_SIZE (SHARED_NAME_SIZE + sizeof FLEET_PREFIX - 1)

/*
 * The length of the NAME that TEXT begins with:
 * [A-Za-z0-9_][A-Za-z0-9._-]*, 1 to 64 bytes, but not "list". 0: it begins
 * with none.
 */
size_t shared_name_scan(const char *text);

/* --- the record in the file of that name --- */

/*
 * All numbers are little-endian; rates are in millionths of a start a second,
 * shares in 2^-31:
 *
 *   0    "backoff\n", u16 version, u16 size, u64 hash of the boot id, crc32 of
 *        these; the rest of 64 is zero
 *   64   the gate (448 bytes): the fields in the order of walk_gate(), reason
 *        (40), crc32; a server keeps these bytes
 *   512  the deferral (128): the fields of walk_deferral(), crc32
 *   640  the slots (96): those of walk_slots(), crc32
 *   736  zero
 */
#define STATE_SIZE 1024
#define STATE_VERSION 3
#define STATE_GATE_AT 64
#define STATE_GATE_SIZE 448
#define STATE_DEFERRAL_AT 512
#define STATE_DEFERRAL_SIZE 128
#define STATE_SLOTS_AT 640
#define STATE_SLOTS_SIZE 96

enum state_header {
	STATE_HEADER_FINE,
	STATE_HEADER_AS_NEW, /* empty, damaged, or of an older version */
	STATE_HEADER_FOREIGN, /* of another program, or newer: let it be */
};

/*
 * Judges the first SIZE <= STATE_SIZE bytes; the others are zero. *WHY they are
 * not fine, or "" for a new file.
 */
enum state_header state_record_look(
    const uint8_t record[STATE_SIZE], size_t size, const char **why);

/* The boot in which it was written. The header must be fine. */
uint64_t state_record_boot(const uint8_t record[STATE_SIZE]);

/*
 * Writes the header, for that boot. The deferral stays, and the rest does if
 * it was of that boot, too.
 */
void state_record_set_boot(uint8_t record[STATE_SIZE], uint64_t boot);

/*
 * What BYTES, whose clock is ahead of ours by AHEAD_NS, hold at NOW_NS, with
 * every number in its limits. False: no run can have written them by now, and
 * GATE is a new one.
 */
bool gate_record_read(struct gate *gate, const uint8_t bytes[STATE_GATE_SIZE],
    int64_t now_ns, int64_t ahead_ns);
void gate_record_write(
    uint8_t bytes[STATE_GATE_SIZE], const struct gate *gate, int64_t ahead_ns);

/*
 * With every number in its limits. If the checksum is wrong all is zero, and
 * *IS_BROKEN tells whether anything was written there; it may be NULL.
 */
struct deferral state_record_deferral(
    const uint8_t record[STATE_SIZE], bool *is_broken);
void state_record_set_deferral(
    uint8_t record[STATE_SIZE], const struct deferral *deferral);

/* Of a record of this boot. What is damaged or later than NOW_NS is as new. */
struct slots state_record_slots(
    const uint8_t record[STATE_SIZE], int64_t now_ns);
void state_record_set_slots(
    uint8_t record[STATE_SIZE], const struct slots *slots);

/* --- what backoff and its helper, backoff-fleet, say to each other --- */

/*
 * One line each way over a pair of sockets, of which the helper finds its own
 * at descriptor FLEET_SOCKET. The helper knows neither gates nor slots. For
 * each KEY, "{NAME}:gate" or "{NAME}:slots", it has a STATE, which means
 * nothing to it, and those who hold something: MEMBERs, numbers >= 1, each for
 * as long as its holder lives.
 *
 * A line is fields with single blanks between them; the last one may have
 * blanks, too, if it begins with ":". Numbers are decimal, up to 2^63 - 1; a
 * STATE is hexadecimal, or "-" for none. The helper speaks first:
 *
 *   hello VERSION :SERVER   what to call the server, without user and password;
 *       nothing is connected yet
 *   wrong :WHY              it has been given what cannot work
 *
 * Then backoff asks, one question at a time:
 *
 *   look KEY [MEMBER]...
 *     found NOW AT LAPSED STATE LIVING COUNT
 *       NOW is the server's time, in nanoseconds since the epoch, when
 *       CLOCK_BOOTTIME was AT. If MEMBERs were asked for, bit i of LIVING
 *       says that the i-th holds something, and COUNT is how many do in all.
 *   put KEY MEMBER OLD NEW
 *       Makes NEW of the STATE OLD. From then on MEMBER, or nothing where that
 *       is 0, is what backoff holds of KEY.
 *     done 1 LAPSED
 *     done 0 LAPSED         the STATE is another: look again
 *   drop KEY                gives up what is held of KEY
 *     done 1 LAPSED
 *   keep KEY MEMBER         goes on with what a helper that has died has held;
 *       it has no answer
 *
 * LAPSED is 1 if what backoff held of KEY was lost since it last dropped that:
 * it expired, or the server had lost it, and others may have had it. Any
 * question may be answered with
 *
 *     lost :WHY             the server cannot be used now
 *
 * after which neither the MEMBER of a put nor what was to be dropped is held.
 * At the end of the socket the helper gives up all that is held, and ends.
 */
#define FLEET_VERSION 5
#define FLEET_SOCKET 3

/* What is held expires if its holder has not renewed it for so long. */
#define FLEET_LEASE_NS (15 * INT64_C(1000000000))

#define FLEET_KEY_SIZE (SHARED_NAME_SIZE + 8)
#define FLEET_MEMBERS 8
#define FLEET_TEXT_SIZE 200
#define FLEET_STATE_SIZE 1025 /* of the longest, with its terminator */
/* A put is the longest. */
#define FLEET_LINE_SIZE (2 * FLEET_STATE_SIZE + 256)
#define FLEET_FIELDS (FLEET_MEMBERS + 2)

/* What a line does not have is "" and 0. */
struct fleet_line {
	const char *fields[FLEET_FIELDS];
	int64_t numbers[FLEET_FIELDS];
};

/* Takes WORDS apart, which must live on. */
void fleet_line_read(struct fleet_line *line, char *words);

#endif
