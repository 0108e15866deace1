/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_STATE_FILE_H
#define BACKOFF_SHARED_STATE_FILE_H
/*
 * The file of one NAME that runs share: a record of STATE_SIZE bytes, and locks
 * on bytes far beyond it. Errors are logged, never fatal; the run continues
 * unshared.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/gate/gate.h"
#include "shared/state_dir.h"

/* --- a file --- */

struct state_file {
	const char *what; /* the file is for: "gate", "slots" or "defer" */
	const char *name;
	bool is_limit; /* for --slots: a run without it would break the limit */
	bool
	    is_fleet; /* a server keeps it, too: that serves without the file */
	bool is_tried; /* to use it */
	int fd; /* closed on exec, out of the way; -1: not open, or lost */
	char why[WHY_SIZE]; /* why something failed, or the record is as new */
	bool blames_file; /* WHY is about the file, not its directory or disk */
	bool is_noted; /* it was logged that the record is as new */
};

/*
 * Opens the file in the directory, which is opened first where that has not
 * been done, and makes it, empty, where it is missing. False: it has why.
 */
bool state_file_open(struct state_file *file);

/* The same, once a run, and logs what fails. */
bool state_file_use(struct state_file *file);

/* Frees all of its locks. */
void state_file_close(struct state_file *file);

/*
 * Reads all of the record, which may be of another boot, and whose parts have
 * checksums of their own. What is missing or damaged is as new: all zero, and
 * FILE has why, or "". False: FILE has why it is not to be touched.
 */
bool state_file_read(struct state_file *file, uint8_t record[STATE_SIZE]);

/*
 * The same with the record locked, until it is written, or need not be, and
 * made one of this boot; nothing in between may wait. It takes two seconds at
 * most, or ends when a signal is pending that ends us. False: the record is not
 * locked.
 */
bool state_file_begin(struct state_file *file, uint8_t record[STATE_SIZE]);

/* Writes all of the record at once, and unlocks it. False: FILE has why. */
bool state_file_write(
    struct state_file *file, const uint8_t record[STATE_SIZE]);
void state_file_unlock(struct state_file *file);

/*
 * A hash of the boot id; 0: it cannot be read, and then all boots are alike.
 * Read at the first call: locks alone do without.
 */
uint64_t boot_hash(void);

/* --- locks of single bytes (system/system.h) --- */

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

enum lock_result {
	LOCK_HAD,
	LOCK_BUSY,
	LOCK_FAILED, /* FILE has why */
};

/* The lock of BYTE of FILE. */
enum lock_result lock_try(struct state_file *file, int64_t byte);
void lock_free(const struct state_file *file, int64_t byte);

/* Whether there are locks at all on that file; else it has why not. */
bool lock_is_possible(struct state_file *file);

/* Whether another open description has the lock now. */
bool lock_is_taken(const struct state_file *file, int64_t byte);

/* Whether that is so for any of the bytes FIRST to LAST, and for how many. */
bool lock_any(const struct state_file *file, int64_t first, int64_t last);
int64_t lock_count(const struct state_file *file, int64_t first, int64_t last);

/* --- the log --- */

/* With -v, logs once WHY the state in FILE is as new, unless that is "". */
void state_file_note(struct state_file *file, const char *why);

/* Logs that FILE cannot be used, and why, and closes it. Returns false. */
bool state_file_lose(struct state_file *file);

/*
 * Logs that SHOWN, "gate hub", cannot be used, and INSTEAD, how we go on,
 * unless that is NULL. A lost limit is an alarm, which -q does not keep back.
 * WHAT is the name in JSON.
 */
void state_log_lost(bool is_limit, const char *shown, const char *what,
    const char *reason, const char *instead);

/* "DIR/NAME: WHY", as FILE has it. */
void state_file_add_why(struct text *text, const struct state_file *file);

#endif
