/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/base/little_endian.h"
#include "core/base/text.h"
#include "core/gate/gate_record.h"

#define MOST_COUNT (UINT32_C(1) << 20)
#define MOST_TICKETS (UINT64_C(1) << 40)
#define MOST_WAITERS (UINT64_C(1) << 16)
#define MOST_RATE 1024.0
#define MOST_SPAN_NS GATE_STATED_NS
#define MOST_AHEAD_NS (20 * NS_PER_MIN)
#define MOST_GAP_NS (int64_t)(1 / PACE_LEAST * (double)NS_PER_S)

/* Another processor's clock, or a reading just before the bytes were written.
 */
#define TOLERANCE_NS NS_PER_S

#define RATE_UNIT 1e6
#define SHARE_UNIT 2147483648.0

enum kind {
	PLAIN, /* any number */
	FLAG,
	COUNT, /* 0..MOST_COUNT */
	SPAN, /* of time */
	PAST, /* a moment that is not to come */
	AHEAD, /* a moment that may be to come */
	RATE,
	SHARE,
};

/* The order is the format's. */
static const struct field {
	uint16_t offset;
	uint8_t size;
	enum kind kind;
} fields[] = {
#define FIELD(name, kind) \
	{ \
		offsetof(struct gate, name), \
		    sizeof((struct gate *)NULL)->name, kind \
	}
	FIELD(since_ns, PAST),
	FIELD(changed_ns, PAST),
	FIELD(row.failures, COUNT),
	FIELD(row.two_runs, FLAG),
	FIELD(row.last_run, PLAIN),
	FIELD(row.first_ns, PAST),
	FIELD(row.last_ns, PAST),
	FIELD(row.longest_ns, SPAN),
	FIELD(next, PLAIN),
	FIELD(head, PLAIN),
	FIELD(head_ns, AHEAD),
	FIELD(probes, COUNT),
	FIELD(due_ns, PLAIN),
	FIELD(stated, FLAG),
	FIELD(probers[0], PLAIN),
	FIELD(probers[1], PLAIN),
	FIELD(probers[2], PLAIN),
	FIELD(probers[3], PLAIN),
	FIELD(probers[4], PLAIN),
	FIELD(probers[5], PLAIN),
	FIELD(probers[6], PLAIN),
	FIELD(probers[7], PLAIN),
	FIELD(probers_count, PLAIN),
	FIELD(probe_ns, PAST),
	FIELD(window_ns, PAST),
	FIELD(window.starts, COUNT),
	FIELD(window.bad, COUNT),
	FIELD(told, COUNT),
	FIELD(told_ns, PAST),
	FIELD(took_ns, SPAN),
	FIELD(written_ns, PLAIN),
	FIELD(synced_ns, PAST),
	FIELD(pace.rate, RATE),
	FIELD(pace.limit, RATE),
	FIELD(pace.second_ns, PAST),
	FIELD(pace.started, COUNT),
	FIELD(pace.refused, COUNT),
	FIELD(pace.interval.since_ns, PAST),
	FIELD(pace.interval.rate, RATE),
	FIELD(pace.interval.starts, COUNT),
	FIELD(pace.interval.refused, COUNT),
	FIELD(pace.served, RATE),
	FIELD(pace.paid.starts, COUNT),
	FIELD(pace.paid.bad, COUNT),
	FIELD(pace.base, SHARE),
	FIELD(pace.base_ns, PAST),
	FIELD(pace.forty.starts, COUNT),
	FIELD(pace.forty.bad, COUNT),
	FIELD(pace.share, SHARE),
	FIELD(pace.before_rate, RATE),
	FIELD(pace.before_share, SHARE),
	FIELD(pace.kept_ns, PAST),
	FIELD(pace.refused_ns, PAST),
	FIELD(pace.stated_ns, SPAN),
	FIELD(pace.quiet, COUNT),
	FIELD(pace.try_ns, AHEAD),
	FIELD(pace.try_gap_ns, SPAN),
	FIELD(pace.tried_from, RATE),
	FIELD(pace.look.starts, COUNT),
	FIELD(pace.look.bad, COUNT),
	FIELD(pace.failing, SHARE),
	FIELD(pace.cuts, PLAIN),
	FIELD(pace.cut_share, SHARE),
	FIELD(pace.cut_rate, RATE),
	FIELD(pace.settles, FLAG),
	FIELD(pace.calm_ns, AHEAD),
#undef FIELD
};
#define FIELDS_END (fields + ARRAY_LENGTH(fields))

/* Before the fields; the reason is behind them, and the crc32 at the end. */
enum {
	STATE_AT = 0,
	PHASE_AT = 1,
	FIELDS_AT = 2,
	REASON_AT = STATE_GATE_SIZE - 4 - GATE_REASON_SIZE,
	CRC_AT = STATE_GATE_SIZE - 4,
};

/* As many bytes as FIELD has in the record. */
static int
width(const struct field *field)
{
	return field->kind == RATE || field->kind == SHARE ? 4 : field->size;
}

static double
unit(const struct field *field)
{
	return field->kind == RATE ? RATE_UNIT : SHARE_UNIT;
}

static uint64_t
get(const struct gate *gate, const struct field *field)
{
	const void *place = (const char *)gate + field->offset;
	double scaled;

	switch (width(field)) {
	case 1:
		return *(const uint8_t *)place;
	case 4:
		if (field->size == 4)
			return *(const uint32_t *)place;
		scaled = *(const double *)place * unit(field) + 0.5;
		return scaled < UINT32_MAX ? (uint64_t)scaled : UINT32_MAX;
	default:
		return *(const uint64_t *)place;
	}
}

static void
put(struct gate *gate, const struct field *field, uint64_t number)
{
	void *place = (char *)gate + field->offset;

	switch (width(field)) {
	case 1:
		*(uint8_t *)place = (uint8_t)number;
		break;
	case 4:
		if (field->size == 4)
			*(uint32_t *)place = (uint32_t)number;
		else
			*(double *)place = (double)number / unit(field);
		break;
	default:
		*(uint64_t *)place = number;
	}
}

/* NUMBER, as it may be at NOW_NS. *WRONG: no run can have written it. */
static uint64_t
limit(const struct field *field, uint64_t number, int64_t now_ns, bool *wrong)
{
	uint64_t latest_ns = (uint64_t)now_ns + TOLERANCE_NS;
	uint64_t most = UINT64_MAX;

	switch (field->kind) {
	case PLAIN:
		break;
	case FLAG:
		most = 1;
		break;
	case COUNT:
		most = MOST_COUNT;
		break;
	case SPAN:
		most = MOST_SPAN_NS;
		break;
	case PAST:
		*wrong = *wrong || number > latest_ns;
		most = (uint64_t)now_ns;
		break;
	case AHEAD:
		*wrong = *wrong || number > latest_ns + MOST_AHEAD_NS;
		break;
	case RATE:
		most = (uint64_t)(MOST_RATE * RATE_UNIT);
		break;
	case SHARE:
		most = (uint64_t)SHARE_UNIT;
		break;
	}
	return number < most ? number : most;
}

/* What depends on other numbers. False: no run can have written that. */
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

static void
read_reason(struct gate *gate, const uint8_t *bytes)
{
	char words[GATE_REASON_SIZE + 1] = "";
	struct text text = text_in(gate->reason, sizeof gate->reason);

	memcpy(words, bytes + REASON_AT, GATE_REASON_SIZE);
	text_ascii(&text, words);
}

bool
gate_record_read(
    struct gate *gate, const uint8_t bytes[STATE_GATE_SIZE], int64_t now_ns)
{
	const uint8_t *at = bytes + FIELDS_AT;
	bool wrong = bytes[STATE_AT] >= GATE_STATES
	    || bytes[PHASE_AT] > PACE_TRYING
	    || little_endian_get(bytes + CRC_AT, 4) != crc32(bytes, CRC_AT);

	*gate = gate_new();
	if (wrong)
		return false;
	gate->state = (enum gate_state)bytes[STATE_AT];
	gate->pace.phase = (enum pace_phase)bytes[PHASE_AT];
	for (const struct field *field = fields; field < FIELDS_END; field++) {
		uint64_t number = little_endian_get(at, width(field));

		put(gate, field, limit(field, number, now_ns, &wrong));
		at += width(field);
	}
	read_reason(gate, bytes);
	if (!wrong && limit_others(gate, now_ns))
		return true;
	*gate = gate_new();
	return false;
}

void
gate_record_write(uint8_t bytes[STATE_GATE_SIZE], const struct gate *gate)
{
	uint8_t *at = bytes + FIELDS_AT;

	memset(bytes, 0, STATE_GATE_SIZE);
	bytes[STATE_AT] = (uint8_t)gate->state;
	bytes[PHASE_AT] = (uint8_t)gate->pace.phase;
	for (const struct field *field = fields; field < FIELDS_END; field++) {
		little_endian_put(at, width(field), get(gate, field));
		at += width(field);
	}
	memcpy(bytes + REASON_AT, gate->reason, strlen(gate->reason));
	little_endian_put(bytes + CRC_AT, 4, crc32(bytes, CRC_AT));
}

/* 0 stays: that never was. */
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
	for (const struct field *field = fields; field < FIELDS_END; field++)
		if (field->kind == PAST || field->kind == AHEAD)
			shift((int64_t *)(void *)((char *)gate + field->offset),
			    ahead_ns);
	shift(&gate->due_ns, ahead_ns);
}
