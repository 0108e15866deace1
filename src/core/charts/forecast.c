/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/charts/charts.h"
#include "core/loop/loop.h"
#include "core/pause/schedule.h"

static int64_t
middle(struct range range)
{
	return range.low_ns + (range.high_ns - range.low_ns) / 2;
}

/* The context for next_pause() after failure N at ELAPSED_NS. */
static struct pause_context
context_at(const struct forecast *forecast, int64_t n, int64_t elapsed_ns)
{
	static const struct loop_state failed = { .verdict = VERDICT_RETRY };

	return (struct pause_context) {
		.settings = forecast->settings,
		.state = &failed,
		.failures = n,
		.elapsed_ns = elapsed_ns,
		.until_in_ns = forecast->until_in_ns,
	};
}

struct forecast
forecast_start(const struct settings *settings, int64_t until_in_ns,
    struct random *random, struct history *histories, size_t count)
{
	struct forecast forecast = {
		.settings = settings,
		.until_in_ns = until_in_ns,
		.histories = histories,
		.count = count,
		.lowest = schedule_start(&settings->policy, random),
		.highest = schedule_start(&settings->policy, random),
	};
	struct pause_context context = context_at(&forecast, 0, 0);
	struct range splay = next_pause_splay(&context);

	forecast.row.start = splay;
	forecast.row.mean_total_ns = middle(splay);
	for (size_t i = 0; i < count; i++)
		histories[i] = (struct history) {
			.schedule = forecast.lowest,
			.elapsed_ns
			= random_between(random, splay.low_ns, splay.high_ns),
		};
	return forecast;
}

static void
widen(struct range *range, int64_t low_ns, int64_t high_ns)
{
	range->low_ns = min_ns(range->low_ns, low_ns);
	range->high_ns = max_ns(range->high_ns, high_ns);
}

/*
 * Adds the range that SCHEDULE draws from after failure N at ELAPSED_NS to the
 * row.
 */
static void
look_at(struct forecast *forecast, const struct schedule *schedule, int64_t n,
    int64_t elapsed_ns)
{
	struct pause_context context = context_at(forecast, n, elapsed_ns);
	struct range range;

	if (!next_pause_range(&context, schedule, &range))
		return;
	widen(&forecast->row.pause, range.low_ns, range.high_ns);
	widen(&forecast->row.start, saturating_add(elapsed_ns, range.low_ns),
	    saturating_add(elapsed_ns, range.high_ns));
}

/*
 * The row if failure N comes after FIRST_NS, at LATEST_NS at most. If time is
 * limited, the later it is, the less room is left for the pause, so both ends
 * of its range only shrink, except at one time: where the longest pause no
 * longer fits, the range jumps to all of the room. After a later time there is
 * no further attempt. So it is enough to look at these two times.
 */
static void
look_at_the_rest(
    struct forecast *forecast, int64_t n, int64_t first_ns, int64_t latest_ns)
{
	struct pause_context context = context_at(forecast, n, first_ns);
	struct room room = next_pause_room(&context);
	int64_t longest_ns
	    = schedule_range(&forecast->highest, n, false).high_ns;
	int64_t last_ns, step_ns;

	if (room.ns == INT64_MAX) {
		look_at(forecast, &forecast->highest, n, latest_ns);
		return;
	}
	last_ns = min_ns(latest_ns, first_ns + (room.ns - room.least_ns));
	step_ns = max_ns(first_ns, first_ns + (room.ns - longest_ns) + 1);
	look_at(forecast, &forecast->highest, n, last_ns);
	if (step_ns <= last_ns)
		look_at(forecast, &forecast->highest, n, step_ns);
	if (step_ns <= last_ns || last_ns < latest_ns)
		forecast->touched = true;
}

/* Computes the ranges of row N. False: no run can get this far. */
static bool
find_ranges(struct forecast *forecast, int64_t n)
{
	static const struct range none = { INT64_MAX, -1 };
	struct forecast_row *row = &forecast->row;
	struct range failed = row->start;

	row->pause = row->start = none;
	look_at(forecast, &forecast->lowest, n, failed.low_ns);
	look_at(forecast, &forecast->highest, n, failed.low_ns);
	if (row->pause.high_ns < 0)
		return false;
	look_at_the_rest(forecast, n, failed.low_ns, failed.high_ns);
	/* The next pauses follow the shortest and the longest of this row. */
	schedule_remember(&forecast->lowest, row->pause.low_ns);
	schedule_remember(&forecast->highest, row->pause.high_ns);
	/* The nearer the last point on the curve, the shorter the pause. */
	if (n < 1000) {
		forecast->lowest.previous_curve = polly_curve((double)n);
		forecast->highest.previous_curve = polly_curve((double)(n - 1));
	}
	return true;
}

/*
 * The mean of the pause after failure N, drawn from RANGE, or from its slots,
 * if it has a formula. Where draws above the cap become the cap, it is computed
 * in a double only if something is cut, because a double has fewer digits than
 * an int64.
 */
static int64_t
free_mean(const struct forecast *forecast, int64_t n, struct range range)
{
	const struct policy *policy = &forecast->settings->policy;
	struct policy uncapped = *policy;
	struct schedule schedule
	    = schedule_start(&uncapped, forecast->lowest.random);
	int64_t cap_ns = policy->cap_ns, step_ns = max_ns(policy->slot_ns, 1);
	double all, within;

	if (policy->cap_mode != CAP_AFTER)
		return middle(range);
	uncapped.cap_mode = CAP_BEFORE;
	uncapped.cap_ns = DURATION_INF;
	range = schedule_range(&schedule, n, false);
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

/* Of the histories that get as far as a row; they cannot overflow. */
struct sums {
	double pauses, totals;
	int64_t count;
};

/* Clamped, as rounding in a double may lead out of RANGE. */
static int64_t
mean_ns(double sum, int64_t count, struct range range)
{
	double ns = sum / (double)count;

	if (ns >= (double)range.high_ns)
		return range.high_ns;
	return max_ns((int64_t)ns, range.low_ns);
}

/* Lets each history draw and spend its pause after failure N. */
static void
live_on(struct forecast *forecast, int64_t n, struct sums *sums)
{
	for (size_t i = 0; i < forecast->count; i++) {
		struct history *history = &forecast->histories[i];
		struct pause_context context;
		struct pause pause;

		if (history->ended)
			continue;
		context = context_at(forecast, n, history->elapsed_ns);
		pause = next_pause(&context, &history->schedule);
		forecast->draws++;
		history->ended = pause.kind != PAUSE_DRAWN;
		if (history->ended)
			continue;
		history->elapsed_ns
		    = saturating_add(history->elapsed_ns, pause.ns);
		sums->pauses += (double)pause.ns;
		sums->totals += (double)history->elapsed_ns;
		sums->count++;
	}
}

bool
forecast_next(struct forecast *forecast)
{
	enum jitter_kind kind = forecast->settings->policy.jitter.kind;
	struct forecast_row *row = &forecast->row;
	int64_t n = row->after_attempt + 1;
	struct sums sums = { 0 };

	if (n >= forecast->settings->limits.attempts
	    || !find_ranges(forecast, n))
		return false;
	row->after_attempt = n;
	live_on(forecast, n, &sums);
	row->certain = sums.count == (int64_t)forecast->count;
	/* No mean has a formula that depends on the pauses before it. */
	if (!forecast->touched && kind != JITTER_SMOOTH
	    && (kind != JITTER_DECORRELATED || n == 1)) {
		row->mean_ns = free_mean(forecast, n, row->pause);
		row->mean_total_ns
		    = saturating_add(row->mean_total_ns, row->mean_ns);
	} else if (sums.count > 0) {
		row->mean_ns = mean_ns(sums.pauses, sums.count, row->pause);
		row->mean_total_ns
		    = mean_ns(sums.totals, sums.count, row->start);
	} else {
		/* No history got this far, so there is no mean to show. */
		row->mean_ns = middle(row->pause);
		row->mean_total_ns = row->start.high_ns;
	}
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
