/* SPDX-License-Identifier: MIT */
/*
 * Runs at a gate, in random orders. The locks are those that the kernel has:
 * one holds a turn, one is the first in its queue, who dies holds nothing. Who
 * is stuck is never heard of again; those behind a first that is stuck look at
 * the clock, too.
 */
#include <config.h>

#include "core/gate/rules.h"
#include "core/pause/random.h"
#include "unit/gate/check.h"
#include "unit/tap.h"

#define RUNS 4
#define WAYS (RUNS * 5 + 5)
#define ORDERS 40000 /* from each beginning */
#define LENGTH 16 /* of each: its events */

enum phase {
	AWAY,
	QUEUED, /* behind the first that waits for that turn */
	FIRST, /* waits for it */
	HOLDER,
	PROBING,
	RUNNING, /* in the open, or the ramp */
};

struct player {
	enum phase phase;
	uint32_t turn; /* that it holds, or watches */
	int64_t since_ns; /* turn, or attempt */
};

struct play {
	struct gate_record record;
	int64_t now_ns;
	struct player players[RUNS];
};

struct tally {
	bool rules[GATE_RULES];
	const char *flaw;
};

/* Whether anybody in phase A or B has, or waits for, that turn. */
static bool
is_anybody(const struct play *play, uint32_t turn, enum phase a, enum phase b)
{
	for (int i = 0; i < RUNS; i++)
		if ((play->players[i].phase == a || play->players[i].phase == b)
		    && play->players[i].turn == turn)
			return true;
	return false;
}

static bool
is_held(const struct play *play, uint32_t turn)
{
	return is_anybody(play, turn, HOLDER, PROBING);
}

static void
queue(struct play *play, struct player *player)
{
	player->phase = is_anybody(play, play->record.turn, FIRST, FIRST)
	    ? QUEUED
	    : FIRST;
	player->turn = play->record.turn;
}

/* It gives up what it holds or waits for; the next moves up. */
static void
leave(struct play *play, struct player *player)
{
	bool first = player->phase == FIRST;

	player->phase = AWAY;
	for (int i = 0; i < RUNS && first; i++)
		if (play->players[i].phase == QUEUED
		    && play->players[i].turn == player->turn) {
			play->players[i].phase = FIRST;
			first = false;
		}
}

static void
start(struct play *play, struct player *player)
{
	leave(play, player);
	player->phase = RUNNING;
	player->since_ns = play->now_ns;
}

static struct gate_run
run_of(const struct play *play, const struct player *player, bool holds)
{
	return (struct gate_run) {
		.id = (uint64_t)(player - play->players) % 3,
		.turn = holds ? player->turn : 0,
		.turn_ns = player->since_ns,
		.patience_ns = 40 * NS_PER_S,
		.alone
		= holds && !is_anybody(play, player->turn, QUEUED, FIRST),
		.other_gone = !is_held(play, play->record.other_turn),
	};
}

static void
begin(struct play *play, struct player *player, bool holds, struct tally *tally)
{
	struct gate_run run = run_of(play, player, holds);
	struct gate_decision decision
	    = gate_ask(&play->record, play->now_ns, &run);

	tally->rules[decision.rule] = true;
	if (decision.kind == GATE_QUEUE) {
		queue(play, player);
	} else if (decision.kind == GATE_LOST) {
		leave(play, player);
		queue(play, player);
	} else if (decision.kind == GATE_START) {
		if (play->record.state != GATE_OPEN
		    && play->record.state != GATE_RAMP)
			tally->flaw = "a start while it is shut";
		start(play, player);
	} else if (decision.kind == GATE_PROBE) {
		if (player->turn != play->record.turn)
			tally->flaw = "a probe by who has not the turn";
		player->phase = PROBING;
		player->since_ns = play->now_ns;
	} else if (decision.until_ns <= play->now_ns) {
		tally->flaw = "a wait for what has passed";
	}
}

static void
take(struct play *play, struct player *player, uint32_t turn,
    struct tally *tally)
{
	if (is_held(play, turn))
		tally->flaw = "two have one turn";
	leave(play, player);
	*player = (struct player) { HOLDER, turn, play->now_ns };
}

/* Who waits, as the first or behind it, looks at the clock. */
static void
look(struct play *play, struct player *player, struct tally *tally)
{
	struct gate_run run = run_of(play, player, true);
	struct gate_decision decision;

	decision = gate_pass_over(&play->record, play->now_ns, &run);
	tally->rules[decision.rule] = true;
	if (decision.kind == GATE_TAKE) {
		take(play, player, play->record.turn, tally);
	} else if (decision.kind == GATE_START) {
		start(play, player);
	} else if (player->turn != play->record.turn) {
		leave(play, player);
		queue(play, player);
	}
}

/* The first in the queue gets the turn, or looks. */
static void
wait_first(struct play *play, struct player *player, struct tally *tally)
{
	if (is_held(play, player->turn))
		look(play, player, tally);
	else
		take(play, player, player->turn, tally);
}

static void
end(struct play *play, struct player *player, int how, struct tally *tally)
{
	struct gate_run run = run_of(play, player, player->phase == PROBING);
	struct gate_attempt attempt = {
		.outcome = how == 0 ? GATE_ENDED_WELL
		    : how == 3      ? GATE_NO_NEWS
		                    : GATE_FAILED,
		.began_ns = player->since_ns,
		.ended_ns = play->now_ns,
		.hint_ns = how == 2 ? play->now_ns + 30 * NS_PER_S : 0,
		.pause_ns = 3 * NS_PER_S,
		.reason = "exit 7",
	};
	struct gate_decision decision
	    = gate_end(&play->record, play->now_ns, &run, &attempt);

	tally->rules[decision.rule] = true;
	leave(play, player);
}

static bool
has_way(const struct play *play, int way)
{
	const struct player *player = &play->players[way / 5];

	if (way >= RUNS * 5)
		return true;
	/* The last way is death, the others are of an attempt that ends. */
	if (way % 5 == 4)
		return player->phase != AWAY;
	return way % 5 == 0 || player->phase == PROBING
	    || player->phase == RUNNING;
}

static void
pass_time(struct play *play, int way)
{
	int64_t due_ns = play->record.state == GATE_RAMP
	    ? play->record.release_ns
	    : play->record.due_ns;
	int64_t overdue_ns = gate_overdue_ns(&play->record);

	if (way == 0)
		play->now_ns += NS_PER_S / 4;
	else if (way == 1)
		play->now_ns += NS_PER_S;
	else if (way == 2)
		play->now_ns += 301 * NS_PER_S;
	else if (way == 3)
		play->now_ns = max_ns(play->now_ns, due_ns);
	else if (overdue_ns < INT64_MAX)
		play->now_ns = max_ns(play->now_ns, overdue_ns);
}

static const char *
probes_flaw(const struct play *play)
{
	int probes = 0;

	for (int i = 0; i < RUNS; i++)
		probes += play->players[i].phase == PROBING;
	if (probes > 2)
		return "more than two probes";
	for (int i = 0; i < RUNS; i++)
		for (int j = 0; j < i; j++)
			if (play->players[i].phase == PROBING
			    && play->players[j].phase == PROBING
			    && play->players[i].turn == play->players[j].turn)
				return "two probes of one turn";
	return NULL;
}

static void
go(struct play *play, int way, struct tally *tally)
{
	struct player *player = &play->players[way / 5 % RUNS];

	if (way >= RUNS * 5)
		pass_time(play, way - RUNS * 5);
	else if (way % 5 == 4)
		leave(play, player);
	else if (player->phase == AWAY)
		begin(play, player, false, tally);
	else if (player->phase == HOLDER)
		begin(play, player, true, tally);
	else if (player->phase == FIRST)
		wait_first(play, player, tally);
	else if (player->phase == QUEUED)
		look(play, player, tally);
	else
		end(play, player, way % 5, tally);
	if (tally->flaw == NULL)
		tally->flaw = gate_flaw(&play->record, play->now_ns);
	if (tally->flaw == NULL)
		tally->flaw = probes_flaw(play);
}

/* Whatever happens, it opens again. */
static void
wander(struct play play, struct random *random, struct tally *tally)
{
	for (int i = 0; i < LENGTH && tally->flaw == NULL;) {
		int way = (int)random_between(random, 0, WAYS - 1);

		if (!has_way(&play, way))
			continue;
		go(&play, way, tally);
		i++;
	}
	if (tally->flaw == NULL)
		tally->flaw = gate_opens(play.record, play.now_ns);
}

/* It waits for the turn, which is free, and for its time. */
static void
pass_gate(struct play *play, struct player *player, struct tally *tally)
{
	if (player->phase == AWAY)
		begin(play, player, false, tally);
	if (player->phase != FIRST)
		return;
	wait_first(play, player, tally);
	play->now_ns = max_ns(play->now_ns,
	    play->record.state == GATE_RAMP ? play->record.release_ns
	                                    : play->record.due_ns);
	begin(play, player, true, tally);
}

/* In the ramp: all who are away want to start, and COUNT may. */
static void
start_some(struct play *play, int count, struct tally *tally)
{
	for (int i = 0; i < RUNS; i++)
		if (play->players[i].phase == AWAY)
			begin(play, &play->players[i], false, tally);
	for (int i = 0; i < count; i++)
		pass_gate(play, &play->players[i], tally);
}

enum beginning {
	OPENED,
	ABOUT_TO_SHUT,
	HANGING, /* a probe */
	RAMPED,
	STARTED, /* a ramp, with attempts, and one more waits */
	STRAGGLING, /* the same, and one began before it shut */
	BEGINNINGS,
};

static struct play
beginning(enum beginning which)
{
	struct play play = {
		.record = gate_record_new(),
		.now_ns = 1000 * NS_PER_S,
	};
	struct tally ignored = { 0 };

	for (int i = 0; i < RUNS && which > OPENED; i++)
		begin(&play, &play.players[i], false, &ignored);
	for (int i = 0; i < 3 && which > ABOUT_TO_SHUT; i++) {
		play.now_ns += NS_PER_S / 2;
		end(&play, &play.players[i], 1, &ignored);
	}
	if (which == HANGING || which == STRAGGLING)
		pass_gate(&play, &play.players[0], &ignored);
	if (which == RAMPED || which == STARTED)
		end(&play, &play.players[3], 0, &ignored);
	if (which == STRAGGLING)
		end(&play, &play.players[0], 0, &ignored);
	if (which == STARTED)
		start_some(&play, 3, &ignored);
	if (which == STRAGGLING)
		start_some(&play, 2, &ignored);
	return play;
}

TESTS
{
	struct random random = random_from(1);
	struct tally tally = { 0 };
	size_t rules = 0;

	for (int which = 0; which < BEGINNINGS && tally.flaw == NULL; which++) {
		struct play play = beginning((enum beginning)which);

		for (int i = 0; i < ORDERS && tally.flaw == NULL; i++)
			wander(play, &random, &tally);
	}
	if (!ok(tally.flaw == NULL, "any order of events is safe"))
		printf("# %s\n", tally.flaw);
	for (size_t i = 0; i < GATE_RULES; i++) {
		rules += tally.rules[i];
		if (!tally.rules[i])
			printf("# not met: rule %zu\n", i);
	}
	is_int((int64_t)rules, GATE_RULES - 4,
	    "all rules have been met that can be");
}
