/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/base/little_endian.h"
#include "core/gate/slots_step.h"
#include "core/words/json.h"
#include "doors/slots.h"
#include "log/log.h"
#include "options/usage.h"
#include "process/environment.h"
#include "process/signals.h"
#include "shared/ancestors.h"
#include "shared/fleet.h"
#include "shared/lock.h"
#include "shared/shared_state.h"
#include "system/system.h"

#define TELL_AFTER_NS NS_PER_S

/* Another machine was faster. */
#define CROSSED_NS (100 * NS_PER_MS)

static struct shared_part part
    = { .what = "slots", .is_limit = true, .file = { .fd = -1 } };
static const struct slots_options *options;
static struct random *random_source;
static char shown_name[FLEET_NAME_SIZE];
static int64_t owner; /* unlike any other's */
static bool is_of_parent; /* who has started us holds one for us */
static int64_t held = -1; /* which one */
static bool is_held_there; /* one of a fleet's, instead */
static int64_t taken_ns; /* that */
static int64_t lost_ns; /* since when the fleet does not answer; 0: it does */
static bool is_patience_over; /* with a fleet that is lost */
static char lost_why[2 * FLEET_TEXT_SIZE];
static bool was_held; /* by an attempt of this run */
static int64_t waited_ns; /* in all */
static bool is_disordered; /* the order cannot be written */
static struct slots known; /* of it, then */
static struct text word; /* BACKOFF_SLOTS, up to the number of the slot */

void
slots_start(
    const struct slots_options *what, struct random *random, uint64_t unique)
{
	struct text text = text_in(shown_name, sizeof shown_name);

	options = what;
	random_source = random;
	owner = (int64_t)(unique & INT64_MAX) | 1;
	part.name = what->name;
	part.instead = what->fleet ? "with the fleet alone" : NULL;
	shared_name_add(&text, what->name, what->fleet);
}

/* --- runs within runs --- */

/*
 * "DEVICE:INODE:NAME:" or "fleet:NAME:", which tells these slots from others.
 */
static void
add_identity(struct text *text)
{
	const struct state_dir *dir = shared_state_dir();

	if (!options->fleet)
		text_join(text, NUMBER((int64_t)dir->device), ":",
		    NUMBER((int64_t)dir->inode), ":");
	text_join(text, shown_name, ":");
}

/* Reads "NUMBER:", or the last one of a word. */
static bool
read_number(const char **at, int64_t *number)
{
	char *end;

	if (!is_digit(**at))
		return false;
	*number = strtoll(*at, &end, 10);
	*at = end + (*end == ':');
	return true;
}

/*
 * "PID:NAMESPACE:SLOT": whether that slot is taken, and by who has started us.
 * From within another PID namespace nobody can see who that is.
 */
static bool
is_held_above(const char *holder)
{
	int64_t pid, namespace, slot;

	return read_number(&holder, &pid) && read_number(&holder, &namespace)
	    && read_number(&holder, &slot) && slot < SLOTS_MOST
	    && (options->fleet
	        || lock_is_taken(part.file.fd, STATE_LOCK_SLOT + slot))
	    && (namespace == 0 || namespace != processes_namespace()
	        || (pid <= INT32_MAX && may_be_ancestor((pid_t)pid)));
}

/*
 * WORDS has one of our identity for each slot that is held by who has started
 * us, or who did. What only says so is not believed.
 */
static bool
are_held_above(const char *words)
{
	char identity[FLEET_NAME_SIZE + 48];
	struct text text = text_in(identity, sizeof identity);

	add_identity(&text);
	for (const char *at = words; (at = strstr(at, identity)) != NULL; at++)
		if ((at == words || at[-1] == ' ')
		    && is_held_above(at + text.length))
			return true;
	return false;
}

/* What COMMAND finds: the slots that are held ABOVE us, and ours. */
static void
begin_word(const char *above)
{
	size_t size = strlen(above) + SHARED_NAME_SIZE + 128;
	char *room = malloc(size);

	if (room == NULL)
		return;
	word = text_in(room, size);
	text_join(&word, "BACKOFF_SLOTS=", above, above[0] != '\0' ? " " : "");
	add_identity(&word);
	text_join(
	    &word, NUMBER(getpid()), ":", NUMBER(processes_namespace()), ":");
}

bool
slots_are_of_parent(void)
{
	const char *above = getenv("BACKOFF_SLOTS");

	return above != NULL && are_held_above(above);
}

/* "cannot use slots hub (DIR: WHY)" */
static _Noreturn void
refuse_run(const char *fleet_why)
{
	char words[2 * PATH_MAX];
	struct text text = text_in(words, sizeof words);

	text_join(&text, "cannot use slots ", shown_name, " (");
	shared_state_add_why(&text, &part, part.file.why);
	text_join(&text, fleet_why != NULL ? "; " : "",
	    fleet_why != NULL ? fleet_why : "", ")");
	usage_refuse(words, NULL, NULL);
}

static bool
asks_fleet(struct fleet_view *view)
{
	return fleet_look(FLEET_SLOTS, &owner, 1, view);
}

void
slots_open(void)
{
	const char *above = getenv("BACKOFF_SLOTS");
	uint8_t record[STATE_SIZE];
	struct fleet_view view;
	bool is_found = shared_state_find(&part)
	    && state_file_read(&part.file, record) != STATE_UNUSABLE;

	is_of_parent = (is_found || options->fleet) && slots_are_of_parent();
	if (is_of_parent) {
		state_file_close(&part.file);
		return;
	}
	if (!is_found) {
		if (!options->fleet || !asks_fleet(&view))
			refuse_run(options->fleet ? fleet_lost_why() : NULL);
		shared_state_lose(&part, part.file.why);
	}
	begin_word(above != NULL ? above : "");
}

/* --- what is told --- */

static void
tell_wait(void)
{
	char words[FLEET_NAME_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	if (options->count == 1)
		text_add(&text, "waiting for the slot of ");
	else
		text_join(&text, "waiting for one of ", NUMBER(options->count),
		    " slots of ");
	text_add(&text, shown_name);
	log_news(WEIGHT_NORMAL, words, NULL, NULL);
}

static void
tell_taken(int64_t time_ns)
{
	char members[FLEET_NAME_SIZE + 64];
	struct text text = text_in(members, sizeof members);

	json_member_string(&text, "slots", shown_name);
	json_member_seconds(&text, "waited_s", time_ns);
	log_news(WEIGHT_NORMAL, NULL, "slot", members);
}

/* Others may have had it meanwhile: there may have been one too many. */
static void
tell_lost(void)
{
	log_degraded(WEIGHT_NORMAL,
	    JOINED(FLEET_NAME_SIZE + 64, "lost the slot of ", shown_name),
	    JOINED(FLEET_NAME_SIZE + 64, "slots ", shown_name),
	    "lost the slot");
}

static void
add_why(struct text *text)
{
	if (lost_ns > 0)
		text_join(text, " (", lost_why, ")");
}

/* --slots-wait is over, or the limit of the run has come. */
static struct entry
refuse(bool is_late)
{
	static char words[FLEET_NAME_SIZE + 2 * FLEET_TEXT_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	if (is_late) {
		text_join(&text, "a slot of ", shown_name);
		add_why(&text);
		return (struct entry) { .admission = ADMISSION_LATE,
			.waiting = words };
	}
	if (options->wait_ns == 0 && lost_ns == 0)
		text_join(&text, was_held ? "" : "skipped: ", "all slots of ",
		    shown_name, " are taken");
	else
		text_join(&text, "no slot of ", shown_name, " was free within ",
		    DURATION(options->wait_ns));
	add_why(&text);
	return (struct entry) { .admission = ADMISSION_REFUSED,
		.closing = words,
		.reason = words };
}

/* --- taking one --- */

/* One of this machine that is free, from a random one on; or none is needed. */
static enum lock_result
take_here(void)
{
	int64_t first = random_between(random_source, 0, options->count - 1);
	enum lock_result result = part.file.fd >= 0 ? LOCK_BUSY : LOCK_HAD;

	for (int64_t i = 0; i < options->count && result == LOCK_BUSY; i++) {
		int64_t slot = (first + i) % options->count;

		result = lock_try(part.file.fd, STATE_LOCK_SLOT + slot);
		if (result == LOCK_HAD)
			held = slot;
	}
	return result;
}

static int64_t
count_here(void)
{
	int64_t taken = 0;

	for (int64_t slot = 0; slot < options->count; slot++)
		taken += lock_is_taken(part.file.fd, STATE_LOCK_SLOT + slot);
	return taken;
}

/* --- a fleet --- */

/*
 * The fleet has not answered. What others hold there may last for as long as
 * a lease: that is waited for, once, before the slots of this machine serve.
 */
static bool
goes_on_here(void)
{
	int64_t now_ns = boot_clock_ns();

	if (lost_ns == 0)
		lost_ns = now_ns;
	if (now_ns - lost_ns >= FLEET_LEASE_NS)
		is_patience_over = true;
	text_copy(lost_why, sizeof lost_why, fleet_lost_why());
	if (!is_patience_over)
		fleet_begin();
	return is_patience_over;
}

/* How many are taken; all, where nobody knows. */
static int64_t
count_there(void)
{
	struct fleet_view view;

	if (fleet_is_on() && asks_fleet(&view)) {
		lost_ns = 0;
		return view.count;
	}
	return goes_on_here() ? count_here() : options->count;
}

static enum lock_result
take_there(void)
{
	struct fleet_view view;
	uint8_t state[8];
	enum fleet_put put;

	do {
		if (!asks_fleet(&view))
			return LOCK_FAILED;
		if (view.count >= options->count)
			return LOCK_BUSY;
		/* Another one than before, so that two cannot both have it. */
		little_endian_put(state, sizeof state,
		    view.size == sizeof state
		        ? little_endian_get(view.state, sizeof state) + 1
		        : 1);
		put = fleet_put(FLEET_SLOTS, owner, &view, state, sizeof state);
	} while (put == FLEET_CROSSED);
	is_held_there = put == FLEET_DONE;
	taken_ns = boot_clock_ns();
	return is_held_there ? LOCK_HAD : LOCK_FAILED;
}

/* A free one, wherever they are. */
static enum lock_result
take_free(void)
{
	enum lock_result result = LOCK_FAILED;

	if (!options->fleet)
		return take_here();
	if (fleet_is_on())
		result = take_there();
	if (result != LOCK_FAILED) {
		lost_ns = 0;
		return result;
	}
	result = goes_on_here() ? take_here() : LOCK_BUSY;
	if (result == LOCK_HAD)
		fleet_tell_lost(FLEET_SLOTS);
	return result;
}

/* --- the order --- */

/* Somebody alive has a ticket before this one. */
static bool
is_before(int64_t ticket)
{
	return lock_find(part.file.fd, STATE_LOCK_SLOT_TICKET,
	           STATE_LOCK_SLOT_TICKET + ticket - 1)
	    >= 0;
}

/* Lives until we have gone, or given it back. */
static enum lock_result
take_ticket(struct slots *slots, int64_t *ticket)
{
	enum lock_result result = LOCK_BUSY;

	/* Another program may have locked all of the file. */
	for (int i = 0; i < SLOTS_MOST && result == LOCK_BUSY; i++) {
		*ticket = slots->next++;
		result
		    = lock_try(part.file.fd, STATE_LOCK_SLOT_TICKET + *ticket);
	}
	if (result == LOCK_BUSY)
		*ticket = 0;
	return result;
}

/* Begins to change the record. False: nobody keeps the order. */
static bool
read_order(uint8_t record[STATE_SIZE])
{
	enum state_found found = STATE_UNUSABLE;

	if (!is_disordered && state_file_lock(&part.file))
		found = state_file_read(&part.file, record);
	if (found == STATE_NEW)
		state_record_set_boot(record, boot_hash());
	return found != STATE_UNUSABLE;
}

/* The slots are locks, and kept, even where the order cannot be written. */
static void
write_order(uint8_t record[STATE_SIZE], const struct slots *slots)
{
	uint8_t before[STATE_SLOTS_SIZE];

	memcpy(before, record + STATE_SLOTS_AT, sizeof before);
	slots_put(record + STATE_SLOTS_AT, boot_hash(), slots);
	if (memcmp(before, record + STATE_SLOTS_AT, sizeof before) != 0
	    && !state_file_write(&part.file, record))
		is_disordered = true;
}

/*
 * A slot, if it is our turn; or where the server of a fleet has to be asked,
 * that it is. Else *UNTIL_NS is when to look again.
 */
static enum lock_result
take_in_turn(struct slots *slots, int64_t now_ns, struct slots_visit visit,
    int64_t *until_ns)
{
	struct slots looked;
	enum lock_result result;

	if (!options->fleet && slots_count_is_due(slots, now_ns, &visit))
		visit.busy = count_here();
	do {
		looked = *slots;
		*until_ns = slots_look(&looked, now_ns, &visit);
		result = *until_ns > 0 ? LOCK_BUSY
		    : options->fleet   ? LOCK_HAD
		                       : take_here();
		visit.busy = options->count;
	} while (result == LOCK_BUSY && *until_ns == 0);
	*slots = looked;
	return result;
}

/* Nobody holds the lock of the record while a server is asked. */
static void
ask_before(struct slots_visit *visit)
{
	uint8_t record[STATE_SIZE];
	int64_t now_ns = boot_clock_ns();
	struct slots seen = slots_new(now_ns);

	if (part.file.fd >= 0
	    && state_file_read(&part.file, record) == STATE_RECORD)
		seen = slots_get(record + STATE_SLOTS_AT, boot_hash(), now_ns);
	/* Another run of this machine has found it lost, and still asks. */
	if (seen.lost_ns > 0 && now_ns - seen.counted_ns < FLEET_LEASE_NS)
		lost_ns = seen.lost_ns;
	if (slots_count_is_due(&seen, now_ns, visit))
		visit->busy = count_there();
}

/* The same with what is remembered, and a *TICKET where we have none. */
static enum lock_result
look(int64_t *ticket, int64_t *again_ns)
{
	uint8_t record[STATE_SIZE];
	bool is_ordered;
	int64_t now_ns, until_ns = 0;
	struct slots slots;
	struct slots_visit visit = { .ticket = *ticket,
		.count = options->count,
		.busy = -1,
		.is_first = *ticket > 0 && !is_before(*ticket),
		.is_far = options->fleet };
	enum lock_result result = LOCK_HAD;

	if (options->fleet)
		ask_before(&visit);
	is_ordered = part.file.fd >= 0 && read_order(record);
	now_ns = boot_clock_ns();
	slots = known.next > 0 ? known : slots_new(now_ns);
	if (is_ordered)
		slots = slots_get(record + STATE_SLOTS_AT, boot_hash(), now_ns);
	if (*ticket == 0 && (is_ordered || is_disordered))
		result = take_ticket(&slots, ticket);
	if (visit.busy >= 0)
		slots.lost_ns = lost_ns;
	visit.ticket = *ticket;
	visit.is_first = *ticket == 0 || !is_before(*ticket);
	if (result == LOCK_HAD)
		result = take_in_turn(&slots, now_ns, visit, &until_ns);
	if (is_ordered && result != LOCK_FAILED)
		write_order(record, &slots);
	known = slots;
	if (part.file.fd >= 0)
		state_file_unlock(&part.file);
	if (result == LOCK_HAD && options->fleet)
		result = take_free();
	*again_ns
	    = clock_now_ns() + (until_ns > 0 ? until_ns - now_ns : CROSSED_NS);
	return result;
}

/* A fleet that answers again is no longer lost, for all of this machine. */
static void
forget_loss(void)
{
	uint8_t record[STATE_SIZE];
	struct slots slots;
	int64_t now_ns = boot_clock_ns();

	if (part.file.fd < 0
	    || state_file_read(&part.file, record) != STATE_RECORD
	    || slots_get(record + STATE_SLOTS_AT, boot_hash(), now_ns).lost_ns
	        == 0)
		return;
	if (read_order(record)) {
		slots = slots_get(
		    record + STATE_SLOTS_AT, boot_hash(), boot_clock_ns());
		slots.lost_ns = 0;
		write_order(record, &slots);
	}
	state_file_unlock(&part.file);
}

/* Until LIMIT_NS, or a *SIGNAL; one that is not for us is discarded. */
static enum lock_result
wait_in_order(int64_t limit_ns, bool *waited, int *signal)
{
	int64_t since_ns = clock_now_ns(), ticket = 0, again_ns;
	int64_t tell_ns = since_ns + TELL_AFTER_NS;
	enum lock_result result = LOCK_BUSY;

	while (!signals_ends(*signal)
	    && (result = look(&ticket, &again_ns)) == LOCK_BUSY
	    && clock_now_ns() < limit_ns) {
		*waited = true;
		*signal = signals_sleep(
		    min_ns(min_ns(again_ns, limit_ns), tell_ns));
		if (clock_now_ns() < tell_ns || signals_ends(*signal))
			continue;
		tell_wait();
		tell_ns = INT64_MAX;
	}
	if (ticket > 0)
		lock_free(part.file.fd, STATE_LOCK_SLOT_TICKET + ticket);
	waited_ns = saturating_add(waited_ns, clock_now_ns() - since_ns);
	if (!signals_ends(*signal))
		*signal = *waited ? signals_drain() : 0;
	if (result == LOCK_HAD && *waited && *signal == 0)
		tell_taken(clock_now_ns() - since_ns);
	return result;
}

struct entry
slots_take(int64_t until_ns, bool *waited)
{
	int64_t now_ns = clock_now_ns();
	int64_t limit_ns
	    = saturating_add(now_ns, max_ns(options->wait_ns - waited_ns, 0));
	enum lock_result result = LOCK_BUSY;
	bool may_wait = now_ns < min_ns(until_ns, limit_ns);
	int signal = 0;

	*waited = false;
	if (is_of_parent || (part.file.fd < 0 && !options->fleet))
		return (struct entry) { .admission = ADMISSION_GO };
	/* Who may wait goes behind those who do; who may not takes any. */
	if (!may_wait || !is_before(SLOTS_LAST_TICKET))
		result = take_free();
	if (result == LOCK_BUSY && may_wait)
		result = wait_in_order(
		    min_ns(until_ns, limit_ns), waited, &signal);
	if (signal != 0) {
		slots_free();
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	}
	if (result == LOCK_BUSY)
		return refuse(until_ns <= limit_ns);
	if (result == LOCK_FAILED) {
		shared_state_lose(&part, strerror(errno));
	} else {
		if (is_held_there)
			forget_loss();
		was_held = true;
		if (word.length > 0) {
			struct text text = word;

			text_number(&text, max_ns(held, 0));
			environment_slots(word.data);
		}
	}
	return (struct entry) { .admission = ADMISSION_GO };
}

void
slots_free(void)
{
	if (is_held_there) {
		/* A lease that may have run out was perhaps another's. */
		if (!fleet_drop(FLEET_SLOTS)) {
			if (boot_clock_ns() - taken_ns >= FLEET_LEASE_NS)
				fleet_tell_lost(FLEET_SLOTS);
		} else if (fleet_news(FLEET_SLOTS) != FLEET_NO_NEWS) {
			tell_lost();
		}
	}
	if (held >= 0)
		lock_free(part.file.fd, STATE_LOCK_SLOT + held);
	is_held_there = false;
	held = -1;
	environment_slots(NULL);
}
