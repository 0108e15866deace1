/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/base/little_endian.h"
#include "core/gate/deferral.h"
#include "core/gate/state_record.h"
#include "core/pause/random.h"
#include "unit/tap.h"

#define S NS_PER_S
#define NOW (INT64_C(1795261200) * S)

static const struct range usual = { NS_PER_MIN, 60 * NS_PER_MIN };

static void
test_windows(void)
{
	static const struct {
		uint32_t failures;
		int64_t window_ns;
	} table[] = {
		{ 1, NS_PER_MIN },
		{ 2, 2 * NS_PER_MIN },
		{ 6, 32 * NS_PER_MIN },
		{ 7, 60 * NS_PER_MIN },
		{ 29, 60 * NS_PER_MIN },
		{ 33, 60 * NS_PER_MIN },
		{ 65, 60 * NS_PER_MIN },
		{ 1000000000, 60 * NS_PER_MIN },
		{ UINT32_MAX, 60 * NS_PER_MIN },
	};
	struct range endless = { 1, INT64_MAX };
	struct range narrow = { 5 * S, 5 * S };

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
		is_int(deferral_window(usual, table[i].failures),
		    table[i].window_ns, "a window doubles up to its limit");
	is_int(deferral_window(endless, 63), INT64_C(1) << 62, "up to 2^62");
	is_int(deferral_window(endless, 64), INT64_MAX, "then it saturates");
	is_int(deferral_window(endless, 65), INT64_MAX, "  and stays there");
	is_int(deferral_window(endless, 1000000000), INT64_MAX, "  for ever");
	is_int(deferral_window(narrow, 1), 5 * S, "a range of one value");
	is_int(deferral_window(narrow, 9), 5 * S, "  has that alone");
}

static void
test_wait(void)
{
	struct deferral none = { .until_ns = NOW + S, .window_ns = S };
	struct deferral deferral = { 0 };
	bool changed;

	is_int(deferral_wait(&none, INT64_MAX, NOW, &changed), 0,
	    "nothing remembered");
	deferral_count(&deferral, usual, NOW, NOW, 40 * S, 7, "exit 7\nmore");
	is_int(deferral.failures, 1, "one run gave up");
	is_int(deferral.window_ns, NS_PER_MIN, "  its window");
	is_string(deferral.reason, "exit 7?more", "  its reason on one line");
	is_int(deferral_wait(&deferral, INT64_MAX, NOW, &changed), 40 * S,
	    "  its wait");
	is_int(deferral_wait(&deferral, INT64_MAX, NOW + 39 * S, &changed), S,
	    "  later");
	ok(!changed, "  all of which changes nothing");
	is_int(deferral_wait(&deferral, INT64_MAX, NOW + 40 * S, &changed), 0,
	    "  until its time has come");
	is_int(deferral_wait(&deferral, INT64_MAX, NOW - 20 * S, &changed),
	    60 * S, "a clock set back by less than the window");
	ok(!changed, "  is let be");
	is_int(deferral_wait(&deferral, INT64_MAX, NOW - 3600 * S, &changed),
	    60 * S, "one set back by more holds no longer than the window");
	ok(changed && deferral.until_ns == NOW - 3540 * S,
	    "  from then on, and that is to be written");
	is_int(deferral_wait(&deferral, INT64_MAX, NOW - 3560 * S, &changed),
	    20 * S, "  so that it ends");
	is_int(deferral_wait(&deferral, INT64_MAX, 0, &changed), 60 * S,
	    "a clock that lost its battery");
	deferral.failures = UINT32_MAX;
	deferral_count(&deferral, usual, NOW, INT64_MAX - S, 3600 * S, 7, "");
	ok(deferral.failures == UINT32_MAX, "the count saturates");
	ok(deferral.until_ns == INT64_MAX, "  as the time does");
}

static void
test_overlap(void)
{
	struct deferral deferral = { 0 };

	deferral_count(&deferral, usual, NOW, NOW + S, 30 * S, 7, "");
	for (int i = 0; i < 6; i++)
		deferral_count(
		    &deferral, usual, NOW, NOW + 2 * S, 40 * S, 7, "");
	is_int(deferral.failures, 1, "runs that overlap count once");
	is_int(deferral.window_ns, NS_PER_MIN, "  with that window");
	ok(deferral.until_ns == NOW + 42 * S, "  but the last one puts off");
	deferral_count(&deferral, usual, NOW, NOW + 3 * S, 30 * S, 7, "");
	ok(deferral.until_ns == NOW + 42 * S, "  never for less than before");
	deferral_count(&deferral, usual, NOW + S, NOW + 50 * S, 30 * S, 7, "");
	is_int(deferral.failures, 2, "one that began after it counts");
	deferral_count(&deferral, usual, 0, S, 30 * S, 7, "");
	is_int(deferral.failures, 3, "a clock set back makes no overlap");
}

static void
test_own_high(void)
{
	struct deferral deferral = { .failures = 9,
		.until_ns = NOW + 1000000 * S,
		.window_ns = 2000000 * S };
	bool changed;

	is_int(deferral_wait(&deferral, 2 * S, NOW, &changed), 2 * S,
	    "a record of others holds no longer than the own limit");
	ok(changed && deferral.until_ns == NOW + 2 * S,
	    "  from now on, and that is to be written");
	is_int(deferral_wait(&deferral, 2 * S, NOW + 2 * S, &changed), 0,
	    "  so that it ends");
}

static void
test_events(void)
{
	static const struct {
		enum result result;
		enum verdict verdict;
		enum deferral_event event;
	} table[] = {
		{ RESULT_SUCCESS, VERDICT_SUCCESS, DEFERRAL_FORGET },
		{ RESULT_PASS, VERDICT_PASS, DEFERRAL_FORGET },
		{ RESULT_STOPPED, VERDICT_STOP, DEFERRAL_FORGET },
		{ RESULT_STOPPED, VERDICT_RETRY, DEFERRAL_COUNT },
		{ RESULT_EXHAUSTED, VERDICT_RETRY, DEFERRAL_COUNT },
		{ RESULT_EXHAUSTED, VERDICT_THROTTLE, DEFERRAL_COUNT },
		{ RESULT_DEADLINE, VERDICT_RETRY, DEFERRAL_COUNT },
		{ RESULT_DEADLINE, VERDICT_NONE, DEFERRAL_NONE },
		{ RESULT_INTERRUPTED, VERDICT_RETRY, DEFERRAL_NONE },
		{ RESULT_ERROR, VERDICT_SUCCESS, DEFERRAL_NONE },
		{ RESULT_DEFERRED, VERDICT_NONE, DEFERRAL_NONE },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
		ok(deferral_event(table[i].result, table[i].verdict)
		        == table[i].event,
		    "what an end means for the next runs");
}

static void
looks(const uint8_t *record, size_t size, enum state_header wanted,
    const char *what)
{
	is_int(state_record_look(record, size), wanted, what);
}

static void
fresh(uint8_t record[STATE_SIZE], uint64_t boot)
{
	memset(record, 0, STATE_SIZE);
	state_record_set_boot(record, boot);
}

/* The runs in a row that gave up, by whatever verdict. */
static void
test_row(void)
{
	struct deferral deferral = { .failures = 3, .until_ns = NOW };

	ok(deferral_gave_up(RESULT_EXHAUSTED)
	        && deferral_gave_up(RESULT_STOPPED)
	        && deferral_gave_up(RESULT_DEADLINE),
	    "these runs gave up");
	ok(!deferral_gave_up(RESULT_SUCCESS) && !deferral_gave_up(RESULT_PASS)
	        && !deferral_gave_up(RESULT_INTERRUPTED)
	        && !deferral_gave_up(RESULT_ERROR)
	        && !deferral_gave_up(RESULT_DEFERRED),
	    "  and these did not");
	deferral_add_run(&deferral, NOW);
	deferral_add_run(&deferral, NOW + S);
	ok(deferral.runs == 2 && deferral.since_ns == NOW,
	    "a row is told by its first run");
	deferral_forget_failures(&deferral);
	ok(deferral.failures == 0 && deferral.until_ns == 0
	        && deferral.runs == 2 && deferral.since_ns == NOW,
	    "  and outlives the failures");
	deferral.runs = UINT32_MAX;
	deferral_add_run(&deferral, NOW);
	ok(deferral.runs == UINT32_MAX, "  and saturates");
}

static void
test_record(void)
{
	uint8_t record[STATE_SIZE], gate[STATE_GATE_SIZE];
	struct deferral deferral = { 0 }, read;

	fresh(record, UINT64_C(0x0123456789abcdef));
	ok(memcmp(record, "backoff\n\3\0\0\4\xef\xcd\xab\x89\x67\x45\x23\1", 20)
	        == 0,
	    "a header is little-endian everywhere");
	looks(record, STATE_SIZE, STATE_HEADER_FINE, "  and in order");
	ok(state_record_boot(record) == UINT64_C(0x0123456789abcdef),
	    "  with its boot");
	is_int(
	    state_record_deferral(record).failures, 0, "zeros are no deferral");
	memset(record + STATE_GATE_AT, 0x5a, STATE_GATE_SIZE);
	memcpy(gate, record + STATE_GATE_AT, sizeof gate);
	deferral_count(&deferral, usual, NOW, NOW, 40 * S, 7,
	    "exit 7 (a reason that is much longer than the room that there is "
	    "for one)");
	deferral_add_run(&deferral, NOW + S);
	state_record_set_deferral(record, &deferral);
	read = state_record_deferral(record);
	ok(read.failures == 1 && read.until_ns == NOW + 40 * S
	        && read.window_ns == NS_PER_MIN && read.status == 7
	        && read.runs == 1 && read.since_ns == NOW + S,
	    "a deferral is read as it was written");
	is_string(read.reason, deferral.reason, "  with its reason");
	ok(memcmp(gate, record + STATE_GATE_AT, sizeof gate) == 0,
	    "  and the gate's part is let be");
	looks(record, STATE_SIZE, STATE_HEADER_FINE, "  as the header is");
	state_record_set_boot(record, 3);
	ok(state_record_look(record, STATE_SIZE) == STATE_HEADER_FINE
	        && state_record_boot(record) == 3
	        && state_record_deferral(record).failures == 1,
	    "a deferral outlives a reboot");
	memset(record + STATE_DEFERRAL_AT, 0xff, STATE_DEFERRAL_SIZE);
	ok(hash_of("a", 1) == UINT64_C(0xaf63dc4c8601ec8c)
	        && hash_of("foobar", 6) == UINT64_C(0x85944171f73967e8),
	    "the hash is FNV-1a");
}

static void
test_damage(void)
{
	uint8_t record[STATE_SIZE] = { 0 };

	looks(record, 0, STATE_HEADER_EMPTY, "no bytes");
	looks(record, STATE_SIZE, STATE_HEADER_EMPTY,
	    "or zeros, as after a power failure");
	fresh(record, 1);
	looks(record, 511, STATE_HEADER_BROKEN, "cut short");
	record[8] = 2;
	little_endian_put(record + 20, 4, crc32(record, 20));
	looks(record, 512, STATE_HEADER_EARLIER,
	    "an earlier version, whose record was smaller, is not");
	fresh(record, 1);
	memset(record + 5, 0, STATE_SIZE - 5);
	looks(record, 5, STATE_HEADER_BROKEN, "even within the first word");
	memcpy(record, "#!/bin/sh\n", 10);
	looks(record, 10, STATE_HEADER_FOREIGN,
	    "somebody's script is none of ours");
	fresh(record, 1);
	record[8] = 4;
	looks(record, STATE_SIZE, STATE_HEADER_LATER,
	    "a version from the future");
	fresh(record, 1);
	record[11] = 5;
	looks(record, STATE_SIZE, STATE_HEADER_LATER, "a size beyond ours");
	fresh(record, 1);
	record[13] ^= 1;
	looks(record, STATE_SIZE, STATE_HEADER_BROKEN, "a wrong checksum");
}

/* Whatever the bytes are, what comes out of them is within its limits. */
static void
test_noise(void)
{
	struct random random = random_from(1);
	uint8_t record[STATE_SIZE];
	int wrong = 0;

	for (int i = 0; i < 20000; i++) {
		uint8_t *part = record + STATE_DEFERRAL_AT;
		struct deferral deferral;
		bool changed;
		int64_t wait_ns;

		for (size_t at = 0; at < STATE_SIZE; at += 8)
			little_endian_put(record + at, 8, random.bits(&random));
		deferral = state_record_deferral(record);
		wrong += deferral.failures != 0;
		little_endian_put(part + STATE_DEFERRAL_SIZE - 4, 4,
		    crc32(part, STATE_DEFERRAL_SIZE - 4));
		deferral = state_record_deferral(record);
		wait_ns = deferral_wait(&deferral, INT64_MAX, NOW, &changed);
		wrong += wait_ns < 0 || wait_ns > INT64_MAX / 2
		    || strlen(deferral.reason) >= DEFERRAL_REASON_SIZE;
	}
	is_int(wrong, 0, "noise is never more than a wait");
}

TESTS
{
	test_windows();
	test_wait();
	test_overlap();
	test_own_high();
	test_events();
	test_row();
	test_record();
	test_damage();
	test_noise();
}
