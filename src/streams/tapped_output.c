/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "process/fd.h"
#include "process/signals.h"
#include "streams/held_output.h"
#include "streams/outlet.h"
#include "streams/tapped_output.h"
#include "streams/written_order.h"

/* One watched stream: from COMMAND's pipe through the scan to its target. */
struct channel {
	int pipe; /* to read from, or -1 */
	int commands; /* COMMAND's end, until COMMAND has started */
	int target; /* our fd 1 or 2 */
	struct outlet outlet; /* the target, or the file that holds it */
	size_t start; /* start of what was read but not written yet */
	size_t scanned, end; /* of what may be written; of what was read */
	bool ended; /* COMMAND has ended: only what is in the pipe counts */
	size_t left; /* how much of that is still to be read */
};

/* The buffers of a channel: allocated if needed, too large to be static. */
static struct tap_buffer {
	char bytes[TAP_READ_SIZE];
	struct scan_stream stream;
} * buffers; /* TAP_DESCRIPTORS of them */

static struct scan *scan;
static bool together; /* stdout and stderr are one file: keep their order */
static bool in_turn; /* both are held in one file, but must be told apart */
static struct channel *turn; /* then: the one that is being passed on */
static int failure;
static bool cut_off;
static struct channel channels[TAP_DESCRIPTORS] = {
	{ .pipe = -1, .commands = -1, .target = STDOUT_FILENO },
	{ .pipe = -1, .commands = -1, .target = STDERR_FILENO },
};

static char *
buffer_of(const struct channel *channel)
{
	return buffers[channel - channels].bytes;
}

static struct scan_stream *
stream_of(const struct channel *channel)
{
	return &buffers[channel - channels].stream;
}

bool
tap_start(struct scan *what)
{
	buffers = calloc(TAP_DESCRIPTORS, sizeof *buffers);
	if (buffers == NULL)
		return false;
	scan = what;
	/* On a terminal, COMMAND may print something else than into a pipe. */
	scan->spares_stdout = isatty(STDOUT_FILENO);
	together = fd_same(STDOUT_FILENO, STDERR_FILENO);
	for (int i = 0; i < TAP_DESCRIPTORS; i++)
		channels[i].outlet = outlet_of(channels[i].target);
	return true;
}

static bool
open_pipe(struct channel *channel)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	channel->pipe = fd_out_of_the_way(ends[0]);
	channel->commands = fd_out_of_the_way(ends[1]);
	fcntl(channel->pipe, F_SETFL, O_NONBLOCK);
	channel->start = channel->scanned = channel->end = 0;
	channel->ended = false;
	return !in_turn
	    || order_add(
	        (int)(channel - channels), channel->pipe, channel->commands);
}

static void
close_pipe(struct channel *channel)
{
	if (channel->pipe >= 0)
		close(channel->pipe);
	channel->pipe = -1;
}

/* Whether COMMAND is to write to a pipe, and not to a file or to our own. */
static bool
needs_pipe(const struct channel *channel, bool shared)
{
	return in_turn
	    || (!hold_keeps(channel->target)
	        && (shared || scan_needs(scan, stream_of(channel))));
}

bool
tap_begin(int descriptors[3])
{
	bool shared;

	failure = 0;
	cut_off = false;
	if (scan == NULL)
		return true;
	scan_reset(scan);
	/* To tell them apart takes a pipe each, and may lose their order. */
	shared = together && scan->watch == WATCH_BOTH;
	buffers[0].stream.is_shared = shared;
	buffers[0].stream.is_stderr
	    = shared && (!hold_keeps(STDOUT_FILENO) || hold_is_one());
	buffers[1].stream.is_stderr = true;
	in_turn = hold_is_one() && !shared;
	turn = NULL;
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		int fd = channels[i].target;

		if (!needs_pipe(&channels[i], shared))
			continue;
		if (i == 1 && shared && channels[0].pipe >= 0) {
			descriptors[fd] = channels[0].commands;
			continue;
		}
		if (!open_pipe(&channels[i]))
			return false;
		descriptors[fd] = channels[i].commands;
	}
	return true;
}

bool
tap_holds(void)
{
	return in_turn;
}

void
tap_started(void)
{
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		if (channels[i].commands >= 0)
			close(channels[i].commands);
		channels[i].commands = -1;
		if (in_turn)
			channels[i].outlet = outlet_of(hold_writer());
	}
}

int
tap_wanted(struct pollfd *descriptors)
{
	int count = 0;

	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		const struct channel *channel = &channels[i];

		if (channel->pipe < 0 || (in_turn && channel != turn))
			continue;
		descriptors[count++] = channel->start < channel->end
		    ? (struct pollfd) { channel->outlet.out, POLLOUT, 0 }
		    : (struct pollfd) { channel->pipe, POLLIN, 0 };
	}
	if (in_turn && turn == NULL)
		descriptors[count++] = order_until_next();
	return count;
}

/* Writes what was scanned. False: there is no room for all of it. */
static bool
write_scanned(struct channel *channel)
{
	while (channel->start < channel->scanned) {
		ssize_t written = outlet_write(&channel->outlet,
		    buffer_of(channel) + channel->start,
		    channel->scanned - channel->start);
		if (written >= 0) {
			channel->start += (size_t)written;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return false;
		if (errno == EBADF && channel->target == STDERR_FILENO) {
			/* Few programs mind that stderr is closed. */
			channel->start = channel->scanned;
			return true;
		}
		/* Let COMMAND get EPIPE too, as it would without backoff. */
		failure = errno;
		channel->start = channel->scanned = channel->end;
		close_pipe(channel);
		return false;
	}
	return true;
}

/* Scans a slice of what was read. False: there is more to scan. */
static bool
scan_some(struct channel *channel)
{
	channel->scanned += scan_bytes(scan, stream_of(channel),
	    buffer_of(channel) + channel->scanned,
	    channel->end - channel->scanned);
	return channel->scanned == channel->end;
}

/* Reads from the pipe. False: nothing is there, or the pipe has ended. */
static bool
read_some(struct channel *channel)
{
	size_t most = TAP_READ_SIZE;
	ssize_t count;

	if (channel->ended && channel->left < most)
		most = channel->left;
	if (most == 0) {
		close_pipe(channel);
		return false;
	}
	do
		count = read(channel->pipe, buffer_of(channel), most);
	while (count < 0 && errno == EINTR);
	if (count < 0 && errno != EAGAIN)
		failure = errno;
	if (count == 0 || (count < 0 && errno != EAGAIN))
		close_pipe(channel);
	if (count <= 0)
		return false;
	channel->start = channel->scanned = 0;
	channel->end = (size_t)count;
	if (channel->ended)
		channel->left -= (size_t)count;
	return true;
}

static bool
has_bytes(struct channel *channel)
{
	return channel->scanned < channel->end || read_some(channel);
}

/* Reads, scans and writes, but only a few times before signals are handled. */
static void
advance(struct channel *channel)
{
	for (int i = 0; i < 16 && channel->pipe >= 0; i++)
		if (!write_scanned(channel) || !has_bytes(channel)
		    || !scan_some(channel))
			break;
}

/*
 * The same for both streams, one write(2) of COMMAND's after the other. False:
 * there is none to be passed on.
 */
static bool
advance_in_turn(void)
{
	int which;

	if (turn == NULL) {
		which = order_next();
		if (which < 0)
			return false;
		if (channels[which].pipe < 0 || !read_some(&channels[which]))
			return true;
		turn = &channels[which];
		order_after_read(which, turn->pipe);
	}
	scan_some(turn);
	if (!write_scanned(turn) && turn->pipe >= 0)
		return false;
	if (turn->start == turn->end)
		turn = NULL;
	return true;
}

void
tap_on_ready(const struct pollfd *came, int count)
{
	for (int i = 0; in_turn && i < 16 && advance_in_turn(); i++)
		continue;
	for (int i = 0; i < count; i++)
		for (int j = 0; j < TAP_DESCRIPTORS; j++)
			if (!in_turn && came[i].revents != 0
			    && (came[i].fd == channels[j].pipe
			        || came[i].fd == channels[j].outlet.out))
				advance(&channels[j]);
}

int
tap_failure(void)
{
	return failure;
}

/* COMMAND has ended: what other processes write later is not its output. */
static void
note_end(struct channel *channel)
{
	int left = 0;

	if (channel->pipe < 0 || channel->ended)
		return;
	/* Unknown: read until the pipe is empty. */
	if (ioctl(channel->pipe, FIONREAD, &left) != 0)
		left = INT_MAX;
	channel->ended = true;
	channel->left = (size_t)left;
}

bool
tap_drain(bool patient)
{
	bool more = false;

	for (int i = 0; !patient && i < TAP_DESCRIPTORS; i++)
		note_end(&channels[i]);
	for (int i = 0; in_turn && advance_in_turn() && i < 16; i += patient)
		continue;
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		struct channel *channel = &channels[i];

		if (patient && !in_turn)
			advance(channel);
		/* No more than was in the pipe at COMMAND's end. */
		while (!patient && channel->pipe >= 0 && write_scanned(channel)
		    && has_bytes(channel))
			while (!scan_some(channel))
				continue;
		more = more || channel->pipe >= 0;
	}
	return more;
}

/* Scans held output, which is in a file. */
static void
scan_held(struct channel *channel)
{
	off_t offset = 0, size;
	int file = hold_file(channel->target, &size);
	ssize_t count;

	if (file < 0 || in_turn || !scan_needs(scan, stream_of(channel)))
		return;
	while (offset < size) {
		size_t most = TAP_READ_SIZE;

		if (signals_end_pending()) {
			cut_off = true;
			return;
		}
		if (size - offset < (off_t)most)
			most = (size_t)(size - offset);
		count = pread(file, buffer_of(channel), most, offset);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			failure = count == 0 ? EIO : errno;
			break;
		}
		offset += (off_t)scan_bytes(scan, stream_of(channel),
		    buffer_of(channel), (size_t)count);
	}
}

bool
tap_was_cut_off(void)
{
	return cut_off;
}

void
tap_end(void)
{
	if (scan == NULL)
		return;
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		cut_off = cut_off || channels[i].pipe >= 0;
		close_pipe(&channels[i]);
		scan_held(&channels[i]);
		scan_finish(scan, &buffers[i].stream);
	}
	/* A verdict from half of what was looked for may be the wrong one. */
	if (failure == 0 && scan->lacks_memory)
		failure = ENOMEM;
}
