/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "streams/hint_file.h"
#include "process/signals.h"
#include "streams/held_output.h"
#include "streams/input.h"
#include "streams/input_spool.h"
#include "streams/streams.h"
#include "streams/tapped_output.h"
#include "streams/tempfile.h"

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

struct stream_failure
streams_start(const struct streams *streams)
{
	scan = streams->scan;
	passes_stderr = streams->hold != HOLD_ALL;
	if (!input_start(streams->stdin_mode, streams->spool_limit))
		return failed("stdin", errno);
	if (scan != NULL && !tap_start(scan))
		return failed("output", errno);
	return no_failure;
}

static void
started(void)
{
	hold_started();
	tap_started();
}

/* The first descriptor is for stdin, the others are for the output. */
static int
wanted(struct pollfd *descriptors)
{
	descriptors[0] = input_wanted();
	return 1 + tap_wanted(descriptors + 1);
}

static void
on_ready(const struct pollfd *came, int count)
{
	signals_before_write();
	if (came[0].revents != 0)
		input_feed();
	tap_on_ready(came + 1, count - 1);
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
	more = tap_drain(patient);
	signals_after_write(true);
	return more || (patient && hold_is_open());
}

static const struct relay relay
    = { started, wanted, on_ready, has_failed, drain };

/* Sets DESCRIPTORS: new ones for COMMAND, or -1 if it inherits ours. */
static struct stream_failure
lay(int descriptors[3])
{
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
	if (!hold_begin(descriptors))
		return failed("held output", errno);
	if (!tap_begin(descriptors))
		return failed("output", errno);
	return no_failure;
}

struct stream_failure
streams_begin(struct command *command)
{
	struct stream_failure failure;

	/* Drop hints written by a hook or by a leftover process. */
	hint_take();
	failure = lay(command->descriptors);
	if (failure.stream != NULL) {
		started();
		input_end();
		return failure;
	}
	is_ours = false;
	for (int fd = 0; fd < 3; fd++)
		is_ours = is_ours || command->descriptors[fd] >= 0;
	command->relay = is_ours ? &relay : NULL;
	command->is_fed = input_wanted().fd >= 0;
	return no_failure;
}

/* BACKOFF_HINT wins: it is COMMAND's own, a header only the server's. */
static void
add_hint(struct evidence *evidence)
{
	const struct hint said = hint_take();

	evidence->hint = said;
	if (said.has_wait || scan == NULL)
		return;
	evidence->hint.header = scan->retry_after.header;
	if (scan->retry_after.header == HEADER_READ) {
		evidence->hint.has_wait = true;
		evidence->hint.wait_ns = scan->retry_after.wait_ns;
	}
}

static void
add_matches(struct evidence *evidence)
{
	const struct condition *condition = scan_match(scan);

	evidence->match.last_line = scan->last_line.text;
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
	} else if (tap_failure() != 0) {
		evidence->failure.stream = "output";
		evidence->failure.error = tap_failure();
		/* COMMAND may have failed only because its pipe was closed. */
		evidence->failure.is_final = evidence->failure.error != EPIPE;
	}
	if (evidence->failure.error == EPIPE && signals_pipe_is_deadly())
		evidence->failure.signal = SIGPIPE;
}

struct evidence
streams_end(void)
{
	struct evidence evidence = { .hint.verdict = VERDICT_NONE };

	started();
	if (is_ours) {
		signals_before_write();
		input_end();
		hold_end();
		tap_end();
		signals_after_write(true);
	}
	add_hint(&evidence);
	if (scan != NULL)
		add_matches(&evidence);
	evidence.input.lost = spool_is_lost();
	evidence.input.taken = input_taken_bytes();
	evidence.input.error = spool_loss();
	evidence.input.directory = tempfile_directory();
	evidence.failure.cut_off = tap_was_cut_off();
	add_failure(&evidence);
	return evidence;
}

const struct condition *
streams_message(int status)
{
	return scan != NULL ? scan_message(scan, status) : NULL;
}
