/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/charts/histogram.h"
#include "core/pause/random.h"
#include "unit/tap.h"

#define BUCKETS 8

static int64_t counts[BUCKETS], columns[1000];

static int64_t
sum(const int64_t *numbers, size_t count)
{
	int64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += numbers[i];
	return total;
}

static void
counts_are(
    const int64_t *got, const int64_t *wanted, size_t count, const char *what)
{
	bool same = true;

	for (size_t i = 0; i < count; i++)
		same = same && got[i] == wanted[i];
	ok(same, what);
	for (size_t i = 0; i < count && !same; i++)
		printf("# %zu: got %" PRId64 ", wanted %" PRId64 "\n", i,
		    got[i], wanted[i]);
}

static void
test_buckets(void)
{
	struct histogram histogram = histogram_in(counts, BUCKETS, 10);

	is_int(histogram.latest_ns, -1, "nothing has no end");
	histogram_add(&histogram, 0);
	histogram_add(&histogram, 9);
	histogram_add(&histogram, 10);
	histogram_add(&histogram, 79);
	counts_are(counts, (int64_t[]) { 2, 1, 0, 0, 0, 0, 0, 1 }, BUCKETS,
	    "each bucket its own");
	histogram_add(&histogram, 80);
	is_int(histogram.bucket_ns, 20, "beyond the last they grow wider");
	counts_are(counts, (int64_t[]) { 3, 0, 0, 1, 1, 0, 0, 0 }, BUCKETS,
	    "  and keep what they have");
	histogram_add(&histogram, 1279);
	counts_are(counts, (int64_t[]) { 5, 0, 0, 0, 0, 0, 0, 1 }, BUCKETS,
	    "  and as often as needed");
	histogram_add(&histogram, 3);
	is_int(counts[0], 6, "what is earlier is counted as well");
	is_int(histogram.latest_ns, 1279, "  and is not the latest");

	histogram_add(&histogram, INT64_MAX);
	is_int(sum(counts, BUCKETS), 8, "never is no matter");
}

static void
test_columns(void)
{
	struct histogram histogram = histogram_in(counts, BUCKETS, 10);

	for (int64_t at = 0; at < 80; at++)
		histogram_add(&histogram, at);
	histogram_columns(&histogram, 80, columns, 4);
	counts_are(columns, (int64_t[]) { 20, 20, 20, 20 }, 4,
	    "fewer columns than buckets");
	histogram_columns(&histogram, 80, columns, 16);
	counts_are(columns, (int64_t[]) { 5, 5, 5, 5, 5, 5, 5, 5 }, 8,
	    "more columns than buckets");
	histogram_columns(&histogram, 75, columns, 3);
	counts_are(
	    columns, (int64_t[]) { 25, 25, 25 }, 3, "what comes later is not");
	histogram_columns(&histogram, INT64_MAX, columns, 1000);
	is_int(columns[0], 80, "at the start of ages");
	is_int(sum(columns, 1000), 80, "  nothing else is");
}

static void
test_conservation(void)
{
	struct random random = random_from(1);
	bool kept = true, positive = true;

	for (int i = 0; i < 500; i++) {
		struct histogram histogram = histogram_in(
		    counts, BUCKETS, random_between(&random, 1, 50));
		int64_t span = random_between(&random, 0, 5000);
		size_t count = (size_t)random_between(&random, 1, 1000);

		for (int j = 0; j < 100; j++)
			histogram_add(
			    &histogram, random_between(&random, 0, span));
		kept = kept && sum(counts, BUCKETS) == 100;
		histogram_columns(
		    &histogram, histogram.bucket_ns * BUCKETS, columns, count);
		kept = kept && sum(columns, count) == 100;
		for (size_t j = 0; j < count; j++)
			positive = positive && columns[j] >= 0;
	}
	ok(kept, "nothing is lost in buckets or columns");
	ok(positive, "and no column is below 0");
}

TESTS
{
	test_buckets();
	test_columns();
	test_conservation();
}
