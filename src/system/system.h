/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_SYSTEM_H
#define BACKOFF_SYSTEM_SYSTEM_H
/*
 * What backoff asks of the operating system. fd.c, clock.c and process_facts.c
 * answer alike everywhere. The rest is answered by linux.c; or by
 * posix_shared.c with darwin.c or posix.c, where some answers are "not here":
 * they fail, and the caller decides what backoff does without.
 * docs/portability.md has a row for each heading below.
 *
 * Every descriptor that is made here is closed on exec. Functions that return
 * false or a negative number on failure set errno, unless they say otherwise.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

/* Some libcs declare it. NOLINTNEXTLINE(readability-redundant-declaration) */
extern char **environ;

/*
 * fd.c: descriptors. backoff's own stay out of COMMAND's way: they are closed
 * on exec, and none of them is 0 to 9, which scripts and jobservers use.
 */

/* RESULT = CALL, repeated while a signal interrupts it. */
#define RETRY_EINTR(result, call) \
	do \
		(result) = (call); \
	while ((result) < 0 && errno == EINTR)

/* Duplicates FD, out of the way. */
int fd_copy(int fd);

/*
 * Moves FD, which is close-on-exec, out of the way, and returns its new number.
 * A negative FD is returned as it is; errno is kept.
 */
int fd_out_of_the_way(int fd);

/* Whether both are the same file, opened once or twice. */
bool fd_same_file(int a, int b);

/* Closes *FD if it is open, and sets it to -1; errno is kept. */
void fd_close(int *fd);
void fd_close_from(int first); /* all from FIRST on */

/*
 * Waits for EVENTS of FD until UNTIL_NS of clock_now_ns(). False: they did not
 * come in time. If the machine stood still meanwhile, so that nobody could
 * answer, the time that was left begins anew.
 */
bool fd_await(int fd, short events, int64_t until_ns);

/* Reads up to SIZE bytes of a small file; returns how many. */
ssize_t fd_read_file(const char *path, void *bytes, size_t size);

/*
 * Between backoff and backoff-fleet: a pair of sockets that keep messages
 * apart. Each end sends one, without a newline, and waits for the answer.
 */
bool messages_pair(int ends[2]);

/* Sends a message without blocking; a signal handler may call it. */
bool message_send(int fd, const char *words, size_t length);

/*
 * Waits for a message and reads up to SIZE bytes of it into WORDS. Returns its
 * length; <= 0: the other end is closed.
 */
ssize_t message_receive(int fd, char *words, size_t size);

/*
 * clock.c: clocks, in nanoseconds. Setting the time of day does not affect
 * clock_now_ns(), and time while the machine is suspended does not count.
 */

struct text;
struct when;

int64_t clock_now_ns(void);
int64_t clock_epoch_ns(void); /* since 1970 */
int64_t clock_read(clockid_t clock);

struct timespec clock_timespec(int64_t ns);
struct tm clock_local(int64_t epoch_ns); /* the local time */

/* moment_of() WHEN, in its zone. False: there is no such zone, or time. */
bool calendar_moment(
    const struct when *when, int64_t epoch_ns, int64_t *moment_ns);

/* The first time after EPOCH_NS at which it is SECOND of a local day, or -1. */
int64_t calendar_next(int second, int64_t epoch_ns);

bool calendar_has_zone(const char *name); /* in a file of the system */

/*
 * Adds what a local clock shows at MOMENT_NS, with the date unless EPOCH_NS is
 * of the same day: "14:24:53", "2026-11-24 14:24:53".
 */
void calendar_text(struct text *text, int64_t moment_ns, int64_t epoch_ns);

/* boot: clock and name of this boot */

/* A clock that begins at boot and, if any does, runs during a suspend. */
int64_t boot_clock_ns(void);

/*
 * Reads the name of this boot, up to SIZE bytes, and returns how many there
 * are; <= 0: it has no name.
 */
ssize_t boot_id(char *bytes, size_t size);

/* byte_lock: locks that belong to an open file */

/*
 * As fcntl(2) with the COMMAND F_SETLK or F_GETLK, for locks that an open file
 * description owns: the kernel frees them when their holder closes the file or
 * dies. -1, with ENOLCK: there are no such locks.
 */
int byte_lock(int fd, int command, struct flock *flock);

/* descriptors: how they are made, and compared */

/*
 * Whether both are one open file description, and so share one offset; where
 * the system does not tell, whether they are the same file.
 */
bool fd_same(int a, int b);

/*
 * Opens the file of FD once more, with FLAGS, as another open file description,
 * out of the way. ENOSYS: not here.
 */
int fd_reopen(int fd, int flags);

/*
 * Opens a directory to look up files in it, if possible also one that may not
 * be listed. FLAGS is 0 or O_NOFOLLOW.
 */
int descriptor_of_directory(const char *path, int flags);

/* As pipe(2), with both ends out of the way. */
bool descriptors_pipe(int *reader, int *writer);

/* Closes all from FIRST on in one call. False: it does not exist. */
bool descriptors_close_from(int first);

/* devices: kinds of devices and file systems */

/* A device such as /dev/null or /dev/full, on which no write blocks. */
bool device_is_memory(const struct stat *device);

/* The master of a new terminal: opening it again makes another terminal. */
bool device_is_ptmx(const struct stat *device);

/* The columns of the terminal FD; 0: unknown; -1: FD is not a terminal. */
int device_columns(int fd);

/*
 * Whether other machines can write to FD's file system, where locks and writes
 * are seen late, if at all.
 */
bool device_is_network(int fd);

/* entropy: random bytes */

/* Fills BYTES with SIZE random bytes, at most 256. */
bool entropy_get(void *bytes, size_t size);

/* file_writers: who writes to a file */

/*
 * Whether any process can write to the file of FD, which is open for reading
 * only. True if the system does not tell.
 */
bool file_has_writers(int fd);

/* handles: a process that cannot become another */

/*
 * Opens a handle of the process that has PID now: unlike a pid, it is never
 * used again for another process. -1: not here, or no descriptor is left. Close
 * it with fd_close().
 */
int handle_open(pid_t pid);

/* As kill(2), by HANDLE, or by PID if that is -1; SIGNAL 0 only tries. */
int handle_signal(int handle, pid_t pid, int signal);

/* new_process: how COMMAND is started */

/*
 * Starts a process that calls BECOME(WHAT), which ends in exec(3); if it
 * returns, errno tells why. The child may share backoff's memory (vfork), so
 * BECOME must not change what backoff keeps. All its signals may be blocked.
 * Returns the pid; -1, with the errno of fork or exec: nothing was started.
 */
pid_t new_process(void (*become)(const void *what), const void *what);

/* parent: a signal to the command when backoff ends */

/*
 * In the child, before exec: the kernel is to send it SIGNAL when backoff ends,
 * as when it is killed. Where it cannot, nothing happens.
 */
void parent_take_along(int signal);

/* pause: a pause that a signal ends */

/*
 * Pauses until UNTIL_NS of clock_now_ns(), with the signal mask MASK, or until
 * one of SIGNALS comes, or has come; CONT only has the pause measured anew.
 * Returns the signal, or 0. Of several that come together, it is one of FIRST,
 * or the rest stay pending.
 */
int pause_until(int64_t until_ns, const sigset_t *mask, const sigset_t *signals,
    const sigset_t *first);

/* peek: what a pipe holds */

/*
 * Puts up to MOST bytes from the head of the pipe FROM into the pipe TO, and
 * leaves them in FROM; never blocks. Returns how many; 0: FROM has ended. -1,
 * with EAGAIN: FROM is empty or TO is full; with any other errno: not here.
 */
int64_t peek_into(int to, int from, size_t most);

/*
 * How many bytes wait in a pipe or socket; -1: perhaps some, but the system
 * does not tell.
 */
int peek_count(int fd);

/* Makes a pipe hold SIZE bytes, but at least a page, if that is allowed. */
void peek_resize(int pipe, int size);

/* processes: what runs below backoff */

#define PROCESS_NAME 16 /* bytes of a name, its terminator included */

struct process {
	pid_t pid;
	pid_t parent;
	unsigned long long start; /* of some clock: tells reused pids apart */
	char name[PROCESS_NAME]; /* unchanged: any bytes but NUL */
	bool is_zombie;
	bool is_stopped; /* by a signal or a tracer */
	bool has_mark; /* its environment is that of this run */
	bool in_tree;
};

/*
 * Whether all processes of this PID namespace can be seen. In /proc of another
 * namespace, the same pids would belong to other processes.
 */
bool processes_can_be_seen(void);

/* A number that stands for this PID namespace; 0: unknown. */
int64_t processes_namespace(void);

/* Reads what the system tells about PID. False: it is gone or hidden. */
bool process_read(struct process *process, pid_t pid);

/* Whether PID is an ancestor of ours: false only if all of them can be seen. */
bool process_may_be_ancestor(int64_t pid);

/* Calls EACH with the pid of every process, if processes can be seen. */
void processes_each(void (*each)(pid_t pid, void *what), void *what);

/*
 * Whether PID was started with ENTRY, "NAME=VALUE", in its environment. False
 * if that cannot be read, as that of a set-user-ID program.
 */
bool process_was_given(pid_t pid, const char *entry);

/*
 * Makes backoff adopt orphans below it; call it before a spawn. False: not
 * here, so that another process adopts them and gets their SIGCHLD.
 */
bool processes_adopt_orphans(void);

/* The path of backoff's own program, cut off at SIZE. False: unknown. */
bool process_own_program(char *path, size_t size);

void process_dumps_no_core(void);

/*
 * What linux.c and darwin.c read, where the tests of all systems find it: a
 * line of /proc/PID/stat, whose command name may contain parentheses, blanks
 * and newlines. False: it is not such a line.
 */
bool process_from_stat(struct process *process, const char *line);

/*
 * Whether ENTRY is in the environment in the SIZE bytes, with a NUL behind
 * them, of the sysctl KERN_PROCARGS2: the number of arguments as an int, the
 * path of the program, NULs up to a multiple of some word, the arguments, the
 * environment, and strings of the kernel's own such as "ptr_munge=". The block
 * may be cut off, and without the environment if the kernel hides it.
 */
bool process_block_has(const char *block, size_t size, const char *entry);

/* signal_queue: signals in their order, and whether a process sent them */

struct queued_signal {
	int signal;
	bool is_by_process; /* by kill(2) or the like; else by the system */
	pid_t sender; /* if it is by a process */
};

/*
 * Begins to queue SIGNALS, which are blocked and stay so: none arrives between
 * a test and a wait.
 */
bool signal_queue_open(const sigset_t *signals);

/* From now on only SIGNALS, a part of those, end a poll. */
void signal_queue_narrow(const sigset_t *signals);

/* Takes the first signal out of the queue. False: it is empty. */
bool signal_queue_take(struct queued_signal *queued);

/*
 * As poll(2), for LEFT_NS (INT64_MAX: for ever). The first of WATCHED is set to
 * the queue: it has come if that is not empty.
 */
int signal_queue_poll(struct pollfd *watched, int count, int64_t left_ns);

/* All signals that have come and were not taken. */
void signal_queue_pending(sigset_t *pending);

/* Discards those of SIGNALS, which are blocked, that have come. */
void signal_queue_drop(const sigset_t *signals);

/* In a child, before it unblocks signals: it leaves the queue to its parent. */
void signal_queue_leave(void);

/* unnamed_file: files without a name */

/*
 * Opens a file for reading and appending on the disk of DIRECTORY that is gone
 * when nobody has it open. EOPNOTSUPP or EISDIR: not here, or not on this disk.
 */
int unnamed_file_open(const char *directory);

/*
 * Another one in memory, out of the way. PATH, of SIZE bytes, gets the name by
 * which other processes can open it.
 */
int unnamed_file_in_memory(char *path, size_t size);

/* posix_shared.c, and posix.c or darwin.c with it */

/* Whether a process sent it, and not the system, as for a key. */
bool signal_is_by_process(const siginfo_t *info);

/* What is not here: it fails, or its answer does no harm. */
#define ANSWERS(function, answer) \
	function \
	{ \
		return answer; \
	}
#define FAILS(function, error) ANSWERS(function, (errno = (error), -1))
#define DOES_NOTHING(function) ANSWERS(function, )

#endif
