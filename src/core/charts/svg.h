/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_CHARTS_SVG_H
#define BACKOFF_CORE_CHARTS_SVG_H
/*
 * Pictures as SVG: elements as text, one after the other, between
 * svg_begin() and svg_end(). All that browsers need is in them: a plain
 * background, attributes instead of style sheets, no script, and the fonts
 * that the reader has.
 *
 * Coordinates are tenths of a pixel: 125 is 12.5.
 */

#include <stdint.h>

#include "core/base/text.h"

/* How something is painted: attributes, with a blank in front of each. */
#define SVG_INK " fill=\"#24292f\""
#define SVG_PALE_INK " fill=\"#57606a\""
#define SVG_BOLD SVG_INK " font-weight=\"bold\""
#define SVG_GRID " stroke=\"#d8dee4\""
#define SVG_AXIS " stroke=\"#57606a\""
#define SVG_CURVE " fill=\"#2f81c7\""
#define SVG_MARK " stroke=\"#0b2f55\" stroke-width=\"2.5\""
#define SVG_SHADE " fill=\"#fbe7e4\""
#define SVG_END " stroke=\"#b3261e\" stroke-width=\"1.5\""
#define SVG_END_INK " fill=\"#b3261e\""
#define SVG_LIMIT \
	" stroke=\"#1a7f37\" stroke-width=\"2\" stroke-dasharray=\"6 4\""
#define SVG_LIMIT_INK " fill=\"#1a7f37\""

enum svg_anchor {
	SVG_FROM, /* the text begins there */
	SVG_AROUND,
	SVG_UP_TO,
};

struct svg_box {
	int64_t x, y, width, height;
};

/* TITLE is for those who cannot see the picture. */
void svg_begin(
    struct text *text, int64_t width, int64_t height, const char *title);
void svg_end(struct text *text);

void svg_box(struct text *text, struct svg_box box, const char *paint);
void svg_across(
    struct text *text, int64_t x, int64_t to_x, int64_t y, const char *paint);
void svg_down(
    struct text *text, int64_t x, int64_t y, int64_t to_y, const char *paint);

/* WORDS on a base line; any bytes will do, see text_printable(). */
void svg_words(struct text *text, enum svg_anchor anchor, int64_t x, int64_t y,
    const char *paint, const char *words);

/*
 * The area between a curve in steps and the ground below: begins at X on the
 * ground, goes on to the right at each height, and ends.
 */
void svg_area_begin(struct text *text, int64_t x, int64_t ground_y);
void svg_area_step(struct text *text, int64_t to_x, int64_t y);
void svg_area_end(struct text *text, int64_t ground_y, const char *paint);

/* How far VALUE is on a scale that is LENGTH long for MOST > 0; at most that.
 */
int64_t svg_scaled(int64_t value, int64_t most, int64_t length);

/*
 * Times from 0 to MOST_NS > 0 across BOX: a grid over its height; the axis
 * at its bottom, with the times and WHAT they are, takes 34 pixels below it.
 */
void svg_time_grid(struct text *text, struct svg_box box, int64_t most_ns);
void svg_time_axis(
    struct text *text, struct svg_box box, int64_t most_ns, const char *what);

#endif
