/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "streams/input_pipe.h"
#include "system/system.h"

#define FIRST_LOOK_NS NS_PER_MS
#define LAST_LOOK_NS (100 * NS_PER_MS)

static struct {
	int writer;
	int reader;
	int64_t given;
	int64_t
	    emptied; /* of these, what had been read when it was last empty */
	int64_t look_ns; /* time from the last look to the next one */
} feed = { .writer = -1, .reader = -1 };

bool
pipe_open(void)
{
	int ends[2];

	feed.given = feed.emptied = feed.look_ns = 0;
	if (!descriptors_pipe(ends))
		return false;
	feed.reader = fd_out_of_the_way(ends[0]);
	feed.writer = fd_out_of_the_way(ends[1]);
	/* One page is one slot, so it has room only after all was read. */
	peek_resize(feed.writer, 1);
	if (fcntl(feed.writer, F_SETFL, O_NONBLOCK) == 0)
		return true;
	fd_close(&feed.writer);
	fd_close(&feed.reader);
	return false;
}

void
pipe_widen(void)
{
	peek_resize(feed.writer, (int)PIPE_WIDE);
}

int
pipe_commands_end(void)
{
	return feed.reader;
}

static int64_t
note_given(int64_t given)
{
	if (given > 0) {
		feed.given += given;
		feed.look_ns = 0;
	}
	return given;
}

int64_t
pipe_give(const char *bytes, int64_t count)
{
	ssize_t given;

	RETRY_EINTR(given, write(feed.writer, bytes, (size_t)count));
	return note_given(given);
}

int64_t
pipe_show(int from, int64_t most)
{
	int64_t given;

	RETRY_EINTR(given, peek_into(feed.writer, from, (size_t)most));
	return note_given(given);
}

int64_t
pipe_given(void)
{
	return feed.given;
}

int64_t
pipe_unread(void)
{
	int count = peek_count(feed.reader);

	if (count == 0)
		feed.emptied = feed.given;
	return count >= 0 ? count : feed.given - feed.emptied;
}

bool
pipe_has_room(void)
{
	struct pollfd room = pipe_until_room();

	return poll(&room, 1, 0) > 0;
}

void
pipe_finish(void)
{
	fd_close(&feed.writer);
}

/* Without blocking, as another reader may be faster. */
static bool
read_on(char *buffer, int64_t *unread)
{
	ssize_t count;

	RETRY_EINTR(count, read(feed.reader, buffer, PIPE_WIDE));
	if (count > 0)
		*unread += count;
	else if (count < 0 && (errno != EAGAIN || pipe_unread() != 0))
		*unread = -1;
	return count > 0;
}

int64_t
pipe_drain(char *buffer)
{
	int64_t unread = 0;

	/* Close the writing end first: then a leftover reader finds the end
	 * and does not notice that the pipe no longer blocks. */
	pipe_finish();
	if (feed.given > 0 && fcntl(feed.reader, F_SETFL, O_NONBLOCK) != 0)
		unread = -1;
	/* More than it was given comes from another writer: do not read on. */
	while (unread >= 0 && unread < feed.given && read_on(buffer, &unread))
		continue;
	fd_close(&feed.reader);
	return unread;
}

struct pollfd
pipe_until_room(void)
{
	return (struct pollfd) { .fd = feed.writer, .events = POLLOUT };
}

int64_t
pipe_next_look_ns(void)
{
	feed.look_ns = feed.look_ns == 0
	    ? FIRST_LOOK_NS
	    : min_ns(2 * feed.look_ns, LAST_LOOK_NS);
	return clock_now_ns() + feed.look_ns;
}
