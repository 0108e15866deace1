/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/charts/bar_chart.h"
#include "core/pause/random.h"
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

static void
bar(bool unicode, int64_t width, int64_t value, int64_t most,
    const char *wanted, const char *what)
{
	struct chart chart = chart_of(unicode, width, most);
	int64_t used = chart_bar(&text, &chart, value);

	is_string(text.data, wanted, what);
	is_int(used, cells(), "  and says how wide it is");
}

static void
test_bar(void)
{
	bar(true, 4, 0, 100, "", "nothing is no bar");
	bar(true, 4, 100, 100, "████", "all is the width");
	bar(true, 4, 50, 100, "██", "half is half of it");
	bar(true, 4, 9, 32, "█▏", "behind a full one");
	bar(true, 4, 31, 32, "███▉", "7 of them");
	bar(true, 4, 1, 1000000, "▏", "what is something is seen");
	bar(true, 4, 200, 100, "████", "more than all is all");
	bar(true, 4, -1, 100, "", "less than nothing is nothing");
	bar(true, 4, 0, 0, "", "nothing out of nothing");
	bar(true, 4, INT64_MAX / 2, INT64_MAX, "██", "half of it");
	bar(false, 4, 100, 100, "####", "ASCII");
	bar(false, 4, 60, 100, "##", "the nearest");
	bar(false, 4, 70, 100, "###", "the nearest");
	bar(false, 4, 1, 100, "#", "what is something is seen");
}

static void
interval(bool unicode, int64_t width, int64_t low, int64_t high,
    const char *wanted, const char *what)
{
	struct chart chart = chart_of(unicode, width, 32);
	int64_t used = chart_interval(&text, &chart, low, high);

	is_string(text.data, wanted, what);
	is_int(used, cells(), "  and says how wide it is");
}

static void
test_interval(void)
{
	interval(true, 4, 0, 32, "████", "all of it");
	interval(true, 4, 16, 32, "  ██", "its second half");
	interval(true, 4, 8, 17, " █▏", "ends at an eighth");
	interval(true, 4, 4, 16, "▐█", "begins in the middle of a cell");
	interval(true, 4, 6, 16, " █", "or at the nearest half");
	interval(true, 4, 8, 11, " ▍", "within a cell");
	interval(true, 4, 12, 15, " ▐", "within half a cell");
	interval(true, 4, 12, 20, " ▐▌", "across two");
	interval(true, 4, 8, 8, " ▏", "a point");
	interval(true, 4, 12, 12, " ▐", "in the middle of a cell");
	interval(true, 4, 32, 32, "   ▐", "at the end");
	interval(true, 1, 32, 32, "▐", "its end");
	interval(false, 4, 0, 32, "####", "ASCII");
	interval(false, 4, 16, 32, "  ##", "its second half");
	interval(false, 4, 8, 17, " #", "to the nearest cell");
	interval(false, 4, 32, 32, "   #", "at the end");
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

static void
test_rows(void)
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
static void
test_any(void)
{
	struct random random = random_from(1);
	bool fits = true, monotone = true, counted = true;

	for (int i = 0; i < 20000; i++) {
		struct chart chart = chart_of(random_between(&random, 0, 1),
		    random_between(&random, 1, 200),
		    random_between(&random, 0, 1000));
		int64_t low = random_between(&random, 0, chart.most + 10);
		int64_t high = random_between(&random, low, chart.most + 10);
		int64_t used, more;

		used = chart_interval(&text, &chart, low, high);
		counted = counted && used == cells();
		fits = fits && used >= 1 && used <= chart.width;
		used = chart_bar(fresh(), &chart, low);
		counted = counted && used == cells();
		more = chart_bar(fresh(), &chart, high);
		monotone = monotone && used <= more;
		fits = fits && more <= chart.width && (used > 0) == (low > 0);
	}
	ok(fits, "bars and intervals fit");
	ok(monotone, "  and grow");
	ok(counted, "  and are as wide as they say");
}

TESTS
{
	test_bar();
	test_interval();
	test_rows();
	test_any();
}
