/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_STATE_FILE_H
#define BACKOFF_SHARED_STATE_FILE_H
/*
 * The file of one NAME: a record of STATE_SIZE bytes, and locks on bytes far
 * beyond it. Nothing that goes wrong with it is more than a line: who cannot
 * use it goes on as if nothing were shared.
 *
 * To look: state_file_read(). To change: state_file_lock(), state_file_read(),
 * state_file_write(), state_file_unlock(), with nothing in between that waits.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/record.h"
#include "shared/state_dir.h"

/*
 * The bytes that are locked (shared/lock.h). The record's is held for
 * microseconds, SYNC by who asks the server of a fleet; slots are 0 to 1023,
 * and who waits, or probes, has the byte of its ticket.
 */
#define STATE_LOCK_RECORD (INT64_C(1) << 32)
#define STATE_LOCK_SYNC (STATE_LOCK_RECORD + 1)
#define STATE_LOCK_SLOT (INT64_C(1) << 33)
#define STATE_LOCK_TICKET (INT64_C(1) << 41)
#define STATE_LOCK_SLOT_TICKET (INT64_C(1) << 60)

struct state_file {
	int fd; /* closed on exec, out of the way; -1: not open */
	const struct state_dir *dir;
	char
	    why[WHY_SIZE]; /* what has just failed: "No space left on device" */
	bool blames_file; /* WHY is about the file, not its directory or disk */
};

/*
 * Opens the file NAME in DIR, which outlives it, and makes it, empty, where it
 * is missing. False: FILE has why; there is nothing to be closed.
 */
bool state_file_open(
    struct state_file *file, const struct state_dir *dir, const char *name);

enum state_found {
	STATE_RECORD, /* bytes with a header that is in order */
	STATE_NEW, /* all zero, without a header: FILE has why, for -v, or "" */
	STATE_UNUSABLE, /* FILE has why: go on without it */
};

/*
 * Reads all of the record. One of STATE_RECORD may be of another boot, and its
 * parts have checksums of their own.
 */
enum state_found state_file_read(
    struct state_file *file, uint8_t record[STATE_SIZE]);

/*
 * The lock of the record, waited for up to two seconds, and no longer than
 * until a signal that ends us is there, which stays pending. False: FILE has
 * why.
 */
bool state_file_lock(struct state_file *file);
void state_file_unlock(struct state_file *file);

/*
 * Writes all of the record, at once, its header too. False: FILE has why.
 */
bool state_file_write(
    struct state_file *file, const uint8_t record[STATE_SIZE]);

/* All of its locks are gone. */
void state_file_close(struct state_file *file);

/*
 * Which boot this is; 0: not known, and then like every other such. Read when
 * it is first asked for: locks alone do without.
 */
uint64_t boot_hash(void);

#endif
