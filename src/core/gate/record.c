/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"
#include "core/gate/gate.h"

#define MOST_COUNT (UINT32_C(1) << 20)
#define MOST_TIME (INT64_MAX / 2)
#define MOST_WAITERS (UINT64_C(1) << 16)
#define RATE 1e6
#define SHARE 2147483648.0
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
pair(struct walk *walk, struct pace_count *value)
{
	count(walk, &value->starts, MOST_COUNT);
	count(walk, &value->bad, MOST_COUNT);
}

static void
any(struct walk *walk, uint64_t *value)
{
	*value = number(walk, 8, *value, UINT64_MAX);
}

/* A span, or a whole number. */
static void
up_to(struct walk *walk, int64_t *value, int64_t most)
{
	*value = (int64_t)number(walk, 8, (uint64_t)*value, (uint64_t)most);
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

/* In four bytes, as a multiple of 1 / UNIT. */
static void
fraction(struct walk *walk, double *value, double unit, double most)
{
	double units = *value * unit + 0.5;

	units = (double)number(walk, 4,
	    units < UINT32_MAX ? (uint64_t)units : UINT32_MAX, UINT32_MAX);
	*value = units < most * unit ? units / unit : most;
}

/* A string of up to SIZE bytes, then zeros; CLEAN adds what is read. */
static void
string(struct walk *walk, char *value, size_t size,
    void (*clean)(struct text *text, const char *string))
{
	char raw[DEFERRAL_REASON_SIZE + 1] = "";
	struct text text = { .data = value, .size = size + 1 };

	if (walk->to != NULL) {
		memcpy(walk->to + walk->at, value, strlen(value));
	} else {
		memcpy(raw, walk->from + walk->at, size);
		value[0] = '\0';
		clean(&text, raw);
	}
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
walk_pace(struct walk *walk, struct pace *pace)
{
	double rate = pace->rate;

	fraction(walk, &pace->rate, RATE, PACE_MOST);
	fraction(walk, &pace->limit, RATE, MOST_RATE);
	moment(walk, &pace->second_ns, 0);
	pair(walk, &pace->second);
	moment(walk, &pace->interval_ns, 0);
	fraction(walk, &rate, RATE, MOST_RATE); /* the format has it twice */
	pair(walk, &pace->interval);
	fraction(walk, &pace->served, RATE, MOST_RATE);
	pair(walk, &pace->paid);
	fraction(walk, &pace->base, SHARE, 1);
	moment(walk, &pace->base_ns, 0);
	pair(walk, &pace->forty);
	fraction(walk, &pace->share, SHARE, 1);
	walk->at += 8; /* not used any more */
	moment(walk, &pace->kept_ns, 0);
	moment(walk, &pace->refused_ns, 0);
	up_to(walk, &pace->stated_ns, GATE_STATED_NS);
	count(walk, &pace->quiet, MOST_COUNT);
	moment(walk, &pace->try_ns, MOST_AHEAD_NS);
	up_to(walk, &pace->try_gap_ns, GATE_STATED_NS);
	fraction(walk, &pace->tried_from, RATE, MOST_RATE);
	pair(walk, &pace->look);
	fraction(walk, &pace->failing, SHARE, PACE_MOST_FAILING);
	small(walk, &pace->cuts, PACE_MOST_CUTS);
	fraction(walk, &pace->cut_share, SHARE, 1);
	fraction(walk, &pace->cut_rate, RATE, MOST_RATE);
	flag(walk, &pace->settles);
	moment(walk, &pace->calm_ns, MOST_AHEAD_NS);
	if (pace->rate < PACE_LEAST)
		pace->rate = PACE_LEAST;
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
	moment(walk, &gate->since_ns, 0);
	moment(walk, &gate->since_ns, 0); /* the format has it twice */
	count(walk, &gate->row.failures, MOST_COUNT);
	flag(walk, &gate->row.two_runs);
	any(walk, &gate->row.last_run);
	moment(walk, &gate->row.first_ns, 0);
	moment(walk, &gate->row.last_ns, 0);
	up_to(walk, &gate->row.longest_ns, GATE_STATED_NS);
	any(walk, &gate->next);
	any(walk, &gate->head);
	moment(walk, &gate->head_ns, MOST_AHEAD_NS);
	count(walk, &gate->probes, MOST_COUNT);
	moment(walk, &gate->due_ns, GATE_STATED_NS);
	flag(walk, &gate->stated);
	for (int i = 0; i < GATE_MOST_PROBERS; i++)
		any(walk, &gate->probers[i]);
	small(walk, &gate->probers_count, GATE_MOST_PROBERS);
	moment(walk, &gate->probe_ns, 0);
	moment(walk, &gate->window_ns, 0);
	pair(walk, &gate->window);
	count(walk, &gate->told, MOST_COUNT);
	moment(walk, &gate->told_ns, 0);
	up_to(walk, &gate->took_ns, GATE_STATED_NS);
	up_to(walk, &gate->written_ns, MOST_TIME);
	moment(walk, &gate->synced_ns, 0);
	walk_pace(walk, &gate->pace);
	any(walk, &gate->told_run);
	walk->at = STATE_GATE_SIZE - 4 - GATE_REASON_SIZE;
	string(walk, gate->reason, GATE_REASON_SIZE, text_ascii);
}

bool
gate_record_read(struct gate *gate, const uint8_t bytes[STATE_GATE_SIZE],
    int64_t now_ns, int64_t ahead_ns)
{
	struct walk walk
	    = { .from = bytes, .now_ns = now_ns, .ahead_ns = ahead_ns };
	int64_t due_ns;

	*gate = gate_new();
	if (!is_whole(bytes, STATE_GATE_SIZE))
		return false;
	walk_gate(&walk, gate);
	/* What depends on other numbers. */
	due_ns = now_ns + (gate->stated ? GATE_STATED_NS : GATE_DUE_NS);
	walk.is_wrong |= gate->head == 0 || gate->next < gate->head
	    || gate->next > LAST_TICKET || gate->due_ns > due_ns + TOLERANCE_NS;
	for (int i = 0; i < gate->probers_count; i++)
		walk.is_wrong |= gate->probers[i] >= gate->next;
	if (walk.is_wrong) {
		*gate = gate_new();
		return false;
	}
	if (gate->next - gate->head > MOST_WAITERS)
		gate->head = gate->next - MOST_WAITERS;
	gate->due_ns = min_ns(gate->due_ns, due_ns);
	gate->head_ns = min_ns(gate->head_ns, now_ns + MOST_GAP_NS);
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
	string(walk, deferral->reason, DEFERRAL_REASON_SIZE, text_printable);
	up_to(walk, &deferral->last_ns, MOST_TIME);
	count(walk, &deferral->runs, UINT32_MAX);
}

struct deferral
state_record_deferral(const uint8_t record[STATE_SIZE], bool *is_broken)
{
	static const uint8_t unwritten[STATE_DEFERRAL_SIZE];
	struct walk walk = { .from = record + STATE_DEFERRAL_AT };
	bool whole = is_whole(walk.from, STATE_DEFERRAL_SIZE);
	struct deferral deferral = { .failures = 0 };

	if (is_broken != NULL)
		*is_broken = !whole
		    && memcmp(walk.from, unwritten, sizeof unwritten) != 0;
	if (whole)
		walk_deferral(&walk, &deferral);
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
	moment(walk, &slots->moved_ns, 0);
	moment(walk, &slots->counted_ns, 0);
	up_to(walk, &slots->busy, LAST_TICKET);
	up_to(walk, &slots->count, LAST_TICKET);
	moment(walk, &slots->lost_since_ns, 0);
}

struct slots
state_record_slots(const uint8_t record[STATE_SIZE], int64_t now_ns)
{
	struct walk walk
	    = { .from = record + STATE_SLOTS_AT, .now_ns = now_ns };
	struct slots slots = { .next = 0 };

	walk_slots(&walk, &slots);
	if (!is_whole(walk.from, STATE_SLOTS_SIZE) || walk.is_wrong
	    || slots.next < 1 || slots.next > LAST_TICKET)
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

/* --- lines of backoff and its helper --- */

void
fleet_line_read(struct fleet_line *line, char *words)
{
	for (int i = 0; i < FLEET_FIELDS; i++) {
		bool is_last = words[0] == ':';

		line->fields[i] = words + is_last;
		words += is_last ? strlen(words) : length_before(words, ' ');
		if (*words == ' ')
			*words++ = '\0';
		if (!count_parse(line->fields[i], &line->numbers[i]))
			line->numbers[i] = 0;
	}
}
