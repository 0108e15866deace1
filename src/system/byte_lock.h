/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_BYTE_LOCK_H
#define BACKOFF_SYSTEM_BYTE_LOCK_H
/*
 * Write locks on bytes of a file, owned by its open description: the kernel
 * frees such a lock when its holder closes the file or dies.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>

enum byte_lock_call {
	BYTE_LOCK_LOOK, /* as F_GETLK */
	BYTE_LOCK_TRY, /* as F_SETLK */
};

/* As fcntl(2). -1, with errno: ENOLCK where there are no such locks. */
int byte_lock(int fd, enum byte_lock_call call, struct flock *flock);

#endif
