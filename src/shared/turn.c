/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/duration.h"
#include "core/text.h"
#include "process/clock.h"
#include "shared/lock_wait.h"
#include "shared/turn.h"

/* Not final. */
enum {
	TURN_AGAIN = TURN_FAILED + 1, /* from the end of the queue */
	TURN_LOOK, /* as its head */
};

/* A probe that runs for longer: the gate may open meanwhile, and not by it. */
#define LOOK_NS NS_PER_S

/*
 * So many of those behind the head watch whether it does what it has to, each
 * a little later than the one before. Who looks leaves the queue for that, and
 * the kernel then wakes all who stand behind: so they are few, and as who has
 * probed in vain watches next, they stand at the end.
 */
#define WATCHERS 8
#define WATCHER_NS (2 * NS_PER_S)

/* A watcher looks at least so often while a probe runs. */
#define WATCH_NS NS_PER_MIN

/* Who comes so late finds that nobody has seen to it. */
#define DESERTED_NS NS_PER_MIN

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
turn_byte(uint32_t number)
{
	return STATE_LOCK_TURN + number;
}

/* Of the queue for that turn; its watchers, 1 to WATCHERS, are behind it. */
static int64_t
queue_byte(uint32_t number)
{
	return STATE_LOCK_QUEUE + (int64_t)number * (WATCHERS + 1);
}

static int64_t
watcher_byte(uint32_t number, int which)
{
	return queue_byte(number) + which;
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
	decision = gate_pass_over(&record, now_ns, &waiter);
	/* Before others can read the number, so that nobody comes first. */
	if (decision.kind == GATE_TAKE)
		taken = lock_try(gate->part.file.fd, turn_byte(record.turn));
	if (taken == LOCK_FAILED) {
		fail_by_errno(gate);
		gate_file_unlock(gate);
		return TURN_FAILED;
	}
	if (!decision.changed) {
		gate_file_unlock(gate);
	} else if (!gate_file_write(gate, &record)) {
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

/* As the head of the queue for turn NUMBER. */
static int
wait_as_head(struct gate_file *gate, struct gate_run *run, uint32_t number,
    int64_t until_ns, int *signal)
{
	struct gate_record record;
	struct gate_decision decision;
	int64_t now_ns, overdue_ns, look_ns;

	if (!gate_file_read(gate, &record, &now_ns))
		return TURN_FAILED;
	decision = gate_ask(&record, now_ns, run);
	if (decision.kind == GATE_START)
		return TURN_NEEDLESS;
	if (record.turn != number)
		return TURN_AGAIN;
	overdue_ns = turn_monotonic(decision.until_ns);
	look_ns = turn_monotonic(look_again_ns(&record, now_ns));
	switch (lock_wait(gate->part.file.fd, turn_byte(number),
	    min_ns(until_ns, min_ns(overdue_ns, look_ns)), signal)) {
	case LOCK_HAD:
		return check(gate, run, number);
	case LOCK_TIME:
		if (until_ns <= min_ns(overdue_ns, look_ns))
			return TURN_TIME;
		return overdue_ns <= look_ns ? pass_over(gate, run, number)
		                             : TURN_LOOK;
	case LOCK_SIGNAL:
		return TURN_SIGNAL;
	case LOCK_BUSY:
	case LOCK_FAILED:
		break;
	}
	return fail_by_errno(gate);
}

/* Which watcher of the queue for turn NUMBER we are from now on; 0: none. */
static int
be_watcher(const struct gate_file *gate, uint32_t number)
{
	for (int i = 1; i <= WATCHERS; i++)
		if (lock_try(gate->part.file.fd, watcher_byte(number, i))
		    == LOCK_HAD)
			return i;
	return 0;
}

/* When watcher WHICH has to look; the head will have looked before. 0: never.
 */
static int64_t
watch_ns(const struct gate_record *record, int64_t now_ns, int64_t overdue_ns,
    int which)
{
	int64_t look_ns = overdue_ns;

	if (which == 0)
		return INT64_MAX;
	if (record->state == GATE_PROBING)
		look_ns = min_ns(overdue_ns, now_ns + WATCH_NS);
	return turn_monotonic(saturating_add(look_ns, which * WATCHER_NS));
}

/* In the queue for the turn as it is now; TURN_AGAIN: it has another number. */
static int
wait_in_queue(struct gate_file *gate, struct gate_run *run,
    const struct gate_record *record, int64_t look_ns, int64_t until_ns,
    int *signal)
{
	int fd = gate->part.file.fd;
	int result = TURN_LOOK;

	switch (lock_wait(
	    fd, queue_byte(record->turn), min_ns(until_ns, look_ns), signal)) {
	case LOCK_HAD:
		break;
	case LOCK_TIME:
		return until_ns <= look_ns ? TURN_TIME
		                           : pass_over(gate, run, record->turn);
	case LOCK_SIGNAL:
		return TURN_SIGNAL;
	case LOCK_BUSY:
	case LOCK_FAILED:
		return fail_by_errno(gate);
	}
	while (result == TURN_LOOK)
		result
		    = wait_as_head(gate, run, record->turn, until_ns, signal);
	lock_free(fd, queue_byte(record->turn));
	return result;
}

/* The same, as a watcher if one is missing. */
static int
wait_in_line(
    struct gate_file *gate, struct gate_run *run, int64_t until_ns, int *signal)
{
	struct gate_record record;
	struct gate_decision decision;
	int result, which;
	int64_t now_ns;

	if (!gate_file_read(gate, &record, &now_ns))
		return TURN_FAILED;
	decision = gate_ask(&record, now_ns, run);
	if (decision.kind == GATE_START)
		return TURN_NEEDLESS;
	if (now_ns >= saturating_add(decision.until_ns, DESERTED_NS))
		return pass_over(gate, run, record.turn);
	which = be_watcher(gate, record.turn);
	result = wait_in_queue(gate, run, &record,
	    watch_ns(&record, now_ns, decision.until_ns, which), until_ns,
	    signal);
	if (which > 0)
		lock_free(gate->part.file.fd, watcher_byte(record.turn, which));
	return result;
}

bool
turn_try(struct gate_file *gate, struct gate_run *run, uint32_t number)
{
	int fd = gate->part.file.fd;
	bool had;

	run->turn = 0;
	if (lock_try(fd, queue_byte(number)) != LOCK_HAD)
		return false;
	had = lock_try(fd, turn_byte(number)) == LOCK_HAD
	    && check(gate, run, number) == TURN_HAD;
	lock_free(fd, queue_byte(number));
	return had;
}

enum turn_result
turn_take(
    struct gate_file *gate, struct gate_run *run, int64_t until_ns, int *signal)
{
	int result;

	run->turn = 0;
	do
		result = wait_in_line(gate, run, until_ns, signal);
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
