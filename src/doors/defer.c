/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "doors/doors.h"
#include "log/log.h"
#include "process/process.h"
#include "shared/shared.h"
#include "system/system.h"

static const struct defer_options *const options = &doors.options.defer;
static struct state_file file
    = { .what = "defer", .name = doors.options.defer.name, .fd = -1 };
static uint8_t record[STATE_SIZE]; /* as last read */
static struct deferral found; /* by defer_ask() */
static struct deferral before; /* the end of this run, by defer_look_back() */

/* Adds "14:06", or with the date if that is on another day. */
static void
add_minute(struct text *text, int64_t epoch_ns, int64_t minutes)
{
	calendar_text(text, minutes * NS_PER_MIN, epoch_ns);
	text->data[text->length -= 3] = '\0'; /* ":00" */
}

/* "skipped until 14:06: gave up 3 times in a row (exit 7)" */
static const char *
closing_line(int64_t epoch_ns)
{
	static char words[256];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "skipped until ");
	/* Rounded up, so that no run is put off at the time that is logged. */
	if (found.until_ns - epoch_ns < NS_PER_MIN)
		calendar_text(&text, found.until_ns, epoch_ns);
	else
		add_minute(&text, epoch_ns,
		    saturating_add(found.until_ns, NS_PER_MIN - 1)
		        / NS_PER_MIN);
	text_join(&text, ": gave up ",
	    found.failures == 1
	        ? "once"
	        : JOINED(40, NUMBER(found.failures), " times in a row"),
	    " (", found.reason, ")");
	return words;
}

static void
log_event(
    enum weight weight, const char *words, uint32_t failures, int64_t wait_ns)
{
	struct text members = TEXT_OF(256);

	json_member_string(&members, "defer", options->name);
	json_member_number(&members, "failures", failures);
	json_member_seconds(&members, "next_s", wait_ns);
	log_shared(weight, words, "defer", members.data);
}

/*
 * Reads what is remembered, and locks it if it is TO_BE_CHANGED. False: nothing
 * is, as the file cannot be used.
 */
static bool
recall(struct deferral *deferral, bool to_be_changed)
{
	bool is_broken;

	if (file.fd < 0)
		return false;
	if (!(to_be_changed ? state_file_begin(&file, record)
	                    : state_file_read(&file, record)))
		return state_file_lose(&file);
	*deferral = state_record_deferral(record, &is_broken);
	state_file_note(&file, is_broken ? "bad checksum" : file.why);
	return true;
}

static bool
finish(const struct deferral *deferral)
{
	state_record_set_deferral(record, deferral);
	return state_file_write(&file, record) || state_file_lose(&file);
}

struct entry
defer_ask(void)
{
	int64_t high_ns = options->limits.high_ns;
	int64_t epoch_ns = clock_epoch_ns();
	int64_t until_ns, wait_ns;

	if (options->name[0] == '\0' || !state_file_use(&file)
	    || !recall(&found, false))
		return go;
	until_ns = found.until_ns;
	wait_ns = deferral_wait(&found, high_ns, epoch_ns);
	/* It was longer than its window or our HIGH: lowers it in the file. */
	if (found.until_ns != until_ns) {
		if (!recall(&found, true))
			return go;
		wait_ns = deferral_wait(&found, high_ns, epoch_ns);
		if (!finish(&found))
			return go;
	}
	/* A person at a terminal wants the job to run now. */
	if (wait_ns == 0 || is_in_foreground())
		return go;
	/* A deferral that no success can erase would put off every run. */
	if (!lock_is_possible(&file)) {
		state_file_lose(&file);
		return go;
	}
	log_event(WEIGHT_LAST, NULL, found.failures, wait_ns);
	return (struct entry) {
		.admission = ADMISSION_REFUSED,
		.words = closing_line(epoch_ns),
		.reason = found.reason,
	};
}

bool
defer_look_back(void)
{
	return recall(&before, false) && before.runs > 0;
}

void
defer_log_recovery(enum result result)
{
	struct text words = TEXT_OF(128);

	if ((result != RESULT_SUCCESS && result != RESULT_PASS)
	    || before.runs == 0)
		return;
	text_join(&words, result == RESULT_PASS ? "passed" : "succeeded",
	    ", after ", NUMBER(before.runs),
	    before.runs == 1 ? " run" : " runs", " had given up since ");
	add_minute(&words, clock_epoch_ns(), before.since_ns / NS_PER_MIN);
	log_event(WEIGHT_RECOVERY, words.data, before.runs, 0);
}

void
defer_end(const struct loop_state *state, enum result result)
{
	bool is_good = result == RESULT_SUCCESS || result == RESULT_PASS;
	struct text reason = TEXT_OF(REASON_SIZE);
	struct run_end end = { .result = result,
		.verdict = state->verdict,
		.reason = reason.data };
	struct deferral deferral = { .failures = 0 };

	if (file.fd < 0 || !(is_good || deferral_gave_up(result)))
		return;
	/* A success writes nothing if there is nothing to forget. */
	if (is_good
	    && (!recall(&deferral, false)
	        || (deferral.failures == 0 && deferral.runs == 0)))
		return;
	if (!recall(&deferral, true))
		return;
	end.ended_ns = clock_epoch_ns();
	/* Right unless the clock was set meanwhile. */
	end.began_ns = end.ended_ns - state->elapsed_ns;
	end.status = outcome_status(&state->outcome);
	reason_text(&reason, &state->outcome, NULL);
	deferral_end(&deferral, options->limits, &end, &doors.random);
	finish(&deferral);
}
