/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/bytes.h"
#include "core/base/text.h"
#include "core/gate/record.h"

#define MOST_COUNT (UINT32_C(1) << 20)
#define MOST_WAITERS (UINT64_C(1) << 16)
#define MOST_RATE 1024.0
#define MOST_AHEAD_NS (20 * NS_PER_MIN)
#define MOST_GAP_NS (int64_t)(1 / PACE_LEAST * (double)NS_PER_S)

/* Another processor's clock, or a reading just before the bytes were written.
 */
#define TOLERANCE_NS NS_PER_S

#define RATE_UNIT 1e6
#define SHARE_UNIT 2147483648.0

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

enum kind {
	PLAIN, /* any number */
	FLAG,
	COUNT,
	SPAN, /* of time */
	PAST, /* a moment that is not to come */
	AHEAD, /* a moment that may be to come */
	TIME, /* or another number, up to half of what there is */
	RATE,
	SHARE,
	WORDS, /* a string, with zeros up to its size */
};

static const struct {
	uint64_t most;
	double unit; /* the record has so many to 1, in four bytes; 0: a copy */
} kinds[] = {
	[PLAIN] = { UINT64_MAX, 0 },
	[FLAG] = { 1, 0 },
	[COUNT] = { MOST_COUNT, 0 },
	[SPAN] = { GATE_STATED_NS, 0 },
	[PAST] = { UINT64_MAX, 0 },
	[AHEAD] = { UINT64_MAX, 0 },
	[TIME] = { INT64_MAX / 2, 0 },
	[RATE] = { (uint64_t)(MOST_RATE * RATE_UNIT), RATE_UNIT },
	[SHARE] = { (uint64_t)SHARE_UNIT, SHARE_UNIT },
	[WORDS] = { 0, 0 },
};

struct field {
	uint16_t offset; /* in the struct */
	uint8_t size;
	enum kind kind;
};

#define FIELD(type, name, kind) \
	{ \
		offsetof(struct type, name), \
		    sizeof((struct type *)NULL)->name, kind \
	}
#define GATE(name, kind) FIELD(gate, name, kind)
#define DEFERRAL(name, kind) FIELD(deferral, name, kind)
#define SLOTS(name) FIELD(slots, name, TIME)

/* Their order is the format's. */
static const struct field gate_fields[] = {
	GATE(since_ns, PAST),
	GATE(changed_ns, PAST),
	GATE(row.failures, COUNT),
	GATE(row.two_runs, FLAG),
	GATE(row.last_run, PLAIN),
	GATE(row.first_ns, PAST),
	GATE(row.last_ns, PAST),
	GATE(row.longest_ns, SPAN),
	GATE(next, PLAIN),
	GATE(head, PLAIN),
	GATE(head_ns, AHEAD),
	GATE(probes, COUNT),
	GATE(due_ns, PLAIN),
	GATE(stated, FLAG),
	GATE(probers[0], PLAIN),
	GATE(probers[1], PLAIN),
	GATE(probers[2], PLAIN),
	GATE(probers[3], PLAIN),
	GATE(probers[4], PLAIN),
	GATE(probers[5], PLAIN),
	GATE(probers[6], PLAIN),
	GATE(probers[7], PLAIN),
	GATE(probers_count, PLAIN),
	GATE(probe_ns, PAST),
	GATE(window_ns, PAST),
	GATE(window.starts, COUNT),
	GATE(window.bad, COUNT),
	GATE(told, COUNT),
	GATE(told_ns, PAST),
	GATE(took_ns, SPAN),
	GATE(written_ns, PLAIN),
	GATE(synced_ns, PAST),
	GATE(pace.rate, RATE),
	GATE(pace.limit, RATE),
	GATE(pace.second_ns, PAST),
	GATE(pace.started, COUNT),
	GATE(pace.refused, COUNT),
	GATE(pace.interval.since_ns, PAST),
	GATE(pace.interval.rate, RATE),
	GATE(pace.interval.starts, COUNT),
	GATE(pace.interval.refused, COUNT),
	GATE(pace.served, RATE),
	GATE(pace.paid.starts, COUNT),
	GATE(pace.paid.bad, COUNT),
	GATE(pace.base, SHARE),
	GATE(pace.base_ns, PAST),
	GATE(pace.forty.starts, COUNT),
	GATE(pace.forty.bad, COUNT),
	GATE(pace.share, SHARE),
	GATE(pace.before_rate, RATE),
	GATE(pace.before_share, SHARE),
	GATE(pace.kept_ns, PAST),
	GATE(pace.refused_ns, PAST),
	GATE(pace.stated_ns, SPAN),
	GATE(pace.quiet, COUNT),
	GATE(pace.try_ns, AHEAD),
	GATE(pace.try_gap_ns, SPAN),
	GATE(pace.tried_from, RATE),
	GATE(pace.look.starts, COUNT),
	GATE(pace.look.bad, COUNT),
	GATE(pace.failing, SHARE),
	GATE(pace.cuts, PLAIN),
	GATE(pace.cut_share, SHARE),
	GATE(pace.cut_rate, RATE),
	GATE(pace.settles, FLAG),
	GATE(pace.calm_ns, AHEAD),
};

static const struct field deferral_fields[] = {
	DEFERRAL(since_ns, TIME),
	DEFERRAL(failures, PLAIN),
	DEFERRAL(until_ns, TIME),
	DEFERRAL(window_ns, TIME),
	DEFERRAL(status, PLAIN),
	DEFERRAL(reason, WORDS),
	DEFERRAL(last_ns, TIME),
	DEFERRAL(runs, PLAIN),
};

static const struct field slots_fields[] = {
	SLOTS(next),
	SLOTS(head),
	SLOTS(passed),
	SLOTS(moved_ns),
	SLOTS(counted_ns),
	SLOTS(busy),
	SLOTS(count),
	SLOTS(lost_ns),
};

/* As many bytes as FIELD has in the record. */
static int
width(const struct field *field)
{
	return kinds[field->kind].unit > 0 ? 4 : field->size;
}

static uint64_t
get(const void *place, const struct field *field)
{
	double unit = kinds[field->kind].unit, scaled;

	if (unit > 0) {
		scaled = *(const double *)place * unit + 0.5;
		return scaled < UINT32_MAX ? (uint64_t)scaled : UINT32_MAX;
	}
	return field->size == 1 ? *(const uint8_t *)place
	    : field->size == 4  ? *(const uint32_t *)place
	                        : *(const uint64_t *)place;
}

static void
put(void *place, const struct field *field, uint64_t number)
{
	double unit = kinds[field->kind].unit;

	if (unit > 0)
		*(double *)place = (double)number / unit;
	else if (field->size == 1)
		*(uint8_t *)place = (uint8_t)number;
	else if (field->size == 4)
		*(uint32_t *)place = (uint32_t)number;
	else
		*(uint64_t *)place = number;
}

/* NUMBER, as it may be at NOW_NS. *WRONG: no run can have written it. */
static uint64_t
limit(const struct field *field, uint64_t number, int64_t now_ns, bool *wrong)
{
	uint64_t most = kinds[field->kind].most;
	uint64_t latest_ns = (uint64_t)now_ns + TOLERANCE_NS;

	if (field->kind == TIME)
		number &= INT64_MAX;
	if (field->kind == AHEAD)
		latest_ns += MOST_AHEAD_NS;
	if (field->kind == PAST || field->kind == AHEAD)
		*wrong = *wrong || number > latest_ns;
	if (field->kind == PAST)
		most = (uint64_t)now_ns;
	return number < most ? number : most;
}

/* Reads the fields from AT, limited. False: no run can have written them. */
static bool
read_fields(void *structure, const struct field *fields, size_t count,
    const uint8_t *at, int64_t now_ns)
{
	bool wrong = false;

	for (size_t i = 0; i < count; i++) {
		const struct field *field = &fields[i];
		void *place = (char *)structure + field->offset;

		if (field->kind == WORDS)
			memcpy(place, at, field->size);
		else
			put(place, field,
			    limit(field, little_endian_get(at, width(field)),
			        now_ns, &wrong));
		at += width(field);
	}
	return !wrong;
}

static void
write_fields(const void *structure, const struct field *fields, size_t count,
    uint8_t *at)
{
	for (size_t i = 0; i < count; i++) {
		const struct field *field = &fields[i];
		const void *place = (const char *)structure + field->offset;

		if (field->kind == WORDS)
			memcpy(at, place, field->size);
		else
			little_endian_put(at, width(field), get(place, field));
		at += width(field);
	}
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
state_record_look(const uint8_t record[STATE_SIZE], size_t size)
{
	static const uint8_t zeros[sizeof magic];

	if (size == 0 || memcmp(record, zeros, sizeof zeros) == 0)
		return STATE_HEADER_EMPTY;
	if (size < sizeof magic && memcmp(record, magic, size) == 0)
		return STATE_HEADER_BROKEN;
	if (memcmp(record, magic, sizeof magic) != 0)
		return STATE_HEADER_FOREIGN;
	if (little_endian_get(record + VERSION_AT, 2) > STATE_VERSION
	    || little_endian_get(record + SIZE_AT, 2) > STATE_SIZE)
		return STATE_HEADER_LATER;
	if (size < STATE_GATE_AT || !is_whole(record, HEADER_SIZE))
		return STATE_HEADER_BROKEN;
	/* The record of an older version was smaller. */
	if (little_endian_get(record + VERSION_AT, 2) < STATE_VERSION)
		return STATE_HEADER_EARLIER;
	return size < STATE_SIZE ? STATE_HEADER_BROKEN : STATE_HEADER_FINE;
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

/* --- the gate: before its fields, and behind them --- */

enum {
	STATE_AT = 0,
	PHASE_AT = 1,
	FIELDS_AT = 2,
	REASON_AT = STATE_GATE_SIZE - 4 - GATE_REASON_SIZE,
};

/* Limits what depends on other numbers. False: no run can have written it. */
static bool
limit_others(struct gate *gate, int64_t now_ns)
{
	int64_t due_ns = gate->stated ? GATE_STATED_NS : GATE_DUE_NS;

	if (gate->head == 0 || gate->next < gate->head || gate->next > INT64_MAX
	    || gate->due_ns < 0
	    || gate->due_ns > now_ns + TOLERANCE_NS + due_ns)
		return false;
	gate->head = gate->next - gate->head > MOST_WAITERS
	    ? gate->next - MOST_WAITERS
	    : gate->head;
	gate->due_ns = min_ns(gate->due_ns, now_ns + due_ns);
	gate->head_ns = min_ns(gate->head_ns, now_ns + MOST_GAP_NS);
	if (gate->probers_count > GATE_MOST_PROBERS)
		gate->probers_count = GATE_MOST_PROBERS;
	pace_limit(&gate->pace);
	return true;
}

bool
gate_record_read(
    struct gate *gate, const uint8_t bytes[STATE_GATE_SIZE], int64_t now_ns)
{
	char words[GATE_REASON_SIZE + 1] = "";
	struct text reason = text_in(gate->reason, sizeof gate->reason);

	*gate = gate_new();
	if (bytes[STATE_AT] >= GATE_STATES || bytes[PHASE_AT] > PACE_TRYING
	    || !is_whole(bytes, STATE_GATE_SIZE))
		return false;
	gate->state = (enum gate_state)bytes[STATE_AT];
	gate->pace.phase = (enum pace_phase)bytes[PHASE_AT];
	if (read_fields(gate, gate_fields, ARRAY_LENGTH(gate_fields),
	        bytes + FIELDS_AT, now_ns)
	    && limit_others(gate, now_ns)) {
		memcpy(words, bytes + REASON_AT, GATE_REASON_SIZE);
		text_ascii(&reason, words);
		return true;
	}
	*gate = gate_new();
	return false;
}

void
gate_record_write(uint8_t bytes[STATE_GATE_SIZE], const struct gate *gate)
{
	memset(bytes, 0, STATE_GATE_SIZE);
	bytes[STATE_AT] = (uint8_t)gate->state;
	bytes[PHASE_AT] = (uint8_t)gate->pace.phase;
	write_fields(
	    gate, gate_fields, ARRAY_LENGTH(gate_fields), bytes + FIELDS_AT);
	memcpy(bytes + REASON_AT, gate->reason, strlen(gate->reason));
	seal(bytes, STATE_GATE_SIZE);
}

/* 0 stays, as it stands for never. */
static void
shift(int64_t *moment_ns, int64_t ahead_ns)
{
	if (*moment_ns == 0)
		return;
	*moment_ns = ahead_ns >= 0 ? saturating_add(*moment_ns, ahead_ns)
	                           : max_ns(*moment_ns + ahead_ns, 1);
}

void
gate_shift(struct gate *gate, int64_t ahead_ns)
{
	for (size_t i = 0; i < ARRAY_LENGTH(gate_fields); i++) {
		const struct field *field = &gate_fields[i];

		if (field->kind == PAST || field->kind == AHEAD)
			shift((int64_t *)(void *)((char *)gate + field->offset),
			    ahead_ns);
	}
	shift(&gate->due_ns, ahead_ns);
}

/* --- the deferral --- */

struct deferral
state_record_deferral(const uint8_t record[STATE_SIZE], bool *is_broken)
{
	static const uint8_t unwritten[STATE_DEFERRAL_SIZE];
	const uint8_t *part = record + STATE_DEFERRAL_AT;
	bool whole = is_whole(part, STATE_DEFERRAL_SIZE);
	struct deferral deferral = { .failures = 0 };
	char words[DEFERRAL_REASON_SIZE + 1] = "";
	struct text reason;

	if (is_broken != NULL)
		*is_broken
		    = !whole && memcmp(part, unwritten, sizeof unwritten) != 0;
	if (!whole)
		return deferral;
	read_fields(
	    &deferral, deferral_fields, ARRAY_LENGTH(deferral_fields), part, 0);
	memcpy(words, deferral.reason, DEFERRAL_REASON_SIZE);
	memset(deferral.reason, 0, sizeof deferral.reason);
	reason = text_in(deferral.reason, sizeof deferral.reason);
	text_printable(&reason, words);
	return deferral;
}

void
state_record_set_deferral(
    uint8_t record[STATE_SIZE], const struct deferral *deferral)
{
	uint8_t *part = record + STATE_DEFERRAL_AT;

	memset(part, 0, STATE_DEFERRAL_SIZE);
	write_fields(
	    deferral, deferral_fields, ARRAY_LENGTH(deferral_fields), part);
	seal(part, STATE_DEFERRAL_SIZE);
}

/* --- the slots, and behind them the boot --- */

enum {
	SLOTS_BOOT_AT = 8 * ARRAY_LENGTH(slots_fields),
};

struct slots
state_record_slots(
    const uint8_t record[STATE_SIZE], uint64_t boot, int64_t now_ns)
{
	const uint8_t *part = record + STATE_SLOTS_AT;
	struct slots slots;

	read_fields(
	    &slots, slots_fields, ARRAY_LENGTH(slots_fields), part, now_ns);
	if (!is_whole(part, STATE_SLOTS_SIZE)
	    || little_endian_get(part + SLOTS_BOOT_AT, 8) != boot
	    || slots.next < 1 || slots.next > SLOTS_LAST_TICKET
	    || slots.moved_ns > now_ns || slots.counted_ns > now_ns
	    || slots.lost_ns > now_ns)
		return slots_new(now_ns);
	slots.head = min_ns(max_ns(slots.head, 1), slots.next);
	slots.passed = min_ns(slots.passed, slots.next);
	return slots;
}

void
state_record_set_slots(
    uint8_t record[STATE_SIZE], uint64_t boot, const struct slots *slots)
{
	uint8_t *part = record + STATE_SLOTS_AT;

	memset(part, 0, STATE_SLOTS_SIZE);
	write_fields(slots, slots_fields, ARRAY_LENGTH(slots_fields), part);
	little_endian_put(part + SLOTS_BOOT_AT, 8, boot);
	seal(part, STATE_SLOTS_SIZE);
}
