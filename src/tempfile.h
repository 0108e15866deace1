/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TEMPFILE_H
#define BACKOFF_TEMPFILE_H
/*
 * Files without a name: gone as soon as nobody has them open, however we
 * end.
 */

/*
 * A new file in ${TMPDIR:-/var/tmp}, for reading and for writing with FLAGS
 * (0 or O_APPEND), close-on-exec and out of the way. < 0: errno tells why.
 */
int tempfile_open(int flags);

#endif
