/* SPDX-License-Identifier: MIT */
/* What the loop does in a world in which attempts follow a script. */
#include <config.h>

#include <errno.h>
#include <signal.h>

#include "core/base/base.h"
#include "core/judge/outcome.h"
#include "core/loop/loop.h"
#include "unit/stage.h"
#include "unit/tap.h"
#include "unit/unlimited.h"

#define MOST STAGE_ATTEMPTS

/* What the doors do, if there are any, and what they were told. */
struct doors {
	bool are_there;
	struct entry at_start, entries[MOST]; /* 0: go */
	int64_t entry_takes_ns; /* each */
	struct gate_effect effects[MOST]; /* of each attempt */
	int entered, left; /* how often each was passed */
	int64_t entry_until_ns, entry_attempt; /* what was told last */
	enum verdict entry_verdict, left_verdict;
	int hooks_at_entry;
	struct outcome left_outcome;
};

/* What is to happen, and what has: ends() makes one of the other. */
static struct act acts[MOST];
static struct stage stage, seen;
static struct doors doors, passed;
static struct settings settings;

static struct entry
before_splay(void)
{
	return doors.at_start;
}

static struct entry
before_attempt(const struct loop_state *state, int64_t until_ns)
{
	doors.entry_until_ns = until_ns;
	doors.entry_attempt = state->attempt;
	doors.entry_verdict = state->verdict;
	doors.hooks_at_entry = stage.hooks;
	stage.now_ns += doors.entry_takes_ns;
	return doors.entries[doors.entered++];
}

static struct gate_effect
after_verdict(const struct loop_state *state)
{
	doors.left_verdict = state->verdict;
	doors.left_outcome = state->outcome;
	return doors.effects[doors.left++];
}

/* A fresh stage; base 1 s doubles without jitter, six attempts. */
static void
reset(void)
{
	stage = (struct stage) { .acts = acts, .pause_number = -1 };
	doors = (struct doors) { .are_there = false };
	acts[0] = (struct act) { .takes_ns = 0 };
	settings = usual();
	settings.policy.factor = 2;
	settings.policy.jitter.kind = JITTER_NONE;
	settings.limits.attempts = 6;
	settings.limits.hint_max_ns = 3600 * S;
}

static void
act(struct outcome outcome, int64_t takes_ns)
{
	acts[stage.acts_count++] = (struct act) { outcome, takes_ns };
}

static struct outcome
exited(int status)
{
	return (struct outcome) { .kind = OUTCOME_EXITED, .status = status };
}

static struct outcome
killed(int signal)
{
	return (struct outcome) {
		.kind = OUTCOME_KILLED, .status = -1, .signal = signal
	};
}

/* Attempts that exit with these, at once. */
#define EXITS(...) exits((const int[]) { __VA_ARGS__, -1 })

static void
exits(const int *statuses)
{
	while (*statuses >= 0)
		act(exited(*statuses++), 0);
}

static struct ending
run(void)
{
	struct random random = random_from(1);
	struct world world = stage_world(&stage);
	struct ending ending;

	world.before_splay = before_splay;
	if (doors.are_there) {
		world.before_attempt = before_attempt;
		world.after_verdict = after_verdict;
	}
	ending = run_loop(&settings, &random, &world);
	is_int(stage.releases, 1, "  output was released once");
	is_int(stage.told_starts, 1, "  one start was told");
	is_int(stage.told_ends, 1, "  and one end");
	is_int(stage.end_attempt, stage.attempts, "  which knows the count");
	return ending;
}

static void
ends(enum result result, int status, int signal, int attempts, const char *what)
{
	struct ending ending = run();

	seen = stage;
	passed = doors;
	reset();
	is_string(result_name(ending.result), result_name(result), what);
	is_int(ending.status, status, "  with its status");
	is_int(ending.signal, signal, "  and signal");
	is_int(seen.attempts, attempts, "  after so many attempts");
}

/* The loop ends with the first attempt, which ends like this. */
static void
once(struct outcome outcome, enum result result, int status, int signal,
    const char *what)
{
	act(outcome, 0);
	ends(result, status, signal, 1, what);
}

TEST(plain)
{
	reset();
	act(exited(0), S);
	ends(RESULT_SUCCESS, 0, 0, 1, "a success ends at once");
	is_int(seen.pauses_ns[0], -1, "  without a pause");

	act(exited(7), 0);
	ends(RESULT_EXHAUSTED, 7, 0, 6, "a failure is run six times");
	is_int(seen.now_ns, 31 * S, "  1 + 2 + 4 + 8 + 16 s in all");
	is_int(seen.pauses_ns[4], 16 * S, "  16 s before the last");
	is_int(seen.pauses_ns[5], -1, "  and none after it");
	is_int(seen.ends, 1, "  --at-end was run");
	ok(seen.at_end_result == RESULT_EXHAUSTED, "  and knew the result");

	EXITS(7, 0);
	ends(RESULT_SUCCESS, 0, 0, 2, "a later success counts");

	act(killed(SIGSEGV), 0);
	ends(RESULT_EXHAUSTED, 128 + SIGSEGV, SIGSEGV, 6,
	    "we die by what killed the last attempt");

	act(outcome_not_started(ENOENT), 0);
	ends(RESULT_STOPPED, 127, 0, 1, "a missing command is not retried");

	settings.limits.attempts = INT64_MAX;
	for (int i = 0; i < MOST - 1; i++)
		act(exited(1), 0);
	act(exited(0), 0);
	ends(RESULT_SUCCESS, 0, 0, MOST, "inf goes on");
	is_int(seen.pauses_ns[MOST - 2], 60 * S, "  at the cap");
}

TEST(verdicts)
{
	settings.rules.codes.exact[1] = VERDICT_PASS;
	once(exited(1), RESULT_PASS, 1, 0, "a pass keeps its status");

	settings.rules.codes.exact[3] = VERDICT_SUCCESS;
	once(exited(3), RESULT_SUCCESS, 0, 0, "another success is 0");

	settings.rules.codes.exact[0] = VERDICT_RETRY;
	act(exited(0), 0);
	ends(RESULT_EXHAUSTED, 1, 0, 6, "rule 39: never 0 without success");

	settings.rules.codes.exact[7] = VERDICT_THROTTLE;
	EXITS(1, 7, 1, 0);
	ends(RESULT_SUCCESS, 0, 0, 4, "a throttle is retried");
	is_int(seen.pauses_ns[1], 10 * S,
	    "  after its own window, n counting all failures");
	is_int(seen.pauses_ns[2], 4 * S, "  and that pause only");
}

/* How the time is used up to its end is in next_pause.c. */
TEST(time)
{
	settings.limits.timeout_ns = 2 * S;
	act(exited(0), 3 * S);
	ends(RESULT_EXHAUSTED, 124, 0, 6, "rule 37: a timeout is 124");
	is_int(seen.now_ns, 31 * S + 12 * S, "  each cut after 2 s");

	settings.limits.deadline_ns = 10 * S;
	act(exited(7), S);
	act(exited(7), 60 * S);
	ends(RESULT_DEADLINE, 124, 0, 2, "an attempt is cut by the deadline");
	is_int(seen.pauses_ns[0], S, "  after a pause that fits");
	is_int(seen.now_ns, 10 * S, "  to the nanosecond");
	ok(!seen.ending.no_time, "  not for want of time");

	settings.limits.deadline_ns = 11 * S / 2;
	act(exited(7), 5 * S);
	ends(RESULT_DEADLINE, 7, 0, 1, "rule 43: nothing left, no pause");
	is_int(seen.now_ns, 5 * S, "  we give up at once");
	ok(seen.ending.no_time && !seen.ending.until_is_near,
	    "  as the deadline is near");

	settings.limits.timeout_ns = 3 * S;
	settings.limits.deadline_ns = 2 * S;
	act(exited(0), 9 * S);
	ends(RESULT_DEADLINE, 124, 0, 1, "the deadline comes before -t");

	settings.limits.until_ns = STAGE_EPOCH_NS;
	act(exited(0), 0);
	ends(RESULT_DEADLINE, 124, 0, 0, "--until in the past starts nothing");
	ok(seen.ending.until_is_near, "... and is named");

	settings.limits.until_ns = STAGE_EPOCH_NS + 4 * S;
	act(exited(7), S);
	act(exited(7), 60 * S);
	ends(RESULT_DEADLINE, 7, 0, 2, "--until does not cut an attempt");
	ok(seen.ending.no_time && seen.ending.until_is_near,
	    "  but leaves no time for another");
}

/* An attempt that --idle-timeout has cut. */
static struct outcome
fell_silent(void)
{
	return (struct outcome) { .kind = OUTCOME_TIMED_OUT,
		.status = -1,
		.signal = SIGTERM,
		.was_silent = true };
}

/* OUTCOME as the loop leaves it: of the only attempt, of 5 s or beyond 20 s. */
static const struct outcome *
cut(struct outcome outcome)
{
	doors.are_there = true;
	settings.limits.attempts = 1;
	settings.limits.idle_timeout_ns = 5 * S;
	settings.limits.deadline_ns = 20 * S;
	act(outcome, outcome.kind == OUTCOME_TIMED_OUT ? 5 * S : 25 * S);
	run();
	passed = doors;
	reset();
	return &passed.left_outcome;
}

TEST(noted_limit)
{
	struct outcome unended = fell_silent();

	is_int(cut(unended)->limit_ns, 5 * S, "the limit is that of silence");
	ok(!passed.left_outcome.past_deadline, "  and not the deadline");
	unended.left.unended.pid = 1;
	is_int(cut(unended)->limit_ns, 5 * S, "also if something did not end");
	unended.was_silent = false;
	is_int(cut(unended)->limit_ns, 0, "which alone reaches none");
	is_int(cut(exited(0))->limit_ns, 20 * S, "of another it is the cutoff");
	ok(passed.left_outcome.past_deadline, "  here the deadline");
}

TEST(from_start)
{
	settings.limits.from_start = true;
	settings.limits.attempts = 3;
	act(exited(7), 600 * MS);
	act(exited(7), 5 * S);
	ends(RESULT_EXHAUSTED, 7, 0, 3, "--from=start");
	is_int(seen.pauses_ns[0], 400 * MS, "  less the attempt");
	is_int(seen.pauses_ns[1], 100 * MS, "  but the floor");
}

TEST(reset)
{
	settings.limits.reset_after_ns = 10 * S;
	settings.limits.attempts = 3;
	EXITS(7, 7);
	act(exited(7), 10 * S);
	act(exited(7), 0);
	ends(RESULT_EXHAUSTED, 7, 0, 5, "a long attempt starts a new count");
	is_int(seen.counts[2], 1, "  it is number 1 of it");
	is_int(seen.pauses_ns[2], S, "  and of the windows");
	is_int(seen.pauses_ns[3], 2 * S, "  which grow again");

	settings.limits.reset_after_ns = 10 * S;
	settings.limits.timeout_ns = 11 * S;
	settings.limits.attempts = 2;
	act(exited(0), 60 * S);
	ends(RESULT_EXHAUSTED, 124, 0, 2, "a timeout never resets");
}

TEST(consecutive)
{
	settings.limits.consecutive = 3;
	settings.limits.attempts = 9;
	EXITS(7, 7, 0, 0, 7, 0, 0, 0);
	ends(RESULT_SUCCESS, 0, 0, 8, "three in a row are a success");
	is_int(seen.pauses_ns[1], 2 * S, "  whose windows have grown");
	is_int(seen.pauses_ns[2], S, "  has the first one in a streak");
	is_int(seen.pauses_ns[3], S, "  which stays");
	is_int(seen.pauses_ns[4], 4 * S, "  failures go on growing");

	settings.limits.consecutive = 3;
	settings.limits.attempts = 3;
	EXITS(7, 0);
	ends(RESULT_EXHAUSTED, 1, 0, 3, "a broken streak is 1, not 0");
}

/* Signals that find an attempt running, or ended. */
TEST(signals_in_an_attempt)
{
	struct outcome outcome = exited(7);

	outcome.end_signal = SIGTERM;
	once(outcome, RESULT_INTERRUPTED, 7, 0,
	    "rule 27: told in an attempt, we exit as it does");
	is_int(seen.ending.end_signal, SIGTERM, "  and say by what");

	outcome = exited(0);
	outcome_end_late(&outcome, SIGTERM);
	once(outcome, RESULT_SUCCESS, 0, 0, "a success is one all the same");
	outcome.status = 7;
	once(outcome, RESULT_INTERRUPTED, 128 + SIGTERM, SIGTERM,
	    "a late signal is one in a pause");

	outcome = killed(SIGUSR1);
	outcome.by_forwarded = true;
	once(outcome, RESULT_INTERRUPTED, 128 + SIGUSR1, SIGUSR1,
	    "rule 29: killed by what we passed on, the loop ends");
}

/* SIGNAL arrives in pause NUMBER; 0 is the splay. */
static void
told_in_pause(int signal, int number, const char *what)
{
	stage.pause_signal = signal;
	stage.pause_number = number;
	act(exited(7), 0);
	ends(RESULT_INTERRUPTED, 128 + signal, signal, number, what);
	is_int(seen.ending.end_signal, signal, "  and say by what");
	is_int(seen.ends, 0, "  and --at-end is not run");
	is_int(seen.release_signal, signal, "  and the release knows");
}

TEST(signals_in_a_pause)
{
	told_in_pause(SIGTERM, 2, "rule 42: we die by a signal in a pause");
	told_in_pause(SIGHUP, 0, "also in the splay");
}

TEST(hooks)
{
	EXITS(7, 0);
	ends(RESULT_SUCCESS, 0, 0, 2, "a hook that agrees");
	is_int(seen.hooks, 1, "  is asked once");
	is_int(seen.hook_attempt, 2, "  about the coming attempt");

	stage.hook = exited(1);
	once(exited(7), RESULT_STOPPED, 7, 0, "a hook that says no");
	ok(seen.ending.vetoed, "  is named");

	stage.hook.end_signal = SIGTERM;
	once(exited(7), RESULT_INTERRUPTED, 143, SIGTERM, "a signal in a hook");

	stage.hook_ns = 60 * S;
	settings.limits.deadline_ns = 10 * S;
	once(exited(7), RESULT_DEADLINE, 7, 0, "the deadline in a hook");
	is_int(seen.at_end_cut_ns, 20 * S, "  leaves --at-end 10 s more");

	stage.at_end = exited(9);
	act(exited(7), 0);
	ends(RESULT_EXHAUSTED, 7, 0, 6, "--at-end changes nothing");
	is_int(seen.at_end_cut_ns, DURATION_INF, "  and has all the time");

	stage.at_end.end_signal = SIGINT;
	act(exited(7), 0);
	ends(RESULT_INTERRUPTED, 130, SIGINT, 6, "but a signal in it does");
	is_int(seen.ending.status, 130, "  which the event of the end has");
	is_int(seen.ends_at_closing, 0, "  but not the line before it");
}

TEST(splay)
{
	settings.limits.splay = (struct range) { 2 * S, 5 * S };
	once(exited(0), RESULT_SUCCESS, 0, 0, "a splay");
	is_between(seen.now_ns, 2 * S, 5 * S, "  comes first");
}

TEST(put_off)
{
	settings.limits.splay = (struct range) { 2 * S, 5 * S };
	doors.at_start = (struct entry) { .admission = ADMISSION_REFUSED,
		.words = "put off" };
	ends(RESULT_DEFERRED, 75, 0, 0, "who is put off");
	is_int(seen.now_ns, 0, "  waits for no splay");
	is_string(seen.ending.entry.words, "put off", "  and says so");
}

static struct outcome
asked(int64_t ns)
{
	struct outcome outcome = exited(22);

	outcome.evidence.hint.has_wait = true;
	outcome.evidence.hint.wait_ns = ns;
	return outcome;
}

/* With a deadline they are in next_pause.c. */
TEST(hints)
{
	static const struct {
		int64_t asked_ns, low_ns, high_ns;
		const char *what;
	} table[] = {
		{ 30 * S, 30 * S, 31 * S,
		    "a wait that is asked for has up to the base on top" },
		{ 90 * S, 90 * S, 91 * S, "it may exceed the cap" },
		{ 0, S, S, "a short one shortens nothing" },
		{ 3600 * S, 3600 * S, 3601 * S,
		    "as much as --hint-max is waited" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		act(asked(table[i].asked_ns), 0);
		act(exited(0), 0);
		ends(RESULT_SUCCESS, 0, 0, 2, table[i].what);
		is_between(seen.pauses_ns[0], table[i].low_ns, table[i].high_ns,
		    "  and no longer");
	}
	once(asked(3601 * S), RESULT_STOPPED, 22, 0, "more than --hint-max");
	ok(seen.ending.asked_too_long, "  is told");

	settings.limits.hint_max_ns = DURATION_INF;
	act(asked(DURATION_INF - 1), 0);
	act(exited(0), 0);
	ends(RESULT_SUCCESS, 0, 0, 2, "one of centuries, without a limit");

	settings.limits.consecutive = 2;
	act(asked(30 * S), 0);
	acts[0].outcome.status = 0;
	act(exited(0), 0);
	ends(RESULT_SUCCESS, 0, 0, 2, "also within a streak");
	is_between(seen.pauses_ns[0], 30 * S, 31 * S, "  it is waited");
}

TEST(evidence)
{
	struct outcome outcome = exited(0);

	outcome.evidence.hint.verdict = VERDICT_STOP;
	once(outcome, RESULT_STOPPED, 1, 0, "COMMAND can ask to stop");

	outcome = exited(7);
	outcome.evidence.input.lost = true;
	once(outcome, RESULT_STOPPED, 7, 0,
	    "lost input allows no further attempt");
	ok(seen.ending.input_lost, "  and is told");
	outcome.evidence.hint.verdict = VERDICT_STOP;
	once(outcome, RESULT_STOPPED, 7, 0, "a stop whose input is lost");
	ok(!seen.ending.input_lost, "  is told as a stop");

	outcome = killed(SIGKILL);
	outcome.evidence.failure.stream = "stdin";
	outcome.evidence.failure.error = EIO;
	outcome.evidence.failure.is_final = true;
	once(outcome, RESULT_ERROR, 125, 0,
	    "a stream that broke is our failure");
	is_int(seen.ends, 0, "  without --at-end");
}

/* Readers that stall when we are told to end. */
TEST(cut_release)
{
	struct outcome told = exited(0);

	told.end_signal = SIGTERM;
	stage.stalled = SIGTERM;
	once(told, RESULT_INTERRUPTED, 143, SIGTERM,
	    "a success whose reader stalls when we are told to end");
	is_int(seen.release_signal, SIGTERM, "  which its release knows");
	is_int(seen.ending.end_signal, SIGTERM, "  as the log does");
	is_int(seen.ends, 0, "  without --at-end");

	stage.stalled = SIGHUP;
	act(exited(7), 0);
	ends(RESULT_INTERRUPTED, 129, SIGHUP, 6, "a failure likewise");

	told.status = 7;
	stage.stalled = SIGTERM;
	once(told, RESULT_INTERRUPTED, 7, 0,
	    "but the fate of an attempt that was told to end stays");
}

TEST(release)
{
	stage.unwritten = (struct stream_failure) { "-", .error = ENOSPC };
	once(exited(0), RESULT_ERROR, 125, 0, "a success that cannot be shown");

	stage.unwritten
	    = (struct stream_failure) { "-", EPIPE, .signal = SIGPIPE };
	once(exited(0), RESULT_ERROR, 128 + SIGPIPE, SIGPIPE,
	    "whose reader has gone dies as a writer does");

	stage.unwritten = (struct stream_failure) { "-", .error = ENOSPC };
	act(exited(7), 0);
	ends(RESULT_EXHAUSTED, 7, 0, 6, "a failure stays what it is");
	ok(seen.released_for == RESULT_EXHAUSTED, "  and is known");
	is_int(seen.release_signal, 0, "  nobody has told us to end");
}

static void
brings(const struct loop_state *state, enum result wanted, const char *what)
{
	static const struct limits limits
	    = { .attempts = 9, .consecutive = 1, .reset_after_ns = INT64_MAX };
	static const struct gate_effect none = { .signal = 0 };
	struct loop_state after = *state;
	struct schedule unused;
	int64_t failures = 0;

	is_string(result_name(loop_count_attempt(
	              &limits, &none, &after, &unused, &failures)),
	    result_name(wanted), what);
}

/* If two rules apply, the earlier one decides. */
TEST(order)
{
	struct loop_state state = { .verdict = VERDICT_RETRY };
	struct outcome *outcome = &state.outcome;

	brings(&state, RESULT_NONE, "a failure is followed by an attempt");
	outcome->evidence.input.lost = true;
	brings(&state, RESULT_STOPPED, "  unless its input is lost");
	state.count = 9;
	brings(&state, RESULT_EXHAUSTED, "  or it was the last");
	state.verdict = VERDICT_STOP;
	brings(&state, RESULT_STOPPED, "  or none can help");
	outcome->past_deadline = true;
	brings(&state, RESULT_DEADLINE, "  or the deadline cut it");
	outcome->end_signal = SIGTERM;
	brings(&state, RESULT_INTERRUPTED, "  or backoff was told to end");
	state.verdict = VERDICT_PASS;
	brings(&state, RESULT_PASS, "  but an answer is one all the same");
	state.verdict = VERDICT_SUCCESS;
	brings(&state, RESULT_SUCCESS, "  and so is a success");
	outcome->evidence.failure.cut_off = true;
	brings(&state, RESULT_INTERRUPTED, "  unless its output was cut off");
	outcome->evidence.failure.stream = "output";
	brings(&state, RESULT_ERROR, "  or could not be written");
}

TEST(doors)
{
	doors.are_there = true;
	doors.entry_takes_ns = 3 * S;
	act(exited(7), 0);
	ends(RESULT_EXHAUSTED, 7, 0, 6, "doors that let all through");
	is_int(seen.now_ns, (31 + 18) * S, "  after what they took");
	is_int(passed.entered, 6, "  are asked before each attempt");
	is_int(passed.left, 6, "  and told after each");
	is_int(passed.entry_attempt, 6, "  with the coming number");
	ok(passed.entry_verdict == VERDICT_RETRY, "  and the verdict before");
	ok(passed.left_verdict == VERDICT_RETRY, "  or of it");
	is_int(passed.hooks_at_entry, 5, "  when --before-retry has run");
	ok(passed.entry_until_ns == INT64_MAX, "  and without a limit");

	doors.are_there = true;
	settings.limits.deadline_ns = 20 * S;
	act(exited(0), 0);
	ends(RESULT_SUCCESS, 0, 0, 1, "a deadline");
	is_int(passed.entry_until_ns, 19 * S, "  keeps its reserve at a door");
	ok(passed.left_verdict == VERDICT_SUCCESS, "  which hears of success");

	doors.are_there = true;
	settings.limits.until_ns = STAGE_EPOCH_NS + 5 * S;
	act(exited(0), 0);
	ends(RESULT_SUCCESS, 0, 0, 1, "--until");
	is_int(passed.entry_until_ns, 4500 * MS, "  keeps its own");
}

/* A signal that comes while others are told of the last verdict. */
TEST(signal_after_verdict)
{
	static const struct gate_effect told = { .signal = SIGTERM };

	doors.are_there = true;
	settings.limits.attempts = 1;
	act(exited(7), 0);
	doors.effects[0] = told;
	ends(RESULT_INTERRUPTED, 143, SIGTERM, 1,
	    "a signal while the others are told");
}

/* What a probe at a gate that stays shut makes of its verdict. */
static const struct gate_effect probed = {
	.waits_at_gate = true,
	.probe = { .number = 3, .gate = "hub" },
	.keeps_windows = true,
};

/* The ends that a door brings, before an attempt and after one. */
TEST(refusals)
{
	static const struct {
		struct entry entry;
		enum result first;
		int status, signal;
		enum result later;
		int later_status;
	} table[] = {
		{ { .admission = ADMISSION_SIGNAL, .signal = SIGHUP },
		    RESULT_INTERRUPTED, 129, SIGHUP, RESULT_INTERRUPTED, 129 },
		{ { .admission = ADMISSION_LATE }, RESULT_DEADLINE, 124, 0,
		    RESULT_DEADLINE, 7 },
		{ { .admission = ADMISSION_REFUSED,
		      .words = "shut",
		      .reason = "exit 7" },
		    RESULT_DEFERRED, 75, 0, RESULT_DEADLINE, 7 },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		doors.are_there = true;
		act(exited(7), 0);
		doors.entries[0] = table[i].entry;
		ends(table[i].first, table[i].status, table[i].signal, 0,
		    "an end at the first door");
		is_int(passed.left, 0, "  leaves by none");
		is_int(seen.ends, table[i].signal == 0, "  and has --at-end");
		ok(seen.ending.entry.words == table[i].entry.words,
		    "  with the line that it brings");

		doors.are_there = true;
		act(exited(7), 0);
		doors.entries[1] = table[i].entry;
		ends(table[i].later, table[i].later_status, table[i].signal, 1,
		    "the same after an attempt");
		ok(seen.ending.no_time
		        == (table[i].entry.admission == ADMISSION_LATE),
		    "  tells whether there was no time");
	}
}

TEST(gate_effect)
{
	doors.are_there = true;
	settings.limits.attempts = 3;
	for (int i = 1; i < 5; i++)
		doors.effects[i] = probed;
	act(exited(7), S);
	ends(RESULT_EXHAUSTED, 7, 0, 7, "what does not count is no attempt");
	is_int(seen.pauses_ns[0], S, "  a pause of our own");
	ok(seen.pauses_ns[1] == PAUSE_AT_GATE
	        && seen.pauses_ns[4] == PAUSE_AT_GATE,
	    "  gives way to the door's");
	is_int(seen.pauses_ns[5], 2 * S, "  and goes on where it was");
	ok(seen.pauses_ns[6] == PAUSE_NONE, "  to the last");
	is_int(seen.counts[1], 1, "  the second has the number of the first");
	is_int(seen.counts[4], 1, "  which stays, until one counts");
	is_int(seen.counts[5], 2, "  as the next to last does");
	is_int(seen.counts[6], 3, "  and the last");
	is_int(seen.now_ns, (7 + 1 + 2) * S, "  no other time passes");

	doors.are_there = true;
	doors.effects[0] = probed;
	settings.limits.attempts = 1;
	settings.limits.hint_max_ns = S;
	act(exited(7), 0);
	acts[0].outcome.evidence.hint
	    = (struct hint) { .has_wait = true, .wait_ns = 2 * S };
	ends(RESULT_STOPPED, 7, 0, 1, "a wait beyond --hint-max still ends");
	is_int(seen.counts[0], 0, "  though it has no number");
}

/* An --attempts that was given bounds probes, too; their windows stay. */
TEST(attempts_given)
{
	doors.are_there = true;
	settings.limits.attempts = 3;
	settings.limits.attempts_given = true;
	for (int i = 1; i < 5; i++)
		doors.effects[i] = probed;
	act(exited(7), S);
	ends(RESULT_EXHAUSTED, 7, 0, 3, "an --attempts bounds all runs");
	is_int(seen.counts[2], 3, "  which count");

	doors.are_there = true;
	settings.limits.attempts = 3;
	doors.effects[1] = (struct gate_effect) { .keeps_windows = true };
	act(exited(7), S);
	ends(RESULT_EXHAUSTED, 7, 0, 3, "what others pace counts");
	is_int(seen.pauses_ns[1], S, "  but its window does not grow");
}

/* --reset-after begins anew, and what does not count is not number 1. */
TEST(gate_in_a_long_run)
{
	doors.are_there = true;
	doors.effects[1] = probed;
	settings.limits.attempts = 2;
	settings.limits.reset_after_ns = 60 * S;
	act(exited(7), S);
	act(exited(7), 60 * S);
	act(exited(7), S);
	ends(RESULT_EXHAUSTED, 7, 0, 4, "a long attempt that does not count");
	is_int(seen.counts[1], 0, "  is none of the new count");
	is_int(seen.counts[2], 1, "  whose first is the next");
}
