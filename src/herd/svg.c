/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <stdio.h>

#include "core/base/duration.h"
#include "core/charts/svg.h"
#include "core/charts/tick.h"
#include "core/words/settings_text.h"
#include "herd/figures.h"
#include "herd/svg.h"
#include "herd/time_axis.h"

#define MOST_COLUMNS 200
#define ROOM 65536 /* all elements fit in there */

/* In tenths of a pixel. */
#define WIDTH 8000
#define LEFT 700
#define PLOT_WIDTH 7100
#define TOP 1250 /* of the first chart */
#define FIRST_HEIGHT 1500
#define HEIGHT 800 /* of the others */
#define GAP 450
#define BELOW 450 /* all charts: the axis */
#define TICK_HEIGHT 350 /* between two of a scale, at the least */

/* A capacity above so many times the highest column is off the scale. */
#define OFF_SCALE 3

struct panel {
	const struct scenario *trial;
	const struct herd *herd;
	const struct time_axis *axis;
	struct svg_box box;
	int64_t values[MOST_COLUMNS];
	double top; /* attempts a second */
	bool has_capacity; /* on the scale */
};

static struct panel
make_panel(const struct scenario *trial, const struct herd *herd,
    const struct time_axis *axis, struct svg_box box)
{
	struct panel panel
	    = { .trial = trial, .herd = herd, .axis = axis, .box = box };
	int64_t most = time_axis_fill(axis, &trial->histogram, panel.values);

	panel.top = time_axis_rate(
	    axis, trial, most > 0 ? most : max_ns(panel.values[0], 1));
	panel.has_capacity
	    = service_rate(&herd->service) <= OFF_SCALE * panel.top;
	if (panel.has_capacity
	    && panel.top < 1.1 * service_rate(&herd->service))
		panel.top = 1.1 * service_rate(&herd->service);
	return panel;
}

static int64_t
bottom_of(const struct panel *panel)
{
	return panel->box.y + panel->box.height;
}

/* Where that many a second are. */
static int64_t
y_of(const struct panel *panel, double rate)
{
	double part = rate < panel->top ? rate / panel->top : 1;

	return bottom_of(panel) - (int64_t)(part * (double)panel->box.height);
}

static int64_t
x_of(const struct panel *panel, int64_t ns)
{
	return panel->box.x
	    + svg_scaled(ns, time_axis_end(panel->axis), panel->box.width);
}

/* In thousands or millions where the steps between the labels are. */
static void
number_text(char *words, size_t size, double number, double step)
{
	if (number == 0)
		snprintf(words, size, "0");
	else if (step >= 1e6)
		snprintf(words, size, "%.10gM", number / 1e6);
	else if (step >= 1e4)
		snprintf(words, size, "%.10gk", number / 1e3);
	else
		snprintf(words, size, "%.10g", number);
}

static void
add_scale(struct text *text, const struct panel *panel)
{
	double ticks = (double)(panel->box.height / TICK_HEIGHT);
	double step = tick_number(panel->top / ticks);
	int64_t x = panel->box.x;
	char words[32];

	for (int i = 0; i * step <= panel->top; i++) {
		int64_t y = y_of(panel, i * step);

		svg_across(text, x, x + panel->box.width, y, SVG_GRID);
		number_text(words, sizeof words, i * step, step);
		svg_words(text, SVG_UP_TO, x - 60, y + 40, SVG_PALE_INK, words);
	}
	svg_down(text, x, panel->box.y, bottom_of(panel), SVG_AXIS);
}

static void
add_shade(struct text *text, const struct panel *panel)
{
	int64_t x = panel->box.x;
	int64_t width = x_of(panel, panel->herd->service.down_ns) - x;

	if (width > 0)
		svg_box(text,
		    (struct svg_box) {
		        x, panel->box.y, width, panel->box.height },
		    SVG_SHADE);
}

static void
add_curve(struct text *text, const struct panel *panel)
{
	svg_area_begin(text, panel->box.x, bottom_of(panel));
	for (int64_t i = 0; i < panel->axis->columns; i++)
		svg_area_step(text,
		    x_of(panel, (i + 1) * panel->axis->column_ns),
		    y_of(panel,
		        time_axis_rate(
		            panel->axis, panel->trial, panel->values[i])));
	svg_area_end(text, bottom_of(panel), SVG_CURVE);
}

/* Above its line, but for one at the top; what is beyond it has no line. */
static void
add_capacity(struct text *text, const struct panel *panel)
{
	int64_t right = panel->box.x + panel->box.width;
	int64_t y = y_of(panel, service_rate(&panel->herd->service));
	int64_t words_y = y - 40;
	char words[64];

	snprintf(words, sizeof words, "capacity %.10g/s%s",
	    service_rate(&panel->herd->service),
	    panel->has_capacity ? "" : ", beyond the scale");
	if (panel->has_capacity)
		svg_across(text, panel->box.x, right, y, SVG_LIMIT);
	else
		words_y = panel->box.y + 320;
	if (words_y < panel->box.y + 100)
		words_y = y + 140;
	svg_words(text, SVG_UP_TO, right - 20, words_y, SVG_LIMIT_INK, words);
}

/* The moment from which on there is service. */
static void
add_recovery(struct text *text, const struct panel *panel, bool with_words)
{
	int64_t x = x_of(panel, panel->herd->service.down_ns);
	bool is_left = x < panel->box.x + panel->box.width / 2;

	if (panel->herd->service.down_ns == 0
	    || panel->herd->service.down_ns >= LONGEST_NS)
		return;
	svg_down(text, x, panel->box.y, bottom_of(panel), SVG_END);
	if (with_words)
		svg_words(text, is_left ? SVG_FROM : SVG_UP_TO,
		    is_left ? x + 60 : x - 60, panel->box.y + 140, SVG_END_INK,
		    JOINED(64, "up again after ",
		        DURATION(panel->herd->service.down_ns)));
}

static void
add_time(struct text *text, const char *before, double ns)
{
	text_join(
	    text, before, DURATION(ns < 0x1p63 ? (int64_t)ns : DURATION_INF));
}

/* Its figures in short. */
static void
figures_text(struct text *text, const struct panel *panel)
{
	const struct scenario *trial = panel->trial;
	const struct figures *figures = &trial->figures;
	int64_t end_ns = trial->histogram.latest_ns;
	char number[64];

	if (trial->no_end != NULL) {
		text_add(text, trial->no_end);
		return;
	}
	snprintf(
	    number, sizeof number, "%.1f retries a client", figures->retries);
	text_add(text, number);
	if (figures->served) {
		add_time(text, "; extra wait: mean ", figures->wait_ns);
		add_time(text, ", longest ", figures->last_ns);
	}
	if (figures->gave_up > 0) {
		snprintf(
		    number, sizeof number, "; %.10g gave up", figures->gave_up);
		text_add(text, number);
	}
	if (end_ns >= time_axis_end(panel->axis))
		add_time(text, "; goes on until ", (double)end_ns);
}

static void
add_panel(struct text *text, const struct panel *panel, bool is_first)
{
	int64_t y = panel->box.y - 80;
	char words[256];
	struct text caption = text_in(words, sizeof words);

	figures_text(&caption, panel);
	svg_words(
	    text, SVG_FROM, panel->box.x, y, SVG_BOLD, panel->trial->name);
	svg_words(text, SVG_UP_TO, panel->box.x + panel->box.width, y,
	    SVG_PALE_INK, words);
	add_shade(text, panel);
	svg_time_grid(text, panel->box, time_axis_end(panel->axis));
	if (panel->trial->no_end != NULL)
		return;
	add_scale(text, panel);
	add_curve(text, panel);
	add_recovery(text, panel, is_first);
	add_capacity(text, panel);
}

static void
add_head(struct text *text, const struct scenario *trials,
    const struct time_axis *axis, const char *title)
{
	char words[256], line[TEXT_BOUND + 1];
	struct text about = text_in(words, sizeof words);
	struct text bounded = text_in(line, sizeof line);

	svg_words(
	    text, SVG_FROM, 200, 320, SVG_BOLD " font-size=\"16\"", title);
	settings_text(&about, &trials[0].settings);
	text_bounded(&bounded, words);
	svg_words(text, SVG_FROM, 200, 540, SVG_PALE_INK, line);
	about = text_in(words, sizeof words);
	text_add(&about, "Requests a second, in columns of ");
	time_axis_column(axis, &about);
	text_add(&about, "; the first is cut off if higher");
	svg_words(text, SVG_FROM, 200, 850, SVG_INK, words);
}

void
herd_svg(const struct scenario *trials, const struct herd *herd)
{
	static char picture[ROOM];
	struct text text = text_in(picture, sizeof picture);
	struct time_axis axis = time_axis_of(&trials[0], herd, MOST_COLUMNS);
	struct svg_box box = { LEFT, TOP, PLOT_WIDTH, FIRST_HEIGHT };
	int64_t bottom = TOP + FIRST_HEIGHT + (SCENARIOS - 1) * (GAP + HEIGHT);
	char title[160];
	struct text words = text_in(title, sizeof title);

	figures_title(&words, trials, herd);
	svg_begin(&text, WIDTH, bottom + BELOW, title);
	add_head(&text, trials, &axis, title);
	for (int i = 0; i < SCENARIOS; i++) {
		struct panel panel = make_panel(&trials[i], herd, &axis, box);

		add_panel(&text, &panel, i == 0);
		if (i + 1 == SCENARIOS)
			svg_time_axis(&text, box, time_axis_end(&axis),
			    "time since the start");
		box.y += box.height + GAP;
		box.height = HEIGHT;
	}
	svg_end(&text);
	fputs(picture, stdout);
}
