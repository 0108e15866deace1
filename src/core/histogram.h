/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_HISTOGRAM_H
#define BACKOFF_CORE_HISTOGRAM_H
/*
 * How much happens over time, until nobody knows when: counts in buckets
 * that grow wider as the time goes on.
 */

#include <stddef.h>
#include <stdint.h>

struct histogram {
	int64_t *counts; /* the caller's */
	size_t buckets;
	int64_t bucket_ns;
	int64_t latest_ns; /* of what was counted, or -1 */
};

/* BUCKETS is even; each begins with BUCKET_NS > 0. */
struct histogram histogram_in(
    int64_t *counts, size_t buckets, int64_t bucket_ns);

/* One more at AT_NS >= 0. */
void histogram_add(struct histogram *histogram, int64_t at_ns);

/* Where the last bucket ends that is not empty. */
int64_t histogram_end(const struct histogram *histogram);

/*
 * The same in COUNT columns of equal width from 0 to UNTIL_NS > 0, as if
 * each bucket's were spread evenly over it. Nothing is lost but what comes
 * later than that.
 */
void histogram_columns(const struct histogram *histogram, int64_t until_ns,
    int64_t *columns, size_t count);

#endif
