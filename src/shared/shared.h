/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_SHARED_H
#define BACKOFF_SHARED_SHARED_H
/*
 * What runs share: files, a server, and the gate that is in both.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "types/option_types.h"

/* --- state_dir.c: the directory of the files --- */

#define WHY_SIZE 128

/* The first that there is of those in state_dir_open(). */
struct state_dir {
	int fd; /* to look up files in; closed on exec; -1: there is none */
	struct stat stat;
	bool is_shared; /* setgid: its group may read and write the files */
	char path[PATH_MAX];
	char why[WHY_SIZE]; /* it cannot be used: "Read-only file system" */
	int error; /* ... as an errno; 0: WHY is not of the kernel */
};

/* ASKED is the value of --state-dir, or NULL. Nothing is opened yet. */
void state_dir_start(const char *asked);

/*
 * Opens it at the first call. TO_BE_MADE: it is made 0700 where it is missing,
 * and choices that were passed over, as file systems of a network are, are
 * logged with -v. False: it has the path of the last one, and why that cannot
 * be used.
 */
bool state_dir_open(bool to_be_made);

extern const struct state_dir *const state_dir;

/*
 * --- state_file.c: the file of one NAME ---
 *
 * It is a record of STATE_SIZE bytes, and locks on bytes far beyond it. Errors
 * are logged, never fatal; the run continues unshared.
 */

struct state_file {
	const char *what; /* the file is for: "gate", "slots" or "defer" */
	const char *name;
	bool is_limit; /* for --slots: a run without it would break the limit */
	bool is_fleet; /* a server keeps it, too, and serves without it */
	int fd; /* of all its locks, too; closed on exec; -1: lost, or not open
	         */
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

/*
 * Writes all of the record at once, and unlocks STATE_LOCK_RECORD. False: FILE
 * has why.
 */
bool state_file_write(
    struct state_file *file, const uint8_t record[STATE_SIZE]);

/*
 * A hash of the boot id; 0: it cannot be read, and then all boots are alike.
 * Read at the first call: locks alone do without.
 */
uint64_t boot_hash(void);

/*
 * The bytes that are locked (system/system.h): RECORD for microseconds, by who
 * changes the record; SYNC by who asks the server of a fleet; SLOT + 0 to 1023
 * by who has that slot; TICKET and SLOT_TICKET + t by who waits, or probes,
 * with ticket t.
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

enum lock_result lock_try(struct state_file *file, int64_t byte);
void lock_free(const struct state_file *file, int64_t byte);

/* Whether there are locks at all on that file; else it has why not. */
bool lock_is_possible(struct state_file *file);

/*
 * Whether other open descriptions have the lock of any byte from FIRST to LAST,
 * now; and of how many.
 */
bool lock_any(const struct state_file *file, int64_t first, int64_t last);
int64_t lock_count(const struct state_file *file, int64_t first, int64_t last);

/* With -v, logs once WHY the state in FILE is as new, unless that is "". */
void state_file_note(struct state_file *file, const char *why);

/* Logs that FILE cannot be used, and why, and closes it. Returns false. */
bool state_file_lose(struct state_file *file);

/*
 * Logs that KIND, "gate", of NAME cannot be used, and ending with how we GO_ON,
 * or "". A lost limit is an alarm, which -q does not keep back.
 */
void state_log_lost(bool is_limit, const char *kind, const char *name,
    bool of_fleet, const char *reason, const char *go_on);

/* "DIR/NAME: WHY", as FILE has it. */
void state_file_add_why(struct text *text, const struct state_file *file);

/*
 * --- fleet.c: machines that share a gate, or slots, through a server ---
 *
 * backoff-fleet asks that for us (core/gate/gate.h). If it has no answer
 * in time, the fleet is lost for this attempt, and the gate or the slots of
 * this machine are used.
 */

enum fleet_part {
	FLEET_GATE,
	FLEET_SLOTS,
	FLEET_PARTS,
};

/* What the server knows of a part. */
struct fleet_view {
	int64_t ahead_ns; /* the server's time since 1970 - CLOCK_BOOTTIME */
	uint8_t living; /* bit i: the i-th member asked for holds something */
	int64_t count; /* of all members who do, if any were asked for */
	uint8_t state[FLEET_STATE_SIZE / 2];
	size_t size; /* of it; 0: there is none */
};

/*
 * Starts the helper. NULL, or why that cannot work at all. The names in OPTIONS
 * must live on.
 */
const char *fleet_start(const struct shared_options *options);

/* By CLOCK_BOOTTIME. */
extern struct fleet_server {
	bool is_lost; /* until the next attempt, which asks it again */
	int64_t asked_ns; /* when it was last asked */
	/* Since when it has not answered any question; 0: it does. */
	int64_t lost_since_ns;
} fleet_server;

/*
 * Asks for the state of PART, and which of COUNT <= FLEET_MEMBERS members hold
 * something. False: the fleet is lost.
 */
bool fleet_look(enum fleet_part part, const uint64_t *members, int count,
    struct fleet_view *view);

enum fleet_result {
	FLEET_LOST, /* and nothing more is held */
	FLEET_CROSSED, /* by another: the state is not that of VIEW any more */
	FLEET_LAPSED, /* done, but others may have had what we held */
	FLEET_DONE,
};

/*
 * Makes STATE of the state that VIEW has. Then MEMBER, or nothing for 0, is all
 * that we hold of PART; the helper keeps that alive.
 */
enum fleet_result fleet_put(enum fleet_part part, uint64_t member,
    const struct fleet_view *view, const uint8_t *state, size_t size);

/*
 * Nothing of PART is held any more: FLEET_LOST, FLEET_LAPSED or FLEET_DONE. If
 * nothing was, nobody is asked.
 */
enum fleet_result fleet_drop(enum fleet_part part);

/*
 * Another run of this machine asked it at ASKED_NS, and found that it has not
 * answered since SINCE_NS, or, if that is 0, had an answer.
 */
void fleet_note_asked(int64_t asked_ns, int64_t since_ns);

/* "SERVER: WHY", while it does not answer, if we have asked; or NULL. */
const char *fleet_lost_why(void);

/* Logs what PART goes on with, once until the fleet is back. */
void fleet_tell_lost(enum fleet_part part);

/* It is lost, for less than a lease: others may still hold theirs. */
bool fleet_is_away(void);

/*
 * Before a wait, in which we hold nothing and ask nothing: ends the helper.
 * After the wait a lost server is asked again: each time while others may hold
 * a lease there, later every ten seconds at most.
 */
void fleet_rest(void);

/* Gives up what we hold, and ends the helper. */
void fleet_end(void);

/*
 * --- gate_store.c: the gate that runs share ---
 *
 * It is kept in the file of its NAME, or on the server of a fleet:
 * core/gate/gate.h has its rules. If a function returns false, the gate cannot
 * be used, and the file has why.
 *
 * A run that waits or probes locks the byte of its ticket, so that the others
 * see whether it lives.
 *
 * The file of a fleet's gate is a copy, the mirror. While it is young it is
 * read instead of asking the server; while the server does not answer, it is
 * the gate.
 */

struct gate_store {
	struct state_file file;
	uint8_t bytes[STATE_SIZE]; /* of the file, as last read */

	/*
	 * The gate, as it was at NOW_NS of its clock, CLOCK_BOOTTIME, without
	 * probers that have died.
	 */
	struct gate gate;
	struct gate before; /* the last step */
	int64_t now_ns;
	uint64_t ticket; /* of our wait or probe; 0: none */
	uint64_t locked; /* the ticket whose byte we lock; 0: none */

	struct fleet_view server; /* as a fleet's gate was last seen */
};

/* Whether there is a file, or a server that answers. */
bool gate_store_is_there(const struct gate_store *store);

/* Reads the gate. One that is missing, damaged or of another boot is as new. */
bool gate_store_look(struct gate_store *store);

/*
 * A step of the gate: whether we may start, which takes a ticket where we have
 * to wait; that an attempt has ended, or somebody opens the gate by hand, which
 * gives it back.
 */
bool gate_store_ask(struct gate_store *store, struct gate_answer *answer);
bool gate_store_report(
    struct gate_store *store, const struct gate_attempt *attempt);

/* Gives up our ticket, here and on the server. */
void gate_store_drop(struct gate_store *store);

/* How many runs wait with a ticket, and live; in a fleet, or may live. */
int64_t gate_store_waiters(const struct gate_store *store);

#endif
