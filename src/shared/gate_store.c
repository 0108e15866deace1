/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/base/duration.h"
#include "core/gate/record.h"
#include "process/signals.h"
#include "shared/gate_store.h"
#include "system/system.h"

/*
 * How old a mirror may be that is used instead of asking the server: usually;
 * where the gate is shut, so that all wait; and while another run of this
 * machine is asking.
 */
#define YOUNG_NS NS_PER_S
#define YOUNG_SHUT_NS (3 * NS_PER_S)
#define OLD_NS (5 * NS_PER_S)

/* The server forgets a gate that was not used for so long. */
#define COPY_NS (24 * 60 * NS_PER_MIN)

static int64_t
byte_of(uint64_t ticket)
{
	return STATE_LOCK_TICKET + (int64_t)ticket;
}

/* Bit i: the run of probers[i] lives, or is ours. */
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

/*
 * Takes the gate from the record that was read. Returns whether its part is
 * damaged, and not just one that nobody has written yet.
 */
static bool
take_record(struct gate_store *store, struct gate_view *view)
{
	static const uint8_t zeros[STATE_GATE_SIZE];
	const uint8_t *part = store->bytes + STATE_GATE_AT;
	bool is_broken = false;

	view->now_ns = boot_clock_ns();
	if (!gate_record_read(&view->gate, part, view->now_ns, 0))
		is_broken = memcmp(part, zeros, sizeof zeros) != 0;
	/*
	 * One that is open without failures is the same in every boot, and to
	 * look which boot this is takes three system calls.
	 */
	else if ((view->gate.state != GATE_OPEN || view->gate.row.failures > 0)
	    && state_record_boot(store->bytes) != boot_hash())
		view->gate = gate_new();
	view->living = living_of(store, &view->gate);
	return is_broken;
}

static bool
look_at_file(struct gate_store *store, struct gate_view *view)
{
	struct state_file *file = &store->part.file;
	bool done = state_file_read(file, store->bytes);
	bool is_broken = done && take_record(store, view);

	/* What is just being written looks broken, but not under the lock. */
	if (is_broken) {
		done = state_file_begin(file, store->bytes);
		is_broken = done && take_record(store, view);
		state_file_unlock(file);
	}
	if (done && !store->is_noted) {
		const char *why = is_broken ? "bad checksum" : file->why;

		shared_state_note(&store->part, why);
		store->is_noted = why[0] != '\0';
	}
	return done;
}

static bool
write_gate(struct gate_store *store, const struct gate *gate)
{
	gate_record_write(store->bytes + STATE_GATE_AT, gate, 0);
	return state_file_write(&store->part.file, store->bytes);
}

/* --- a fleet --- */

static bool
has_file(const struct gate_store *store)
{
	return store->part.file.fd >= 0;
}

static bool
has_server(const struct gate_store *store)
{
	return store->is_fleet && fleet_is_on();
}

bool
gate_store_is_there(const struct gate_store *store)
{
	return has_file(store) || has_server(store);
}

/*
 * Whether the server has lost its GATE, or has an older one than our MIRROR. An
 * open mirror is no better than none. If the mirror was written later than now,
 * the server's clock was set back since, and nobody knows which is newer.
 */
static bool
is_to_be_restored(const struct gate *mirror, const struct gate *gate,
    int64_t now_ns, int64_t ahead_ns)
{
	if (mirror->synced_ns == 0 || now_ns - mirror->synced_ns >= COPY_NS)
		return false;
	return gate->written_ns == 0 ? mirror->state != GATE_OPEN
	                             : mirror->written_ns > gate->written_ns
	        && mirror->written_ns <= now_ns + ahead_ns;
}

/* The server's gate, by our clock; VIEW has the mirror. */
static void
take_gate(struct gate_store *store, struct gate_view *view)
{
	const struct fleet_view *server = &store->server;
	struct gate mirror = view->gate;
	int64_t now_ns = boot_clock_ns();

	view->now_ns = now_ns;
	view->gate = gate_new();
	if (server->size == STATE_GATE_SIZE)
		gate_record_read(
		    &view->gate, server->state, now_ns, server->ahead_ns);
	store->is_restored
	    = is_to_be_restored(&mirror, &view->gate, now_ns, server->ahead_ns);
	if (store->is_restored)
		view->gate = mirror;
	view->gate.synced_ns = now_ns;
}

/* The gate as the server has it, and who of its probers lives. */
static bool
look_at_server(struct gate_store *store, struct gate_view *view)
{
	int64_t members[GATE_MOST_PROBERS];

	if (!fleet_look(FLEET_GATE, NULL, 0, &store->server))
		return false;
	take_gate(store, view);
	view->living = 0;
	if (view->gate.probers_count == 0)
		return true;
	for (int i = 0; i < view->gate.probers_count; i++)
		members[i] = (int64_t)view->gate.probers[i];
	if (!fleet_look(
	        FLEET_GATE, members, view->gate.probers_count, &store->server))
		return false;
	/* The gate may be another one meanwhile; its probers live or do not. */
	view->living = store->server.living;
	return true;
}

/* Writes VIEW as the mirror. If that fails, the fleet serves alone. */
static void
reflect(struct gate_store *store, const struct gate_view *view)
{
	struct state_file *file = &store->part.file;
	bool done = false;

	if (!has_file(store))
		return;
	if (state_file_begin(file, store->bytes)) {
		done = write_gate(store, &view->gate);
		state_file_unlock(file);
	}
	if (!done && !signals_end_pending())
		shared_state_lose(&store->part, file->why);
}

/* Without a file that is a gate that nobody has used. False: it fails. */
static bool
look_here(struct gate_store *store, struct gate_view *view)
{
	*view = (struct gate_view) { .gate = gate_new(),
		.now_ns = boot_clock_ns() };
	return !has_file(store) || look_at_file(store, view);
}

static bool
is_young(const struct gate_view *view, int64_t young_ns)
{
	return view->gate.synced_ns > 0
	    && view->now_ns - view->gate.synced_ns < young_ns;
}

static bool
needs_no_server(const struct gate_view *view)
{
	return is_young(
	    view, view->gate.state == GATE_SHUT ? YOUNG_SHUT_NS : YOUNG_NS);
}

/* The mirror is young, or another run of this machine asks for all. */
static bool
may_look_at_mirror(struct gate_store *store, struct gate_view *view)
{
	if (!has_file(store))
		return false;
	if (needs_no_server(view))
		return true;
	/* Who asks may be stopped. */
	if (lock_try(store->part.file.fd, STATE_LOCK_SYNC) != LOCK_HAD)
		return is_young(view, OLD_NS);
	/* Another run may have asked since this one has looked. */
	return look_here(store, view) && needs_no_server(view);
}

/* On the server only probers hold their tickets. */
static enum fleet_put
put_gate(struct gate_store *store, const struct gate *gate, uint64_t ticket)
{
	uint8_t bytes[STATE_GATE_SIZE];

	gate_record_write(bytes, gate, store->server.ahead_ns);
	return fleet_put(
	    FLEET_GATE, (int64_t)ticket, &store->server, bytes, sizeof bytes);
}

static bool
look_at_fleet(struct gate_store *store, struct gate_view *view)
{
	bool done = may_look_at_mirror(store, view);

	if (!done && look_at_server(store, view)) {
		done = true;
		gate_forget_dead(&view->gate, view->living);
		/* If another machine crosses that, it knows no less. */
		if (store->is_restored)
			put_gate(store, &view->gate, store->probing);
		reflect(store, view);
	}
	/* The probers that have died are forgotten by who asked the server. */
	view->living = UINT8_MAX;
	if (has_file(store))
		lock_free(store->part.file.fd, STATE_LOCK_SYNC);
	return done;
}

bool
gate_store_look(struct gate_store *store, struct gate_view *view)
{
	if (!look_here(store, view))
		return false;
	if (!has_server(store) || look_at_fleet(store, view))
		return true;
	return look_here(store, view) && has_file(store);
}

bool
gate_store_begin(struct gate_store *store, struct gate_view *view)
{
	if (has_server(store)) {
		if (!look_here(store, view))
			return false;
		if (look_at_server(store, view))
			return true;
	}
	if (!has_file(store)
	    || !state_file_begin(&store->part.file, store->bytes))
		return false;
	take_record(store, view);
	return true;
}

static enum stored
end_at_server(struct gate_store *store, struct gate_view *view, bool changed,
    uint64_t ticket)
{
	enum fleet_put put;

	if (!gate_is_probed_by(&view->gate, ticket))
		ticket = 0;
	if (changed || ticket != store->probing) {
		view->gate.written_ns
		    = boot_clock_ns() + store->server.ahead_ns;
		put = put_gate(store, &view->gate, ticket);
		store->probing = put == FLEET_DONE ? ticket : 0;
		/* Whoever has lost the server begins again, at the file. */
		if (put != FLEET_DONE)
			return STORE_CROSSED;
	}
	reflect(store, view);
	return STORE_DONE;
}

/* --- both --- */

void
gate_store_drop(struct gate_store *store)
{
	if (store->held != 0)
		lock_free(store->part.file.fd, byte_of(store->held));
	if (store->probing != 0)
		fleet_drop(FLEET_GATE);
	store->held = store->probing = 0;
}

/* Locks the byte of TICKET instead of that which is held. */
static bool
hold(struct gate_store *store, uint64_t ticket)
{
	struct state_file *file = &store->part.file;

	if (store->held == ticket)
		return true;
	gate_store_drop(store);
	if (ticket != 0 && lock_try(file->fd, byte_of(ticket)) == LOCK_FAILED) {
		text_copy(file->why, sizeof file->why, strerror(errno));
		return false;
	}
	store->held = ticket;
	return true;
}

enum stored
gate_store_end(struct gate_store *store, struct gate_view *view, bool changed,
    uint64_t ticket)
{
	bool done;

	if (has_server(store))
		return end_at_server(store, view, changed, ticket);
	/* A gate of this machine alone is no copy of a fleet's. */
	if (!store->is_fleet)
		view->gate.synced_ns = 0;
	done = hold(store, ticket)
	    && (!changed || write_gate(store, &view->gate));
	state_file_unlock(&store->part.file);
	return done ? STORE_DONE : STORE_FAILED;
}

int64_t
gate_store_waiters(const struct gate_store *store, const struct gate *gate)
{
	/* Nobody sees who lives on other machines: all tickets count. */
	bool is_copy = gate->synced_ns > 0;
	uint8_t living = is_copy ? UINT8_MAX : living_of(store, gate);
	int64_t count = is_copy ? (int64_t)(gate->next - gate->head) : 0;
	int64_t byte = byte_of(gate->head), last = byte_of(gate->next) - 1;

	while (!is_copy
	    && (byte = lock_find(store->part.file.fd, byte, last)) >= 0) {
		byte++;
		count++;
	}
	for (int i = 0; i < gate->probers_count; i++)
		count -= (living & (1U << i)) != 0
		    && gate->probers[i] >= gate->head;
	return count;
}
