/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/base.h"
#include "process/process.h"
#include "streams/streams.h"
#include "system/system.h"

/* Up to here, exactly what COMMAND has read is taken from stdin. */
#define EXACT (INT64_C(64) * 1024)

/* A pipe that has room has room for all of it. */
#define PORTION PIPE_BUF

/* The capacity of COMMAND's pipe beyond EXACT; a new one has one page. */
#define WIDE (INT64_C(64) * 1024)

#define FIRST_LOOK_NS NS_PER_MS
#define LAST_LOOK_NS (100 * NS_PER_MS)

/* The kind of backoff's stdin. */
enum source {
	SOURCE_INHERITED, /* a terminal, a device: COMMAND inherits it */
	SOURCE_FILE,
	SOURCE_PIPE,
	SOURCE_SOCKET, /* a connected stream socket */
};

/*
 * Offsets count from where backoff found the input. Everything before `taken`
 * has been moved from stdin to the spool. tee(2) and MSG_PEEK fill COMMAND's
 * pipe without taking anything from stdin, so `given` may be ahead.
 */
static struct {
	enum source source;
	int64_t entry_offset; /* of SOURCE_FILE */
	int null; /* for --stdin=null, or -1 */
	int source_fd; /* stdin, or a non-blocking description of that pipe */
	bool cannot_show; /* without tee(2), for a pipe */
	bool is_local; /* a socket of this machine: AF_UNIX */

	int spool; /* the unnamed file; -1 before it is needed, and if lost */
	int64_t taken;
	int64_t limit; /* if COMMAND reads more, it is not kept */
	struct input_fate fate; /* in all attempts */

	/* Of this attempt: */
	struct pollfd wanted; /* what the next step waits for, or -1 */
	int64_t due_ns; /* when to look again whether that pipe is empty */
	int64_t look_ns; /* time from the last look to the next one */
	int failure; /* errno, or 0 */
	int reader, writer; /* COMMAND's pipe: unread bytes can be counted */
	int64_t given; /* how many bytes that pipe got */
	int64_t emptied; /* how many had been read when it was last empty */
} in = {
	.wanted.fd = -1,
	.due_ns = INT64_MAX,
	.source_fd = STDIN_FILENO,
	.spool = -1,
	.null = -1,
	.reader = -1,
	.writer = -1,
};

static char buffer[WIDE]; /* for a pipe or socket */

/* --- the source --- */

/* Only a connected stream has an order and an end, as replay needs. */
static bool
find_socket(void)
{
	struct sockaddr_storage peer = { 0 };
	socklen_t peer_size = sizeof peer;
	int type;
	socklen_t size = sizeof type;

	if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
		return false;
	if (type != SOCK_STREAM)
		return true;
	if (getpeername(STDIN_FILENO, (struct sockaddr *)&peer, &peer_size)
	    != 0)
		return errno == ENOTCONN;
	in.source = SOURCE_SOCKET;
	in.is_local = peer.ss_family == AF_UNIX;
	return true;
}

/*
 * Finds out what stdin is; SOURCE_INHERITED also if it is closed or cannot be
 * read. False: the kernel does not say, see errno.
 */
static bool
find_source(void)
{
	struct stat stat;
	int flags;

	if (fstat(STDIN_FILENO, &stat) != 0)
		return errno == EBADF;
	flags = fcntl(STDIN_FILENO, F_GETFL);
	if (flags < 0)
		return false;
	if ((flags & O_ACCMODE) == O_WRONLY)
		return true;
	if (S_ISSOCK(stat.st_mode))
		return find_socket();
	if (S_ISREG(stat.st_mode)) {
		in.entry_offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
		/* Some files of the kernel, and O_PATH, have no place. */
		if (in.entry_offset < 0)
			return errno == ESPIPE || errno == EBADF;
		in.source = SOURCE_FILE;
	} else if (S_ISFIFO(stat.st_mode)) {
		int fd = fd_reopen(STDIN_FILENO, O_RDONLY | O_NONBLOCK);

		in.source = SOURCE_PIPE;
		if (fd >= 0)
			in.source_fd = fd;
	}
	return true;
}

bool
input_start(enum stdin_mode mode, int64_t limit)
{
	in.limit = limit;
	if (mode == STDIN_NULL) {
		in.null = fd_out_of_the_way(
		    open("/dev/null", O_RDONLY | O_CLOEXEC));
		return in.null >= 0;
	}
	return mode != STDIN_REPLAY || find_source();
}

/*
 * If a peer on this machine has not read all of what it was sent, a reset comes
 * before the end; but all that it has sent is here.
 */
static ssize_t
receive(int64_t most, int flags)
{
	ssize_t count;

	flags |= MSG_DONTWAIT;
	RETRY_EINTR(count, recv(STDIN_FILENO, buffer, (size_t)most, flags));
	if (count < 0 && errno == ECONNRESET && in.is_local)
		RETRY_EINTR(
		    count, recv(STDIN_FILENO, buffer, (size_t)most, flags));
	return count;
}

/*
 * Reads up to MOST bytes from stdin to the buffer. Never blocks. 0: it has
 * ended. -1, with errno: EAGAIN if nothing is there, or another process was
 * faster.
 */
static int64_t
read_source(int64_t most)
{
	ssize_t count;

	if (in.source == SOURCE_SOCKET)
		return receive(most, 0);
	if (in.source_fd == STDIN_FILENO
	    && poll_once(STDIN_FILENO, POLLIN) == 0) {
		errno = EAGAIN;
		return -1;
	}
	RETRY_EINTR(count, read(in.source_fd, buffer, (size_t)most));
	return count;
}

/* --- the spool: what was taken from stdin, for further attempts --- */

/*
 * Gives up keeping the input, because of ERROR (errno, or 0: the limit). Then
 * only the running attempt goes on.
 */
static void
lose(int error)
{
	if (in.fate.lost)
		return;
	in.fate.lost = true;
	in.fate.error = error;
	in.fate.directory = tempfile_directory();
	fd_close(&in.spool);
}

/* COMMAND has read what it was given but for UNREAD bytes. */
static void
note_read(int64_t unread)
{
	in.fate.taken = max_ns(in.fate.taken, in.given - unread);
	if (in.fate.taken > in.limit)
		lose(0);
}

/* Appends COUNT bytes of the buffer, which were taken, or loses everything. */
static void
keep(int64_t count)
{
	struct outlet spool = { .step = SIZE_MAX };
	size_t left = (size_t)count;

	if (!in.fate.lost && in.spool < 0)
		in.spool = tempfile_open();
	spool.fd = spool.out = in.spool;
	if (in.spool < 0
	    || outlet_put(&spool, buffer, &left, AT_ONCE) != WRITTEN_ALL)
		lose(errno);
	in.taken += count;
}

/* --- the pipe through which COMMAND reads --- */

static int64_t
note_given(int64_t given)
{
	if (given > 0) {
		in.given += given;
		in.look_ns = 0;
	}
	return given;
}

/* Gives it COUNT bytes of the buffer. -1, with errno: EAGAIN if it is full. */
static int64_t
give(int64_t count)
{
	ssize_t given;

	RETRY_EINTR(given, write(in.writer, buffer, (size_t)count));
	return note_given(given);
}

/*
 * Gives it up to MOST bytes from the head of stdin, and leaves them in stdin.
 * 0: stdin has ended. -1, with errno: EAGAIN if stdin is empty or it is full.
 */
static int64_t
show(int64_t most)
{
	int64_t count = 0;

	if (in.source == SOURCE_SOCKET) {
		count = receive(most, MSG_PEEK);
		return count <= 0 ? count : give(count);
	}
	/*
	 * tee(2) returns 0 as well where another reader was faster. At the end
	 * stdin is empty and has no writer any more; a FIFO may never have had
	 * one.
	 */
	for (int i = 0; i < 4 && count == 0; i++) {
		if (i > 0 && poll_once(STDIN_FILENO, POLLIN) == POLLHUP)
			break;
		RETRY_EINTR(
		    count, peek_into(in.writer, STDIN_FILENO, (size_t)most));
	}
	return note_given(count);
}

/*
 * How many bytes in it nobody has read; where the system tells only whether
 * there are any, so many at most.
 */
static int64_t
unread_bytes(void)
{
	int count = peek_count(in.reader);

	if (count == 0)
		in.emptied = in.given;
	return count >= 0 ? count : in.given - in.emptied;
}

static bool
has_room(void)
{
	return poll_once(in.writer, POLLOUT) != 0;
}

/*
 * Closes it and returns how many bytes nobody has read; they are dropped. -1,
 * with errno: that is not known.
 */
static int64_t
discard_unread(void)
{
	int64_t unread = 0;
	ssize_t count = 1;

	/* Close the writing end first: then a leftover reader finds the end
	 * and does not notice that the pipe no longer blocks. */
	fd_close(&in.writer);
	if (in.given > 0 && fcntl(in.reader, F_SETFL, O_NONBLOCK) != 0)
		unread = -1;
	/* More than it was given comes from another writer: do not read on. */
	while (count > 0 && unread >= 0 && unread < in.given) {
		RETRY_EINTR(count, read(in.reader, buffer, WIDE));
		if (count > 0)
			unread += count;
		/* It does not block, as another reader may be faster. */
		else if (count < 0 && (errno != EAGAIN || unread_bytes() != 0))
			unread = -1;
	}
	fd_close(&in.reader);
	return unread;
}

/* --- an attempt, step by step --- */

/*
 * A step returns true if the next one can be taken now. Else that waits until
 * COMMAND's pipe has room, unless the step has said something else.
 */

/* Takes no further step: it has got everything, or its input failed. */
static bool
stop(void)
{
	in.wanted.fd = -1;
	return false;
}

/* Keeps COMMAND's pipe open, so that it does not see an end of file. */
static bool
break_off(void)
{
	in.failure = errno;
	return stop();
}

/*
 * Moves COUNT bytes, which COMMAND was given, from stdin to the spool. False,
 * with errno: they are still at the head of stdin.
 */
static bool
take(int64_t count)
{
	for (bool refused = false; count > 0;) {
		int64_t moved = read_source(min_ns(count, WIDE));

		if (moved > 0) {
			keep(moved);
			count -= moved;
		} else if (moved < 0 && errno != EAGAIN) {
			return false;
		} else if (moved < 0 && !refused
		    && peek_count(STDIN_FILENO) != 0) {
			/* It is not empty: try once more. */
			refused = true;
		} else {
			/* Another process was faster and has read them. */
			lose(moved == 0 ? EPIPE : EAGAIN);
			in.taken += count;
			break;
		}
	}
	return true;
}

/* After nothing was given: COUNT is 0 at the end of stdin, or -1 (errno). */
static bool
wait_for_stdin(int64_t count)
{
	if (count == 0) {
		fd_close(&in.writer);
		return stop();
	}
	if (errno != EAGAIN)
		return break_off();
	if (has_room())
		in.wanted = (struct pollfd) { STDIN_FILENO, .events = POLLIN };
	return false;
}

/* Waits until COMMAND has read all that is in its pipe. */
static bool
wait_for_reader(void)
{
	/* A pipe of one page has room when it is empty, and not before. */
	if (!has_room())
		return false;
	/* A larger pipe has room before it is empty, so look at intervals. */
	in.look_ns = min_ns(2 * in.look_ns + FIRST_LOOK_NS, LAST_LOOK_NS);
	in.due_ns = clock_now_ns() + in.look_ns;
	return stop();
}

/* COMMAND gets what earlier attempts have read. */
static bool
replay(void)
{
	int64_t most = min_ns(in.taken - in.given, WIDE);
	ssize_t count = file_read(in.spool, buffer, (size_t)most, in.given);

	if (count <= 0)
		return break_off();
	return give(count) >= 0 || (errno != EAGAIN && break_off());
}

/*
 * COMMAND is shown what stdin has. Up to EXACT, what it has read is taken
 * later, and there is more when it has read all; beyond, what it was shown is
 * taken at once.
 */
static bool
follow(int64_t unread)
{
	bool is_exact = in.taken < EXACT;
	int64_t count;

	if (is_exact && !take(in.given - unread - in.taken))
		return break_off();
	if (is_exact && in.taken >= EXACT) {
		peek_resize(in.writer, (int)WIDE);
		/*
		 * tee(2) always starts at the head of stdin, so first take what
		 * COMMAND was already shown, or it would see those bytes twice.
		 */
		return take(in.given - in.taken) || break_off();
	}
	/* There may be more room, as COMMAND may enlarge its pipe. */
	if (unread >= (is_exact ? 1 : WIDE))
		return wait_for_reader();
	count = show(is_exact ? PORTION : WIDE - unread);
	if (count > 0)
		return is_exact || take(count) || break_off();
	if (in.source == SOURCE_PIPE && count < 0 && errno != EAGAIN) {
		in.cannot_show = true;
		return true;
	}
	return wait_for_stdin(count);
}

/* Without tee(2), a portion is first taken from stdin, then given. */
static bool
copy(int64_t unread)
{
	int64_t count;

	/*
	 * Up to EXACT only when all was read, later as far as there is room:
	 * what was taken may be in no spool, and cannot wait.
	 */
	if (unread > 0 && (in.taken < EXACT || unread > WIDE - PORTION))
		return wait_for_reader();
	if (!has_room())
		return false;
	count = read_source(PORTION);
	if (count <= 0)
		return wait_for_stdin(count);
	keep(count);
	/* If there is no room after all, replay() gives it. */
	give(count);
	return true;
}

static bool
take_step(void)
{
	int64_t unread;

	if (in.given < in.taken)
		return replay();
	unread = unread_bytes();
	note_read(unread);
	return in.cannot_show ? copy(unread) : follow(unread);
}

static void
feed(void)
{
	/* Only a few steps, so that signals are handled in between. */
	for (int i = 0; i < 16; i++) {
		in.wanted = (struct pollfd) { in.writer, .events = POLLOUT };
		in.due_ns = INT64_MAX;
		if (!take_step())
			break;
	}
}

bool
input_begin(int *descriptor)
{
	in.failure = 0;
	in.given = in.emptied = in.look_ns = 0;
	if (in.source <= SOURCE_FILE) {
		*descriptor = in.null;
		return in.source != SOURCE_FILE
		    || lseek(STDIN_FILENO, in.entry_offset, SEEK_SET) >= 0;
	}
	if (!descriptors_pipe(&in.reader, &in.writer)
	    || fcntl(in.writer, F_SETFL, O_NONBLOCK) != 0)
		return false;
	*descriptor = in.reader;
	/* One page is one slot, so it has room only after all was read. */
	peek_resize(
	    in.writer, in.taken >= EXACT && !in.cannot_show ? (int)WIDE : 1);
	signals_before_write();
	feed();
	signals_after_write(true);
	errno = in.failure;
	return in.failure == 0;
}

struct pollfd
input_wanted(int64_t *due_ns)
{
	*due_ns = in.due_ns;
	return in.wanted;
}

bool
input_on_ready(const struct pollfd *came)
{
	if (came->revents != 0 || clock_now_ns() >= in.due_ns)
		feed();
	return in.failure == 0;
}

void
input_end(void)
{
	if (in.reader >= 0) {
		int64_t unread = discard_unread();

		if (unread >= 0)
			note_read(unread);
		/* What COMMAND was only shown stays in stdin. */
		if (unread < 0 || !take(in.given - unread - in.taken))
			break_off();
	}
	stop();
	in.due_ns = INT64_MAX;
}

void
input_report(struct evidence *evidence)
{
	evidence->input = in.fate;
	if (in.failure != 0) {
		evidence->failure.stream = "stdin";
		evidence->failure.error = in.failure;
		evidence->failure.is_final = true;
	}
}
