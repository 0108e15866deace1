/* SPDX-License-Identifier: MIT */
/*
 * The record of a gate: the first byte says whether its checksum is made
 * right, the next 8 are the present. What was read is written, and read again.
 */
#include <config.h>

#include "core/base/hash.h"
#include "fuzz/fuzz.h"
#include "unit/gate/check.h"

static void
repair(uint8_t *bytes)
{
	uint32_t crc = crc32(bytes, GATE_RECORD_SIZE - 4);

	for (int i = 0; i < 4; i++)
		bytes[GATE_RECORD_SIZE - 4 + i] = (uint8_t)(crc >> 8 * i);
}

static void
require_no_flaw(const struct gate_record *record, int64_t now_ns)
{
	const char *flaw = gate_flaw(record, now_ns);

	fuzz_require(flaw == NULL, flaw);
	if (now_ns < INT64_MAX - MOST_WAIT)
		flaw = gate_opens(*record, now_ns);
	fuzz_require(flaw == NULL, flaw);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t input[9 + GATE_RECORD_SIZE] = { 0 };
	uint8_t *bytes = input + 9, again[GATE_RECORD_SIZE];
	uint8_t third[GATE_RECORD_SIZE];
	struct gate_record record, other;
	int64_t now_ns = 0;

	if (size > 0)
		memcpy(input, data, size < sizeof input ? size : sizeof input);
	for (int i = 1; i <= 8; i++)
		now_ns = now_ns << 7 | (input[i] & 0x7f);
	if ((input[0] & 1) == 0)
		repair(bytes);
	gate_decode(&record, bytes, now_ns);
	require_no_flaw(&record, now_ns);

	gate_encode(&record, again);
	fuzz_require(gate_decode(&other, again, now_ns),
	    "we cannot read the record that we write");
	gate_encode(&other, third);
	fuzz_require(memcmp(again, third, sizeof again) == 0,
	    "written twice, it is another record");
	return 0;
}
