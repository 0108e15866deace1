/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "doors/doors.h"
#include "log/log.h"
#include "options/options.h"
#include "process/process.h"
#include "shared/shared.h"
#include "system/system.h"

#define LOG_AFTER_NS NS_PER_S

/* When to look again after another machine took the slot that was free. */
#define CROSSED_NS (100 * NS_PER_MS)

static struct state_file file = { .what = "slots",
	.name = doors.options.slots.name,
	.is_limit = true,
	.fd = -1 };
static const struct slots_options *const options = &doors.options.slots;
static const char *const name = doors.slots;
static bool is_of_parent; /* an ancestor holds a slot, and we share it */
static int64_t held = -1; /* the slot of this machine that we hold */
static int64_t taken_ns; /* when we took one of the fleet, by CLOCK_BOOTTIME */
static bool is_patience_over; /* with a lost fleet: local slots serve */
static bool was_held; /* an attempt of this run has held one */
static int64_t spent_ns; /* of --slots-wait */
static struct slots order; /* as last seen */
static uint8_t record[STATE_SIZE]; /* likewise */
static struct text word; /* BACKOFF_SLOTS, up to the number of the slot */

/* "DEVICE:INODE:NAME:" or "fleet:NAME:", which tells these from others. */
static char identity[FLEET_NAME_SIZE + 48];

/* --- runs within runs --- */

/*
 * HOLDER is "PID:NAMESPACE:SLOT": whether that slot is taken, and by an
 * ancestor of ours. From within another PID namespace nobody can see that.
 */
static bool
is_held_above(const char *holder)
{
	int64_t numbers[3], byte;
	char *end;

	for (int i = 0; i < 3; i++) {
		if (!is_digit(*holder))
			return false;
		numbers[i] = strtoll(holder, &end, 10);
		holder = end + (*end == ':');
	}
	byte = STATE_LOCK_SLOT + min_ns(numbers[2], SLOTS_MOST);
	return numbers[2] < SLOTS_MOST
	    && (options->fleet || lock_any(&file, byte, byte))
	    && (numbers[1] == 0 || numbers[1] != processes_namespace()
	        || process_may_be_ancestor(numbers[0]));
}

/* BACKOFF_SLOTS alone is not believed: it may outlive the slot. */
bool
slots_are_of_parent(void)
{
	struct text text = text_in(identity, sizeof identity);
	const char *above = getenv("BACKOFF_SLOTS"), *at = above;

	if (!options->fleet)
		text_join(&text, NUMBER((int64_t)state_dir->stat.st_dev), ":",
		    NUMBER((int64_t)state_dir->stat.st_ino), ":");
	text_join(&text, name, ":");
	for (; above != NULL && (at = strstr(at, identity)) != NULL; at++)
		if ((at == above || at[-1] == ' ')
		    && is_held_above(at + text.length))
			return true;
	return false;
}

/* Begins what COMMAND finds: the slots that are held above us, and ours. */
static void
begin_word(void)
{
	const char *given = getenv("BACKOFF_SLOTS");
	const char *above = given != NULL ? given : "";
	size_t size = strlen(above) + SHARED_NAME_SIZE + 128;
	char *room = malloc(size);

	if (room == NULL)
		return;
	word = text_in(room, size);
	text_join(&word, "BACKOFF_SLOTS=", above, above[0] != '\0' ? " " : "",
	    identity, NUMBER(getpid()), ":", NUMBER(processes_namespace()),
	    ":");
}

static bool
ask_fleet(struct fleet_view *view)
{
	return fleet_look(FLEET_SLOTS, &doors.owner, 1, view);
}

void
slots_open(void)
{
	struct text text = TEXT_OF(1024);
	struct fleet_view view;
	bool is_found;

	if (options->name[0] == '\0')
		return;
	file.is_fleet = options->fleet;
	is_found = state_file_open(&file) && state_file_read(&file, record);
	is_of_parent = slots_are_of_parent();
	if (is_of_parent)
		return;
	if (!is_found && (!options->fleet || !ask_fleet(&view))) {
		text_join(&text, "cannot use slots ", name, " (");
		state_file_add_why(&text, &file);
		if (options->fleet && fleet_lost_why() != NULL)
			text_join(&text, "; ", fleet_lost_why());
		text_byte(&text, ')');
		usage_refuse(text.data, NULL, NULL);
	}
	if (!is_found)
		state_file_lose(&file);
	begin_word();
}

/* --slots-wait is over, or, if it IS_LATE, the limit of the run has come. */
static struct entry
refuse(bool is_late)
{
	static char words[FLEET_NAME_SIZE + 2 * FLEET_TEXT_SIZE + 64];
	struct text text = text_in(words, sizeof words);
	const char *lost_why = options->fleet ? fleet_lost_why() : NULL;

	if (is_late)
		text_join(&text, "a slot of ", name);
	else if (options->wait_ns == 0 && lost_why == NULL)
		text_join(&text, was_held ? "" : "skipped: ", "all slots of ",
		    name, " are taken");
	else
		text_join(&text, "no slot of ", name, " was free within ",
		    DURATION(options->wait_ns));
	if (lost_why != NULL)
		text_join(&text, " (", lost_why, ")");
	return (struct entry) {
		.admission = is_late ? ADMISSION_LATE : ADMISSION_REFUSED,
		.words = words,
		.reason = is_late ? NULL : words,
	};
}

/* --- taking one --- */

/* Takes one of this machine, tried from a random one on. */
static enum lock_result
take_here(void)
{
	int64_t first = random_between(&doors.random, 0, options->count - 1);
	enum lock_result result = file.fd >= 0 ? LOCK_BUSY : LOCK_HAD;

	for (int64_t i = 0; i < options->count && result == LOCK_BUSY; i++) {
		int64_t slot = (first + i) % options->count;

		result = lock_try(&file, STATE_LOCK_SLOT + slot);
		if (result == LOCK_HAD)
			held = slot;
	}
	return result;
}

static int64_t
count_here(void)
{
	return lock_count(
	    &file, STATE_LOCK_SLOT, STATE_LOCK_SLOT + options->count - 1);
}

/* --- a fleet --- */

/*
 * The server has not answered. Others may hold its slots for as long as a
 * lease, so asks it again until then, once a run. True: that is over, and the
 * slots of this machine serve.
 */
static bool
fall_back(void)
{
	is_patience_over = is_patience_over || !fleet_is_away();
	if (!is_patience_over)
		fleet_server.is_lost = false;
	return is_patience_over;
}

static enum lock_result
take_there(void)
{
	struct fleet_view view = { .size = 0 };
	uint8_t state[8];
	enum fleet_result put;

	do {
		if (!ask_fleet(&view))
			return LOCK_FAILED;
		if (view.count >= options->count)
			return LOCK_BUSY;
		/* The state has to change, or two runs could have one slot. */
		little_endian_put(state, sizeof state,
		    little_endian_get(view.state, sizeof state) + 1);
		put = fleet_put(
		    FLEET_SLOTS, doors.owner, &view, state, sizeof state);
	} while (put == FLEET_CROSSED);
	taken_ns = boot_clock_ns();
	return put == FLEET_DONE ? LOCK_HAD : LOCK_FAILED;
}

/* Takes a free slot, of the fleet or of this machine. */
static enum lock_result
take_free(void)
{
	enum lock_result result;

	if (!options->fleet)
		return take_here();
	result = take_there();
	if (result != LOCK_FAILED)
		return result;
	result = fall_back() ? take_here() : LOCK_BUSY;
	if (result == LOCK_HAD)
		fleet_tell_lost(FLEET_SLOTS);
	return result;
}

/* --- the order --- */

/* Whether a living run waits with an earlier ticket. */
static bool
is_before(int64_t ticket)
{
	return lock_any(
	    &file, STATE_LOCK_SLOT_TICKET, STATE_LOCK_SLOT_TICKET + ticket - 1);
}

/* The lock of its byte shows that we live, until it is freed. */
static enum lock_result
take_ticket(int64_t *ticket)
{
	enum lock_result result = LOCK_BUSY;

	/* Another program may have locked all of the file. */
	for (int i = 0; i < SLOTS_MOST && result == LOCK_BUSY; i++) {
		*ticket = order.next++;
		result = lock_try(&file, STATE_LOCK_SLOT_TICKET + *ticket);
	}
	if (result == LOCK_BUSY)
		*ticket = 0;
	return result;
}

/* Locks the record, to change the order. False: nobody keeps the order. */
static bool
begin_order(void)
{
	bool is_ordered = file.fd >= 0 && state_file_begin(&file, record);
	int64_t now_ns = boot_clock_ns();
	struct slots found = slots_new(now_ns);

	if (is_ordered)
		found = state_record_slots(record, now_ns);
	/* If it is as new after our first look, it cannot be written. */
	if (order.next == 0 || found.next > 1)
		order = found;
	return is_ordered;
}

/* If the order cannot be written, the slots still hold: they are locks. */
static void
end_order(bool is_ordered)
{
	uint8_t before[STATE_SLOTS_SIZE];

	if (!is_ordered)
		return;
	memcpy(before, record + STATE_SLOTS_AT, sizeof before);
	state_record_set_slots(record, &order);
	/* Most looks of those who wait change nothing. */
	if (memcmp(before, record + STATE_SLOTS_AT, sizeof before) != 0)
		state_file_write(&file, record);
	else
		lock_free(&file, STATE_LOCK_RECORD);
}

/*
 * Takes a slot if our ticket allows it; of a fleet the server is asked after
 * that. Else *BOOT_UNTIL_NS of CLOCK_BOOTTIME is when to look again.
 */
static enum lock_result
take_in_order(struct slots_visit visit, int64_t now_ns, int64_t *boot_until_ns)
{
	const struct slots before = order;
	enum lock_result result;

	if (!options->fleet && slots_count_is_due(&order, now_ns, &visit))
		visit.busy = count_here();
	do {
		order = before;
		*boot_until_ns = slots_look(&order, now_ns, &visit);
		result = *boot_until_ns > 0 ? LOCK_BUSY
		    : options->fleet        ? LOCK_HAD
		                            : take_here();
		visit.busy = options->count;
	} while (result == LOCK_BUSY && *boot_until_ns == 0);
	return result;
}

/* Asks the server how many are taken, if that is due; not under the lock. */
static void
ask_before(struct slots_visit *visit)
{
	struct fleet_view view;
	int64_t now_ns = boot_clock_ns();
	bool is_known = file.fd >= 0 && state_file_read(&file, record)
	    && state_record_boot(record) == boot_hash();
	const struct slots seen
	    = is_known ? state_record_slots(record, now_ns) : slots_new(now_ns);

	visit->is_first = visit->ticket > 0 && !is_before(visit->ticket);
	fleet_note_asked(seen.counted_ns, seen.lost_since_ns);
	if (!slots_count_is_due(&seen, now_ns, visit))
		return;
	/* All, if nobody knows. */
	visit->busy = ask_fleet(&view) ? view.count
	    : fall_back()              ? count_here()
	                               : options->count;
}

/*
 * Takes a slot, or a *TICKET if we have none; *AGAIN_NS of CLOCK_MONOTONIC: the
 * next look.
 */
static enum lock_result
look(int64_t *ticket, int64_t *again_ns)
{
	bool is_ordered;
	int64_t now_ns, boot_until_ns = 0;
	struct slots_visit visit = { .ticket = *ticket,
		.count = options->count,
		.busy = -1,
		.is_far = options->fleet };
	enum lock_result result = LOCK_HAD;

	if (options->fleet)
		ask_before(&visit);
	is_ordered = begin_order();
	now_ns = boot_clock_ns();
	if (*ticket == 0 && is_ordered)
		result = take_ticket(ticket);
	if (visit.busy >= 0)
		order.lost_since_ns = fleet_server.lost_since_ns;
	visit.ticket = *ticket;
	visit.is_first = *ticket == 0 || !is_before(*ticket);
	if (result == LOCK_HAD)
		result = take_in_order(visit, now_ns, &boot_until_ns);
	end_order(is_ordered);
	if (result == LOCK_HAD && options->fleet)
		result = take_free();
	*again_ns = clock_now_ns()
	    + (boot_until_ns > 0 ? boot_until_ns - now_ns : CROSSED_NS);
	return result;
}

/* Waits until LIMIT_NS, or a *SIGNAL that ends us; others are discarded. */
static enum lock_result
wait_in_order(int64_t limit_ns, bool *waited, int *signal)
{
	int64_t since_ns = clock_now_ns(), ticket = 0, again_ns;
	int64_t log_ns = since_ns + LOG_AFTER_NS;
	struct text members = TEXT_OF(FLEET_NAME_SIZE + 64);
	const char *which = options->count == 1
	    ? "the slot"
	    : JOINED(48, "one of ", NUMBER(options->count), " slots");
	const char *words
	    = JOINED(FLEET_NAME_SIZE + 64, "waiting for ", which, " of ", name);
	enum lock_result result;

	while ((result = look(&ticket, &again_ns)) == LOCK_BUSY
	    && clock_now_ns() < limit_ns) {
		*waited = true;
		*signal
		    = signals_sleep(min_ns(min_ns(again_ns, limit_ns), log_ns));
		if (signals_ends(*signal))
			break;
		if (clock_now_ns() >= log_ns) {
			log_shared(WEIGHT_NORMAL, words, NULL, NULL);
			log_ns = INT64_MAX;
		}
	}
	if (ticket > 0)
		lock_free(&file, STATE_LOCK_SLOT_TICKET + ticket);
	spent_ns = saturating_add(spent_ns, clock_now_ns() - since_ns);
	if (result == LOCK_HAD && *waited) {
		json_member_string(&members, "slots", name);
		json_member_seconds(
		    &members, "waited_s", clock_now_ns() - since_ns);
		log_shared(WEIGHT_NORMAL, NULL, "slot", members.data);
	}
	return result;
}

struct entry
slots_take(int64_t until_ns, bool *waited)
{
	int64_t now_ns = clock_now_ns();
	int64_t limit_ns
	    = saturating_add(now_ns, max_ns(options->wait_ns - spent_ns, 0));
	enum lock_result result = LOCK_BUSY;
	bool may_wait = now_ns < min_ns(until_ns, limit_ns);
	int signal = 0;

	if (is_of_parent || (file.fd < 0 && !options->fleet))
		return go;
	/* A run that may wait queues up; one that may not takes any slot. */
	if (!may_wait || !is_before(LAST_TICKET))
		result = take_free();
	if (result == LOCK_BUSY && may_wait)
		result = wait_in_order(
		    min_ns(until_ns, limit_ns), waited, &signal);
	if (signals_ends(signal))
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	if (result == LOCK_BUSY)
		return refuse(until_ns <= limit_ns);
	if (result == LOCK_FAILED) {
		state_file_lose(&file);
		return go;
	}
	was_held = true;
	if (word.length > 0) {
		struct text text = word;

		text_add(&text, NUMBER(max_ns(held, 0)));
		environment_slots(word.data);
	}
	return go;
}

void
slots_free(void)
{
	enum fleet_result dropped = fleet_drop(FLEET_SLOTS);

	/* If the lease ran out, another run may have had the slot. */
	if (dropped == FLEET_LOST
	    && boot_clock_ns() - taken_ns >= FLEET_LEASE_NS)
		fleet_tell_lost(FLEET_SLOTS);
	/* Others may have had it: perhaps there was one too many. */
	if (dropped == FLEET_LAPSED)
		log_degraded(WEIGHT_ALARM,
		    JOINED(FLEET_NAME_SIZE + 64, "lost the slot of ", name),
		    JOINED(SHARED_NAME_SIZE + 16, "fleet ", file.what, " ",
		        options->name),
		    "lost the slot");
	if (held >= 0)
		lock_free(&file, STATE_LOCK_SLOT + held);
	held = -1;
	environment_slots(NULL);
}
