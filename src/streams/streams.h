/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_STREAMS_H
#define BACKOFF_STREAMS_STREAMS_H
/*
 * The streams of each attempt, and what they reveal: stdin, held and watched
 * output, and BACKOFF_HINT, a file in which COMMAND can say how to go on, in
 * lines: after=WHEN, verdict=stop|retry|throttle|success|pass.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/waits/waits.h"
#include "process/process.h"
#include "types/option_types.h"

/*
 * Call once, before anything is spawned. False, with errno: it is unknown what
 * stdin is.
 */
bool streams_start(const struct streams *streams, const struct limits *limits);

/*
 * Before an attempt: sets COMMAND's descriptors (-1: inherited) and
 * relay. Returns NULL, or the stream that failed, with errno; then neither
 * streams_end() nor another attempt may follow.
 */
const char *streams_begin(struct command *command);

/*
 * After the attempt, which ended at ENDED_NS: returns what its streams have
 * shown.
 */
struct evidence streams_end(int64_t ended_ns);

/* Creates the file for hints. Returns its name, or NULL with errno. */
const char *hint_start(void);

/*
 * Returns what was written there since the last call, without its wait, which
 * is in AFTER; empties the file.
 */
struct hint hint_take(struct stated_wait *after);

/* Removes the file if it has a name in a directory. */
void hint_stop(void);

#endif
