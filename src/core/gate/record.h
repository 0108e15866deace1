/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_RECORD_H
#define BACKOFF_CORE_GATE_RECORD_H
/*
 * The NAME by which runs know each other, which is the name of a file, and the
 * record in that file; all numbers are little-endian:
 *
 *   0    "backoff\n", u16 version, u16 size, u64 hash of the boot id, crc32 of
 *        these; the rest of 64 is zero
 *   64   the gate (448 bytes): the fields in the order of walk_gate(), reason
 *        (40), crc32; a server keeps these bytes
 *   512  the deferral (128): the fields of walk_deferral(), crc32
 *   640  the slots (96): those of walk_slots(), crc32
 *   736  zero
 *
 * Rates are in millionths of a start a second, shares in 2^-31.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gate/deferral.h"
#include "core/gate/gate.h"
#include "core/gate/slots_step.h"

/* --- the name --- */

#define SHARED_NAME_SIZE 65 /* of the longest, with its terminator */

/* Before the NAME of what machines share. */
#define FLEET_PREFIX "fleet:"
#define FLEET_NAME_SIZE (SHARED_NAME_SIZE + sizeof FLEET_PREFIX - 1)

/*
 * The length of the NAME that TEXT begins with:
 * [A-Za-z0-9_][A-Za-z0-9._-]*, 1 to 64 bytes, but not "list". 0: it begins
 * with none.
 */
size_t shared_name_scan(const char *text);

/* --- the record --- */

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
	STATE_HEADER_AS_NEW, /* empty, damaged, or of an older version */
	STATE_HEADER_FOREIGN, /* of another program, or newer: let it be */
};

/*
 * Judges the first SIZE <= STATE_SIZE bytes; the others are zero. *WHY they are
 * not fine, or "" for a new file.
 */
enum state_header state_record_look(
    const uint8_t record[STATE_SIZE], size_t size, const char **why);

/* The boot in which it was written. The header must be fine. */
uint64_t state_record_boot(const uint8_t record[STATE_SIZE]);

/*
 * Writes the header, for that boot. The deferral stays, and the rest does if
 * it was of that boot, too.
 */
void state_record_set_boot(uint8_t record[STATE_SIZE], uint64_t boot);

/*
 * What BYTES, whose clock is ahead of ours by AHEAD_NS, hold at NOW_NS, with
 * every number in its limits. False: no run can have written them by now, and
 * GATE is a new one.
 */
bool gate_record_read(struct gate *gate, const uint8_t bytes[STATE_GATE_SIZE],
    int64_t now_ns, int64_t ahead_ns);
void gate_record_write(
    uint8_t bytes[STATE_GATE_SIZE], const struct gate *gate, int64_t ahead_ns);

/*
 * With every number in its limits. If the checksum is wrong all is zero, and
 * *IS_BROKEN tells whether anything was written there; it may be NULL.
 */
struct deferral state_record_deferral(
    const uint8_t record[STATE_SIZE], bool *is_broken);
void state_record_set_deferral(
    uint8_t record[STATE_SIZE], const struct deferral *deferral);

/* Of a record of this boot. What is damaged or later than NOW_NS is as new. */
struct slots state_record_slots(
    const uint8_t record[STATE_SIZE], int64_t now_ns);
void state_record_set_slots(
    uint8_t record[STATE_SIZE], const struct slots *slots);

#endif
