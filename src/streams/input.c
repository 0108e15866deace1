/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "process/fd.h"
#include "streams/input.h"
#include "streams/input_pipe.h"
#include "streams/input_source.h"
#include "streams/input_spool.h"

/* How far COMMAND's reading is followed byte by byte. */
#define EXACT (INT64_C(64) * 1024)

/* Less than a page: an empty pipe has room for it. */
#define PORTION 4096

/* What is being done for COMMAND's input. */
enum phase {
	PHASE_NONE, /* nothing: its stdin is no pipe of ours */
	PHASE_REPLAY, /* giving it what earlier attempts have read */
	PHASE_EXACT, /* showing it stdin; what it has read is taken later */
	PHASE_STREAM, /* beyond EXACT: taking what it is given at once */
	PHASE_COPY, /* tee(2) does not do: taking before giving */
	PHASE_ENDED, /* nothing more: it has all that there is */
	PHASE_BROKEN, /* nothing more: it cannot be given its input */
};

/* What has to come before the next step. */
enum wait {
	WAIT_NOTHING, /* the next step can be taken */
	WAIT_ROOM, /* room in COMMAND's pipe */
	WAIT_LOOK, /* the time to see whether that pipe is empty */
	WAIT_MORE, /* more on stdin, or its end */
	WAIT_NEVER, /* there is no next step */
};

/*
 * Offsets count from where we found the input. What is before `taken` has
 * left our stdin for the spool. tee(2) and MSG_PEEK fill COMMAND's pipe
 * without taking, so that pipe_given() may be ahead.
 */
static struct {
	enum source source;
	enum phase phase;
	enum wait wait;
	int64_t entry_offset; /* of SOURCE_FILE */
	int64_t taken;
	int null; /* /dev/null while COMMAND has it, or -1 */
	bool without_tee;
	int failure; /* errno of PHASE_BROKEN, or of what could not begin */
} in = { .wait = WAIT_NEVER, .null = -1 };

static char *buffer; /* of PIPE_WIDE bytes, where one is needed */

bool
input_start(enum stdin_mode mode, int64_t limit)
{
	spool_start(limit);
	if (mode == STDIN_INHERIT)
		return true;
	in.source = SOURCE_NULL;
	if (mode == STDIN_REPLAY && !source_start(&in.source))
		return false;
	if (in.source == SOURCE_FILE) {
		in.entry_offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
		if (in.entry_offset >= 0)
			return true;
		/* Some files of the kernel's are streams all the same. */
		in.source = SOURCE_INHERITED;
		return errno == ESPIPE;
	}
	if (in.source == SOURCE_PIPE || in.source == SOURCE_SOCKET) {
		buffer = malloc(PIPE_WIDE);
		return buffer != NULL;
	}
	return true;
}

/* The phase in which COMMAND gets what comes after what it was given. */
static enum phase
next_phase(void)
{
	if (pipe_given() < in.taken)
		return PHASE_REPLAY;
	if (in.without_tee)
		return PHASE_COPY;
	return in.taken < EXACT ? PHASE_EXACT : PHASE_STREAM;
}

static int
begin_pipe(void)
{
	if (!pipe_open()) {
		in.failure = errno;
		return -1;
	}
	if (in.taken >= EXACT && !in.without_tee)
		pipe_widen();
	in.phase = next_phase();
	in.wait = WAIT_NOTHING;
	return pipe_commands_end();
}

int
input_begin(void)
{
	in.failure = 0;
	switch (in.source) {
	case SOURCE_INHERITED:
		break;
	case SOURCE_NULL:
		in.null = fd_out_of_the_way(
		    open("/dev/null", O_RDONLY | O_CLOEXEC));
		if (in.null < 0)
			in.failure = errno;
		return in.null;
	case SOURCE_FILE:
		if (lseek(STDIN_FILENO, in.entry_offset, SEEK_SET) < 0)
			in.failure = errno;
		break;
	case SOURCE_PIPE:
	case SOURCE_SOCKET:
		return begin_pipe();
	}
	return -1;
}

/* COMMAND must not take what it has for all there is: its pipe stays open. */
static enum wait
break_off(void)
{
	if (in.failure == 0)
		in.failure = errno;
	in.phase = PHASE_BROKEN;
	return WAIT_NEVER;
}

/*
 * Moves COUNT bytes, which COMMAND has been given, from stdin to the spool.
 * False with errno: they are at the head of stdin still.
 */
static bool
take(int64_t count)
{
	bool refused = false;

	while (count > 0) {
		int64_t moved = source_read(
		    buffer, count < PIPE_WIDE ? count : PIPE_WIDE);

		if (moved > 0) {
			spool_keep(buffer, moved);
			in.taken += moved;
			count -= moved;
			continue;
		}
		/* Where another process was faster, it has them. */
		if (moved == 0 || (errno == EAGAIN && source_is_empty())) {
			spool_lose(moved == 0 ? EPIPE : EAGAIN);
			in.taken += count;
			return true;
		}
		/* It was not, or new bytes have come: once more, then. */
		if (errno != EAGAIN || refused)
			return false;
		refused = true;
	}
	return true;
}

/* Nothing was given: COUNT is 0, at the end of stdin, or -1 with errno. */
static enum wait
wait_for_stdin(int64_t count)
{
	if (count == 0) {
		pipe_finish();
		in.phase = PHASE_ENDED;
		return WAIT_NEVER;
	}
	if (errno != EAGAIN)
		return break_off();
	return pipe_has_room() ? WAIT_MORE : WAIT_ROOM;
}

/* Until COMMAND has read all that is in its pipe. */
static enum wait
wait_for_reader(void)
{
	int64_t unread;

	/* A pipe of one page has room when it is empty, and not before. */
	if (!pipe_has_room())
		return WAIT_ROOM;
	unread = pipe_unread();
	if (unread == 0)
		return WAIT_NOTHING;
	/* It could not be made so small, and so nothing tells. */
	return unread > 0 && pipe_look_later() ? WAIT_LOOK : break_off();
}

static enum wait
replay(void)
{
	int64_t most = in.taken - pipe_given();
	int64_t count = spool_read(
	    buffer, most < PIPE_WIDE ? most : PIPE_WIDE, pipe_given());

	if (count == 0)
		errno = EIO;
	if (count <= 0)
		return break_off();
	if (pipe_give(buffer, count) < 0)
		return errno == EAGAIN ? WAIT_ROOM : break_off();
	in.phase = next_phase();
	return WAIT_NOTHING;
}

/*
 * Gives COMMAND what is at the head of stdin, for a socket up to MOST bytes,
 * and leaves it there. 0: stdin has ended. -1: errno.
 */
static int64_t
show(int64_t most)
{
	int64_t count;

	if (in.source == SOURCE_PIPE)
		return pipe_tee(STDIN_FILENO);
	count = source_peek(buffer, most);
	return count <= 0 ? count : pipe_give(buffer, count);
}

/* After show() has given nothing. */
static enum wait
wait_after_show(int64_t count)
{
	if (in.source == SOURCE_PIPE && count < 0 && errno != EAGAIN) {
		in.without_tee = true;
		in.phase = PHASE_COPY;
		return WAIT_NOTHING;
	}
	return wait_for_stdin(count);
}

/* COMMAND has read so much that it is followed from afar. */
static enum wait
begin_stream(void)
{
	pipe_widen();
	/*
	 * tee(2) always starts at the head of stdin: what COMMAND was shown
	 * is taken first, or it would see that twice.
	 */
	if (!take(pipe_given() - in.taken))
		return break_off();
	in.phase = PHASE_STREAM;
	return WAIT_NOTHING;
}

static enum wait
follow_exactly(void)
{
	int64_t unread = pipe_unread();
	int64_t read_by_command = pipe_given() - unread;
	int64_t count;

	if (unread < 0 || !take(read_by_command - in.taken))
		return break_off();
	if (in.taken >= EXACT)
		return begin_stream();
	if (unread > 0)
		return wait_for_reader();
	count = show(PORTION);
	return count > 0 ? WAIT_NOTHING : wait_after_show(count);
}

static enum wait
stream(void)
{
	int64_t count = show(PIPE_WIDE);

	if (count <= 0)
		return wait_after_show(count);
	return take(count) ? WAIT_NOTHING : break_off();
}

static enum wait
copy(void)
{
	int64_t unread = pipe_unread();
	int64_t count;

	if (unread < 0)
		return break_off();
	/* Only an empty pipe surely has room for what is then taken. */
	if (unread > 0)
		return wait_for_reader();
	count = source_read(buffer, PORTION);
	if (count <= 0)
		return wait_for_stdin(count);
	spool_keep(buffer, count);
	in.taken += count;
	if (pipe_give(buffer, count) < 0 && errno != EAGAIN)
		return break_off();
	in.phase = next_phase();
	return WAIT_NOTHING;
}

static enum wait
take_step(void)
{
	switch (in.phase) {
	case PHASE_REPLAY:
		return replay();
	case PHASE_EXACT:
		return follow_exactly();
	case PHASE_STREAM:
		return stream();
	case PHASE_COPY:
		return copy();
	case PHASE_NONE:
	case PHASE_ENDED:
	case PHASE_BROKEN:
		break;
	}
	return WAIT_NEVER;
}

void
input_feed(void)
{
	/* A few steps, so that signals get their turn. */
	for (int i = 0; i < 16; i++) {
		in.wait = take_step();
		if (in.wait != WAIT_NOTHING)
			break;
	}
}

struct pollfd
input_wanted(void)
{
	switch (in.wait) {
	case WAIT_NOTHING: /* It has room, or will have it. */
	case WAIT_ROOM:
		return pipe_until_room();
	case WAIT_LOOK:
		return pipe_until_look();
	case WAIT_MORE:
		return (struct pollfd) { .fd = STDIN_FILENO, .events = POLLIN };
	case WAIT_NEVER:
		break;
	}
	return (struct pollfd) { .fd = -1 };
}

/* What COMMAND was shown and nobody has read is not taken. */
static void
end_pipe(void)
{
	int64_t unread = pipe_drain(buffer);

	if (unread < 0 || !take(pipe_given() - unread - in.taken))
		break_off();
}

void
input_end(void)
{
	if (in.null >= 0)
		close(in.null);
	in.null = -1;
	if (in.phase != PHASE_NONE)
		end_pipe();
	in.phase = PHASE_NONE;
	in.wait = WAIT_NEVER;
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
