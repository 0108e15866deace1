/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_PEEK_H
#define BACKOFF_SYSTEM_PEEK_H
/*
 * What a pipe holds, without taking it.
 */

#include <stddef.h>
#include <stdint.h>

/*
 * Gives the pipe TO up to MOST bytes from the head of the pipe FROM, which
 * keeps them. Never blocks. 0: FROM has ended. -1, with errno: EAGAIN if FROM
 * is empty or TO is full; any other: it cannot be done.
 */
int64_t peek_into(int to, int from, size_t most);

/*
 * How many bytes are to be read from a pipe or socket; -1, with errno: that
 * cannot be told, but there may be some.
 */
int peek_count(int fd);

/* Makes a pipe hold SIZE bytes, a page at least, as far as that is allowed. */
void peek_resize(int pipe, int size);

#endif
