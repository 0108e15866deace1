/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_LOCK_WAIT_H
#define BACKOFF_SHARED_LOCK_WAIT_H
/*
 * Write locks on single bytes of a file: see system/byte_lock.h.
 */

#include <stdbool.h>
#include <stdint.h>

enum lock_result {
	LOCK_HAD,
	LOCK_BUSY, /* only of lock_try() */
	LOCK_TIME, /* UNTIL_NS came first */
	LOCK_SIGNAL, /* one of HUP INT QUIT TERM, the wake signal, or the
	                parent's end did */
	LOCK_FAILED, /* errno tells why: ENOLCK, EAGAIN (no timer), EBADF */
};

/*
 * Waits for the lock of byte BYTE of FD, which must be open for writing. It
 * ends at UNTIL_NS of CLOCK_MONOTONIC (INT64_MAX: never), and with a signal as
 * sleep_until_told() does, also one that is pending already. *TOLD is
 * then what that returns, else 0. The lock is held after LOCK_HAD only.
 */
enum lock_result lock_wait(int fd, int64_t byte, int64_t until_ns, int *told);

/* The same without a wait. */
enum lock_result lock_try(int fd, int64_t byte);

void lock_free(int fd, int64_t byte);

/* Whether there are locks at all on that file; else errno tells why not. */
bool lock_is_possible(int fd);

/* Whether another open description has the lock now. */
bool lock_is_taken(int fd, int64_t byte);

/* A byte from FIRST to LAST that another one has locked; -1: there is none. */
int64_t lock_find(int fd, int64_t first, int64_t last);

#endif
