/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "doors/fleet_gate.h"
#include "doors/turn_news.h"
#include "process/helper.h"
#include "process/signals.h"
#include "shared/fleet.h"
#include "shared/fleet_helper.h"
#include "system/boot.h"
#include "system/clock.h"

/* So much later than the fleet those behind us take us for stuck. */
#define MORE_PATIENCE_NS (10 * NS_PER_S)

/* A wait says so often in the mirror that it goes on. */
#define TOUCH_NS (5 * NS_PER_S)

static bool is_asked; /* the turn was, and has not been given up */

static void
set_asked(bool whether)
{
	is_asked = whether;
	fleet_helper_keep(FLEET_HELD_TURN, whether);
}

/*
 * Of SEEN, by our clock. When the holder of the fleet's turn counts as stuck
 * is for the fleet to see; what counts here is whether our client lives.
 */
static struct gate_record
mirror_of(const struct gate_record *seen, uint32_t turn, int64_t now_ns)
{
	struct gate_record mirror = *seen;

	mirror.turn = turn;
	mirror.turn_ns = now_ns;
	if (seen->state == GATE_PROBING) {
		mirror.other_turn = 0;
		mirror.longest_ns = mirror.patience_ns = saturating_add(
		    gate_overdue_ns(seen) - seen->probe_ns, MORE_PATIENCE_NS);
	}
	return mirror;
}

/* Writes the mirror of SEEN, and makes that of it. */
static void
reflect(struct gate_file *file, struct gate_record *seen)
{
	struct gate_record local = { .turn = 0 };
	int64_t now_ns;
	bool done;

	if (file->part.file.fd < 0)
		return;
	done = gate_file_read(file, &local, &now_ns);
	if (done && !(gate_is_quiet(seen) && gate_is_quiet(&local))) {
		done = gate_file_lock(file, &local, &now_ns);
		*seen = mirror_of(seen, local.turn, now_ns);
		done = done && gate_file_finish(file, seen, true);
	}
	seen->turn = local.turn;
	/* Nobody waits for the lock of the record when told to end. */
	if (!done && !signals_end_pending())
		shared_state_lose(&file->part, file->part.file.why);
}

/* Takes a record of the server, whose clock says NOW_NS, by our clock. */
static struct gate_record
take_record(const uint8_t *bytes, int64_t now_ns)
{
	struct gate_record record;

	gate_decode(&record, bytes, now_ns);
	gate_translate(&record, boot_clock_ns() - now_ns);
	record.is_copy = true;
	return record;
}

static void
take_answer(struct gate_keeper *keeper, const struct fleet_line *answer,
    struct gate_decision *decision)
{
	int64_t now_ns = answer->numbers[3];

	*decision = (struct gate_decision) {
		.kind = (enum gate_kind)answer->numbers[0],
		.was = (enum gate_state)answer->numbers[1],
		.until_ns = saturating_add(
		    boot_clock_ns(), max_ns(answer->numbers[2] - now_ns, 0)),
	};
	keeper->seen = take_record(answer->records[0], now_ns);
	reflect(&keeper->file, &keeper->seen);
	set_asked(decision->kind != GATE_START && decision->kind != GATE_LOST);
	/* Those who wait here have taken us for stuck. */
	if (keeper->run.turn != 0 && keeper->run.turn != keeper->seen.turn) {
		fleet_gate_cancel();
		decision->kind = GATE_LOST;
	}
}

/* What is known here, for a server that has lost it. */
static void
add_mirror(struct gate_keeper *keeper, struct fleet_line *line)
{
	struct gate_record mirror = keeper->seen;
	int64_t now_ns;

	if (keeper->file.part.file.fd >= 0
	    && !gate_file_read(&keeper->file, &mirror, &now_ns))
		return;
	if (!mirror.is_copy)
		return;
	gate_translate(&mirror, clock_now_ns() - boot_clock_ns());
	gate_encode(&mirror, line->records[0]);
	line->records_count = 1;
}

bool
fleet_gate_ask(struct gate_keeper *keeper, enum fleet_word word,
    struct gate_decision *decision)
{
	struct fleet_line answer, line = { .word = word };

	add_mirror(keeper, &line);
	if (!fleet_ask(&line, &answer))
		return false;
	take_answer(keeper, &answer, decision);
	set_asked(is_asked && word != FLEET_LOOK);
	return true;
}

/* The client of this machine still waits: nobody is to step in. */
static void
touch(struct gate_keeper *keeper)
{
	struct gate_record local;
	int64_t now_ns;

	if (keeper->file.part.file.fd < 0
	    || !gate_file_lock(&keeper->file, &local, &now_ns))
		return;
	local.turn_ns = now_ns;
	gate_file_finish(&keeper->file, &local, local.turn == keeper->run.turn);
}

bool
fleet_gate_await(struct gate_keeper *keeper, int64_t until_ns,
    struct gate_decision *decision, int *signal)
{
	struct fleet_line answer = { .word = FLEET_AWAIT };

	*signal = 0;
	add_mirror(keeper, &answer);
	if (!fleet_say(&answer))
		return false;
	set_asked(true);
	while (!fleet_can_be_heard()) {
		if (clock_now_ns() >= until_ns)
			return true;
		*signal = turn_news_count_for(&keeper->seen,
		    min_ns(until_ns, clock_now_ns() + TOUCH_NS),
		    helper_socket());
		if (*signal != 0)
			return true;
		touch(keeper);
	}
	if (!fleet_hear(FLEET_AWAIT, &answer))
		return false;
	take_answer(keeper, &answer, decision);
	return true;
}

bool
fleet_gate_end(struct gate_keeper *keeper, const struct gate_attempt *attempt,
    struct fleet_news *news)
{
	int64_t now_ns = boot_clock_ns();
	struct fleet_line answer,
	    line = { .word = FLEET_END,
		    .numbers
		    = { attempt->outcome, max_ns(now_ns - attempt->began_ns, 0),
		        max_ns(now_ns - attempt->ended_ns, 0),
		        attempt->hint_ns > 0
		            ? max_ns(attempt->hint_ns - now_ns, 1)
		            : 0,
		        attempt->pause_ns } };
	bool done;

	text_copy(line.text, sizeof line.text, attempt->reason);
	add_mirror(keeper, &line);
	done = fleet_ask(&line, &answer);
	set_asked(false);
	if (!done)
		return false;
	news->is_lost = answer.numbers[0] != 0;
	news->before = take_record(answer.records[0], answer.numbers[1]);
	news->after = take_record(answer.records[1], answer.numbers[1]);
	news->now_ns = boot_clock_ns();
	reflect(&keeper->file, &news->after);
	return true;
}

void
fleet_gate_cancel(void)
{
	struct fleet_line answer;

	if (is_asked && fleet_is_on())
		fleet_ask(
		    &(struct fleet_line) { .word = FLEET_CANCEL }, &answer);
	set_asked(false);
}
