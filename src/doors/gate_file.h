/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_FILE_H
#define BACKOFF_DOORS_GATE_FILE_H
/*
 * The gate's part of a state file. Where a function fails, the WHY of the
 * part's file has the reason, and the gate cannot be used.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/gate.h"
#include "core/gate/record.h"
#include "shared/shared_state.h"

struct gate_file {
	struct shared_part part; /* "gate" */
	uint8_t bytes[STATE_SIZE]; /* as last read */
	bool is_noted; /* that what was there is as new */
	bool is_broken; /* the gate's part of it, which has been noted */
};

/* What a run has of its gate: see gate_keeper.h. */
struct gate_keeper {
	struct gate_file file;
	struct gate_run run;
	struct gate_record seen; /* as it was when last asked */
	bool is_of_fleet;
	bool has_to_tell; /* of the wait that may follow */
};

/* What is the same whatever boot it is of: open, and without failures. */
bool gate_is_quiet(const struct gate_record *record);

/*
 * Reads the record, and the time *NOW_NS after that, by CLOCK_BOOTTIME. What
 * is not there, broken or of another boot is a gate that nobody has used.
 */
bool gate_file_read(
    struct gate_file *gate, struct gate_record *record, int64_t *now_ns);

/*
 * The same with the lock of the record, which a true one leaves held. To be
 * followed by gate_file_finish(), which writes what has changed, and frees it.
 */
bool gate_file_lock(
    struct gate_file *gate, struct gate_record *record, int64_t *now_ns);
bool gate_file_finish(
    struct gate_file *gate, const struct gate_record *record, bool changed);

/*
 * A descriptor that can be read once the file has been written; -1: there is
 * none, or it is not as SEEN any more.
 */
int gate_file_watch(struct gate_file *gate, const struct gate_record *seen);

#endif
