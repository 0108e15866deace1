/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_COUNTDOWN_H
#define BACKOFF_CORE_WORDS_COUNTDOWN_H
/*
 * A line on a terminal in which a time runs down: what to write there, so
 * that only the row with the time is drawn again. A line may be longer than
 * the terminal is wide; the rows above that one stay as they are.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"

#define COUNTDOWN_LINE_MOST 1024 /* bytes; longer lines stand still */
#define COUNTDOWN_FRAME_SIZE (2 * COUNTDOWN_LINE_MOST)

struct countdown {
	const char *line; /* as first written, with no control character */
	struct span time; /* in it */
	int64_t drawn; /* columns on the screen; 0: none, or unknown */
};

/*
 * Whether the line can be drawn on a terminal that is WIDTH columns wide (0:
 * not known). How wide what is not ASCII is, is not known either: at most 2
 * columns for a character, and with such ones all must fit on one row.
 */
bool countdown_fits(const struct countdown *countdown, int width);

/*
 * Whether the last row has room for what a terminal shows of a key: "^C"
 * would be the beginning of another row.
 */
bool countdown_has_room(const struct countdown *countdown, int width);

/* Whether all of it fits on one row, so that it can be erased again. */
bool countdown_fits_a_row(const struct countdown *countdown, int width);

/*
 * Adds what makes the cursor stand at the beginning of a row on which nothing
 * is, wherever it stands now: what others wrote and did not end is kept.
 */
void countdown_begin(struct text *frame, int width);

/*
 * Adds what makes the line, whose rows end where the cursor is, or which is
 * not there yet, tell the TIME; NULL: the one that it had at first.
 */
void countdown_draw(struct text *frame, struct countdown *countdown,
    const char *time, int width);

/* Adds what takes the line away again. */
void countdown_erase(
    struct text *frame, struct countdown *countdown, int width);

/* What is left, in whole seconds, rounded up. */
void countdown_time(struct text *text, int64_t left_ns);

/* How long it is until that text changes. LEFT_NS is above 0. */
int64_t countdown_step(int64_t left_ns);

#endif
