/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_FLEET_H
#define BACKOFF_SHARED_FLEET_H
/*
 * The fleet: machines that share a gate, or slots, through a server, which
 * backoff-fleet asks for us (core/gate/gate.h). If it has no answer in
 * time, the fleet is lost for this attempt, and the gate or the slots of this
 * machine are used.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/gate.h"
#include "types/option_types.h"

enum fleet_part {
	FLEET_GATE,
	FLEET_SLOTS,
};
#define FLEET_PARTS 2

/* What the server knows of a part. */
struct fleet_view {
	int64_t ahead_ns; /* the server's time since 1970 - CLOCK_BOOTTIME */
	uint8_t living; /* bit i: the i-th member asked for holds something */
	int64_t count; /* of all members who do, if any were asked for */
	uint8_t state[FLEET_STATE_SIZE / 2];
	size_t size; /* of it; 0: there is none */
};

/*
 * Starts the helper. NULL, or why that cannot work at all. The names in OPTIONS
 * must live on.
 */
const char *fleet_start(const struct shared_options *options);

/* Before each attempt: a server that was lost is asked again. */
void fleet_begin(void);

/* Whether it is not lost. */
bool fleet_is_on(void);

/*
 * Asks for the state of PART, and which of COUNT <= FLEET_MEMBERS members hold
 * something. False: the fleet is lost.
 */
bool fleet_look(enum fleet_part part, const int64_t *members, int count,
    struct fleet_view *view);

enum fleet_result {
	FLEET_LOST, /* and nothing more is held */
	FLEET_CROSSED, /* by another: the state is not that of VIEW any more */
	FLEET_LAPSED, /* done, but others may have had what we held */
	FLEET_DONE,
};

/*
 * Makes STATE of the state that VIEW has. Then MEMBER, or nothing for 0, is all
 * that we hold of PART; the helper keeps that alive.
 */
enum fleet_result fleet_put(enum fleet_part part, int64_t member,
    const struct fleet_view *view, const uint8_t *state, size_t size);

/*
 * Nothing of PART is held any more: FLEET_LOST, FLEET_LAPSED or FLEET_DONE. If
 * nothing was, nobody is asked.
 */
enum fleet_result fleet_drop(enum fleet_part part);

/* Since when it has not answered, by CLOCK_BOOTTIME; 0: it does. */
int64_t fleet_lost_since(void);

/*
 * Another run of this machine asked it at ASKED_NS, and found that it has not
 * answered since SINCE_NS, or, if that is 0, had an answer.
 */
void fleet_note_asked(int64_t asked_ns, int64_t since_ns);

/* "SERVER: WHY", while it does not answer, if we have asked; or NULL. */
const char *fleet_lost_why(void);

/* Logs what PART goes on with, once until the fleet is back. */
void fleet_tell_lost(enum fleet_part part);

/* It is lost, for less than a lease: others may still hold theirs. */
bool fleet_is_away(void);

/*
 * Before a wait, in which we hold nothing and ask nothing: ends the helper.
 * After the wait a lost server is asked again: each time while others may hold
 * a lease there, later every ten seconds at most.
 */
void fleet_rest(void);

/* Gives up what we hold, and ends the helper. */
void fleet_end(void);

#endif
