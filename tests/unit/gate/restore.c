/* SPDX-License-Identifier: MIT */
/*
 * What a server that has lost a gate's record is given.
 */
#include <config.h>

#include "core/base/duration.h"
#include "core/gate/restore.h"
#include "unit/tap.h"

#define NOW (100000 * NS_PER_S)

static struct gate_record
seen(enum gate_state state, int64_t news_ns)
{
	struct gate_record record = gate_record_new();

	record.state = state;
	record.is_copy = true;
	record.since_ns = record.news_ns = news_ns;
	record.due_ns = record.release_ns = record.probe_ns = news_ns;
	record.turn = 3;
	return record;
}

static bool
is_given(const struct gate_record *mirror)
{
	struct gate_record record = gate_record_new();

	return gate_restore(&record, false, mirror, 0, NOW);
}

static void
empty_server(void)
{
	struct gate_record mirror = seen(GATE_SHUT, NOW), record;

	ok(is_given(&mirror), "shut");
	record = gate_record_new();
	gate_restore(&record, false, &mirror, 7, NOW);
	is_int(record.turn, 7, "with the turn of who has the lease");
	ok(record.is_copy && record.state == GATE_SHUT, "as a copy");
	mirror = seen(GATE_PROBING, NOW);
	ok(is_given(&mirror), "probing");
	mirror = seen(GATE_RAMP, NOW);
	ok(is_given(&mirror), "in the ramp");
	mirror = seen(GATE_OPEN, NOW);
	ok(!is_given(&mirror), "open is as new");
	mirror = seen(GATE_SHUT, NOW);
	mirror.is_copy = false;
	ok(!is_given(&mirror), "not what a machine has shut by itself");
	mirror = seen(GATE_SHUT, NOW - 4 * NS_PER_MIN);
	ok(is_given(&mirror), "a probe is overdue");
	mirror = seen(GATE_SHUT, NOW - 6 * NS_PER_MIN);
	ok(!is_given(&mirror), "... for too long");
	mirror.due_ns = NOW + NS_PER_MIN;
	ok(is_given(&mirror), "a hint holds, however old it is");
	mirror = seen(GATE_SHUT, NOW - GATE_KEPT_NS - 1);
	mirror.due_ns = NOW + NS_PER_MIN;
	ok(!is_given(&mirror), "... up to a day");
}

static void
newest_wins(void)
{
	struct gate_record record = seen(GATE_SHUT, NOW - NS_PER_MIN);
	struct gate_record mirror = seen(GATE_OPEN, NOW);

	ok(!gate_restore(&mirror, true, &record, 0, NOW), "an older one");
	ok(gate_restore(&record, true, &mirror, 0, NOW), "a newer one");
	is_int(record.state, GATE_OPEN, "which has opened since");
	ok(!gate_restore(&record, true, &mirror, 0, NOW), "and only once");
	record = seen(GATE_SHUT, NOW - NS_PER_MIN);
	record.is_copy = false;
	ok(!gate_restore(&record, true, &mirror, 0, NOW),
	    "not in the place of what the fleet has learned");
}

int
main(void)
{
	empty_server();
	newest_wins();
	return done();
}
