/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/signals.h"
#include "streams/hint_file.h"
#include "streams/input.h"
#include "streams/output.h"
#include "streams/streams.h"
#include "system/system.h"

static struct scan *scan;
static bool passes_stderr; /* stderr is passed on at once, not held */
static bool is_ours; /* backoff passes on a stream of this attempt */

static struct stream_failure
failed(const char *stream, int error)
{
	return (struct stream_failure) {
		.stream = stream,
		.error = error,
		.is_final = true,
	};
}

static const struct stream_failure no_failure;

/* Of the file that stdout is, if that is no log: its size, and our place. */
static bool writes_file;
static off_t before[2];

static void
look_at_stdout(off_t where[2])
{
	struct stat stat;

	where[0] = where[1] = 0;
	if (!writes_file || fstat(STDOUT_FILENO, &stat) != 0)
		return;
	where[0] = stat.st_size;
	/* What is appended moves the place to the end of the file. */
	if ((fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND) == 0)
		where[1] = lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

struct stream_failure
streams_start(const struct streams *streams)
{
	scan = streams->scan;
	passes_stderr = streams->hold != HOLD_ALL;
	/* Pipes and terminals have no place, and /dev/null never moves. */
	writes_file = !hold_keeps(STDOUT_FILENO)
	    && lseek(STDOUT_FILENO, 0, SEEK_CUR) >= 0
	    && !fd_same_file(STDOUT_FILENO, STDERR_FILENO);
	if (!input_start(streams->stdin_mode, streams->spool_limit))
		return failed("stdin", errno);
	if (!output_start(scan, streams->times_output))
		return failed("output", errno);
	return no_failure;
}

/* The first descriptor is for stdin, the others are for the output. */
static int
wanted(struct pollfd *descriptors)
{
	descriptors[0] = input_wanted();
	return 1 + output_wanted(descriptors + 1);
}

static bool
input_is_ready(const struct pollfd *came)
{
	int64_t due_ns = input_due_ns();

	return came->revents != 0
	    || (due_ns < INT64_MAX && clock_now_ns() >= due_ns);
}

static void
on_ready(const struct pollfd *came, int count)
{
	signals_before_write();
	if (input_is_ready(&came[0]))
		input_feed();
	output_on_ready(came + 1, count - 1);
	signals_after_write(true);
}

/*
 * Without its input COMMAND cannot work correctly, so it must end. If its
 * output fails, it learns that from its pipe.
 */
static bool
has_failed(void)
{
	return input_failure() != 0;
}

static bool
drain(bool patient)
{
	bool more;

	signals_before_write();
	/* Leftover processes must not read more of our stdin. */
	input_end();
	more = output_drain(patient);
	signals_after_write(true);
	return more;
}

static const struct relay relay = { output_started, wanted, input_due_ns,
	on_ready, has_failed, output_wrote_ns, drain };

/* Sets DESCRIPTORS: new ones for COMMAND, or -1 if it inherits ours. */
static struct stream_failure
lay(int descriptors[3])
{
	const char *stream;

	for (int fd = 0; fd < 3; fd++)
		descriptors[fd] = -1;
	descriptors[STDIN_FILENO] = input_begin();
	if (input_wanted().fd >= 0) {
		signals_before_write();
		input_feed();
		signals_after_write(true);
	}
	if (input_failure() != 0)
		return failed("stdin", input_failure());
	stream = output_begin(descriptors);
	return stream == NULL ? no_failure : failed(stream, errno);
}

struct stream_failure
streams_begin(struct command *command)
{
	struct stream_failure failure;
	struct stated_wait old;

	/* Drop hints written by a hook or by a leftover process. */
	hint_take(&old);
	failure = lay(command->descriptors);
	if (failure.stream != NULL) {
		output_started();
		input_end();
		return failure;
	}
	look_at_stdout(before);
	is_ours = false;
	for (int fd = 0; fd < 3; fd++)
		is_ours = is_ours || command->descriptors[fd] >= 0;
	command->relay = is_ours ? &relay : NULL;
	return no_failure;
}

/* Whether SAID is a time that there is; if so, it is the wait. */
static bool
add_wait(struct hint *hint, const struct stated_wait *said, int64_t ended_ns)
{
	/* By the calendar of now, whatever it was then. */
	int64_t epoch_ns = clock_epoch_ns() - (clock_now_ns() - ended_ns);
	struct text until = text_in(hint->until, sizeof hint->until);
	int64_t moment_ns;

	if (said->stated != STATED_READ
	    || !calendar_moment(&said->when, epoch_ns, &moment_ns))
		return false;
	hint->has_wait = true;
	hint->wait_ns = said->when.kind == WHEN_DURATION ? said->when.ns
	                                                 : moment_ns - epoch_ns;
	if (said->when.kind != WHEN_DURATION && hint->wait_ns > 0)
		calendar_text(&until, moment_ns, epoch_ns);
	return true;
}

/* What one source says; a text that cannot be read is kept to be told. */
static void
add_source(struct hint *hint, enum wait_source source,
    const struct stated_wait *said, int64_t ended_ns)
{
	bool is_wanted = !hint->has_wait;

	if (is_wanted && add_wait(hint, said, ended_ns)) {
		hint->by_output = source != WAIT_HINT;
	} else if (hint->unread == NULL
	    && (said->stated == STATED_UNREADABLE
	        || (is_wanted && said->stated == STATED_READ))) {
		hint->unread = said->text;
		hint->unread_in_file = source == WAIT_HINT;
	}
}

/* BACKOFF_HINT wins: it is COMMAND's own, the output's is another one's. */
static void
add_hint(struct evidence *evidence, int64_t ended_ns)
{
	static struct stated_wait after;
	struct hint hint = hint_take(&after);

	add_source(&hint, WAIT_HINT, &after, ended_ns);
	for (int i = WAIT_HINT + 1; scan != NULL && i < WAIT_SOURCES; i++) {
		enum wait_source source = (enum wait_source)i;
		const struct stated_wait *said = waits_of(&scan->waits, source);

		add_source(&hint, source, said, ended_ns);
		if (scan->waits.wanted == WANTED_ALL
		    && said->stated > hint.stated)
			hint.stated = said->stated;
	}
	evidence->hint = hint;
}

static void
add_matches(struct evidence *evidence)
{
	const struct condition *condition = scan_match(scan);

	evidence->match.last_line = scan->last_line.text;
	evidence->match.is_silent = !scan->has_line;
	evidence->match.is_passed_on = passes_stderr;
	if (condition == NULL)
		return;
	if (condition->quote.length > 0)
		evidence->match.last_line = condition->quote.text;
	evidence->match.verdict = condition->verdict;
	evidence->match.pattern = condition->text;
}

/* If the reader of the output has gone, backoff dies by PIPE as well. */
static void
add_failure(struct evidence *evidence)
{
	if (input_failure() != 0) {
		evidence->failure.stream = "stdin";
		evidence->failure.is_final = true;
		evidence->failure.error = input_failure();
	} else if (output_failure() != 0) {
		evidence->failure.stream = "output";
		evidence->failure.error = output_failure();
		/* COMMAND may have failed only because its pipe was closed. */
		evidence->failure.is_final = evidence->failure.error != EPIPE;
	}
	if (evidence->failure.error == EPIPE && signals_pipe_is_deadly())
		evidence->failure.signal = SIGPIPE;
}

struct evidence
streams_end(int64_t ended_ns)
{
	struct evidence evidence = { .hint.verdict = VERDICT_NONE };
	off_t now[2];

	output_started();
	if (is_ours) {
		signals_before_write();
		input_end();
		output_end();
		signals_after_write(true);
	}
	add_hint(&evidence, ended_ns);
	if (scan != NULL)
		add_matches(&evidence);
	evidence.input = input_fate();
	look_at_stdout(now);
	evidence.stray_bytes = max_ns(now[0] - before[0], now[1] - before[1]);
	evidence.full = hold_is_full();
	evidence.failure.cut_off = output_was_cut_off();
	add_failure(&evidence);
	return evidence;
}

const struct condition *
streams_message(int status)
{
	return scan != NULL ? scan_message(scan, status) : NULL;
}
