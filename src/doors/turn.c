/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "doors/turn.h"
#include "shared/line.h"
#include "system/boot.h"
#include "system/clock.h"

/* Not final. */
enum {
	TURN_AGAIN = TURN_FAILED + 1, /* in the line of another number */
	TURN_LOOK, /* in this one */
};

/* A probe that runs for longer: the gate may open meanwhile, and not by it. */
#define LOOK_NS NS_PER_S

/*
 * Who stands behind others looks at least so often, to find who of them is
 * stopped: these, and the first of those who look then, keep within half a
 * minute in all. Each comes a little later than the first of the line, who
 * has to see to what is overdue, and no two at once.
 */
#define WATCH_NS (15 * NS_PER_S)
#define LATER_NS NS_PER_S
#define SPREAD_NS (4 * NS_PER_S)

int64_t
turn_monotonic(int64_t moment_ns)
{
	int64_t ahead_ns;

	if (moment_ns == INT64_MAX)
		return INT64_MAX;
	ahead_ns = max_ns(moment_ns - boot_clock_ns(), 0);
	return saturating_add(clock_now_ns(), ahead_ns);
}

static int64_t
turn_byte(uint32_t number)
{
	return STATE_LOCK_TURN + number;
}

/* Of the line for that turn: there are 4096 such, used one after the other. */
static int64_t
line_byte(uint32_t number)
{
	return STATE_LOCK_LINE + (int64_t)(number % 4096) * LINE_PLACES;
}

static int
fail_by_errno(struct gate_file *gate)
{
	text_copy(
	    gate->part.file.why, sizeof gate->part.file.why, strerror(errno));
	return TURN_FAILED;
}

static int
have(struct gate_run *run, uint32_t number)
{
	run->turn = number;
	run->turn_ns = boot_clock_ns();
	return TURN_HAD;
}

/* The holder of turn NUMBER seems stuck, or who has to see to that does. */
static int
pass_over(struct gate_file *gate, struct gate_run *run, uint32_t number)
{
	struct gate_record record;
	struct gate_decision decision;
	struct gate_run waiter = *run;
	enum lock_result taken = LOCK_BUSY;
	int64_t now_ns;

	if (!gate_file_lock(gate, &record, &now_ns))
		return TURN_FAILED;
	waiter.turn = number;
	waiter.other_gone
	    = !lock_is_taken(gate->part.file.fd, turn_byte(record.other_turn));
	decision = gate_pass_over(&record, now_ns, &waiter);
	/* Before others can read the number, so that nobody comes first. */
	if (decision.kind == GATE_TAKE)
		taken = lock_try(gate->part.file.fd, turn_byte(record.turn));
	if (taken == LOCK_FAILED) {
		fail_by_errno(gate);
		gate_file_finish(gate, &record, false);
		return TURN_FAILED;
	}
	if (!gate_file_finish(gate, &record, decision.changed)) {
		lock_free(gate->part.file.fd, turn_byte(record.turn));
		return TURN_FAILED;
	}
	if (taken == LOCK_HAD)
		return have(run, record.turn);
	if (decision.kind == GATE_START)
		return TURN_NEEDLESS;
	return record.turn == number ? TURN_LOOK : TURN_AGAIN;
}

/* It may have passed on while its byte was waited for. */
static int
check(struct gate_file *gate, struct gate_run *run, uint32_t number)
{
	struct gate_record record;
	int64_t now_ns;
	bool is_read = gate_file_read(gate, &record, &now_ns);

	if (is_read && record.turn == number)
		return have(run, number);
	lock_free(gate->part.file.fd, turn_byte(number));
	return is_read ? TURN_AGAIN : TURN_FAILED;
}

/*
 * When the first of the line has to look whether the turn is still the one
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

/* What a wait for a lock means. IS_LAST: there is no time for another one. */
static int
after_wait(struct gate_file *gate, enum lock_result result, bool is_last)
{
	switch (result) {
	case LOCK_HAD:
		return TURN_LOOK;
	case LOCK_TIME:
		return is_last ? TURN_TIME : TURN_LOOK;
	case LOCK_SIGNAL:
		return TURN_SIGNAL;
	case LOCK_BUSY:
	case LOCK_FAILED:
		break;
	}
	return fail_by_errno(gate);
}

/* As the first of the line, with the record as it is. */
static int
wait_as_first(struct gate_file *gate, struct gate_run *run,
    const struct gate_record *record, int64_t overdue_ns, int64_t until_ns,
    int *signal)
{
	int64_t look_ns
	    = turn_monotonic(look_again_ns(record, boot_clock_ns()));
	int64_t next_ns;
	enum lock_result result;

	overdue_ns = turn_monotonic(overdue_ns);
	next_ns = min_ns(overdue_ns, look_ns);
	result = lock_wait(gate->part.file.fd, turn_byte(record->turn),
	    min_ns(until_ns, next_ns), signal);
	if (result == LOCK_HAD)
		return check(gate, run, record->turn);
	if (result == LOCK_TIME && next_ns < until_ns && overdue_ns <= look_ns)
		return pass_over(gate, run, record->turn);
	return after_wait(gate, result, until_ns <= next_ns);
}

/* How much later than the first of the line one with that ticket looks. */
static int64_t
later_ns(int64_t ticket)
{
	return LATER_NS
	    + (int64_t)((uint64_t)ticket * UINT64_C(0x9e3779b97f4a7c15)
	        % (uint64_t)SPREAD_NS);
}

/*
 * Behind others, with the record as it was at NOW_NS. Nothing has to happen
 * before a probe is due.
 */
static int
wait_behind(struct gate_file *gate, struct gate_run *run,
    const struct line *line, const struct gate_record *record, int64_t now_ns,
    int64_t overdue_ns, int64_t until_ns, int *signal)
{
	int64_t later = later_ns(line->place), look_ns = now_ns + WATCH_NS;

	overdue_ns = saturating_add(overdue_ns, later);
	if (now_ns >= overdue_ns)
		return pass_over(gate, run, record->turn);
	if (record->state == GATE_SHUT)
		look_ns = max_ns(look_ns, record->due_ns);
	look_ns = turn_monotonic(
	    min_ns(saturating_add(look_ns, later), overdue_ns));
	return after_wait(gate,
	    line_wait(line, min_ns(until_ns, look_ns), signal),
	    until_ns <= look_ns);
}

/* One look, and one wait in the line for turn NUMBER. */
static int
stand(struct gate_file *gate, struct gate_run *run, const struct line *line,
    uint32_t number, int64_t until_ns, int *signal)
{
	struct gate_record record;
	struct gate_decision decision;
	int64_t now_ns;

	if (!gate_file_read(gate, &record, &now_ns))
		return TURN_FAILED;
	decision = gate_ask(&record, now_ns, run);
	if (decision.kind == GATE_START)
		return TURN_NEEDLESS;
	if (record.turn != number)
		return TURN_AGAIN;
	if (line_is_first(line))
		return wait_as_first(
		    gate, run, &record, decision.until_ns, until_ns, signal);
	return wait_behind(gate, run, line, &record, now_ns, decision.until_ns,
	    until_ns, signal);
}

/* In the line for the turn as it is now. */
static int
wait_in_line(struct gate_file *gate, struct gate_run *run, int64_t *ticket,
    int64_t until_ns, int *signal)
{
	struct gate_record record;
	struct line line;
	int64_t now_ns;
	int result = TURN_LOOK;

	if (!gate_file_read(gate, &record, &now_ns))
		return TURN_FAILED;
	if (!line_join(
	        &line, gate->part.file.fd, line_byte(record.turn), ticket))
		return fail_by_errno(gate);
	while (result == TURN_LOOK)
		result = stand(gate, run, &line, record.turn, until_ns, signal);
	line_leave(&line);
	return result;
}

bool
turn_try(struct gate_file *gate, struct gate_run *run, uint32_t number)
{
	int fd = gate->part.file.fd;

	run->turn = 0;
	return line_is_empty(fd, line_byte(number))
	    && lock_try(fd, turn_byte(number)) == LOCK_HAD
	    && check(gate, run, number) == TURN_HAD;
}

/* In any line: those of another number may not have come over yet. */
bool
turn_is_alone(const struct gate_file *gate, const struct gate_run *run)
{
	return run->turn != 0
	    && lock_find(gate->part.file.fd, STATE_LOCK_LINE, INT64_MAX - 1)
	    < 0;
}

enum turn_result
turn_take(
    struct gate_file *gate, struct gate_run *run, int64_t until_ns, int *signal)
{
	int64_t ticket = line_ticket();
	int result;

	run->turn = 0;
	do
		result = wait_in_line(gate, run, &ticket, until_ns, signal);
	while (result > TURN_FAILED);
	return (enum turn_result)result;
}

void
turn_give_up(struct gate_file *gate, struct gate_run *run)
{
	if (run->turn != 0)
		lock_free(gate->part.file.fd, turn_byte(run->turn));
	run->turn = 0;
}
