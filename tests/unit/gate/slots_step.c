/* SPDX-License-Identifier: MIT */
/*
 * Who gets the next slot: in simple cases, and with many runs that come, look
 * late, are stopped, go on and are killed at random.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "core/pause/schedule.h"
#include "unit/tap.h"

#define T0 (1000 * NS_PER_S)
#define MS NS_PER_MS
#define S NS_PER_S

/* --- one look --- */

TEST(looks)
{
	/* Ticket 5 is the head; the slots were taken, or freed, at T0. */
	static const struct {
		const char *what;
		int64_t at_ns, ticket, count, busy;
		bool is_first;
		int64_t until_ns; /* after AT_NS; 0: it goes */
	} table[] = {
		{ "the head takes what is free", S, 5, 1, 0, true, 0 },
		{ "without one it looks again soon", 0, 5, 1, 1, true,
		    10100000 },
		{ "  later, if that takes long", 64 * S / 100, 5, 1, 1, true,
		    20 * MS },
		{ "  but four times a second", 60 * S, 5, 1, 1, true,
		    250 * MS },
		{ "with many slots it looks less often", 0, 5, 1024, 1024, true,
		    112400000 },
		{ "who is first, as others have died, is the head", S, 9, 1, 0,
		    true, 0 },
		{ "the second of two waits for the first", 0, 6, 1, 0, false,
		    20200000 },
		{ "  and takes one of two that are free", 0, 6, 2, 0, false,
		    0 },
		{ "  but not the only one", 0, 6, 2, 1, false, 10200000 },
		{ "  until the head has not taken it for a second", 1019 * MS,
		    6, 2, 1, false, 1 * MS },
		{ "  then it goes", 1020 * MS, 6, 2, 1, false, 0 },
		{ "the tenth behind comes 200 ms later", 1199 * MS, 15, 1, 0,
		    false, 1 * MS },
		{ "  and goes", 1200 * MS, 15, 1, 0, false, 0 },
		{ "far behind one looks once a second", 60 * S, 500, 2, 2,
		    false, S },
		{ "  or soon, where one is free", 0, 500, 2, 1, false,
		    50 * MS },
		{ "  and goes after 4 s", 4 * S, 100000, 2, 1, false, 0 },
		{ "who was left behind is a head, too", S, 3, 1, 0, false, 0 },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		bool is_free = table[i].busy < table[i].count;
		struct slots slots = { .next = 1000,
			.head = 5,
			.passed = 5,
			.moved_ns = T0,
			.counted_ns = T0 + table[i].at_ns,
			.busy = table[i].busy,
			.count = table[i].count };
		const struct slots_visit visit = { table[i].ticket,
			table[i].count, is_free ? -1 : table[i].busy,
			table[i].is_first, false };
		int64_t now_ns = T0 + table[i].at_ns,
		        until_ns = slots_look(&slots, now_ns, &visit);

		is_int(until_ns > 0 ? until_ns - now_ns : 0, table[i].until_ns,
		    table[i].what);
	}
}

/* Past those who are stopped, several have a slot one soon after the other. */
TEST(passing)
{
	struct slots slots = { .next = 1,
		.head = 5,
		.moved_ns = T0,
		.counted_ns = T0,
		.busy = 0,
		.count = 2 };
	struct slots_visit visit = { 15, 2, -1, false, false };
	int64_t now_ns = T0 + 1200 * MS;

	is_int(slots_look(&slots, now_ns, &visit), 0, "one goes");
	is_int(slots.head, 16, "  and those before it do not count any more");
	is_int(
	    slots.next, 16, "  new ones come behind it, whatever was written");
	visit.ticket = 20;
	is_int(slots_look(&slots, now_ns + 120 * MS, &visit), now_ns + 130 * MS,
	    "the fourth behind it comes 50 + 80 ms later");
	visit.ticket = 4;
	is_int(slots_look(&slots, now_ns + 125 * MS, &visit), 0,
	    "who was stopped goes on, and has the slot");
	is_int(slots.head, 16, "  which moves no head");
}

/* A slot has been free for as long as somebody has looked. */
TEST(counts)
{
	struct slots slots = slots_new(T0);
	struct slots_visit visit = { 2, 1, 1, false, false };

	ok(slots_count_is_due(&slots, T0, &visit), "new: nobody has counted");
	slots_look(&slots, T0, &visit);
	ok(!slots_count_is_due(&slots, T0 + 10 * MS, &visit), "just counted");
	ok(slots_count_is_due(&slots, T0 + 11 * MS, &visit), "a while ago");
	visit.is_first = true;
	ok(slots_count_is_due(&slots, T0, &visit), "the first always counts");
	visit.is_first = false;
	visit.count = 2;
	ok(slots_count_is_due(&slots, T0, &visit), "another number of slots");

	visit.count = 1;
	visit.busy = 0;
	slots_look(&slots, T0 + 5 * S, &visit);
	is_int(slots.moved_ns, T0 + 5 * S, "seen to be free");
	slots_look(&slots, T0 + 5250 * MS, &visit);
	is_int(slots.moved_ns, T0 + 5 * S, "  since then");
	slots_look(&slots, T0 + 6 * S, &visit);
	is_int(slots.moved_ns, T0 + 6 * S, "the machine stood still");
	visit = (struct slots_visit) { 3, 4, 3, false, false };
	slots.busy = 1;
	slots_look(&slots, T0 + 6100 * MS, &visit);
	is_int(slots.moved_ns, T0 + 6 * S, "who has more slots tells no news");
}

/* --- the record --- */

TEST(record)
{
	const struct slots slots = { .next = 12,
		.head = 9,
		.passed = 5,
		.moved_ns = T0 - S,
		.counted_ns = T0,
		.busy = 3,
		.count = 4 };
	struct slots wrong = { .next = 5, .head = 9, .passed = 9, .busy = 3 };
	uint8_t record[STATE_SIZE] = { 0 }, *part = record + STATE_SLOTS_AT;
	struct slots got;

	is_int(state_record_slots(record, T0).next, 1,
	    "nothing but zeros: as new");
	state_record_set_slots(record, &slots);
	is_int((int64_t)little_endian_get(part + 8, 8), 9, "little-endian");
	got = state_record_slots(record, T0);
	ok(memcmp(&got, &slots, sizeof got) == 0, "what was put is got");
	is_int(state_record_slots(record, T0 - 2 * S).next, 1,
	    "later than now: as new");
	part[3] ^= 1;
	is_int(state_record_slots(record, T0).next, 1, "damaged: as new");
	state_record_set_slots(record, &wrong);
	got = state_record_slots(record, T0);
	ok(got.head == 5 && got.passed == 5, "no head beyond the last ticket");
	wrong.next = -1;
	state_record_set_slots(record, &wrong);
	is_int(state_record_slots(record, T0).next, 1, "a wild number: as new");
	state_record_set_boot(record, 7);
	state_record_set_slots(record, &slots);
	state_record_set_boot(record, 7);
	is_int(state_record_slots(record, T0).next, 12, "of the same boot");
	state_record_set_boot(record, 8);
	is_int(state_record_slots(record, T0).next, 1, "of another: as new");
}

/* Whatever a file says, nobody waits for longer than a second. */
TEST(wild_records)
{
	struct random random = random_from(1);
	uint8_t record[STATE_SIZE], *part = record + STATE_SLOTS_AT;
	int64_t flaws = 0;

	for (int i = 0; i < 20000; i++) {
		struct slots slots;
		struct slots_visit visit
		    = { 1, 4, i % 6 - 1, i % 2 == 0, false };
		int64_t until_ns;

		for (size_t at = 0; at < 64; at += 8)
			little_endian_put(part + at, 8,
			    random.bits(&random)
			        >> random_between(&random, 0, 63));
		memset(part + 64, 0, STATE_SLOTS_SIZE - 64);
		little_endian_put(part + STATE_SLOTS_SIZE - 4, 4,
		    crc32(part, STATE_SLOTS_SIZE - 4));
		slots = state_record_slots(record, T0);
		visit.ticket = random_between(&random, 1, slots.next);
		until_ns = slots_look(&slots, T0, &visit);
		flaws += until_ns != 0 && (until_ns <= T0 || until_ns > T0 + S);
	}
	is_int(flaws, 0, "no record keeps anybody for long");
}

/* --- many runs --- */

#define RUNS 80

enum where {
	TO_COME,
	WAITS,
	RUNS_ON,
	GONE
};

static struct {
	struct random random;
	int64_t now_ns, count, taken, stopped; /* so many were */
	struct slots slots;
	int64_t idle_ns, busy_ns; /* of slots that somebody wanted; of all */
	struct run {
		enum where where;
		int64_t at_ns; /* the next that happens to it */
		int64_t ticket, takes_ns, overtaken;
		bool was_stopped;
	} runs[RUNS];
} sim;

#define each_run(one) \
	struct run *one = sim.runs; \
	(one) < sim.runs + RUNS; \
	(one)++

static bool
somebody_waits(int64_t before)
{
	for (each_run(run))
		if (run->where == WAITS && run->ticket < before)
			return true;
	return false;
}

static void
begin(struct run *run)
{
	for (each_run(other))
		other->overtaken
		    += other->where == WAITS && other->ticket < run->ticket;
	run->where = RUNS_ON;
	run->at_ns = sim.now_ns + run->takes_ns;
	sim.taken++;
}

/* Up to 3 ms late. */
static void
look(struct run *run)
{
	struct slots_visit visit = { run->ticket, sim.count, -1,
		!somebody_waits(run->ticket), false };
	int64_t until_ns;

	if (slots_count_is_due(&sim.slots, sim.now_ns, &visit))
		visit.busy = sim.taken;
	until_ns = slots_look(&sim.slots, sim.now_ns, &visit);
	if (until_ns == 0)
		begin(run);
	else
		run->at_ns = until_ns + random_between(&sim.random, 0, 3 * MS);
}

static void
happen(struct run *run)
{
	if (run->where == RUNS_ON) {
		sim.taken--;
		run->where = GONE;
	} else if (run->where == WAITS) {
		look(run);
	} else if (!somebody_waits(INT64_MAX) && sim.taken < sim.count) {
		begin(run);
	} else {
		run->ticket = sim.slots.next++;
		run->where = WAITS;
		look(run);
	}
}

/* After 200 ms, to so many of 100 who wait; */
struct strike {
	const char *what;
	int stopped, killed;
	int64_t on_ns; /* who is stopped goes on after this, at most */
	int64_t still_ns; /* ... and to all: nothing happens for so long */
};

static void
strike(const struct strike *strike)
{
	for (each_run(run)) {
		int64_t draw = random_between(&sim.random, 1, 100);

		if (strike->still_ns > 0)
			run->at_ns = max_ns(run->at_ns,
			    sim.now_ns + strike->still_ns + draw * MS / 10);
		if (run->where != WAITS)
			continue;
		if (draw <= strike->killed) {
			run->where = GONE;
		} else if (draw <= strike->killed + strike->stopped) {
			run->at_ns
			    += random_between(&sim.random, 0, strike->on_ns);
			run->was_stopped = true;
			sim.stopped++;
		}
	}
}

static void
pass_time(int64_t until_ns)
{
	int64_t ns = max_ns(until_ns - sim.now_ns, 0);
	bool wanted = false;

	for (each_run(run))
		wanted |= run->where == WAITS && !run->was_stopped;
	sim.busy_ns += ns * sim.taken;
	if (wanted)
		sim.idle_ns += ns * (sim.count - sim.taken);
	sim.now_ns += ns;
}

/* All come within 200 ms, and an attempt takes up to TAKES_NS. */
static void
simulate(
    uint64_t seed, int64_t count, int64_t takes_ns, const struct strike *what)
{
	struct run *next;
	bool struck = false;

	memset(&sim, 0, sizeof sim);
	sim.random = random_from(seed);
	sim.now_ns = T0;
	sim.count = count;
	sim.slots = slots_new(T0);
	for (each_run(run)) {
		run->at_ns = T0 + random_between(&sim.random, 0, 200 * MS);
		run->takes_ns
		    = random_between(&sim.random, takes_ns / 4, takes_ns);
	}
	do {
		next = NULL;
		for (each_run(run))
			if (run->where != GONE
			    && (next == NULL || run->at_ns < next->at_ns))
				next = run;
		if (!struck && sim.now_ns > T0 + 200 * MS) {
			struck = true;
			strike(what);
		} else if (next != NULL) {
			pass_time(next->at_ns);
			happen(next);
		}
	} while (next != NULL && sim.taken <= sim.count);
}

/*
 * Never more than there are; nobody who was not stopped is overtaken by more
 * than N; and slots are idle for a thirtieth of the time, and a second or so
 * for each of those who are stopped.
 */
TEST(many)
{
	static const struct strike strikes[] = {
		{ "nothing happens", 0, 0, 0, 0 },
		{ "a fifth is killed", 0, 20, 0, 0 },
		{ "a tenth is stopped for long", 10, 0, 3600 * S, 0 },
		{ "half are stopped for long", 50, 0, 3600 * S, 0 },
		{ "half are stopped for a while", 50, 0, 5 * S, 0 },
		{ "some are stopped, some killed", 20, 20, 5 * S, 0 },
		{ "the machine stands still", 0, 0, 0, 2 * S },
	};
	static const int64_t takes_ns[] = { 200 * MS, 8 * S };

	for (size_t i = 0; i < ARRAY_LENGTH(strikes) * 6; i++) {
		const struct strike *what = &strikes[i / 6];
		int64_t takes = takes_ns[i / 3 % 2];
		int64_t count = 1 << 2 * (i % 3);
		int64_t most = 0, taken = 0, idle_ns = 0;
		const char *of = JOINED(128, what->what, ": ", NUMBER(count),
		    " slots for up to ", DURATION(takes));

		for (uint64_t seed = 1; seed <= 5; seed++) {
			simulate(seed, count, takes, what);
			for (each_run(run))
				if (!run->was_stopped)
					most = max_ns(most, run->overtaken);
			taken = max_ns(taken, sim.taken - sim.count);
			idle_ns = max_ns(idle_ns,
			    sim.idle_ns - sim.busy_ns / 20
			        - sim.stopped * 15 * S / 10);
		}
		is_int(taken, 0, JOINED(192, of, ": no more"));
		is_between(most, 0, count,
		    JOINED(192, of, ": nobody is overtaken by more"));
		is_between(idle_ns, INT64_MIN, count * S,
		    JOINED(192, of, ": and they are used"));
	}
}
