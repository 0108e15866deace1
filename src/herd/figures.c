/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "herd/figures.h"

#define LABEL_WIDTH 37
#define FIGURE_WIDTH 14

enum unit {
	UNIT_NUMBER,
	UNIT_TENTHS,
	UNIT_HUNDREDTHS,
	UNIT_TIME, /* unknown if no client was served */
};

/* When a row is printed. */
enum condition {
	ALWAYS,
	WITH_GATE,
	WITH_LIMIT,
};

struct row {
	const char *label;
	size_t field; /* a double of struct figures */
	enum unit unit;
	enum condition condition;
};

#define FIELD(field) offsetof(struct figures, field)

static const struct row rows[] = {
	{ "attempts per client, after the first", FIELD(retries), UNIT_TENTHS,
	    ALWAYS },
	{ "peak attempts per 100ms, after 0s", FIELD(peak_after_0), UNIT_NUMBER,
	    ALWAYS },
	{ "  after 5s", FIELD(peak), UNIT_NUMBER, ALWAYS },
	{ "extra wait after the outage, mean", FIELD(wait_ns), UNIT_TIME,
	    ALWAYS },
	{ "  95th percentile", FIELD(wait_95_ns), UNIT_TIME, ALWAYS },
	{ "  until the last is served", FIELD(last_ns), UNIT_TIME, ALWAYS },
	{ "attempts per second of the outage", FIELD(down_rate),
	    UNIT_HUNDREDTHS, WITH_GATE },
	{ "failed attempts after the outage", FIELD(refused), UNIT_NUMBER,
	    WITH_GATE },
	{ "clients that gave up", FIELD(gave_up), UNIT_NUMBER, WITH_LIMIT },
};
#define ROWS ARRAY_LENGTH(rows)

static void
print_figure(const struct scenario *scenario, const struct row *row)
{
	static const int decimals[] = {
		[UNIT_TENTHS] = 1,
		[UNIT_HUNDREDTHS] = 2,
		[UNIT_TIME] = 0,
	};
	double value;
	char words[32];
	struct text text = text_in(words, sizeof words);

	memcpy(&value, (const char *)&scenario->figures + row->field,
	    sizeof value);
	if (scenario->no_end != NULL
	    || (row->unit == UNIT_TIME && !scenario->figures.served)
	    || value < 0)
		text_byte(&text, '-');
	else if (row->unit == UNIT_TIME)
		duration_text(
		    &text, value < 0x1p63 ? (int64_t)value : DURATION_INF);
	else
		snprintf(
		    words, sizeof words, "%.*f", decimals[row->unit], value);
	printf("%*s", FIGURE_WIDTH, words);
}

static bool
is_shown(const struct row *row, const struct scenario *first)
{
	const struct limits *limits = &first->settings.limits;

	switch (row->condition) {
	case WITH_GATE:
		return first->gate != HERD_NO_GATE;
	case WITH_LIMIT:
		return limits->attempts < INT64_MAX
		    || limits->deadline_ns < DURATION_INF;
	case ALWAYS:
		break;
	}
	return true;
}

static void
print_rows(const struct scenario *trials)
{
	printf("%*s", LABEL_WIDTH, "");
	for (int i = 0; i < SCENARIOS; i++)
		printf("%*s", FIGURE_WIDTH, trials[i].name);
	putchar('\n');
	for (size_t row = 0; row < ROWS; row++) {
		if (!is_shown(&rows[row], &trials[0]))
			continue;
		printf("%-*s", LABEL_WIDTH, rows[row].label);
		for (int i = 0; i < SCENARIOS; i++)
			print_figure(&trials[i], &rows[row]);
		putchar('\n');
	}
}

static void
add_share(struct text *text, double share, const char *what)
{
	char words[40];

	if (share <= 0)
		return;
	snprintf(words, sizeof words, ", %.10g%% %s", share * 100, what);
	text_add(text, words);
}

/* ", then 20 served a second", ", then a limit of 20 a second" */
static void
add_rates(struct text *text, const struct service *service)
{
	char words[80];

	text_add(text, ", then ");
	if (service->capacity > 0) {
		snprintf(words, sizeof words, "%.10g served a second%s",
		    service->capacity, service->limit > 0 ? ", " : "");
		text_add(text, words);
	}
	if (service->limit > 0) {
		snprintf(words, sizeof words, "a limit of %.10g a second",
		    service->limit);
		text_add(text, words);
	}
	if (service->burst > 0) {
		snprintf(words, sizeof words, " and bursts of %.10g",
		    service->burst);
		text_add(text, words);
	}
}

void
figures_title(
    struct text *text, const struct scenario *trials, const struct herd *herd)
{
	const struct service *service = &herd->service;

	text_join(text, NUMBER(herd->clients),
	    herd->clients == 1 ? " client" : " clients");
	if (herd->machines > 1)
		text_join(text, " on ", NUMBER(herd->machines), " machines");
	text_join(text, ", an outage of ", DURATION(service->down_ns));
	add_rates(text, service);
	add_share(text, service->refusals, "refused");
	add_share(text, service->failures, "fail");
	if (trials[0].runs > 1)
		text_join(text, "; mean of ", NUMBER(trials[0].runs), " runs");
}

void
figures_show(const struct scenario *trials, const struct herd *herd)
{
	char words[160];
	struct text text = text_in(words, sizeof words);

	figures_title(&text, trials, herd);
	puts(words);
	putchar('\n');
	print_rows(trials);
}
