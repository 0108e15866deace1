/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/duration.h"
#include "core/forecast.h"
#include "core/next_pause.h"
#include "core/real_math.h"

static int64_t
middle(struct range range)
{
	return range.low_ns + (range.high_ns - range.low_ns) / 2;
}

struct forecast
forecast_start(const struct settings *settings, int64_t left_ns,
    struct random *random, struct history *histories, size_t count)
{
	struct range splay = next_pause_splay(&settings->limits, left_ns);
	struct schedule schedule = schedule_start(&settings->policy, random);

	for (size_t i = 0; i < count; i++)
		histories[i] = (struct history) {
			.schedule = schedule,
			.elapsed_ns
			= random_between(random, splay.low_ns, splay.high_ns),
		};
	return (struct forecast) {
		.settings = settings,
		.left_ns = left_ns,
		.horizon_ns = INT64_MAX,
		.histories = histories,
		.count = count,
		.lowest = schedule,
		.highest = schedule,
		.row = {
			.earliest_ns = splay.low_ns,
			.mean_total_ns = middle(splay),
			.latest_ns = splay.high_ns,
		},
	};
}

/* Whether a pause depends on those before it. */
static bool
has_memory(const struct forecast *forecast)
{
	enum jitter_kind kind = forecast->settings->policy.jitter.kind;

	return kind == JITTER_DECORRELATED || kind == JITTER_SMOOTH;
}

/* The pause after failure N over all histories that a deadline leaves be. */
static struct range
free_range(const struct forecast *forecast, int64_t n)
{
	return (struct range) {
		schedule_range(&forecast->lowest, n, false, INT64_MAX).low_ns,
		schedule_range(&forecast->highest, n, false, INT64_MAX).high_ns,
	};
}

/* The pause before the last attempt, which a deadline has shrunk. */
static struct range
shrunk_range(const struct forecast *forecast, int64_t n, struct range left)
{
	struct range range;

	range.low_ns = schedule_range(
	    &forecast->lowest, n, false, max_ns(left.low_ns, 1))
	                   .low_ns;
	range.high_ns
	    = schedule_range(&forecast->highest, n, false, left.high_ns)
	          .high_ns;
	return range;
}

/* The next pauses are drawn after the least, and after the most. */
static void
remember_extremes(struct forecast *forecast, struct range drawn, int64_t n)
{
	const struct policy *policy = &forecast->settings->policy;

	forecast->lowest.previous_ns = max_ns(drawn.low_ns, policy->base_ns);
	forecast->highest.previous_ns = max_ns(drawn.high_ns, policy->base_ns);
	if (policy->jitter.kind != JITTER_SMOOTH || n >= 1000)
		return;
	/* The nearer the last point on the curve, the shorter the step. */
	forecast->lowest.previous_curve = polly_curve((double)n);
	forecast->highest.previous_curve = polly_curve((double)(n - 1));
}

/*
 * The mean of U[low, high], or of its slots, where draws above CAP_NS become
 * CAP_NS. (A double has fewer digits than an int64, so not where nothing is
 * cut.)
 */
static int64_t
clamped_mean(struct range range, int64_t slot_ns, int64_t cap_ns)
{
	int64_t step_ns = max_ns(slot_ns, 1);
	double all, within;

	if (range.high_ns <= cap_ns)
		return middle(range);
	if (range.low_ns >= cap_ns)
		return cap_ns;
	all = 1.0 + (double)((range.high_ns - range.low_ns) / step_ns);
	within = 1.0 + (double)((cap_ns - range.low_ns) / step_ns);
	return (int64_t)((within
	                         * ((double)range.low_ns
	                             + (double)step_ns * (within - 1) / 2)
	                     + (all - within) * (double)cap_ns)
	    / all);
}

/* The mean of the pause after failure N, where it has a formula. */
static int64_t
free_mean(const struct forecast *forecast, int64_t n, struct range range)
{
	const struct policy *policy = &forecast->settings->policy;
	struct policy uncapped = *policy;
	struct schedule schedule
	    = schedule_start(&uncapped, forecast->lowest.random);

	if (policy->cap_mode != CAP_AFTER)
		return middle(range);
	uncapped.cap_mode = CAP_BEFORE;
	uncapped.cap_ns = DURATION_INF;
	return clamped_mean(schedule_range(&schedule, n, false, INT64_MAX),
	    policy->slot_ns, policy->cap_ns);
}

/* Whether the mean of the pause after failure N has one. */
static bool
has_formula(const struct forecast *forecast, int64_t n)
{
	enum jitter_kind kind = forecast->settings->policy.jitter.kind;

	return !forecast->cut
	    && (!has_memory(forecast)
	        || (kind == JITTER_DECORRELATED && n == 1));
}

/* Sums of many, without overflow: the mean, and how many there are. */
struct mean {
	double sum;
	int64_t count;
};

static void
add_to_mean(struct mean *mean, int64_t ns)
{
	mean->sum += (double)ns;
	mean->count++;
}

static int64_t
mean_ns(struct mean mean, int64_t if_none)
{
	double ns;

	if (mean.count == 0)
		return if_none;
	ns = mean.sum / (double)mean.count;
	return ns < 0x1p63 ? (int64_t)ns : DURATION_INF;
}

/* Lets each history draw its pause after failure N, and take it. */
static void
live_on(struct forecast *forecast, int64_t n, struct mean *pauses,
    struct mean *totals)
{
	const struct loop_state state = { .verdict = VERDICT_RETRY };
	bool endless = forecast->left_ns == INT64_MAX;
	bool draws_alike = endless && !has_memory(forecast);

	for (size_t i = 0; i < forecast->count; i++) {
		struct history *history = &forecast->histories[i];
		struct pause_context context = {
			.settings = forecast->settings,
			.state = &state,
			.failures = n,
			.left_ns = forecast->left_ns,
		};
		struct pause pause;
		int64_t next_ns;

		if (history->ended
		    || (draws_alike
		        && history->elapsed_ns >= forecast->horizon_ns))
			continue;
		if (!endless)
			context.left_ns -= history->elapsed_ns;
		pause = next_pause(&context, &history->schedule);
		history->ended = pause.kind != PAUSE_DRAWN || pause.last;
		if (pause.kind != PAUSE_DRAWN)
			continue;
		next_ns = saturating_add(history->elapsed_ns, pause.ns);
		add_to_mean(pauses, pause.ns);
		add_to_mean(totals, next_ns);
		history->elapsed_ns = next_ns;
		if (endless || next_ns < forecast->left_ns)
			continue;
		/* In the loop it begins a moment before the time is up. */
		history->elapsed_ns = forecast->left_ns - 1;
		history->ended = true;
	}
}

/*
 * The ranges of the pause and of the next attempt's start; false: no history
 * gets so far.
 */
static bool
find_ranges(struct forecast *forecast, int64_t n)
{
	struct forecast_row *row = &forecast->row;
	struct range drawn = free_range(forecast, n);
	/* What is left where most of the time is gone, and least of it. */
	struct range left = { forecast->left_ns - row->latest_ns,
		forecast->left_ns - row->earliest_ns };
	struct range shrunk;

	row->pause = drawn;
	if (forecast->left_ns == INT64_MAX || left.low_ns >= drawn.high_ns) {
		row->earliest_ns
		    = saturating_add(row->earliest_ns, drawn.low_ns);
		row->latest_ns = saturating_add(row->latest_ns, drawn.high_ns);
		remember_extremes(forecast, drawn, n);
		return true;
	}
	forecast->cut = true;
	if (left.high_ns <= 0)
		return false;
	shrunk = shrunk_range(forecast, n,
	    (struct range) {
	        left.low_ns, min_ns(left.high_ns, drawn.high_ns) });
	row->latest_ns = min_ns(
	    forecast->left_ns, saturating_add(row->latest_ns, drawn.high_ns));
	/* In every history: the attempt after it is the last. */
	forecast->over = left.high_ns
	    < schedule_range(&forecast->lowest, n, false, INT64_MAX).high_ns;
	if (left.high_ns < drawn.high_ns)
		row->pause.high_ns = shrunk.high_ns;
	row->pause.low_ns = forecast->over
	    ? shrunk.low_ns
	    : min_ns(drawn.low_ns, shrunk.low_ns);
	drawn.high_ns = row->pause.high_ns;
	remember_extremes(forecast, drawn, n);
	row->earliest_ns = saturating_add(
	    row->earliest_ns, forecast->over ? shrunk.low_ns : drawn.low_ns);
	return true;
}

bool
forecast_next(struct forecast *forecast)
{
	struct forecast_row *row = &forecast->row;
	int64_t n = row->after_attempt + 1;
	struct mean pauses = { 0 }, totals = { 0 };

	if (forecast->over || n >= forecast->settings->limits.attempts
	    || !find_ranges(forecast, n))
		return false;
	row->after_attempt = n;
	live_on(forecast, n, &pauses, &totals);
	row->certain = forecast->left_ns == INT64_MAX
	    || pauses.count == (int64_t)forecast->count;
	if (has_formula(forecast, n)) {
		row->mean_ns = free_mean(forecast, n, row->pause);
		row->mean_total_ns
		    = saturating_add(row->mean_total_ns, row->mean_ns);
	} else {
		/* Too rare for any of them: nothing is known of a mean. */
		row->mean_ns = mean_ns(pauses, middle(row->pause));
		row->mean_total_ns = mean_ns(totals, row->latest_ns);
	}
	return true;
}

bool
forecast_settled(const struct forecast *forecast)
{
	for (size_t i = 0; i < forecast->count; i++)
		if (!forecast->histories[i].ended
		    && forecast->histories[i].elapsed_ns < forecast->horizon_ns)
			return false;
	return true;
}

double
forecast_outlasts(const struct forecast *forecast, int64_t outage_ns)
{
	size_t count = 0;

	for (size_t i = 0; i < forecast->count; i++)
		count += forecast->histories[i].elapsed_ns >= outage_ns;
	return (double)count / (double)forecast->count;
}
