/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/gate/gate_record.h"
#include "shared/gate_store.h"
#include "shared/lock_wait.h"
#include "system/boot.h"

static int64_t
byte_of(uint64_t ticket)
{
	return STATE_LOCK_TICKET + (int64_t)ticket;
}

static uint8_t
living_of(const struct gate_store *store, const struct gate *gate)
{
	uint8_t living = 0;

	for (int i = 0; i < gate->probers_count; i++)
		if (gate->probers[i] == store->held
		    || lock_is_taken(
		        store->part.file.fd, byte_of(gate->probers[i])))
			living |= (uint8_t)(1U << i);
	return living;
}

/* The same whatever boot it is of. */
static bool
is_quiet(const struct gate *gate)
{
	return gate->state == GATE_OPEN && gate->row.failures == 0;
}

/*
 * *IS_BROKEN: there is something, and it is no record. A part of zeros is one
 * that nobody has written yet.
 */
static bool
read_gate(struct gate_store *store, struct gate_view *view, bool *is_broken)
{
	static const uint8_t zeros[STATE_GATE_SIZE];
	const uint8_t *part = store->bytes + STATE_GATE_AT;
	enum state_found found
	    = state_file_read(&store->part.file, store->bytes);

	*is_broken = false;
	view->now_ns = boot_clock_ns();
	if (found == STATE_UNUSABLE)
		return false;
	if (found == STATE_NEW && !store->is_noted)
		shared_state_note_new(&store->part);
	store->is_noted = true;
	if (!gate_record_read(&view->gate, part, view->now_ns))
		*is_broken = memcmp(part, zeros, sizeof zeros) != 0;
	/* To look which boot this is takes three system calls. */
	else if (!is_quiet(&view->gate)
	    && state_record_boot(store->bytes) != boot_hash())
		view->gate = gate_new();
	view->living = living_of(store, &view->gate);
	return true;
}

static bool
lock_gate(struct gate_store *store, struct gate_view *view, bool *is_broken)
{
	/* Nothing is said under the lock. */
	store->is_noted = true;
	if (!state_file_lock(&store->part.file))
		return false;
	if (read_gate(store, view, is_broken))
		return true;
	state_file_unlock(&store->part.file);
	return false;
}

/* What is just being written looks broken, but not under the lock. */
bool
gate_store_look(struct gate_store *store, struct gate_view *view)
{
	bool is_broken;

	if (!read_gate(store, view, &is_broken))
		return false;
	if (!is_broken)
		return true;
	if (!lock_gate(store, view, &is_broken))
		return false;
	state_file_unlock(&store->part.file);
	if (is_broken && !store->is_broken)
		shared_state_note_broken(&store->part);
	store->is_broken = is_broken;
	return true;
}

bool
gate_store_begin(struct gate_store *store, struct gate_view *view)
{
	bool is_broken;

	return lock_gate(store, view, &is_broken);
}

void
gate_store_drop(struct gate_store *store)
{
	if (store->held != 0)
		lock_free(store->part.file.fd, byte_of(store->held));
	store->held = 0;
}

static bool
hold(struct gate_store *store, uint64_t ticket)
{
	struct state_file *file = &store->part.file;

	if (store->held == ticket)
		return true;
	gate_store_drop(store);
	if (ticket == 0)
		return true;
	if (lock_try(file->fd, byte_of(ticket)) == LOCK_FAILED) {
		text_copy(file->why, sizeof file->why, strerror(errno));
		return false;
	}
	store->held = ticket;
	return true;
}

bool
gate_store_end(struct gate_store *store, const struct gate_view *view,
    bool changed, uint64_t ticket)
{
	bool done = hold(store, ticket);

	if (done && changed) {
		state_record_set_boot(store->bytes, boot_hash());
		gate_record_write(store->bytes + STATE_GATE_AT, &view->gate);
		done = state_file_write(&store->part.file, store->bytes);
	}
	state_file_unlock(&store->part.file);
	return done;
}

int64_t
gate_store_waiters(const struct gate_store *store, const struct gate *gate)
{
	int64_t count = 0, byte = byte_of(gate->head);
	uint8_t living = living_of(store, gate);

	while ((byte = lock_find(
	            store->part.file.fd, byte, byte_of(gate->next) - 1))
	    >= 0) {
		byte++;
		count++;
	}
	for (int i = 0; i < gate->probers_count; i++)
		count -= (living & (1U << i)) != 0
		    && gate->probers[i] >= gate->head;
	return count;
}
