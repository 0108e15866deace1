/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/gate/deferral.h"
#include "doors/defer.h"
#include "doors/doors.h"
#include "doors/gate.h"
#include "log/countdown.h"
#include "log/log.h"
#include "process/environment.h"
#include "process/signals.h"
#include "streams/output.h"
#include "streams/scan.h"
#include "streams/streams.h"
#include "system/system.h"
#include "world.h"

static int null = -1; /* the hooks' /dev/null */
static bool is_long_pause; /* a line has told of it, so it may run down */

static int64_t
now_ns(void *self)
{
	(void)self;
	return clock_now_ns();
}

static int64_t
epoch_ns(void *self)
{
	(void)self;
	return clock_epoch_ns();
}

/*
 * Discards signals that do not end the pause. A pause of 0 makes no system
 * call: a signal then meets the next attempt, unless it arrived earlier,
 * while a line of the log waited for its reader.
 */
static int
take_pause(void *self, int64_t until_ns)
{
	int signal;

	(void)self;
	if (is_long_pause && log_shows_waits()) {
		signal = countdown_wait(until_ns, "next in ", -1);
		log_erase_row();
	} else if (until_ns <= clock_now_ns()) {
		return signals_met();
	} else {
		signal = signals_sleep(until_ns);
	}
	return signals_ends(signal) ? signal : signals_drain();
}

static struct time_limit
cut_at(const struct options *options, int64_t cutoff_ns)
{
	return (struct time_limit) {
		.at_ns = cutoff_ns,
		.silence_ns = INT64_MAX,
		.signal = options->job.signal,
		.kill_after_ns = options->settings.limits.kill_after_ns,
		.grace_ns = options->job.grace_ns,
	};
}

/* Whether a wrapper has ended by itself, with a status of its own. */
static bool
is_of_wrapper(const struct job *job, int status)
{
	return status == job->wrapped.lock_conflict
	    || (job->wrapped.is_timed && (status == 124 || status == 125));
}

/* Looks up the status, and the messages on stderr, in the tool's table. */
static void
look_up(struct outcome *outcome, const struct job *job)
{
	const struct tool *tool = job->tool != NULL ? job->tool : job->known;
	struct tool_advice *advice = &outcome->evidence.tool;
	const struct condition *found;
	struct tool_row code;

	if (tool == NULL || outcome->kind != OUTCOME_EXITED
	    || is_of_wrapper(job, outcome->status))
		return;
	found = streams_message(outcome->status);
	if (found != NULL) {
		advice->verdict = found->message.verdict;
		advice->meaning = found->message.meaning;
		advice->states_wait = strstr(found->quote.text, " 503") != NULL;
		if (outcome->evidence.match.verdict == VERDICT_NONE)
			outcome->evidence.match.last_line = found->quote.text;
	} else if (tool_code(tool, outcome->status, &code)) {
		advice->meaning = code.meaning;
		if (job->tool != NULL)
			advice->verdict = code.verdict;
		else
			advice->would_stop = tool_stops(tool, outcome->status);
		if (outcome->evidence.match.is_silent
		    && tool_needs_message(tool, outcome->status))
			advice->silent = tool_text(tool->name);
	}
}

/* Whether our stdout or stderr has lost its reader, as with "| head". */
static bool
reader_has_gone(void)
{
	struct pollfd outputs[]
	    = { { .fd = STDOUT_FILENO }, { .fd = STDERR_FILENO } };

	return poll(outputs, 2, 0) > 0
	    && ((outputs[0].revents | outputs[1].revents) & POLLERR) != 0;
}

/* The outcome of an attempt whose streams could not be set up. */
static struct outcome
without_streams(const char *broken, int error)
{
	struct outcome outcome = outcome_not_started(error);

	outcome.evidence.failure = (struct stream_failure) {
		.stream = broken,
		.error = error,
		.is_final = true,
	};
	outcome.started_ns = outcome.ended_ns = clock_now_ns();
	return outcome;
}

static struct outcome
attempt(void *self, const struct loop_state *state, int64_t cutoff_ns)
{
	const struct options *options = self;
	struct command command = { .argv = options->job.argv };
	struct time_limit limit = cut_at(options, cutoff_ns);
	const char *broken;
	struct outcome outcome;

	limit.silence_ns = options->settings.limits.idle_timeout_ns;
	environment_set(state);
	broken = streams_begin(&command);
	if (broken != NULL)
		return without_streams(broken, errno);
	outcome = supervise(&command, &limit);
	outcome.number = options->job.number;
	outcome.evidence = streams_end(outcome.ended_ns);
	if (output_tore_stderr())
		log_torn_by_others();
	if (outcome.evidence.failure.cut_off)
		outcome_end_late(&outcome, signals_drain());
	outcome.reader_gone = outcome.kind == OUTCOME_KILLED
	    && outcome.signal == SIGPIPE && reader_has_gone();
	look_up(&outcome, &options->job);
	return outcome;
}

static struct outcome
run_script(const struct options *options, const char *script,
    const struct loop_state *state, int64_t cutoff_ns)
{
	char *argv[] = { (char[]) { "/bin/sh" }, (char[]) { "-c" },
		(char *)(uintptr_t)script, NULL };
	bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) >= 0;
	/* --quiet-success holds back what a hook prints, too. */
	int held = log_held();
	struct command command = { .argv = argv,
		.descriptors
		= { null, has_stderr ? STDERR_FILENO : null, held },
		.is_hook = true };
	struct time_limit limit = cut_at(options, cutoff_ns);

	if (held >= 0)
		command.descriptors[STDOUT_FILENO] = held;
	environment_set(state);
	return supervise(&command, &limit);
}

static struct outcome
hook(void *self, enum hook hook, const struct loop_state *state,
    int64_t cutoff_ns)
{
	static const struct outcome fine = { .kind = OUTCOME_EXITED };
	const struct options *options = self;
	const char *script = hook == HOOK_AT_END ? options->job.at_end
	                                         : options->job.before_retry;
	struct outcome outcome = fine;

	if (script != NULL)
		outcome = run_script(options, script, state, cutoff_ns);
	if (hook == HOOK_AT_END && outcome.kind == OUTCOME_NOT_STARTED)
		log_degraded(WEIGHT_LAST,
		    JOINED(128,
		        "--at-end could not be run: ", strerror(outcome.error)),
		    "--at-end", strerror(outcome.error));
	return outcome;
}

/*
 * Releases held output. After a success or a pass: to where it belongs, but
 * with --quiet-success a success, or a run that was put off, prints nothing.
 * So does, with --quiet-repeats, a failure after a run that gave up, too.
 * After any other: first the held log, then what the last attempt wrote, as
 * hold_release() says.
 */
static struct release
release(void *self, enum result result, int end_signal)
{
	const struct job *job = &((const struct options *)self)->job;
	struct release done = { 0 };
	bool failed = result != RESULT_SUCCESS && result != RESULT_PASS;
	int64_t until_ns
	    = end_signal != 0 ? clock_now_ns() + LAST_PATIENCE_NS : INT64_MAX;
	enum written log = WRITTEN_ALL, output;
	bool repeats = job->quiet_repeats && defer_gave_up_before();

	if (job->quiet_success
	    && (result == RESULT_SUCCESS || result == RESULT_DEFERRED))
		return done;
	if (repeats && deferral_gave_up(result)) {
		log_silence();
		return done;
	}
	if (failed && (log = log_release(until_ns)) == WRITTEN_FAILED)
		done.error = errno;
	if ((output = hold_release(failed, until_ns)) == WRITTEN_FAILED)
		done.error = errno;
	if (output_tore_stderr())
		log_torn_by_others();
	if (done.error != 0) {
		if (done.error == EPIPE && signals_pipe_is_deadly())
			done.signal = SIGPIPE;
		/* The closing line says it where it makes a success none. */
		log_degraded(WEIGHT_LAST,
		    failed ? JOINED(128, "held output could not be written: ",
		        strerror(done.error))
		           : NULL,
		    "output", strerror(done.error));
	}
	if (output == WRITTEN_PART || log == WRITTEN_PART)
		done.end_signal
		    = end_signal != 0 ? end_signal : signals_drain();
	return done;
}

static void
tell_start(void *self)
{
	(void)self;
	log_start();
}

static void
tell_attempt(void *self, const struct loop_state *state, int64_t pause_ns)
{
	(void)self;
	is_long_pause = pause_ns >= NS_PER_S;
	log_attempt(state, pause_ns);
	gate_log_change();
}

static void
tell_end(void *self, const struct loop_state *state,
    const struct ending *ending, bool is_over)
{
	const struct job *job = &((const struct options *)self)->job;

	if (job->has_doors && !is_over)
		defer_end(state, ending->result);
	log_end(state, ending, is_over);
	if (job->quiet_repeats && !is_over)
		defer_log_recovery(ending->result);
}

bool
world_start(const struct job *job)
{
	if (job->before_retry == NULL && job->at_end == NULL)
		return true;
	/* Opened now, because later there may be no descriptor left. */
	null = fd_out_of_the_way(open("/dev/null", O_RDWR | O_CLOEXEC));
	return null >= 0;
}

struct world
world_of(struct options *options)
{
	struct world world = {
		.self = options,
		.now_ns = now_ns,
		.epoch_ns = epoch_ns,
		.pause = take_pause,
		.attempt = attempt,
		.hook = hook,
		.release = release,
		.tell_start = tell_start,
		.tell_attempt = tell_attempt,
		.tell_end = tell_end,
	};

	if (options->job.has_doors) {
		world.before_splay = doors_before_splay;
		world.before_attempt = doors_before_attempt;
		world.after_verdict = doors_after_verdict;
	}
	return world;
}
