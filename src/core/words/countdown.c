/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/words/countdown.h"

#define NARROWEST 8 /* on less nothing can be read anyway */
#define KEY_SHOWN 2 /* columns of "^C" */
#define LONGEST_TIME 8 /* "23h59m" and the like */

/* In bytes; every one that is not ASCII may be half of two columns. */
static bool
is_ascii(const char *line)
{
	for (; *line != '\0'; line++)
		if ((unsigned char)*line >= 0x80)
			return false;
	return true;
}

/* At the most; exact where all is ASCII. */
static int64_t
columns_of(const char *line)
{
	int64_t columns = 0;

	for (; *line != '\0'; line++) {
		unsigned char byte = (unsigned char)*line;

		if (byte < 0x80)
			columns++;
		else if (byte >= 0xc0)
			columns += 2;
	}
	return columns;
}

bool
countdown_fits_a_row(const struct countdown *countdown, int width)
{
	return width >= NARROWEST
	    && columns_of(countdown->line) + LONGEST_TIME < width;
}

bool
countdown_fits(const struct countdown *countdown, int width)
{
	if (width < NARROWEST
	    || strlen(countdown->line) > COUNTDOWN_LINE_MOST - LONGEST_TIME)
		return false;
	return is_ascii(countdown->line)
	    || countdown_fits_a_row(countdown, width);
}

bool
countdown_has_room(const struct countdown *countdown, int width)
{
	int64_t last = columns_of(countdown->line) % width;

	return last > 0 && last + KEY_SHOWN < width;
}

/* As zsh does it: these wrap, unless the cursor is at the beginning. */
void
countdown_begin(struct text *frame, int width)
{
	for (int i = 0; i < width - 1; i++)
		text_byte(frame, ' ');
	text_add(frame, "\r\033[K");
}

static void
add_up(struct text *frame, int64_t rows)
{
	if (rows > 0)
		text_join(frame, "\033[", NUMBER(rows), "A");
	text_byte(frame, '\r');
}

/* The row that the cursor is on after COLUMNS were written. */
static int64_t
row_after(int64_t columns, int width)
{
	return columns > 0 ? (columns - 1) / width : 0;
}

void
countdown_draw(struct text *frame, struct countdown *countdown,
    const char *time, int width)
{
	const char *line = countdown->line;
	int64_t from = 0, end = columns_of(line);
	int64_t drawn = countdown->drawn;

	if (time != NULL)
		end += (int64_t)strlen(time)
		    - (int64_t)(countdown->time.end - countdown->time.start);
	/* Of one row the beginning is that of the line. */
	if (drawn > 0 && !countdown_fits_a_row(countdown, width))
		from = (int64_t)countdown->time.start / width * width;
	add_up(frame, drawn > 0 ? row_after(drawn, width) - from / width : 0);
	for (int64_t i = from; i < (int64_t)countdown->time.start; i++)
		text_byte(frame, line[i]);
	if (time == NULL)
		text_add(frame, line + countdown->time.start);
	else
		text_join(frame, time, line + countdown->time.end);
	/* A row that is full: its last column would be erased. */
	while (row_after(drawn, width) > row_after(end, width)) {
		text_byte(frame, ' ');
		end++;
	}
	if (end % width != 0)
		text_add(frame, "\033[K");
	countdown->drawn = end;
}

void
countdown_erase(struct text *frame, struct countdown *countdown, int width)
{
	int64_t rows = row_after(countdown->drawn, width);

	add_up(frame, rows);
	text_add(frame, rows > 0 ? "\033[J" : "\033[K");
	countdown->drawn = 0;
}

void
countdown_time(struct text *text, int64_t left_ns)
{
	int64_t seconds = left_ns / NS_PER_S + (left_ns % NS_PER_S > 0);

	duration_text(text, saturating_multiply(seconds, NS_PER_S));
}

int64_t
countdown_step(int64_t left_ns)
{
	return (left_ns - 1) % NS_PER_S + 1;
}
