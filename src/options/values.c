/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/base.h"
#include "core/judge/outcome.h"
#include "core/known/known.h"
#include "core/waits/waits.h"
#include "options/options.h"
#include "streams/streams.h"
#include "system/system.h"

/* With a service that always fails, the simulation would never end. */
#define MOST_SHARE 0.99

struct refusal refusal;

/* Sets why, and returns false. */
static bool
refuse(const char *why)
{
	text_copy(refusal.why, sizeof refusal.why, why);
	return false;
}

/* A parser that returns what READ does, which sets *VALUE. */
#define PARSER(name, type, read) \
	bool value_##name(const char *text, void *field) \
	{ \
		type *value = field; \
\
		(void)text; \
		return (read); \
	}

/* The same, and says what is EXPECTED where it refuses. */
#define EXPECTS(name, type, read, expected) \
	PARSER(name, type, (read) || refuse(expected))

static bool
is_wake_signal(int signal)
{
	return signal == SIGHUP || signal == SIGUSR1 || signal == SIGUSR2
	    || signal == SIGALRM || signal == SIGWINCH || signal == SIGIO
	    || signal_is_real_time(signal);
}

/* clang-format off */
EXPECTS(duration, int64_t, duration_parse(text, value),
    "expected a duration such as 500ms, 2s or 1m30s")
EXPECTS(duration_above_0, int64_t, duration_parse(text, value) && *value > 0,
    "expected a duration above 0, such as 500ms, 2s or 1m30s")
EXPECTS(finite_duration, int64_t,
    duration_parse(text, value) && *value < DURATION_INF,
    "expected a finite duration such as 500ms, 2s or 1m30s")
PARSER(timeout, int64_t, value_duration(text, value)
        && (*value > 0 || (*value = DURATION_INF) > 0))
PARSER(slot_time, int64_t,
    (strcmp(text, "base") == 0 && (*value = SLOT_IS_BASE) != 0)
        || value_duration_above_0(text, value))
EXPECTS(size, int64_t, size_parse(text, value),
    "expected a size such as 4096, 64K, 10MiB or 1G")
EXPECTS(count, int64_t, count_parse(text, value) && *value > 0,
    "expected a whole number, 1 or more")
EXPECTS(attempts, int64_t,
    (strcmp(text, "inf") == 0 && (*value = INT64_MAX) > 0)
        || (count_parse(text, value) && *value > 0),
    "expected a number of runs, 1 or more, or inf")
EXPECTS(seed, int64_t, count_parse(text, value) && *value < INT64_MAX,
    "expected a whole number from 0 to 9223372036854775806")
EXPECTS(status, int64_t, count_parse(text, value) && *value < EXIT_CODES,
    "expected an exit status, a number from 0 to 255")
EXPECTS(factor, double, number_parse(text, value) && *value >= 1,
    "expected a number, 1 or more, such as 1.5 or 2")
EXPECTS(rate, double, number_parse(text, value) && *value > 0,
    "expected a number above 0, such as 0.5 or 20")
EXPECTS(some_text, const char *, *(*value = text) != '\0', "expected some text")
EXPECTS(signal, int, (*value = signal_parse(text)) > 0,
    "expected a signal such as TERM or 15")
EXPECTS(wake_signal, int, is_wake_signal(*value = signal_parse(text)),
    "expected HUP, USR1, USR2, ALRM, WINCH, IO or a real-time signal")
/* Nothing to refuse. */
PARSER(text, const char *, (*value = text) != NULL)
PARSER(flag, bool, (*value = true))
PARSER(times, int, ++*value > 0)
/* clang-format on */

bool
value_until(const char *text, void *field)
{
	int64_t *until_ns = field;
	int second;

	if (text[0] == '@' && count_parse(text + 1, until_ns)) {
		/* INT64_MAX would mean no limit. */
		*until_ns = min_ns(
		    saturating_multiply(*until_ns, NS_PER_S), INT64_MAX - 1);
		return true;
	}
	second = time_of_day_parse(text);
	if (second < 0)
		return refuse(
		    "expected a local time as HH:MM[:SS], or @SECONDS since "
		    "the epoch");
	*until_ns = calendar_next(second, clock_epoch_ns());
	return *until_ns >= 0 || refuse("the local time is not known");
}

/* RATE[,BURST] */
bool
value_rate_limit(const char *text, void *field)
{
	struct service *service = field;
	const char *rest = number_scan(text, &service->limit);

	service->burst = 0;
	if (rest != NULL && service->limit > 0
	    && (*rest == '\0'
	        || (*rest == ',' && number_parse(rest + 1, &service->burst))))
		return true;
	return refuse(
	    "expected a number above 0, such as 20, or 20,5 with a burst of 5");
}

/* "0.05", "5%" */
bool
value_share(const char *text, void *field)
{
	double *share = field;
	const char *rest = number_scan(text, share);

	if (rest != NULL && *rest == '%') {
		*share /= 100;
		rest++;
	}
	return (rest != NULL && *rest == '\0' && *share <= MOST_SHARE)
	    || refuse(
	        "expected a number of 0 to 0.99, or a percentage such as 5%");
}

/*
 * Which one of WORDS is TEXT; without a text, the first. Below 0: none, so
 * "expected window, before or after".
 */
static int
read_word(const char *words, const char *text)
{
	int found = text == NULL ? 0 : words_index(words, text, strlen(text));
	const char *last = strrchr(words, ' ');
	struct text expected = text_in(refusal.why, sizeof refusal.why);

	if (found >= 0)
		return found;
	text_add(&expected, "expected ");
	for (const char *at = words; *at != '\0'; at++)
		if (at == last)
			text_add(&expected, " or ");
		else if (*at == ' ')
			text_add(&expected, ", ");
		else
			text_byte(&expected, *at);
	return found;
}

/* A parser for the words of an enum. */
#define WORDS(name, type, first, words) \
	bool value_##name(const char *text, void *field) \
	{ \
		int found = read_word(words, text); \
\
		*(type *)field = (type)(found + (int)(first)); \
		return found >= 0; \
	}
#include "options/options.def"

static const char low_above_high[]
    = "expected LOW..HIGH with LOW not above HIGH";

bool
value_jitter(const char *text, void *field)
{
	struct jitter *jitter = field;
	bool plus = *text == '+';
	const char *rest;

	if (value_jitter_kind(text, &jitter->kind))
		return true;
	/* "1s" or "+1s": the unit distinguishes it from a plain number. */
	jitter->kind = plus ? JITTER_ADD : JITTER_SPREAD;
	rest = duration_scan(text + plus, &jitter->spread_ns);
	if (rest != NULL && *rest == '\0' && is_letter(rest[-1])
	    && jitter->spread_ns < DURATION_INF)
		return true;
	/* "0.2", which means 0.8..1.2, or "0.8..1.2". */
	jitter->kind = JITTER_SCALE;
	rest = number_scan(text, &jitter->low);
	if (rest != NULL && *rest == '\0' && jitter->low <= 1) {
		jitter->high = 1 + jitter->low;
		jitter->low = 1 - jitter->low;
		return true;
	}
	if (rest != NULL && strncmp(rest, "..", 2) == 0
	    && number_parse(rest + 2, &jitter->high))
		return jitter->low <= jitter->high || refuse(low_above_high);
	return refuse("expected none, full, equal, decorrelated, smooth, a "
	              "number up to 1, a range such as 0.5..1.5, or a "
	              "duration such as 1s or +1s");
}

bool
value_splay(const char *text, void *field)
{
	struct range *range = field;
	const char *rest = duration_scan(text, &range->high_ns);

	range->low_ns = 0;
	if (rest != NULL && strncmp(rest, "..", 2) == 0) {
		range->low_ns = range->high_ns;
		rest = duration_scan(rest + 2, &range->high_ns);
	}
	if (rest == NULL || *rest != '\0' || range->high_ns == DURATION_INF)
		return refuse(
		    "expected a duration such as 30s, or a range such as "
		    "1s..10s");
	return range->low_ns <= range->high_ns || refuse(low_above_high);
}

/* A list of finite durations, in the memory of the list before it. */
bool
value_delays(const char *text, void *field)
{
	static int64_t *list;
	struct policy *policy = field;
	/* Each but the last has a digit and a comma. */
	int64_t *longer = realloc(list, (strlen(text) / 2 + 1) * sizeof *list);
	size_t count = 0;

	if (longer == NULL)
		return refuse("no memory for it");
	policy->delays_ns = list = longer;
	do {
		text += strspn(text, count > 0 ? " " : "");
		text = duration_scan(text, &list[count]);
		if (text == NULL || list[count++] == DURATION_INF
		    || (*text != ',' && *text != '\0'))
			return refuse(
			    "expected a list of durations such as 15s,30s,3m");
	} while (*text++ == ',');
	policy->delays = count;
	return true;
}

/* --- verdicts, and what is known --- */

bool
value_preset(const char *text, void *field)
{
	const char **name = field;

	if (strcmp(text, "list") == 0)
		list_presets();
	if (*name != NULL)
		return refuse("expected only one preset");
	*name = text;
	return preset_named(text) != NULL
	    || refuse(
	        "expected the name of a preset; --preset=list prints all");
}

static bool
add_codes(const char *list, struct rules *rules, enum verdict verdict)
{
	struct codes_fault fault;
	bool added = codes_add(&rules->codes, list, verdict, &fault);
	struct text item = text_in(refusal.item, sizeof refusal.item);

	rules->listed_only |= verdict == VERDICT_RETRY;
	if (added)
		return true;
	/* An empty item is easier to find if the whole list is shown. */
	text_part(&item, fault.item, fault.length);
	if (fault.other != VERDICT_NONE)
		return refuse(JOINED(128,
		    fault.status >= 0 ? NUMBER(fault.status) : item.data,
		    " is in both --", verdict_name(fault.other), "-on and --",
		    verdict_name(verdict), "-on"));
	return refuse(
	    "expected codes such as 7, 4-7, nonzero, TERM, timeout or "
	    "EX_TEMPFAIL");
}

struct scan *
options_scan(struct options *options)
{
	struct streams *streams = &options->streams;

	if (streams->scan == NULL)
		streams->scan
		    = usage_allocate("output", 1, sizeof *streams->scan);
	return streams->scan;
}

/* Adds a condition on the output. */
static bool
add_condition(const char *text, struct options *options, enum verdict verdict)
{
	struct rules *rules = &options->settings.rules;
	const char *expected = scan_add(options_scan(options), verdict, text);

	rules->match_needed |= verdict == VERDICT_SUCCESS;
	rules->listed_only |= verdict == VERDICT_RETRY;
	return expected == NULL || refuse(expected);
}

/* clang-format off */
PARSER(success_on, struct rules, add_codes(text, value, VERDICT_SUCCESS))
PARSER(pass_on, struct rules, add_codes(text, value, VERDICT_PASS))
PARSER(retry_on, struct rules, add_codes(text, value, VERDICT_RETRY))
PARSER(throttle_on, struct rules, add_codes(text, value, VERDICT_THROTTLE))
PARSER(stop_on, struct rules, add_codes(text, value, VERDICT_STOP))
PARSER(success_if, struct options,
    add_condition(text, value, VERDICT_SUCCESS))
PARSER(retry_if, struct options, add_condition(text, value, VERDICT_RETRY))
PARSER(throttle_if, struct options,
    add_condition(text, value, VERDICT_THROTTLE))
PARSER(stop_if, struct options, add_condition(text, value, VERDICT_STOP))
/* clang-format on */

bool
value_retry_after(const char *text, void *field)
{
	struct scan *scan = options_scan(field);
	const char *expected
	    = text == NULL ? NULL : scan_add_wait_regex(scan, text);

	scan->waits.wanted = WANTED_ALL;
	return expected == NULL || refuse(expected);
}

bool
value_tool(const char *text, void *field)
{
	struct options *options = field;

	options->job.tool = NULL;
	if (text == NULL)
		return true;
	if (strcmp(text, "list") == 0)
		list_tools();
	options->job.tool = tool_named(text);
	return options->job.tool != NULL
	    || refuse("expected the name of a tool; --tool=list prints all");
}

/* --- what runs share --- */

static const char expected_name[]
    = "expected a name of up to 64 letters, digits and . _ -";

/* Whether *TEXT begins with PREFIX; if so, moves it behind that. */
static bool
skip_prefix(const char **text, const char *prefix)
{
	size_t length = strlen(prefix);
	bool has_it = strncmp(*text, prefix, length) == 0;

	*text += has_it ? length : 0;
	return has_it;
}

/*
 * Reads the NAME or fleet:NAME that TEXT begins with. Returns what follows it;
 * NULL: it is refused.
 */
static const char *
scan_shared_name(const char *text, char name[SHARED_NAME_SIZE], bool *fleet)
{
	size_t length;

	*fleet = skip_prefix(&text, FLEET_PREFIX);
	length = shared_name_scan(text);
	memcpy(name, text, length);
	name[length] = '\0';
	if (length > 0)
		return text + length;
	refuse(strncmp(text, "list", 4) == 0
	        ? "expected another name: list is reserved"
	        : expected_name);
	return NULL;
}

bool
value_gate(const char *text, void *field)
{
	struct gate_options *gate = field;
	const char *rest;

	gate->list = strcmp(text, "list") == 0;
	if (gate->list)
		return true;
	gate->open = skip_prefix(&text, "open:");
	rest = scan_shared_name(text, gate->name, &gate->fleet);
	return rest != NULL && (*rest == '\0' || refuse(expected_name));
}

bool
value_defer(const char *text, void *field)
{
	struct defer_options *defer = field;
	bool fleet;
	const char *rest = scan_shared_name(text, defer->name, &fleet);

	if (fleet)
		return refuse("expected NAME: a fleet shares no deferrals");
	defer->limits = (struct range) { NS_PER_MIN, 60 * NS_PER_MIN };
	if (rest == NULL || *rest == '\0')
		return rest != NULL;
	if (*rest != ':')
		return refuse(expected_name);
	if (strstr(rest, "..") == NULL
	    || !value_splay(rest + 1, &defer->limits))
		return refuse(
		    "expected NAME:LOW..HIGH with LOW not above HIGH, such as "
		    "backup:1m..1h");
	return defer->limits.low_ns > 0 || refuse("expected a LOW above 0");
}

bool
value_slots(const char *text, void *field)
{
	struct slots_options *slots = field;
	const char *rest = scan_shared_name(text, slots->name, &slots->fleet);

	if (rest == NULL)
		return false;
	if (*rest != ':' || !count_parse(rest + 1, &slots->count))
		return refuse(
		    "expected NAME:N, for at most N concurrent attempts");
	return (slots->count >= 1 && slots->count <= SLOTS_MOST)
	    || refuse("expected a number of slots from 1 to 1024");
}

/* --- what only prints --- */

bool
value_help(const char *text, void *field)
{
	(void)field;
	if (text == NULL && program.brief != NULL)
		help_brief();
	if (text == NULL || strcmp(text, "all") == 0)
		help_all();
	return refuse("expected --help or --help=all");
}

_Noreturn bool
value_version(const char *text, void *field)
{
	(void)text;
	(void)field;
	printf("%s %s\n", program.name, PACKAGE_VERSION);
	if (program.set == PROGRAM_BACKOFF && !processes_can_be_seen())
		puts("Processes cannot be seen here: a timeout ends COMMAND "
		     "and a group it leads.");
	usage_finish();
}
