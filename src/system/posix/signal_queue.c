/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/judge/exit_codes.h"
#include "system/descriptors.h"
#include "system/fd.h"
#include "system/posix/signal_sender.h"
#include "system/signal_queue.h"

/* So many real-time signals may wait; of others there is one at most. */
#define REAL_TIME_MOST 256

/*
 * The handler puts what has come into the queue, and a byte into a pipe, which
 * ends a poll that is about to begin too. It runs only where signals are
 * unblocked for it, and never in a child.
 */
static struct queued_signal queue[REAL_TIME_MOST + NSIG];
static volatile size_t count;
static volatile sig_atomic_t has_byte;
static int reader = -1, writer = -1;
static sigset_t caught;
static sigset_t wanted; /* a part of those */

static size_t
find(const sigset_t *signals)
{
	size_t at = 0;

	while (at < count && sigismember(signals, queue[at].signal) != 1)
		at++;
	return at;
}

/* As the kernel does with a signal that is pending already. */
static bool
is_merged(int signal)
{
	sigset_t same;

	if (signal_is_real_time(signal) && count < REAL_TIME_MOST)
		return false;
	sigemptyset(&same);
	sigaddset(&same, signal);
	return find(&same) < count;
}

static void
on_signal(int signal, siginfo_t *info, void *context)
{
	int error = errno;
	ssize_t written = 0;

	(void)context;
	if (!is_merged(signal)) {
		queue[count] = (struct queued_signal) {
			.signal = signal,
			.is_by_process = signal_is_by_process(info),
			.sender = info->si_pid,
		};
		count = count + 1;
	}
	if (!has_byte)
		RETRY_EINTR(written, write(writer, "", 1));
	has_byte = has_byte || written == 1;
	errno = error;
}

/*
 * The handler runs between the two, though libc declares pthread_sigmask(3) as
 * a call that runs nothing of ours.
 */
static void
open_signals(sigset_t *before)
{
	atomic_signal_fence(memory_order_seq_cst);
	pthread_sigmask(SIG_UNBLOCK, &wanted, before);
}

static void
close_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
	atomic_signal_fence(memory_order_seq_cst);
}

static void
catch_one(int signal)
{
	struct sigaction action
	    = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigfillset(&action.sa_mask);
	sigaction(signal, &action, NULL);
}

/* An ignored one stays so, for COMMAND as well. */
static void
catch_unless_ignored(int signal)
{
	struct sigaction before;

	if (sigaction(signal, NULL, &before) != 0
	    || before.sa_handler == SIG_IGN)
		return;
	sigaddset(&caught, signal);
	catch_one(signal);
}

int
signal_queue_open(const sigset_t *signals)
{
	int ends[2];

	if (!descriptors_pipe(ends))
		return -1;
	reader = ends[0];
	writer = fd_out_of_the_way(ends[1]);
	if (fcntl(reader, F_SETFL, O_NONBLOCK) != 0
	    || fcntl(writer, F_SETFL, O_NONBLOCK) != 0)
		return -1;
	wanted = *signals;
	sigemptyset(&caught);
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(signals, signal) == 1)
			catch_unless_ignored(signal);
	return reader;
}

void
signal_queue_is_at(int fd)
{
	reader = fd;
}

void
signal_queue_narrow(const sigset_t *signals)
{
	wanted = *signals;
}

static struct queued_signal
take_at(size_t at)
{
	struct queued_signal taken = queue[at];

	for (size_t i = at + 1; i < count; i++)
		queue[i - 1] = queue[i];
	count = count - 1;
	return taken;
}

/* None where a sandbox refuses the call. */
static void
ask_pending(sigset_t *pending)
{
	sigemptyset(pending);
	sigpending(pending);
}

static bool
is_pending(const sigset_t *signals)
{
	sigset_t pending;

	ask_pending(&pending);
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(&pending, signal) == 1
		    && sigismember(signals, signal) == 1)
			return true;
	return false;
}

bool
signal_queue_take(struct queued_signal *queued)
{
	sigset_t before;

	/* At least one is delivered before the first call returns. */
	if (find(&wanted) == count && is_pending(&wanted)) {
		open_signals(&before);
		close_signals(&before);
	}
	if (find(&wanted) == count)
		return false;
	*queued = take_at(find(&wanted));
	return true;
}

/* For poll(2): never less than there is. */
static int
milliseconds(int64_t left_ns)
{
	if (left_ns == INT64_MAX)
		return -1;
	if (left_ns <= 0)
		return 0;
	return (int)min_ns((left_ns - 1) / NS_PER_MS + 1, INT_MAX);
}

/* Polls with the signals unblocked. */
static int
poll_openly(struct pollfd *watched, int number, int64_t left_ns)
{
	char bytes[16];
	sigset_t before;
	int ready, error;

	/* Of signals that were taken since. */
	if (has_byte)
		while (read(reader, bytes, sizeof bytes) > 0)
			continue;
	has_byte = 0;
	open_signals(&before);
	/* The byte of what has come just now could not be written, perhaps. */
	if (find(&wanted) < count)
		left_ns = 0;
	ready = poll(watched, (nfds_t)number, milliseconds(left_ns));
	error = errno;
	close_signals(&before);
	errno = error;
	return ready;
}

int
signal_queue_poll(struct pollfd *watched, int number, int64_t left_ns)
{
	int ready = find(&wanted) < count
	    ? poll(watched, (nfds_t)number, 0)
	    : poll_openly(watched, number, left_ns);
	int others = 0;

	for (int i = 0; i < number; i++) {
		if (ready < 0)
			watched[i].revents = 0;
		if (watched[i].fd == reader)
			watched[i].revents = 0;
		others += watched[i].revents != 0;
	}
	if (find(&wanted) == count)
		return ready < 0 ? ready : others;
	for (int i = 0; i < number; i++)
		if (watched[i].fd == reader)
			watched[i].revents = POLLIN;
	return others + 1;
}

void
signal_queue_pending(sigset_t *pending)
{
	ask_pending(pending);
	for (size_t i = 0; i < count; i++)
		sigaddset(pending, queue[i].signal);
}

bool
signal_queue_drop(const sigset_t *signals)
{
	bool any = false;
	int signal;

	while (find(signals) < count) {
		take_at(find(signals));
		any = true;
	}
	while (is_pending(signals)) {
		sigwait(signals, &signal);
		any = true;
	}
	return any;
}

/* What is in the queue becomes pending again, for the other handler. */
static void
give_back(int signal)
{
	sigset_t same;

	sigemptyset(&same);
	sigaddset(&same, signal);
	while (find(&same) < count) {
		take_at(find(&same));
		kill(getpid(), signal);
	}
}

void
signal_queue_lend(const int *signals, size_t number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < number; i++) {
		give_back(signals[i]);
		sigaction(signals[i], &action, NULL);
	}
}

void
signal_queue_retake(const int *signals, size_t number)
{
	for (size_t i = 0; i < number; i++)
		catch_one(signals[i]);
}

void
signal_queue_leave(void)
{
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(&caught, signal) == 1)
			sigaction(signal,
			    &(struct sigaction) { .sa_handler = SIG_DFL },
			    NULL);
}
