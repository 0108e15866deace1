/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/words/countdown.h"
#include "unit/fresh.h"
#include "unit/tap.h"

/* A line in which the first "@...@" is the time. */
static struct countdown
a_line(const char *marked)
{
	static char line[2 * COUNTDOWN_LINE_MOST];
	struct text marked_off = text_in(line, sizeof line);
	struct countdown countdown = { .line = line };

	for (; *marked != '\0'; marked++)
		if (*marked != '@')
			text_byte(&marked_off, *marked);
		else if (countdown.time.start == 0)
			countdown.time.start = marked_off.length;
		else
			countdown.time.end = marked_off.length;
	countdown.drawn = (int64_t)marked_off.length;
	return countdown;
}

static void
draws(struct countdown *countdown, const char *time, int width,
    const char *wanted, const char *what)
{
	countdown_draw(fresh(), countdown, time, width);
	is_string(buffer, wanted, what);
}

static void
test_one_row(void)
{
	struct countdown countdown = a_line("x: next in @42s@");

	draws(&countdown, "41s", 40, "\rx: next in 41s\033[K",
	    "on one row the line is drawn again");
	draws(&countdown, "9s", 40, "\rx: next in 9s\033[K", "a shorter time");
	is_int(countdown.drawn, 13, "  so much stands there");
	draws(&countdown, NULL, 40, "\rx: next in 42s\033[K",
	    "as it was at first");
	countdown = a_line("x: next in @9s@ (server asked for 8s)");
	countdown.drawn = 0;
	draws(&countdown, "8s", 40,
	    "\rx: next in 8s (server asked for 8s)\033[K",
	    "with what stands behind the time, on another row, too");
}

static void
test_rows(void)
{
	/* 0123456789 0123456789 0123 */
	struct countdown countdown = a_line("0123456789abcdefghijnext@42s@");

	draws(&countdown, "41s", 10, "\rnext41s\033[K",
	    "of several rows the last is drawn again");
	draws(&countdown, "9s", 10, "\rnext9s\033[K", "  also with less on it");
	draws(&countdown, "9s", 13, "\rdefghijnext9s",
	    "  and with another width; a full row keeps its last column");
	draws(&countdown, NULL, 10, "\rnext42s\033[K", "  and as it was");
	countdown.drawn = 0;
	draws(&countdown, "41s", 10, "\r0123456789abcdefghijnext41s\033[K",
	    "where nothing is known of the rows, the whole");

	countdown = a_line("01234567@1m1s@, x");
	draws(&countdown, "59s", 10, "\033[1A\r0123456759s, x\033[K",
	    "a time across two rows: one up");
	draws(&countdown, "1m", 10, "\033[1A\r012345671m, x\033[K",
	    "  and again");
	countdown = a_line("01234567@10s@");
	draws(&countdown, "9s", 10, "\033[1A\r012345679s \033[K",
	    "a row that is needed no more becomes blank, and is kept");
	is_int(countdown.drawn, 11, "  so the cursor is known");
	countdown = a_line("0123@1h@");
	draws(&countdown, "59m59s", 10, "\r012359m59s",
	    "a time that grows to the end of the row");
	draws(&countdown, "59m58s", 10, "\r012359m58s", "  and again");
}

static void
test_fits(void)
{
	struct countdown countdown = a_line("0123456789 next in @42s@");
	char long_line[COUNTDOWN_LINE_MOST + 1];

	ok(countdown_fits(&countdown, 80), "it fits");
	ok(countdown_fits(&countdown, 10), "on several rows, too");
	ok(!countdown_fits(&countdown, 0), "not where the width is not known");
	ok(!countdown_fits(&countdown, 7), "nor where nothing can be read");
	ok(countdown_fits_a_row(&countdown, 31), "all on one row");
	ok(!countdown_fits_a_row(&countdown, 30),
	    "  but not on a narrower one");
	ok(countdown_has_room(&countdown, 25), "there is room for ^C");
	ok(!countdown_has_room(&countdown, 24), "  and here there is not");
	ok(!countdown_has_room(&countdown, 22), "  nor on a full row");
	countdown = a_line("\xe4\xb8\xad\xe6\x96\x87 next in @42s@");
	ok(countdown_fits(&countdown, 25), "wide characters fit on one row");
	ok(!countdown_fits(&countdown, 20), "  but on no more");
	memset(long_line, 'x', sizeof long_line);
	long_line[COUNTDOWN_LINE_MOST] = '\0';
	countdown = (struct countdown) { .line = long_line };
	ok(!countdown_fits(&countdown, 80), "a very long line stands still");
}

static void
test_other_frames(void)
{
	struct countdown countdown = a_line("0123456789@42s@");

	countdown_begin(fresh(), 8);
	is_string(buffer, "       \r\033[K",
	    "a fresh row: one blank less than it has");
	countdown_erase(fresh(), &countdown, 80);
	is_string(buffer, "\r\033[K", "a row is erased");
	is_int(countdown.drawn, 0, "  and nothing stands there");
	countdown.drawn = 13;
	countdown_erase(fresh(), &countdown, 8);
	is_string(buffer, "\033[1A\r\033[J", "two of them, after a resize");
}

static void
time_is(int64_t left_ns, const char *wanted, int64_t step_ns)
{
	countdown_time(fresh(), left_ns);
	is_string(buffer, wanted, wanted);
	is_int(countdown_step(left_ns), step_ns, "  and so long");
}

TESTS
{
	test_one_row();
	test_rows();
	test_fits();
	test_other_frames();
	time_is(NS_PER_S + 1, "2s", 1);
	time_is(42 * NS_PER_S - 1, "42s", NS_PER_S - 1);
	time_is(3600 * NS_PER_S - 5, "1h", NS_PER_S - 5);
	time_is(INT64_MAX, "inf", INT64_MAX % NS_PER_S);
}
