/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/waits/dates.h"
#include "options/values.h"
#include "system/calendar.h"
#include "system/system.h"
#include "types/option_types.h"

/* What always fails would never end. */
#define MOST_SHARE 0.99

bool
refuse(struct refusal *refusal, const char *why)
{
	text_copy(refusal->why, sizeof refusal->why, why);
	return false;
}

bool
value_duration(const char *text, void *field, struct refusal *refusal)
{
	return duration_parse(text, field)
	    || refuse(
	        refusal, "expected a duration such as 500ms, 2s or 1m30s");
}

bool
value_duration_above_0(const char *text, void *field, struct refusal *refusal)
{
	int64_t *ns = field;

	return value_duration(text, ns, refusal)
	    && (*ns > 0 || refuse(refusal, "expected a duration above 0"));
}

bool
value_finite_duration(const char *text, void *field, struct refusal *refusal)
{
	int64_t *ns = field;

	return value_duration(text, ns, refusal)
	    && (*ns < DURATION_INF
	        || refuse(refusal, "expected a finite duration"));
}

bool
value_slot_time(const char *text, void *field, struct refusal *refusal)
{
	int64_t *ns = field;

	*ns = SLOT_IS_BASE;
	return strcmp(text, "base") == 0
	    || value_duration_above_0(text, ns, refusal);
}

bool
value_timeout(const char *text, void *field, struct refusal *refusal)
{
	int64_t *ns = field;

	if (!value_duration(text, ns, refusal))
		return false;
	if (*ns == 0)
		*ns = DURATION_INF;
	return true;
}

bool
value_until(const char *text, void *field, struct refusal *refusal)
{
	int64_t *until_ns = field;
	int second;

	if (text[0] == '@' && count_parse(text + 1, until_ns)) {
		*until_ns = saturating_multiply(*until_ns, NS_PER_S);
		/* INT64_MAX would mean no limit. */
		*until_ns -= *until_ns == INT64_MAX;
		return true;
	}
	second = time_of_day_parse(text);
	if (second < 0)
		return refuse(refusal,
		    "expected a local time as HH:MM[:SS], or @SECONDS since "
		    "the epoch");
	*until_ns = calendar_next(second, clock_epoch_ns());
	return *until_ns >= 0 || refuse(refusal, "the local time is not known");
}

bool
value_count(const char *text, void *field, struct refusal *refusal)
{
	int64_t *count = field;

	return (count_parse(text, count) && *count > 0)
	    || refuse(refusal, "expected a whole number, 1 or more");
}

bool
value_attempts(const char *text, void *field, struct refusal *refusal)
{
	int64_t *count = field;

	if (strcmp(text, "inf") == 0) {
		*count = INT64_MAX;
		return true;
	}
	return value_count(text, count, refusal)
	    || refuse(refusal, "expected a number of runs, 1 or more, or inf");
}

bool
value_seed(const char *text, void *field, struct refusal *refusal)
{
	int64_t *seed = field;

	return (count_parse(text, seed) && *seed < INT64_MAX)
	    || refuse(refusal,
	        "expected a whole number from 0 to 9223372036854775806");
}

bool
value_size(const char *text, void *field, struct refusal *refusal)
{
	return size_parse(text, field)
	    || refuse(
	        refusal, "expected a size such as 4096, 64K, 10MiB or 1G");
}

bool
value_factor(const char *text, void *field, struct refusal *refusal)
{
	double *factor = field;

	return (number_parse(text, factor) && *factor >= 1)
	    || refuse(
	        refusal, "expected a number, 1 or more, such as 1.5 or 2");
}

bool
value_rate(const char *text, void *field, struct refusal *refusal)
{
	double *rate = field;

	return (number_parse(text, rate) && *rate > 0)
	    || refuse(refusal, "expected a number above 0, such as 0.5 or 20");
}

/* RATE[,BURST] */
bool
value_rate_limit(const char *text, void *field, struct refusal *refusal)
{
	struct service *service = field;
	const char *rest = number_scan(text, &service->limit);

	service->burst = 0;
	if (rest != NULL && service->limit > 0
	    && (*rest == '\0'
	        || (*rest == ',' && number_parse(rest + 1, &service->burst)
	            && service->burst >= 0)))
		return true;
	return refuse(refusal,
	    "expected a number above 0, such as 20, or 20,5 with a burst of 5");
}

bool
value_share(const char *text, void *field, struct refusal *refusal)
{
	double *share = field;
	size_t length = strlen(text);
	bool is_percentage = length > 0 && text[length - 1] == '%';
	char number[32] = "";

	if (length < sizeof number) {
		memcpy(number, text, length - is_percentage);
		if (number_parse(number, share)) {
			*share /= is_percentage ? 100 : 1;
			if (*share >= 0 && *share <= MOST_SHARE)
				return true;
		}
	}
	return refuse(refusal,
	    "expected a number of 0 to 0.99, or a percentage such as 5%");
}

bool
value_times(const char *text, void *field, struct refusal *refusal)
{
	int *times = field;

	(void)text;
	(void)refusal;
	++*times;
	return true;
}

bool
value_flag(const char *text, void *field, struct refusal *refusal)
{
	bool *flag = field;

	(void)text;
	(void)refusal;
	*flag = true;
	return true;
}

bool
value_some_text(const char *text, void *field, struct refusal *refusal)
{
	return value_text(text, field, refusal)
	    && (*text != '\0' || refuse(refusal, "expected some text"));
}

bool
value_text(const char *text, void *field, struct refusal *refusal)
{
	const char **copy = field;

	(void)refusal;
	*copy = text;
	return true;
}

/* The index of TEXT in WORDS, which are separated by single blanks; or -1. */
static int
place(const char *text, const char *words)
{
	size_t length = strlen(text);

	for (int i = 0;; i++) {
		size_t size = strcspn(words, " ");

		if (size == length && memcmp(words, text, length) == 0)
			return i;
		if (words[size] == '\0')
			return -1;
		words += size + 1;
	}
}

/* Says "expected window, before or after". */
static bool
refuse_word(struct refusal *refusal, const char *words)
{
	const char *last = strrchr(words, ' ');
	struct text expected = text_in(refusal->why, sizeof refusal->why);

	text_add(&expected, "expected ");
	for (const char *at = words; *at != '\0'; at++)
		if (at == last)
			text_add(&expected, " or ");
		else if (*at == ' ')
			text_add(&expected, ", ");
		else
			text_byte(&expected, *at);
	return false;
}

/* A parser for the words of an enum, in its order; the first is FIRST. */
#define WORDS(name, type, first, words) \
	bool value_##name( \
	    const char *text, void *field, struct refusal *refusal) \
	{ \
		int found = text == NULL ? 0 : place(text, words); \
\
		if (found < 0) \
			return refuse_word(refusal, words); \
		*(type *)field = (type)(found + (int)(first)); \
		return true; \
	}

/* clang-format off */
WORDS(growth, enum growth, GROWTH_EXPONENTIAL,
    "exponential binary linear quadratic cubic fibonacci constant")
WORDS(cap_mode, enum cap_mode, CAP_WINDOW, "window before after")
WORDS(log_format, enum log_format, LOG_TEXT, "text json github")
WORDS(stdin_mode, enum stdin_mode, STDIN_REPLAY, "replay inherit null")
WORDS(hold, enum hold_what, HOLD_STDOUT, "stdout all")
WORDS(herd_gate, enum herd_gate, HERD_GATE_MACHINE, "machine fleet")
WORDS(from, bool, false, "end start")
/* clang-format on */

/* "1s" or "+1s": the unit distinguishes it from a plain number. */
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

/* "0.2", which means 0.8..1.2, or "0.8..1.2". */
static bool
parse_scale(const char *text, struct jitter *jitter)
{
	const char *rest = number_scan(text, &jitter->low);

	jitter->kind = JITTER_SCALE;
	if (rest == NULL)
		return false;
	if (*rest == '\0' && jitter->low <= 1) {
		jitter->high = 1 + jitter->low;
		jitter->low = 1 - jitter->low;
		return true;
	}
	return strncmp(rest, "..", 2) == 0
	    && number_parse(rest + 2, &jitter->high);
}

static const char low_above_high[]
    = "expected LOW..HIGH with LOW not above HIGH";

bool
value_jitter(const char *text, void *field, struct refusal *refusal)
{
	static const char words[] = "none full equal decorrelated smooth";
	struct jitter *jitter = field;
	int found = place(text, words);

	if (found >= 0) {
		jitter->kind = (enum jitter_kind)found;
		return true;
	}
	if (parse_time_jitter(text, jitter))
		return true;
	if (parse_scale(text, jitter))
		return jitter->low <= jitter->high
		    || refuse(refusal, low_above_high);
	return refuse(refusal,
	    "expected none, full, equal, decorrelated, smooth, a number up "
	    "to 1, a range such as 0.5..1.5, or a duration such as 1s or "
	    "+1s");
}

bool
value_splay(const char *text, void *field, struct refusal *refusal)
{
	struct range *range = field;
	bool with_unit;
	const char *rest = duration_scan(text, &range->high_ns, &with_unit);

	range->low_ns = 0;
	if (rest != NULL && strncmp(rest, "..", 2) == 0) {
		range->low_ns = range->high_ns;
		rest = duration_scan(rest + 2, &range->high_ns, &with_unit);
	}
	if (rest == NULL || *rest != '\0' || range->high_ns == DURATION_INF)
		return refuse(refusal,
		    "expected a duration such as 30s, or a range such as "
		    "1s..10s");
	return range->low_ns <= range->high_ns
	    || refuse(refusal, low_above_high);
}
