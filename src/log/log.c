/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process/clock.h"
#include "process/fd.h"
#include "core/duration.h"
#include "core/json.h"
#include "core/message.h"
#include "core/settings_text.h"
#include "log/log.h"
#include "log/log_target.h"
#include "process/signals.h"
#include "streams/copy.h"
#include "streams/tempfile.h"

/* How long to wait for a stalled reader: once, not for every line. */
#define PATIENCE_NS NS_PER_S
#define LAST_PATIENCE_NS (100 * NS_PER_MS) /* once backoff is told to end */

static const struct log_options *options;
static int descriptor = STDERR_FILENO;
static int held = -1; /* where --quiet-success holds the log back, or -1 */
static struct outlet outlet; /* to DESCRIPTOR; made for the first line */
static bool has_outlet;
static bool stalled; /* the last line found no room in time */
static bool torn; /* the last line was cut short and lacks its newline */
static bool told; /* backoff has been told to end */
static bool is_stderr; /* the log goes where COMMAND's stderr goes */
static struct repeats repeats;
static char usual_buffer[5120];
static char *buffer = usual_buffer; /* [0]: the newline for a torn line */
static size_t buffer_size;

const char *
log_open(const struct log_options *what)
{
	options = what;
	/* In JSON, a byte of a string becomes at most six: \ufffd. */
	buffer_size = 1024 + 6 * REASON_SIZE
	    + 6
	        * (strlen(options->name) + strlen(options->command)
	            + strlen(options->id));
	if (buffer_size > sizeof usual_buffer)
		buffer = malloc(buffer_size);
	if (buffer == NULL)
		return "memory";
	if (options->held && (held = tempfile_open(O_APPEND)) < 0)
		return "--quiet-success";
	if (held >= 0)
		descriptor = held;
	if (options->file != NULL)
		descriptor = log_target(options->file);
	if (descriptor < 0)
		return "--log-file";
	buffer[0] = '\n';
	is_stderr
	    = options->file == NULL || fd_same_file(descriptor, STDERR_FILENO);
	return NULL;
}

int
log_held(void)
{
	return held;
}

enum written
log_release(int64_t until_ns)
{
	enum written end;

	if (held < 0)
		return WRITTEN_ALL;
	signals_before_write();
	end = copy_file(
	    STDERR_FILENO, held, lseek(held, 0, SEEK_END), until_ns);
	signals_after_write(end == WRITTEN_FAILED);
	torn = end == WRITTEN_PART;
	close(held);
	if (descriptor == held) {
		descriptor = STDERR_FILENO;
		has_outlet = false;
	}
	held = -1;
	return end;
}

/* How long to wait for room for a line. */
static int64_t
patience(void)
{
	if (stalled)
		return 0;
	return told ? LAST_PATIENCE_NS : PATIENCE_NS;
}

/* A line that finds no room, or no reader, is dropped. */
static void
write_line(const char *line, size_t length)
{
	size_t left = length;
	enum written end;

	if (!has_outlet)
		outlet = outlet_of(descriptor);
	has_outlet = true;
	signals_before_write();
	end = outlet_put(&outlet, line, &left, clock_now_ns() + patience());
	signals_after_write(end == WRITTEN_FAILED);
	stalled = end == WRITTEN_PART;
	if (left < length)
		torn = line[length - left - 1] != '\n';
}

static bool
is_wanted(enum weight weight)
{
	if (options->file != NULL)
		return weight != WEIGHT_DETAIL || options->verbose;
	if (options->quiet > 0)
		return options->quiet == 1 && weight == WEIGHT_LAST;
	return weight != WEIGHT_DETAIL || options->verbose;
}

/* For a log file. This may read the time zone's file, so not at the start. */
static void
add_local_time(struct text *text)
{
	time_t now = (time_t)(clock_epoch_ns() / NS_PER_S);
	struct tm tm = { 0 };
	char stamp[40];

	tzset();
	localtime_r(&now, &tm);
	if (strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S%z ", &tm) > 0)
		text_add(text, stamp);
}

static struct text
text_begin(void)
{
	struct text text = text_in(buffer + 1, buffer_size - 2);

	if (options->file != NULL)
		add_local_time(&text);
	text_add(&text, "backoff: ");
	text_printable(&text, options->name);
	text_add(&text, ": ");
	return text;
}

/* The buffer has room for the newlines before and after TEXT. */
static void
finish_line(struct text *text)
{
	text->data[text->length] = '\n';
	write_line(text->data - torn, text->length + 1 + torn);
}

static void
log_settings(void)
{
	struct text text = text_begin();

	settings_text(&text, options->settings);
	if (options->further != NULL)
		text_add(&text, options->further);
	finish_line(&text);
}

void
log_start(void)
{
	struct text text;

	if (options->format == LOG_TEXT) {
		if (is_wanted(WEIGHT_DETAIL))
			log_settings();
	} else if (is_wanted(WEIGHT_NORMAL)) {
		text = text_in(buffer + 1, buffer_size - 2);
		json_start(&text, clock_epoch_ns(), options->id, options->name,
		    options->command, &options->settings->limits);
		finish_line(&text);
	}
}

/* Says, once, why --retry-after found no header. */
static void
log_missing_header(void)
{
	struct text text = text_begin();
	static bool is_told;

	if (is_told)
		return;
	is_told = true;
	message_missing_header(&text, options->headers);
	finish_line(&text);
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

/* The lines of an attempt in text. */
static void
log_attempt_text(const struct loop_state *state, int64_t pause_ns)
{
	const struct evidence *evidence = &state->outcome.evidence;
	struct loop_state shown = *state;
	bool tells_all = options->verbose || options->file != NULL;
	struct text text;
	int64_t count;

	if (is_wanted(WEIGHT_DETAIL))
		log_notes(&state->outcome);
	if (!is_wanted(WEIGHT_NORMAL))
		return;
	/* That line has just appeared on the same stderr: do not quote it. */
	if (is_stderr && evidence->match.is_passed_on)
		shown.outcome.evidence.match.last_line = NULL;
	count = repeats_count(&repeats, &shown);
	if (pause_ns != PAUSE_NONE && (tells_all || repeats_are_told(count))) {
		text = text_begin();
		message_attempt(&text, &shown, &options->settings->limits,
		    tells_all ? 1 : count, pause_ns);
		finish_line(&text);
	}
	if (state->verdict == VERDICT_THROTTLE && evidence->hint.lacks_header)
		log_missing_header();
}

void
log_attempt(const struct loop_state *state, int64_t pause_ns)
{
	struct text text;

	told = told || outcome_told(&state->outcome) != 0;
	if (options->format == LOG_TEXT) {
		log_attempt_text(state, pause_ns);
	} else if (is_wanted(WEIGHT_NORMAL)) {
		text = text_in(buffer + 1, buffer_size - 2);
		json_attempt(
		    &text, clock_epoch_ns(), options->id, state, pause_ns);
		finish_line(&text);
	}
}

/* A success or a pass has a line only with -v or in a JSON log. */
static bool
is_end_wanted(enum result result)
{
	if (result == RESULT_ERROR)
		return true;
	if (result != RESULT_SUCCESS && result != RESULT_PASS)
		return is_wanted(WEIGHT_LAST);
	if (options->format == LOG_JSON)
		return is_wanted(WEIGHT_NORMAL);
	return is_wanted(WEIGHT_DETAIL);
}

static void
log_end_text(const struct loop_state *state, const struct ending *ending)
{
	struct loop_state shown = *state;
	struct text text = text_begin();

	/* Passed on or released from the hold, it is on that stderr already. */
	if (is_stderr)
		shown.outcome.evidence.match.last_line = NULL;
	message_end(&text, &shown, &options->settings->limits, ending,
	    options->command);
	finish_line(&text);
}

static void
log_end_json(const struct loop_state *state, const struct ending *ending)
{
	struct text text = text_in(buffer + 1, buffer_size - 2);
	char words[REASON_SIZE];
	struct text reason = text_in(words, sizeof words);
	bool has_reason = reason_of_end(&reason, state,
	    &options->settings->limits, ending, options->command);

	json_end(&text, clock_epoch_ns(), options->id, state, ending,
	    has_reason ? words : NULL);
	finish_line(&text);
}

void
log_end(const struct loop_state *state, const struct ending *ending)
{
	told = told || ending->result == RESULT_INTERRUPTED;
	if (!is_end_wanted(ending->result))
		return;
	if (ending->result == RESULT_ERROR)
		log_release(
		    told ? clock_now_ns() + LAST_PATIENCE_NS : INT64_MAX);
	if (options->format == LOG_TEXT)
		log_end_text(state, ending);
	else
		log_end_json(state, ending);
}

void
log_news(enum weight weight, const char *words, const char *event,
    const char *members)
{
	struct text text;

	if (!is_wanted(weight))
		return;
	if (options->format == LOG_TEXT && words != NULL) {
		text = text_begin();
		text_printable(&text, words);
		finish_line(&text);
	} else if (options->format == LOG_JSON && event != NULL) {
		text = text_in(buffer + 1, buffer_size - 2);
		json_event(
		    &text, clock_epoch_ns(), event, options->id, members);
		finish_line(&text);
	}
}

static void
log_failure(const char *what, int error)
{
	struct text text;

	/* JSON has no event for this, and a line of text is not valid JSON. */
	if (options->format == LOG_JSON || !is_wanted(WEIGHT_LAST))
		return;
	text = text_begin();
	text_add(&text, what);
	text_add(&text, strerror(error));
	finish_line(&text);
}

void
log_at_end_failed(int error)
{
	log_failure("--at-end could not be run: ", error);
}

void
log_stderr_torn(void)
{
	torn = torn || is_stderr;
}

void
log_release_failed(int error)
{
	log_failure("held output could not be written: ", error);
}
