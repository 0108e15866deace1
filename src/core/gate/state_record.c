/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/base/little_endian.h"
#include "core/gate/state_record.h"

static const uint8_t magic[8] = { 'b', 'a', 'c', 'k', 'o', 'f', 'f', '\n' };

/* Where the parts of the header are; so it stays in every version. */
enum {
	VERSION_AT = 8,
	SIZE_AT = 10,
	BOOT_AT = 12,
	CRC_AT = 20,
};

/* The same of the deferral, from STATE_DEFERRAL_AT on. */
enum {
	SINCE_AT = 0,
	FAILURES_AT = 8,
	UNTIL_AT = 12,
	WINDOW_AT = 20,
	STATUS_AT = 28,
	REASON_AT = 29,
	LAST_AT = REASON_AT + DEFERRAL_REASON_SIZE,
	RUNS_AT = LAST_AT + 8,
	DEFERRAL_CRC_AT = STATE_DEFERRAL_SIZE - 4,
};

_Static_assert(RUNS_AT + 4 <= DEFERRAL_CRC_AT, "all of it fits into its part");

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
	if (size < STATE_GATE_AT
	    || little_endian_get(record + CRC_AT, 4) != crc32(record, CRC_AT))
		return STATE_HEADER_BROKEN;
	/* What was smaller then is not cut short. */
	if (little_endian_get(record + VERSION_AT, 2) < STATE_VERSION)
		return STATE_HEADER_EARLIER;
	if (size < STATE_SIZE)
		return STATE_HEADER_BROKEN;
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
	little_endian_put(record + CRC_AT, 4, crc32(record, CRC_AT));
}

/* A time from a file: nothing of ours is beyond half of what there is. */
static int64_t
get_time(const uint8_t *bytes)
{
	int64_t ns = (int64_t)(little_endian_get(bytes, 8) & INT64_MAX);

	return min_ns(ns, INT64_MAX / 2);
}

static bool
is_whole(const uint8_t *part)
{
	return little_endian_get(part + DEFERRAL_CRC_AT, 4)
	    == crc32(part, DEFERRAL_CRC_AT);
}

bool
state_record_deferral_is_broken(const uint8_t record[STATE_SIZE])
{
	static const uint8_t unwritten[STATE_DEFERRAL_SIZE];
	const uint8_t *part = record + STATE_DEFERRAL_AT;

	return !is_whole(part)
	    && memcmp(part, unwritten, sizeof unwritten) != 0;
}

struct deferral
state_record_deferral(const uint8_t record[STATE_SIZE])
{
	const uint8_t *part = record + STATE_DEFERRAL_AT;
	struct deferral deferral = { .failures = 0 };
	char words[DEFERRAL_REASON_SIZE + 1] = "";
	struct text reason = text_in(deferral.reason, sizeof deferral.reason);

	if (!is_whole(part))
		return deferral;
	deferral.failures = (uint32_t)little_endian_get(part + FAILURES_AT, 4);
	deferral.until_ns = get_time(part + UNTIL_AT);
	deferral.window_ns = get_time(part + WINDOW_AT);
	deferral.last_ns = get_time(part + LAST_AT);
	deferral.status = part[STATUS_AT];
	memcpy(words, part + REASON_AT, DEFERRAL_REASON_SIZE);
	text_printable(&reason, words);
	deferral.runs = (uint32_t)little_endian_get(part + RUNS_AT, 4);
	deferral.since_ns = get_time(part + SINCE_AT);
	return deferral;
}

void
state_record_set_deferral(
    uint8_t record[STATE_SIZE], const struct deferral *deferral)
{
	uint8_t *part = record + STATE_DEFERRAL_AT;

	memset(part, 0, STATE_DEFERRAL_SIZE);
	little_endian_put(part + FAILURES_AT, 4, deferral->failures);
	little_endian_put(part + UNTIL_AT, 8, (uint64_t)deferral->until_ns);
	little_endian_put(part + WINDOW_AT, 8, (uint64_t)deferral->window_ns);
	little_endian_put(part + LAST_AT, 8, (uint64_t)deferral->last_ns);
	part[STATUS_AT] = deferral->status;
	memcpy(part + REASON_AT, deferral->reason, DEFERRAL_REASON_SIZE);
	little_endian_put(part + RUNS_AT, 4, deferral->runs);
	little_endian_put(part + SINCE_AT, 8, (uint64_t)deferral->since_ns);
	little_endian_put(
	    part + DEFERRAL_CRC_AT, 4, crc32(part, DEFERRAL_CRC_AT));
}
