/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATION_SERVICE_H
#define BACKOFF_CORE_SIMULATION_SERVICE_H
/*
 * What the clients of a simulation want to be served by.
 */

#include <stdint.h>

struct service {
	int64_t down_ns; /* >= 0 */
	/* Served a second; 0.5: one every 2 seconds. What is beyond it fails.
	 * 0, with a limit: all that the limit lets through. */
	double capacity;
	/* The share of requests that fail by themselves, 0..0.99; they take
	 * as much of the capacity as others. */
	double failures;

	/* Requests a second that are not refused, and how many more at once:
	 * a leaky bucket, as of nginx. A limit of 0: there is none. */
	double limit, burst;
	double refusals; /* the share refused by chance, 0..0.99 */
	int64_t retry_after_ns; /* what a refusal asks for; 0: nothing */
	int64_t late_ns; /* how far apart requests arrive that start at once */
};

/* How many a second it serves at most. */
static inline double
service_rate(const struct service *service)
{
	return service->capacity > 0 ? service->capacity : service->limit;
}

#endif
