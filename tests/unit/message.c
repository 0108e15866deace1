/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>

#include "core/duration.h"
#include "core/json.h"
#include "core/message.h"
#include "tap.h"

static char buffer[1024];

static const struct limits six = { .attempts = 6, .consecutive = 3 };
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
attempt_is(const struct loop_state *state, const struct limits *limits,
    int64_t pause_ns, const char *wanted)
{
	struct text text = text_in(buffer, sizeof buffer);

	message_attempt(&text, state, limits, pause_ns);
	is_string(buffer, wanted, wanted);
}

static void
end_is(struct loop_state state, struct ending ending, const char *wanted)
{
	struct text text = text_in(buffer, sizeof buffer);

	message_end(&text, &state, &six, &ending, "curl");
	is_string(buffer, wanted, wanted);
}

static void
test_attempts(void)
{
	struct loop_state state = a_moment();

	attempt_is(&state, &six, 2100 * NS_PER_MS,
	    "attempt 2/6 failed after 4.1s: exit 7; next in 2.1s");
	attempt_is(&state, &six, -1, "");
	attempt_is(&state, &unlimited, 0,
	    "attempt 2 failed after 4.1s: exit 7; next in 0s");
	state.attempt = 7;
	state.count = 1;
	attempt_is(&state, &six, NS_PER_S,
	    "attempt 7 (1/6) failed after 4.1s: exit 7; next in 1s");
	state = a_moment();
	state.verdict = VERDICT_THROTTLE;
	attempt_is(&state, &six, 9 * NS_PER_S,
	    "attempt 2/6 throttled: exit 7; next in 9s");
	state.verdict = VERDICT_SUCCESS;
	state.streak = 1;
	attempt_is(&state, &six, NS_PER_S,
	    "attempt 2/6 succeeded, 1 of 3 in a row; next in 1s");
}

static void
test_ends(void)
{
	struct loop_state state = a_moment();
	struct loop_state first = a_moment();
	struct loop_state none = { .attempt = 0 };

	first.attempt = first.count = 1;
	first.elapsed_ns = 100 * NS_PER_MS;
	end_is(state, (struct ending) { .result = RESULT_EXHAUSTED },
	    "giving up after 2 attempts in 21.4s: exit 7");
	end_is(first, (struct ending) { .result = RESULT_EXHAUSTED },
	    "giving up after 1 attempt in 100ms: exit 7");
	end_is(first, (struct ending) { .result = RESULT_STOPPED },
	    "not retrying after attempt 1/6: exit 7");
	end_is(state, (struct ending) { .result = RESULT_DEADLINE },
	    "deadline reached after 2 attempts in 21.4s: exit 7");
	end_is(state,
	    (struct ending) { .result = RESULT_DEADLINE, .no_time = true },
	    "no time for another attempt after 2 in 21.4s: exit 7");
	end_is(none, (struct ending) { .result = RESULT_DEADLINE },
	    "deadline reached after 0 attempts in 0s");
	end_is(state,
	    (struct ending) {
	        .result = RESULT_INTERRUPTED, .interrupted_by = SIGTERM },
	    "interrupted by TERM after 2 attempts in 21.4s");
	end_is(state, (struct ending) { .result = RESULT_SUCCESS },
	    "succeeded at attempt 2/6 in 21.4s");
	end_is(state, (struct ending) { .result = RESULT_PASS }, "");
	end_is(state,
	    (struct ending) { .result = RESULT_STOPPED,
	        .vetoed = true,
	        .hook = { .kind = OUTCOME_EXITED, .status = 1 } },
	    "not retrying after attempt 2/6: hook said no (exit 1)");
	state.streak = 1;
	state.verdict = VERDICT_SUCCESS;
	end_is(state, (struct ending) { .result = RESULT_EXHAUSTED },
	    "giving up after 2 attempts in 21.4s: succeeded, 1 of 3 in a row");
	first.outcome = outcome_not_started(ENOENT);
	end_is(first, (struct ending) { .result = RESULT_STOPPED },
	    "not retrying after attempt 1/6: not found (a shell function or "
	    "builtin? try: backoff bash -c '...')");
}

static void
reason_is(struct outcome outcome, const char *wanted)
{
	struct text text = text_in(buffer, sizeof buffer);

	message_reason(&text, &outcome);
	is_string(buffer, wanted, wanted);
}

/* What is known of the status stands behind it, wherever that stands. */
static void
test_meaning(void)
{
	struct outcome outcome = {
		.kind = OUTCOME_EXITED,
		.status = 7,
		.evidence.tool = { VERDICT_RETRY, "could not connect to host" },
	};

	reason_is(outcome, "exit 7 (could not connect to host)");
	outcome.evidence.match.last_line = "";
	reason_is(outcome, "exit 7 (could not connect to host)");
	outcome.evidence.match.last_line = "curl: (7)";
	reason_is(outcome, "exit 7 (could not connect to host) \"curl: (7)\"");
	outcome.evidence.match.missing = true;
	reason_is(outcome, "exit 7 (could not connect to host) \"curl: (7)\"");
	outcome.evidence.match.verdict = VERDICT_STOP;
	outcome.evidence.match.pattern = "URL";
	reason_is(outcome, "output matches 'URL' \"curl: (7)\"");
	outcome.evidence.hint.verdict = VERDICT_RETRY;
	reason_is(outcome, "COMMAND asked to retry \"curl: (7)\"");
	outcome = (struct outcome) { .kind = OUTCOME_EXITED,
		.evidence.match.missing = true };
	reason_is(outcome, "exit 0 (no line matches --success-if)");
}

static void
test_json(void)
{
	struct text text = text_in(buffer, sizeof buffer);
	struct loop_state state = a_moment();
	int64_t time = INT64_C(1795261200123456789);

	json_start(&text, time, "an id", "na\"me", "curl", &six);
	is_string(buffer,
	    "{\"time\":\"2026-11-21T11:40:00.123Z\",\"event\":\"start\","
	    "\"id\":\"an id\",\"name\":\"na\\\"me\",\"command\":\"curl\","
	    "\"attempts\":6}",
	    "start");
	text = text_in(buffer, sizeof buffer);
	json_start(&text, time, "i", "n", "c", &unlimited);
	ok(strstr(buffer, "\"attempts\":null}") != NULL, "inf is null");
	text = text_in(buffer, sizeof buffer);
	json_attempt(&text, time, "i", &state, 1337000000);
	is_string(buffer,
	    "{\"time\":\"2026-11-21T11:40:00.123Z\",\"event\":\"attempt\","
	    "\"id\":\"i\",\"attempt\":2,\"outcome\":\"exited\",\"status\":7,"
	    "\"signal\":null,\"verdict\":\"retry\",\"reason\":\"exit 7\","
	    "\"duration_s\":4.100000000,\"pause_s\":1.337000000}",
	    "attempt");
	state.outcome.kind = OUTCOME_KILLED;
	state.outcome.status = -1;
	state.outcome.signal = SIGSEGV;
	text = text_in(buffer, sizeof buffer);
	json_attempt(&text, time, "i", &state, -1);
	ok(strstr(buffer,
	       "\"outcome\":\"killed\",\"status\":null,\"signal\":\"SEGV\"")
	        != NULL,
	    "a death has a signal and no status");
	ok(strstr(buffer, "\"pause_s\":null}") != NULL, "no pause is null");
	text = text_in(buffer, sizeof buffer);
	json_end(&text, time, "i", &state,
	    &(struct ending) { .result = RESULT_SUCCESS });
	is_string(buffer,
	    "{\"time\":\"2026-11-21T11:40:00.123Z\",\"event\":\"end\","
	    "\"id\":\"i\",\"result\":\"success\",\"attempts\":2,\"status\":0,"
	    "\"elapsed_s\":21.400000000}",
	    "end");
}

/* Two sizes that read alike are told apart. */
static void
test_spool_limit(void)
{
	struct loop_state state = a_moment();
	struct ending ending = { .result = RESULT_STOPPED, .input_lost = true };
	struct limits limits = six;
	struct text text = text_in(buffer, sizeof buffer);

	limits.spool_limit = 65536;
	state.outcome.evidence.input.taken = 131072;
	message_end(&text, &state, &limits, &ending, "curl");
	is_string(buffer,
	    "not retrying after attempt 2/6: it read 128KiB of stdin, "
	    "--spool-limit is 64KiB",
	    "what was read, and the limit");
	state.outcome.evidence.input.taken = 65537;
	text = text_in(buffer, sizeof buffer);
	message_end(&text, &state, &limits, &ending, "curl");
	is_string(buffer,
	    "not retrying after attempt 2/6: it read over 64KiB of stdin, "
	    "--spool-limit is 64KiB",
	    "a little more");
}

int
main(void)
{
	test_attempts();
	test_ends();
	reason_is(
	    (struct outcome) { .kind = OUTCOME_KILLED, .signal = SIGSEGV },
	    "killed by SEGV");
	reason_is((struct outcome) { .kind = OUTCOME_TIMED_OUT,
	              .limit_ns = 10 * NS_PER_S },
	    "timed out after 10s");
	reason_is(outcome_not_started(EACCES), "Permission denied");
	test_meaning();
	test_json();
	test_spool_limit();
	return done();
}
