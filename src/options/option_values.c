/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/duration.h"
#include "core/exit_codes.h"
#include "core/schedule.h"
#include "options/option_types.h"
#include "options/option_values.h"
#include "process/clock.h"

static const char a_duration[]
    = "expected a duration such as 500ms, 2s or 1m30s";

const char *
value_duration(const char *text, void *field)
{
	return duration_parse(text, field) ? NULL : a_duration;
}

const char *
value_duration_above_0(const char *text, void *field)
{
	int64_t *ns = field;

	if (!duration_parse(text, ns))
		return a_duration;
	return *ns > 0 ? NULL : "expected a duration above 0";
}

const char *
value_finite_duration(const char *text, void *field)
{
	int64_t *ns = field;

	if (!duration_parse(text, ns))
		return a_duration;
	return *ns < DURATION_INF ? NULL : "expected a duration that ends";
}

const char *
value_timeout(const char *text, void *field)
{
	int64_t *ns = field;

	if (!duration_parse(text, ns))
		return a_duration;
	if (*ns == 0)
		*ns = DURATION_INF;
	return NULL;
}

/* "HH:MM" or "HH:MM:SS" into the time of day of TM. */
static bool
parse_time_of_day(const char *text, struct tm *tm)
{
	int *fields[] = { &tm->tm_hour, &tm->tm_min, &tm->tm_sec };
	static const int limits[] = { 24, 60, 60 };

	tm->tm_sec = 0;
	for (int i = 0; i < 3; i++) {
		if (text[0] < '0' || text[0] > '9' || text[1] < '0'
		    || text[1] > '9')
			return false;
		*fields[i] = (text[0] - '0') * 10 + (text[1] - '0');
		if (*fields[i] >= limits[i])
			return false;
		text += 2;
		if (*text == '\0')
			return i > 0;
		if (*text++ != ':')
			return false;
	}
	return false;
}

const char *
value_until(const char *text, void *field)
{
	static const char expected[]
	    = "expected a local time as HH:MM[:SS], or @SECONDS since the "
	      "epoch";
	int64_t *until_ns = field;
	time_t now = (time_t)(clock_epoch_ns() / NS_PER_S);
	time_t then;
	struct tm tm;

	if (text[0] == '@') {
		if (!count_parse(text + 1, until_ns))
			return expected;
		*until_ns = saturating_multiply(*until_ns, NS_PER_S);
		/* INT64_MAX is none. */
		*until_ns -= *until_ns == INT64_MAX;
		return NULL;
	}
	tzset();
	if (localtime_r(&now, &tm) == NULL || !parse_time_of_day(text, &tm))
		return expected;
	tm.tm_isdst = -1;
	then = mktime(&tm);
	if (then <= now) {
		tm.tm_mday++;
		tm.tm_isdst = -1;
		then = mktime(&tm);
	}
	*until_ns = saturating_multiply(then, NS_PER_S);
	return NULL;
}

const char *
value_count(const char *text, void *field)
{
	int64_t *count = field;

	return count_parse(text, count) && *count > 0
	    ? NULL
	    : "expected a whole number, 1 or more";
}

const char *
value_attempts(const char *text, void *field)
{
	int64_t *count = field;

	if (strcmp(text, "inf") == 0) {
		*count = INT64_MAX;
		return NULL;
	}
	return value_count(text, field) == NULL
	    ? NULL
	    : "expected a number of runs, 1 or more, or inf";
}

const char *
value_seed(const char *text, void *field)
{
	int64_t *seed = field;

	return count_parse(text, seed) && *seed < INT64_MAX
	    ? NULL
	    : "expected a whole number from 0 to 9223372036854775806";
}

const char *
value_size(const char *text, void *field)
{
	return size_parse(text, field)
	    ? NULL
	    : "expected a size such as 4096, 64K, 10MiB or 1G";
}

const char *
value_factor(const char *text, void *field)
{
	double *factor = field;

	return number_parse(text, factor) && *factor >= 1
	    ? NULL
	    : "expected a number, 1 or more";
}

const char *
value_rate(const char *text, void *field)
{
	double *rate = field;

	return number_parse(text, rate) && *rate > 0
	    ? NULL
	    : "expected a number above 0";
}

const char *
value_signal(const char *text, void *field)
{
	int *signal = field;

	*signal = signal_parse(text);
	return *signal > 0 ? NULL : "expected a signal such as TERM or 15";
}

const char *
value_wake_signal(const char *text, void *field)
{
	int *signal = field;

	*signal = signal_parse(text);
	switch (*signal) {
	case SIGHUP:
	case SIGUSR1:
	case SIGUSR2:
	case SIGALRM:
	case SIGWINCH:
	case SIGIO:
		return NULL;
	default:
		if (*signal >= SIGRTMIN && *signal <= SIGRTMAX)
			return NULL;
		return "expected HUP, USR1, USR2, ALRM, WINCH, IO or a "
		       "real-time signal";
	}
}

/* The place of TEXT in a list of words that ends with NULL, or -1. */
static int
place(const char *text, const char *const *words)
{
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	return -1;
}

const char *
value_growth(const char *text, void *field)
{
	static const char *const words[] = { "exponential", "binary", "linear",
		"quadratic", "cubic", "fibonacci", "constant", NULL };
	int found = place(text, words);

	*(enum growth *)field = (enum growth)found;
	return found >= 0 ? NULL
	                  : "expected exponential, binary, linear, "
	                    "quadratic, cubic, fibonacci or constant";
}

const char *
value_cap_mode(const char *text, void *field)
{
	static const char *const words[]
	    = { "window", "before", "after", NULL };
	int found = place(text, words);

	*(enum cap_mode *)field = (enum cap_mode)found;
	return found >= 0 ? NULL : "expected window, before or after";
}

const char *
value_log_format(const char *text, void *field)
{
	static const char *const words[] = { "text", "json", NULL };
	int found = place(text, words);

	*(enum log_format *)field = (enum log_format)found;
	return found >= 0 ? NULL : "expected text or json";
}

const char *
value_stdin_mode(const char *text, void *field)
{
	static const char *const words[]
	    = { "replay", "inherit", "null", NULL };
	int found = place(text, words);

	*(enum stdin_mode *)field = (enum stdin_mode)found;
	return found >= 0 ? NULL : "expected replay, inherit or null";
}

const char *
value_hold(const char *text, void *field)
{
	static const char *const words[] = { "stdout", "all", NULL };
	int found = text == NULL ? 0 : place(text, words);

	*(enum hold_what *)field = found == 0 ? HOLD_STDOUT : HOLD_ALL;
	return found >= 0 ? NULL : "expected stdout or all";
}

const char *
value_from(const char *text, void *field)
{
	static const char *const words[] = { "end", "start", NULL };
	int found = place(text, words);

	*(bool *)field = found == 1;
	return found >= 0 ? NULL : "expected end or start";
}

/* "1s" or "+1s": the unit tells it from the number of a scale. */
static bool
parse_time_jitter(const char *text, struct jitter *jitter)
{
	bool plus = text[0] == '+';
	bool with_unit;
	const char *rest
	    = duration_scan(text + plus, &jitter->spread_ns, &with_unit);

	jitter->kind = plus ? JITTER_ADD : JITTER_SPREAD;
	return rest != NULL && *rest == '\0' && with_unit
	    && jitter->spread_ns < DURATION_INF;
}

/* "0.2" is 0.8..1.2. */
static const char *
parse_scale(const char *text, struct jitter *jitter, const char *expected)
{
	const char *rest = number_scan(text, &jitter->low);

	jitter->kind = JITTER_SCALE;
	if (rest != NULL && *rest == '\0' && jitter->low <= 1) {
		jitter->high = 1 + jitter->low;
		jitter->low = 1 - jitter->low;
		return NULL;
	}
	if (rest == NULL || strncmp(rest, "..", 2) != 0
	    || !number_parse(rest + 2, &jitter->high))
		return expected;
	return jitter->low <= jitter->high
	    ? NULL
	    : "expected LOW..HIGH with LOW not above HIGH";
}

const char *
value_jitter(const char *text, void *field)
{
	static const char *const words[]
	    = { "none", "full", "equal", "decorrelated", "smooth", NULL };
	static const char expected[]
	    = "expected none, full, equal, decorrelated, smooth, a number up "
	      "to 1, a range such as 0.5..1.5, or a duration such as 1s or "
	      "+1s";
	struct jitter *jitter = field;
	int found = place(text, words);

	if (found >= 0) {
		jitter->kind = (enum jitter_kind)found;
		return NULL;
	}
	if (parse_time_jitter(text, jitter))
		return NULL;
	return parse_scale(text, jitter, expected);
}

const char *
value_splay(const char *text, void *field)
{
	static const char expected[]
	    = "expected a duration such as 30s, or a range such as 1s..10s";
	struct range *range = field;
	bool with_unit;
	const char *rest = duration_scan(text, &range->high_ns, &with_unit);

	range->low_ns = 0;
	if (rest == NULL)
		return expected;
	if (strncmp(rest, "..", 2) == 0) {
		range->low_ns = range->high_ns;
		rest = duration_scan(rest + 2, &range->high_ns, &with_unit);
	}
	if (rest == NULL || *rest != '\0' || range->high_ns == DURATION_INF)
		return expected;
	return range->low_ns <= range->high_ns
	    ? NULL
	    : "expected LOW..HIGH with LOW not above HIGH";
}

const char *
value_text(const char *text, void *field)
{
	*(const char **)field = text;
	return NULL;
}
