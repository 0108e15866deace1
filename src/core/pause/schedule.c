/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/pause/schedule.h"

/* --- random numbers --- */

static uint64_t
splitmix64(struct random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct random
random_from(uint64_t seed)
{
	return (struct random) { .bits = splitmix64, .state = seed };
}

/* Returns the upper 64 bits of a * b; sets *LOW to the lower ones. */
static uint64_t
multiply(uint64_t a, uint64_t b, uint64_t *low)
{
	uint64_t a_low = a & UINT32_MAX, a_high = a >> 32;
	uint64_t b_low = b & UINT32_MAX, b_high = b >> 32;
	uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
	uint64_t carry = (middle & UINT32_MAX) + a_low * b_high;

	*low = a * b;
	return a_high * b_high + (middle >> 32) + (carry >> 32);
}

/*
 * Lemire 2019, "Fast random integer generation in an interval": the upper
 * half of bits * span, drawn again in the few cases that would favour
 * some results.
 */
int64_t
random_between(struct random *random, int64_t low, int64_t high)
{
	uint64_t span = (uint64_t)high - (uint64_t)low + 1;
	uint64_t offset, rest;

	if (low == high)
		return low;
	if (span == 0)
		return (int64_t)random->bits(random);
	do
		offset = multiply(random->bits(random), span, &rest);
	while (rest < -span % span);
	return (int64_t)((uint64_t)low + offset);
}

double
random_unit(struct random *random)
{
	return (double)(random->bits(random) >> 11) * 0x1p-53;
}

/* --- real numbers, without libm, which would cost 300 kB of memory --- */

double
power(double base, int64_t exponent)
{
	double result = 1;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			result *= base;
		base *= base;
	}
	return result;
}

/* e^x for 0 <= x: a Taylor series for x / 2^k below 1/4, then squared. */
static double
exponential(double x)
{
	double sum = 1, term = 1;
	int halvings = 0;

	for (; x > 0.25; x /= 2)
		halvings++;
	for (int i = 1; i < 15; i++) {
		term *= x / i;
		sum += term;
	}
	for (; halvings > 0; halvings--)
		sum *= sum;
	return sum;
}

/* By Newton's method, which closes in from above. */
static double
square_root(double x)
{
	double root = x > 1 ? x : 1;

	for (double next = (root + x / root) / 2; next < root;
	     next = (root + x / root) / 2)
		root = next;
	return root;
}

double
polly_curve(double t)
{
	int64_t whole = (int64_t)t;
	double two_to_t = power(2, whole)
	    * exponential((t - (double)whole) * 0.693147180559945309417);
	double y = square_root(4 * t);

	/* tanh(y) is 1 in a double from 20 on. */
	if (y < 20)
		two_to_t *= 1 - 2 / (exponential(2 * y) + 1);
	return two_to_t;
}

/* --- windows --- */

/*
 * NS * BY, rounded down, saturating. The comparison comes before the cast,
 * which is undefined beyond int64. Adding a thousandth of a nanosecond keeps
 * a product that should be whole from being rounded down because of the last
 * bit of a double.
 */
static int64_t
times(int64_t ns, double by)
{
	double product;

	if (ns == 0)
		return 0;
	product = (double)ns * by + 0.001;
	return product < 0x1p63 ? (int64_t)product : DURATION_INF;
}

static int64_t
fibonacci(int64_t n)
{
	int64_t a = 0, b = 1;

	for (; n > 1 && b < DURATION_INF; n--) {
		int64_t sum = saturating_add(a, b);

		a = b;
		b = sum;
	}
	return b;
}

/* Window N of a schedule that begins with BASE_NS. */
static int64_t
grow(const struct policy *policy, int64_t base_ns, int64_t n)
{
	int64_t steps = min_ns(n, policy->max_exponent);

	switch (policy->growth) {
	case GROWTH_EXPONENTIAL:
		return times(base_ns, power(policy->factor, steps - 1));
	case GROWTH_BINARY:
		return times(base_ns, power(policy->factor, steps) - 1);
	case GROWTH_LINEAR:
	case GROWTH_QUADRATIC:
	case GROWTH_CUBIC: /* steps to the power of 1, 2 or 3 */
		for (int of = GROWTH_LINEAR; of <= (int)policy->growth; of++)
			base_ns = saturating_multiply(base_ns, steps);
		break;
	case GROWTH_FIBONACCI:
		return saturating_multiply(base_ns, fibonacci(steps));
	case GROWTH_CONSTANT:
		break;
	}
	return base_ns;
}

int64_t
schedule_window(const struct policy *policy, int64_t n)
{
	int64_t last = (int64_t)policy->delays;

	if (policy->delays_ns != NULL)
		return policy->delays_ns[min_ns(n, last) - 1];
	return grow(policy, policy->base_ns, n);
}

/* --- ranges and draws --- */

/* The widest window whose range ends at CAP_NS; negative if there is none. */
static int64_t
widest(const struct jitter *jitter, int64_t cap_ns)
{
	if (jitter->kind == JITTER_SCALE)
		return jitter->high > 0 ? times(cap_ns, 1 / jitter->high)
		                        : DURATION_INF;
	if (jitter->kind == JITTER_SPREAD || jitter->kind == JITTER_ADD)
		return max_ns(cap_ns - jitter->spread_ns, -1);
	return cap_ns;
}

/* The range that the jitter makes of a window; its ends may be below 0. */
static struct range
spread(const struct policy *policy, int64_t window)
{
	const struct jitter *jitter = &policy->jitter;

	switch (jitter->kind) {
	case JITTER_FULL:
		return (struct range) { 0, window };
	case JITTER_EQUAL:
		return (struct range) { window / 2, window };
	case JITTER_DECORRELATED:
		return (struct range) { policy->base_ns, window };
	case JITTER_SCALE:
		return (struct range) { times(window, jitter->low),
			times(window, jitter->high) };
	case JITTER_SPREAD:
		return (struct range) { window - jitter->spread_ns,
			saturating_add(window, jitter->spread_ns) };
	case JITTER_ADD:
		return (struct range) { window,
			saturating_add(window, jitter->spread_ns) };
	case JITTER_NONE:
	case JITTER_SMOOTH: /* has no window, see smooth_range() */
		break;
	}
	return (struct range) { window, window };
}

static struct range
lower_to(struct range range, int64_t most)
{
	range.high_ns = min_ns(range.high_ns, most);
	range.low_ns = min_ns(range.low_ns, range.high_ns);
	return range;
}

/*
 * The step of Polly v8's DecorrelatedJitterBackoffV2, from the last draw's
 * point of the curve to T >= 0; cap + 1 if it exceeds the cap.
 */
static int64_t
smooth_step(const struct schedule *schedule, double t)
{
	int64_t cap_ns = schedule->policy->cap_ns;

	if (t < 1000) {
		double step = (double)schedule->policy->base_ns
		    * ((polly_curve(t) - schedule->previous_curve) / 1.4);

		if (step < 0x1p63 && (int64_t)step <= cap_ns)
			return (int64_t)step;
	}
	return saturating_add(cap_ns, 1);
}

/*
 * Where the curve exceeds the cap, the range is the upper half below the cap,
 * or the cap itself.
 */
static struct range
smooth_range(const struct schedule *schedule, int64_t n)
{
	int64_t cap_ns = schedule->policy->cap_ns;
	int64_t low = smooth_step(schedule, (double)(n - 1));
	int64_t high = smooth_step(schedule, (double)n);

	if (high <= cap_ns)
		return (struct range) { low, high };
	if (schedule->policy->cap_mode == CAP_WINDOW)
		low = min_ns(low, cap_ns / 2);
	return (struct range) { min_ns(low, cap_ns), cap_ns };
}

static int64_t
smooth_draw(struct schedule *schedule, int64_t n)
{
	int64_t cap_ns = schedule->policy->cap_ns;
	double t = (double)(n - 1) + random_unit(schedule->random);
	int64_t step = smooth_step(schedule, t);

	if (t < 1000)
		schedule->previous_curve = polly_curve(t);
	if (step <= cap_ns)
		return step;
	if (schedule->policy->cap_mode != CAP_WINDOW)
		return cap_ns;
	return random_between(schedule->random, cap_ns / 2, cap_ns);
}

static struct range
throttled_range(const struct policy *policy, int64_t n)
{
	int64_t window = grow(policy, policy->throttle_base_ns, n);
	bool drawn = policy->jitter.kind != JITTER_NONE;

	/* A list has no base; use at least the throttle base as the window. */
	if (policy->delays_ns != NULL)
		window = max_ns(
		    policy->throttle_base_ns, schedule_window(policy, n));
	window = min_ns(window, policy->cap_ns);
	return (struct range) { drawn ? window / 2 : window, window };
}

/* The range without floor, slots and CAP_AFTER. */
static struct range
range_of(const struct schedule *schedule, int64_t n)
{
	const struct policy *policy = schedule->policy;
	int64_t cap_ns = policy->cap_ns;
	int64_t window = schedule_window(policy, n), widest_ns;
	struct range range;

	if (policy->jitter.kind == JITTER_SMOOTH)
		return smooth_range(schedule, n);
	if (policy->jitter.kind == JITTER_DECORRELATED)
		window = saturating_multiply(schedule->previous_ns, 3);
	if (policy->cap_mode == CAP_BEFORE)
		window = min_ns(window, cap_ns);
	if (policy->cap_mode != CAP_WINDOW)
		return spread(policy, window);
	/*
	 * A window that is too wide shrinks until the upper end of its range
	 * meets the cap.
	 */
	widest_ns = widest(&policy->jitter, cap_ns);
	range = spread(policy, min_ns(window, widest_ns));
	if (window > widest_ns)
		range.high_ns = cap_ns;
	return lower_to(range, cap_ns);
}

/* NS in whole slots: a rest of REST_NS or more counts as one. */
static int64_t
in_slots(int64_t ns, int64_t slot_ns, int64_t rest_ns)
{
	return saturating_multiply(
	    ns / slot_ns + (ns % slot_ns >= rest_ns), slot_ns);
}

/*
 * Applies floor and slots to RANGE. It is rounded inwards, so that all slots
 * are equally likely; but a single pause to the nearest slot.
 */
static struct range
settle(const struct policy *policy, struct range range, bool throttled)
{
	enum jitter_kind kind = policy->jitter.kind;
	bool nearest
	    = kind == JITTER_NONE || (kind == JITTER_SMOOTH && !throttled);
	int64_t floor_ns = policy->floor_ns, slot_ns = policy->slot_ns;
	int64_t half_ns = slot_ns - slot_ns / 2;

	range.high_ns = max_ns(range.high_ns, floor_ns);
	range.low_ns = min_ns(max_ns(range.low_ns, floor_ns), range.high_ns);
	if (slot_ns == 0)
		return range;
	range.low_ns = in_slots(range.low_ns, slot_ns, nearest ? half_ns : 1);
	range.high_ns = max_ns(range.low_ns,
	    in_slots(range.high_ns, slot_ns, nearest ? half_ns : slot_ns));
	return range;
}

/* The longest pause; a draw beyond it becomes it. */
static int64_t
most(const struct policy *policy)
{
	return policy->cap_mode == CAP_AFTER ? policy->cap_ns : DURATION_INF;
}

struct range
schedule_range(const struct schedule *schedule, int64_t n, bool throttled)
{
	const struct policy *policy = schedule->policy;
	struct range range
	    = throttled ? throttled_range(policy, n) : range_of(schedule, n);

	return lower_to(settle(policy, range, throttled), most(policy));
}

int64_t
schedule_draw(struct schedule *schedule, int64_t n, bool throttled)
{
	const struct policy *policy = schedule->policy;
	int64_t slot_ns = max_ns(policy->slot_ns, 1), pause_ns;
	struct range range;

	if (throttled)
		range = throttled_range(policy, n);
	else if (policy->jitter.kind == JITTER_SMOOTH)
		range.low_ns = range.high_ns = smooth_draw(schedule, n);
	else
		range = range_of(schedule, n);
	range = settle(policy, range, throttled);
	/* Uniform among the slots of the range: both ends are one, or inf. */
	pause_ns = range.low_ns == range.high_ns ? range.low_ns
	                                         : slot_ns
	        * random_between(schedule->random, range.low_ns / slot_ns,
	            range.high_ns / slot_ns);
	pause_ns = min_ns(pause_ns, most(policy));
	if (!throttled)
		schedule_remember(schedule, pause_ns);
	return pause_ns;
}

void
schedule_remember(struct schedule *schedule, int64_t pause_ns)
{
	schedule->previous_ns = max_ns(pause_ns, schedule->policy->base_ns);
}

struct schedule
schedule_start(const struct policy *policy, struct random *random)
{
	return (struct schedule) { .policy = policy,
		.random = random,
		.previous_ns = policy->base_ns };
}
