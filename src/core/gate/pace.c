/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"

/*
 * A refusal cuts the rate by KEEP_CUT. Growth balances that where a share of
 * KEEP_COST beyond the base is refused.
 */
#define KEEP_CUT 0.05
#define KEEP_COST 0.06

/* Doubling pays where it serves so many times more; and so does a try. */
#define DOUBLING_PAYS 1.4
#define TRY_FACTOR 1.5
#define TRY_PAYS 1.25
#define TRY_SHARE 0.03
#define TRY_SOON 1.5 /* times KEEP_COST: more are not what a limit costs */
#define TRY_STATED_NS (2 * NS_PER_S)
#define TRY_NS (15 * NS_PER_S)
#define MOST_TRY_NS (4 * NS_PER_MIN)

/* A share of refusals that is not the rate's is forgotten after */
#define BASE_NS (10 * NS_PER_MIN)

#define INTERVAL_LEAST 4
#define INTERVAL_REFUSED_LEAST 12
#define INTERVAL_NS (8 * NS_PER_S)
#define ALL_REFUSED 0.7
#define MANY_REFUSED 6
#define FINDING_OVER 0.15
#define BASE_LEAST 12
#define FORTY 40
#define SHARES_APART 2.6 /* deviations that are no chance */

/* Failures: when they are looked at, and how many are too many. */
#define LOOK_STARTS 10
#define FAILING_OVER 0.2
#define FAILING_HELPED 0.1
#define DEVIATIONS 1.5
#define CALM_NS (3 * NS_PER_S)
#define CUT_LEAST 4 /* a second: fewer do not show whether a cut helps */

static double
larger(double a, double b)
{
	return a > b ? a : b;
}

static double
smaller(double a, double b)
{
	return a < b ? a : b;
}

static void
set_rate(struct pace *pace, double rate)
{
	pace->rate = larger(PACE_LEAST, smaller(PACE_MOST, rate));
}

static double
share_of(struct pace_count count)
{
	return count.starts > 0 ? (double)count.bad / count.starts : 0;
}

int64_t
pace_gap_ns(const struct pace *pace)
{
	return (int64_t)((double)NS_PER_S / pace->rate);
}

double
pace_base(const struct pace *pace, int64_t now_ns)
{
	return now_ns - pace->base_ns < BASE_NS ? pace->base : 0;
}

int64_t
pace_soonest_ns(const struct pace *pace, int64_t count)
{
	double rate = larger(PACE_FIRST, pace->limit / 2);
	double starts = 0;
	int64_t seconds = 0;

	for (; starts + rate < (double)count && rate <= PACE_MOST; seconds++) {
		starts += rate;
		rate *= 2;
	}
	return seconds * NS_PER_S;
}

static void
begin_interval(struct pace *pace, int64_t now_ns)
{
	pace->interval_ns = now_ns;
	pace->interval = (struct pace_count) { 0 };
}

/* From RATE on; what has paid until now says nothing any more. */
static void
find_anew(struct pace *pace, double rate)
{
	set_rate(pace, rate);
	pace->phase = PACE_FINDING;
	pace->served = 0;
	pace->paid = (struct pace_count) { 0 };
}

void
pace_begin(struct pace *pace, int64_t now_ns)
{
	find_anew(pace, larger(PACE_FIRST, pace->limit / 2));
	pace->forty = pace->look = (struct pace_count) { 0 };
	pace->share = 0;
	pace->kept_ns = now_ns;
	pace->quiet = 0;
	pace->try_gap_ns = TRY_NS;
	pace->try_ns = now_ns + TRY_NS;
	pace->cuts = 0;
	pace->settles = false;
	pace->calm_ns = now_ns;
	pace->second_ns = now_ns;
	pace->second = (struct pace_count) { 0 };
	begin_interval(pace, now_ns);
}

void
pace_start(struct pace *pace)
{
	pace->second.starts++;
	pace->interval.starts++;
	pace->forty.starts++;
	pace->look.starts++;
	pace->quiet++;
}

/*
 * The standard deviation of SHARE among COUNT (above 0), sqrt(SHARE * (1 -
 * SHARE) / COUNT), where the product is taken to be at least 0.02.
 */
static double
deviation(double share, double count)
{
	double square = larger(share * (1 - share), 0.02) / count;
	double root = 0.5; /* Newton, from above: no square is above 0.25 */

	for (int i = 0; i < 12; i++)
		root = (root + square / root) / 2;
	return root;
}

/* Cuts the rate to what was served; a share of FAILING fails at any rate. */
static void
cut(struct pace *pace, double share, int64_t now_ns)
{
	double served = pace->rate * (1 - share) / (1 - pace->failing);

	/* Below PACE_FIRST it would take long to see whether that helps. */
	set_rate(pace, larger(smaller(pace->rate, PACE_FIRST), served));
	pace->limit = pace->rate * 1.15;
	pace->phase = PACE_KEEPING;
	pace->kept_ns = now_ns;
	pace->calm_ns = now_ns + CALM_NS;
	pace->cuts++;
	pace->settles = true;
	begin_interval(pace, now_ns);
}

/* SHARE of the requests fail at this rate, and would at any: find it anew. */
static void
disregard(struct pace *pace, double share, double rate)
{
	pace->cuts = 0;
	pace->failing = smaller(share, PACE_MOST_FAILING);
	find_anew(pace, rate);
}

/*
 * Looks at the failures that are no refusals. Too many of them cut the rate;
 * a cut that does not help is undone.
 */
static void
look_at_failures(struct pace *pace, int64_t now_ns)
{
	struct pace_count look = pace->look;
	double share = share_of(look), less;
	bool too_many;

	/* In this second the service still had what came before the cut. */
	if (pace->settles) {
		pace->settles = false;
		pace->look = (struct pace_count) { 0 };
		pace->kept_ns = now_ns;
	}
	if (look.starts < LOOK_STARTS || pace->kept_ns == now_ns)
		return;
	pace->look = (struct pace_count) { 0 };
	too_many = look.bad >= 2
	    && share > pace->failing + FAILING_OVER
	            + DEVIATIONS * deviation(share, look.starts);
	/* The last cut has helped if the share is so much less. */
	less = larger(FAILING_HELPED,
	    DEVIATIONS * deviation(pace->cut_share, look.starts));
	if (pace->cuts > 0 && share <= pace->cut_share - less)
		pace->cuts = 0;
	if (pace->cuts == PACE_MOST_CUTS) {
		disregard(pace, share, pace->cut_rate);
	} else if (pace->cuts > 0) {
		pace->cut_share = larger(pace->cut_share, share);
		cut(pace, share, now_ns);
	} else if (!too_many) {
		/* Only failed cuts raise it: it would follow an overload. */
		pace->failing
		    += 0.3 * (smaller(share, pace->failing) - pace->failing);
	} else if (pace->rate <= CUT_LEAST) {
		disregard(pace, share, pace->rate);
	} else {
		pace->cut_share = share;
		pace->cut_rate = pace->rate;
		cut(pace, share, now_ns);
	}
}

static void
keep(struct pace *pace, int64_t now_ns)
{
	pace->phase = PACE_KEEPING;
	pace->kept_ns = now_ns;
	pace->try_ns = now_ns + pace->try_gap_ns;
	pace->forty = (struct pace_count) { 0 };
}

/* Back to the half, as doubling did not pay: SERVED a second. */
static void
end_finding(struct pace *pace, double served, int64_t now_ns)
{
	double half = pace->rate / 2;

	pace->limit = larger(half, served);
	set_rate(pace, half);
	keep(pace, now_ns);
	pace->base = pace->paid.starts >= BASE_LEAST ? share_of(pace->paid) : 0;
	pace->base_ns = now_ns;
}

/* More are refused in the interval than were at half of its rate. */
static bool
meets_limit(const struct pace *pace)
{
	struct pace_count now = pace->interval;
	double before = share_of(pace->paid);

	return pace->paid.starts >= BASE_LEAST
	    && now.bad > (before + FINDING_OVER
	                     + DEVIATIONS * deviation(before, now.starts))
	        * now.starts;
}

/*
 * Whether chance may have made the share of refusals in the interval differ
 * from the share before: too few starts to say that the service has a limit.
 * The deviation is that of a difference of two shares.
 */
static bool
may_be_chance(const struct pace *pace, int64_t now_ns)
{
	struct pace_count now = pace->interval;
	struct pace_count before = pace->paid;
	struct pace_count both
	    = { now.starts + before.starts, now.bad + before.bad };
	double apart = share_of(now) - share_of(before);

	if (now.starts >= FORTY || now_ns - pace->interval_ns >= INTERVAL_NS)
		return false;
	return now.starts == 0 || before.starts == 0
	    || apart <= SHARES_APART
	        * deviation(share_of(both),
	            (double)now.starts * before.starts / both.starts);
}

void
pace_refused(
    struct pace *pace, int64_t now_ns, int64_t began_ns, int64_t stated_ns)
{
	pace->second.bad++;
	pace->quiet = 0;
	if (began_ns >= pace->kept_ns)
		pace->forty.bad++;
	if (began_ns >= pace->interval_ns)
		pace->interval.bad++;
	if (pace->phase == PACE_FINDING && pace->served > 0
	    && pace->interval.bad >= MANY_REFUSED
	    && pace->interval.bad * 2 > pace->interval.starts
	    && !may_be_chance(pace, now_ns)) {
		end_finding(pace, 0, now_ns);
		begin_interval(pace, now_ns);
	}
	if (pace->phase != PACE_KEEPING || began_ns < pace->kept_ns)
		return;
	pace->stated_ns = stated_ns;
	pace->limit = pace->rate;
	set_rate(pace, pace->rate * (1 - KEEP_CUT));
}

/* The interval is full. False: it goes on, as it does not tell enough. */
static bool
find(struct pace *pace, double served, bool failing, int64_t now_ns)
{
	struct pace_count count = pace->interval;

	/* Nobody came: that says nothing of the service. */
	if (count.starts == 0)
		return true;
	if (pace->served > 0
	    && (served < DOUBLING_PAYS * pace->served || meets_limit(pace))) {
		if (may_be_chance(pace, now_ns))
			return false;
		end_finding(pace, served, now_ns);
	} else if (pace->served <= 0
	    && count.bad >= ALL_REFUSED * count.starts) {
		set_rate(pace, pace->rate / 2);
	} else {
		pace->paid.starts += count.starts;
		pace->paid.bad += count.bad;
		if (pace->paid.starts >= FORTY) {
			pace->base = share_of(pace->paid);
			pace->base_ns = now_ns;
		}
		pace->served = failing ? 0 : larger(served, 0.01);
		if (!failing)
			set_rate(pace, pace->rate * 2);
	}
	return true;
}

static void
end_try(struct pace *pace, double served, int64_t now_ns)
{
	if (served >= TRY_PAYS * pace->served) {
		pace->phase = PACE_FINDING;
		pace->served = served;
		pace->paid = pace->interval;
		/* The refusals that came with this rate are no base of it. */
		pace->base = smaller(share_of(pace->paid), pace->share);
		pace->paid.bad = (uint32_t)(pace->base * pace->paid.starts);
		pace->base_ns = now_ns;
		pace->try_gap_ns = TRY_NS;
		set_rate(pace, pace->rate * 2);
	} else {
		pace->try_gap_ns = min_ns(MOST_TRY_NS, 2 * pace->try_gap_ns);
		set_rate(pace, pace->tried_from);
		keep(pace, now_ns);
	}
}

/* The rate grows at the end of a second in which something was served. */
static void
grow(struct pace *pace, int64_t now_ns)
{
	/* How many seconds a refusal costs its run. */
	double stated = larger(1, (double)pace->stated_ns / (double)NS_PER_S);
	double cost = smaller(0.9, pace_base(pace, now_ns) + KEEP_COST);
	double rate = pace->rate;

	if (rate < 0.85 * pace->limit)
		rate = smaller(rate * 1.15, 0.86 * pace->limit);
	else if (pace->quiet >= FORTY
	    && (double)(now_ns - pace->refused_ns)
	        > 10 * stated * (double)NS_PER_S)
		rate *= 1.15;
	else
		rate *= power(1 + KEEP_CUT * cost / (1 - cost) / stated,
		    pace->second.starts - pace->second.bad);
	set_rate(pace, rate);
}

/*
 * Tries, after a while with many refusals, whether a higher rate pays. A try
 * costs refusals; it comes soon if there are far more than a limit costs, as
 * then they may be chance.
 */
static void
consider_try(struct pace *pace, double served, int64_t now_ns)
{
	double most = pace_base(pace, now_ns) + TRY_SOON * KEEP_COST;
	int64_t try_ns
	    = pace->try_ns + (pace->share > most ? 0 : 3 * pace->try_gap_ns);

	if (now_ns < try_ns || pace->share <= TRY_SHARE
	    || pace->stated_ns > TRY_STATED_NS
	    || pace->interval.starts < INTERVAL_LEAST)
		return;
	pace->phase = PACE_TRYING;
	pace->served = larger(served, 0.01);
	pace->tried_from = pace->rate;
	set_rate(pace, pace->rate * TRY_FACTOR);
}

static void
remember_forty(struct pace *pace, int64_t now_ns)
{
	if (pace->forty.starts < FORTY)
		return;
	pace->share = share_of(pace->forty);
	pace->forty = (struct pace_count) { 0 };
	if (pace->share < pace_base(pace, now_ns))
		pace->base += 0.3 * (pace->share - pace->base);
}

void
pace_end_second(struct pace *pace)
{
	int64_t now_ns = pace->second_ns + NS_PER_S;
	const struct pace_count ended = pace->interval;
	int64_t length_ns = now_ns - pace->interval_ns;
	bool full = length_ns >= INTERVAL_NS
	    || (length_ns >= NS_PER_S
	        && ended.starts >= (ended.bad > 0 ? INTERVAL_REFUSED_LEAST
	                                          : INTERVAL_LEAST));
	double served = ((double)ended.starts - ended.bad)
	    / ((double)length_ns / (double)NS_PER_S);
	/* Some have failed; too few have started to say if that is too many. */
	bool failing = pace->look.bad > 0 && pace->look.starts < LOOK_STARTS;

	look_at_failures(pace, now_ns);
	remember_forty(pace, now_ns);
	if (pace->interval_ns == now_ns)
		full = false; /* a cut has begun another one */
	switch (pace->phase) {
	case PACE_FINDING:
		full = full && find(pace, served, failing, now_ns);
		break;
	case PACE_TRYING:
		if (full)
			end_try(pace, served, now_ns);
		break;
	case PACE_KEEPING:
		if (!failing && now_ns >= pace->calm_ns
		    && pace->second.starts > pace->second.bad)
			grow(pace, now_ns);
		if (full)
			consider_try(pace, served, now_ns);
		break;
	}
	if (full)
		begin_interval(pace, now_ns);
	pace->second_ns = now_ns;
	pace->second = (struct pace_count) { 0 };
}
