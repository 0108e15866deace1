/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/array.h"
#include "core/base/crc32.h"
#include "core/base/duration.h"
#include "core/base/little_endian.h"
#include "core/base/text.h"
#include "core/gate/record.h"

/* Where the fields are. What is not named is 0. */
enum offset {
	AT_STATE = 0,
	AT_FAILURES = 1,
	AT_TWO_RUNS = 3,
	AT_LAST_RUN = 4,
	AT_LAST_FAILURE = 12,
	AT_PROBES = 20,
	AT_DUE = 24,
	AT_SINCE = 32,
	AT_TURN = 40,
	AT_TURN_SINCE = 44,
	AT_PATIENCE = 52,
	AT_LONGEST = 60,
	AT_RATE = 68,
	AT_RATE_SINCE = 72,
	AT_RELEASE = 80,
	AT_REASON = 88,
	AT_FIRST_FAILURE = 128,
	AT_SECOND = 136,
	AT_RESULTS = 144,
	AT_FAILED = 146,
	AT_WAS_CUT = 148,
	AT_HINTED = 149,
	AT_VERSION = 150,
	AT_COPY = 151,
	AT_SHUT = 152,
	AT_NEWS = 160,
	AT_PROBE = 168,
	AT_STATED = 176,
	AT_OTHER_TURN = 184,
	AT_CRC = GATE_RECORD_SIZE - 4,
};

/*
 * A server keeps this part without the header of a file. In version 1 there was
 * text of the reason here, which has no such byte.
 */
#define GATE_VERSION 2

_Static_assert(AT_REASON + GATE_REASON_SIZE == AT_FIRST_FAILURE
        && AT_OTHER_TURN + 4 == AT_CRC,
    "no field is in the place of another");

/* Another processor's clock, or a reading just before BYTES were written. */
#define TOLERANCE_NS NS_PER_S

/* What is negative as a time, or would be, is INT64_MAX. */
static int64_t
get_time(const uint8_t *bytes)
{
	uint64_t number = little_endian_get(bytes, 8);

	return number > INT64_MAX ? INT64_MAX : (int64_t)number;
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
		.failures = (uint16_t)little_endian_get(bytes + AT_FAILURES, 2),
		.two_runs = bytes[AT_TWO_RUNS] != 0,
		.last_run = little_endian_get(bytes + AT_LAST_RUN, 8),
		.first_failure_ns = get_time(bytes + AT_FIRST_FAILURE),
		.last_failure_ns = get_time(bytes + AT_LAST_FAILURE),
		.longest_ns = get_time(bytes + AT_LONGEST),
		.probes = (uint32_t)little_endian_get(bytes + AT_PROBES, 4),
		.due_ns = get_time(bytes + AT_DUE),
		.hinted = bytes[AT_HINTED] != 0,
		.since_ns = get_time(bytes + AT_SINCE),
		.shut_ns = get_time(bytes + AT_SHUT),
		.news_ns = get_time(bytes + AT_NEWS),
		.probe_ns = get_time(bytes + AT_PROBE),
		.other_turn
		= (uint32_t)little_endian_get(bytes + AT_OTHER_TURN, 4),
		.stated_ns = get_time(bytes + AT_STATED),
		.turn = (uint32_t)little_endian_get(bytes + AT_TURN, 4),
		.turn_ns = get_time(bytes + AT_TURN_SINCE),
		.patience_ns = get_time(bytes + AT_PATIENCE),
		.rate = (uint32_t)little_endian_get(bytes + AT_RATE, 4),
		.rate_ns = get_time(bytes + AT_RATE_SINCE),
		.was_cut = bytes[AT_WAS_CUT] != 0,
		.second_ns = get_time(bytes + AT_SECOND),
		.results = (uint16_t)little_endian_get(bytes + AT_RESULTS, 2),
		.failed = (uint16_t)little_endian_get(bytes + AT_FAILED, 2),
		.release_ns = get_time(bytes + AT_RELEASE),
		.is_copy = bytes[AT_COPY] != 0,
	};
	memcpy(reason, bytes + AT_REASON, GATE_REASON_SIZE);
	gate_set_reason(record, reason);
}

/* False: no run can have written such a time by NOW_NS. */
static bool
limit_times(struct gate_record *record, int64_t now_ns)
{
	int64_t *past[] = { &record->first_failure_ns, &record->last_failure_ns,
		&record->since_ns, &record->shut_ns, &record->news_ns,
		&record->probe_ns, &record->turn_ns, &record->rate_ns,
		&record->second_ns };
	int64_t latest_ns = saturating_add(now_ns, TOLERANCE_NS);
	int64_t due_ns = record->hinted ? GATE_HINT_NS : GATE_DUE_NS;

	for (size_t i = 0; i < ARRAY_LENGTH(past); i++) {
		if (*past[i] > latest_ns)
			return false;
		*past[i] = min_ns(*past[i], now_ns);
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

static void
put_time(uint8_t *bytes, int64_t ns)
{
	little_endian_put(bytes, 8, (uint64_t)ns);
}

void
gate_encode(const struct gate_record *record, uint8_t bytes[GATE_RECORD_SIZE])
{
	memset(bytes, 0, GATE_RECORD_SIZE);
	bytes[AT_STATE] = (uint8_t)record->state;
	bytes[AT_TWO_RUNS] = record->two_runs;
	little_endian_put(bytes + AT_FAILURES, 2, record->failures);
	little_endian_put(bytes + AT_PROBES, 4, record->probes);
	little_endian_put(bytes + AT_LAST_RUN, 8, record->last_run);
	put_time(bytes + AT_FIRST_FAILURE, record->first_failure_ns);
	put_time(bytes + AT_LAST_FAILURE, record->last_failure_ns);
	put_time(bytes + AT_DUE, record->due_ns);
	put_time(bytes + AT_SINCE, record->since_ns);
	put_time(bytes + AT_SHUT, record->shut_ns);
	put_time(bytes + AT_NEWS, record->news_ns);
	little_endian_put(bytes + AT_TURN, 4, record->turn);
	little_endian_put(bytes + AT_RATE, 4, record->rate);
	put_time(bytes + AT_TURN_SINCE, record->turn_ns);
	put_time(bytes + AT_PATIENCE, record->patience_ns);
	put_time(bytes + AT_LONGEST, record->longest_ns);
	put_time(bytes + AT_PROBE, record->probe_ns);
	put_time(bytes + AT_RATE_SINCE, record->rate_ns);
	put_time(bytes + AT_SECOND, record->second_ns);
	put_time(bytes + AT_RELEASE, record->release_ns);
	put_time(bytes + AT_STATED, record->stated_ns);
	little_endian_put(bytes + AT_RESULTS, 2, record->results);
	little_endian_put(bytes + AT_FAILED, 2, record->failed);
	little_endian_put(bytes + AT_OTHER_TURN, 4, record->other_turn);
	bytes[AT_WAS_CUT] = record->was_cut;
	bytes[AT_HINTED] = record->hinted;
	bytes[AT_COPY] = record->is_copy;
	bytes[AT_VERSION] = GATE_VERSION;
	memcpy(bytes + AT_REASON, record->reason, GATE_REASON_SIZE);
	little_endian_put(bytes + AT_CRC, 4, crc32(bytes, AT_CRC));
}

void
gate_translate(struct gate_record *record, int64_t ahead_ns)
{
	int64_t *times[] = { &record->first_failure_ns,
		&record->last_failure_ns, &record->since_ns, &record->shut_ns,
		&record->news_ns, &record->probe_ns, &record->turn_ns,
		&record->rate_ns, &record->second_ns, &record->due_ns,
		&record->release_ns };

	/* 0 stays: that never was. */
	for (size_t i = 0; i < ARRAY_LENGTH(times); i++)
		if (*times[i] > 0)
			*times[i] = ahead_ns >= 0
			    ? saturating_add(*times[i], ahead_ns)
			    : max_ns(*times[i] + ahead_ns, 1);
}
