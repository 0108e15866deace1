/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_RETRY_AFTER_H
#define BACKOFF_STREAMS_RETRY_AFTER_H
/*
 * The Retry-After header of HTTP (RFC 9110, 10.2.3).
 */

#include <stddef.h>
#include <stdint.h>

/*
 * The wait that a line of LENGTH bytes asks for, in nanoseconds from
 * EPOCH_NS on; 0 where that time is past, -1 where the line asks for none.
 * Blanks, "< " or "> ", as curl -v writes them, may stand before it.
 */
int64_t retry_after_line(const char *line, size_t length, int64_t epoch_ns);

#endif
