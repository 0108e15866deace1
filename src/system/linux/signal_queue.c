/* SPDX-License-Identifier: MIT */
#include <config.h>

/*
 * glibc's fortified ppoll(2) takes a 32-bit timespec even where time_t has 64
 * bits (2.36, i386): the kernel reads a timeout of 0, and the wait spins.
 */
#undef _FORTIFY_SOURCE

#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "system/clock.h"
#include "system/signal_queue.h"

static int descriptor;

int
signal_queue_open(const sigset_t *signals)
{
	return descriptor = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

void
signal_queue_is_at(int fd)
{
	descriptor = fd;
}

void
signal_queue_narrow(const sigset_t *signals)
{
	signalfd(descriptor, signals, 0);
}

bool
signal_queue_take(struct queued_signal *queued)
{
	struct signalfd_siginfo info;

	if (read(descriptor, &info, sizeof info) != sizeof info)
		return false;
	*queued = (struct queued_signal) {
		.signal = (int)info.ssi_signo,
		.is_by_process = info.ssi_code != SI_KERNEL,
		.sender = (pid_t)info.ssi_pid,
	};
	return true;
}

int
signal_queue_poll(struct pollfd *watched, int count, int64_t left_ns)
{
	struct timespec left;

	if (left_ns == INT64_MAX)
		return ppoll(watched, (nfds_t)count, NULL, NULL);
	left = clock_timespec(left_ns > 0 ? left_ns : 0);
	return ppoll(watched, (nfds_t)count, &left, NULL);
}

void
signal_queue_pending(sigset_t *pending)
{
	/* None where a sandbox refuses the call. */
	sigemptyset(pending);
	sigpending(pending);
}

bool
signal_queue_drop(const sigset_t *signals)
{
	static const struct timespec now;
	bool any = false;

	while (sigtimedwait(signals, NULL, &now) > 0)
		any = true;
	return any;
}

static void
dispose(const int *signals, size_t count, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < count; i++)
		sigaction(signals[i], &action, NULL);
}

void
signal_queue_lend(const int *signals, size_t count, void (*handler)(int))
{
	dispose(signals, count, handler);
}

void
signal_queue_retake(const int *signals, size_t count)
{
	dispose(signals, count, SIG_DFL);
}

void
signal_queue_leave(void)
{
}
