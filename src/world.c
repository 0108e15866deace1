/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "clock.h"
#include "descriptor.h"
#include "environment.h"
#include "report.h"
#include "signals.h"
#include "stdin.h"
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
	signal = clock_sleep_until(until_ns);
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

static struct outcome
attempt(void *self, const struct moment *moment, int64_t cut_ns)
{
	const struct errand *errand = self;
	struct command command = { errand->argv, -1, -1 };
	struct cut cut = cut_at(errand, cut_ns);

	if (moment->attempt > 1)
		stdin_rewind();
	environment_set(moment);
	return child_run(&command, &cut);
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
	struct command command = { .argv = argv,
		.stdin_fd = null,
		.stdout_fd = has_stderr ? STDERR_FILENO : null };
	struct cut cut = cut_at(errand, cut_ns);
	struct outcome outcome;

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
		.tell_start = tell_start,
		.tell_attempt = tell_attempt,
		.tell_end = tell_end,
	};
}
