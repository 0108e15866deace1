/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "duration.h"
#include "load.h"

struct load
load_in(int64_t *counts, size_t buckets, int64_t bucket_ns)
{
	for (size_t i = 0; i < buckets; i++)
		counts[i] = 0;
	return (struct load) {
		.counts = counts,
		.buckets = buckets,
		.bucket_ns = bucket_ns,
		.latest_ns = -1,
	};
}

/* Twice as long a time, in buckets twice as wide. */
static void
widen(struct load *load)
{
	size_t half = load->buckets / 2;

	for (size_t i = 0; i < half; i++)
		load->counts[i] = load->counts[2 * i] + load->counts[2 * i + 1];
	for (size_t i = half; i < load->buckets; i++)
		load->counts[i] = 0;
	load->bucket_ns *= 2;
}

void
load_add(struct load *load, int64_t at_ns)
{
	while (at_ns / load->bucket_ns >= (int64_t)load->buckets)
		widen(load);
	load->counts[at_ns / load->bucket_ns]++;
	if (at_ns > load->latest_ns)
		load->latest_ns = at_ns;
}

int64_t
load_end(const struct load *load)
{
	if (load->latest_ns < 0)
		return 0;
	return saturating_multiply(
	    load->bucket_ns, load->latest_ns / load->bucket_ns + 1);
}

void
load_columns(
    const struct load *load, int64_t until_ns, int64_t *columns, size_t count)
{
	int64_t so_far = 0; /* in whole buckets, and in whole columns: */
	int64_t given = 0;
	size_t bucket = 0;

	for (size_t i = 1; i <= count; i++) {
		int64_t n = (int64_t)count;
		int64_t end_ns
		    = until_ns / n * (int64_t)i + until_ns % n * (int64_t)i / n;
		int64_t share = 0;

		while (bucket < load->buckets
		    && end_ns / load->bucket_ns > (int64_t)bucket)
			so_far += load->counts[bucket++];
		if (bucket < load->buckets)
			share = (int64_t)((double)load->counts[bucket]
			    * ((double)(end_ns % load->bucket_ns)
			        / (double)load->bucket_ns));
		columns[i - 1] = so_far + share - given;
		given = so_far + share;
	}
}
