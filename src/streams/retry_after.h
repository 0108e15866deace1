/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_RETRY_AFTER_H
#define BACKOFF_STREAMS_RETRY_AFTER_H
/*
 * The Retry-After header of HTTP (RFC 9110, 10.2.3).
 */

#include <stddef.h>
#include <stdint.h>

/*
 * The wait that a line of LENGTH bytes asks for, in nanoseconds from EPOCH_NS;
 * 0 if that time is past, -1 if the line is no such header. Blanks, "< " or
 * "> ", as curl -v prints them, may precede it.
 */
int64_t retry_after_line(const char *line, size_t length, int64_t epoch_ns);

#endif
