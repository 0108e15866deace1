/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_HINT_FILE_H
#define BACKOFF_STREAMS_HINT_FILE_H
/*
 * BACKOFF_HINT: a file in which COMMAND can say how to go on, in lines:
 * after=DURATION, verdict=stop|retry|throttle|success|pass.
 */

#include "core/outcome.h"

/* Makes the file. Its name, or NULL with errno. */
const char *hint_start(void);

/* What was written since the last call; empties the file. */
struct hint hint_take(void);

/* Removes a file that has a name of its own. */
void hint_stop(void);

#endif
