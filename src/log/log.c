/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "log/log.h"
#include "process/process.h"
#include "system/system.h"

/*
 * If a full terminal has taken only a part of the row before, CR and ESC end
 * the escape sequence that was cut.
 */
#define ERASE_ROW "\r\033[K"
#define KEY_COLUMNS 2 /* of "^C", which the terminal shows behind the row */

/* How long to wait for a stalled reader: only once, not for each line. */
#define PATIENCE_NS NS_PER_S

struct sink {
	struct outlet outlet; /* nothing but its fd until the first line */
	bool stalled; /* the last line found no room in time */
	bool torn; /* the last line lacks its newline */
	int error; /* errno of the last line that could not be written */
};

static const struct log_options *options;
static struct sink sink = { .outlet.fd = STDERR_FILENO };
static int held = -1; /* where --quiet-success holds the log back, or -1 */
static bool is_stderr; /* the log goes where COMMAND's stderr goes */
static char usual_buffer[5120];
static char *buffer = usual_buffer; /* [0]: a newline, after a torn line */
static size_t buffer_size;
static bool has_row; /* the countdown is below the last line */

static bool is_ending; /* by a signal, which no slow reader may delay */
/* What --log-format=github says of a success: "; attempt 2: exit 7". */
static char last_failure[REASON_SIZE + 40];
static bool is_loss_told; /* stderr has the line about a FILE that fails */
static struct repeats repeats;

/*
 * Opens --log-file=FILE, or copies the descriptor that it names. Returns -1 and
 * sets errno on failure.
 */
static int
target_of(const char *file)
{
	int64_t named = -1;
	int flags;

	if (strcmp(file, "/dev/stdout") == 0)
		named = STDOUT_FILENO;
	else if (strcmp(file, "/dev/stderr") == 0)
		named = STDERR_FILENO;
	else if (strncmp(file, "/dev/fd/", 8) == 0
	    && !count_parse(file + 8, &named))
		named = -1;
	if (named >= 0 && named < 1000000) {
		flags = fcntl((int)named, F_GETFL);
		if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
			return fd_copy((int)named);
		errno = EBADF;
		return -1;
	}
	return fd_out_of_the_way(open(file,
	    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY
	        | O_NONBLOCK, /* a FIFO that nobody reads is an error */
	    0666));
}

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
	if (options->held && (held = tempfile_open()) < 0)
		return "--quiet-success";
	if (held >= 0)
		sink.outlet.fd = held;
	if (options->file != NULL)
		sink.outlet.fd = target_of(options->file);
	if (sink.outlet.fd < 0)
		return "--log-file";
	is_stderr = options->file == NULL
	    || fd_same_file(sink.outlet.fd, STDERR_FILENO);
	return NULL;
}

int
log_held(void)
{
	return held;
}

static struct outlet *
outlet_to(struct sink *to)
{
	if (to->outlet.step == 0)
		to->outlet = outlet_of(to->outlet.fd);
	return &to->outlet;
}

/* Whether all was written. A line that finds no room is dropped. */
static bool
put(struct sink *to, const char *bytes, size_t length)
{
	int64_t patience_ns = to->stalled ? 0
	    : is_ending                   ? LAST_PATIENCE_NS
	                                  : PATIENCE_NS;
	size_t left = length;
	enum written end;

	outlet_to(to);
	signals_before_write();
	end = outlet_put(
	    &to->outlet, bytes, &left, clock_now_ns() + patience_ns);
	if (end == WRITTEN_FAILED)
		to->error = errno;
	signals_after_write(end == WRITTEN_FAILED);
	to->stalled = end == WRITTEN_PART;
	if (left < length)
		to->torn = bytes[length - left - 1] != '\n';
	return left == 0;
}

enum written
log_release(int64_t until_ns)
{
	enum written end;
	off_t size;
	int error;

	if (held < 0)
		return WRITTEN_ALL;
	size = lseek(held, 0, SEEK_END);
	signals_before_write();
	end = copy_file(STDERR_FILENO, held, size, until_ns);
	error = errno;
	signals_after_write(end == WRITTEN_FAILED);
	if (sink.outlet.fd == held) {
		sink.outlet = (struct outlet) { .fd = STDERR_FILENO };
		sink.torn = end != WRITTEN_ALL || !ends_line(held, size);
		/* The output of COMMAND follows. */
		if (sink.torn && end == WRITTEN_ALL)
			put(&sink, "\n", 1);
	}
	fd_close(&held);
	errno = error;
	return end;
}

/* TEXT is in the buffer, which has room for a newline on either side. */
static void
finish_in(struct sink *to, struct text *text)
{
	if (options->format == LOG_GITHUB)
		annotation_defuse(text->data);
	if (to->outlet.fd == held)
		to->torn = !ends_line(held, lseek(held, 0, SEEK_END));
	text->data[text->length] = '\n';
	put(to, text->data - to->torn, text->length + 1 + to->torn);
	text->data[text->length] = '\0';
}

/* Writes it to DESCRIPTOR, wherever the log goes. */
static void
finish_on(int descriptor, struct text *text)
{
	struct sink other = { .outlet.fd = descriptor };

	finish_in(sink.outlet.fd == descriptor ? &sink : &other, text);
	outlet_close(&other.outlet);
}

/* After the row, if there is one, is erased. */
static struct text
buffer_begin(void)
{
	log_erase_wait();
	buffer[0] = '\n';
	return text_in(buffer + 1, buffer_size - 2);
}

static void
add_prefix(struct text *text)
{
	text_add(text, "backoff: ");
	text_printable(text, options->name);
	text_add(text, ": ");
}

/* Writes a line to the log; the buffer is free afterwards. */
static void
finish(struct text *text)
{
	finish_in(&sink, text);
	if (sink.error == 0 || is_stderr || is_loss_told || options->quiet > 0)
		return;
	/* Of a log file, say on stderr that lines are lost, and why. */
	is_loss_told = true;
	*text = buffer_begin();
	add_prefix(text);
	text_bounded(text, "cannot write the log (", options->file, ": ");
	text_join(text, strerror(sink.error), ")");
	finish_on(held >= 0 ? held : STDERR_FILENO, text);
}

/* --- the countdown --- */

bool
log_shows_waits(void)
{
	const char *terminal = getenv("TERM"), *ci = getenv("CI");

	return options->format == LOG_TEXT && options->file == NULL
	    && options->quiet == 0 && !options->held && terminal != NULL
	    && *terminal != '\0'
	    && strcmp(terminal, "dumb") != 0
	    /* The log of a CI service would keep each row. */
	    && (ci == NULL || *ci == '\0' || strcmp(ci, "false") == 0
	        || strcmp(ci, "0") == 0)
	    && outlet_to(&sink)->is_terminal;
}

void
log_erase_wait(void)
{
	sink.torn |= output_tore_stderr() && is_stderr;
	if (has_row && is_in_foreground())
		sink.torn = !put(&sink, ERASE_ROW, strlen(ERASE_ROW));
	has_row = false;
}

/* Rounded down: < 0 before a moment, and in its last second -1. */
static int64_t
whole_seconds(int64_t since_ns)
{
	return since_ns / NS_PER_S - (since_ns % NS_PER_S < 0);
}

/*
 * Draws the row in place of what stood there, cut to the terminal's width;
 * nothing in the background, or where the terminal has no room or no known
 * width. It is SECONDS since a moment, or, if they are below 0, until then.
 */
static void
draw(const char *words, int64_t seconds)
{
	char room[128];
	int columns = device_columns(STDERR_FILENO) - KEY_COLUMNS;
	struct text row;
	ssize_t written;

	if (!is_in_foreground()) {
		has_row = false;
		return;
	}
	if (columns <= 0)
		return;
	row = text_in(
	    room, (size_t)min_ns(sizeof room, columns + (int)sizeof ERASE_ROW));
	text_join(&row, ERASE_ROW, words,
	    DURATION(saturating_multiply(
	        seconds < 0 ? -seconds : seconds, NS_PER_S)));
	signals_before_write();
	written = outlet_write(outlet_to(&sink), row.data, row.length);
	signals_after_write(written < 0);
	has_row = has_row || written > 0;
}

int
log_count_down(int64_t until_ns, const char *words, int64_t since_ns)
{
	int64_t moment_ns = since_ns < 0 ? until_ns : since_ns;
	int64_t now_ns = clock_now_ns();
	int64_t shown = whole_seconds(now_ns - moment_ns); /* by that line */

	for (; now_ns < until_ns; now_ns = clock_now_ns()) {
		int64_t seconds = whole_seconds(now_ns - moment_ns);
		int64_t next_ns = moment_ns + (seconds + 1) * NS_PER_S;
		struct queued_signal arrival;

		if (words != NULL && seconds != shown)
			draw(words, seconds);
		shown = seconds;
		if (signals_wait(&arrival,
		        words != NULL ? min_ns(next_ns, until_ns) : until_ns,
		        &(struct pollfd) { 0 }, 1)
		    != WAKE_SIGNAL)
			continue;
		if (signals_ends(arrival.signal)
		    || signals_wakes(arrival.signal)) {
			is_ending = true;
			log_erase_wait();
			return arrival.signal;
		}
		if (arrival.signal == SIGCONT || arrival.signal == SIGWINCH)
			shown = INT64_MIN; /* the row may be gone */
	}
	return 0;
}

/* --- lines and events --- */

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

/*
 * Begins an EVENT, or, if that is NULL, a line of text; before it, reports that
 * earlier ones were lost.
 */
static struct text
line_begin(const char *event)
{
	int error = sink.error;
	struct text text;
	struct tm local;
	char stamp[40];

	sink.error = 0;
	if (error != 0)
		log_degraded(WEIGHT_LAST,
		    JOINED(128, "lines of the log are lost: ", strerror(error)),
		    "log", strerror(error));
	text = buffer_begin();
	if (event != NULL) {
		json_begin(
		    &text, clock_epoch_ns(), event, options->id, options->name);
		return text;
	}
	/* This may read the time zone's file, so not at the start. */
	if (options->file != NULL) {
		local = clock_local(clock_epoch_ns());
		if (strftime(
		        stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S%z ", &local)
		    > 0)
			text_add(&text, stamp);
	}
	add_prefix(&text);
	return text;
}

void
log_start(void)
{
	int64_t attempts = options->settings->limits.attempts;
	struct text text;

	log_shared(WEIGHT_DETAIL, options->in_force, NULL, NULL);
	if (options->format == LOG_JSON && is_wanted(WEIGHT_NORMAL)) {
		text = line_begin("start");
		json_member_string(&text, "command", options->command);
		json_member_number(
		    &text, "attempts", attempts == INT64_MAX ? -1 : attempts);
		text_byte(&text, '}');
		finish(&text);
	}
}

/*
 * Reports the mishaps from FROM up to END, each only once in a run: in LINE,
 * or, if that is NULL, with a line or an event of their own.
 */
static void
report_mishaps(
    struct text *line, const struct loop_state *state, int from, int end)
{
	static bool is_reported[MISHAPS];

	for (int mishap = from; mishap < end; mishap++) {
		char room[2][REASON_SIZE];
		struct text text = text_in(room[0], REASON_SIZE);
		struct text reason = text_in(room[1], REASON_SIZE);
		const char *what = is_reported[mishap]
		    ? NULL
		    : mishap_text(&text, &reason, (enum mishap)mishap, state,
		        options->headers);

		if (what == NULL)
			continue;
		is_reported[mishap] = true;
		if (line != NULL)
			text_add(line, text.data);
		else
			log_degraded(
			    WEIGHT_NORMAL, text.data, what, reason.data);
	}
}

static void
log_notes(const struct outcome *outcome)
{
	static bool is_noted;

	for (int note = 0; note < NOTES; note++) {
		struct text text = line_begin(NULL);

		/* It would be the same after each attempt. */
		if ((note == NOTE_SIGNAL_AS_STATUS && is_noted)
		    || !note_text(&text, (enum note)note, outcome,
		        &options->settings->rules.codes))
			continue;
		is_noted = is_noted || note == NOTE_SIGNAL_AS_STATUS;
		finish(&text);
	}
}

static void
log_attempt_text(const struct loop_state *state, int64_t pause_ns)
{
	struct loop_state shown = *state;
	struct match *match = &shown.outcome.evidence.match;
	struct text text, pause_end = TEXT_OF(40);
	int64_t skipped, left_ns, now_ns;

	if (is_wanted(WEIGHT_DETAIL))
		log_notes(&state->outcome);
	/* Do not quote a line that is on the same stderr already. */
	if (is_stderr && match->is_passed_on)
		match->last_line = NULL;
	skipped = repeats_count(&repeats, &shown);
	if (options->verbose || options->file != NULL)
		skipped = 0;
	/* The last attempt has only the closing line. */
	if (pause_ns == PAUSE_NONE || skipped < 0)
		return;
	if (repeats.has_same_quote)
		match->last_line = NULL;
	if (pause_ns >= NS_PER_MIN) {
		left_ns = saturating_add(state->outcome.ended_ns, pause_ns)
		    - clock_now_ns();
		now_ns = clock_epoch_ns();
		calendar_text(
		    &pause_end, saturating_add(now_ns, left_ns), now_ns);
	}
	text = line_begin(NULL);
	message_attempt(&text, &shown, &options->settings->limits, skipped);
	report_mishaps(&text, state, 0, MISHAP_MISSED_WAIT);
	message_next(&text, &shown, pause_ns, pause_end.data);
	finish(&text);
}

void
log_attempt(const struct loop_state *state, int64_t pause_ns)
{
	struct text text;

	if (state->outcome.end_signal != 0)
		is_ending = true;
	if (options->format == LOG_GITHUB && pause_ns != PAUSE_NONE
	    && state->verdict != VERDICT_SUCCESS) {
		text = text_in(last_failure, sizeof last_failure);
		text_join(&text, "; attempt ", NUMBER(state->attempt), ": ");
		reason_text(
		    &text, &state->outcome, reason_line(&state->outcome));
	}
	if (!is_wanted(WEIGHT_NORMAL))
		return;
	if (options->format != LOG_JSON) {
		log_attempt_text(state, pause_ns);
	} else {
		text = line_begin("attempt");
		json_attempt(&text, state, pause_ns);
		text_byte(&text, '}');
		finish(&text);
	}
	/* A JSON log has no line of the attempt to add this one to. */
	report_mishaps(NULL, state,
	    options->format == LOG_JSON && pause_ns != PAUSE_NONE
	        ? MISHAP_STRAY_OUTPUT
	        : MISHAP_MISSED_WAIT,
	    MISHAPS);
}

/*
 * A success or a pass has a line only with -v or in a JSON log, unless
 * --flaky-status gives the success another status than 0.
 */
static enum weight
weight_of_end(const struct ending *ending)
{
	if (ending->result == RESULT_ERROR)
		return WEIGHT_ALARM;
	if (ending->result == RESULT_PASS
	    || (ending->result == RESULT_SUCCESS && ending->status == 0))
		return options->format == LOG_JSON ? WEIGHT_NORMAL
		                                   : WEIGHT_DETAIL;
	return WEIGHT_LAST;
}

/*
 * Points at the end if backoff gave up, or if a success took more than one
 * attempt. GitHub shows the annotation by itself, so it quotes the line of
 * stderr, too. It goes to stderr, so -q applies even with a log file.
 * What is still held is dropped: there is nothing to point at. ON_NEW_LINE:
 * what is on stderr before it may lack its newline.
 */
static void
annotate(const struct loop_state *state, const struct ending *ending,
    bool on_new_line)
{
	enum result result = ending->result;
	bool is_success = result == RESULT_SUCCESS;
	struct text message = TEXT_OF(2 * REASON_SIZE);
	struct text text = buffer_begin();

	if (result == RESULT_PASS || result == RESULT_DEFERRED || held >= 0
	    || options->quiet > (is_success ? 0 : 1)
	    || (is_success && *last_failure == '\0'))
		return;
	message_end(
	    &message, state, &options->settings->limits, ending, options->word);
	if (is_success)
		text_add(&message, last_failure);
	if (on_new_line)
		text_byte(&text, '\n');
	annotation_text(&text, is_success ? "warning" : "error", options->name,
	    message.data);
	finish_on(STDERR_FILENO, &text);
}

void
log_end(
    const struct loop_state *state, const struct ending *ending, bool is_over)
{
	const struct limits *limits = &options->settings->limits;
	bool has_line = is_wanted(weight_of_end(ending));
	struct loop_state shown = *state;
	struct text text;

	if (ending->result == RESULT_INTERRUPTED)
		is_ending = true;
	if (ending->result == RESULT_ERROR)
		log_release(
		    is_ending ? clock_now_ns() + LAST_PATIENCE_NS : INT64_MAX);
	/* People read a line at once; an event needs the final status. */
	if (is_over != (options->format == LOG_JSON))
		return;
	if (has_line && is_over) {
		text = line_begin("end");
		json_end(&text, state, limits, ending, options->word);
		text_byte(&text, '}');
		finish(&text);
	} else if (has_line) {
		text = line_begin(NULL);
		/* Passed on or released, it is on the same stderr already. */
		if (is_stderr)
			shown.outcome.evidence.match.last_line = NULL;
		message_end(&text, &shown, limits, ending, options->word);
		/* Other endings have another reason than the status. */
		if (ending->result == RESULT_EXHAUSTED
		    || ending->result == RESULT_DEADLINE)
			report_mishaps(&text, state, MISHAP_UNSTOPPED,
			    MISHAP_UNSTOPPED + 1);
		finish(&text);
	}
	if (options->format == LOG_GITHUB)
		annotate(state, ending, options->file != NULL || !has_line);
}

void
log_shared(enum weight weight, const char *words, const char *event,
    const char *members)
{
	bool is_json = options->format == LOG_JSON;
	/* A success drops what is held. */
	bool goes_out = options->held
	    && (weight == WEIGHT_ALARM || weight == WEIGHT_RECOVERY);
	struct text text;

	if (!is_wanted(weight) || (is_json ? event : words) == NULL)
		return;
	text = line_begin(is_json ? event : NULL);
	if (is_json)
		text_join(&text, members, "}");
	else
		text_printable(&text, words);
	if (goes_out)
		finish_on(STDERR_FILENO, &text);
	if (!goes_out || options->file != NULL)
		finish(&text);
}

void
log_degraded(
    enum weight weight, const char *words, const char *what, const char *reason)
{
	struct text members = TEXT_OF(4 * REASON_SIZE);

	json_member_string(&members, "what", what);
	json_member_string(&members, "reason", reason);
	log_shared(weight, words, "degraded", members.data);
}
