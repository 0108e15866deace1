/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <time.h>

#include "core/base/duration.h"
#include "core/words/annotation.h"
#include "core/words/json.h"
#include "core/words/message.h"
#include "log/annotation_line.h"
#include "log/countdown_line.h"
#include "log/log.h"
#include "log/writer.h"
#include "system/system.h"

static const struct log_options *options;
static bool told; /* backoff has been told to end */
static bool has_failed; /* an attempt after which there was another one */
static bool is_silent; /* --quiet-repeats */
static struct repeats repeats;

const char *
log_open(const struct log_options *what)
{
	options = what;
	countdown_line_allow(
	    options->format == LOG_TEXT && options->file == NULL);
	return writer_open(what);
}

static bool
is_wanted(enum weight weight)
{
	if (weight == WEIGHT_ALARM)
		return true;
	if (options->file == NULL && options->quiet > 0)
		return options->quiet == 1
		    && (weight == WEIGHT_LAST || weight == WEIGHT_RECOVERY);
	return weight != WEIGHT_DETAIL || options->verbose;
}

/* For a log file. This may read the time zone's file, so not at the start. */
static void
add_local_time(struct text *text)
{
	struct tm local = clock_local(clock_epoch_ns());
	char stamp[40];

	if (strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S%z ", &local) > 0)
		text_add(text, stamp);
}

/* A line, behind the news that others before it could not be written. */
static struct text
line_begin(void)
{
	int error = writer_take_error();

	countdown_line_end();
	if (error != 0)
		log_degraded(WEIGHT_LAST,
		    JOINED(128, "lines of the log are lost: ", strerror(error)),
		    "log", strerror(error));
	return writer_begin();
}

static struct text
text_begin(void)
{
	struct text text = line_begin();

	if (options->file != NULL)
		add_local_time(&text);
	text_add(&text, "backoff: ");
	text_printable(&text, options->name);
	text_add(&text, ": ");
	return text;
}

static void
finish_line(struct text *text)
{
	if (options->format == LOG_GITHUB)
		annotation_defuse(text->data);
	writer_finish(text);
}

static void
log_settings(void)
{
	struct text text = text_begin();

	text_add(&text, options->in_force);
	finish_line(&text);
}

void
log_silence(void)
{
	is_silent = true;
}

void
log_start(void)
{
	struct text text;

	if (options->format != LOG_JSON) {
		if (is_wanted(WEIGHT_DETAIL))
			log_settings();
	} else if (is_wanted(WEIGHT_NORMAL)) {
		text = line_begin();
		json_start(&text, clock_epoch_ns(), options->id, options->name,
		    options->command, &options->settings->limits);
		finish_line(&text);
	}
}

static char amiss[REASON_SIZE]; /* why what told_once() has returned is */

/* message_mishap(), but NULL where it has been told of in this run. */
static const char *
told_once(enum mishap mishap, const struct loop_state *state, struct text *line)
{
	static bool is_told[MISHAPS];
	struct text reason = text_in(amiss, sizeof amiss);
	const char *what = is_told[mishap]
	    ? NULL
	    : message_mishap(line, &reason, mishap, state, options->headers);

	is_told[mishap] = is_told[mishap] || what != NULL;
	return what;
}

/* Those with a line or an event of their own. */
static void
log_mishaps(const struct loop_state *state, int64_t pause_ns)
{
	int mishap = options->format == LOG_JSON && pause_ns != PAUSE_NONE
	    ? MISHAP_STRAY_OUTPUT
	    : MISHAP_MISSED_WAIT;

	for (; mishap < MISHAPS; mishap++) {
		char line[REASON_SIZE];
		struct text words = text_in(line, sizeof line);
		const char *what
		    = told_once((enum mishap)mishap, state, &words);

		if (what != NULL)
			log_degraded(WEIGHT_NORMAL, line, what, amiss);
	}
}

static void
log_notes(const struct outcome *outcome)
{
	static bool is_told;

	for (int note = 0; note < NOTES; note++) {
		struct text text = text_begin();

		/* This note would be the same each time: print it once. */
		if ((note == NOTE_SIGNAL_AS_STATUS && is_told)
		    || !message_note(&text, (enum note)note, outcome,
		        &options->settings->rules.codes))
			continue;
		is_told = is_told || note == NOTE_SIGNAL_AS_STATUS;
		finish_line(&text);
	}
}

/*
 * Failure number REPEATS of its kind. One that is not worth a line is seen
 * nevertheless while it is waited.
 */
static void
log_failed_attempt(
    const struct loop_state *state, int64_t repeats_so_far, int64_t pause_ns)
{
	bool stays = repeats_are_told(repeats_so_far);
	struct text text = text_begin();
	struct span time = message_attempt(
	    &text, state, &options->settings->limits, repeats_so_far, pause_ns);

	for (int mishap = 0; stays && mishap < MISHAP_MISSED_WAIT; mishap++)
		told_once((enum mishap)mishap, state, &text);
	if (pause_ns >= NS_PER_S
	    && countdown_line_start(&text, time, stays, -1))
		return;
	if (stays)
		finish_line(&text);
}

/* The lines of an attempt in text. */
static void
log_attempt_text(const struct loop_state *state, int64_t pause_ns)
{
	const struct evidence *evidence = &state->outcome.evidence;
	struct loop_state shown = *state;
	bool tells_all = options->verbose || options->file != NULL;
	int64_t count;

	if (is_wanted(WEIGHT_DETAIL))
		log_notes(&state->outcome);
	if (!is_wanted(WEIGHT_NORMAL))
		return;
	/* That line has just appeared on the same stderr: do not quote it. */
	if (writer_is_stderr() && evidence->match.is_passed_on)
		shown.outcome.evidence.match.last_line = NULL;
	count = repeats_count(&repeats, &shown);
	if (pause_ns != PAUSE_NONE)
		log_failed_attempt(&shown, tells_all ? 1 : count, pause_ns);
}

static void
log_hurry(void)
{
	told = true;
	writer_hurry();
}

void
log_attempt(const struct loop_state *state, int64_t pause_ns)
{
	struct text text;

	if (outcome_told(&state->outcome) != 0)
		log_hurry();
	has_failed = has_failed
	    || (pause_ns != PAUSE_NONE && state->verdict != VERDICT_SUCCESS);
	if (options->format != LOG_JSON) {
		log_attempt_text(state, pause_ns);
	} else if (is_wanted(WEIGHT_NORMAL)) {
		text = line_begin();
		json_attempt(&text, clock_epoch_ns(), options->id,
		    options->name, state, pause_ns);
		finish_line(&text);
	}
	log_mishaps(state, pause_ns);
}

/*
 * A success or a pass has a line only with -v or in a JSON log, unless
 * --flaky-status gives the success another status than 0.
 */
static bool
is_end_wanted(const struct ending *ending)
{
	enum result result = ending->result;

	if (result == RESULT_ERROR)
		return true;
	if (result != RESULT_SUCCESS && result != RESULT_PASS)
		return is_wanted(WEIGHT_LAST);
	if (result == RESULT_SUCCESS && ending->status != 0)
		return is_wanted(WEIGHT_LAST);
	return is_wanted(
	    options->format == LOG_JSON ? WEIGHT_NORMAL : WEIGHT_DETAIL);
}

static void
log_end_text(const struct loop_state *state, const struct ending *ending)
{
	struct loop_state shown = *state;
	struct text text = text_begin();

	/* Passed on or released from the hold, it is on that stderr already. */
	if (writer_is_stderr())
		shown.outcome.evidence.match.last_line = NULL;
	message_end(
	    &text, &shown, &options->settings->limits, ending, options->word);
	if (ending->result != RESULT_STOPPED)
		told_once(MISHAP_UNSTOPPED, state, &text);
	finish_line(&text);
}

static void
log_end_json(const struct loop_state *state, const struct ending *ending)
{
	struct text text = line_begin();
	char words[REASON_SIZE];
	struct text reason = text_in(words, sizeof words);
	const char *line;
	bool has_reason = reason_of_end(&reason, state,
	    &options->settings->limits, ending, options->word, &line);

	json_end(&text, clock_epoch_ns(), options->id, options->name, state,
	    ending, has_reason ? words : NULL, line);
	finish_line(&text);
}

/* The line with which it ends, and the annotation behind it. */
void
log_end(
    const struct loop_state *state, const struct ending *ending, bool is_over)
{
	bool has_line = is_end_wanted(ending);

	if (ending->result == RESULT_INTERRUPTED)
		log_hurry();
	if (ending->result == RESULT_ERROR)
		writer_release(
		    told ? clock_now_ns() + LAST_PATIENCE_NS : INT64_MAX);
	/* A person reads it at once; the event has the status in the end. */
	if (is_over != (options->format == LOG_JSON))
		return;
	if (has_line) {
		if (is_over)
			log_end_json(state, ending);
		else
			log_end_text(state, ending);
	}
	/* Behind a line of COMMAND, which may have no end. */
	if (options->format == LOG_GITHUB && !is_silent)
		annotation_line_write(options, state, ending, has_failed,
		    options->file != NULL || !has_line);
}

/* What a success would lose is not kept back; a log file has it as well. */
static void
finish_news(enum weight weight, struct text *text)
{
	bool goes_out = options->held
	    && (weight == WEIGHT_ALARM || weight == WEIGHT_RECOVERY);

	if (!goes_out || options->file != NULL)
		finish_line(text);
	if (goes_out)
		writer_finish_on_stderr(text);
}

void
log_news(enum weight weight, const char *words, const char *event,
    const char *members)
{
	struct text text;

	if (!is_wanted(weight))
		return;
	if (options->format != LOG_JSON && words != NULL) {
		text = text_begin();
		text_printable(&text, words);
		finish_news(weight, &text);
	} else if (options->format == LOG_JSON && event != NULL) {
		text = line_begin();
		json_event(&text, clock_epoch_ns(), event, options->id,
		    options->name, members);
		finish_news(weight, &text);
	}
}

bool
log_wait(const char *words, struct span time, int64_t since_ns, bool stays)
{
	struct text text;
	size_t before;

	if (!is_wanted(WEIGHT_NORMAL) || options->format != LOG_TEXT)
		return false;
	text = text_begin();
	before = text.length;
	text_add(&text, words);
	time.start += before;
	time.end += before;
	return countdown_line_start(&text, time, stays, max_ns(since_ns, 0));
}

void
log_degraded(
    enum weight weight, const char *words, const char *what, const char *reason)
{
	char members[4 * REASON_SIZE];
	struct text text = text_in(members, sizeof members);

	json_member_string(&text, "what", what);
	json_member_string(&text, "reason", reason);
	log_news(weight, words, "degraded", members);
}
