/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "system/fd.h"
#include "system/written_order.h"

/*
 * Each pipe has room for one write of up to a page: whoever writes on waits
 * until that is read. So each has at most one write to be read, and epoll(7)
 * lists the pipes in the order in which these came.
 */
static int list = -1; /* of epoll(7); created when first needed, then kept */

/*
 * Edge-triggered: a pipe is listed when it is written to, and not once more
 * because it still had something when it was last reported.
 */
static bool
control(int operation, int which, int reader)
{
	struct epoll_event event
	    = { .events = EPOLLIN | EPOLLET, .data.u32 = (uint32_t)which };

	return epoll_ctl(list, operation, reader, &event) == 0;
}

bool
order_add(int which, int reader, int writer)
{
	int flags = fcntl(writer, F_GETFL);

	if (list < 0)
		list = fd_out_of_the_way(epoll_create1(EPOLL_CLOEXEC));
	if (list < 0 || flags < 0)
		return false;
	/*
	 * One page is one slot. With O_DIRECT, a write does not fill up the
	 * slot of the one before. Where either is refused, bytes are kept, but
	 * perhaps not their order.
	 */
	fcntl(writer, F_SETPIPE_SZ, 1);
	fcntl(writer, F_SETFL, flags | O_DIRECT);
	return control(EPOLL_CTL_ADD, which, reader);
}

int
order_next(void)
{
	struct epoll_event event;
	int count;

	RETRY_EINTR(count, epoll_wait(list, &event, 1, 0));
	return count > 0 ? (int)event.data.u32 : -1;
}

/*
 * If there is more, such as the end or what COMMAND wrote after it had enlarged
 * its pipe, the pipe is listed again, unless it already is.
 */
void
order_after_read(int which, int reader)
{
	control(EPOLL_CTL_MOD, which, reader);
}

/* The kernel forgets what is closed. */
void
order_end(int which)
{
	(void)which;
}

int
order_until_next(struct pollfd descriptors[ORDER_PIPES])
{
	descriptors[0] = (struct pollfd) { .fd = list, .events = POLLIN };
	return 1;
}
