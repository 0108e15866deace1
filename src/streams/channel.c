/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "streams/channel.h"
#include "system/system.h"

/* The most that a pipe can hold, unless root has raised that (Linux). */
#define PIPE_MOST 1048576

void
channel_reset(struct channel *channel)
{
	channel->start = channel->scanned = channel->end = 0;
	channel->ended = false;
	channel->read_ns = INT64_MIN;
	channel->failure = 0;
}

bool
channel_open(struct channel *channel)
{
	int ends[2];

	if (!descriptors_pipe(ends))
		return false;
	channel->pipe = fd_out_of_the_way(ends[0]);
	channel->commands = fd_out_of_the_way(ends[1]);
	fcntl(channel->pipe, F_SETFL, O_NONBLOCK);
	return true;
}

void
channel_close(struct channel *channel)
{
	fd_close(&channel->pipe);
}

/* How many bytes are in the pipe, or UNKNOWN. */
static int
bytes_in(int pipe, int unknown)
{
	int count = peek_count(pipe);

	return count >= 0 ? count : unknown;
}

void
channel_note_end(struct channel *channel)
{
	if (channel->pipe < 0 || channel->ended)
		return;
	channel->ended = true;
	channel->left = (size_t)bytes_in(channel->pipe, PIPE_MOST);
}

/* Reads from the pipe. False: nothing is there, or the pipe has ended. */
static bool
read_some(struct channel *channel)
{
	size_t most = CHANNEL_READ_SIZE;
	ssize_t count;

	if (channel->ended && channel->left < most)
		most = channel->left;
	if (most == 0) {
		channel_close(channel);
		return false;
	}
	RETRY_EINTR(count, read(channel->pipe, channel->buffer, most));
	if (count < 0 && errno != EAGAIN)
		channel->failure = errno;
	if (count == 0 || (count < 0 && errno != EAGAIN))
		channel_close(channel);
	if (count <= 0)
		return false;
	channel->read_ns = clock_now_ns();
	channel->start = channel->scanned = 0;
	channel->end = (size_t)count;
	if (channel->ended)
		channel->left -= (size_t)count;
	return true;
}

bool
channel_has_bytes(struct channel *channel)
{
	return channel->scanned < channel->end || read_some(channel);
}

bool
channel_scan(struct channel *channel)
{
	channel->scanned += scan_bytes(channel->scan, channel->stream,
	    channel->buffer + channel->scanned,
	    channel->end - channel->scanned);
	return channel->scanned == channel->end;
}

bool
channel_write(struct channel *channel)
{
	while (channel->start < channel->scanned) {
		ssize_t written = outlet_write(&channel->outlet,
		    channel->buffer + channel->start,
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
		channel->failure = errno;
		channel->start = channel->scanned = channel->end;
		channel_close(channel);
		return false;
	}
	return true;
}

void
channel_advance(struct channel *channel)
{
	for (int i = 0; i < 16 && channel->pipe >= 0; i++)
		if (!channel_write(channel) || !channel_has_bytes(channel)
		    || !channel_scan(channel))
			break;
}

bool
channel_is_full(const struct channel *channel)
{
	return channel->start < channel->end;
}

bool
channel_is_busy(const struct channel *channel)
{
	return channel_is_full(channel)
	    || (channel->pipe >= 0 && bytes_in(channel->pipe, 1) > 0);
}
