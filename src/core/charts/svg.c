/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include "core/base/duration.h"
#include "core/charts/svg.h"
#include "core/charts/tick.h"

/* Between two labels of an axis, at the least: "12h30m" fits in there. */
#define LABEL_WIDTH 550

/* So large a value times any length is no overflow. */
#define LARGEST (INT64_C(1) << 46)

static void
add_attribute(struct text *text, const char *name, int64_t tenths)
{
	text_join(text, " ", name, "=\"");
	text_tenths(text, tenths);
	text_byte(text, '"');
}

/* U+FFFE and U+FFFF, which are UTF-8, but may not stand in XML. */
static bool
is_no_character(const char *at)
{
	return strncmp(at, "\xef\xbf\xbe", 3) == 0
	    || strncmp(at, "\xef\xbf\xbf", 3) == 0;
}

static void
add_escaped(struct text *text, const char *at)
{
	for (; *at != '\0'; at++) {
		if (*at == '&') {
			text_add(text, "&amp;");
		} else if (*at == '<') {
			text_add(text, "&lt;");
		} else if (*at == '>') {
			text_add(text, "&gt;");
		} else if (*at == '"') {
			text_add(text, "&quot;");
		} else if (is_no_character(at)) {
			text_byte(text, '?');
			at += 2;
		} else {
			text_byte(text, *at);
		}
	}
}

/* In pieces, so that words of any length are whole. */
static void
add_words(struct text *text, const char *words)
{
	char piece[8], printable[16];

	while (*words != '\0') {
		size_t length = utf8_length(words);
		struct text clean = text_in(printable, sizeof printable);

		length = length == 0 ? 1 : length;
		memcpy(piece, words, length);
		piece[length] = '\0';
		text_printable(&clean, piece);
		add_escaped(text, printable);
		words += length;
	}
}

void
svg_begin(struct text *text, int64_t width, int64_t height, const char *title)
{
	text_add(text, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	add_attribute(text, "width", width);
	add_attribute(text, "height", height);
	text_add(text, " viewBox=\"0 0 ");
	text_tenths(text, width);
	text_byte(text, ' ');
	text_tenths(text, height);
	text_add(text,
	    "\" role=\"img\" font-family=\"system-ui, Helvetica, Arial, "
	    "sans-serif\" font-size=\"12\">\n<title>");
	add_words(text, title);
	text_add(text, "</title>\n");
	svg_box(text, (struct svg_box) { 0, 0, width, height },
	    " fill=\"#ffffff\"");
}

void
svg_end(struct text *text)
{
	text_add(text, "</svg>\n");
}

void
svg_box(struct text *text, struct svg_box box, const char *paint)
{
	text_add(text, "<rect");
	add_attribute(text, "x", box.x);
	add_attribute(text, "y", box.y);
	add_attribute(text, "width", box.width);
	add_attribute(text, "height", box.height);
	text_join(text, paint, "/>\n");
}

static void
add_line(struct text *text, int64_t x, int64_t y, int64_t to_x, int64_t to_y,
    const char *paint)
{
	text_add(text, "<line");
	add_attribute(text, "x1", x);
	add_attribute(text, "y1", y);
	add_attribute(text, "x2", to_x);
	add_attribute(text, "y2", to_y);
	text_join(text, paint, "/>\n");
}

void
svg_across(
    struct text *text, int64_t x, int64_t to_x, int64_t y, const char *paint)
{
	add_line(text, x, y, to_x, y, paint);
}

void
svg_down(
    struct text *text, int64_t x, int64_t y, int64_t to_y, const char *paint)
{
	add_line(text, x, y, x, to_y, paint);
}

void
svg_words(struct text *text, enum svg_anchor anchor, int64_t x, int64_t y,
    const char *paint, const char *words)
{
	static const char anchors[][24]
	    = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };

	text_add(text, "<text");
	add_attribute(text, "x", x);
	add_attribute(text, "y", y);
	text_join(text, anchors[anchor], paint, ">");
	add_words(text, words);
	text_add(text, "</text>\n");
}

void
svg_area_begin(struct text *text, int64_t x, int64_t ground_y)
{
	text_add(text, "<path d=\"M");
	text_tenths(text, x);
	text_byte(text, ' ');
	text_tenths(text, ground_y);
}

void
svg_area_step(struct text *text, int64_t to_x, int64_t y)
{
	text_byte(text, 'V');
	text_tenths(text, y);
	text_byte(text, 'H');
	text_tenths(text, to_x);
}

void
svg_area_end(struct text *text, int64_t ground_y, const char *paint)
{
	text_byte(text, 'V');
	text_tenths(text, ground_y);
	text_join(text, "Z\"", paint, "/>\n");
}

int64_t
svg_scaled(int64_t value, int64_t most, int64_t length)
{
	if (value >= most)
		return length;
	while (most > LARGEST) {
		most /= 2;
		value /= 2;
	}
	return value * length / most;
}

/* 1.5ms is not, which people read as 2ms. */
static bool
is_exact(int64_t ns)
{
	char words[32];
	struct text label = text_in(words, sizeof words);
	int64_t told_ns;

	duration_text(&label, ns);
	return duration_parse(words, &told_ns) && told_ns == ns;
}

/* Round, and as many as there is room for. */
static int64_t
time_step(struct svg_box box, int64_t most_ns)
{
	int64_t labels = max_ns(box.width / LABEL_WIDTH, 1);
	int64_t step_ns = tick_time(most_ns / labels + (most_ns % labels != 0));

	/* Half a unit, of which there are more than one. */
	while (step_ns < NS_PER_S && most_ns >= 3 * step_ns
	    && !is_exact(3 * step_ns))
		step_ns = tick_time(step_ns + 1);
	return step_ns;
}

void
svg_time_grid(struct text *text, struct svg_box box, int64_t most_ns)
{
	int64_t step_ns = time_step(box, most_ns);

	for (int64_t ns = 0; ns <= most_ns && ns < DURATION_INF;
	     ns = saturating_add(ns, step_ns)) {
		int64_t x = box.x + svg_scaled(ns, most_ns, box.width);

		svg_down(text, x, box.y, box.y + box.height, SVG_GRID);
	}
}

void
svg_time_axis(
    struct text *text, struct svg_box box, int64_t most_ns, const char *what)
{
	int64_t bottom = box.y + box.height;
	int64_t step_ns = time_step(box, most_ns);

	svg_across(text, box.x, box.x + box.width, bottom, SVG_AXIS);
	for (int64_t ns = 0; ns <= most_ns && ns < DURATION_INF;
	     ns = saturating_add(ns, step_ns)) {
		int64_t x = box.x + svg_scaled(ns, most_ns, box.width);
		char words[32];
		struct text label = text_in(words, sizeof words);

		duration_text(&label, ns);
		svg_down(text, x, bottom, bottom + 40, SVG_AXIS);
		svg_words(
		    text, SVG_AROUND, x, bottom + 170, SVG_PALE_INK, words);
	}
	svg_words(text, SVG_AROUND, box.x + box.width / 2, bottom + 340,
	    SVG_INK, what);
}
