/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_FLEET_IDENTITY_H
#define BACKOFF_SHARED_FLEET_IDENTITY_H
/*
 * Where the helper of a fleet is, and as which machine it speaks.
 */

#include <stdint.h>

const char *fleet_helper_path(void);

/* A number that stands for this state directory since the last boot. */
int64_t fleet_machine(void);

#endif
