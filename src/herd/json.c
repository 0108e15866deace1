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
add_number(struct text *text, const char *key, bool known, double number)
{
	char words[32] = "null";

	if (known)
		snprintf(words, sizeof words, "%.10g", number);
	text_join(text, ",\"", key, "\":", words);
}

static void
add_seconds(struct text *text, const char *key, bool known, double ns)
{
	int64_t known_ns = ns < 0x1p63 ? (int64_t)ns : DURATION_INF;

	json_member_seconds(text, key, known ? known_ns : -1);
}

static void
print_figures(const struct scenario *trial, const struct herd *herd)
{
	const struct figures *figures = &trial->figures;
	const struct service *service = &herd->service;
	bool ends = trial->no_end == NULL;
	bool served = ends && figures->served;
	char line[1024];
	struct text text = text_in(line, sizeof line);

	text_add(&text, "{\"event\":\"herd\"");
	json_member_string(&text, "policy", trial->name);
	json_member_number(&text, "clients", herd->clients);
	if (herd->machines > 1)
		json_member_number(&text, "machines", herd->machines);
	json_member_seconds(&text, "outage_s", service->down_ns);
	add_number(&text, "capacity", service->capacity > 0, service->capacity);
	if (service->failures > 0)
		add_number(&text, "failures", true, service->failures);
	if (service->limit > 0) {
		add_number(&text, "limit", true, service->limit);
		add_number(&text, "burst", true, service->burst);
	}
	if (service->refusals > 0)
		add_number(&text, "refusals", true, service->refusals);
	if (service->retry_after_ns > 0)
		json_member_seconds(
		    &text, "retry_after_s", service->retry_after_ns);
	if (service->late_ns > 0)
		json_member_seconds(&text, "late_s", service->late_ns);
	json_member_number(&text, "runs", trial->runs);
	json_member_string(&text, "no_end", trial->no_end);
	add_number(&text, "retries_per_client", ends, figures->retries);
	add_number(&text, "peak", ends, figures->peak_after_0);
	add_number(&text, "later_peak", ends, figures->peak);
	add_seconds(&text, "wait_mean_s", served, figures->wait_ns);
	add_seconds(&text, "wait_p95_s", served, figures->wait_95_ns);
	add_seconds(&text, "wait_last_s", served, figures->last_ns);
	add_number(&text, "outage_rate", ends && figures->down_rate >= 0,
	    figures->down_rate);
	add_number(&text, "late_failures", ends && figures->refused >= 0,
	    figures->refused);
	add_number(&text, "gave_up", ends, figures->gave_up);
	add_seconds(&text, "end_s", ends, figures->end_ns);
	text_byte(&text, '}');
	puts(line);
}

static void
print_load(const struct scenario *trial, const struct time_axis *axis)
{
	int64_t values[MOST_COLUMNS];

	time_axis_fill(axis, &trial->histogram, values);
	for (int64_t i = 0; i < axis->columns; i++) {
		char line[512];
		struct text text = text_in(line, sizeof line);

		text_add(&text, "{\"event\":\"load\"");
		json_member_string(&text, "policy", trial->name);
		json_member_seconds(&text, "from_s", i * axis->column_ns);
		json_member_seconds(&text, "to_s", (i + 1) * axis->column_ns);
		add_number(&text, "attempts", true,
		    (double)values[i] / (double)trial->runs);
		text_byte(&text, '}');
		puts(line);
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
