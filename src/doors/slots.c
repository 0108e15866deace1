/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/gate/slots_step.h"
#include "core/words/json.h"
#include "doors/slots.h"
#include "log/log.h"
#include "options/usage.h"
#include "process/environment.h"
#include "process/signals.h"
#include "process/sleep.h"
#include "shared/ancestors.h"
#include "shared/lock_wait.h"
#include "shared/shared_state.h"
#include "system/boot.h"
#include "system/clock.h"
#include "system/processes.h"

#define TELL_AFTER_NS NS_PER_S

static struct shared_part part
    = { .what = "slots", .is_limit = true, .file = { .fd = -1 } };
static const struct slots_options *options;
static struct random *random_source;
static int64_t held = -1; /* which one */
static bool was_held; /* by an attempt of this run */
static int64_t waited_ns; /* in all */
static bool is_disordered; /* the order cannot be written */
static struct text word; /* BACKOFF_SLOTS, up to the number of the slot */

void
slots_start(const struct slots_options *what, struct random *random)
{
	options = what;
	random_source = random;
	part.name = what->name;
}

/* --- runs within runs --- */

/* "DEVICE:INODE:NAME:", which tells these slots from others. */
static void
add_identity(struct text *text)
{
	const struct state_dir *dir = shared_state_dir();

	text_join(text, NUMBER((int64_t)dir->device), ":",
	    NUMBER((int64_t)dir->inode), ":", options->name, ":");
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
	    && lock_is_taken(part.file.fd, STATE_LOCK_SLOT + slot)
	    && (namespace == 0 || namespace != processes_namespace()
	        || (pid <= INT32_MAX && may_be_ancestor((pid_t)pid)));
}

/*
 * WORDS has one of our identity for each slot that is held by who has started
 * us, or who did. What only says so is not believed.
 */
static bool
is_of_parent(const char *words)
{
	char identity[SHARED_NAME_SIZE + 48];
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

void
slots_open(void)
{
	const char *above = getenv("BACKOFF_SLOTS");
	uint8_t record[STATE_SIZE];
	char words[2 * PATH_MAX];
	struct text text = text_in(words, sizeof words);

	if (!shared_state_find(&part)
	    || state_file_read(&part.file, record) == STATE_UNUSABLE) {
		text_join(&text, "cannot use slots ", options->name, " (");
		shared_state_add_why(&text, &part, part.file.why);
		text_byte(&text, ')');
		usage_refuse(words, NULL, NULL);
	}
	if (above == NULL)
		above = "";
	if (is_of_parent(above))
		state_file_close(&part.file);
	else
		begin_word(above);
}

/* --- what is told --- */

static void
tell_wait(void)
{
	char words[SHARED_NAME_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	if (options->count == 1)
		text_add(&text, "waiting for the slot of ");
	else
		text_join(&text, "waiting for one of ", NUMBER(options->count),
		    " slots of ");
	text_add(&text, options->name);
	log_news(WEIGHT_NORMAL, words, NULL, NULL);
}

static void
tell_taken(int64_t time_ns)
{
	char members[SHARED_NAME_SIZE + 64];
	struct text text = text_in(members, sizeof members);

	json_member_string(&text, "slots", options->name);
	json_member_seconds(&text, "waited_s", time_ns);
	log_news(WEIGHT_NORMAL, NULL, "slot", members);
}

/* --slots-wait is over, or the limit of the run has come. */
static struct entry
refuse(bool is_late)
{
	static char words[SHARED_NAME_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	if (is_late) {
		text_join(&text, "a slot of ", options->name);
		return (struct entry) { .admission = ADMISSION_LATE,
			.waiting = words };
	}
	if (options->wait_ns == 0)
		text_join(&text, was_held ? "" : "skipped: ", "all slots of ",
		    options->name, " are taken");
	else
		text_join(&text, "no slot of ", options->name,
		    " was free within ", DURATION(options->wait_ns));
	return (struct entry) { .admission = ADMISSION_REFUSED,
		.closing = words,
		.reason = words };
}

/* --- taking one --- */

/* One that is free, from a random one on. */
static enum lock_result
take_free(void)
{
	int64_t first = random_between(random_source, 0, options->count - 1);
	enum lock_result result = LOCK_BUSY;

	for (int64_t i = 0; i < options->count && result == LOCK_BUSY; i++) {
		int64_t slot = (first + i) % options->count;

		result = lock_try(part.file.fd, STATE_LOCK_SLOT + slot);
		if (result == LOCK_HAD)
			held = slot;
	}
	return result;
}

static int64_t
count_taken(void)
{
	int64_t taken = 0;

	for (int64_t slot = 0; slot < options->count; slot++)
		taken += lock_is_taken(part.file.fd, STATE_LOCK_SLOT + slot);
	return taken;
}

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
	enum lock_result result;

	do {
		*ticket = slots->next++;
		result
		    = lock_try(part.file.fd, STATE_LOCK_SLOT_TICKET + *ticket);
	} while (result == LOCK_BUSY);
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

/* A slot, if it is our turn. Else *UNTIL_NS is when to look again. */
static enum lock_result
take_in_turn(struct slots *slots, int64_t now_ns, struct slots_visit visit,
    int64_t *until_ns)
{
	struct slots looked;
	enum lock_result result;

	if (slots_count_is_due(slots, now_ns, &visit))
		visit.busy = count_taken();
	do {
		looked = *slots;
		*until_ns = slots_look(&looked, now_ns, &visit);
		result = *until_ns > 0 ? LOCK_BUSY : take_free();
		visit.busy = options->count;
	} while (result == LOCK_BUSY && *until_ns == 0);
	*slots = looked;
	return result;
}

/* The same with what is remembered, and a *TICKET where we have none. */
static enum lock_result
look(int64_t *ticket, int64_t *again_ns)
{
	uint8_t record[STATE_SIZE];
	bool is_ordered = read_order(record);
	int64_t now_ns = boot_clock_ns(), until_ns = 0;
	struct slots slots = slots_new(now_ns);
	enum lock_result result = LOCK_HAD;

	if (is_ordered)
		slots = slots_get(record + STATE_SLOTS_AT, boot_hash(), now_ns);
	if (*ticket == 0)
		result = take_ticket(&slots, ticket);
	if (result == LOCK_HAD)
		result = take_in_turn(&slots, now_ns,
		    (struct slots_visit) { .ticket = *ticket,
		        .count = options->count,
		        .busy = -1,
		        .is_first = !is_ordered || !is_before(*ticket) },
		    &until_ns);
	if (is_ordered && result != LOCK_FAILED)
		write_order(record, &slots);
	state_file_unlock(&part.file);
	*again_ns = clock_now_ns() + until_ns - now_ns;
	return result;
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
		*signal = sleep_until_told(
		    min_ns(min_ns(again_ns, limit_ns), tell_ns));
		if (clock_now_ns() < tell_ns || signals_ends(*signal))
			continue;
		tell_wait();
		tell_ns = INT64_MAX;
	}
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
	if (part.file.fd < 0)
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
		was_held = true;
		if (word.length > 0) {
			struct text text = word;

			text_number(&text, held);
			environment_slots(word.data);
		}
	}
	return (struct entry) { .admission = ADMISSION_GO };
}

void
slots_free(void)
{
	if (held >= 0)
		lock_free(part.file.fd, STATE_LOCK_SLOT + held);
	held = -1;
	environment_slots(NULL);
}
