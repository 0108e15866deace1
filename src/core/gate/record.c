/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/base/little_endian.h"
#include "core/base/text.h"
#include "core/gate/record.h"

/* Where all that is no number stands; what is not named is 0. */
#define AT_STATE 0
#define AT_REASON 88
#define AT_VERSION 150
#define AT_CRC (GATE_RECORD_SIZE - 4)

/*
 * A server keeps this part without the header of a file. In version 1 there was
 * text of the reason here, which has no such byte.
 */
#define GATE_VERSION 2

enum kind {
	PLAIN, /* any number, or a bool */
	SPAN, /* of time */
	PAST, /* a moment, not to come */
	AHEAD, /* a moment that may be to come */
};

/* The numbers: where they stand in a file, and in a record. */
static const struct field {
	uint8_t at, size;
	uint16_t offset;
	enum kind kind;
} fields[] = {
#define FIELD(at, name, kind) \
	{ \
		at, sizeof((struct gate_record *)NULL)->name, \
		    offsetof(struct gate_record, name), kind \
	}
	FIELD(1, failures, PLAIN),
	FIELD(3, two_runs, PLAIN),
	FIELD(4, last_run, PLAIN),
	FIELD(12, last_failure_ns, PAST),
	FIELD(20, probes, PLAIN),
	FIELD(24, due_ns, AHEAD),
	FIELD(32, since_ns, PAST),
	FIELD(40, turn, PLAIN),
	FIELD(44, turn_ns, PAST),
	FIELD(52, patience_ns, SPAN),
	FIELD(60, longest_ns, SPAN),
	FIELD(68, rate, PLAIN),
	FIELD(72, rate_ns, PAST),
	FIELD(80, release_ns, AHEAD),
	/* Here is the reason. */
	FIELD(128, first_failure_ns, PAST),
	FIELD(136, second_ns, PAST),
	FIELD(144, results, PLAIN),
	FIELD(146, failed, PLAIN),
	FIELD(148, was_cut, PLAIN),
	FIELD(149, hinted, PLAIN),
	FIELD(151, is_copy, PLAIN),
	FIELD(152, shut_ns, PAST),
	FIELD(160, news_ns, PAST),
	FIELD(168, probe_ns, PAST),
	FIELD(176, stated_ns, SPAN),
	FIELD(184, other_turn, PLAIN),
#undef FIELD
};
#define FIELDS_END (fields + ARRAY_LENGTH(fields))

/* Another processor's clock, or a reading just before BYTES were written. */
#define TOLERANCE_NS NS_PER_S

static void *
place_of(struct gate_record *record, const struct field *field)
{
	return (char *)record + field->offset;
}

/* What is negative as a time, or would be, is INT64_MAX. */
static void
put(struct gate_record *record, const struct field *field, uint64_t number)
{
	void *place = place_of(record, field);

	if (field->kind != PLAIN && number > INT64_MAX)
		number = INT64_MAX;
	if (field->size == sizeof(bool))
		*(bool *)place = number != 0;
	else if (field->size == sizeof(uint16_t))
		*(uint16_t *)place = (uint16_t)number;
	else if (field->size == sizeof(uint32_t))
		*(uint32_t *)place = (uint32_t)number;
	else
		*(uint64_t *)place = number;
}

static uint64_t
get(const struct gate_record *record, const struct field *field)
{
	const void *place = (const char *)record + field->offset;

	return field->size == sizeof(bool)    ? *(const bool *)place
	    : field->size == sizeof(uint16_t) ? *(const uint16_t *)place
	    : field->size == sizeof(uint32_t) ? *(const uint32_t *)place
	                                      : *(const uint64_t *)place;
}

struct gate_record
gate_record_new(void)
{
	return (struct gate_record) {
		.state = GATE_OPEN,
		.turn = 1,
		.rate = GATE_LEAST_RATE,
	};
}

void
gate_set_reason(struct gate_record *record, const char *text)
{
	struct text reason;

	memset(record->reason, 0, sizeof record->reason);
	reason = text_in(record->reason, sizeof record->reason);
	text_ascii(&reason, text);
}

static void
read_fields(struct gate_record *record, const uint8_t *bytes)
{
	char reason[GATE_REASON_SIZE + 1] = "";

	*record = (struct gate_record) {
		.state = (enum gate_state)bytes[AT_STATE],
	};
	for (const struct field *field = fields; field < FIELDS_END; field++)
		put(record, field,
		    little_endian_get(bytes + field->at, field->size));
	memcpy(reason, bytes + AT_REASON, GATE_REASON_SIZE);
	gate_set_reason(record, reason);
}

/* False: no run can have written such a time by NOW_NS. */
static bool
limit_times(struct gate_record *record, int64_t now_ns)
{
	int64_t latest_ns = saturating_add(now_ns, TOLERANCE_NS);
	int64_t due_ns = record->hinted ? GATE_HINT_NS : GATE_DUE_NS;

	for (const struct field *field = fields; field < FIELDS_END; field++) {
		int64_t *moment_ns = place_of(record, field);

		if (field->kind != PAST)
			continue;
		if (*moment_ns > latest_ns)
			return false;
		*moment_ns = min_ns(*moment_ns, now_ns);
	}
	if (record->due_ns > saturating_add(latest_ns, due_ns)
	    || record->release_ns > saturating_add(latest_ns, GATE_DUE_NS))
		return false;
	record->due_ns = min_ns(record->due_ns, saturating_add(now_ns, due_ns));
	record->release_ns
	    = min_ns(record->release_ns, saturating_add(now_ns, GATE_DUE_NS));
	record->stated_ns
	    = min_ns(record->stated_ns, saturating_add(now_ns, GATE_HINT_NS));
	return true;
}

static void
limit_numbers(struct gate_record *record)
{
	record->longest_ns = min_ns(record->longest_ns, GATE_PATIENCE_NS);
	record->patience_ns = min_ns(record->patience_ns, GATE_PATIENCE_NS);
	if (record->probes > GATE_MOST_PROBES)
		record->probes = GATE_MOST_PROBES;
	if (record->failed > record->results)
		record->failed = record->results;
	if (record->turn == 0)
		record->turn = 1;
	if (record->rate < GATE_LEAST_RATE)
		record->rate = GATE_LEAST_RATE;
	if (record->rate > GATE_MOST_RATE)
		record->rate = GATE_MOST_RATE;
}

bool
gate_decode(struct gate_record *record, const uint8_t bytes[GATE_RECORD_SIZE],
    int64_t now_ns)
{
	if (little_endian_get(bytes + AT_CRC, 4) == crc32(bytes, AT_CRC)
	    && bytes[AT_VERSION] == GATE_VERSION
	    && bytes[AT_STATE] < GATE_STATES) {
		read_fields(record, bytes);
		limit_numbers(record);
		if (limit_times(record, now_ns))
			return true;
	}
	*record = gate_record_new();
	return false;
}

void
gate_encode(const struct gate_record *record, uint8_t bytes[GATE_RECORD_SIZE])
{
	memset(bytes, 0, GATE_RECORD_SIZE);
	bytes[AT_STATE] = (uint8_t)record->state;
	bytes[AT_VERSION] = GATE_VERSION;
	for (const struct field *field = fields; field < FIELDS_END; field++)
		little_endian_put(
		    bytes + field->at, field->size, get(record, field));
	memcpy(bytes + AT_REASON, record->reason, GATE_REASON_SIZE);
	little_endian_put(bytes + AT_CRC, 4, crc32(bytes, AT_CRC));
}

void
gate_translate(struct gate_record *record, int64_t ahead_ns)
{
	for (const struct field *field = fields; field < FIELDS_END; field++) {
		int64_t *moment_ns = place_of(record, field);

		/* 0 stays: that never was. */
		if ((field->kind != PAST && field->kind != AHEAD)
		    || *moment_ns == 0)
			continue;
		*moment_ns = ahead_ns >= 0
		    ? saturating_add(*moment_ns, ahead_ns)
		    : max_ns(*moment_ns + ahead_ns, 1);
	}
}
