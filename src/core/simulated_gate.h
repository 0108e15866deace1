/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATED_GATE_H
#define BACKOFF_CORE_SIMULATED_GATE_H
/*
 * Clients that share a gate: the functions of gate.h decide, and what locks
 * do in the real world is a list here.
 */

#include "core/simulated_world.h"

/* Nobody has used it. */
struct simulated_gate simulated_gate_start(void);

/* What CLIENT was waiting for has come. */
void simulated_gate_go(
    struct simulation *simulation, struct simulated_client *client);

#endif
