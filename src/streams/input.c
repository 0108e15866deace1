/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "streams/input.h"
#include "streams/input_pipe.h"
#include "streams/input_source.h"
#include "streams/input_spool.h"
#include "system/system.h"

/* Up to here, exactly what COMMAND has read is taken from stdin. */
#define EXACT (INT64_C(64) * 1024)

/* At most a page, so that an empty pipe has room for it. */
#define PORTION 4096

/* How COMMAND gets its input at this stage. */
enum phase {
	PHASE_NONE, /* not from backoff: its stdin is not our pipe */
	PHASE_REPLAY, /* it gets what earlier attempts have read */
	PHASE_EXACT, /* it is shown stdin; what it has read is taken later */
	PHASE_STREAM, /* beyond EXACT: what it is given is taken at once */
	PHASE_COPY, /* what cannot be shown is taken, then given */
	PHASE_ENDED, /* it has got everything */
	PHASE_BROKEN, /* its input failed */
};

/* What the next step has to wait for. */
enum input_wait {
	WAIT_NOTHING, /* nothing: it can be taken now */
	WAIT_ROOM, /* room in COMMAND's pipe */
	WAIT_LOOK, /* IN.DUE_NS, to look again whether that pipe is empty */
	WAIT_MORE, /* more on stdin, or its end */
	WAIT_NEVER, /* there is no next step */
};

/*
 * Offsets count from where backoff found the input. Everything before `taken`
 * has been moved from stdin to the spool. tee(2) and MSG_PEEK fill COMMAND's
 * pipe without taking anything from stdin, so pipe_given() may be ahead.
 */
static struct {
	enum source source;
	enum phase phase;
	enum input_wait wait;
	int64_t entry_offset; /* of SOURCE_FILE */
	int64_t taken;
	int64_t due_ns; /* of WAIT_LOOK */
	int null; /* /dev/null, if COMMAND gets that, or -1 */
	bool cannot_show; /* without tee(2), for a pipe */
	int failure; /* errno of PHASE_BROKEN, or of input_begin() */
} in = { .wait = WAIT_NEVER, .null = -1 };

static char *buffer; /* of PIPE_WIDE bytes, for a pipe or socket */

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
		/* Some regular files of the kernel cannot be rewound. */
		in.source = SOURCE_INHERITED;
		return errno == ESPIPE;
	}
	if (in.source != SOURCE_PIPE && in.source != SOURCE_SOCKET)
		return true;
	buffer = malloc(PIPE_WIDE);
	return buffer != NULL;
}

/* The phase in which COMMAND gets the bytes after those it was given. */
static enum phase
next_phase(void)
{
	if (pipe_given() < in.taken)
		return PHASE_REPLAY;
	if (in.cannot_show)
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
	if (in.taken >= EXACT && !in.cannot_show)
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

/* Keeps COMMAND's pipe open, so that it does not see an end of file. */
static enum input_wait
break_off(void)
{
	if (in.failure == 0)
		in.failure = errno;
	in.phase = PHASE_BROKEN;
	return WAIT_NEVER;
}

/*
 * Moves COUNT bytes, which COMMAND was given, from stdin to the spool. False,
 * with errno: they are still at the head of stdin.
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
		/* Another process was faster and has read them. */
		if (moved == 0 || (errno == EAGAIN && source_is_empty())) {
			spool_lose(moved == 0 ? EPIPE : EAGAIN);
			in.taken += count;
			return true;
		}
		/* EAGAIN although stdin is not empty: try once more. */
		if (errno != EAGAIN || refused)
			return false;
		refused = true;
	}
	return true;
}

/* After nothing was given: COUNT is 0 at the end of stdin, or -1 (errno). */
static enum input_wait
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

/* Waits until COMMAND has read all that is in its pipe. */
static enum input_wait
wait_for_reader(void)
{
	int64_t unread;

	/* A pipe of one page has room when it is empty, and not before. */
	if (!pipe_has_room())
		return WAIT_ROOM;
	unread = pipe_unread();
	if (unread == 0)
		return WAIT_NOTHING;
	/* A larger pipe has room before it is empty, so look at intervals. */
	in.due_ns = pipe_next_look_ns();
	return WAIT_LOOK;
}

static enum input_wait
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
 * Gives COMMAND up to MOST bytes from the head of stdin, and leaves them in
 * stdin. 0: stdin has ended. -1: errno.
 */
static int64_t
show(int64_t most)
{
	int64_t count;

	if (in.source == SOURCE_PIPE)
		return pipe_show(STDIN_FILENO, most);
	count = source_peek(buffer, most);
	return count <= 0 ? count : pipe_give(buffer, count);
}

/* What to wait for after show() has given nothing. */
static enum input_wait
wait_after_show(int64_t count)
{
	if (in.source == SOURCE_PIPE && count < 0 && errno != EAGAIN) {
		in.cannot_show = true;
		in.phase = PHASE_COPY;
		return WAIT_NOTHING;
	}
	return wait_for_stdin(count);
}

/* COMMAND has read EXACT bytes: from now on, take larger pieces at once. */
static enum input_wait
begin_stream(void)
{
	pipe_widen();
	/*
	 * tee(2) always starts at the head of stdin, so first take what
	 * COMMAND was already shown, or it would see those bytes twice.
	 */
	if (!take(pipe_given() - in.taken))
		return break_off();
	in.phase = PHASE_STREAM;
	return WAIT_NOTHING;
}

static enum input_wait
follow_exactly(int64_t unread)
{
	int64_t count;

	if (!take(pipe_given() - unread - in.taken))
		return break_off();
	if (in.taken >= EXACT)
		return begin_stream();
	if (unread > 0)
		return wait_for_reader();
	count = show(PORTION);
	return count > 0 ? WAIT_NOTHING : wait_after_show(count);
}

static enum input_wait
stream(int64_t unread)
{
	int64_t count;

	/* There may be more room, as COMMAND may enlarge its pipe. */
	if (unread >= PIPE_WIDE)
		return wait_for_reader();
	count = show(PIPE_WIDE - unread);
	if (count <= 0)
		return wait_after_show(count);
	return take(count) ? WAIT_NOTHING : break_off();
}

static enum input_wait
copy(int64_t unread)
{
	int64_t count;

	/*
	 * Up to EXACT only when all was read, later as far as there is room:
	 * what is taken and finds none waits in the spool.
	 */
	if (unread > 0 && (in.taken < EXACT || unread > PIPE_WIDE - PORTION))
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

static enum input_wait
take_step(void)
{
	int64_t unread;

	if (in.phase == PHASE_REPLAY)
		return replay();
	if (in.phase != PHASE_EXACT && in.phase != PHASE_STREAM
	    && in.phase != PHASE_COPY)
		return WAIT_NEVER;
	unread = pipe_unread();
	spool_was_read(pipe_given() - unread);
	return in.phase == PHASE_EXACT ? follow_exactly(unread)
	    : in.phase == PHASE_STREAM ? stream(unread)
	                               : copy(unread);
}

void
input_feed(void)
{
	/* Only a few steps, so that signals are handled in between. */
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
	case WAIT_NOTHING: /* the pipe has room, or will have */
	case WAIT_ROOM:
		return pipe_until_room();
	case WAIT_MORE:
		return (struct pollfd) { .fd = STDIN_FILENO, .events = POLLIN };
	case WAIT_LOOK:
	case WAIT_NEVER:
		break;
	}
	return (struct pollfd) { .fd = -1 };
}

int64_t
input_due_ns(void)
{
	return in.wait == WAIT_LOOK ? in.due_ns : INT64_MAX;
}

/* Takes what was read; what COMMAND was only shown stays in stdin. */
static void
end_pipe(void)
{
	int64_t unread = pipe_drain(buffer);

	if (unread >= 0)
		spool_was_read(pipe_given() - unread);
	if (unread < 0 || !take(pipe_given() - unread - in.taken))
		break_off();
}

void
input_end(void)
{
	fd_close(&in.null);
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
