/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_OUTPUT_H
#define BACKOFF_STREAMS_OUTPUT_H
/*
 * COMMAND's stdout and stderr, where backoff holds or watches them.
 *
 * Held output: each attempt writes to an unnamed file of its own, so that a
 * process left behind by an earlier attempt cannot write into the file of a
 * later one. In the end, the output worth showing is copied out.
 *
 * Watched output: COMMAND writes to pipes of backoff, which scans the lines
 * and passes them on at once. Held output is scanned in its file instead.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "streams/files.h"
#include "streams/scan.h"
#include "types/option_types.h"

/* Call this once. False, with errno: no file can be created. */
bool hold_start(enum hold_what what);

/* Whether fd 1 or 2 is held. */
bool hold_keeps(int fd);

/*
 * Copies the last attempt's output to where it belongs, but with FAILED to
 * stderr if only stdout is held. Waits for room as outlet_put() does. Does it
 * only once: released output is no longer held.
 */
enum written hold_release(bool failed, int64_t until_ns);

/*
 * Call this once, after hold_start(). SCAN, or NULL: what to look for. TIMES:
 * both streams are watched, as it counts when they are written to.
 */
void output_start(struct scan *scan, bool times);

/*
 * Before an attempt: sets those of DESCRIPTORS[1] and [2] that are held or
 * watched; last of all drops what is held. Returns NULL, or what failed, with
 * errno: then what was held still is.
 */
const char *output_begin(int descriptors[3]);

/* COMMAND has its descriptors now, or was not started. Leaves errno alone. */
void output_spawned(void);

/* For struct relay, while the attempt runs. At most two DESCRIPTORS. */
int output_wanted(struct pollfd *descriptors);
void output_on_ready(void);
int64_t output_wrote_ns(int64_t now_ns);

/*
 * After COMMAND's end: passes on what is still in the pipes. Returns true if
 * there is no room for all of it yet. With PATIENT, what leftover processes
 * write counts too, and it also returns true while there are any.
 */
bool output_flush(bool patient);

/*
 * After the attempt: fixes the length of what is held, so that what leftover
 * processes append later is ignored; scans it. Sets what EVIDENCE has about
 * the output's failure, and the place of held output if that is full.
 */
void output_end(struct evidence *evidence);

/* Whether the last attempt, or hold_release(), may end stderr within a line. */
bool output_tore_stderr(void);

#endif
