/* SPDX-License-Identifier: MIT */
/*
 * What posix and darwin answer alike. What is not here fails whatever it is
 * asked, so parameters are unused.
 */
#include <config.h>

#include <limits.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/base.h"
#include "system/system.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters, readability-non-const-parameter) */

/* clang-format off */
/* descriptors */
FAILS(int fd_reopen(int fd, int flags), ENOSYS)
ANSWERS(bool fd_same(int a, int b), fd_same_file(a, b))
ANSWERS(bool descriptors_close_from(int first), false)
/* devices; what is not opened again may be a ptmx */
ANSWERS(bool device_is_ptmx(const struct stat *device), false)
/* file_writers */
ANSWERS(bool file_has_writers(int fd), true)
/* handles */
ANSWERS(int handle_open(pid_t pid), -1)
ANSWERS(int handle_signal(int handle, pid_t pid, int signal), kill(pid, signal))
/* parent */
DOES_NOTHING(void parent_take_along(int signal))
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

/* devices */

bool
device_is_memory(const struct stat *device)
{
	struct stat null;

	return S_ISCHR(device->st_mode) && stat("/dev/null", &null) == 0
	    && device->st_rdev == null.st_rdev;
}

/* new_process */

pid_t
new_process(void (*become)(const void *what), const void *what)
{
	int ends[2], error = 0;
	ssize_t count;
	pid_t pid;

	if (!descriptors_pipe(&ends[0], &ends[1]))
		return -1;
	pid = fork();
	if (pid == 0) {
		become(what);
		error = errno;
		RETRY_EINTR(count, write(ends[1], &error, sizeof error));
		_exit(127);
	}
	fd_close(&ends[1]);
	/* Until exec closes it, or tells its errno. */
	if (pid > 0)
		RETRY_EINTR(count, read(ends[0], &error, sizeof error));
	fd_close(&ends[0]);
	if (error == 0)
		return pid;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	errno = error;
	return -1;
}

/* processes */

void
process_dumps_no_core(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit) { 0, 0 });
}

/* signal_queue */

/*
 * The kernel has the queue, of signals that are blocked. To take one, all that
 * are wanted are let in: the handler of the first jumps back to where they are
 * blocked. It interrupts nothing but a call or two that POSIX lets it jump out
 * of, and never runs in a child.
 */
static sigset_t caught;
static sigset_t wanted; /* a part of those */
static struct queued_signal next; /* let in, and not taken; of signal 0: none */
static sigjmp_buf blocked;

static void
on_signal(int signal, siginfo_t *info, void *context)
{
	next = (struct queued_signal) {
		.signal = signal,
		.is_by_process = signal_is_by_process(info),
		.sender = info->si_pid,
	};
	siglongjmp(blocked, 1);
}

static void
act(struct sigaction action)
{
	sigfillset(&action.sa_mask);
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(&caught, signal) == 1)
			sigaction(signal, &action, NULL);
}

bool
signal_queue_open(const sigset_t *signals)
{
	struct sigaction before;

	/* An ignored one stays so, for COMMAND as well. */
	caught = wanted = *signals;
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(signals, signal) == 1
		    && sigaction(signal, NULL, &before) == 0
		    && before.sa_handler == SIG_IGN)
			sigdelset(&caught, signal);
	act((struct sigaction) {
	    .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO });
	return true;
}

void
signal_queue_narrow(const sigset_t *signals)
{
	wanted = *signals;
}

bool
signal_queue_take(struct queued_signal *queued)
{
	/* One that is pending comes before the first call returns. */
	if (next.signal == 0 && sigsetjmp(blocked, 1) == 0) {
		pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
		pthread_sigmask(SIG_BLOCK, &wanted, NULL);
	}
	*queued = next;
	next.signal = 0;
	return queued->signal != 0;
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

int
signal_queue_poll(struct pollfd *watched, int count, int64_t left_ns)
{
	int ready;

	watched[0] = (struct pollfd) { .fd = -1 };
	if (next.signal == 0 && sigsetjmp(blocked, 1) == 0) {
		pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
		ready = poll(watched, (nfds_t)count, milliseconds(left_ns));
		pthread_sigmask(SIG_BLOCK, &wanted, NULL);
		return ready;
	}
	ready = poll(watched, (nfds_t)count, 0);
	watched[0].revents = POLLIN;
	return ready > 0 ? ready + 1 : 1;
}

void
signal_queue_pending(sigset_t *pending)
{
	/* No other where a sandbox refuses the call. */
	sigemptyset(pending);
	sigpending(pending);
	if (next.signal != 0)
		sigaddset(pending, next.signal);
}

void
signal_queue_drop(const sigset_t *signals)
{
	struct sigaction before;

	/* One that is ignored is no longer pending. */
	for (int signal = 1; signal < NSIG; signal++) {
		if (sigismember(signals, signal) != 1)
			continue;
		sigaction(signal, &(struct sigaction) { .sa_handler = SIG_IGN },
		    &before);
		sigaction(signal, &before, NULL);
	}
}

void
signal_queue_leave(void)
{
	act((struct sigaction) { .sa_handler = SIG_DFL });
}

/* pause */

/* pselect(2) need not wait for more than 31 days at once. */
#define MOST_NS (31 * 24 * 3600 * NS_PER_S)

/*
 * pselect unblocks the signals and waits in one call, so none is lost. A
 * handler cannot shorten nanosleep: macOS passes the request to the kernel by
 * value.
 */
int
pause_until(int64_t until_ns, const sigset_t *mask, const sigset_t *signals,
    const sigset_t *first)
{
	struct timespec left;
	int64_t left_ns;
	int signal;

	while (next.signal == 0 && (left_ns = until_ns - clock_now_ns()) > 0) {
		left = clock_timespec(min_ns(left_ns, MOST_NS));
		if (sigsetjmp(blocked, 1) == 0)
			pselect(0, NULL, NULL, NULL, &left, mask);
		if (next.signal == SIGCONT)
			next.signal = 0;
	}
	signal = next.signal;
	next.signal = 0;
	return signal;
}

/* NOLINTEND(misc-unused-parameters, readability-non-const-parameter) */
