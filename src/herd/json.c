/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/base/duration.h"
#include "core/words/json.h"
#include "herd/json.h"
#include "herd/time_axis.h"

#define MOST_COLUMNS 200

static void
print_string(const char *key, const char *string)
{
	char words[256];
	struct text text = text_in(words, sizeof words);

	if (string == NULL)
		text_add(&text, "null");
	else
		json_string(&text, string);
	printf(",\"%s\":%s", key, words);
}

static void
print_number(const char *key, bool known, double number)
{
	if (known)
		printf(",\"%s\":%.10g", key, number);
	else
		printf(",\"%s\":null", key);
}

static void
print_seconds(const char *key, bool known, double ns)
{
	char words[32];
	struct text text = text_in(words, sizeof words);

	if (known)
		duration_seconds(
		    &text, ns < 0x1p63 ? (int64_t)ns : DURATION_INF);
	else
		text_add(&text, "null");
	printf(",\"%s\":%s", key, words);
}

static void
print_figures(const struct scenario *trial, const struct herd *herd)
{
	const struct figures *figures = &trial->figures;
	bool ends = trial->no_end == NULL;
	bool served = ends && figures->served;

	fputs("{\"event\":\"herd\"", stdout);
	print_string("policy", trial->name);
	printf(",\"clients\":%" PRId64, herd->clients);
	if (herd->machines > 1)
		printf(",\"machines\":%" PRId64, herd->machines);
	print_seconds("outage_s", true, (double)herd->outage_ns);
	print_number("capacity", true, herd->capacity);
	if (herd->failures > 0)
		print_number("failures", true, herd->failures);
	printf(",\"runs\":%" PRId64, trial->runs);
	print_string("no_end", trial->no_end);
	print_number("retries_per_client", ends, figures->retries);
	print_number("peak", ends, figures->peak_after_0);
	print_number("later_peak", ends, figures->peak);
	print_seconds("wait_mean_s", served, figures->wait_ns);
	print_seconds("wait_p95_s", served, figures->wait_95_ns);
	print_seconds("wait_last_s", served, figures->last_ns);
	print_number(
	    "outage_rate", ends && figures->down_rate >= 0, figures->down_rate);
	print_number(
	    "late_failures", ends && figures->refused >= 0, figures->refused);
	print_number("gave_up", ends, figures->gave_up);
	print_seconds("end_s", ends, figures->end_ns);
	puts("}");
}

static void
print_load(const struct scenario *trial, const struct time_axis *axis)
{
	int64_t values[MOST_COLUMNS];

	time_axis_fill(axis, &trial->histogram, values);
	for (int64_t i = 0; i < axis->columns; i++) {
		double from_ns = (double)(i * axis->column_ns);

		fputs("{\"event\":\"load\"", stdout);
		print_string("policy", trial->name);
		print_seconds("from_s", true, from_ns);
		print_seconds("to_s", true, from_ns + (double)axis->column_ns);
		print_number(
		    "attempts", true, (double)values[i] / (double)trial->runs);
		puts("}");
	}
}

void
herd_json(const struct scenario *trials, const struct herd *herd)
{
	struct time_axis axis = time_axis_of(&trials[0], herd, MOST_COLUMNS);

	for (int i = 0; i < SCENARIOS; i++)
		print_figures(&trials[i], herd);
	for (int i = 0; i < SCENARIOS; i++)
		if (trials[i].no_end == NULL)
			print_load(&trials[i], &axis);
}
