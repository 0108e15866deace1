/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/duration.h"
#include "herd/figures.h"

#define LABEL_WIDTH 37
#define FIGURE_WIDTH 14

enum unit {
	UNIT_NUMBER,
	UNIT_TENTHS,
	UNIT_TIME, /* unknown if no client was served */
};

struct row {
	const char *label;
	size_t field; /* a double of struct figures */
	enum unit unit;
};

#define FIELD(field) offsetof(struct figures, field)

static const struct row rows[] = {
	{ "attempts per client, after the first", FIELD(retries), UNIT_TENTHS },
	{ "peak attempts per 100ms, after 0s", FIELD(peak_after_0),
	    UNIT_NUMBER },
	{ "  after 5s", FIELD(peak), UNIT_NUMBER },
	{ "extra wait after the outage, mean", FIELD(wait_ns), UNIT_TIME },
	{ "  95th percentile", FIELD(wait_95_ns), UNIT_TIME },
	{ "  until the last is served", FIELD(last_ns), UNIT_TIME },
	/* The last row: printed only if something limits the attempts. */
	{ "clients that gave up", FIELD(gave_up), UNIT_NUMBER },
};
#define ROWS ARRAY_LENGTH(rows)

static void
print_figure(const struct scenario *scenario, const struct row *row)
{
	double value;
	char words[32];
	struct text text = text_in(words, sizeof words);

	memcpy(&value, (const char *)&scenario->figures + row->field,
	    sizeof value);
	if (scenario->no_end != NULL
	    || (row->unit == UNIT_TIME && !scenario->figures.served))
		text_byte(&text, '-');
	else if (row->unit == UNIT_TIME)
		duration_text(
		    &text, value < 0x1p63 ? (int64_t)value : DURATION_INF);
	else
		snprintf(words, sizeof words, "%.*f",
		    row->unit == UNIT_TENTHS ? 1 : 0, value);
	printf("%*s", FIGURE_WIDTH, words);
}

static bool
has_limit(const struct limits *limits)
{
	return limits->attempts < INT64_MAX
	    || limits->deadline_ns < DURATION_INF;
}

static void
print_rows(const struct scenario *trials)
{
	size_t count = has_limit(&trials[0].settings.limits) ? ROWS : ROWS - 1;

	printf("%*s", LABEL_WIDTH, "");
	for (int i = 0; i < SCENARIOS; i++)
		printf("%*s", FIGURE_WIDTH, trials[i].name);
	putchar('\n');
	for (size_t row = 0; row < count; row++) {
		printf("%-*s", LABEL_WIDTH, rows[row].label);
		for (int i = 0; i < SCENARIOS; i++)
			print_figure(&trials[i], &rows[row]);
		putchar('\n');
	}
}

void
figures_show(const struct scenario *trials, const struct herd *herd)
{
	char words[32];
	struct text text = text_in(words, sizeof words);

	duration_text(&text, herd->outage_ns);
	printf("%" PRId64
	       " client%s, an outage of %s, then %.10g served a second",
	    herd->clients, herd->clients == 1 ? "" : "s", words,
	    herd->capacity);
	if (trials[0].runs > 1)
		printf("; mean of %" PRId64 " runs", trials[0].runs);
	puts("\n");
	print_rows(trials);
}
