/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>

#include "core/base/base.h"
#include "options/options.h"
#include "types/option_types.h"
#include "unit/tap.h"

const struct program program
    = { PROGRAM_BACKOFF, "option_values", 8, "", "", "", "" };

/* Checks that PARSE reads TEXT into FIELD. */
static void
takes(value_parser *parse, const char *text, void *field)
{
	refusal = (struct refusal) { .item = "" };
	if (!ok(parse(text, field), text != NULL ? text : "alone"))
		printf("# %s\n", refusal.why);
}

/* Checks that PARSE reads TEXT as this number, of 64 bits. */
static void
reads(value_parser *parse, const char *text, int64_t wanted)
{
	int64_t number = -1;

	takes(parse, text, &number);
	is_int(number, wanted, "is its value");
}

/* Checks that PARSE reads TEXT as this number, an int or an enum. */
static void
reads_word(value_parser *parse, const char *text, int wanted)
{
	int number = -1;

	takes(parse, text, &number);
	is_int(number, wanted, "is its value");
}

/* Checks that PARSE refuses TEXT and says WHY. */
static void
refuses(value_parser *parse, const char *text, const char *why)
{
	static struct options options;

	options = (struct options) { .plan = false };
	refusal = (struct refusal) { .item = "" };
	ok(!parse(text, &options), text);
	is_string(refusal.why, why, "is why");
}

/* What each parser refuses; durations, sizes, codes, signals and expressions
 * have tests of their own. */
TEST(bad_values)
{
	static const struct {
		value_parser *parse;
		const char *texts[24];
	} all[] = {
		{ value_factor,
		    { "", "abc", "0", "0.999999", "-2", "1,5", "0x2", "2x",
		        "nan", "inf", ".", "1e3", "2 " } },
		{ value_share, { "", "%", "-1", "1", "100%", "5%%", "x" } },
		{ value_rate_limit,
		    { "", "0", "-1", "20,", "20,-1", "20,x", "20 ", ",5" } },
		{ value_attempts,
		    { "", "abc", "00", "-1", "1.5", "6x", "0x6", "infinite",
		        "INF", "1,2", "6 ", "nan" } },
		{ value_count, { "", "abc", "-1", "1.5", "inf", "2x" } },
		{ value_seed, { "", "abc", "-1", "1.5", "0x10", "1,2", "1 " } },
		{ value_status, { "", "abc", "256", "-1", "1.5", "inf" } },
		{ value_until, { "", "25:00", "2026-01-01", "@abc", "@1e9" } },
		{ value_delays,
		    { "", ",", ",1s", "1s,,2s", "abc", "1s,abc", "-1s", "1s;2s",
		        "1..2", " 1s", "1s,2s ", "1 s,2s", "1s ,2s", "1s, " } },
		{ value_jitter,
		    { "", "fully", "Full", "2", "-0.1", "-1s", "50%", "+",
		        "+abc", "+-1s", "0.5..", "..1.5", "0.5..abc", "-1..1",
		        "0.5..1.5..2", "1s..2s", "0,5", "nan", "inf" } },
		{ value_splay,
		    { "", "abc", "inf", "1s..", "..1s", "a..b", "1s..b",
		        "1s..2s..3s", "-1s..1s", "1s,2s" } },
		{ value_growth, { "", "abc", "Linear", "linear,", "2" } },
		{ value_cap_mode, { "", "Window", "before,after", "wind" } },
		{ value_slot_time, { "", "0", "Base", "1s,2s" } },
		{ value_from, { "middle", "End", "1s" } },
		{ value_log_format,
		    { "", "JSON", "txt", "yaml", "text,json" } },
		{ value_stdin_mode,
		    { "", "Replay", "replay,", "file", "-", "0" } },
		{ value_hold, { "", "Stdout", "stderr", "stdout,", "none" } },
		{ value_signal, { "SIGFOO", "-9", "TERM,INT", "1.5" } },
		{ value_wake_signal,
		    { "", "abc", "0", "65", "USR1,USR2", "SIGSTOP", "TERM" } },
	};
	static struct options options;

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
		for (size_t j = 0;
		     j < ARRAY_LENGTH(all[i].texts) && all[i].texts[j] != NULL;
		     j++) {
			options = (struct options) { .plan = false };
			refusal = (struct refusal) { .item = "" };
			ok(!all[i].parse(all[i].texts[j], &options)
			        && refusal.why[0] != '\0',
			    all[i].texts[j]);
		}
}

TEST(durations)
{
	reads(value_duration, "1m 30s", 90 * NS_PER_S);
	reads(value_duration, "inf", DURATION_INF);
	refuses(value_duration, "1 m",
	    "expected a duration such as 500ms, 2s or 1m30s");
	refuses(value_duration_above_0, "0",
	    "expected a duration above 0, such as 500ms, 2s or 1m30s");
	reads(value_duration_above_0, "1ns", 1);
	refuses(value_finite_duration, "inf",
	    "expected a finite duration such as 500ms, 2s or 1m30s");
	reads(value_finite_duration, "0", 0);
	/* A timeout of 0 is none. */
	reads(value_timeout, "0", DURATION_INF);
}

TEST(until)
{
	int64_t ns;

	reads(value_until, "@12", 12 * NS_PER_S);
	/* The last second is not never. */
	reads(value_until, "@9223372036854775807", INT64_MAX - 1);
	takes(value_until, "12:30", &ns);
	refuses(value_until, "24:00",
	    "expected a local time as HH:MM[:SS], or @SECONDS since the "
	    "epoch");
}

TEST(numbers)
{
	double real;
	int times = 0;
	bool flag = false;
	const char *copy;

	reads(value_count, "7", 7);
	refuses(value_count, "0", "expected a whole number, 1 or more");
	reads(value_attempts, "inf", INT64_MAX);
	refuses(value_attempts, "0",
	    "expected a number of runs, 1 or more, or inf");
	reads(value_seed, "0", 0);
	refuses(value_seed, "9223372036854775807",
	    "expected a whole number from 0 to 9223372036854775806");
	reads(value_size, "2K", 2048);
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
TEST(words)
{
	static const char *const shapes[] = { "exponential", "binary", "linear",
		"quadratic", "cubic", "fibonacci", "constant" };
	bool from_start;

	for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++)
		reads_word(value_growth, shapes[i], (int)i);
	reads_word(value_cap_mode, "after", CAP_AFTER);
	reads_word(value_log_format, "json", LOG_JSON);
	reads_word(value_log_format, "github", LOG_GITHUB);
	reads_word(value_stdin_mode, "null", STDIN_NULL);
	reads_word(value_hold, "all", HOLD_ALL);
	/* Alone. */
	reads_word(value_hold, NULL, HOLD_STDOUT);
	takes(value_from, "start", &from_start);
	ok(from_start, "start");
	takes(value_from, "end", &from_start);
	ok(!from_start, "end");

	refuses(value_from, "", "expected end or start");
	refuses(value_growth, "linear binary",
	    "expected exponential, binary, linear, quadratic, cubic, "
	    "fibonacci or constant");
}

TEST(jitter)
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

TEST(delays)
{
	static const char expected[]
	    = "expected a list of durations such as 15s,30s,3m";
	struct policy policy = { .delays_ns = NULL };

	takes(value_delays, "1s, 2m 3s,4", &policy);
	is_int((int64_t)policy.delays, 3, "three");
	is_int(policy.delays_ns[1], 123 * NS_PER_S, "the second");
	takes(value_delays, "5s", &policy);
	is_int((int64_t)policy.delays, 1, "instead of the first list");
	refuses(value_delays, "1s,inf", expected);
}

TEST(signals)
{
	reads_word(value_signal, "SIGKILL", SIGKILL);
	refuses(value_signal, "0", "expected a signal such as TERM or 15");
	reads_word(value_wake_signal, "USR1", SIGUSR1);
	refuses(value_wake_signal, "KILL",
	    "expected HUP, USR1, USR2, ALRM, WINCH, IO or a real-time "
	    "signal");
}

TEST(defer)
{
	struct defer_options defer;

	takes(value_defer, "hub", &defer);
	ok(defer.limits.low_ns == NS_PER_MIN
	        && defer.limits.high_ns == 60 * NS_PER_MIN,
	    "from a minute to an hour");
	takes(value_defer, "hub:5s..8s", &defer);
	ok(defer.limits.low_ns == 5 * NS_PER_S
	        && defer.limits.high_ns == 8 * NS_PER_S,
	    "or as it says");
	is_string(defer.name, "hub", "its name");
}

/* Checks that A and B cannot both have these codes, and what is said of it. */
static void
overlap(value_parser *a, const char *a_text, value_parser *b,
    const char *b_text, const char *item, const char *why)
{
	struct rules rules = { .listed_only = false };

	takes(a, a_text, &rules);
	ok(!b(b_text, &rules), b_text);
	is_string(refusal.item, item, "the item");
	is_string(refusal.why, why, "both options");
}

TEST(codes)
{
	static const char *const words[]
	    = { "timeout", "start", "nonzero", "signal", "any" };
	struct rules rules = { .listed_only = false };

	takes(value_stop_on, "7", &rules);
	ok(rules.codes.exact[7] == VERDICT_STOP && !rules.listed_only, "7");
	takes(value_retry_on, "4-6, KILL", &rules);
	ok(rules.codes.range[5] == VERDICT_RETRY && rules.listed_only,
	    "nothing else is retried");
	overlap(value_retry_on, "4-7", value_pass_on, "1, 5-9", "5-9",
	    "5 is in both --retry-on and --pass-on");
	overlap(value_success_on, "7", value_stop_on, "1,7", "7",
	    "7 is in both --success-on and --stop-on");
	overlap(value_pass_on, "75", value_stop_on, "EX_TEMPFAIL",
	    "EX_TEMPFAIL", "EX_TEMPFAIL is in both --pass-on and --stop-on");
	overlap(value_retry_on, "KILL", value_throttle_on, "SIGKILL", "SIGKILL",
	    "SIGKILL is in both --retry-on and --throttle-on");
	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		overlap(value_retry_on, words[i], value_stop_on, words[i],
		    words[i],
		    JOINED(
		        64, words[i], " is in both --retry-on and --stop-on"));
	refuses(value_success_on, "1,,2",
	    "expected codes such as 7, 4-7, nonzero, TERM, timeout or "
	    "EX_TEMPFAIL");
}

TEST(known)
{
	static struct options options;

	takes(value_preset, "tcp", &options.preset);
	ok(!value_preset("tcp", &options.preset), "a second one");
	is_string(refusal.why, "expected only one preset", "is one too many");
	options.preset = NULL;
	ok(!value_preset("k8s", &options.preset), "a nickname");
	is_string(refusal.why,
	    "expected the name of a preset; --preset=list prints all",
	    "is none");
	takes(value_tool, "curl", &options);
	ok(options.job.tool != NULL, "a tool");
	takes(value_tool, NULL, &options);
	ok(options.job.tool == NULL, "to be found by COMMAND");
	refuses(value_tool, "nothing",
	    "expected the name of a tool; --tool=list prints all");
}
