/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "shared/gate_file.h"

/*
 * An open gate without failures is the same whatever boot it is of: to look
 * which one this is takes three system calls, and is put off.
 */
static bool
is_of_this_boot(const struct gate_file *gate, const struct gate_record *record)
{
	if (record->state == GATE_OPEN && record->failures == 0)
		return true;
	return state_record_boot(gate->bytes) == boot_hash();
}

bool
gate_file_read(
    struct gate_file *gate, struct gate_record *record, int64_t *now_ns)
{
	enum state_found found = state_file_read(&gate->part.file, gate->bytes);

	*now_ns = boottime_ns();
	if (found == STATE_UNUSABLE)
		return false;
	if (found == STATE_NEW && !gate->is_noted)
		shared_state_note_new(&gate->part);
	gate->is_noted = true;
	if (found == STATE_NEW
	    || !gate_decode(record, gate->bytes + STATE_GATE_AT, *now_ns)
	    || !is_of_this_boot(gate, record))
		*record = gate_record_new();
	return true;
}

bool
gate_file_lock(
    struct gate_file *gate, struct gate_record *record, int64_t *now_ns)
{
	/* Nothing is said under the lock. */
	gate->is_noted = true;
	if (!state_file_lock(&gate->part.file))
		return false;
	if (gate_file_read(gate, record, now_ns))
		return true;
	state_file_unlock(&gate->part.file);
	return false;
}

bool
gate_file_write(struct gate_file *gate, const struct gate_record *record)
{
	bool written;

	state_record_set_boot(gate->bytes, boot_hash());
	gate_encode(record, gate->bytes + STATE_GATE_AT);
	written = state_file_write(&gate->part.file, gate->bytes);
	state_file_unlock(&gate->part.file);
	return written;
}

void
gate_file_unlock(struct gate_file *gate)
{
	state_file_unlock(&gate->part.file);
}
