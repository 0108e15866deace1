/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "options/program.h"
#include "options/rules.h"
#include "options/values.h"
#include "types/option_types.h"
#include "unit/tap.h"

const struct program program
    = { PROGRAM_BACKOFF, "option_values", 8, "", "", "", NULL };

static struct refusal refusal;

/* Checks that PARSE reads TEXT into FIELD. */
static void
takes(value_parser *parse, const char *text, void *field)
{
	refusal = (struct refusal) { .item = "" };
	if (!ok(parse(text, field, &refusal), text != NULL ? text : "alone"))
		printf("# %s\n", refusal.why);
}

/* Checks that PARSE refuses TEXT and says WHY. */
static void
refuses(value_parser *parse, const char *text, const char *why)
{
	static struct options options;

	options = (struct options) { .plan = false };
	refusal = (struct refusal) { .item = "" };
	ok(!parse(text, &options, &refusal), text);
	is_string(refusal.why, why, "is why");
}

static const char a_duration[] = "expected a duration such as 500ms, 2s or "
                                 "1m30s";

static void
test_durations(void)
{
	int64_t ns;

	takes(value_duration, "1m 30s", &ns);
	is_int(ns, 90 * NS_PER_S, "in nanoseconds");
	takes(value_duration, "inf", &ns);
	is_int(ns, DURATION_INF, "inf");
	refuses(value_duration, "1 m", a_duration);
	refuses(value_duration_above_0, "0", "expected a duration above 0");
	refuses(value_duration_above_0, "x", a_duration);
	takes(value_duration_above_0, "1ns", &ns);
	refuses(value_finite_duration, "inf", "expected a finite duration");
	takes(value_finite_duration, "0", &ns);
	is_int(ns, 0, "0");
	takes(value_timeout, "0", &ns);
	is_int(ns, DURATION_INF, "a timeout of 0 is none");
}

static void
test_until(void)
{
	int64_t ns;

	takes(value_until, "@12", &ns);
	is_int(ns, 12 * NS_PER_S, "a second of the epoch");
	takes(value_until, "@9223372036854775807", &ns);
	is_int(ns, INT64_MAX - 1, "the last one is not never");
	takes(value_until, "12:30", &ns);
	refuses(value_until, "24:00",
	    "expected a local time as HH:MM[:SS], or @SECONDS since the "
	    "epoch");
	refuses(value_until, "@", refusal.why);
}

static void
test_numbers(void)
{
	int64_t number;
	double real;
	int times = 0;
	bool flag = false;
	const char *copy;

	takes(value_count, "7", &number);
	is_int(number, 7, "7");
	refuses(value_count, "0", "expected a whole number, 1 or more");
	takes(value_attempts, "inf", &number);
	is_int(number, INT64_MAX, "inf");
	refuses(value_attempts, "0",
	    "expected a number of runs, 1 or more, or inf");
	takes(value_seed, "0", &number);
	refuses(value_seed, "9223372036854775807",
	    "expected a whole number from 0 to 9223372036854775806");
	takes(value_size, "2K", &number);
	is_int(number, 2048, "2048");
	refuses(value_size, "2KB",
	    "expected a size such as 4096, 64K, 10MiB or 1G");
	takes(value_factor, "1.5", &real);
	ok(real == 1.5, "1.5");
	refuses(value_factor, "0.9",
	    "expected a number, 1 or more, such as 1.5 or 2");
	takes(value_rate, "0.5", &real);
	refuses(
	    value_rate, "0", "expected a number above 0, such as 0.5 or 20");
	takes(value_times, NULL, &times);
	takes(value_times, NULL, &times);
	is_int(times, 2, "twice");
	takes(value_flag, NULL, &flag);
	ok(flag, "a flag");
	takes(value_text, "any", &copy);
	is_string(copy, "any", "any text");
}

/* Each word is the next value of its enum. */
static void
test_words(void)
{
	static const char *const shapes[] = { "exponential", "binary", "linear",
		"quadratic", "cubic", "fibonacci", "constant" };
	enum growth growth;
	enum cap_mode mode;
	enum log_format format;
	enum stdin_mode input;
	enum hold_what hold;
	enum watch watch;
	bool from_start;

	for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++) {
		takes(value_growth, shapes[i], &growth);
		is_int(growth, (int64_t)i, "in order");
	}
	takes(value_cap_mode, "after", &mode);
	ok(mode == CAP_AFTER, "after");
	takes(value_log_format, "json", &format);
	ok(format == LOG_JSON, "json");
	takes(value_log_format, "github", &format);
	ok(format == LOG_GITHUB, "github");
	takes(value_stdin_mode, "null", &input);
	ok(input == STDIN_NULL, "null");
	takes(value_hold, "all", &hold);
	ok(hold == HOLD_ALL, "all");
	takes(value_hold, NULL, &hold);
	ok(hold == HOLD_STDOUT, "alone it is stdout");
	takes(value_watch, "stderr", &watch);
	ok(watch == WATCH_STDERR, "stderr");
	takes(value_from, "start", &from_start);
	ok(from_start, "start");
	takes(value_from, "end", &from_start);
	ok(!from_start, "end");

	refuses(value_cap_mode, "x", "expected window, before or after");
	refuses(value_from, "", "expected end or start");
	refuses(value_growth, "lineer", "did you mean linear?");
	refuses(value_growth, "linear binary",
	    "expected exponential, binary, linear, quadratic, cubic, "
	    "fibonacci or constant");
}

static void
test_jitter(void)
{
	struct jitter jitter;
	struct range range;

	takes(value_jitter, "smooth", &jitter);
	ok(jitter.kind == JITTER_SMOOTH, "a word");
	takes(value_jitter, "0.25", &jitter);
	ok(jitter.kind == JITTER_SCALE && jitter.low == .75
	        && jitter.high == 1.25,
	    "a number");
	takes(value_jitter, "0.5..2", &jitter);
	ok(jitter.kind == JITTER_SCALE && jitter.low == .5 && jitter.high == 2,
	    "a range");
	takes(value_jitter, "1s", &jitter);
	ok(jitter.kind == JITTER_SPREAD && jitter.spread_ns == NS_PER_S,
	    "a duration");
	takes(value_jitter, "+1s", &jitter);
	ok(jitter.kind == JITTER_ADD, "to be added");
	refuses(
	    value_jitter, "2..1", "expected LOW..HIGH with LOW not above HIGH");
	refuses(value_jitter, "smoth", "did you mean smooth?");
	refuses(value_jitter, "1.5",
	    "expected none, full, equal, decorrelated, smooth, a number up "
	    "to 1, a range such as 0.5..1.5, or a duration such as 1s or "
	    "+1s");

	takes(value_splay, "30s", &range);
	ok(range.low_ns == 0 && range.high_ns == 30 * NS_PER_S, "up to it");
	takes(value_splay, "1s..2s", &range);
	ok(range.low_ns == NS_PER_S && range.high_ns == 2 * NS_PER_S, "both");
	refuses(value_splay, "2s..1s",
	    "expected LOW..HIGH with LOW not above HIGH");
	refuses(value_splay, "1s..inf",
	    "expected a duration such as 30s, or a range such as 1s..10s");
}

static void
test_delays(void)
{
	static const char expected[]
	    = "expected a list of durations such as 15s,30s,3m";
	struct policy policy = { .delays_ns = NULL };
	struct outages outages;

	takes(value_delays, "1s, 2m 3s,4", &policy);
	is_int((int64_t)policy.delays, 3, "three");
	is_int(policy.delays_ns[1], 123 * NS_PER_S, "the second");
	takes(value_delays, "5s", &policy);
	is_int((int64_t)policy.delays, 1, "instead of the first list");
	value_free_delays(&policy);
	ok(policy.delays_ns == NULL && policy.delays == 0, "none");
	refuses(value_delays, "1s,inf", expected);
	takes(value_outages, "45s, 5m", &outages);
	is_int((int64_t)outages.count, 2, "two outages");
	is_int(outages.ns[1], 5 * NS_PER_MIN, "the second");
	takes(
	    value_outages, "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", &outages);
	is_int(outages.ns[15], 16 * NS_PER_S, "the last");
	refuses(value_outages, "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
	    "expected at most 16 durations");
	refuses(value_outages, "1s,", expected);
	refuses(value_delays, "1s,", expected);
	refuses(value_delays, "1s ,2s", expected);
	refuses(value_delays, "1s 2s", expected);
}

static void
test_signals(void)
{
	int number;

	takes(value_signal, "SIGKILL", &number);
	is_int(number, SIGKILL, "KILL");
	refuses(value_signal, "TREM", "did you mean TERM?");
	refuses(value_signal, "0", "expected a signal such as TERM or 15");
	takes(value_wake_signal, "USR1", &number);
	is_int(number, SIGUSR1, "USR1");
	refuses(value_wake_signal, "KILL",
	    "expected HUP, USR1, USR2, ALRM, WINCH, IO or a real-time "
	    "signal");
}

static void
test_codes(void)
{
	struct rules rules = { .listed_only = false };

	takes(value_stop_on, "7", &rules);
	ok(rules.codes.exact[7] == VERDICT_STOP && !rules.listed_only, "7");
	takes(value_retry_on, "4-6, KILL", &rules);
	ok(rules.codes.range[5] == VERDICT_RETRY && rules.listed_only,
	    "nothing else is retried");
	refusal = (struct refusal) { .item = "" };
	ok(!value_pass_on("1, 5-9", &rules, &refusal), "an overlap");
	is_string(refusal.item, "5-9", "the item");
	is_string(refusal.why, "5 is in both --retry-on and --pass-on",
	    "the status, and both options");
	ok(!value_throttle_on("SIGKILL", &rules, &refusal), "a signal");
	is_string(refusal.why,
	    "SIGKILL is in both --retry-on and --throttle-on", "its name");
	refuses(value_success_on, "timout", "did you mean timeout?");
	refuses(value_success_on, "1,,2",
	    "expected codes such as 7, 4-7, nonzero, TERM, timeout or "
	    "EX_TEMPFAIL");
}

static void
test_known(void)
{
	static struct options options;

	takes(value_preset, "tcp", &options.preset);
	ok(!value_preset("tcp", &options.preset, &refusal), "a second one");
	is_string(refusal.why, "expected one preset", "is one too many");
	options.preset = NULL;
	ok(!value_preset("k8s", &options.preset, &refusal), "a nickname");
	is_string(refusal.why, "did you mean kubernetes or kubernetes-job?",
	    "names both");
	takes(value_tool, "curl", &options);
	ok(options.job.tool != NULL && options.settings.rules.tool_asked,
	    "a tool");
	takes(value_tool, NULL, &options);
	ok(options.job.tool == NULL, "to be found by COMMAND");
	refuses(value_tool, "crul", "did you mean curl?");
	refuses(value_tool, "nothing",
	    "expected the name of a tool; --tool=list prints all");
}

int
main(void)
{
	test_durations();
	test_until();
	test_numbers();
	test_words();
	test_jitter();
	test_delays();
	test_signals();
	test_codes();
	test_known();
	return done();
}
