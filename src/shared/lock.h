/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_LOCK_H
#define BACKOFF_SHARED_LOCK_H
/*
 * Write locks on single bytes of a file: see system/byte_lock.h.
 */

#include <stdbool.h>
#include <stdint.h>

enum lock_result {
	LOCK_HAD,
	LOCK_BUSY,
	LOCK_FAILED, /* errno tells why: ENOLCK, EBADF */
};

/* The lock of byte BYTE of FD, which must be open for writing. */
enum lock_result lock_try(int fd, int64_t byte);

void lock_free(int fd, int64_t byte);

/* Whether there are locks at all on that file; else errno tells why not. */
bool lock_is_possible(int fd);

/* Whether another open description has the lock now. */
bool lock_is_taken(int fd, int64_t byte);

/* A byte from FIRST to LAST that another one has locked; -1: there is none. */
int64_t lock_find(int fd, int64_t first, int64_t last);

#endif
