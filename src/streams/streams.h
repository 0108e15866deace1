/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_STREAMS_H
#define BACKOFF_STREAMS_STREAMS_H
/*
 * What an attempt reads and writes, and what we learn from that: stdin,
 * held and watched output and hints, for one attempt after the other.
 */

#include <stdint.h>

#include "options/option_types.h"
#include "process/supervise.h"

/* Once, before anything is spawned: what cannot be passed on, if anything. */
struct stream_failure streams_start(const struct streams *streams);

/*
 * Before an attempt: lays COMMAND's descriptors and relay; or tells which of
 * them cannot be had, and then nothing is to be ended.
 */
struct stream_failure streams_begin(struct command *command);

/* After it: what it left behind. */
struct evidence streams_end(void);

/* Then: which message of the tool it wrote, of those for exit STATUS. */
const struct condition *streams_message(int status);

#endif
