/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_TEMPFILE_H
#define BACKOFF_STREAMS_TEMPFILE_H
/*
 * Creates files in ${TMPDIR:-/var/tmp}, for reading and writing, with FLAGS (0
 * or O_APPEND), close-on-exec and out of the way. < 0: failed, see errno.
 */

#include <stddef.h>

/* That directory. */
const char *tempfile_directory(void);

/* Without a name: it vanishes when nobody has it open any more. */
int tempfile_open(int flags);

/* With a name that begins with PREFIX, stored in PATH of SIZE bytes. */
int tempfile_named(const char *prefix, int flags, char *path, size_t size);

#endif
