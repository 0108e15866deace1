/* SPDX-License-Identifier: MIT */
/*
 * The record that runs share: the first byte says which checksums are made
 * right, the next 8 are the present. What was read is written, and read again.
 */
#include <config.h>

#include "core/base/hash.h"
#include "core/base/little_endian.h"
#include "core/gate/deferral.h"
#include "core/gate/state_record.h"
#include "fuzz/fuzz.h"

static void
repair(uint8_t *bytes, size_t size)
{
	little_endian_put(bytes + size - 4, 4, crc32(bytes, size - 4));
}

static bool
same(const struct deferral *one, const struct deferral *other)
{
	return one->failures == other->failures
	    && one->until_ns == other->until_ns
	    && one->window_ns == other->window_ns
	    && one->status == other->status && one->runs == other->runs
	    && one->since_ns == other->since_ns
	    && strcmp(one->reason, other->reason) == 0;
}

static void
check_deferral(const uint8_t *record, int64_t epoch_ns)
{
	struct deferral deferral = state_record_deferral(record), other;
	uint8_t again[STATE_SIZE];
	int64_t wait_ns;
	bool changed;

	fuzz_require(
	    memchr(deferral.reason, '\0', DEFERRAL_REASON_SIZE) != NULL,
	    "a reason without end");
	fuzz_require(deferral.until_ns >= 0 && deferral.window_ns >= 0,
	    "a time below 0");
	memcpy(again, record, sizeof again);
	state_record_set_deferral(again, &deferral);
	other = state_record_deferral(again);
	fuzz_require(same(&deferral, &other),
	    "written and read, it is another deferral");
	wait_ns = deferral_wait(&deferral, INT64_MAX, epoch_ns, &changed);
	fuzz_require(wait_ns >= 0 && wait_ns <= deferral.window_ns,
	    "put off for longer than the window");
	fuzz_require(
	    deferral_wait(&deferral, INT64_MAX, epoch_ns, &changed) == wait_ns
	        && !changed,
	    "asked twice, it is another wait");
}

static void
check_header(uint8_t *record)
{
	enum state_header header = state_record_look(record, STATE_SIZE);
	uint64_t boot;

	for (size_t size = 0; size < 72; size++) {
		uint8_t shorter[STATE_SIZE] = { 0 };

		memcpy(shorter, record, size);
		state_record_look(shorter, size);
	}
	if (header != STATE_HEADER_FINE)
		return;
	boot = state_record_boot(record);
	state_record_set_boot(record, ~boot);
	fuzz_require(state_record_look(record, STATE_SIZE) == STATE_HEADER_FINE
	        && state_record_boot(record) == ~boot,
	    "written, it is another header");
}

static void
fuzz(char *string, size_t size)
{
	uint8_t input[9 + STATE_SIZE] = { 0 };
	uint8_t *record = input + 9;
	int64_t epoch_ns = 0;

	memcpy(input, string, size < sizeof input ? size : sizeof input);
	for (int i = 1; i <= 8; i++)
		epoch_ns = epoch_ns << 7 | (input[i] & 0x7f);
	if ((input[0] & 1) == 0)
		repair(record, 24); /* the header, as far as it has a meaning */
	if ((input[0] & 2) == 0)
		repair(record + STATE_DEFERRAL_AT, STATE_DEFERRAL_SIZE);
	check_deferral(record, epoch_ns);
	check_header(record);
}
