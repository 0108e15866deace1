/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_HINT_FILE_H
#define BACKOFF_STREAMS_HINT_FILE_H
/*
 * BACKOFF_HINT: a file in which COMMAND can say how to go on, in lines:
 * after=WHEN, verdict=stop|retry|throttle|success|pass.
 */

#include "core/judge/outcome.h"
#include "core/waits/waits.h"

/* Creates the file. Returns its name, or NULL with errno. */
const char *hint_start(void);

/*
 * Returns what was written since the last call, without its wait, which is in
 * AFTER; empties the file.
 */
struct hint hint_take(struct stated_wait *after);

/* Removes the file if it has a name in a directory. */
void hint_stop(void);

#endif
