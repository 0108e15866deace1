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

static struct scan *scan;
static int commands_stdin; /* COMMAND's end, until it has it; or -1 */
static bool is_ours; /* one of its streams, in this attempt */

bool
streams_start(const struct streams *streams)
{
	scan = streams->scan;
	return input_start(streams->stdin_mode, streams->spool_limit)
	    && (scan == NULL || tap_start(scan));
}

static void
started(void)
{
	if (commands_stdin >= 0)
		close(commands_stdin);
	commands_stdin = -1;
	hold_started();
	tap_started();
}

/* The first is that of stdin, the others those of the output. */
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
		input_on_ready(&came[0]);
	tap_on_ready(came + 1, count - 1);
	signals_after_write(true);
}

/*
 * Without its input COMMAND cannot do right any more; that its output goes
 * nowhere it learns from its pipe.
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
	/* What it has left behind reads no more of our stdin. */
	input_end();
	more = tap_drain(patient);
	signals_after_write(true);
	return more || (patient && hold_is_open());
}

static const struct relay relay
    = { started, wanted, on_ready, has_failed, drain };

const char *
streams_begin(struct command *command)
{
	const char *broken = NULL;
	int error;

	/* What a hook or a leftover has said is not this attempt's word. */
	hint_take();
	for (int fd = 0; fd < 3; fd++)
		command->descriptors[fd] = -1;
	commands_stdin = input_begin();
	command->descriptors[STDIN_FILENO] = commands_stdin;
	command->is_fed = input_wanted().fd >= 0;
	if (command->is_fed) {
		/* A look without waiting finds what is there, or the end. */
		signals_before_write();
		input_feed();
		signals_after_write(true);
	}
	errno = input_failure();
	if (errno != 0)
		broken = "stdin";
	else if (!hold_begin(command->descriptors))
		broken = "held output";
	else if (!tap_begin(command->descriptors))
		broken = "output";
	is_ours = false;
	for (int fd = 0; fd < 3; fd++)
		is_ours = is_ours || command->descriptors[fd] >= 0;
	command->relay = is_ours ? &relay : NULL;
	if (broken == NULL)
		return NULL;
	error = errno;
	started();
	input_end();
	errno = error;
	return broken;
}

/* BACKOFF_HINT is COMMAND's own word, a header only the server's. */
static void
add_hint(struct evidence *evidence)
{
	const struct hint said = hint_take();

	evidence->hint = said;
	if (!said.has_wait && scan != NULL && scan->retry_after_ns >= 0) {
		evidence->hint.has_wait = true;
		evidence->hint.wait_ns = scan->retry_after_ns;
	}
}

static void
add_matches(struct evidence *evidence)
{
	const struct condition *condition = scan_match(scan);

	evidence->match.last_line = scan->last_line.text;
	evidence->match.missing = condition == NULL && scan->needs_success;
	if (condition == NULL)
		return;
	if (condition->quote.length > 0)
		evidence->match.last_line = condition->quote.text;
	evidence->match.verdict = condition->verdict;
	evidence->match.pattern = condition->text;
}

/* A reader that has gone away is one for us too. */
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
		/* Its pipe is closed, so its failure may be our doing. */
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
	evidence.failure.cut_off = tap_was_cut_off();
	add_failure(&evidence);
	return evidence;
}

const struct condition *
streams_message(int status)
{
	return scan != NULL ? scan_message(scan, status) : NULL;
}
