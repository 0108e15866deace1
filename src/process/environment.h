/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_ENVIRONMENT_H
#define BACKOFF_PROCESS_ENVIRONMENT_H
/*
 * What COMMAND and the hooks find in their environment: ours as we found
 * it, but BACKOFF_* always set anew.
 */

#include <stdbool.h>

#include "core/loop_state.h"
#include "core/settings.h"

/* Lays it out; HINT may be NULL. False: no memory. */
bool environment_start(
    const char *id, const char *hint, const struct limits *limits);

/*
 * ENTRY, "BACKOFF_SLOTS=...", stands there from now on, in the place of what
 * we found; NULL: what we found does. It is not copied.
 */
void environment_slots(char *entry);

/* BACKOFF_GATE is STATE from now on; NULL: there is none. */
void environment_gate(const char *state);

/* Makes `environ` the one for this moment. */
void environment_set(const struct loop_state *state);

/* What only the processes of this attempt have: two strings, NAME=VALUE. */
struct environment_mark {
	const char *id;
	const char *attempt;
};

struct environment_mark environment_mark(void);

/*
 * For the child between vfork and exec: what systemd has addressed to our
 * pid (LISTEN_PID, WATCHDOG_PID) goes to the child (rule 60).
 */
void environment_adopt(void);

#endif
