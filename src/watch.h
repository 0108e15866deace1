/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_WATCH_H
#define BACKOFF_WATCH_H
/*
 * Watched output: COMMAND writes to pipes of ours, and what it writes goes
 * on to where it belongs as it comes, past a scan of its lines. Held
 * output is scanned in its file instead.
 */

#include <poll.h>
#include <stdbool.h>

#include "scan.h"

#define WATCH_DESCRIPTORS 2

/* Once; without it nothing is watched. False: no memory. */
bool watch_start(struct scan *scan);

/*
 * Before an attempt: sets what is still -1 in DESCRIPTORS[1] and [2] to the
 * pipes that COMMAND is to write to. False: errno tells why.
 */
bool watch_begin(int descriptors[3]);

/* COMMAND has its ends now. */
void watch_started(void);

/* While the attempt runs, as in child.h. */
int watch_wanted(struct pollfd *descriptors);
void watch_serve(const struct pollfd *came, int count);

/* errno: the output cannot be passed on any more. */
int watch_failure(void);

/*
 * After COMMAND's end: passes on what is in the pipes still. True: there is
 * no room for all of it yet. What others write who have them counts as long
 * as we are PATIENT. True then also: there are such others.
 */
bool watch_drain(bool patient);

/* After the attempt: scans what is held. */
void watch_end(void);

/* Something was left that had not been passed on. */
bool watch_was_cut_off(void);

#endif
