/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_STREAMS_H
#define BACKOFF_STREAMS_STREAMS_H
/*
 * The streams of each attempt, and what they reveal: stdin, held and watched
 * output, and hints.
 */

#include <stdint.h>

#include "process/supervise.h"
#include "types/option_types.h"

/*
 * Call once, before anything is spawned; SPOOL_LIMIT is in bytes. Returns the
 * stream that failed.
 */
struct stream_failure streams_start(
    const struct streams *streams, int64_t spool_limit);

/*
 * Before an attempt: sets COMMAND's descriptors and relay. If it returns a
 * failure, streams_end() must not be called.
 */
struct stream_failure streams_begin(struct command *command);

/*
 * After the attempt, which ended at ENDED_NS: returns what its streams have
 * shown.
 */
struct evidence streams_end(int64_t ended_ns);

/* After that: the tool's message for exit STATUS that it wrote, or NULL. */
const struct condition *streams_message(int status);

#endif
