/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/fd.h"
#include "streams/input_source.h"
#include "streams/input_spool.h"
#include "streams/input.h"

/*
 * Offsets count from where we found the input. What is before `taken` has
 * left our stdin for the spool; COMMAND's pipe has been filled up to `fed`.
 * tee(2) and MSG_PEEK fill it without taking, so fed may be ahead.
 */
static struct {
	enum source source;
	int64_t entry_offset; /* of SOURCE_FILE */
	int64_t taken;
	int64_t fed;
	int pipe; /* COMMAND's, to write to; -1: closed */
	bool wide; /* that pipe holds INPUT_EXACT, not a page */
	bool starved; /* it has room, but our stdin has nothing */
	int reader; /* our stdin, where that can be: without blocking */
	bool copying; /* tee(2) does not do: take, then give */
	bool broken; /* COMMAND cannot be given its input: */
	int failure; /* errno for it */
} in = { .pipe = -1 };

static char *buffer; /* of INPUT_EXACT bytes, where one is needed */

bool
input_start(enum stdin_mode mode, int64_t limit)
{
	spool_start(limit);
	if (mode == STDIN_INHERIT)
		return true;
	in.source = mode == STDIN_NULL ? SOURCE_NULL : source_of(STDIN_FILENO);
	in.reader = STDIN_FILENO;
	if (in.source == SOURCE_PIPE)
		in.reader = fd_without_blocking(STDIN_FILENO, O_RDONLY);
	if (in.source == SOURCE_FILE) {
		in.entry_offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
		if (in.entry_offset < 0)
			in.source = SOURCE_INHERITED;
	}
	if (in.source == SOURCE_PIPE || in.source == SOURCE_SOCKET) {
		buffer = malloc(INPUT_EXACT);
		return buffer != NULL;
	}
	return true;
}

/* How many bytes wait in a pipe or socket. */
static int64_t
waiting(int fd)
{
	int count = 0;

	return ioctl(fd, FIONREAD, &count) == 0 ? count : 0;
}

/* Resizes COMMAND's pipe; what is larger than allowed stays as it is. */
static void
widen(void)
{
	in.wide = true;
	fcntl(in.pipe, F_SETPIPE_SZ, (int)INPUT_EXACT);
}

static int
open_pipe(void)
{
	int ends[2];

	in.starved = in.broken = false;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		in.failure = errno;
		return -1;
	}
	in.pipe = fd_out_of_the_way(ends[1]);
	fcntl(in.pipe, F_SETFL, O_NONBLOCK);
	/* One page is one slot: it has room only when all of it was read. */
	in.wide = in.taken >= INPUT_EXACT && !in.copying;
	fcntl(in.pipe, F_SETPIPE_SZ, in.wide ? (int)INPUT_EXACT : 1);
	in.fed = 0;
	return fd_out_of_the_way(ends[0]);
}

static int
open_null(void)
{
	int null = fd_out_of_the_way(open("/dev/null", O_RDONLY | O_CLOEXEC));

	if (null < 0)
		in.failure = errno;
	return null;
}

int
input_begin(void)
{
	in.failure = 0;
	switch (in.source) {
	case SOURCE_INHERITED:
		break;
	case SOURCE_NULL:
		return open_null();
	case SOURCE_FILE:
		if (lseek(STDIN_FILENO, in.entry_offset, SEEK_SET) < 0)
			in.failure = errno;
		break;
	case SOURCE_PIPE:
	case SOURCE_SOCKET:
		return open_pipe();
	}
	return -1;
}

/*
 * Reads up to MOST bytes that are waiting: >= 0, or -1 with errno. Another
 * process may be faster, and must not make us block.
 */
static int64_t
read_waiting(int64_t most)
{
	struct pollfd waited = { .fd = in.reader, .events = POLLIN };
	ssize_t count;

	if (most > INPUT_EXACT)
		most = INPUT_EXACT;
	if (in.reader == STDIN_FILENO && poll(&waited, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	do
		if (in.source == SOURCE_SOCKET)
			count = recv(
			    in.reader, buffer, (size_t)most, MSG_DONTWAIT);
		else
			count = read(in.reader, buffer, (size_t)most);
	while (count < 0 && errno == EINTR);
	return count;
}

/*
 * Moves COUNT bytes, which COMMAND has been given, from stdin to the spool.
 * False with errno: they are at the head of stdin still.
 */
static bool
take(int64_t count)
{
	while (count > 0) {
		int64_t moved = read_waiting(count);

		if (moved <= 0) {
			int error = moved == 0 ? EPIPE : errno;

			spool_lose(error);
			in.taken += count;
			errno = error;
			/* Where another process was faster, it has them. */
			return error == EPIPE || error == EAGAIN;
		}
		spool_keep(buffer, moved);
		in.taken += moved;
		count -= moved;
	}
	return true;
}

/* Takes what COMMAND has read of what it was given ahead. */
static bool
settle(void)
{
	int64_t read_by_command = in.fed - waiting(in.pipe);

	return read_by_command <= in.taken || take(read_by_command - in.taken);
}

/* COMMAND must not take what it has for all there is: its pipe stays open. */
static bool
break_off(void)
{
	in.failure = errno;
	in.broken = true;
	return false;
}

static void
close_pipe(void)
{
	if (in.pipe < 0)
		return;
	if (!settle())
		break_off();
	close(in.pipe);
	in.pipe = -1;
}

/* Into COMMAND's pipe; -1 with errno EAGAIN where it has no room. */
static int64_t
give(const char *bytes, int64_t count)
{
	ssize_t given;

	do
		given = write(in.pipe, bytes, (size_t)count);
	while (given < 0 && errno == EINTR);
	if (given > 0)
		in.fed += given;
	return given;
}

/* What earlier attempts have read. */
static int64_t
give_from_spool(void)
{
	int64_t most = in.taken - in.fed;
	int64_t count;

	if (most > INPUT_EXACT)
		most = INPUT_EXACT;
	count = spool_read(buffer, most, in.fed);
	if (count <= 0) {
		errno = count == 0 ? EIO : errno;
		return -1;
	}
	return give(buffer, count);
}

/* Takes first: for where COMMAND cannot be shown what is not taken. */
static int64_t
copy(void)
{
	int64_t count;

	/* Only an empty pipe surely has room for what is then taken. */
	if (waiting(in.pipe) > 0) {
		errno = EAGAIN;
		return -1;
	}
	count = read_waiting(4096);
	if (count <= 0)
		return count;
	spool_keep(buffer, count);
	in.taken += count;
	return give(buffer, count);
}

/* Shows COMMAND what is at the head of stdin. 0: it has ended. */
static int64_t
show(void)
{
	int64_t count;

	if (in.copying)
		return copy();
	if (in.source == SOURCE_SOCKET) {
		do
			count = recv(STDIN_FILENO, buffer,
			    in.wide ? (size_t)INPUT_EXACT : 4096,
			    MSG_PEEK | MSG_DONTWAIT);
		while (count < 0 && errno == EINTR);
		return count <= 0 ? count : give(buffer, count);
	}
	do
		count = tee(
		    STDIN_FILENO, in.pipe, INPUT_EXACT, SPLICE_F_NONBLOCK);
	while (count < 0 && errno == EINTR);
	if (count > 0)
		in.fed += count;
	if (count < 0 && errno != EAGAIN && errno != EPIPE) {
		in.copying = true;
		return copy();
	}
	return count;
}

/* Of COMMAND's pipe: where it is full, our stdin need not be waited for. */
static bool
has_room(void)
{
	struct pollfd pipe = { .fd = in.pipe, .events = POLLOUT };

	return poll(&pipe, 1, 0) > 0;
}

/* One step of feeding; false: nothing more can be done for now. */
static bool
feed(void)
{
	bool from_spool = in.fed < in.taken;
	int64_t given;

	if (!from_spool) {
		if (!settle())
			return break_off();
		/* tee(2) begins with what is not taken: shown twice else. */
		if (!in.wide && !in.copying && in.taken >= INPUT_EXACT) {
			widen();
			if (!take(in.fed - in.taken))
				return break_off();
		}
		/* Both: COMMAND may have read on since settle() looked. */
		if (!in.wide && (in.fed > in.taken || waiting(in.pipe) > 0))
			return false;
	}
	in.starved = false;
	given = from_spool ? give_from_spool() : show();
	if (given > 0) {
		if (in.wide && in.fed > in.taken && !take(in.fed - in.taken))
			return break_off();
		return true;
	}
	if (given < 0 && errno == EAGAIN) {
		in.starved
		    = !from_spool && has_room() && waiting(STDIN_FILENO) == 0;
		return false;
	}
	if (given < 0 && errno != EPIPE)
		return break_off();
	/* The input has ended, or COMMAND reads no more. */
	close_pipe();
	return false;
}

struct pollfd
input_wanted(void)
{
	if (in.broken || in.pipe < 0)
		return (struct pollfd) { .fd = -1 };
	if (in.starved)
		return (struct pollfd) { .fd = STDIN_FILENO, .events = POLLIN };
	return (struct pollfd) { .fd = in.pipe, .events = POLLOUT };
}

void
input_feed(void)
{
	/* A few steps, so that signals get their turn. */
	for (int i = 0; i < 16 && in.pipe >= 0 && !in.broken && feed(); i++)
		continue;
}

void
input_on_ready(const struct pollfd *came)
{
	/* With nobody to read it, what is left in the pipe stays there. */
	if (came->fd == in.pipe && (came->revents & POLLERR) != 0)
		close_pipe();
	input_feed();
}

void
input_end(void)
{
	close_pipe();
}

int
input_failure(void)
{
	return in.failure;
}

int64_t
input_taken_bytes(void)
{
	return in.taken;
}
