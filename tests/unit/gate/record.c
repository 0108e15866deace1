/* SPDX-License-Identifier: MIT */
/*
 * What runs share, as bytes: what was written is read again; and what no run
 * has written, with a checksum that is right, holds up nobody for longer than a
 * server may.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "core/pause/schedule.h"
#include "unit/tap.h"

#define RECORDS 50000
#define MOST_STEPS 2000
#define T0 (5000 * NS_PER_S)
#define NOW (INT64_C(1795261200) * NS_PER_S)

static struct random source;

static int64_t
below(int64_t many)
{
	return random_between(&source, 0, many - 1);
}

static void
step(struct gate *gate, int64_t now_ns)
{
	uint64_t ticket
	    = (uint64_t)below(2) * (gate->head + (uint64_t)below(3));
	const struct gate_attempt attempt = {
		.outcome = (enum gate_outcome)below(4), /* none by hand */
		.run = (uint64_t)below(3),
		.ticket = gate->probers[0],
		.began_ns = now_ns - below(3 * NS_PER_S),
		.ended_ns = now_ns,
		.stated_ns = below(2) * below(GATE_STATED_NS),
		.pause_ns = below(GATE_DUE_NS),
		.reason = "exit 7 (could not connect)",
	};

	gate_forget_dead(gate, (uint8_t)below(256));
	if (below(2) == 0)
		gate_look(gate, now_ns, ticket);
	else
		gate_result(gate, now_ns, &attempt);
}

static int out_of_bounds;

/* A gate that was in use for a while, until *NOW_NS. */
static struct gate
used_gate(int64_t *now_ns)
{
	struct gate gate = gate_new();

	*now_ns = T0;
	for (int64_t steps = below(60); steps > 0; steps--) {
		*now_ns += below(NS_PER_S / 2);
		step(&gate, *now_ns);
		out_of_bounds += gate.probers_count > GATE_MOST_PROBERS
		    || gate.head > gate.next || gate.pace.rate < PACE_LEAST
		    || gate.pace.rate > PACE_MOST;
	}
	return gate;
}

static void
repair(uint8_t *bytes)
{
	little_endian_put(
	    bytes + STATE_GATE_SIZE - 4, 4, crc32(bytes, STATE_GATE_SIZE - 4));
}

static void
spoil(uint8_t *bytes)
{
	int bytes_count = below(8) == 0 ? STATE_GATE_SIZE : 0;

	for (int i = 2; i < bytes_count; i++)
		bytes[i] = (uint8_t)source.bits(&source);
	for (int64_t bits = below(6); bits > 0; bits--)
		bytes[below(STATE_GATE_SIZE)] ^= (uint8_t)(1 << below(8));
	if (below(8) > 0)
		repair(bytes);
}

/*
 * All others have died, or are stopped for ever. NULL: one more run starts in
 * time.
 */
static const char *
lets_in(struct gate gate, int64_t now_ns, uint8_t living)
{
	struct gate_answer answer = { .ticket = 0 };
	bool is_crowded = gate.next - gate.head > 100;

	gate_forget_dead(&gate, living);
	for (int i = 0; i < MOST_STEPS; i++) {
		answer = gate_look(&gate, now_ns, answer.ticket);
		if (answer.until_ns == 0)
			return NULL;
		if (answer.until_ns > now_ns + 10 * NS_PER_S)
			return "it does not look for too long";
		if (answer.until_ns <= now_ns)
			return "it looks without a pause";
		now_ns = answer.until_ns;
		/* A server may ask for a day. */
		if (gate.state == GATE_SHUT && gate.due_ns > now_ns)
			now_ns = gate.due_ns;
	}
	return is_crowded ? NULL : "it never starts";
}

TEST(fields)
{
	struct gate gate = gate_new(), read;
	uint8_t bytes[STATE_GATE_SIZE];
	char longest[60];

	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	gate.state = GATE_SHUT;
	gate.since_ns = T0 - 1;
	gate.due_ns = T0 + 3600 * NS_PER_S;
	gate.stated = true;
	gate.pace.limit = 20.4;
	gate.pace.base = 0.1;
	memcpy(gate.reason, longest, GATE_REASON_SIZE);
	gate_record_write(bytes, &gate, 0);
	ok(bytes[0] == GATE_SHUT && memcmp(bytes + 66 - 64, "\xff\x4f", 2) == 0,
	    "numbers are little-endian");
	ok(gate_record_read(&read, bytes, T0, 0) && read.due_ns == gate.due_ns
	        && read.pace.limit > 20.399 && read.pace.limit < 20.401
	        && read.pace.base > 0.0999 && read.pace.base < 0.1001,
	    "times, rates and shares are read as they were written");
	is_string(read.reason, gate.reason, "  and the longest reason");
	ok(!gate_record_read(&read, bytes, T0 - 2 * NS_PER_S, 0)
	        && read.state == GATE_OPEN,
	    "what is of a time to come is as new");
	gate_record_write(bytes, &gate, -T0 / 2);
	ok(gate_record_read(&read, bytes, T0 / 2, 0)
	        && read.since_ns == T0 / 2 - 1
	        && read.due_ns == T0 / 2 + 3600 * NS_PER_S
	        && read.row.first_ns == 0,
	    "another clock moves all times but those that never were");
	ok(gate_record_read(&read, bytes, T0, -T0 / 2)
	        && read.since_ns == gate.since_ns && read.due_ns == gate.due_ns
	        && read.row.first_ns == 0,
	    "  and back");
	bytes[100] ^= 1;
	ok(!gate_record_read(&read, bytes, T0, 0),
	    "a checksum tells of damage");
	gate.probers[0] = gate.next;
	gate.probers_count = 1;
	gate_record_write(bytes, &gate, 0);
	ok(!gate_record_read(&read, bytes, T0, 0),
	    "nobody probes with a ticket that was not given yet");
	gate.next = UINT64_C(1) << 60;
	gate_record_write(bytes, &gate, 0);
	ok(!gate_record_read(&read, bytes, T0, 0),
	    "no ticket is one whose byte cannot be locked");
}

TEST(noise)
{
	const char *flaw = NULL;
	int taken = 0, differs = 0;

	source = random_from(1);
	for (int i = 0; i < RECORDS && flaw == NULL; i++) {
		uint8_t bytes[STATE_GATE_SIZE], again[STATE_GATE_SIZE];
		int64_t now_ns;
		struct gate gate = used_gate(&now_ns), read;

		gate_record_write(bytes, &gate, 0);
		differs += !gate_record_read(&read, bytes, now_ns, 0);
		gate_record_write(again, &read, 0);
		differs += memcmp(bytes, again, sizeof bytes) != 0;
		spoil(bytes);
		taken += gate_record_read(&read, bytes, now_ns, 0);
		flaw = lets_in(gate, now_ns, UINT8_MAX);
		if (flaw == NULL)
			flaw = lets_in(read, now_ns, 0);
		for (int steps = 0; steps < 6; steps++)
			step(&read, now_ns += below(30 * NS_PER_S));
		if (flaw == NULL)
			flaw = lets_in(read, now_ns, 0);
		if (flaw != NULL)
			printf("# record %d: %s\n", i, flaw);
	}
	is_int(out_of_bounds, 0, "a gate in use keeps its numbers in bounds");
	is_int(differs, 0, "  and is read as it was written");
	ok(flaw == NULL, "a record that nobody has written keeps nobody out");
	is_between(taken, RECORDS / 8, RECORDS / 10 * 9,
	    "some records are taken as they are, some not");
}

static void
looks(const uint8_t *record, size_t size, enum state_header wanted,
    const char *what)
{
	const char *why;

	is_int(state_record_look(record, size, &why), wanted, what);
}

static void
fresh(uint8_t record[STATE_SIZE], uint64_t boot)
{
	memset(record, 0, STATE_SIZE);
	state_record_set_boot(record, boot);
}

TEST(deferral)
{
	uint8_t record[STATE_SIZE], gate[STATE_GATE_SIZE];
	struct deferral deferral = { .failures = 1,
		.until_ns = NOW + 40 * NS_PER_S,
		.window_ns = NS_PER_MIN,
		.status = 7,
		.runs = UINT32_MAX,
		.since_ns = NOW + NS_PER_S,
		.last_ns = NOW };
	struct deferral read;
	bool is_broken;

	fresh(record, UINT64_C(0x0123456789abcdef));
	ok(memcmp(record, "backoff\n\3\0\0\4\xef\xcd\xab\x89\x67\x45\x23\1", 20)
	        == 0,
	    "a header is little-endian everywhere");
	looks(record, STATE_SIZE, STATE_HEADER_FINE, "  and in order");
	ok(state_record_boot(record) == UINT64_C(0x0123456789abcdef),
	    "  with its boot");
	is_int(state_record_deferral(record, &is_broken).failures, 0,
	    "zeros are no deferral");
	ok(!is_broken, "  and none that is broken");
	memset(record + STATE_GATE_AT, 0x5a, STATE_GATE_SIZE);
	memcpy(gate, record + STATE_GATE_AT, sizeof gate);
	memset(deferral.reason, 'x', DEFERRAL_REASON_SIZE - 1);
	state_record_set_deferral(record, &deferral);
	read = state_record_deferral(record, NULL);
	ok(read.failures == 1 && read.until_ns == deferral.until_ns
	        && read.window_ns == NS_PER_MIN && read.status == 7
	        && read.runs == UINT32_MAX && read.since_ns == NOW + NS_PER_S
	        && read.last_ns == NOW,
	    "a deferral is read as it was written");
	is_string(read.reason, deferral.reason, "  with its reason");
	ok(memcmp(gate, record + STATE_GATE_AT, sizeof gate) == 0,
	    "  and the gate's part is let be");
	looks(record, STATE_SIZE, STATE_HEADER_FINE, "  as the header is");
	state_record_set_boot(record, 3);
	looks(record, STATE_SIZE, STATE_HEADER_FINE, "  as it is then");
	ok(state_record_boot(record) == 3
	        && state_record_deferral(record, NULL).failures == 1,
	    "a deferral outlives a reboot");
	record[STATE_DEFERRAL_AT] ^= 1;
	state_record_deferral(record, &is_broken);
	ok(is_broken, "a wrong checksum tells of damage");
	ok(hash_of("a", 1) == UINT64_C(0xaf63dc4c8601ec8c)
	        && hash_of("foobar", 6) == UINT64_C(0x85944171f73967e8),
	    "the hash is FNV-1a");
}

TEST(damage)
{
	uint8_t record[STATE_SIZE] = { 0 };

	looks(record, 0, STATE_HEADER_AS_NEW, "no bytes");
	looks(record, STATE_SIZE, STATE_HEADER_AS_NEW,
	    "or zeros, as after a power failure");
	fresh(record, 1);
	looks(record, 511, STATE_HEADER_AS_NEW, "cut short");
	record[8] = 2;
	little_endian_put(record + 20, 4, crc32(record, 20));
	looks(record, 512, STATE_HEADER_AS_NEW,
	    "an earlier version, whose record was smaller, is not");
	fresh(record, 1);
	memset(record + 5, 0, STATE_SIZE - 5);
	looks(record, 5, STATE_HEADER_AS_NEW, "even within the first word");
	memcpy(record, "#!/bin/sh\n", 10);
	looks(record, 10, STATE_HEADER_FOREIGN,
	    "somebody's script is none of ours");
	fresh(record, 1);
	record[8] = 4;
	looks(record, STATE_SIZE, STATE_HEADER_FOREIGN,
	    "a version from the future");
	fresh(record, 1);
	record[11] = 5;
	looks(record, STATE_SIZE, STATE_HEADER_FOREIGN, "a size beyond ours");
	fresh(record, 1);
	record[13] ^= 1;
	looks(record, STATE_SIZE, STATE_HEADER_AS_NEW, "a wrong checksum");
}

/* Whatever the bytes are, what comes out of them is within its limits. */
TEST(noise_of_deferrals)
{
	struct random random = random_from(1);
	uint8_t record[STATE_SIZE];
	int wrong = 0;

	for (int i = 0; i < 20000; i++) {
		uint8_t *part = record + STATE_DEFERRAL_AT;
		struct deferral deferral;
		int64_t wait_ns;

		for (size_t at = 0; at < STATE_SIZE; at += 8)
			little_endian_put(record + at, 8, random.bits(&random));
		deferral = state_record_deferral(record, NULL);
		wrong += deferral.failures != 0;
		little_endian_put(part + STATE_DEFERRAL_SIZE - 4, 4,
		    crc32(part, STATE_DEFERRAL_SIZE - 4));
		deferral = state_record_deferral(record, NULL);
		wait_ns = deferral_wait(&deferral, INT64_MAX, NOW);
		wrong += wait_ns < 0 || wait_ns > INT64_MAX / 2
		    || strlen(deferral.reason) > DEFERRAL_REASON_SIZE;
	}
	is_int(wrong, 0, "noise is never more than a wait");
}
