/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"
#include "process/process.h"
#include "shared/shared.h"
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
#define KEPT_NS (24 * 60 * NS_PER_MIN)

static int64_t
byte_of(uint64_t ticket)
{
	return STATE_LOCK_TICKET + (int64_t)ticket;
}

static bool
has_file(const struct gate_store *store)
{
	return store->file.fd >= 0;
}

static bool
has_server(const struct gate_store *store)
{
	return store->file.is_fleet && !fleet_server.is_lost;
}

bool
gate_store_is_there(const struct gate_store *store)
{
	return has_file(store) || has_server(store);
}

/* --- the file --- */

/*
 * Takes the gate from the record that was read. Returns whether its part is
 * damaged, and not just one that nobody has written yet.
 */
static bool
take_record(struct gate_store *store)
{
	static const uint8_t zeros[STATE_GATE_SIZE];
	const uint8_t *part = store->bytes + STATE_GATE_AT;
	uint8_t living = 0;
	bool is_broken = false;

	store->now_ns = boot_clock_ns();
	if (!gate_record_read(&store->gate, part, store->now_ns, 0))
		is_broken = memcmp(part, zeros, sizeof zeros) != 0;
	/*
	 * One that is open without failures is the same in every boot, and to
	 * look which boot this is takes three system calls.
	 */
	else if ((store->gate.state != GATE_OPEN
	             || store->gate.row.failures > 0)
	    && state_record_boot(store->bytes) != boot_hash())
		store->gate = gate_new();
	/* Those of a fleet that are dead are forgotten by who asks it. */
	if (has_server(store))
		return is_broken;
	for (int i = 0; i < store->gate.probers_count; i++) {
		uint64_t ticket = store->gate.probers[i];

		if (ticket == store->ticket
		    || lock_any(&store->file, byte_of(ticket), byte_of(ticket)))
			living |= (uint8_t)(1U << i);
	}
	gate_forget_dead(&store->gate, living);
	return is_broken;
}

/* Without a file it is as last read, or one that nobody has used. */
static bool
look_at_file(struct gate_store *store)
{
	struct state_file *file = &store->file;
	bool done = !has_file(store) || state_file_read(file, store->bytes);
	bool is_broken = done && take_record(store) && has_file(store);

	/* What is just being written looks broken, but not under the lock. */
	if (is_broken) {
		done = state_file_begin(file, store->bytes);
		is_broken = done && take_record(store);
		lock_free(file, STATE_LOCK_RECORD);
	}
	if (done && has_file(store))
		state_file_note(file, is_broken ? "bad checksum" : file->why);
	return done;
}

static bool
write_gate(struct gate_store *store)
{
	gate_record_write(store->bytes + STATE_GATE_AT, &store->gate, 0);
	return state_file_write(&store->file, store->bytes);
}

/* Locks the byte of TICKET instead of that which is locked. */
static bool
lock_ticket(struct gate_store *store, uint64_t ticket)
{
	struct state_file *file = &store->file;

	if (store->locked == ticket)
		return true;
	if (store->locked != 0)
		lock_free(file, byte_of(store->locked));
	store->locked = 0;
	if (ticket != 0 && lock_try(file, byte_of(ticket)) == LOCK_FAILED)
		return false;
	store->locked = ticket;
	return true;
}

/* --- the server --- */

/*
 * Whether the server has lost its gate, or has an older one than our MIRROR. An
 * open mirror is no better than none. If the mirror was written later than now,
 * the server's clock was set back since, and nobody knows which is newer.
 */
static bool
is_to_be_restored(const struct gate_store *store, const struct gate *mirror)
{
	int64_t written_ns = store->gate.written_ns;

	if (mirror->synced_ns == 0
	    || store->now_ns - mirror->synced_ns >= KEPT_NS)
		return false;
	return written_ns == 0 ? mirror->state != GATE_OPEN
	                       : mirror->written_ns > written_ns
	        && mirror->written_ns <= store->now_ns + store->server.ahead_ns;
}

/* Writes the gate there, where we hold TICKET, ours, only while it probes. */
static bool
put_gate(struct gate_store *store, uint64_t ticket)
{
	bool is_prober = gate_find_prober(&store->gate, ticket) >= 0;
	uint8_t bytes[STATE_GATE_SIZE];

	gate_record_write(bytes, &store->gate, store->server.ahead_ns);
	if (fleet_put(FLEET_GATE, is_prober ? ticket : 0, &store->server, bytes,
	        sizeof bytes)
	    != FLEET_DONE)
		return false;
	/* That is what it has now: a step may follow. */
	memcpy(store->server.state, bytes, sizeof bytes);
	store->server.size = sizeof bytes;
	return true;
}

/* The gate as the server has it, by our clock, without dead probers. */
static bool
look_at_server(struct gate_store *store)
{
	const struct gate mirror = store->gate;
	const struct fleet_view *server = &store->server;
	bool is_restored;
	int ours;

	if (!fleet_look(FLEET_GATE, NULL, 0, &store->server))
		return false;
	store->now_ns = boot_clock_ns();
	store->gate = gate_new();
	if (server->size == STATE_GATE_SIZE)
		gate_record_read(&store->gate, server->state, store->now_ns,
		    server->ahead_ns);
	is_restored = is_to_be_restored(store, &mirror);
	if (is_restored)
		store->gate = mirror;
	store->gate.synced_ns = store->now_ns;

	/* The state may have changed; these probers live or do not. */
	if (store->gate.probers_count > 0
	    && !fleet_look(FLEET_GATE, store->gate.probers,
	        store->gate.probers_count, &store->server))
		return false;
	ours = gate_find_prober(&store->gate, store->ticket);
	gate_forget_dead(&store->gate,
	    (uint8_t)(server->living | (ours >= 0 ? 1U << ours : 0)));
	/* If another machine crosses that, it knows no less. */
	if (is_restored)
		put_gate(store, store->ticket);
	return true;
}

/* Writes the gate as the mirror. If that fails, the fleet serves alone. */
static void
reflect(struct gate_store *store)
{
	bool done = !has_file(store)
	    || (state_file_begin(&store->file, store->bytes)
	        && write_gate(store));

	if (!done && !signals_end_pending())
		state_file_lose(&store->file);
}

/* Whether the server was asked less than AGE_NS ago. */
static bool
is_younger(const struct gate_store *store, int64_t age_ns)
{
	int64_t synced_ns = store->gate.synced_ns;

	return synced_ns > 0 && store->now_ns - synced_ns < age_ns;
}

/* The mirror is young, or another run of this machine asks for all. */
static bool
may_look_at_mirror(struct gate_store *store)
{
	int64_t young_ns
	    = store->gate.state == GATE_SHUT ? YOUNG_SHUT_NS : YOUNG_NS;

	if (!has_file(store) || is_younger(store, young_ns))
		return has_file(store);
	/* Who asks may be stopped. */
	if (lock_try(&store->file, STATE_LOCK_SYNC) != LOCK_HAD)
		return is_younger(store, OLD_NS);
	/* Another run may have asked since this one has looked. */
	return look_at_file(store) && is_younger(store, young_ns);
}

/* --- both --- */

bool
gate_store_look(struct gate_store *store)
{
	bool done = look_at_file(store);

	if (done && has_server(store)) {
		bool is_asked = !may_look_at_mirror(store);

		done = !is_asked || look_at_server(store);
		if (is_asked && done)
			reflect(store);
		lock_free(&store->file, STATE_LOCK_SYNC);
		if (!done)
			done = look_at_file(store) && has_file(store);
	}
	gate_pass_time(&store->gate, store->now_ns);
	return done;
}

/*
 * Reads the gate, to change it: where the server has it, or the file, which is
 * locked then.
 */
static bool
begin_step(struct gate_store *store)
{
	bool has = has_server(store);

	if (has && !look_at_file(store))
		return false;
	if (!has || !look_at_server(store)) {
		if (!has_file(store)
		    || !state_file_begin(&store->file, store->bytes))
			return false;
		take_record(store);
	}
	gate_pass_time(&store->gate, store->now_ns);
	return true;
}

/*
 * Writes the gate to the file where it has CHANGED, and unlocks that; our
 * ticket is TICKET from then on.
 */
static bool
end_in_file(struct gate_store *store, bool changed, uint64_t ticket)
{
	bool done = lock_ticket(store, ticket);

	/* A gate of this machine alone is no copy of a fleet's. */
	if (!store->file.is_fleet)
		store->gate.synced_ns = 0;
	if (done && changed)
		return write_gate(store);
	lock_free(&store->file, STATE_LOCK_RECORD);
	return done;
}

/*
 * A run that waits has patience with a fleet: what others hold there may last
 * for as long as a lease, and without it each machine would probe.
 */
static bool
is_patient(const struct gate_store *store)
{
	return store->file.is_fleet && store->ticket != 0 && fleet_is_away();
}

/* ATTEMPT has ended, or, if it is NULL, we ask. True: that is to be written. */
static bool
step(struct gate_store *store, const struct gate_attempt *attempt,
    struct gate_answer *answer)
{
	bool probes;

	store->before = store->gate;
	if (attempt != NULL) {
		struct gate_attempt counted = *attempt;

		/*
		 * In a fleet that is not lost, a machine is one run: a state
		 * directory since the last boot.
		 */
		if (has_server(store)) {
			const struct stat *stat = &state_dir->stat;
			const uint64_t facts[]
			    = { boot_hash(), (uint64_t)stat->st_dev,
				      (uint64_t)stat->st_ino };

			counted.run
			    = hash_of((const char *)facts, sizeof facts);
			counted.is_of_machine = true;
		}
		return gate_result(&store->gate, store->now_ns, &counted);
	}
	*answer = gate_look(&store->gate, store->now_ns, store->ticket);
	probes = answer->ticket != 0 && answer->until_ns == 0;
	if (probes && is_patient(store)) {
		store->gate = store->before;
		*answer = (struct gate_answer) { store->ticket,
			store->now_ns + NS_PER_S };
		probes = false;
	}
	/* More than time has done: a probe, or a ticket was taken. */
	return probes || store->gate.next != store->before.next;
}

/*
 * Makes the step from the gate as it is now, and writes that; once more, if
 * another machine has changed the gate meanwhile, or the server is lost.
 */
static bool
step_and_write(struct gate_store *store, const struct gate_attempt *attempt,
    struct gate_answer *answer)
{
	bool changed;

	do {
		/* When told to end, take no ticket, but report a result. */
		if ((attempt == NULL && signals_end_pending())
		    || !begin_step(store))
			return false;
		changed = step(store, attempt, answer);
		if (!has_server(store))
			return end_in_file(store, changed, answer->ticket);
		if (changed)
			store->gate.written_ns
			    = boot_clock_ns() + store->server.ahead_ns;
	} while (changed && !put_gate(store, answer->ticket));
	reflect(store);
	return true;
}

static bool
carry_out(struct gate_store *store, const struct gate_attempt *attempt,
    struct gate_answer *answer)
{
	bool done = gate_store_look(store)
	    && (!step(store, attempt, answer)
	        || step_and_write(store, attempt, answer));

	/* The fleet may have been lost just now. */
	if (store->file.is_fleet && !is_patient(store))
		fleet_tell_lost(FLEET_GATE);
	return done;
}

bool
gate_store_ask(struct gate_store *store, struct gate_answer *answer)
{
	if (!carry_out(store, NULL, answer))
		return false;
	store->ticket = answer->ticket;
	if (store->ticket == 0)
		gate_store_drop(store);
	return true;
}

bool
gate_store_report(struct gate_store *store, const struct gate_attempt *attempt)
{
	struct gate_answer none = { .ticket = 0 };
	/* By hand: not on the word of a mirror, which may be too old. */
	bool done = attempt->outcome == GATE_BY_HAND
	    ? step_and_write(store, attempt, &none)
	    : carry_out(store, attempt, &none);

	gate_store_drop(store);
	return done;
}

void
gate_store_drop(struct gate_store *store)
{
	lock_ticket(store, 0);
	fleet_drop(FLEET_GATE);
	store->ticket = 0;
}

int64_t
gate_store_waiters(const struct gate_store *store)
{
	const struct gate *gate = &store->gate;
	/* Nobody sees who lives on other machines: all tickets count. */
	bool is_copy = gate->synced_ns > 0;
	int64_t count = is_copy ? (int64_t)(gate->next - gate->head)
	                        : lock_count(&store->file, byte_of(gate->head),
	                            byte_of(gate->next) - 1);

	for (int i = 0; i < gate->probers_count; i++)
		count -= gate->probers[i] >= gate->head;
	return count;
}
