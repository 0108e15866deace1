/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_CHARTS_HISTOGRAM_H
#define BACKOFF_CORE_CHARTS_HISTOGRAM_H
/*
 * A histogram over time whose end is not known in advance: when the buckets
 * are used up, each becomes twice as wide.
 */

#include <stddef.h>
#include <stdint.h>

struct histogram {
	int64_t *counts; /* the caller owns the memory */
	size_t buckets;
	int64_t bucket_ns;
	int64_t latest_ns; /* time of the latest event, or -1 */
};

/* Starts with BUCKETS buckets, an even number, of BUCKET_NS > 0 each. */
struct histogram histogram_in(
    int64_t *counts, size_t buckets, int64_t bucket_ns);

/* Counts one event at AT_NS >= 0. */
void histogram_add(struct histogram *histogram, int64_t at_ns);

/*
 * Converts the buckets to COUNT columns of equal width from 0 to UNTIL_NS > 0,
 * as if the events of a bucket were spread evenly over it. Only events after
 * UNTIL_NS are left out.
 */
void histogram_columns(const struct histogram *histogram, int64_t until_ns,
    int64_t *columns, size_t count);

#endif
