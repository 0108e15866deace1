/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>

#include "core/base/duration.h"
#include "core/charts/svg.h"
#include "plan/svg.h"

/* As many rows as are easy to read; their elements fit in the room. */
#define MOST_ROWS 24
#define ROOM 65536

/* In tenths of a pixel. */
#define WIDTH 8000
#define TOP 1050 /* of the first row */
#define ROW 260
#define BAR 140
#define BELOW 450 /* the rows: the axes */
#define NOTE 250 /* the line below all, where there is one */

#define ATTEMPTS_X 700 /* right end of the numbers of the attempts */
#define LEFT_X 850
#define RIGHT_X 4500
#define PANEL_WIDTH 2550 /* a mean has room behind it */

/* One of the two: for each row from when to when, and the mean. */
struct panel {
	struct svg_box box;
	int64_t most_ns;
	const char *title;
	const char *axis;
};

struct extent {
	int64_t low_ns, mean_ns, high_ns;
};

static void
add_panel(struct text *text, const struct panel *panel)
{
	svg_words(text, SVG_FROM, panel->box.x, panel->box.y - 150, SVG_BOLD,
	    panel->title);
	svg_time_grid(text, panel->box, panel->most_ns);
	svg_time_axis(text, panel->box, panel->most_ns, panel->axis);
}

/* A bar from the least to the most, a mark at the mean, which is told. */
static void
add_extent(struct text *text, const struct panel *panel, size_t row,
    struct extent extent)
{
	int64_t width = panel->box.width, x = panel->box.x;
	int64_t y = panel->box.y + (int64_t)row * ROW + (ROW - BAR) / 2;
	int64_t low = svg_scaled(extent.low_ns, panel->most_ns, width);
	int64_t mean = svg_scaled(extent.mean_ns, panel->most_ns, width);
	int64_t high = svg_scaled(extent.high_ns, panel->most_ns, width);

	/* One pixel, so that what takes no time is seen. */
	svg_box(text,
	    (struct svg_box) { x + low, y, max_ns(high - low, 10), BAR },
	    SVG_CURVE);
	svg_down(text, x + mean, y - 20, y + BAR + 20, SVG_MARK);
	svg_words(text, SVG_FROM, x + max_ns(high, 10) + 60, y + BAR - 30,
	    SVG_INK, JOINED(32, "mean ", DURATION(extent.mean_ns)));
}

static void
add_rows(struct text *text, const struct forecast_row *rows, size_t count)
{
	int64_t height = (int64_t)count * ROW;
	struct panel pauses = { { LEFT_X, TOP, PANEL_WIDTH, height }, 1,
		"Pause: shortest to longest", "length" };
	struct panel starts = { { RIGHT_X, TOP, PANEL_WIDTH, height }, 1,
		"Next attempt: earliest to latest start",
		"time since the start" };

	for (size_t i = 0; i < count; i++) {
		pauses.most_ns = max_ns(pauses.most_ns, rows[i].pause.high_ns);
		starts.most_ns = max_ns(starts.most_ns, rows[i].latest_ns);
	}
	svg_words(text, SVG_UP_TO, ATTEMPTS_X, TOP - 150, SVG_BOLD, "Attempt");
	add_panel(text, &pauses);
	add_panel(text, &starts);
	for (size_t i = 0; i < count; i++) {
		int64_t y = TOP + (int64_t)i * ROW + ROW / 2 + 40;

		svg_words(text, SVG_UP_TO, ATTEMPTS_X, y, SVG_INK,
		    NUMBER(rows[i].after_attempt));
		add_extent(text, &pauses, i,
		    (struct extent) { rows[i].pause.low_ns, rows[i].mean_ns,
		        rows[i].pause.high_ns });
		add_extent(text, &starts, i,
		    (struct extent) { rows[i].earliest_ns,
		        rows[i].mean_total_ns, rows[i].latest_ns });
	}
}

/* What is not shown; false: nothing. */
static bool
say_rest(struct text *text, size_t count, bool endless)
{
	if (count <= MOST_ROWS && !endless)
		return false;
	text_add(text, "And so on");
	if (!endless)
		text_join(text, ": ", NUMBER((int64_t)(count - MOST_ROWS)),
		    count - MOST_ROWS == 1 ? " more pause" : " more pauses");
	text_byte(text, '.');
	return true;
}

void
plan_svg(const struct forecast_row *rows, size_t count, bool endless,
    const char *settings)
{
	static const char title[] = "When backoff tries again";
	static char picture[ROOM];
	struct text text = text_in(picture, sizeof picture);
	size_t shown = count < MOST_ROWS ? count : MOST_ROWS;
	int64_t bottom = TOP + (int64_t)shown * ROW + BELOW;
	char words[64], line[TEXT_BOUND + 1];
	struct text rest = text_in(words, sizeof words);
	struct text about = text_in(line, sizeof line);
	bool is_more = say_rest(&rest, count, endless);

	text_bounded(&about, settings);
	svg_begin(&text, WIDTH, bottom + (is_more ? NOTE : 0), title);
	svg_words(
	    &text, SVG_FROM, 200, 320, SVG_BOLD " font-size=\"16\"", title);
	svg_words(&text, SVG_FROM, 200, 540, SVG_PALE_INK, line);
	if (shown > 0)
		add_rows(&text, rows, shown);
	else
		svg_words(&text, SVG_FROM, 200, TOP, SVG_INK,
		    "There is no pause: at most one attempt.");
	if (is_more)
		svg_words(
		    &text, SVG_FROM, 200, bottom + 80, SVG_PALE_INK, words);
	svg_end(&text);
	fputs(picture, stdout);
}
