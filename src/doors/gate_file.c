/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "doors/gate_file.h"
#include "system/boot.h"
#include "system/fd.h"
#include "system/file_news.h"

bool
gate_is_quiet(const struct gate_record *record)
{
	return record->state == GATE_OPEN && record->failures == 0;
}

/*
 * *IS_BROKEN: there is something, and it is no record. A part of zeros is one
 * that nobody has written yet.
 */
static bool
read_record(struct gate_file *gate, struct gate_record *record, int64_t *now_ns,
    bool *is_broken)
{
	static const uint8_t zeros[STATE_FLEET_GATE_SIZE];
	const uint8_t *part = gate->bytes + STATE_FLEET_GATE_AT;
	enum state_found found = state_file_read(&gate->part.file, gate->bytes);

	*now_ns = boot_clock_ns();
	*is_broken = false;
	if (found == STATE_UNUSABLE)
		return false;
	if (found == STATE_NEW && !gate->is_noted)
		shared_state_note_new(&gate->part);
	gate->is_noted = true;
	if (gate_decode(record, part, *now_ns)) {
		/* To look which boot this is takes three system calls. */
		if (!gate_is_quiet(record)
		    && state_record_boot(gate->bytes) != boot_hash())
			*record = gate_record_new();
	} else {
		*is_broken = memcmp(part, zeros, sizeof zeros) != 0;
		*record = gate_record_new();
	}
	return true;
}

static bool
lock_record(struct gate_file *gate, struct gate_record *record, int64_t *now_ns,
    bool *is_broken)
{
	/* Nothing is said under the lock. */
	gate->is_noted = true;
	if (!state_file_lock(&gate->part.file))
		return false;
	if (read_record(gate, record, now_ns, is_broken))
		return true;
	state_file_unlock(&gate->part.file);
	return false;
}

/* What is just being written looks broken, but not under the lock. */
bool
gate_file_read(
    struct gate_file *gate, struct gate_record *record, int64_t *now_ns)
{
	bool is_broken;

	if (!read_record(gate, record, now_ns, &is_broken))
		return false;
	if (!is_broken)
		return true;
	if (!lock_record(gate, record, now_ns, &is_broken)
	    || !gate_file_finish(gate, record, false))
		return false;
	if (is_broken && !gate->is_broken)
		shared_state_note_broken(&gate->part);
	gate->is_broken = is_broken;
	return true;
}

bool
gate_file_lock(
    struct gate_file *gate, struct gate_record *record, int64_t *now_ns)
{
	bool is_broken;

	return lock_record(gate, record, now_ns, &is_broken);
}

bool
gate_file_finish(
    struct gate_file *gate, const struct gate_record *record, bool changed)
{
	bool done = true;

	if (changed) {
		state_record_set_boot(gate->bytes, boot_hash());
		gate_encode(record, gate->bytes + STATE_FLEET_GATE_AT);
		done = state_file_write(&gate->part.file, gate->bytes);
	}
	state_file_unlock(&gate->part.file);
	return done;
}

int
gate_file_watch(struct gate_file *gate, const struct gate_record *seen)
{
	struct gate_record record;
	int64_t now_ns;
	int fd = fd_out_of_the_way(file_news_watch(gate->part.file.fd));

	/* What was written before it was watched is not told of. */
	if (fd >= 0 && gate_file_read(gate, &record, &now_ns)
	    && record.state == seen->state && record.turn == seen->turn)
		return fd;
	fd_close(&fd);
	return fd;
}
