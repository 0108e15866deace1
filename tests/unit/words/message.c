/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "unit/fresh.h"
#include "unit/tap.h"

static const struct limits eight = { .attempts = 8,
	.deadline_ns = 30 * NS_PER_S,
	.consecutive = 3,
	.hint_max_ns = 60 * NS_PER_MIN,
	.spool_limit = 65536 };
static const struct limits unlimited = { .attempts = INT64_MAX };

/* Attempt 2 of 2: exit 7 after 4.1 s, 21.4 s after the start. */
static struct loop_state
a_moment(void)
{
	return (struct loop_state) {
		.attempt = 2,
		.count = 2,
		.elapsed_ns = 21400 * NS_PER_MS,
		.verdict = VERDICT_RETRY,
		.outcome = {
			.kind = OUTCOME_EXITED,
			.status = 7,
			.ended_ns = 4100 * NS_PER_MS,
		},
	};
}

static void
sequel_is(const struct loop_state *state, const struct limits *limits,
    int64_t skipped, int64_t pause_ns, const char *end, const char *wanted)
{
	message_attempt(fresh(), state, limits, skipped);
	message_next(&text, state, pause_ns, end);
	is_string(buffer, wanted, wanted);
}

static void
attempt_is(const struct loop_state *state, const struct limits *limits,
    int64_t pause_ns, const char *wanted)
{
	sequel_is(state, limits, 0, pause_ns, "", wanted);
}

#define ENDING(...) ((struct ending) { __VA_ARGS__ })

static void
end_is(struct loop_state state, struct ending ending, const char *wanted)
{
	message_end(fresh(), &state, &eight, &ending, "./x");
	is_string(buffer, wanted, wanted);
}

TEST(attempts)
{
	struct loop_state state = a_moment();

	attempt_is(&state, &eight, 2100 * NS_PER_MS,
	    "attempt 2/8 failed after 4.1s: exit 7; next in 2.1s");
	attempt_is(&state, &eight, PAUSE_AT_GATE,
	    "attempt 2/8 failed after 4.1s: exit 7; queued at the gate");
	attempt_is(&state, &unlimited, 0,
	    "attempt 2 failed after 4.1s: exit 7; next in 0s");
	state.attempt = 7;
	state.count = 1;
	attempt_is(&state, &eight, NS_PER_S,
	    "attempt 7 (1/8) failed after 4.1s: exit 7; next in 1s");
	state.is_reset = true;
	attempt_is(&state, &eight, NS_PER_S,
	    "attempt 7 (1/8 since the reset) failed after 4.1s: exit 7; "
	    "next in 1s");
	state.probe = (struct probe) { .number = 3, .gate = "hub" };
	attempt_is(&state, &eight, PAUSE_AT_GATE,
	    "probe 3 at gate hub failed after 4.1s: exit 7 (not counted)");
	state.probe.is_counted = true;
	attempt_is(&state, &eight, NS_PER_S,
	    "probe 3 at gate hub failed after 4.1s: exit 7; next in 1s");
	state = a_moment();
	state.outcome.status = 0;
	state.outcome.rule = RULE_NO_MATCH;
	attempt_is(&state, &eight, NS_PER_S,
	    "attempt 2/8 not done after 4.1s: no line matches --success-if; "
	    "next in 1s");
	state.outcome.rule = RULE_DEFAULT;
	state.outcome.kind = OUTCOME_TIMED_OUT;
	state.outcome.limit_ns = 4 * NS_PER_S;
	attempt_is(&state, &eight, NS_PER_S,
	    "attempt 2/8 timed out after 4s; next in 1s");
	state.outcome.rule = RULE_HINT;
	state.outcome.evidence.hint.verdict = VERDICT_RETRY;
	attempt_is(&state, &eight, NS_PER_S,
	    "attempt 2/8 failed after 4.1s: the command asked to retry "
	    "(BACKOFF_HINT); next in 1s");
	state = a_moment();
	state.verdict = VERDICT_THROTTLE;
	attempt_is(&state, &eight, 9 * NS_PER_S,
	    "attempt 2/8 throttled: exit 7; next in 9s");
	state.verdict = VERDICT_SUCCESS;
	state.streak = 1;
	attempt_is(&state, &eight, NS_PER_S,
	    "attempt 2/8 succeeded, 1 of 3 in a row; next in 1s");
}

/* What else stands in the line of an attempt, and where. */
TEST(sequels)
{
	struct loop_state state = a_moment();

	state.outcome.evidence.hint
	    = (struct hint) { .has_wait = true, .wait_ns = 128 * NS_PER_S };
	sequel_is(&state, &eight, 0, 130 * NS_PER_S, "03:14:20",
	    "attempt 2/8 failed after 4.1s: exit 7; next in 2m10s, at 03:14:20 "
	    "(server asked for 2m8s)");

	/* A line speaks for those that had none. */
	state = a_moment();
	state.attempt = 20;
	sequel_is(&state, &eight, 9, NS_PER_S, "",
	    "attempts 11 to 20 failed, the last after 4.1s: exit 7; next in "
	    "1s");
	state.outcome.kind = OUTCOME_TIMED_OUT;
	state.outcome.limit_ns = 4 * NS_PER_S;
	sequel_is(&state, &eight, 9, NS_PER_S, "",
	    "attempts 11 to 20 timed out after 4s; next in 1s");
	state.outcome = (struct outcome) { .kind = OUTCOME_EXITED,
		.ended_ns = 9 * NS_PER_MS,
		.rule = RULE_NO_MATCH };
	sequel_is(&state, &eight, 9, NS_PER_S, "",
	    "attempts 11 to 20 not done, the last after 9ms: no line matches "
	    "--success-if; next in 1s");
}

TEST(news)
{
	json_begin(fresh(), INT64_C(1795261200123456789), "defer", "i", "n");
	json_member_string(&text, "defer", "a\"b");
	json_member_number(&text, "failures", 3);
	json_member_seconds(&text, "next_s", 1500 * NS_PER_MS);
	is_string(buffer,
	    "{\"time\":\"2026-11-21T11:40:00.123Z\",\"event\":\"defer\","
	    "\"id\":\"i\",\"name\":\"n\",\"defer\":\"a\\\"b\",\"failures\":3,"
	    "\"next_s\":1.500000000",
	    "an event of what runs share");
}

/* What does not fit is cut at a character, and the string still ends. */
TEST(cut)
{
	static const char wanted[][16] = {
		",\"k\":\"...\"",
		",\"k\":\"a...\"",
		",\"k\":\"a...\"",
		",\"k\":\"aé...\"",
		",\"k\":\"aéb...\"",
		",\"k\":\"aébcdef\"",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(wanted); i++) {
		char members[16];
		struct text added = text_in(members, 11 + i);

		json_member_string(&added, "k", "aébcdef");
		is_string(members, wanted[i], "a string in little room");
	}
}

TEST(ends)
{
	struct loop_state state = a_moment();
	struct loop_state first = a_moment();
	struct loop_state none = { .attempt = 0, .elapsed_ns = 4 * NS_PER_S };
	struct loop_state unstarted = a_moment();

	first.attempt = first.count = 1;
	first.elapsed_ns = 100 * NS_PER_MS;
	end_is(state, ENDING(.result = RESULT_EXHAUSTED),
	    "giving up after 2 attempts in 21.4s: exit 7");
	end_is(first, ENDING(.result = RESULT_EXHAUSTED),
	    "giving up after 1 attempt in 100ms: exit 7");
	end_is(first, ENDING(.result = RESULT_STOPPED),
	    "not retrying after attempt 1/8: exit 7");
	end_is(state, ENDING(.result = RESULT_DEADLINE),
	    "deadline reached after 2 attempts in 21.4s: exit 7");
	end_is(state, ENDING(.result = RESULT_DEADLINE, .no_time = true),
	    "giving up after 2 attempts in 21.4s, as the 30s deadline leaves "
	    "no time for another: exit 7");
	end_is(state,
	    ENDING(.result = RESULT_DEADLINE, .no_time = true,
	        .until_is_near = true),
	    "giving up after 2 attempts in 21.4s, as --until leaves no time "
	    "for another: exit 7");
	end_is(none, ENDING(.result = RESULT_DEADLINE),
	    "deadline reached after 4s");
	end_is(none, ENDING(.result = RESULT_DEADLINE, .until_is_near = true),
	    "--until reached after 4s");
	end_is(none,
	    ENDING(.result = RESULT_DEADLINE, .entry.words = "a slot of hub"),
	    "deadline reached in 4s, waiting for a slot of hub");
	end_is(none,
	    ENDING(.result = RESULT_DEADLINE, .entry.words = "gate hub",
	        .entry.reason = "exit 9", .until_is_near = true),
	    "--until reached in 4s, waiting for gate hub: exit 9");
	end_is(state,
	    ENDING(.result = RESULT_DEADLINE, .entry.words = "gate hub"),
	    "deadline reached in 21.4s, waiting for gate hub: exit 7");
	end_is(none,
	    ENDING(.result = RESULT_INTERRUPTED, .end_signal = SIGTERM),
	    "interrupted by TERM after 4s");
	end_is(none,
	    ENDING(.result = RESULT_DEFERRED,
	        .entry = { ADMISSION_REFUSED, .words = "not now" }),
	    "not now");
	end_is(state,
	    ENDING(.result = RESULT_INTERRUPTED, .end_signal = SIGTERM),
	    "interrupted by TERM after 2 attempts in 21.4s");
	end_is(state, ENDING(.result = RESULT_SUCCESS),
	    "succeeded at attempt 2/8 in 21.4s");
	end_is(state, ENDING(.result = RESULT_PASS),
	    "passed at attempt 2/8 in 21.4s (exit 7)");
	end_is(state,
	    ENDING(.result = RESULT_STOPPED, .vetoed = true,
	        .hook = { .kind = OUTCOME_EXITED, .status = 1 }),
	    "not retrying after attempt 2/8: --before-retry failed (exit 1)");

	unstarted.attempt = unstarted.count = 1;
	unstarted.outcome = outcome_not_started(ENOENT);
	end_is(unstarted, ENDING(.result = RESULT_STOPPED),
	    "not retrying: not found");
	end_is(unstarted,
	    ENDING(.result = RESULT_ERROR,
	        .failure = { "held output", .error = EMFILE }),
	    "cannot start: no descriptor left for held output");
	unstarted.attempt = unstarted.count = 2;
	end_is(unstarted,
	    ENDING(.result = RESULT_ERROR,
	        .failure = { "held output", .error = ENOENT }),
	    "cannot start attempt 2/8: held output: No such file or directory");

	/* /proc no longer had its name when backoff looked. */
	state.outcome.left.unended.pid = 12;
	end_is(state,
	    ENDING(.result = RESULT_INTERRUPTED, .end_signal = SIGTERM),
	    "interrupted by TERM after 2 attempts in 21.4s: cannot end process "
	    "12; run it as: sudo backoff ... (or sudo timeout)");
	state.outcome.left.unended.pid = 0;
	state.streak = 1;
	state.verdict = VERDICT_SUCCESS;
	end_is(state, ENDING(.result = RESULT_EXHAUSTED),
	    "giving up after 2 attempts in 21.4s: only 1 of 3 successes in a "
	    "row");
}

/* Two sizes that would read the same are not told as such. */
TEST(spool_limit)
{
	struct loop_state state = a_moment();
	struct ending ending = { .result = RESULT_STOPPED, .input_lost = true };

	state.outcome.evidence.input.taken = 131072;
	end_is(state, ending,
	    "not retrying after attempt 2/8: it read 128KiB of stdin, "
	    "--spool-limit is 64KiB");
	state.outcome.evidence.input.taken = 65537;
	end_is(state, ending,
	    "not retrying after attempt 2/8: it read over 64KiB of stdin, "
	    "--spool-limit is 64KiB");
}

/* WANTED is "" if there is no reason. */
static void
end_reason_is(const struct loop_state *state, struct ending ending,
    const char *name, const char *wanted)
{
	reason_of_end(fresh(), state, &eight, &ending, name, NULL);
	is_string(buffer, wanted, *wanted != '\0' ? wanted : "no reason");
}

/* What stopped a run that could have gone on. */
TEST(end_reasons)
{
	struct loop_state state = a_moment(), none = { .attempt = 0 };
	struct ending ended = { .result = RESULT_STOPPED };

	end_reason_is(&state, ENDING(.result = RESULT_SUCCESS), "sh", "");
	end_reason_is(&state, ENDING(.result = RESULT_PASS), "sh", "");
	end_reason_is(&state, ENDING(.result = RESULT_INTERRUPTED), "sh", "");
	end_reason_is(&none, ENDING(.result = RESULT_DEADLINE), "sh", "");
	state.outcome.evidence.hint.has_wait = true;
	state.outcome.evidence.hint.wait_ns = 120 * NS_PER_MIN;
	ended.asked_too_long = true;
	end_reason_is(&state, ended, "sh",
	    "server asked to wait 2h, more than --hint-max (1h)");
	ended.result = RESULT_DEADLINE;
	end_reason_is(
	    &state, ended, "sh", "server asked to wait 2h, more than is left");
	state.outcome.evidence.input.error = ENOENT;
	state.outcome.evidence.input.directory = "/nonexist";
	end_reason_is(&state,
	    ENDING(.result = RESULT_STOPPED, .input_lost = true), "sh",
	    "cannot keep stdin in TMPDIR /nonexist: No such file or directory");

	/* Where others ended the run, it is theirs, if there is one. */
	ended = ENDING(.result = RESULT_DEFERRED,
	    .entry = { ADMISSION_REFUSED, .reason = "exit 9" });
	end_reason_is(&state, ended, "sh", "exit 9");
	ended.entry.reason = NULL;
	end_reason_is(&state, ended, "sh", "");
}

/* A word that only a shell would have understood. */
TEST(not_found)
{
	static const char function[]
	    = "not found (a shell function? export -f it, then: "
	      "backoff bash -euo pipefail -c 'NAME \"$@\"' _ ...)";
	static const char part[] = "not found (part of a shell: sh -c '...')";
	static const char blanks[]
	    = "not found (one word with blanks: write the words apart, or "
	      "sh -c '...')";
	static const char variable[] = "not found (env NAME=... COMMAND)";
	const struct ending stopped = { .result = RESULT_STOPPED };
	struct loop_state state = a_moment();

	state.outcome = outcome_not_started(ENOENT);
	end_reason_is(&state, stopped, "deploy", function);
	end_reason_is(&state, stopped, "./deploy", "not found");
	end_reason_is(&state, stopped, "curl -fsS localhost", blanks);
	end_reason_is(&state, stopped, "curl http://localhost/", blanks);
	end_reason_is(&state, stopped, "FOO=1 deploy", blanks);
	end_reason_is(&state, stopped, "FOO=1", variable);
	end_reason_is(&state, stopped, "FOO=/bin/true", variable);
	end_reason_is(&state, stopped, "/srv/a=b/deploy", "not found");
	end_reason_is(&state, stopped, "cd", part);
	end_reason_is(&state, stopped, "!", part);
	end_reason_is(&state, stopped, "min", function);
	state.outcome.number = "1.5";
	end_reason_is(&state, stopped, "min",
	    "not found (a duration is one word: 1.5min)");
	end_reason_is(&state, stopped, "deploy", function);
	end_reason_is(&state, stopped, "5s", function);
	state.outcome.number = "1m30";
	end_reason_is(
	    &state, stopped, "s", "not found (a duration is one word: 1m30s)");
	state.outcome.number = "1b";
	end_reason_is(&state, stopped, "min", function);
	state.outcome.is_here = true;
	end_reason_is(
	    &state, stopped, "cd", "not found (it is in this directory: ./cd)");
	state.outcome.no_interpreter = true;
	end_reason_is(&state, stopped, "deploy", "interpreter not found");
	state.outcome = outcome_not_started(EACCES);
	end_reason_is(&state, stopped, "deploy", "Permission denied");
}

static void
reason_is(struct outcome outcome, const char *wanted)
{
	reason_text(fresh(), &outcome, reason_line(&outcome));
	is_string(buffer, wanted, wanted);
}

/* The meaning of a status follows it wherever it is printed. */
TEST(meaning)
{
	struct outcome outcome = {
		.kind = OUTCOME_EXITED,
		.status = 7,
		.evidence.tool = { .verdict = VERDICT_RETRY,
		    .meaning = "could not connect to host" },
	};

	reason_is(outcome, "exit 7 (could not connect to host)");
	outcome.evidence.tool.meaning = "failed";
	reason_is(outcome, "exit 7");
	outcome.evidence.tool.meaning = "error";
	reason_is(outcome, "exit 7");
	outcome.evidence.tool.meaning = "could not connect to host";
	outcome.evidence.match.last_line = "";
	reason_is(outcome, "exit 7 (could not connect to host)");
	outcome.evidence.match.last_line = "curl: (7)";
	reason_is(outcome, "exit 7 (could not connect to host) \"curl: (7)\"");
	outcome.rule = RULE_STOP_ON;
	reason_is(outcome,
	    "exit 7 (could not connect to host) (--stop-on) \"curl: (7)\"");
	outcome.rule = RULE_MATCH;
	outcome.evidence.match.verdict = VERDICT_STOP;
	outcome.evidence.match.pattern = "URL";
	reason_is(outcome, "output matches 'URL' \"curl: (7)\"");
	outcome.status = 0;
	outcome.evidence.tool.meaning = NULL;
	reason_is(outcome, "exit 0 (output matches --stop-if) \"curl: (7)\"");
	outcome.rule = RULE_HINT;
	outcome.evidence.hint.verdict = VERDICT_RETRY;
	reason_is(
	    outcome, "the command asked to retry (BACKOFF_HINT) \"curl: (7)\"");
	outcome.evidence.match.last_line = NULL;
	outcome.evidence.hint.verdict = VERDICT_STOP;
	reason_is(outcome, "the command asked to stop (BACKOFF_HINT)");
	outcome.evidence.hint.verdict = VERDICT_THROTTLE;
	reason_is(outcome, "the command asked to slow down (BACKOFF_HINT)");
	outcome.evidence.hint.verdict = VERDICT_SUCCESS;
	reason_is(outcome, "the command reported success (BACKOFF_HINT)");
	outcome.evidence.hint.verdict = VERDICT_PASS;
	reason_is(outcome, "the command reported a pass (BACKOFF_HINT)");
	outcome = (struct outcome) { .kind = OUTCOME_EXITED,
		.rule = RULE_NO_MATCH };
	reason_is(outcome, "exit 0 (no line matches --success-if)");
}

/* The rule of the user's that made it a stop or a success. */
TEST(rules)
{
	struct outcome outcome = { .kind = OUTCOME_EXITED, .status = 7 };

	outcome.rule = RULE_STOP_ON;
	reason_is(outcome, "exit 7 (--stop-on)");
	outcome.rule = RULE_SUCCESS_ON;
	reason_is(outcome, "exit 7 (--success-on)");
	outcome.rule = RULE_UNLISTED;
	reason_is(outcome, "exit 7 (not in --retry-on)");
	outcome.rule = RULE_UNMATCHED;
	reason_is(outcome, "exit 7 (no line matches --retry-if)");
	outcome.rule = RULE_CODES;
	reason_is(outcome, "exit 7");
	outcome = (struct outcome) { .kind = OUTCOME_TIMED_OUT,
		.limit_ns = NS_PER_S,
		.rule = RULE_UNLISTED };
	reason_is(outcome, "timed out after 1s (not in --retry-on)");
	outcome = (struct outcome) {
		.kind = OUTCOME_KILLED, .signal = SIGKILL, .rule = RULE_STOP_ON
	};
	reason_is(outcome, "killed by KILL (--stop-on)");
	outcome = outcome_not_started(EAGAIN);
	outcome.rule = RULE_UNLISTED;
	reason_is(
	    outcome, "Resource temporarily unavailable (not in --retry-on)");
	outcome = (struct outcome) { .kind = OUTCOME_TIMED_OUT,
		.limit_ns = 5 * NS_PER_MIN,
		.was_silent = true };
	reason_is(outcome, "timed out after 5m without output");
}

/* A long quote does not crowd out the rest of the line. */
TEST(bounds)
{
	static char long_text[4300];
	struct loop_state state = a_moment();

	memset(long_text, 'x', sizeof long_text - 1);
	state.outcome.rule = RULE_MATCH;
	state.outcome.evidence.match.verdict = VERDICT_RETRY;
	state.outcome.evidence.match.pattern = long_text;
	state.outcome.evidence.match.last_line = long_text;
	attempt_is(&state, &eight, NS_PER_S, buffer);
	ok(strlen(buffer) < 400, "what is quoted is cut off");
	ok(strstr(buffer, "xxx...\"; next in 1s") != NULL,
	    "and the line goes on behind it");
	/* 117 bytes would end within the euro sign. */
	memcpy(long_text + 116, "\xe2\x82\xac", 3);
	state.outcome.evidence.match.last_line = NULL;
	attempt_is(&state, &eight, NS_PER_S, buffer);
	ok(strstr(buffer, "xxx...'; next in 1s") != NULL
	        && strstr(buffer, "\xe2") == NULL,
	    "no character is cut in two");
}

static struct repeats repeats;

/* Which failure in a row with the same REASON this one is. */
static int64_t
counted(const struct loop_state *state)
{
	repeats_count(&repeats, state);
	return repeats.count;
}

TEST(repeats)
{
	struct loop_state state = a_moment();

	for (int64_t n = 1; n <= 30; n++)
		is_int(repeats_count(&repeats, &state),
		    n <= 10           ? 0
		        : n % 10 == 0 ? 9
		                      : -1,
		    "ten have a line, then every tenth, for nine others, too");
	state.outcome.status = 8;
	is_int(counted(&state), 1, "another reason");
	is_int(counted(&state), 2, "twice");
	state.verdict = VERDICT_SUCCESS;
	is_int(counted(&state), 0, "a success is none");
	state.verdict = VERDICT_THROTTLE;
	is_int(counted(&state), 1, "and ends the row");

	state.outcome.evidence.match.last_line = "boom";
	is_int(counted(&state), 1, "a quote makes another one");
	ok(!repeats.has_same_quote, "which is new");
	state.outcome.status = 9;
	is_int(counted(&state), 1, "as another status does");
	ok(repeats.has_same_quote, "with the quote of the line before");
	state.outcome.evidence.match.last_line = NULL;
	repeats_count(&repeats, &state);
	ok(!repeats.has_same_quote, "no quote is like no other");
	state.outcome.evidence.hint = (struct hint) {
		.has_wait = true, .wait_ns = 550 * NS_PER_S, .until = "14:24:53"
	};
	attempt_is(&state, &eight, 552 * NS_PER_S,
	    "attempt 2/8 throttled: exit 9; next in 9m12s "
	    "(server asked for 9m10s, until 14:24:53)");
}

static void
notes(enum note note, const struct outcome *outcome, const struct codes *codes,
    const char *wanted)
{
	ok(note_text(fresh(), note, outcome, codes), "it is noted");
	is_string(buffer, wanted, wanted);
}

/* What --verbose notes. */
TEST(notes)
{
	struct outcome outcome = {
		.kind = OUTCOME_TIMED_OUT,
		.killed = { .reached = 1, .met = { 4711, "sleep" } },
	};
	struct codes codes = { .exact[9] = VERDICT_STOP };

	notes(NOTE_KILLED, &outcome, &codes,
	    "--kill-after had to kill sleep (4711)");
	/* Three without names: the input failed; and a signal came to us. */
	outcome.kind = OUTCOME_EXITED;
	outcome.killed = (struct census) { .reached = 3, .met = { 4711, "" } };
	notes(NOTE_KILLED, &outcome, &codes,
	    "--kill-after had to kill process 4711 and 2 more");
	outcome.end_signal = SIGTERM;
	notes(NOTE_KILLED, &outcome, &codes,
	    "--grace had to kill process 4711 and 2 more");

	outcome
	    = (struct outcome) { .kind = OUTCOME_KILLED, .signal = SIGKILL };
	notes(NOTE_SIGNAL_AS_STATUS, &outcome, &codes,
	    "9 in --stop-on is an exit status; the signal is KILL");
	codes.killed[SIGKILL] = VERDICT_RETRY;
	ok(!note_text(fresh(), NOTE_SIGNAL_AS_STATUS, &outcome, &codes),
	    "not where KILL is named too");
	codes = (struct codes) { .exact[137] = VERDICT_RETRY };
	notes(NOTE_SIGNAL_AS_STATUS, &outcome, &codes,
	    "137 in --retry-on is an exit status; the signal is KILL");
	outcome.kind = OUTCOME_EXITED;
	for (int note = 0; note < NOTES; note++)
		ok(!note_text(fresh(), (enum note)note, &outcome, &codes),
		    "nothing of that kind");
}

static void
has(const char *part, const char *what)
{
	ok(strstr(buffer, part) != NULL, what);
}

TEST(json)
{
	struct loop_state state = a_moment();

	json_attempt(fresh(), &state, 1337000000);
	is_string(buffer,
	    ",\"attempt\":2,\"outcome\":\"exited\",\"status\":7,"
	    "\"signal\":null,\"verdict\":\"retry\",\"reason\":\"exit 7\","
	    "\"line\":null,\"duration_s\":4.100000000,\"hint_s\":null,"
	    "\"pause_s\":1.337000000",
	    "attempt");
	state.outcome.kind = OUTCOME_KILLED;
	state.outcome.status = -1;
	state.outcome.signal = SIGSEGV;
	json_attempt(fresh(), &state, -1);
	has("\"outcome\":\"killed\",\"status\":null,\"signal\":\"SEGV\"",
	    "a death has a signal and no status");
	has("\"pause_s\":null", "no pause is null");
	json_attempt(fresh(), &state, PAUSE_AT_GATE);
	has("\"pause_s\":0.000000000", "  one that a gate has is 0");
	state.outcome.evidence.hint
	    = (struct hint) { .has_wait = true, .wait_ns = 1500000000 };
	json_attempt(fresh(), &state, -1);
	has(",\"hint_s\":1.500000000,\"pause_s\":null",
	    "what was asked for stands before the pause");
	state = a_moment();
	state.outcome.rule = RULE_STOP_ON;
	state.outcome.evidence.match.last_line = "a\tb";
	json_end(fresh(), &state, &eight,
	    &ENDING(.result = RESULT_STOPPED, .status = 7), "sh");
	has("\"status\":7,\"reason\":\"exit 7 (--stop-on)\","
	    "\"line\":\"a?b\",\"elapsed_s\"",
	    "an end with a reason");
}

static void
annotates(const char *kind, const char *name, const char *message,
    const char *wanted, const char *what)
{
	annotation_text(fresh(), kind, name, message);
	is_string(buffer, wanted, what);
}

TEST(annotations)
{
	char line[] = "backoff: x: ##[error]a ###[b] ##[";

	annotates("warning", "curl", "succeeded at attempt 3/8",
	    "::warning title=backoff%3A curl::succeeded at attempt 3/8",
	    "a warning");
	annotates("error", "curl", "giving up: \"100 %\"",
	    "::error title=backoff%3A curl::giving up: \"100 %25\"",
	    "an error, in which a message has its %");
	annotates("error", "a,file=x:1::b%0A", "x",
	    "::error title=backoff%3A a%2Cfile=x%3A1%3A%3Ab%250A::x",
	    "a name is no further property, and no message");
	annotates("error", "x", "a\r\n::error::b%0A::error::c",
	    "::error title=backoff%3A x::a%0D%0A::error::b%250A::error::c",
	    "no second command on a line of its own");
	annotates("error", "##[add-mask]", "##[error]y",
	    "::error title=backoff%3A #?[add-mask]::#?[error]y",
	    "no command of the older kind");
	annotation_defuse(line);
	is_string(line, "backoff: x: #?[error]a ##?[b] #?[",
	    "nor in a line of the log");
}
