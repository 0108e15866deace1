/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATION_SIMULATED_GATE_H
#define BACKOFF_CORE_SIMULATION_SIMULATED_GATE_H
/*
 * Clients that share gates: the functions of gate.h decide, and what locks
 * and a server do in the real world are lists here.
 */

#include "core/simulation/simulated_world.h"

/* Nobody has used the gates yet. */
void simulated_gate_start(struct simulation *simulation);

/* What CLIENT was waiting for has come. */
void simulated_gate_go(
    struct simulation *simulation, struct simulated_client *client);

#endif
