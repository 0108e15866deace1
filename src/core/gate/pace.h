/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_PACE_H
#define BACKOFF_CORE_GATE_PACE_H
/*
 * The pace of a gate: how many attempts a second may start. It finds the rate
 * of a service without being told, by doubling while that pays, and keeps it
 * by the share of attempts that are refused: told to slow down.
 *
 * Starts are counted, as refusals come at once and successes late, and time
 * alone makes starts: neither they nor successes need be written down.
 *
 * Times are nanoseconds >= 0 of the clock of the gate (gate.h).
 */

#include <stdbool.h>
#include <stdint.h>

#define PACE_LEAST 0.2 /* starts a second */
#define PACE_FIRST 2.0
#define PACE_MOST 512.0

enum pace_phase {
	PACE_FINDING, /* doubles while that pays */
	PACE_KEEPING, /* near the limit */
	PACE_TRYING, /* for one interval, whether more would pay */
};

/* Starts, and how many of them were refused, or failed. */
struct pace_count {
	uint32_t starts, bad;
};

/* A second or more in which the rate stayed. */
struct pace_interval {
	int64_t since_ns;
	double rate;
	struct pace_count count; /* refusals are of attempts that began in it */
};

struct pace {
	enum pace_phase phase;
	double rate; /* starts a second, PACE_LEAST..PACE_MOST */
	double limit; /* of the service; 0: not known */
	int64_t second_ns; /* when the running second began */
	struct pace_count second; /* starts and refusals in it */

	/* The running one, and what the last that paid served a second. */
	struct pace_interval interval;
	double served; /* 0: none has paid yet */
	struct pace_count paid; /* in the intervals that did */

	/* Refusals that have nothing to do with the rate. */
	double base; /* their share of the starts */
	int64_t base_ns; /* when that was found */
	struct pace_count forty; /* the last forty starts, still running */
	double share; /* of refusals, in the forty before */

	int64_t kept_ns; /* earlier attempts say nothing of this rate */
	int64_t refused_ns; /* the last refusal */
	int64_t stated_ns; /* how long it asked to wait, or 0 */
	uint32_t quiet; /* starts since */

	int64_t try_ns,
	    try_gap_ns; /* the next try, and how far apart they are */
	double tried_from; /* the rate before a try */

	/* Failures that are no refusals. */
	struct pace_count look; /* since they were last looked at */
	double failing; /* the share that has nothing to do with the rate */
	uint8_t cuts; /* of the rate, which have not helped yet */
	double cut_share, cut_rate; /* before them */
	bool settles; /* the service still has what came before the last cut */
	int64_t calm_ns; /* the rate does not grow until then */
};

/*
 * The pacing begins: at half of the limit, or at PACE_FIRST where none is
 * known. What was learned of the service stays.
 */
void pace_begin(struct pace *pace, int64_t now_ns);

/* Brings numbers that were read from outside into their limits. */
void pace_limit(struct pace *pace);

/* The time between two starts. */
int64_t pace_gap_ns(const struct pace *pace);

/* An attempt has started. */
void pace_start(struct pace *pace);

/* The running second is over: judges it. */
void pace_end_second(struct pace *pace);

/*
 * An attempt that began at BEGAN_NS was refused, and asked to wait for
 * STATED_NS, or 0.
 */
void pace_refused(
    struct pace *pace, int64_t now_ns, int64_t began_ns, int64_t stated_ns);

/* An attempt that began at BEGAN_NS has failed without being refused. */
void pace_failed(struct pace *pace, int64_t began_ns);

/* The share of refusals at NOW_NS that have nothing to do with the rate. */
double pace_base(const struct pace *pace, int64_t now_ns);

/*
 * How long it takes at least until COUNT attempts have started, if the pacing
 * begins now, and each doubling pays.
 */
int64_t pace_soonest_ns(const struct pace *pace, uint64_t count);

#endif
