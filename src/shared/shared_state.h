/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_SHARED_STATE_H
#define BACKOFF_SHARED_SHARED_STATE_H
/*
 * The files of what runs share, for those who use them: the directory is found
 * at the first need, and what cannot be used is told, once each. WHAT is
 * "gate", "slots" or "defer".
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "log/log.h"
#include "shared/state_file.h"

struct shared_part {
	const char *what;
	const char *name;
	const char *instead; /* what is gone on with without it, or NULL */
	bool is_limit; /* somebody relies on it */
	struct state_file file; /* .fd < 0: we go on without it */
};

/* DIRECTORY is that of --state-dir, or NULL. */
void shared_state_start(const char *directory);

/* Opens the file of PART, whose what and name are set. False: it is lost. */
bool shared_state_open(struct shared_part *part);

/* The same, but nothing is told: WHY of the part's file says why not. */
bool shared_state_find(struct shared_part *part);

/*
 * The record, which is as new where it is missing or damaged. False: PART is
 * lost.
 */
bool shared_state_read(struct shared_part *part, uint8_t record[STATE_SIZE]);

/*
 * The same under the lock of the record, for shared_state_finish() to write
 * it, or where CHANGED is false, not. False: PART is lost, and not locked.
 */
bool shared_state_begin(struct shared_part *part, uint8_t record[STATE_SIZE]);
bool shared_state_finish(
    struct shared_part *part, const uint8_t record[STATE_SIZE], bool changed);

/* Says with -v that the state of PART is as new, where it was damaged. */
void shared_state_note_new(const struct shared_part *part);
void shared_state_note_broken(const struct shared_part *part);

/*
 * Says that PART cannot be used, and why, and closes it. Of a limit that is an
 * alarm, which -q does not keep back.
 */
void shared_state_lose(struct shared_part *part, const char *why);

/* "DIR/NAME: WHY" */
void shared_state_add_why(
    struct text *text, const struct shared_part *part, const char *why);

/* Which directory that is. PART is open. */
const struct state_dir *shared_state_dir(void);

#endif
