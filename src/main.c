/* SPDX-License-Identifier: MIT */
/*
 * backoff retries a failing command, with growing random pauses, until it
 * succeeds or retrying cannot help.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "core/loop/loop.h"
#include "core/pause/schedule.h"
#include "doors/doors.h"
#include "log/log.h"
#include "options/options.h"
#include "plan/plan.h"
#include "process/process.h"
#include "shared/shared.h"
#include "streams/streams.h"
#include "system/system.h"

const struct program program = {
	PROGRAM_BACKOFF,
	"backoff",
	8,
	"backoff --help=all lists them",
	"Usage: backoff [OPTION]... [--] COMMAND [ARG]...\n"
	"Retry a failing COMMAND, with growing random pauses, until it "
	"succeeds.\n",
	"\n"
	/* clang-format off */
	"  backoff -T 10m -t 1m -- rsync -a docs web1:          # for 10 minutes\n"
	"  backoff --tool -n 4 -- curl -fsSO \"$url\"             # like curl --retry 3\n"
	"  backoff -n 1 -t 10s -- ./job                         # like timeout 10\n"
	"  backoff -n 1 --quiet-success -- ./job                # like chronic\n"
	"  backoff -n 1 --slots=job:1 --slots-wait=0 -- ./job   # like flock -n\n"
	/* clang-format on */
	"All options: backoff --help=all. The manual: man backoff\n",
	"\n"
	"DURATION is a number with a unit (ns us ms s m h d), such as 1m30s; "
	"without one, it is in seconds. CODES are exit codes and ranges, "
	"nonzero, any, signal names, signal, timeout, start, or names of "
	"sysexits.h.\n"
	"\n"
	"backoff exits with 0 after a success, else with the status of the "
	"last attempt: 124 after a timeout, 126 or 127 if COMMAND cannot be "
	"run or is not found. It dies by the signal that killed the last "
	"attempt. It exits with 125 if backoff itself fails.\n"
	"\n"
	"Examples:\n"
	"  backoff curl -fsS https://example.com/\n"
	"  backoff -T 5m -t 30s ssh -tt host uptime\n"
	"  backoff -d 5s -T 10m pg_isready -q\n"
	"  backoff --tool rsync -a data host:\n"
	"\n"
	"The manual: man backoff\n",
};

/* --- the loop's port to the real world --- */

static struct options options;
static int null = -1; /* the hooks' /dev/null */
static bool is_long_pause; /* a line has announced it: count it down */

/*
 * Discards signals that do not end the pause. A pause of 0 makes no system
 * call: a signal then meets the next attempt, unless it arrived earlier,
 * while a line of the log waited for its reader.
 */
static int
take_pause(int64_t until_ns)
{
	int signal;

	if (is_long_pause && log_shows_waits()) {
		signal = log_count_down(until_ns, "next in ", -1);
		log_erase_wait();
	} else if (until_ns <= clock_now_ns()) {
		return signals_met();
	} else {
		signal = signals_sleep(until_ns);
	}
	return signals_ends(signal) ? signal : signals_drain();
}

/* Looks up the status, and the messages on stderr, in the tool's table. */
static void
look_up(struct outcome *outcome)
{
	const struct job *job = &options.job;
	const struct scan *scan = options.streams.scan;
	const struct tool *tool = job->tool != NULL ? job->tool : job->known;
	struct tool_advice *advice = &outcome->evidence.tool;
	const struct condition *found;
	const struct tool_row *code;
	int status = outcome->status;
	bool needs_message;

	if (tool == NULL || outcome->kind != OUTCOME_EXITED)
		return;
	/* A wrapper has ended by itself, with a status of its own. */
	if (status == job->wrapped.lock_conflict
	    || (job->wrapped.is_timed && (status == 124 || status == 125)))
		return;
	found = scan != NULL ? scan_match(scan, status) : NULL;
	if (found != NULL) {
		advice->verdict = found->verdict;
		advice->meaning = known_text(found->message->meaning);
		advice->states_wait = strstr(found->quote.text, " 503") != NULL;
		if (outcome->evidence.match.verdict == VERDICT_NONE)
			outcome->evidence.match.last_line = found->quote.text;
	} else if ((code = tool_code(tool, status)) != NULL) {
		needs_message = tool_needs_message(tool, status);
		advice->meaning = known_text(code->meaning);
		if (job->tool != NULL)
			advice->verdict = code->verdict;
		else
			advice->would_stop
			    = code->verdict == VERDICT_STOP && !needs_message;
		if (outcome->evidence.match.is_silent && needs_message)
			advice->silent = known_text(tool->name);
	}
}

/* Whether our stdout or stderr has lost its reader, as with "| head". */
static bool
reader_has_gone(void)
{
	struct pollfd outputs[]
	    = { { .fd = STDOUT_FILENO }, { .fd = STDERR_FILENO } };

	/* A socket whose peer has gone says HUP. */
	return poll(outputs, 2, 0) > 0
	    && ((outputs[0].revents | outputs[1].revents) & (POLLERR | POLLHUP))
	    != 0;
}

static struct outcome
attempt(const struct loop_state *state, int64_t cutoff_ns)
{
	const char *wrapped = options.job.wrapped.name;
	struct command command
	    = { .argv = options.job.argv, .cutoff_ns = cutoff_ns };
	const char *broken;
	struct outcome outcome;

	environment_set(state);
	broken = streams_begin(&command);
	if (broken != NULL) {
		outcome = outcome_not_started(errno);
		outcome.evidence.failure = (struct stream_failure) {
			.stream = broken,
			.error = outcome.error,
			.is_final = true,
		};
		outcome.started_ns = outcome.ended_ns = clock_now_ns();
		return outcome;
	}
	outcome = supervise(&command, &options);
	if (outcome.kind == OUTCOME_NOT_STARTED) {
		outcome.number = strpbrk(command.argv[-1], "0123456789");
		outcome.wrapper = base_name(command.argv[0]);
		if (wrapped == NULL || wrapped == outcome.wrapper)
			outcome.wrapper = NULL;
	}
	outcome.evidence = streams_end(outcome.ended_ns);
	if (outcome.evidence.failure.cut_off)
		outcome_end_late(&outcome, signals_drain());
	outcome.reader_gone = outcome.kind == OUTCOME_KILLED
	    && outcome.signal == SIGPIPE && reader_has_gone();
	look_up(&outcome);
	return outcome;
}

static struct outcome
hook(enum hook hook, const struct loop_state *state, int64_t cutoff_ns)
{
	const char *script = hook == HOOK_AT_END ? options.job.at_end
	                                         : options.job.before_retry;
	char *argv[] = { (char[]) { "/bin/sh" }, (char[]) { "-c" },
		(char *)(uintptr_t)script, NULL };
	/* --quiet-success holds back what a hook prints, too. */
	int held = log_held();
	struct command command = { .argv = argv,
		.descriptors = { null, held, held },
		.cutoff_ns = cutoff_ns,
		.is_hook = true };
	struct outcome outcome = { .kind = OUTCOME_EXITED };

	if (script == NULL)
		return outcome;
	if (held < 0)
		command.descriptors[STDOUT_FILENO]
		    = fcntl(STDERR_FILENO, F_GETFD) >= 0 ? STDERR_FILENO : null;
	environment_set(state);
	outcome = supervise(&command, &options);
	if (hook == HOOK_AT_END && outcome.kind == OUTCOME_NOT_STARTED)
		log_degraded(WEIGHT_LAST,
		    JOINED(128,
		        "--at-end could not be run: ", strerror(outcome.error)),
		    "--at-end", strerror(outcome.error));
	return outcome;
}

/*
 * Releases held output. After a success or a pass, it goes to where it belongs;
 * but with --quiet-success, a success or a run that was put off prints nothing,
 * and with --quiet-repeats, nor does a failure after a run that gave up. After
 * any other result, the held log comes first, then what the last attempt wrote,
 * as hold_release() says.
 */
static int
release(enum result result, int end_signal, struct stream_failure *failure)
{
	const struct job *job = &options.job;
	bool failed = result != RESULT_SUCCESS && result != RESULT_PASS;
	int64_t until_ns
	    = end_signal != 0 ? clock_now_ns() + LAST_PATIENCE_NS : INT64_MAX;
	enum written log = WRITTEN_ALL, output;
	int error = 0;
	bool repeats = job->quiet_repeats && defer_look_back();

	if ((job->quiet_success
	        && (result == RESULT_SUCCESS || result == RESULT_DEFERRED))
	    || (repeats && deferral_gave_up(result)))
		return 0;
	if (failed && (log = log_release(until_ns)) == WRITTEN_FAILED)
		error = errno;
	if ((output = hold_release(failed, until_ns)) == WRITTEN_FAILED)
		error = errno;
	if (error != 0) {
		failure->stream = "output";
		failure->error = error;
		if (error == EPIPE && signals_pipe_is_deadly())
			failure->signal = SIGPIPE;
		/* If this makes a success fail, the closing line says so. */
		log_degraded(WEIGHT_LAST,
		    failed ? JOINED(128,
		        "held output could not be written: ", strerror(error))
		           : NULL,
		    failure->stream, strerror(error));
	}
	if (output != WRITTEN_PART && log != WRITTEN_PART)
		return 0;
	return end_signal != 0 ? end_signal : signals_drain();
}

static void
tell_attempt(const struct loop_state *state, int64_t pause_ns)
{
	is_long_pause = pause_ns >= NS_PER_S;
	log_attempt(state, pause_ns);
	gate_log_change();
}

static void
tell_end(
    const struct loop_state *state, const struct ending *ending, bool is_over)
{
	const struct job *job = &options.job;

	if (job->has_doors && !is_over)
		defer_end(state, ending->result);
	log_end(state, ending, is_over);
	if (job->quiet_repeats && !is_over)
		defer_log_recovery(ending->result);
}

static struct world world = {
	.now_ns = clock_now_ns,
	.epoch_ns = clock_epoch_ns,
	.pause = take_pause,
	.before_splay = doors_before_splay,
	.before_attempt = doors_before_attempt,
	.attempt = attempt,
	.after_verdict = doors_after_verdict,
	.hook = hook,
	.release = release,
	.tell_start = log_start,
	.tell_attempt = tell_attempt,
	.tell_end = tell_end,
};

/* --- the start --- */

/* From the kernel, never from the clock: clients share the time. */
struct entropy {
	uint64_t seed, owner;
	unsigned char id[16];
};

/* A UUID of version 4 (RFC 9562, 5.4): random but for six bits. */
static const char *
make_id(unsigned char *bytes)
{
	static char id[37];
	struct text text = text_in(id, sizeof id);

	bytes[6] = (bytes[6] & 0x0f) | 0x40;
	bytes[8] = (bytes[8] & 0x3f) | 0x80;
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text_byte(&text, '-');
		text_hex(&text, bytes[i]);
	}
	return id;
}

/* Where backoff makes its own files, and the variable that changes it. */
static const char *
tempfile_place(void)
{
	static char words[PATH_MAX + 16];
	struct text text = text_in(words, sizeof words);

	text_bounded(&text, "TMPDIR ", tempfile_directory(), "");
	return words;
}

static void
prepare(void)
{
	const struct job *job = &options.job;
	const char *file = options.log.file;
	const char *broken = log_open(&options.log);
	const char *why;

	if (broken != NULL)
		usage_refuse(broken, file != NULL ? file : tempfile_place(),
		    strerror(errno));
	if (job->has_doors)
		slots_open();
	if (!streams_start(&options.streams,
	        options.settings.limits.idle_timeout_ns < DURATION_INF))
		usage_refuse("--hold", tempfile_place(), strerror(errno));
	if (!signals_start(options.wake_on))
		usage_refuse("signals", "no descriptor", strerror(errno));
	/* Opened now, because later there may be no descriptor left. */
	if (job->before_retry != NULL || job->at_end != NULL) {
		null = fd_out_of_the_way(open("/dev/null", O_RDWR | O_CLOEXEC));
		if (null < 0)
			usage_refuse(job->before_retry != NULL
			        ? "--before-retry"
			        : "--at-end",
			    "/dev/null", strerror(errno));
	}
	if (!input_start(options.streams.stdin_mode,
	        options.settings.limits.spool_limit))
		usage_refuse("stdin", "cannot be passed on", strerror(errno));
	if (environment_start(
	        options.log.id, hint_start(), &options.settings.limits))
		return;
	why = strerror(errno);
	hint_stop();
	usage_refuse("environment", "no memory", why);
}

int
main(int argc, char **argv)
{
	struct entropy entropy;
	struct random random;
	struct ending ending;

	options_parse(&options, argc, argv);
	if (options.shared.gate.list)
		doors_list(options.shared.directory);
	if (options.shared.gate.open)
		doors_open_gate(&options.shared);
	if (options.plan)
		plan_show(&options);
	if (options.job.argv[0] == NULL)
		usage_refuse(
		    "no command given; try backoff --help", NULL, NULL);
	if (options.job.argv[0][0] == '\0')
		usage_refuse("COMMAND is an empty word", NULL, NULL);
	if (!entropy_get(&entropy, sizeof entropy))
		usage_refuse(
		    "random numbers", "cannot be read", strerror(errno));
	random = random_from(
	    options.seed >= 0 ? (uint64_t)options.seed : entropy.seed);
	options.log.id = make_id(entropy.id);
	/* Its own draws, so that those of the pauses stay the same. */
	options.job.has_doors = doors_start(&options.shared, &options.settings,
	    options.log.id, random_from(~random.state), entropy.owner);
	if (!options.job.has_doors) {
		world.before_splay = NULL;
		world.before_attempt = NULL;
		world.after_verdict = NULL;
	}
	prepare();

	ending = run_loop(&options.settings, &random, &world);

	fleet_end();
	hint_stop();
	if (ending.signal != 0)
		signals_die(ending.signal);
	return ending.status;
}
