/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_BYTE_LOCK_H
#define BACKOFF_SYSTEM_BYTE_LOCK_H
/*
 * Write locks on bytes of a file, owned by its open description: the kernel
 * gives such a lock on when its holder closes the file or dies, and to who has
 * waited longest.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>

enum byte_lock_call {
	BYTE_LOCK_LOOK, /* as F_GETLK */
	BYTE_LOCK_TRY, /* as F_SETLK */
	BYTE_LOCK_WAIT, /* as F_SETLKW */
};

/*
 * As fcntl(2). A handler may change *FLOCK until the wait has begun. -1, with
 * errno: ENOLCK where there are no such locks.
 */
int byte_lock(int fd, enum byte_lock_call call, struct flock *flock);

/*
 * How many wait for a byte of FD's file that COUNTS; 0 also where the system
 * does not tell.
 */
int64_t byte_lock_waiters(int fd, bool (*counts)(int64_t byte));

#endif
