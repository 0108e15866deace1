/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_ENVIRONMENT_H
#define BACKOFF_PROCESS_ENVIRONMENT_H
/*
 * The environment of COMMAND and the hooks: that of backoff, but with all
 * BACKOFF_* variables set anew.
 */

#include <stdbool.h>

#include "core/loop/loop_state.h"

/* Some libcs declare it. NOLINTNEXTLINE(readability-redundant-declaration) */
extern char **environ;

/* Prepares it; HINT may be NULL. False: no memory. */
bool environment_start(
    const char *id, const char *hint, const struct limits *limits);

/*
 * Puts ENTRY, "BACKOFF_SLOTS=...", in the place of the one that was inherited;
 * NULL: the inherited one stays. It is not copied.
 */
void environment_slots(char *entry);

/* BACKOFF_GATE is STATE from now on; NULL: there is none. */
void environment_gate(const char *state);

/* Sets `environ` for the attempt or hook that follows. */
void environment_set(const struct loop_state *state);

/* The string NAME=VALUE that only processes of this run have. */
const char *environment_id(void);

/*
 * For the child between vfork and exec: if systemd has addressed LISTEN_PID or
 * WATCHDOG_PID to backoff, they name the child from now on (rule 60).
 */
void environment_readdress(void);

#endif
