/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_WRITTEN_ORDER_H
#define BACKOFF_STREAMS_WRITTEN_ORDER_H
/*
 * Pipes that are read in the order in which they were written to, which the
 * pipes alone would not tell. Each has room for one write of up to a page:
 * whoever writes on waits until that is read. So each has at most one write to
 * be read, and epoll(7) lists the pipes in the order in which these came.
 */

#include <poll.h>
#include <stdbool.h>

/*
 * Adds pipe number WHICH, before anybody has its writing end. False: it
 * failed, see errno.
 */
bool order_add(int which, int reader, int writer);

/* The number of the pipe that is next, for one read(2); -1: none yet. */
int order_next(void);

/* To be called after that read. */
void order_after_read(int which, int reader);

/* What to poll for until there is a next one. */
struct pollfd order_until_next(void);

#endif
