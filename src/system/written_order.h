/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_WRITTEN_ORDER_H
#define BACKOFF_SYSTEM_WRITTEN_ORDER_H
/*
 * Pipes that are read in the order in which they were written to, as far as
 * the system can tell.
 */

#include <poll.h>
#include <stdbool.h>

#define ORDER_PIPES 2 /* the most there are */

/*
 * Adds pipe number WHICH, the lowest number first, before anybody has its
 * writing end; those of before are forgotten. False: it failed, see errno.
 */
bool order_add(int which, int reader, int writer);

/* The number of the pipe that is next, for one read(2); -1: none yet. */
int order_next(void);

/* To be called after that read. */
void order_after_read(int which, int reader);

/* That pipe is closed. */
void order_end(int which);

/* What to poll for until there is a next one; returns how many. */
int order_until_next(struct pollfd descriptors[ORDER_PIPES]);

#endif
