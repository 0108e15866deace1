/* SPDX-License-Identifier: MIT */
#include <config.h>

#ifndef __LP64__
/*
 * glibc's fortified ppoll(2) takes a 32-bit timespec even where time_t has 64
 * bits (2.36, i386): the kernel reads a timeout of 0, and the wait spins.
 */
#undef _FORTIFY_SOURCE
#endif

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/base.h"
#include "system/system.h"

/* Without a call that configure has not found, a parameter is unused. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* boot */

int64_t
boot_clock_ns(void)
{
	return clock_read(CLOCK_BOOTTIME);
}

ssize_t
boot_id(char *bytes, size_t size)
{
	return fd_read_file("/proc/sys/kernel/random/boot_id", bytes, size);
}

/* byte_lock */

int
byte_lock(int fd, int command, struct flock *flock)
{
#if HAVE_DECL_F_OFD_SETLK
	return fcntl(fd, command == F_SETLK ? F_OFD_SETLK : F_OFD_GETLK, flock);
#else
	errno = ENOLCK;
	return -1;
#endif
}

/* descriptors */

bool
fd_same(int a, int b)
{
	/* Type 0 is KCMP_FILE; not every libc has its header. */
	long order = syscall(SYS_kcmp, getpid(), getpid(), 0, (unsigned long)a,
	    (unsigned long)b);

	return order < 0 ? fd_same_file(a, b) : order == 0;
}

int
fd_reopen(int fd, int flags)
{
	const char *path = JOINED(32, "/proc/self/fd/", NUMBER(fd));

	return fd_out_of_the_way(open(path, flags | O_CLOEXEC));
}

int
descriptor_of_directory(const char *path, int flags)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
}

bool
descriptors_pipe(int *reader, int *writer)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	*reader = fd_out_of_the_way(ends[0]);
	*writer = fd_out_of_the_way(ends[1]);
	return true;
}

bool
descriptors_close_from(int first)
{
#ifdef SYS_close_range
	return syscall(SYS_close_range, first, UINT_MAX, 0) == 0;
#else
	return false;
#endif
}

/* devices */

bool
device_is_memory(const struct stat *device)
{
	return S_ISCHR(device->st_mode) && major(device->st_rdev) == 1;
}

bool
device_is_ptmx(const struct stat *device)
{
	return S_ISCHR(device->st_mode) && device->st_rdev == makedev(5, 2);
}

int
device_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : -1;
}

bool
device_is_network(int fd)
{
	static const uint32_t magics[] = {
		0x00006969, /* NFS */
		0x0000517b, /* SMB */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x01021997, /* 9P */
		0x73757245, /* Coda */
		0x5346414f, 0x6b414653, /* AFS */
		0x00c36400, /* Ceph */
		0x0bd00bd0, /* Lustre */
		0x47504653, /* GPFS */
		0x7461636f, /* OCFS2 */
		0x01161970, /* GFS2 */
	};
	struct statfs stat;

	if (fstatfs(fd, &stat) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(magics); i++)
		if ((uint32_t)stat.f_type == magics[i])
			return true;
	return false;
}

/* entropy */

bool
entropy_get(void *bytes, size_t size)
{
	return getrandom(bytes, size, 0) == (ssize_t)size;
}

/* file_writers */

/* The kernel grants a read lease only if nobody can write. */
bool
file_has_writers(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

/* handles */

#if !HAVE_DECL_SYS_PIDFD_OPEN || !HAVE_DECL_SYS_PIDFD_SEND_SIGNAL
/* A system call number that no kernel has: ENOSYS. */
#undef SYS_pidfd_open
#undef SYS_pidfd_send_signal
#define SYS_pidfd_open -1
#define SYS_pidfd_send_signal -1
#endif

/*
 * Linux before 5.3 lacks pidfds (ENOSYS), and a sandbox may forbid them, mostly
 * with EPERM. So try one on backoff itself, where EPERM means nothing else.
 */
int
handle_open(pid_t pid)
{
	static int has_pidfds = -1;
	int self;

	if (has_pidfds < 0) {
		self = (int)syscall(SYS_pidfd_open, getpid(), 0);
		has_pidfds = self >= 0 && handle_signal(self, 0, 0) == 0;
		fd_close(&self);
	}
	return has_pidfds == 1 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

int
handle_signal(int handle, pid_t pid, int signal)
{
	return handle < 0
	    ? kill(pid, signal)
	    : (int)syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0);
}

/* new_process */

/*
 * vfork, because the errno of exec comes back through the shared memory, and
 * because its cost does not depend on the size of backoff. It does not return
 * while the child is stopped: so a key that stops the job waits.
 */
pid_t
new_process(void (*become)(const void *what), const void *what)
{
	volatile int error = 0;
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
	pid = vfork();
	if (pid == 0) {
		/* BECOME calls only what Linux allows after vfork. */
		/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
		become(what);
		error = errno;
		/* The parent discards this status. */
		_exit(127);
	}
	if (pid > 0 && error != 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		errno = error;
		pid = -1;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* parent */

void
parent_take_along(int signal)
{
#if HAVE_DECL_PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, signal);
#endif
}

/* pause */

/* Shared by the handler and the pause. */
static struct timespec request;
static sigset_t outranking;
static volatile sig_atomic_t ended_by;

/*
 * Sets the request to a time long past, as the signal may come between the look
 * at ENDED_BY and the system call: libc passes this very struct to the kernel,
 * which returns at once.
 */
static void
end_pause(int signal)
{
	if (signal == SIGCONT)
		return;
	if (ended_by == 0 || sigismember(&outranking, signal) == 1)
		ended_by = signal;
	*(volatile time_t *)&request.tv_sec = 0;
	*(volatile long *)&request.tv_nsec = 0;
}

static void
handle(const sigset_t *signals, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigfillset(&action.sa_mask);
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(signals, signal) == 1)
			sigaction(signal, &action, NULL);
}

/* What was not taken from the queue is still pending: the handler gets it. */
int
pause_until(int64_t until_ns, const sigset_t *mask, const sigset_t *signals,
    const sigset_t *first)
{
	bool is_over = false;
	sigset_t before;
	int64_t left_ns;
	int error = 0;

	outranking = *first;
	ended_by = 0;
	handle(signals, end_pause);
	if (PAUSE_BY_NANOSLEEP) {
		request = clock_timespec(until_ns);
		sigprocmask(SIG_SETMASK, mask, &before);
		while (ended_by == 0
		    && (error = clock_nanosleep(
		            CLOCK_MONOTONIC, TIMER_ABSTIME, &request, NULL))
		        == EINTR)
			continue;
		sigprocmask(SIG_SETMASK, &before, NULL);
		/* A sandbox may refuse it: the pause is kept all the same. */
		is_over = error == 0 || error == EINTR;
	}
	/*
	 * ppoll unblocks the signals and waits in one call, so none is lost. A
	 * stop lengthens a relative timeout; CONT wakes the process too, and
	 * the time left is computed anew.
	 */
	while (!is_over && ended_by == 0
	    && (left_ns = until_ns - clock_now_ns()) > 0) {
		request = clock_timespec(left_ns);
		ppoll(NULL, 0, &request, mask);
	}
	handle(signals, SIG_DFL);
	return ended_by;
}

/* peek */

int64_t
peek_into(int to, int from, size_t most)
{
#if HAVE_DECL_TEE
	return tee(from, to, most, SPLICE_F_NONBLOCK);
#else
	errno = ENOSYS;
	return -1;
#endif
}

int
peek_count(int fd)
{
	int count;

	return ioctl(fd, FIONREAD, &count) == 0 ? count : -1;
}

void
peek_resize(int pipe, int size)
{
	fcntl(pipe, F_SETPIPE_SZ, size);
}

/* processes */

bool
processes_can_be_seen(void)
{
	static int known = -1;
	char self[24] = "";

	if (known < 0)
		known = readlink("/proc/self", self, sizeof self - 1) > 0
		    && strcmp(self, NUMBER(getpid())) == 0;
	return known == 1;
}

int64_t
processes_namespace(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) == 0
	    ? (int64_t)stat_of.st_ino
	    : 0;
}

/* The file NAME of the process in /proc. */
#define FILE_OF(pid, name) JOINED(48, "/proc/", NUMBER(pid), "/", name)

/*
 * With hidepid, /proc hides a child that has become another user's. It exists
 * until backoff reaps it.
 */
static bool
read_hidden_child(struct process *process, pid_t pid)
{
	siginfo_t info = { 0 };

	*process = (struct process) { .pid = pid, .parent = getpid() };
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
	    && info.si_pid == 0;
}

bool
process_read(struct process *process, pid_t pid)
{
	/* Fifty numbers and a name; one read(2) returns all of it. */
	char line[1280];
	ssize_t length
	    = fd_read_file(FILE_OF(pid, "stat"), line, sizeof line - 1);

	if (length <= 0)
		return read_hidden_child(process, pid);
	line[length] = '\0';
	return process_from_stat(process, line);
}

/* Calls EACH with the children of backoff that /proc does not list. */
static void
each_hidden_child(void (*each)(pid_t pid, void *what), void *what)
{
	char list[4096] = "", *rest = list;
	pid_t pid;

	fd_read_file("/proc/thread-self/children", list, sizeof list - 1);
	while ((pid = (pid_t)strtol(rest, &rest, 10)) > 0)
		if (access(FILE_OF(pid, ""), F_OK) != 0)
			each(pid, what);
}

void
processes_each(void (*each)(pid_t pid, void *what), void *what)
{
	DIR *directory = processes_can_be_seen() ? opendir("/proc") : NULL;
	struct dirent *entry;

	if (directory == NULL)
		return;
	while ((entry = readdir(directory)) != NULL)
		if (is_digit(entry->d_name[0]))
			each((pid_t)strtol(entry->d_name, NULL, 10), what);
	closedir(directory);
	each_hidden_child(each, what);
}

bool
process_was_given(pid_t pid, const char *entry)
{
	static char buffer[1 << 16];
	FILE *file = fopen(FILE_OF(pid, "environ"), "re");
	char *string = NULL;
	size_t size = 0;
	bool found = false;

	if (file == NULL)
		return false;
	setvbuf(file, buffer, _IOFBF, sizeof buffer);
	while (!found && getdelim(&string, &size, '\0', file) > 0)
		found = strcmp(string, entry) == 0;
	free(string);
	fclose(file);
	return found;
}

bool
processes_adopt_orphans(void)
{
#if HAVE_DECL_PR_SET_CHILD_SUBREAPER
	return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
#else
	return false;
#endif
}

bool
process_own_program(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}

void
process_dumps_no_core(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

/* signal_queue */

static sigset_t wanted;
static int queue; /* signalfd(2) of these */
static struct queued_signal next; /* taken by a poll; of signal 0: none */

bool
signal_queue_open(const sigset_t *signals)
{
	wanted = *signals;
	queue = fd_out_of_the_way(
	    signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK));
	return queue >= 0;
}

void
signal_queue_narrow(const sigset_t *signals)
{
	wanted = *signals;
	signalfd(queue, signals, 0);
}

bool
signal_queue_take(struct queued_signal *queued)
{
	struct signalfd_siginfo info;
	bool found = next.signal != 0;

	*queued = next;
	next.signal = 0;
	if (found || read(queue, &info, sizeof info) != sizeof info)
		return found;
	*queued = (struct queued_signal) {
		.signal = (int)info.ssi_signo,
		.is_by_process = info.ssi_code != SI_KERNEL,
		.sender = (pid_t)info.ssi_pid,
	};
	return true;
}

/*
 * A signal itself wakes the process sooner than a descriptor does. With a limit
 * it is not waited for so: musl begins an interrupted sigtimedwait(3) anew, and
 * faketime(1) does not speed it up.
 */
int
signal_queue_poll(struct pollfd *watched, int count, int64_t left_ns)
{
	struct timespec left = clock_timespec(left_ns > 0 ? left_ns : 0);
	siginfo_t info;

	watched[0] = (struct pollfd) { .fd = queue, .events = POLLIN };
	if (count > 1 || left_ns < INT64_MAX
	    || sigwaitinfo(&wanted, &info) <= 0)
		return ppoll(watched, (nfds_t)count,
		    left_ns == INT64_MAX ? NULL : &left, NULL);
	next = (struct queued_signal) {
		.signal = info.si_signo,
		.is_by_process = info.si_code != SI_KERNEL,
		.sender = info.si_code <= 0 ? info.si_pid : 0,
	};
	watched[0].revents = POLLIN;
	return 1;
}

void
signal_queue_pending(sigset_t *pending)
{
	/* None where a sandbox refuses the call. */
	sigemptyset(pending);
	sigpending(pending);
}

void
signal_queue_drop(const sigset_t *signals)
{
	static const struct timespec now;

	while (sigtimedwait(signals, NULL, &now) > 0)
		continue;
}

DOES_NOTHING(void signal_queue_leave(void))

/* unnamed_file */

int
unnamed_file_open(const char *directory)
{
#if HAVE_DECL_O_TMPFILE
	return open(directory, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
#else
	errno = EOPNOTSUPP;
	return -1;
#endif
}

int
unnamed_file_in_memory(char *path, size_t size)
{
	struct text text = text_in(path, size);
	int fd = -1;

#if HAVE_DECL_MEMFD_CREATE
	if (processes_can_be_seen())
		fd = fd_out_of_the_way(
		    memfd_create("backoff-hint", MFD_CLOEXEC));
#endif
	text_join(&text, "/proc/", NUMBER(getpid()), "/fd/", NUMBER(fd));
	return fd;
}
