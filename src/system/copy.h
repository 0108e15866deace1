/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_COPY_H
#define BACKOFF_SYSTEM_COPY_H
/*
 * Bytes from one descriptor to another, without passing through our memory.
 */

#include <sys/types.h>

/*
 * Moves up to MOST bytes of FILE, from *OFFSET on, to the pipe TO, without
 * blocking; *OFFSET moves along. Returns how many; -1: see errno. EAGAIN: there
 * is no room; any other: it has to be done with read(2) and write(2).
 */
ssize_t copy_to_pipe(int to, int file, off_t *offset, size_t most);

#endif
