/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_TAPPED_OUTPUT_H
#define BACKOFF_STREAMS_TAPPED_OUTPUT_H
/*
 * Watched output: COMMAND writes to pipes of ours, and what it writes goes
 * on to where it belongs as it comes, past a scan of its lines. Held
 * output is scanned in its file instead.
 */

#include <poll.h>
#include <stdbool.h>

#include "streams/line_scan.h"

#define TAP_DESCRIPTORS 2

/* Once; without it nothing is watched. False: no memory. */
bool tap_start(struct scan *scan);

/*
 * Before an attempt: sets what is still -1 in DESCRIPTORS[1] and [2] to the
 * pipes that COMMAND is to write to. False: errno tells why.
 */
bool tap_begin(int descriptors[3]);

/* COMMAND has its ends now. */
void tap_started(void);

/* While the attempt runs, as in child.h. */
int tap_wanted(struct pollfd *descriptors);
void tap_on_ready(const struct pollfd *came, int count);

/* errno: the output cannot be passed on any more. */
int tap_failure(void);

/*
 * After COMMAND's end: passes on what is in the pipes still. True: there is
 * no room for all of it yet. What others write who have them counts as long
 * as we are PATIENT. True then also: there are such others.
 */
bool tap_drain(bool patient);

/* After the attempt: scans what is held. */
void tap_end(void);

/* Something was left that had not been passed on. */
bool tap_was_cut_off(void);

#endif
