/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/base/bytes.h"
#include "core/base/text.h"
#include "core/gate/record.h"

#define MOST_COUNT (UINT32_C(1) << 20)
#define MOST_TIME (INT64_MAX / 2)
#define MOST_WAITERS (UINT64_C(1) << 16)
#define LAST_TICKET (UINT64_C(1) << 47) /* each has a byte that is locked */
#define MOST_RATE 1024.0
#define MOST_AHEAD_NS (20 * NS_PER_MIN)
#define MOST_GAP_NS (int64_t)(1 / PACE_LEAST * (double)NS_PER_S)

/* Clocks of processors differ; and a write may follow the reading. */
#define TOLERANCE_NS NS_PER_S

size_t
shared_name_scan(const char *text)
{
	static const char bytes[] = "._-"
	                            "0123456789_"
	                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "abcdefghijklmnopqrstuvwxyz";
	size_t length = strspn(text, bytes);

	if (length >= SHARED_NAME_SIZE || text[0] == '.' || text[0] == '-'
	    || (length == 4 && memcmp(text, "list", 4) == 0))
		return 0;
	return length;
}

/* --- fields --- */

/*
 * A walk over the fields of a struct, in the order of the format: it reads them
 * FROM bytes, or writes them TO others. What is read is limited.
 */
struct walk {
	const uint8_t *from;
	uint8_t *to; /* NULL: it reads */
	size_t at; /* the next field */
	int64_t now_ns; /* reading: for the limits of moments */
	int64_t ahead_ns; /* the clock of the bytes is, of ours */
	bool is_wrong; /* no run can have written what was read */
};

/* A number of SIZE bytes, which is VALUE when it writes; MOST at most. */
static uint64_t
number(struct walk *walk, int size, uint64_t value, uint64_t most)
{
	if (walk->to != NULL)
		little_endian_put(walk->to + walk->at, size, value);
	else
		value = little_endian_get(walk->from + walk->at, size);
	walk->at += (size_t)size;
	return value < most ? value : most;
}

static void
flag(struct walk *walk, bool *value)
{
	*value = number(walk, 1, *value, 1) != 0;
}

static void
small(struct walk *walk, uint8_t *value, uint8_t most)
{
	*value = (uint8_t)number(walk, 1, *value, most);
}

static void
count(struct walk *walk, uint32_t *value, uint32_t most)
{
	*value = (uint32_t)number(walk, 4, *value, most);
}

static void
any(struct walk *walk, uint64_t *value)
{
	*value = number(walk, 8, *value, UINT64_MAX);
}

static void
up_to(struct walk *walk, int64_t *value, int64_t most)
{
	*value = (int64_t)number(walk, 8, (uint64_t)*value, (uint64_t)most);
}

static void
span(struct walk *walk, int64_t *ns)
{
	up_to(walk, ns, GATE_STATED_NS);
}

static int64_t
shift(int64_t moment_ns, int64_t ahead_ns)
{
	return moment_ns == 0 ? 0 : max_ns(moment_ns + ahead_ns, 1);
}

/* A moment that may be to come, by LATER_NS at most; 0 stands for never. */
static void
moment(struct walk *walk, int64_t *ns, int64_t later_ns)
{
	int64_t there_ns = shift(*ns, walk->ahead_ns);

	up_to(walk, &there_ns, MOST_TIME);
	if (walk->to != NULL)
		return;
	*ns = shift(there_ns, -walk->ahead_ns);
	if (*ns > walk->now_ns + TOLERANCE_NS + later_ns)
		walk->is_wrong = true;
	*ns = min_ns(*ns, walk->now_ns + later_ns);
}

static void
past(struct walk *walk, int64_t *ns)
{
	moment(walk, ns, 0);
}

static void
ahead(struct walk *walk, int64_t *ns)
{
	moment(walk, ns, MOST_AHEAD_NS);
}

/* In four bytes, as a multiple of 1 / UNIT. */
static void
fraction(struct walk *walk, double *value, double unit, double most)
{
	double units = *value * unit + 0.5;

	*value = (double)number(walk, 4,
	             units < UINT32_MAX ? (uint64_t)units : UINT32_MAX,
	             (uint64_t)(most * unit))
	    / unit;
}

static void
rate(struct walk *walk, double *value)
{
	fraction(walk, value, 1e6, MOST_RATE);
}

static void
share(struct walk *walk, double *value)
{
	fraction(walk, value, 2147483648.0, 1);
}

/* SIZE bytes of a string, with zeros behind it. */
static void
words(struct walk *walk, char *value, size_t size)
{
	if (walk->to == NULL)
		memcpy(value, walk->from + walk->at, size);
	else
		for (size_t i = 0; i < size && value[i] != '\0'; i++)
			walk->to[walk->at + i] = (uint8_t)value[i];
	walk->at += size;
}

/* At the end of the SIZE bytes of a part stands the crc32 of the others. */
static bool
is_whole(const uint8_t *part, size_t size)
{
	return little_endian_get(part + size - 4, 4) == crc32(part, size - 4);
}

static void
seal(uint8_t *part, size_t size)
{
	little_endian_put(part + size - 4, 4, crc32(part, size - 4));
}

/* --- the header, which stays as it is in every version --- */

static const uint8_t magic[8] = { 'b', 'a', 'c', 'k', 'o', 'f', 'f', '\n' };

enum {
	VERSION_AT = 8,
	SIZE_AT = 10,
	BOOT_AT = 12,
	HEADER_SIZE = 24,
};

enum state_header
state_record_look(
    const uint8_t record[STATE_SIZE], size_t size, const char **why)
{
	static const uint8_t zeros[sizeof magic];
	uint64_t version = little_endian_get(record + VERSION_AT, 2);

	*why = "";
	if (size == 0)
		return STATE_HEADER_AS_NEW;
	*why = "nothing but zeros";
	if (memcmp(record, zeros, sizeof zeros) == 0)
		return STATE_HEADER_AS_NEW;
	*why = "cut short";
	if (size < sizeof magic && memcmp(record, magic, size) == 0)
		return STATE_HEADER_AS_NEW;
	*why = "not a state file of backoff";
	if (memcmp(record, magic, sizeof magic) != 0)
		return STATE_HEADER_FOREIGN;
	*why = "written by a later version of backoff";
	if (version > STATE_VERSION
	    || little_endian_get(record + SIZE_AT, 2) > STATE_SIZE)
		return STATE_HEADER_FOREIGN;
	*why = size < STATE_SIZE ? "cut short" : "bad checksum";
	if (size < STATE_GATE_AT || !is_whole(record, HEADER_SIZE))
		return STATE_HEADER_AS_NEW;
	/* The record of an older version was smaller. */
	if (version < STATE_VERSION)
		*why = "written by an earlier version of backoff";
	if (version < STATE_VERSION || size < STATE_SIZE)
		return STATE_HEADER_AS_NEW;
	*why = "";
	return STATE_HEADER_FINE;
}

uint64_t
state_record_boot(const uint8_t record[STATE_SIZE])
{
	return little_endian_get(record + BOOT_AT, 8);
}

void
state_record_set_boot(uint8_t record[STATE_SIZE], uint64_t boot)
{
	/* The deferral alone outlives a boot. */
	if (state_record_boot(record) != boot) {
		memset(record + STATE_GATE_AT, 0, STATE_GATE_SIZE);
		memset(record + STATE_SLOTS_AT, 0, STATE_SLOTS_SIZE);
	}
	memset(record, 0, STATE_GATE_AT);
	memcpy(record, magic, sizeof magic);
	little_endian_put(record + VERSION_AT, 2, STATE_VERSION);
	little_endian_put(record + SIZE_AT, 2, STATE_SIZE);
	little_endian_put(record + BOOT_AT, 8, boot);
	seal(record, HEADER_SIZE);
}

/* --- the gate --- */

static void
walk_row(struct walk *walk, struct gate_row *row)
{
	count(walk, &row->failures, MOST_COUNT);
	flag(walk, &row->two_runs);
	any(walk, &row->last_run);
	past(walk, &row->first_ns);
	past(walk, &row->last_ns);
	span(walk, &row->longest_ns);
}

static void
walk_counts(struct walk *walk, struct pace_count *counts)
{
	count(walk, &counts->starts, MOST_COUNT);
	count(walk, &counts->bad, MOST_COUNT);
}

static void
walk_pace(struct walk *walk, struct pace *pace)
{
	rate(walk, &pace->rate);
	rate(walk, &pace->limit);
	past(walk, &pace->second_ns);
	walk_counts(walk, &pace->second);
	past(walk, &pace->interval.since_ns);
	rate(walk, &pace->interval.rate);
	walk_counts(walk, &pace->interval.count);
	rate(walk, &pace->served);
	walk_counts(walk, &pace->paid);
	share(walk, &pace->base);
	past(walk, &pace->base_ns);
	walk_counts(walk, &pace->forty);
	share(walk, &pace->share);
	walk->at += 8; /* not used any more */
	past(walk, &pace->kept_ns);
	past(walk, &pace->refused_ns);
	span(walk, &pace->stated_ns);
	count(walk, &pace->quiet, MOST_COUNT);
	ahead(walk, &pace->try_ns);
	span(walk, &pace->try_gap_ns);
	rate(walk, &pace->tried_from);
	walk_counts(walk, &pace->look);
	share(walk, &pace->failing);
	small(walk, &pace->cuts, UINT8_MAX);
	share(walk, &pace->cut_share);
	rate(walk, &pace->cut_rate);
	flag(walk, &pace->settles);
	ahead(walk, &pace->calm_ns);
}

static void
walk_gate(struct walk *walk, struct gate *gate)
{
	uint8_t state = (uint8_t)gate->state, phase = (uint8_t)gate->pace.phase;

	small(walk, &state, GATE_STATES);
	small(walk, &phase, PACE_TRYING + 1);
	walk->is_wrong = state == GATE_STATES || phase > PACE_TRYING;
	gate->state = (enum gate_state)state;
	gate->pace.phase = (enum pace_phase)phase;
	past(walk, &gate->since_ns);
	past(walk, &gate->since_ns); /* the format has it twice */
	walk_row(walk, &gate->row);
	any(walk, &gate->next);
	any(walk, &gate->head);
	ahead(walk, &gate->head_ns);
	count(walk, &gate->probes, MOST_COUNT);
	moment(walk, &gate->due_ns, GATE_STATED_NS);
	flag(walk, &gate->stated);
	for (int i = 0; i < GATE_MOST_PROBERS; i++)
		any(walk, &gate->probers[i]);
	small(walk, &gate->probers_count, GATE_MOST_PROBERS);
	past(walk, &gate->probe_ns);
	past(walk, &gate->window_ns);
	walk_counts(walk, &gate->window);
	count(walk, &gate->told, MOST_COUNT);
	past(walk, &gate->told_ns);
	span(walk, &gate->took_ns);
	up_to(walk, &gate->written_ns, MOST_TIME);
	past(walk, &gate->synced_ns);
	walk_pace(walk, &gate->pace);
	any(walk, &gate->told_run);
	walk->at = STATE_GATE_SIZE - 4 - GATE_REASON_SIZE;
	words(walk, gate->reason, GATE_REASON_SIZE);
}

/* Limits what depends on other numbers. False: no run can have written it. */
static bool
limit_others(struct gate *gate, int64_t now_ns)
{
	int64_t due_ns = now_ns + (gate->stated ? GATE_STATED_NS : GATE_DUE_NS);

	if (gate->head == 0 || gate->next < gate->head
	    || gate->next > LAST_TICKET || gate->due_ns > due_ns + TOLERANCE_NS)
		return false;
	for (int i = 0; i < gate->probers_count; i++)
		if (gate->probers[i] >= gate->next)
			return false;
	if (gate->next - gate->head > MOST_WAITERS)
		gate->head = gate->next - MOST_WAITERS;
	gate->due_ns = min_ns(gate->due_ns, due_ns);
	gate->head_ns = min_ns(gate->head_ns, now_ns + MOST_GAP_NS);
	pace_limit(&gate->pace);
	return true;
}

bool
gate_record_read(struct gate *gate, const uint8_t bytes[STATE_GATE_SIZE],
    int64_t now_ns, int64_t ahead_ns)
{
	struct walk walk
	    = { .from = bytes, .now_ns = now_ns, .ahead_ns = ahead_ns };
	char reason[GATE_REASON_SIZE + 1];
	struct text text = text_in(gate->reason, sizeof gate->reason);

	*gate = gate_new();
	if (!is_whole(bytes, STATE_GATE_SIZE))
		return false;
	walk_gate(&walk, gate);
	if (walk.is_wrong || !limit_others(gate, now_ns)) {
		*gate = gate_new();
		return false;
	}
	text_copy(reason, sizeof reason, gate->reason);
	text_ascii(&text, reason);
	return true;
}

void
gate_record_write(
    uint8_t bytes[STATE_GATE_SIZE], const struct gate *gate, int64_t ahead_ns)
{
	struct walk walk = { .to = bytes, .ahead_ns = ahead_ns };
	struct gate copy = *gate;

	memset(bytes, 0, STATE_GATE_SIZE);
	walk_gate(&walk, &copy);
	seal(bytes, STATE_GATE_SIZE);
}

/* --- the deferral --- */

static void
walk_deferral(struct walk *walk, struct deferral *deferral)
{
	up_to(walk, &deferral->since_ns, MOST_TIME);
	count(walk, &deferral->failures, UINT32_MAX);
	up_to(walk, &deferral->until_ns, MOST_TIME);
	up_to(walk, &deferral->window_ns, MOST_TIME);
	small(walk, &deferral->status, UINT8_MAX);
	words(walk, deferral->reason, DEFERRAL_REASON_SIZE);
	up_to(walk, &deferral->last_ns, MOST_TIME);
	count(walk, &deferral->runs, UINT32_MAX);
}

struct deferral
state_record_deferral(const uint8_t record[STATE_SIZE], bool *is_broken)
{
	static const uint8_t unwritten[STATE_DEFERRAL_SIZE];
	const uint8_t *part = record + STATE_DEFERRAL_AT;
	bool whole = is_whole(part, STATE_DEFERRAL_SIZE);
	struct walk walk = { .from = part };
	struct deferral deferral = { .failures = 0 };
	char reason[DEFERRAL_REASON_SIZE + 1] = "";
	struct text text = text_in(deferral.reason, DEFERRAL_REASON_SIZE);

	if (is_broken != NULL)
		*is_broken
		    = !whole && memcmp(part, unwritten, sizeof unwritten) != 0;
	if (!whole)
		return deferral;
	walk_deferral(&walk, &deferral);
	memcpy(reason, deferral.reason, DEFERRAL_REASON_SIZE);
	memset(deferral.reason, 0, DEFERRAL_REASON_SIZE);
	text_printable(&text, reason);
	return deferral;
}

void
state_record_set_deferral(
    uint8_t record[STATE_SIZE], const struct deferral *deferral)
{
	uint8_t *part = record + STATE_DEFERRAL_AT;
	struct walk walk = { .to = part };
	struct deferral copy = *deferral;

	memset(part, 0, STATE_DEFERRAL_SIZE);
	walk_deferral(&walk, &copy);
	seal(part, STATE_DEFERRAL_SIZE);
}

/* --- the slots --- */

static void
walk_slots(struct walk *walk, struct slots *slots)
{
	up_to(walk, &slots->next, MOST_TIME);
	up_to(walk, &slots->head, MOST_TIME);
	up_to(walk, &slots->passed, MOST_TIME);
	past(walk, &slots->moved_ns);
	past(walk, &slots->counted_ns);
	up_to(walk, &slots->busy, SLOTS_LAST_TICKET);
	up_to(walk, &slots->count, SLOTS_LAST_TICKET);
	past(walk, &slots->lost_since_ns);
}

struct slots
state_record_slots(const uint8_t record[STATE_SIZE], int64_t now_ns)
{
	const uint8_t *part = record + STATE_SLOTS_AT;
	struct walk walk = { .from = part, .now_ns = now_ns };
	struct slots slots = { .next = 0 };

	walk_slots(&walk, &slots);
	if (!is_whole(part, STATE_SLOTS_SIZE) || walk.is_wrong || slots.next < 1
	    || slots.next > SLOTS_LAST_TICKET)
		return slots_new(now_ns);
	slots.head = min_ns(max_ns(slots.head, 1), slots.next);
	slots.passed = min_ns(slots.passed, slots.next);
	return slots;
}

void
state_record_set_slots(uint8_t record[STATE_SIZE], const struct slots *slots)
{
	uint8_t *part = record + STATE_SLOTS_AT;
	struct walk walk = { .to = part };
	struct slots copy = *slots;

	memset(part, 0, STATE_SLOTS_SIZE);
	walk_slots(&walk, &copy);
	seal(part, STATE_SLOTS_SIZE);
}
