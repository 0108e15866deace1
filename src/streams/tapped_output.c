/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/signals.h"
#include "streams/channel.h"
#include "streams/held_output.h"
#include "streams/tapped_output.h"
#include "system/system.h"

/* The buffers of a channel: allocated if needed, too large to be static. */
static struct tap_buffer {
	char bytes[CHANNEL_READ_SIZE];
	struct scan_stream stream;
} * buffers; /* TAP_DESCRIPTORS of them */

static struct scan *scan;
static bool together; /* stdout and stderr are one file: keep their order */
static bool times_all; /* all output is looked at: see tap_start() */
static int failure; /* of none of the channels */
static bool cut_off;
static bool stderr_torn; /* what was passed on ends within a line */
static struct channel channels[TAP_DESCRIPTORS] = {
	{ .pipe = -1, .commands = -1, .target = STDOUT_FILENO },
	{ .pipe = -1, .commands = -1, .target = STDERR_FILENO },
};

bool
tap_start(struct scan *what, bool times)
{
	buffers = calloc(TAP_DESCRIPTORS, sizeof *buffers);
	if (buffers == NULL)
		return false;
	scan = what;
	times_all = times;
	/* On a terminal, COMMAND may print something else than into a pipe. */
	scan->spares_stdout = isatty(STDOUT_FILENO);
	together = fd_same(STDOUT_FILENO, STDERR_FILENO);
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		channels[i].outlet = outlet_of(channels[i].target);
		channels[i].scan = scan;
		channels[i].stream = &buffers[i].stream;
		channels[i].buffer = buffers[i].bytes;
	}
	return true;
}

/* Whether COMMAND is to write to a pipe, and not to a file or to our own. */
static bool
needs_pipe(const struct channel *channel)
{
	return !hold_keeps(channel->target)
	    && (together || times_all || scan_needs(scan, channel->stream));
}

bool
tap_begin(int descriptors[3])
{
	failure = 0;
	cut_off = stderr_torn = false;
	if (scan == NULL)
		return true;
	scan_reset(scan);
	buffers[0].stream.is_shared = together;
	/* Unless only stdout is held: then there are two again. */
	buffers[0].stream.is_stderr = together
	    && hold_keeps(STDOUT_FILENO) == hold_keeps(STDERR_FILENO);
	buffers[1].stream.is_stderr = true;
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		int fd = channels[i].target;

		channel_reset(&channels[i]);
		if (!needs_pipe(&channels[i]))
			continue;
		if (i == 1 && together && channels[0].pipe >= 0) {
			descriptors[fd] = channels[0].commands;
			continue;
		}
		if (!channel_open(&channels[i]))
			return false;
		descriptors[fd] = channels[i].commands;
	}
	return true;
}

void
tap_started(void)
{
	for (int i = 0; i < TAP_DESCRIPTORS; i++)
		fd_close(&channels[i].commands);
}

int
tap_wanted(struct pollfd *descriptors)
{
	int count = 0;

	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		const struct channel *channel = &channels[i];

		if (channel->pipe < 0)
			continue;
		descriptors[count++] = channel_is_full(channel)
		    ? (struct pollfd) { channel->outlet.out, POLLOUT, 0 }
		    : (struct pollfd) { channel->pipe, POLLIN, 0 };
	}
	return count;
}

void
tap_on_ready(const struct pollfd *came, int count)
{
	for (int i = 0; i < count; i++)
		for (int j = 0; j < TAP_DESCRIPTORS; j++)
			if (came[i].revents != 0
			    && (came[i].fd == channels[j].pipe
			        || came[i].fd == channels[j].outlet.out))
				channel_advance(&channels[j]);
}

int64_t
tap_read_ns(void)
{
	int64_t read_ns = INT64_MIN;

	for (int i = 0; scan != NULL && i < TAP_DESCRIPTORS; i++)
		read_ns = max_ns(read_ns, channels[i].read_ns);
	return read_ns;
}

bool
tap_is_busy(void)
{
	bool is_busy = false;

	for (int i = 0; i < TAP_DESCRIPTORS; i++)
		is_busy = is_busy || channel_is_busy(&channels[i]);
	return is_busy;
}

int
tap_failure(void)
{
	for (int i = 0; i < TAP_DESCRIPTORS; i++)
		if (channels[i].failure != 0)
			return channels[i].failure;
	return failure;
}

bool
tap_drain(bool patient)
{
	bool more = false;

	for (int i = 0; !patient && i < TAP_DESCRIPTORS; i++)
		channel_note_end(&channels[i]);
	for (int i = 0; i < TAP_DESCRIPTORS; i++) {
		struct channel *channel = &channels[i];

		if (patient)
			channel_advance(channel);
		/* No more than was in the pipe at COMMAND's end. */
		while (!patient && channel->pipe >= 0 && channel_write(channel)
		    && channel_has_bytes(channel))
			while (!channel_scan(channel))
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
	bool is_needed = scan_needs(scan, channel->stream);
	ssize_t count;

	if (file < 0 || !(is_needed || channel->stream->is_stderr))
		return;
	/* If nothing is looked for, a line near the end is quoted. */
	if (!is_needed && size > CHANNEL_READ_SIZE)
		offset = size - CHANNEL_READ_SIZE;
	while (offset < size) {
		size_t most = (size_t)min_ns(size - offset, CHANNEL_READ_SIZE);

		if (is_needed && signals_end_pending()) {
			cut_off = true;
			return;
		}
		RETRY_EINTR(count, pread(file, channel->buffer, most, offset));
		if (count <= 0) {
			if (is_needed)
				channel->failure = count == 0 ? EIO : errno;
			break;
		}
		offset += (off_t)scan_bytes(
		    scan, channel->stream, channel->buffer, (size_t)count);
	}
}

bool
tap_tore_stderr(void)
{
	return stderr_torn;
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
		channel_close(&channels[i]);
		if (i == 1 || together)
			stderr_torn |= channels[i].stream->length > 0;
		scan_held(&channels[i]);
		scan_finish(scan, channels[i].stream);
	}
	/* A verdict from half of what was looked for may be the wrong one. */
	if (scan->lacks_memory)
		failure = ENOMEM;
}
