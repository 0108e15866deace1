/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/charts/charts.h"
#include "core/pause/schedule.h"
#include "unit/fresh.h"
#include "unit/tap.h"

static struct chart
chart_of(bool unicode, int64_t width, int64_t most)
{
	fresh();
	return (struct chart) {
		.width = width, .height = 1, .most = most, .unicode = unicode
	};
}

/* Counts characters, each of which takes one cell. */
static int64_t
cells(void)
{
	int64_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	return count;
}

TEST(bars)
{
	static const struct {
		const char *what;
		bool unicode;
		int64_t width, low, high, most;
		const char *wanted;
	} rows[] = {
		{ "nothing is no bar", true, 4, 0, 0, 100, "" },
		{ "all is the width", true, 4, 0, 100, 100, "████" },
		{ "half is half of it", true, 4, 0, 50, 100, "██" },
		{ "behind a full one", true, 4, 0, 9, 32, "█▏" },
		{ "7 of them", true, 4, 0, 31, 32, "███▉" },
		{ "something is seen", true, 4, 0, 1, 1000000, "▏" },
		{ "more than all is all", true, 4, 0, 200, 100, "████" },
		{ "less than nothing", true, 4, 0, -1, 100, "" },
		{ "nothing out of nothing", true, 4, 0, 0, 0, "" },
		{ "half of the most", true, 4, 0, INT64_MAX / 2, INT64_MAX,
		    "██" },
		{ "ASCII", false, 4, 0, 100, 100, "####" },
		{ "  the nearest", false, 4, 0, 60, 100, "##" },
		{ "  the nearest", false, 4, 0, 70, 100, "###" },
		{ "  something is seen", false, 4, 0, 1, 100, "#" },

		/* That begin later. */
		{ "the second half", true, 4, 16, 32, 32, "  ██" },
		{ "ends at an eighth", true, 4, 8, 17, 32, " █▏" },
		{ "begins with a cell", true, 4, 4, 16, 32, " █" },
		{ "within a cell", true, 4, 8, 11, 32, " ▍" },
		{ "across two", true, 4, 11, 20, 32, " █▌" },
		{ "a point", true, 4, 8, 8, 32, " ▏" },
		{ "in the middle of a cell", true, 4, 12, 12, 32, "  ▏" },
		{ "at the end", true, 4, 32, 32, 32, "   █" },
		{ "the end of one cell", true, 1, 32, 32, 32, "█" },
		{ "ASCII: the second half", false, 4, 16, 32, 32, "  ##" },
		{ "  to the nearest cell", false, 4, 8, 17, 32, " #" },
		{ "  at the end", false, 4, 32, 32, 32, "   #" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct chart chart
		    = chart_of(rows[i].unicode, rows[i].width, rows[i].most);

		chart_bar(&text, &chart, rows[i].low, rows[i].high);
		is_string(text.data, rows[i].wanted, rows[i].what);
	}
}

static void
row(const struct chart *chart, int64_t number, const char *wanted,
    const char *what)
{
	static const int64_t values[]
	    = { 0, 1, 8, 12, 16, 17, 20, 24, 28, 30, 32, 0, 0 };

	chart_row(fresh(), chart, values, number);
	is_string(text.data, wanted, what);
}

TEST(rows)
{
	struct chart chart = chart_of(true, 13, 32);

	row(&chart, 1, " ▁▂▃▄▄▅▆▇██", "columns of one row");
	chart.height = 4;
	row(&chart, 1, "        ▄▆█", "the uppermost of four");
	row(&chart, 4, " ▁█████████", "the lowest of four");
	chart.unicode = false;
	row(&chart, 1, "        -+#", "in ASCII");
	row(&chart, 4, " .#########", "and the lowest");
	chart.height = 1;
	row(&chart, 1, " ..:--=+*##", "one row in ASCII");
	chart.most = 1000000;
	row(&chart, 1, " ..........", "what is something is seen");
	chart.most = 0;
	row(&chart, 1, " ##########", "out of nothing");
	chart.width = 1;
	row(&chart, 1, "", "one column of nothing");
	chart.most = 5;
	chart.height = 100;
	row(&chart, 1, "", "  however high");
}

/* Random numbers: a bar is never too wide, and never shorter for more. */
TEST(any)
{
	struct random random = random_from(1);
	bool fits = true, monotone = true;

	for (int i = 0; i < 20000; i++) {
		struct chart chart = chart_of(random_between(&random, 0, 1),
		    random_between(&random, 1, 200),
		    random_between(&random, 0, 1000));
		int64_t low = random_between(&random, 0, chart.most + 10);
		int64_t high = random_between(&random, low, chart.most + 10);
		int64_t used;

		chart_bar(&text, &chart, low, high);
		fits = fits && (cells() > 0) == (high > 0)
		    && cells() <= chart.width;
		chart_bar(fresh(), &chart, 0, low);
		used = cells();
		chart_bar(fresh(), &chart, 0, high);
		monotone = monotone && used <= cells();
		fits
		    = fits && cells() <= chart.width && (used > 0) == (low > 0);
	}
	ok(fits, "bars fit");
	ok(monotone, "  and grow");
}

/* A histogram. */

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

TEST(buckets)
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

TEST(columns)
{
	struct histogram histogram = histogram_in(counts, BUCKETS, 10);

	for (int64_t at = 0; at < 80; at++)
		histogram_add(&histogram, at);
	histogram_columns(&histogram, 20, columns, 4);
	counts_are(columns, (int64_t[]) { 20, 20, 20, 20 }, 4, "wide columns");
	histogram_columns(&histogram, 5, columns, 16);
	counts_are(columns, (int64_t[]) { 5, 5, 5, 5, 5, 5, 5, 5 }, 8,
	    "more columns than buckets");
	histogram_columns(&histogram, 25, columns, 3);
	counts_are(
	    columns, (int64_t[]) { 25, 25, 25 }, 3, "what comes later is not");
	histogram_columns(&histogram, INT64_MAX / 1000, columns, 1000);
	is_int(columns[0], 80, "at the start of ages");
	is_int(sum(columns, 1000), 80, "  nothing else is");
}

TEST(conservation)
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
		histogram_columns(&histogram,
		    histogram.bucket_ns * BUCKETS / (int64_t)count + 1, columns,
		    count);
		kept = kept && sum(columns, count) == 100;
		for (size_t j = 0; j < count; j++)
			positive = positive && columns[j] >= 0;
	}
	ok(kept, "nothing is lost in buckets or columns");
	ok(positive, "and no column is below 0");
}
