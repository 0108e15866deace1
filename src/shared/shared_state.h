/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_SHARED_STATE_H
#define BACKOFF_SHARED_SHARED_STATE_H
/*
 * The file of one NAME that runs share: a record of STATE_SIZE bytes, and locks
 * on bytes far beyond it. Errors are logged, never fatal; the run continues
 * unshared.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/gate/record.h"
#include "shared/state_dir.h"

/* --- locks of single bytes (system/system.h) --- */

enum lock_result {
	LOCK_HAD,
	LOCK_BUSY,
	LOCK_FAILED, /* errno tells why: ENOLCK, EBADF */
};

/* The lock of byte BYTE of FD, which must be open for writing. */
enum lock_result lock_try(int fd, int64_t byte);
void lock_free(int fd, int64_t byte);

/* Whether there are locks at all on that file; else errno tells why not. */
bool lock_is_possible(int fd);

/* Whether another open description has the lock now. */
bool lock_is_taken(int fd, int64_t byte);

/* A byte from FIRST to LAST that another one has locked; -1: there is none. */
int64_t lock_find(int fd, int64_t first, int64_t last);

/*
 * The bytes that are locked: RECORD for microseconds, by who changes the
 * record; SYNC by who asks the server of a fleet; SLOT + 0 to 1023 by who has
 * that slot; TICKET and SLOT_TICKET + t by who waits, or probes, with ticket t.
 */
#define STATE_LOCK_RECORD (INT64_C(1) << 32)
#define STATE_LOCK_SYNC (STATE_LOCK_RECORD + 1)
#define STATE_LOCK_SLOT (INT64_C(1) << 33)
#define STATE_LOCK_TICKET (INT64_C(1) << 41)
#define STATE_LOCK_SLOT_TICKET (INT64_C(1) << 60)

/* --- a file, of which nothing is logged --- */

struct state_file {
	int fd; /* closed on exec, out of the way; -1: not open */
	char why[WHY_SIZE]; /* why something failed, or the record is as new */
	bool blames_file; /* WHY is about the file, not its directory or disk */
};

/*
 * Opens the file NAME in DIR, and makes it, empty, where it is missing. False:
 * FILE has why; there is nothing to be closed.
 */
bool state_file_open(
    struct state_file *file, const struct state_dir *dir, const char *name);

/* Frees all of its locks. */
void state_file_close(struct state_file *file);

/*
 * Reads all of the record, which may be of another boot, and whose parts have
 * checksums of their own. What is missing or damaged is as new: all zero, and
 * FILE has why, or "". False: FILE has why it is not to be touched.
 */
bool state_file_read(struct state_file *file, uint8_t record[STATE_SIZE]);

/*
 * The same with the record locked, until state_file_unlock(), and made one of
 * this boot; nothing in between may wait. It takes two seconds at most, or ends
 * when a signal is pending that ends us. False: the record is not locked.
 */
bool state_file_begin(struct state_file *file, uint8_t record[STATE_SIZE]);

/* Writes all of the record at once. False: FILE has why. */
bool state_file_write(
    struct state_file *file, const uint8_t record[STATE_SIZE]);
void state_file_unlock(struct state_file *file);

/*
 * Which boot this is; 0: not known, and then like every other such. Read when
 * it is first asked for: locks alone do without.
 */
uint64_t boot_hash(void);

/* --- what a run uses of a file, and the log of that --- */

struct shared_part {
	const char *what; /* "gate", "slots" or "defer" */
	const char *name;
	const char
	    *instead; /* "with the fleet alone", if it is lost; or NULL */
	bool is_limit; /* somebody relies on it */
	bool is_tried; /* to open the file */
	struct state_file file; /* .fd < 0: it is lost, and we go on */
};

/* DIRECTORY is that of --state-dir, or NULL; it is opened at the first need. */
void shared_state_start(const char *directory);

/* Which directory that is; its fd is -1 where it is not open. */
const struct state_dir *shared_state_dir(void);

/* Opens the file of PART. False: WHY of the file says why not. */
bool shared_state_find(struct shared_part *part);

/* The same, once a run, and logs what fails. False: PART is lost. */
bool shared_state_open(struct shared_part *part);

/* As state_file_read(), and with -v it is logged why the record is as new. */
bool shared_state_read(struct shared_part *part, uint8_t record[STATE_SIZE]);

/*
 * As state_file_begin(), for shared_state_finish() to write the record, if it
 * has CHANGED. Where either is false PART is lost, and not locked.
 */
bool shared_state_begin(struct shared_part *part, uint8_t record[STATE_SIZE]);
bool shared_state_finish(
    struct shared_part *part, const uint8_t record[STATE_SIZE], bool changed);

/* With -v, logs WHY the state of PART is as new, unless that is "". */
void shared_state_note(const struct shared_part *part, const char *why);

/* Logs that PART cannot be used, and why, and closes it. Returns false. */
bool shared_state_lose(struct shared_part *part, const char *why);

/*
 * Logs that SHOWN, "gate hub", cannot be used, and INSTEAD, how we go on,
 * unless that is NULL. A lost limit is an alarm, which -q does not keep back.
 * WHAT is the name in JSON.
 */
void shared_state_log_lost(bool is_limit, const char *shown, const char *what,
    const char *reason, const char *instead);

/* "DIR/NAME: WHY" */
void shared_state_add_why(
    struct text *text, const struct shared_part *part, const char *why);

#endif
