/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/charts/histogram.h"

struct histogram
histogram_in(int64_t *counts, size_t buckets, int64_t bucket_ns)
{
	for (size_t i = 0; i < buckets; i++)
		counts[i] = 0;
	return (struct histogram) {
		.counts = counts,
		.buckets = buckets,
		.bucket_ns = bucket_ns,
		.latest_ns = -1,
	};
}

/* Doubles the width of the buckets, so that they cover twice the time. */
static void
widen(struct histogram *histogram)
{
	size_t half = histogram->buckets / 2;

	for (size_t i = 0; i < half; i++)
		histogram->counts[i]
		    = histogram->counts[2 * i] + histogram->counts[2 * i + 1];
	for (size_t i = half; i < histogram->buckets; i++)
		histogram->counts[i] = 0;
	histogram->bucket_ns *= 2;
}

void
histogram_add(struct histogram *histogram, int64_t at_ns)
{
	while (at_ns / histogram->bucket_ns >= (int64_t)histogram->buckets)
		widen(histogram);
	histogram->counts[at_ns / histogram->bucket_ns]++;
	if (at_ns > histogram->latest_ns)
		histogram->latest_ns = at_ns;
}

void
histogram_columns(const struct histogram *histogram, int64_t until_ns,
    int64_t *columns, size_t count)
{
	int64_t so_far = 0; /* events in the buckets read so far */
	int64_t given = 0; /* events in the columns filled so far */
	size_t bucket = 0;

	for (size_t i = 1; i <= count; i++) {
		int64_t n = (int64_t)count;
		int64_t end_ns
		    = until_ns / n * (int64_t)i + until_ns % n * (int64_t)i / n;
		int64_t share = 0;

		while (bucket < histogram->buckets
		    && end_ns / histogram->bucket_ns > (int64_t)bucket)
			so_far += histogram->counts[bucket++];
		if (bucket < histogram->buckets)
			share = (int64_t)((double)histogram->counts[bucket]
			    * ((double)(end_ns % histogram->bucket_ns)
			        / (double)histogram->bucket_ns));
		columns[i - 1] = so_far + share - given;
		given = so_far + share;
	}
}
