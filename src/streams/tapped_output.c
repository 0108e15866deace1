/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/fd.h"
#include "process/signals.h"
#include "streams/held_output.h"
#include "streams/tapped_output.h"

/* One watched stream: from COMMAND's pipe through the scan to its target. */
struct channel {
	int pipe; /* to read from, or -1 */
	int commands; /* COMMAND's end, until COMMAND has started */
	int target; /* our fd 1 or 2 */
	int out; /* a non-blocking description of the target */
	bool is_socket;
	size_t step; /* if there is any room, there is room for so much */
	size_t start; /* start of what was read but not written yet */
	size_t scanned; /* end of what was scanned and may be written */
	size_t end;
	bool ended; /* COMMAND has ended: only what is in the pipe counts */
	size_t left; /* how much of that is still to be read */
};

#define READ_SIZE 65536
#define UNKNOWN_STEP 256 /* a terminal with any room has room for this */

/* The buffers of a channel: allocated if needed, too large to be static. */
static struct tap_buffer {
	char bytes[READ_SIZE];
	struct scan_stream stream;
} * buffers; /* TAP_DESCRIPTORS of them */

static struct scan *scan;
static bool together; /* stdout and stderr are one file: keep their order */
static int failure;
static bool cut_off;
static struct channel channels[TAP_DESCRIPTORS] = {
	{ .pipe = -1, .commands = -1, .target = STDOUT_FILENO, .out = -1 },
	{ .pipe = -1, .commands = -1, .target = STDERR_FILENO, .out = -1 },
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
	struct stat stat;

	buffers = calloc(TAP_DESCRIPTORS, sizeof *buffers);
	if (buffers == NULL)
		return false;

	scan = what;
	together = fd_same(STDOUT_FILENO, STDERR_FILENO);
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		struct channel *channel = &channels[i];

		channel->out = fd_without_blocking(channel->target, O_WRONLY);
		channel->step = UNKNOWN_STEP;
		if (fstat(channel->target, &stat) != 0)
			continue;
		channel->is_socket = S_ISSOCK(stat.st_mode);
		channel->step = S_ISREG(stat.st_mode) ? SIZE_MAX
		    : S_ISFIFO(stat.st_mode)          ? PIPE_BUF
		                                      : UNKNOWN_STEP;
	}
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
	return true;
}

static void
close_pipe(struct channel *channel)
{
	if (channel->pipe >= 0)
		close(channel->pipe);
	channel->pipe = -1;
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
	buffers[0].stream.is_stderr = shared
	    && (descriptors[STDOUT_FILENO] < 0
	        || descriptors[STDOUT_FILENO] == descriptors[STDERR_FILENO]);
	buffers[1].stream.is_stderr = true;
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		int fd = channels[i].target;

		if (descriptors[fd] >= 0
		    || !(shared || scan_needs(scan, i == 1)))
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

void
tap_started(void)
{
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		if (channels[i].commands >= 0)
			close(channels[i].commands);
		channels[i].commands = -1;
	}
}

int
tap_wanted(struct pollfd *descriptors)
{
	int count = 0;

	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		const struct channel *channel = &channels[i];

		if (channel->pipe < 0)
			continue;
		descriptors[count++] = channel->start < channel->end
		    ? (struct pollfd) { .fd = channel->out, .events = POLLOUT }
		    : (struct pollfd) { .fd = channel->pipe, .events = POLLIN };
	}
	return count;
}

/* Whether a write would not block, for targets that can only be polled. */
static bool
has_room(const struct channel *channel)
{
	struct pollfd target = { .fd = channel->out, .events = POLLOUT };

	return channel->step == SIZE_MAX || poll(&target, 1, 0) > 0;
}

static ssize_t
write_some(const struct channel *channel)
{
	const char *bytes = buffer_of(channel) + channel->start;
	size_t count = channel->scanned - channel->start;

	if (channel->is_socket)
		return send(channel->out, bytes, count, MSG_DONTWAIT);
	if (channel->out != channel->target)
		return write(channel->out, bytes, count);
	if (!has_room(channel)) {
		errno = EAGAIN;
		return -1;
	}
	return write(
	    channel->out, bytes, count < channel->step ? count : channel->step);
}

/* Writes what was scanned. False: there is no room for all of it. */
static bool
write_scanned(struct channel *channel)
{
	ssize_t written;

	while (channel->start < channel->scanned) {
		written = write_some(channel);
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
	size_t most = READ_SIZE;
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

/* Whether there is something to scan. */
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

void
tap_on_ready(const struct pollfd *came, int count)
{
	for (int i = 0; i < count; i++)
		for (int j = 0; j < TAP_DESCRIPTORS; j++)
			if (came[i].revents != 0
			    && (came[i].fd == channels[j].pipe
			        || came[i].fd == channels[j].out))
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

	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		struct channel *channel = &channels[i];

		if (patient) {
			advance(channel);
		} else {
			note_end(channel);
			/* No more than was in the pipe at COMMAND's end. */
			while (channel->pipe >= 0 && write_scanned(channel)
			    && has_bytes(channel))
				while (!scan_some(channel))
					continue;
		}
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

	if (file < 0 || !scan_needs(scan, stream_of(channel)->is_stderr))
		return;
	while (offset < size) {
		size_t most = READ_SIZE;

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
