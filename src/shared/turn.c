/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/duration.h"
#include "core/text.h"
#include "process/clock.h"
#include "shared/lock_wait.h"
#include "shared/turn.h"

/* Not final: who is first in the queue has to look again. */
#define TURN_AGAIN (TURN_FAILED + 1)

/* A probe that runs for longer: the gate may open meanwhile, and not by it. */
#define LOOK_NS NS_PER_S

int64_t
turn_monotonic(int64_t moment_ns)
{
	int64_t ahead_ns;

	if (moment_ns == INT64_MAX)
		return INT64_MAX;
	ahead_ns = max_ns(moment_ns - boottime_ns(), 0);
	return saturating_add(clock_now_ns(), ahead_ns);
}

static int64_t
byte_of(uint32_t number)
{
	return STATE_LOCK_TURN + number;
}

static int
fail_by_errno(struct gate_file *gate)
{
	struct text why
	    = text_in(gate->part.file.why, sizeof gate->part.file.why);

	text_add(&why, strerror(errno));
	return TURN_FAILED;
}

static int
have(struct gate_run *run, uint32_t number)
{
	run->turn = number;
	run->turn_ns = boottime_ns();
	return TURN_HAD;
}

/* The holder of turn NUMBER seems stuck. */
static int
pass_over(struct gate_file *gate, struct gate_run *run, uint32_t number)
{
	struct gate_record record;
	struct gate_decision decision;
	struct gate_run first = *run;
	enum lock_result taken = LOCK_BUSY;
	int64_t now_ns;

	if (!gate_file_lock(gate, &record, &now_ns))
		return TURN_FAILED;
	first.turn = number;
	decision = gate_pass_over(&record, now_ns, &first);
	/* Before others can read the number, so that nobody comes first. */
	if (decision.kind == GATE_TAKE)
		taken = lock_try(gate->part.file.fd, byte_of(record.turn));
	if (taken == LOCK_FAILED) {
		fail_by_errno(gate);
		gate_file_unlock(gate);
		return TURN_FAILED;
	}
	if (!decision.changed)
		gate_file_unlock(gate);
	else if (!gate_file_write(gate, &record))
		return TURN_FAILED;
	if (taken == LOCK_HAD)
		return have(run, record.turn);
	return decision.kind == GATE_START ? TURN_NEEDLESS : TURN_AGAIN;
}

/* It may have passed on while its byte was waited for. */
static int
check(struct gate_file *gate, struct gate_run *run, uint32_t number)
{
	struct gate_record record;
	int64_t now_ns;

	if (!gate_file_read(gate, &record, &now_ns))
		return TURN_FAILED;
	if (record.turn == number)
		return have(run, number);
	lock_free(gate->part.file.fd, byte_of(number));
	return TURN_AGAIN;
}

/*
 * When the head of the queue has to look whether the turn is still the one
 * that it waits for. Of a shut gate the probe is to come.
 */
static int64_t
look_again_ns(const struct gate_record *record, int64_t now_ns)
{
	if (record->state == GATE_PROBING)
		return now_ns + LOOK_NS;
	if (record->state == GATE_SHUT)
		return max_ns(record->due_ns, now_ns) + LOOK_NS;
	return INT64_MAX;
}

/* As the head of the queue. */
static int
wait_as_first(
    struct gate_file *gate, struct gate_run *run, int64_t until_ns, int *signal)
{
	struct gate_record record;
	struct gate_decision decision;
	int64_t now_ns, overdue_ns, look_ns;
	uint32_t number;

	if (!gate_file_read(gate, &record, &now_ns))
		return TURN_FAILED;
	number = record.turn;
	decision = gate_ask(&record, now_ns, run);
	if (decision.kind == GATE_START)
		return TURN_NEEDLESS;
	overdue_ns = turn_monotonic(decision.until_ns);
	look_ns = turn_monotonic(look_again_ns(&record, now_ns));
	switch (lock_wait(gate->part.file.fd, byte_of(number),
	    min_ns(until_ns, min_ns(overdue_ns, look_ns)), signal)) {
	case LOCK_HAD:
		return check(gate, run, number);
	case LOCK_TIME:
		if (until_ns <= min_ns(overdue_ns, look_ns))
			return TURN_TIME;
		return overdue_ns <= look_ns ? pass_over(gate, run, number)
		                             : TURN_AGAIN;
	case LOCK_SIGNAL:
		return TURN_SIGNAL;
	case LOCK_BUSY:
	case LOCK_FAILED:
		break;
	}
	return fail_by_errno(gate);
}

bool
turn_try(struct gate_file *gate, struct gate_run *run, uint32_t number)
{
	int fd = gate->part.file.fd;
	bool had;

	run->turn = 0;
	if (lock_try(fd, STATE_LOCK_QUEUE) != LOCK_HAD)
		return false;
	had = lock_try(fd, byte_of(number)) == LOCK_HAD
	    && check(gate, run, number) == TURN_HAD;
	lock_free(fd, STATE_LOCK_QUEUE);
	return had;
}

enum turn_result
turn_take(
    struct gate_file *gate, struct gate_run *run, int64_t until_ns, int *signal)
{
	int result = TURN_AGAIN;

	run->turn = 0;
	switch (
	    lock_wait(gate->part.file.fd, STATE_LOCK_QUEUE, until_ns, signal)) {
	case LOCK_HAD:
		break;
	case LOCK_TIME:
		return TURN_TIME;
	case LOCK_SIGNAL:
		return TURN_SIGNAL;
	case LOCK_BUSY:
	case LOCK_FAILED:
		return (enum turn_result)fail_by_errno(gate);
	}
	while (result == TURN_AGAIN)
		result = wait_as_first(gate, run, until_ns, signal);
	lock_free(gate->part.file.fd, STATE_LOCK_QUEUE);
	return (enum turn_result)result;
}

void
turn_give_up(struct gate_file *gate, struct gate_run *run)
{
	if (run->turn != 0)
		lock_free(gate->part.file.fd, byte_of(run->turn));
	run->turn = 0;
}
