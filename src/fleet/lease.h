/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_LEASE_H
#define BACKOFF_FLEET_LEASE_H
/*
 * What the gate and the slots of the helper have in common: the leases by
 * which the server knows that their holder lives.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/duration.h"
#include "core/gate/fleet_line.h"
#include "core/gate/restore.h"
#include "core/gate/shared_name.h"

/* A lease lasts so long, and is renewed so often. */
#define LEASE_NS FLEET_LEASE_NS
#define LEASE_MS ((int)(LEASE_NS / NS_PER_MS))

/* What is not used for so many seconds goes. */
#define KEEP_S ((int)(GATE_KEPT_NS / NS_PER_S))

/* A transaction that others cross is tried so often. */
#define TRIES 10

/* The least that a wait for somebody else's lasts, before it is looked at. */
#define LEAST_WAIT_NS (50 * INT64_C(1000000))

/* That of the run: the helper after this one goes on with what is held. */
#define OWNER_SIZE 24
extern char owner[OWNER_SIZE];

/* "backoff:{NAME}:WHAT": braces, so that a cluster has all in one place. */
#define LEASE_KEY_SIZE (SHARED_NAME_SIZE + 24)
void lease_make_key(
    char key[LEASE_KEY_SIZE], const char *name, const char *what);

/* Times of CLOCK_MONOTONIC. */
struct lease {
	int64_t until_ns; /* it lasts at least, as far as we know */
	int64_t renew_ns; /* when that is due */
};

/* It lasts from now on. */
void lease_begin(struct lease *lease);

/* Renewal is tried now, and soon again where that fails. */
void lease_try(struct lease *lease);
bool lease_has_run_out(const struct lease *lease);

#endif
