/* SPDX-License-Identifier: MIT */
/*
 * What posix and darwin answer alike. What is not here fails whatever it is
 * asked, so parameters are unused.
 */
#include <config.h>

#include <limits.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/judge/outcome.h"
#include "system/system.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters, readability-non-const-parameter) */

/* clang-format off */
/* descriptors */
FAILS(int fd_reopen(int fd, int flags), ENOSYS)
ANSWERS(bool fd_same(int a, int b), fd_same_file(a, b))
ANSWERS(bool descriptors_close_from(int first), false)
/* file_writers */
ANSWERS(bool file_has_writers(int fd), true)
/* handles */
ANSWERS(int handle_open(pid_t pid), -1)
ANSWERS(int handle_signal(int handle, pid_t pid, int signal), kill(pid, signal))
/* new_process */
ANSWERS(bool new_process_holds_us(void), false)
/* parent */
DOES_NOTHING(void parent_take_along(int signal))
/* pause */
ANSWERS(bool pause_is_stretched(void), true)
DOES_NOTHING(void pause_give_up(void))
/* peek; macOS enlarges a pipe when it fills up */
FAILS(int64_t peek_into(int to, int from, size_t most), ENOSYS)
DOES_NOTHING(void peek_resize(int pipe, int size))
/* processes */
ANSWERS(bool processes_adopt_orphans(void), false)
/* unnamed_file */
FAILS(int unnamed_file_open(const char *directory), EOPNOTSUPP)
FAILS(int unnamed_file_in_memory(char *path, size_t size), ENOSYS)
/* clang-format on */

/* descriptors */

#ifndef O_SEARCH
#define O_SEARCH O_RDONLY /* glibc and older macOS lack it */
#endif

int
descriptor_of_directory(const char *path, int flags)
{
	return open(path, O_SEARCH | O_DIRECTORY | O_CLOEXEC | flags);
}

bool
descriptors_pipe(int *reader, int *writer)
{
	int ends[2];

	if (pipe(ends) != 0)
		return false;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	*reader = fd_out_of_the_way(ends[0]);
	*writer = fd_out_of_the_way(ends[1]);
	return true;
}

/* new_process */

/* Waits until exec closes the pipe; returns the errno of one that failed. */
static int
error_of_exec(int reader)
{
	int error = 0;
	ssize_t count;

	RETRY_EINTR(count, read(reader, &error, sizeof error));
	return count == (ssize_t)sizeof error ? error : 0;
}

pid_t
new_process(void (*become)(const void *what), const void *what)
{
	int ends[2], error;
	ssize_t written;
	pid_t pid;

	if (!descriptors_pipe(&ends[0], &ends[1]))
		return -1;
	pid = fork();
	error = errno;
	if (pid == 0) {
		become(what);
		error = errno;
		RETRY_EINTR(written, write(ends[1], &error, sizeof error));
		_exit(127);
	}
	fd_close(&ends[1]);
	if (pid > 0)
		error = error_of_exec(ends[0]);
	fd_close(&ends[0]);
	if (pid > 0 && error != 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		pid = -1;
	}
	if (pid < 0)
		errno = error;
	return pid;
}

/* pause */

/* pselect(2) need not wait for more than 31 days at once. */
#define MOST_NS (31 * 24 * 3600 * NS_PER_S)

/*
 * pselect unblocks the signals and waits in one call, so none is lost. A
 * handler cannot shorten nanosleep: macOS passes the request to the kernel by
 * value.
 */
void
pause_until(int64_t until_ns, const sigset_t *mask, bool (*is_over)(void))
{
	struct timespec left;
	int64_t left_ns;

	while (!is_over() && (left_ns = until_ns - clock_now_ns()) > 0) {
		left = clock_timespec(min_ns(left_ns, MOST_NS));
		pselect(0, NULL, NULL, NULL, &left, mask);
	}
}

/* processes */

void
process_dumps_no_core(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit) { 0, 0 });
}

/* signal_queue */

/* So many real-time signals may wait; of others there is one at most. */
#define REAL_TIME_MOST 256

/*
 * The handler appends to the queue, and writes a byte into a pipe, which also
 * ends a poll that is about to begin. It runs only where signals are unblocked
 * for it, and never in a child.
 */
static struct queued_signal queue[REAL_TIME_MOST + NSIG];
static volatile size_t count;
static volatile sig_atomic_t has_byte;
static int reader = -1, writer = -1;
static sigset_t caught;
static sigset_t wanted; /* a part of those */

/* The place of the first of SIGNALS in the queue; COUNT: none is there. */
static size_t
find(const sigset_t *signals)
{
	size_t at = 0;

	while (at < count && sigismember(signals, queue[at].signal) != 1)
		at++;
	return at;
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

/* The kernel merges a signal with one that is pending; so does the queue. */
static bool
is_merged(int signal)
{
	size_t at = 0;

	if (signal_is_real_time(signal) && count < REAL_TIME_MOST)
		return false;
	while (at < count && queue[at].signal != signal)
		at++;
	return at < count;
}

static void
on_signal(int signal, siginfo_t *info, void *context)
{
	int error = errno;
	ssize_t written = 0;

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
 * The handler runs between the two; the fences say so, because libc declares
 * pthread_sigmask(3) as a call that runs no code of the caller.
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
	if (!descriptors_pipe(&reader, &writer))
		return -1;
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
signal_queue_narrow(const sigset_t *signals)
{
	wanted = *signals;
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

/* For poll(2): rounded up. */
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

	/* The bytes of signals that were taken since. */
	if (has_byte)
		while (read(reader, bytes, sizeof bytes) > 0)
			continue;
	has_byte = 0;
	open_signals(&before);
	/* One may have come just now whose byte could not be written. */
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
	bool any = find(&wanted) < count;
	int found = 0;

	/* The byte may be of a signal that is not wanted, or be missing. */
	for (int i = 0; i < number; i++) {
		if (watched[i].fd == reader)
			watched[i].revents = any ? POLLIN : 0;
		else if (ready < 0)
			watched[i].revents = 0;
		found += watched[i].revents != 0;
	}
	return ready < 0 && !any ? ready : found;
}

void
signal_queue_pending(sigset_t *pending)
{
	ask_pending(pending);
	for (size_t i = 0; i < count; i++)
		sigaddset(pending, queue[i].signal);
}

void
signal_queue_drop(const sigset_t *signals)
{
	int signal;

	while (find(signals) < count)
		take_at(find(signals));
	while (is_pending(signals))
		sigwait(signals, &signal);
}

void
signal_queue_lend(const sigset_t *signals, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	/* Those in the queue become pending again, for HANDLER. */
	while (find(signals) < count)
		kill(getpid(), take_at(find(signals)).signal);
	sigfillset(&action.sa_mask);
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(signals, signal) == 1)
			sigaction(signal, &action, NULL);
}

void
signal_queue_retake(const sigset_t *signals)
{
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(signals, signal) == 1)
			catch_one(signal);
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

/* NOLINTEND(misc-unused-parameters, readability-non-const-parameter) */
