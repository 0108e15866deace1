/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_TEMPFILE_H
#define BACKOFF_STREAMS_TEMPFILE_H
/*
 * Files in ${TMPDIR:-/var/tmp}, for reading and for writing with FLAGS (0 or
 * O_APPEND), close-on-exec and out of the way. < 0: errno tells why not.
 */

#include <stddef.h>

/* That directory. */
const char *tempfile_directory(void);

/* Without a name: gone as soon as nobody has it open, however we end. */
int tempfile_open(int flags);

/* With a name, which begins with PREFIX, in PATH of SIZE bytes. */
int tempfile_named(const char *prefix, int flags, char *path, size_t size);

#endif
