/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/words/settings_text.h"

static void
add_time(struct text *text, const char *name, int64_t ns, int64_t default_ns)
{
	if (ns != default_ns)
		text_join(text, ", ", name, " ", DURATION(ns));
}

static void
add_count(struct text *text, const char *name, int64_t n, int64_t default_n)
{
	if (n != default_n)
		text_join(text, ", ", name, " ", NUMBER(n));
}

/* "0.2": three decimals are enough, nobody notices more in a pause. */
static void
add_ratio(struct text *text, double ratio)
{
	int64_t thousandths = ratio < 1e12 ? (int64_t)(ratio * 1000 + 0.5)
	                                   : INT64_C(1000000000000000);

	text_number(text, thousandths / 1000);
	thousandths %= 1000;
	if (thousandths == 0)
		return;
	text_byte(text, '.');
	for (int64_t place = 100; thousandths > 0; place /= 10) {
		text_number(text, thousandths / place);
		thousandths %= place;
	}
}

static void
add_jitter(struct text *text, const struct jitter *jitter)
{
	static const char *const names[] = {
		[JITTER_NONE] = "none",
		[JITTER_EQUAL] = "equal",
		[JITTER_DECORRELATED] = "decorrelated",
		[JITTER_SMOOTH] = "smooth",
		[JITTER_ADD] = "+",
	};

	if (jitter->kind == JITTER_FULL)
		return;
	text_add(text, ", jitter ");
	if (jitter->kind == JITTER_SCALE) {
		add_ratio(text, jitter->low);
		text_add(text, "..");
		add_ratio(text, jitter->high);
		return;
	}
	if (jitter->kind != JITTER_SPREAD)
		text_add(text, names[jitter->kind]);
	if (jitter->kind == JITTER_SPREAD || jitter->kind == JITTER_ADD)
		duration_text(text, jitter->spread_ns);
}

static void
add_policy(struct text *text, const struct policy *policy)
{
	static const char cap_modes[][7] = { "window", "before", "after" };

	add_jitter(text, &policy->jitter);
	add_time(text, "throttle-base", policy->throttle_base_ns,
	    saturating_multiply(policy->base_ns, 5));
	if (policy->cap_mode != CAP_WINDOW)
		text_join(text, ", cap-mode ", cap_modes[policy->cap_mode]);
	add_count(text, "max-exponent", policy->max_exponent, INT64_MAX);
	add_time(text, "slot-time", policy->slot_ns, 0);
}

/* The defaults here are those of options.c: a test checks the two agree. */
static void
add_limits(struct text *text, const struct limits *limits)
{
	if (limits->splay.high_ns > 0)
		text_join(text, ", splay ", DURATION(limits->splay.low_ns),
		    "..", DURATION(limits->splay.high_ns));
	if (limits->from_start)
		text_add(text, ", from start");
	add_time(text, "timeout", limits->timeout_ns, DURATION_INF);
	add_time(text, "idle-timeout", limits->idle_timeout_ns, DURATION_INF);
	add_time(text, "kill-after", limits->kill_after_ns, 10 * NS_PER_S);
	add_time(text, "deadline", limits->deadline_ns, DURATION_INF);
	if (limits->until_ns < INT64_MAX)
		text_join(
		    text, ", until @", NUMBER(limits->until_ns / NS_PER_S));
	add_time(text, "reset-after", limits->reset_after_ns, DURATION_INF);
	add_count(text, "consecutive", limits->consecutive, 1);
	add_count(text, "flaky-status", limits->flaky_status, 0);
	add_time(text, "hint-max", limits->hint_max_ns, 60 * NS_PER_MIN);
	if (limits->spool_limit != INT64_C(1) << 30) {
		text_add(text, ", spool-limit ");
		size_text(text, limits->spool_limit);
	}
}

/* Starts an item of --VERDICT-on: the option's name, or a comma. */
static void
begin_item(struct text *text, enum verdict verdict, bool *any)
{
	if (*any) {
		text_byte(text, ',');
		return;
	}
	*any = true;
	text_join(text, ", ", verdict_name(verdict), "-on ");
}

/* Adds the single statuses with this verdict. */
static void
add_statuses(
    struct text *text, const uint8_t *statuses, enum verdict verdict, bool *any)
{
	for (int status = 0; status < EXIT_CODES; status++) {
		if (statuses[status] != verdict)
			continue;
		begin_item(text, verdict, any);
		text_number(text, status);
	}
}

/* The ranges, even "7-7": another verdict on 7 is narrower, and wins. */
static void
add_ranges(
    struct text *text, const uint8_t *statuses, enum verdict verdict, bool *any)
{
	for (int status = 0; status < EXIT_CODES; status++) {
		int first = status;

		if (statuses[first] != verdict)
			continue;
		while (
		    status + 1 < EXIT_CODES && statuses[status + 1] == verdict)
			status++;
		begin_item(text, verdict, any);
		text_join(text, NUMBER(first), "-", NUMBER(status));
	}
}

static void
add_codes(struct text *text, const struct codes *codes, enum verdict verdict)
{
	bool any = false;

	add_statuses(text, codes->exact, verdict, &any);
	add_ranges(text, codes->range, verdict, &any);
	for (int signal = 1; signal < SIGNALS; signal++)
		if (codes->killed[signal] == verdict) {
			begin_item(text, verdict, &any);
			signal_text(text, signal);
		}
	for (int i = 0; i < CODES_WORDS; i++)
		if (((const uint8_t *)codes)[codes_words[i].at] == verdict) {
			begin_item(text, verdict, &any);
			text_add(text, codes_words[i].name);
		}
}

static void
add_rules(struct text *text, const struct rules *rules)
{
	for (int verdict = VERDICT_SUCCESS; verdict < VERDICTS; verdict++)
		add_codes(text, &rules->codes, (enum verdict)verdict);
	if (rules->tool != NULL)
		text_join(text, ", tool ", rules->tool);
	else if (rules->tool_asked)
		text_add(text, ", tool unknown");
}

void
settings_text(struct text *text, const struct settings *settings)
{
	const struct policy *policy = &settings->policy;
	const struct limits *limits = &settings->limits;

	text_join(text, "attempts ",
	    limits->attempts == INT64_MAX ? "inf" : NUMBER(limits->attempts),
	    ", windows");
	for (int64_t n = 1; n <= 4; n++)
		text_join(text, " ", DURATION(schedule_window(policy, n)));
	text_join(text, " ..., cap ", DURATION(policy->cap_ns), ", floor ",
	    DURATION(policy->floor_ns));
	add_policy(text, policy);
	add_limits(text, limits);
	add_rules(text, &settings->rules);
}
