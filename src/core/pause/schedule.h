/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_PAUSE_SCHEDULE_H
#define BACKOFF_CORE_PAUSE_SCHEDULE_H
/*
 * How long the pauses are: random numbers, windows, ranges and draws. Times
 * are int64 nanoseconds and saturate instead of overflowing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Its source of bits can be replaced, for tests with known numbers. */
struct random {
	uint64_t (*bits)(struct random *); /* 64 uniform bits */
	uint64_t state;
};

/* SplitMix64 (Steele, Lea, Flood 2014) from SEED: passes BigCrush. */
struct random random_from(uint64_t seed);

/*
 * Uniform in [low, high], ends included, low <= high, without bias. Does not
 * advance the generator if low == high.
 */
int64_t random_between(struct random *random, int64_t low, int64_t high);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_unit(struct random *random);

enum growth {
	GROWTH_EXPONENTIAL,
	GROWTH_BINARY,
	GROWTH_LINEAR,
	GROWTH_QUADRATIC,
	GROWTH_CUBIC,
	GROWTH_FIBONACCI,
	GROWTH_CONSTANT,
};

enum jitter_kind {
	JITTER_NONE,
	JITTER_FULL,
	JITTER_EQUAL,
	JITTER_DECORRELATED,
	JITTER_SMOOTH,
	JITTER_SCALE, /* w * U[low, high] */
	JITTER_SPREAD, /* w +- spread */
	JITTER_ADD, /* w + U[0, spread] */
};

struct jitter {
	enum jitter_kind kind;
	double low, high; /* of JITTER_SCALE, 0 <= low <= high */
	int64_t spread_ns; /* of JITTER_SPREAD and JITTER_ADD */
};

enum cap_mode {
	CAP_WINDOW, /* the window shrinks until no draw can exceed the cap */
	CAP_BEFORE, /* the window is capped, a draw may exceed it */
	CAP_AFTER, /* a draw beyond the cap becomes the cap */
};

/* The settings of a schedule. */
struct policy {
	int64_t base_ns;
	double factor; /* >= 1 */
	int64_t cap_ns; /* > 0, or DURATION_INF */
	int64_t floor_ns;
	enum growth growth;
	const int64_t *delays_ns; /* the windows themselves, or NULL */
	size_t delays;
	struct jitter jitter;
	int64_t throttle_base_ns;
	enum cap_mode cap_mode;
	int64_t max_exponent; /* failures after which windows stop growing */
	int64_t slot_ns; /* pauses are whole multiples of it; 0: of 1 ns */
#define SLOT_IS_BASE (-1) /* until the base is known */
};

/* A schedule in use: decorrelated and smooth jitter depend on the past. */
struct schedule {
	const struct policy *policy;
	struct random *random;
	int64_t previous_ns; /* the pause drawn last, for decorrelated */
	double previous_curve; /* the last value of the curve, for smooth */
};

struct range {
	int64_t low_ns;
	int64_t high_ns; /* >= low_ns */
};

/* The next pause is a first one. */
struct schedule schedule_start(
    const struct policy *policy, struct random *random);

/* Window N >= 1 before cap and jitter. */
int64_t schedule_window(const struct policy *policy, int64_t n);

/*
 * The range of the pause after failure N >= 1. With THROTTLED it is computed
 * from the throttle base.
 */
struct range schedule_range(
    const struct schedule *schedule, int64_t n, bool throttled);

/* Draws that pause, >= 0. */
int64_t schedule_draw(struct schedule *schedule, int64_t n, bool throttled);

/* Records a pause drawn elsewhere: decorrelated jitter continues from it. */
void schedule_remember(struct schedule *schedule, int64_t pause_ns);

/* base^exponent for base >= 0, exponent >= 0; infinity if too large. */
double power(double base, int64_t exponent);

/* 2^t * tanh(sqrt(4t)), 0 <= t < 1000: the curve of Polly's jitter. */
double polly_curve(double t);

#endif
