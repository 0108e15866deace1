/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "clock.h"
#include "descriptor.h"
#include "environment.h"
#include "report.h"
#include "signals.h"
#include "sleep.h"
#include "streams.h"
#include "world.h"

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
 * What is not for us in a pause is discarded. A pause of nothing makes no
 * call at all: what arrives there finds the next attempt.
 */
static int
pause_until(void *self, int64_t until_ns)
{
	int signal;

	(void)self;
	if (until_ns <= clock_now_ns())
		return 0;
	signal = sleep_until_told(until_ns);
	return signals_ends(signal) ? signal : signals_drain();
}

static struct cut
cut_at(const struct errand *errand, int64_t cut_ns)
{
	return (struct cut) {
		.at_ns = cut_ns,
		.signal = errand->signal,
		.kill_after_ns = errand->kill_after_ns,
		.grace_ns = errand->grace_ns,
	};
}

/* What the tool's table says of an exit, and of what was on stderr then. */
static void
look_up(struct outcome *outcome, const struct errand *errand)
{
	const struct tool_message *message;
	struct tool_code code;

	if (errand->tool == NULL || outcome->kind != OUTCOME_EXITED
	    || outcome->status == 0 || outcome->status == errand->lock_conflict)
		return;
	message = streams_message(outcome->status);
	if (message != NULL) {
		outcome->evidence.known = message->verdict;
		outcome->evidence.meaning = message->meaning;
	} else if (tool_code(errand->tool, outcome->status, &code)) {
		outcome->evidence.known = code.verdict;
		outcome->evidence.meaning = code.meaning;
	}
}

static struct outcome
attempt(void *self, const struct moment *moment, int64_t cut_ns)
{
	const struct errand *errand = self;
	struct command command = { .argv = errand->argv };
	struct cut cut = cut_at(errand, cut_ns);
	struct outcome outcome;
	const char *broken;

	environment_set(moment);
	broken = streams_begin(&command);
	if (broken != NULL) {
		outcome = outcome_not_started(errno);
		outcome.evidence.broken = broken;
		outcome.evidence.hopeless = true;
		outcome.evidence.error = outcome.error;
		outcome.started_ns = outcome.ended_ns = clock_now_ns();
		return outcome;
	}
	outcome = child_run(&command, &cut);
	outcome.evidence = streams_end();
	look_up(&outcome, errand);
	return outcome;
}

static struct outcome
run_script(const struct errand *errand, const char *script,
    const struct moment *moment, int64_t cut_ns)
{
	char *argv[] = { (char[]) { "/bin/sh" }, (char[]) { "-c" },
		(char *)(uintptr_t)script, NULL };
	int null
	    = descriptor_out_of_the_way(open("/dev/null", O_RDWR | O_CLOEXEC));
	bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) >= 0;
	/* Nothing of a hook is seen before we know that we give up. */
	int held = report_held();
	struct command command = { .argv = argv,
		.descriptors
		= { null, has_stderr ? STDERR_FILENO : null, held } };
	struct cut cut = cut_at(errand, cut_ns);
	struct outcome outcome;

	if (held >= 0)
		command.descriptors[STDOUT_FILENO] = held;
	environment_set(moment);
	outcome = child_run(&command, &cut);
	close(null);
	return outcome;
}

static struct outcome
hook(void *self, enum hook hook, const struct moment *moment, int64_t cut_ns)
{
	static const struct outcome fine = { .kind = OUTCOME_EXITED };
	const struct errand *errand = self;
	const char *script
	    = hook == HOOK_AT_END ? errand->at_end : errand->before_retry;

	return script == NULL ? fine
	                      : run_script(errand, script, moment, cut_ns);
}

/*
 * A success or an answer comes out where it belongs; of a failure, what the
 * last attempt wrote, on stderr. With --quiet-success, the log before it,
 * and a success not at all.
 */
static struct release
release(void *self, enum result result)
{
	const struct errand *errand = self;
	struct release done = { 0 };
	bool failed = result != RESULT_SUCCESS && result != RESULT_PASS;

	if (errand->quiet_success && result == RESULT_SUCCESS)
		return done;
	if (failed)
		report_release();
	if (hold_release(failed))
		return done;
	done.error = errno;
	if (done.error == EPIPE && signals_pipe_is_deadly())
		done.signal = SIGPIPE;
	return done;
}

static void
tell_start(void *self)
{
	(void)self;
	report_start();
}

static void
tell_attempt(void *self, const struct moment *moment, int64_t pause_ns)
{
	(void)self;
	report_attempt(moment, pause_ns);
}

static void
tell_end(void *self, const struct moment *moment, const struct ending *ending)
{
	(void)self;
	report_end(moment, ending);
}

struct world
world_of(struct errand *errand)
{
	return (struct world) {
		.self = errand,
		.now_ns = now_ns,
		.epoch_ns = epoch_ns,
		.pause = pause_until,
		.attempt = attempt,
		.hook = hook,
		.release = release,
		.tell_start = tell_start,
		.tell_attempt = tell_attempt,
		.tell_end = tell_end,
	};
}
