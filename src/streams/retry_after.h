/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_RETRY_AFTER_H
#define BACKOFF_STREAMS_RETRY_AFTER_H
/*
 * The Retry-After header of HTTP (RFC 9110, 10.2.3).
 */

#include <stddef.h>
#include <stdint.h>

/* What is no wait: */
#define RETRY_AFTER_NONE (-1) /* another line */
#define RETRY_AFTER_EMPTY (-2) /* as curl -w prints one that was not there */
#define RETRY_AFTER_UNREADABLE (-3) /* neither seconds nor a date */

/*
 * The wait that a line of LENGTH bytes asks for, in nanoseconds from EPOCH_NS;
 * 0 if that time is past; or one of the above. Blanks, "< " or "> ", as
 * curl -v prints them, may precede it.
 */
int64_t retry_after_line(const char *line, size_t length, int64_t epoch_ns);

#endif
