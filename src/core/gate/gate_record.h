/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_GATE_RECORD_H
#define BACKOFF_CORE_GATE_GATE_RECORD_H
/*
 * A gate as bytes, which runs share in a file (state_record.h) or on a server:
 * little-endian, in the order of the table in gate_record.c, with a crc32 at
 * the end. Rates are millionths a second, and shares 2^-31.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/state_record.h"
#include "core/gate/gate.h"

/* A server may ask for a day at most. */
#define GATE_STATED_NS (24 * 3600 * INT64_C(1000000000))

/*
 * What BYTES hold at NOW_NS, with every number in its limits. False: a run
 * cannot have written that until now, and GATE is a new one.
 */
bool gate_record_read(
    struct gate *gate, const uint8_t bytes[STATE_GATE_SIZE], int64_t now_ns);
void gate_record_write(uint8_t bytes[STATE_GATE_SIZE], const struct gate *gate);

/* Moves its times to a clock that is ahead by AHEAD_NS. */
void gate_shift(struct gate *gate, int64_t ahead_ns);

#endif
