/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_RETRY_AFTER_H
#define BACKOFF_STREAMS_RETRY_AFTER_H
/*
 * The Retry-After header of HTTP (RFC 9110, 10.2.3).
 */

#include <stddef.h>
#include <stdint.h>

#include "core/outcome.h"

/* What has been found so far; all zero: nobody looks for it. */
struct retry_after {
	enum header header;
	int64_t wait_ns; /* of the last one that could be read */
};

/*
 * Takes a line of LENGTH bytes into account: the wait that it asks for, from
 * EPOCH_NS on, is 0 if that time is past. Blanks, "< " or "> ", as curl -v
 * prints them, may precede the header. Without a value, as curl -w prints one
 * that was not there, it is HEADER_EMPTY.
 */
void retry_after_look(struct retry_after *found, const char *line,
    size_t length, int64_t epoch_ns);

#endif
