/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_OWNER_H
#define BACKOFF_FLEET_OWNER_H
/*
 * What the gate and the slots of the helper have in common: the leases by
 * which the server knows that their holder lives.
 */

#include <stdint.h>

/* A lease lasts so long, and is renewed so often. */
#define LEASE_NS (15 * INT64_C(1000000000))
#define LEASE_MS 15000
#define RENEW_NS (5 * INT64_C(1000000000))
#define RETRY_NS (1 * INT64_C(1000000000)) /* after a hiccup */

/* What is not used for so many seconds goes. */
#define KEEP_S 86400

/* A transaction that others cross is tried so often. */
#define TRIES 10

/* Unlike any other's. */
#define OWNER_SIZE 33
extern char owner[OWNER_SIZE];

#endif
