/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/words/countdown.h"
#include "log/countdown_line.h"
#include "log/writer.h"
#include "process/signals.h"
#include "process/terminal.h"
#include "system/system.h"

static bool is_allowed;
static bool is_there;
static bool line_stays;
static struct countdown countdown;
static int64_t since_ns; /* the time counts up from then; -1: down */

/* In the log of a CI service nobody would see one. */
static bool
is_watched(void)
{
	const char *terminal = getenv("TERM"), *ci = getenv("CI");

	return terminal != NULL && *terminal != '\0'
	    && strcmp(terminal, "dumb") != 0
	    && (ci == NULL || *ci == '\0' || strcmp(ci, "false") == 0
	        || strcmp(ci, "0") == 0);
}

void
countdown_line_allow(bool allowed)
{
	is_allowed = allowed && is_watched();
}

bool
countdown_line_is_there(void)
{
	return is_there;
}

/* In columns; 0: it is not known. */
static int
width_of_stderr(void)
{
	int columns = device_columns(STDERR_FILENO);

	return columns < 0 || columns > COUNTDOWN_LINE_MOST / 2 ? 0 : columns;
}

/* What was drawn is on another row now, or on none: others have written. */
static void
leave_row(void)
{
	countdown.drawn = 0;
	writer_forget_open_line();
}

static bool
can_draw(int width)
{
	return line_stays ? countdown_fits(&countdown, width)
	                  : countdown_fits_a_row(&countdown, width);
}

bool
countdown_line_start(
    struct text *text, struct span time, bool stays, int64_t from_ns)
{
	char room[COUNTDOWN_FRAME_SIZE];
	struct text frame = text_in(room, sizeof room);
	int width;

	countdown = (struct countdown) { .line = text->data, .time = time };
	line_stays = stays;
	since_ns = from_ns;
	if (!is_allowed || !writer_is_terminal() || !is_in_foreground())
		return false;
	width = width_of_stderr();
	if (!can_draw(width) || !countdown_has_room(&countdown, width))
		return false;
	countdown_begin(&frame, width);
	text_add(&frame, text->data);
	if (!writer_put(&frame, WRITER_LEAVES_OPEN))
		return true;
	countdown.drawn = (int64_t)text->length;
	is_there = true;
	return true;
}

/* What the line says at NOW_NS. */
static void
add_time(struct text *text, int64_t now_ns, int64_t until_ns)
{
	int64_t past_ns = now_ns - since_ns;

	if (since_ns < 0)
		countdown_time(text, until_ns - now_ns);
	else
		duration_text(text, past_ns - past_ns % NS_PER_S);
}

/* When it says something else. */
static int64_t
next_moment(int64_t now_ns, int64_t until_ns)
{
	if (since_ns < 0)
		return now_ns + countdown_step(until_ns - now_ns);
	return min_ns(
	    until_ns, now_ns + NS_PER_S - (now_ns - since_ns) % NS_PER_S);
}

/* A terminal that takes nothing misses a frame, and holds nobody up. */
static void
draw(int64_t now_ns, int64_t until_ns)
{
	char room[COUNTDOWN_FRAME_SIZE], words[32];
	struct text frame = text_in(room, sizeof room);
	struct text time = text_in(words, sizeof words);
	int width = width_of_stderr();

	if (!is_in_foreground()) {
		leave_row();
		return;
	}
	if (now_ns >= until_ns || !can_draw(width))
		return;
	add_time(&time, now_ns, until_ns);
	countdown_draw(&frame, &countdown, words, width);
	writer_try(&frame);
}

/* The line as it was at first, with its end, or none. */
void
countdown_line_end(void)
{
	char room[COUNTDOWN_FRAME_SIZE];
	struct text frame = text_in(room, sizeof room);
	int width;

	if (!is_there)
		return;
	is_there = false;
	width = width_of_stderr();
	if (!is_in_foreground()) {
		leave_row();
		return;
	}
	if (!line_stays) {
		if (countdown.drawn > 0 && width > 0)
			countdown_erase(&frame, &countdown, width);
		writer_put(&frame, WRITER_ENDS_LINE);
		return;
	}
	if (can_draw(width))
		countdown_draw(&frame, &countdown, NULL, width);
	text_byte(&frame, '\n');
	writer_put(&frame, WRITER_ENDS_LINE);
}

int
countdown_line_wait_on(int64_t until_ns)
{
	struct arrival arrival = { .signal = 0 };
	enum wake wake;
	int64_t now_ns;
	int told = 0;

	while (told == 0 && (now_ns = clock_now_ns()) < until_ns) {
		int64_t next_ns
		    = is_there ? next_moment(now_ns, until_ns) : until_ns;

		wake = signals_wait(&arrival, next_ns, NULL, 0);
		if (wake == WAKE_TIME && is_there)
			draw(next_ns, until_ns);
		if (wake != WAKE_SIGNAL)
			continue;
		if (arrival.ends_us || signals_wakes(arrival.signal))
			told = arrival.signal;
		else if (is_there && arrival.signal == SIGCONT) {
			leave_row();
			draw(clock_now_ns(), until_ns);
		} else if (is_there && arrival.signal == SIGWINCH)
			draw(clock_now_ns(), until_ns);
	}
	if (told != 0) {
		writer_hurry();
		countdown_line_end();
	}
	return told;
}

int
countdown_line_wait(int64_t until_ns)
{
	int told = countdown_line_wait_on(until_ns);

	countdown_line_end();
	return told;
}
