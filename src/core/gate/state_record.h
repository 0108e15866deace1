/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_STATE_RECORD_H
#define BACKOFF_CORE_GATE_STATE_RECORD_H
/*
 * The record that runs share, as bytes: little-endian, whoever reads it.
 *
 *   0    "backoff\n", u16 version, u16 size, u64 hash of the boot id, crc32 of
 *        these; the rest of 64 is zero
 *   64   the gate's part (448 bytes): gate_record.h
 *   512  the deferral's part: i64 first give-up of the row, u32 failures,
 *        i64 until, i64 window, u8 status, reason (64), i64 last give-up that
 *        counted, u32 runs in a row that gave up by whatever verdict, crc32 of
 *        these at its end
 *   640  the part of the slots (96 bytes): slots_step.h
 *   736  zero
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gate/deferral.h"

#define STATE_SIZE 1024
#define STATE_VERSION 3
#define STATE_GATE_AT 64
#define STATE_GATE_SIZE 448
#define STATE_DEFERRAL_AT 512
#define STATE_DEFERRAL_SIZE 128
#define STATE_SLOTS_AT 640
#define STATE_SLOTS_SIZE 96

enum state_header {
	STATE_HEADER_FINE,
	STATE_HEADER_EMPTY, /* nothing, or nothing but zeros: as new */
	STATE_HEADER_BROKEN, /* cut short, or its checksum is wrong: as new */
	STATE_HEADER_EARLIER, /* of a version whose parts were others: as new */
	STATE_HEADER_FOREIGN, /* another program's: not to be touched */
	STATE_HEADER_LATER, /* of a version that we do not know: likewise */
};

/* What the first SIZE <= STATE_SIZE bytes are; the others are zero. */
enum state_header state_record_look(
    const uint8_t record[STATE_SIZE], size_t size);

/* The boot that the gate's part is of. The header is fine. */
uint64_t state_record_boot(const uint8_t record[STATE_SIZE]);

/*
 * Writes the header, for that boot. The deferral stays, and the rest does if
 * it was of that boot, too.
 */
void state_record_set_boot(uint8_t record[STATE_SIZE], uint64_t boot);

/* Somebody has written the deferral's part, and its checksum is wrong. */
bool state_record_deferral_is_broken(const uint8_t record[STATE_SIZE]);

/* The deferral's part, all zero where its checksum is wrong, and limited. */
struct deferral state_record_deferral(const uint8_t record[STATE_SIZE]);
void state_record_set_deferral(
    uint8_t record[STATE_SIZE], const struct deferral *deferral);

#endif
