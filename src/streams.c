/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "hint.h"
#include "signals.h"
#include "spool.h"
#include "streams.h"
#include "watch.h"

static struct scan *scan;
static int commands_stdin; /* COMMAND's end, until it has it; or -1 */
static bool is_ours; /* one of its streams, in this attempt */

bool
streams_start(const struct streams *streams)
{
	scan = streams->scan;
	return stdin_start(streams->stdin_mode, streams->spool_limit)
	    && (scan == NULL || watch_start(scan));
}

static void
started(void)
{
	if (commands_stdin >= 0)
		close(commands_stdin);
	commands_stdin = -1;
	hold_started();
	watch_started();
}

/* The first is that of stdin, the others those of the output. */
static int
wanted(struct pollfd *descriptors)
{
	descriptors[0] = stdin_wanted();
	return 1 + watch_wanted(descriptors + 1);
}

static void
serve(const struct pollfd *came, int count)
{
	signals_without_pipe();
	if (came[0].revents != 0)
		stdin_serve(&came[0]);
	watch_serve(came + 1, count - 1);
	signals_with_pipe();
}

/*
 * Without its input COMMAND cannot do right any more; that its output goes
 * nowhere it learns from its pipe.
 */
static bool
is_hopeless(void)
{
	return stdin_failure() != 0;
}

static bool
drain(bool patient)
{
	bool more;

	signals_without_pipe();
	/* What it has left behind reads no more of our stdin. */
	stdin_end();
	more = watch_drain(patient);
	signals_with_pipe();
	return more || (patient && hold_is_open());
}

static const struct pump pump = { started, wanted, serve, is_hopeless, drain };

const char *
streams_begin(struct command *command)
{
	const char *broken = NULL;
	int error;

	/* What a hook or a leftover has said is not this attempt's word. */
	hint_take();
	for (int fd = 0; fd < 3; fd++)
		command->descriptors[fd] = -1;
	commands_stdin = stdin_begin();
	command->descriptors[STDIN_FILENO] = commands_stdin;
	command->is_fed = stdin_wanted().fd >= 0;
	if (command->is_fed) {
		/* A look without waiting finds what is there, or the end. */
		signals_without_pipe();
		stdin_feed();
		signals_with_pipe();
	}
	errno = stdin_failure();
	if (errno != 0)
		broken = "stdin";
	else if (!hold_begin(command->descriptors))
		broken = "held output";
	else if (!watch_begin(command->descriptors))
		broken = "output";
	is_ours = false;
	for (int fd = 0; fd < 3; fd++)
		is_ours = is_ours || command->descriptors[fd] >= 0;
	command->pump = is_ours ? &pump : NULL;
	if (broken == NULL)
		return NULL;
	error = errno;
	started();
	stdin_end();
	errno = error;
	return broken;
}

/* BACKOFF_HINT is COMMAND's own word, a header only the server's. */
static void
add_hints(struct evidence *evidence)
{
	struct hint hint = hint_take();

	evidence->hinted = hint.verdict;
	evidence->unreadable_hints = hint.unreadable;
	if (scan != NULL && scan->retry_after_ns >= 0) {
		evidence->asked = true;
		evidence->asked_ns = scan->retry_after_ns;
	}
	if (hint.after_ns >= 0) {
		evidence->asked = true;
		evidence->asked_ns = hint.after_ns;
	}
}

static void
add_matches(struct evidence *evidence)
{
	const struct condition *condition = scan_match(scan);

	evidence->last_line = scan->last_line;
	evidence->unmatched = condition == NULL && scan->needs_success;
	if (condition == NULL)
		return;
	evidence->matched = condition->verdict;
	evidence->pattern = condition->text;
}

/* A reader that has gone away is one for us too. */
static void
add_failure(struct evidence *evidence)
{
	if (stdin_failure() != 0) {
		evidence->broken = "stdin";
		evidence->hopeless = true;
		evidence->error = stdin_failure();
	} else if (watch_failure() != 0) {
		evidence->broken = "output";
		evidence->error = watch_failure();
		/* Its pipe is closed, so its failure may be our doing. */
		evidence->hopeless = evidence->error != EPIPE;
	}
	if (evidence->error == EPIPE && signals_pipe_is_deadly())
		evidence->broken_signal = SIGPIPE;
}

struct evidence
streams_end(void)
{
	struct evidence evidence = { .hinted = VERDICT_NONE };

	started();
	if (is_ours) {
		signals_without_pipe();
		stdin_end();
		hold_end();
		watch_end();
		signals_with_pipe();
	}
	add_hints(&evidence);
	if (scan != NULL)
		add_matches(&evidence);
	evidence.input_lost = spool_is_lost();
	evidence.input_taken = stdin_taken();
	evidence.input_loss = spool_loss();
	evidence.cut_off = watch_was_cut_off();
	add_failure(&evidence);
	return evidence;
}

const struct tool_message *
streams_message(int status)
{
	return scan != NULL ? scan_message(scan, status) : NULL;
}
