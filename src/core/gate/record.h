/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_RECORD_H
#define BACKOFF_CORE_GATE_RECORD_H
/*
 * What runs know of each other at a gate, and its form on disk: 192 bytes,
 * little-endian, closed by a CRC-32. gate.h says what happens at a gate.
 *
 * All times are nanoseconds >= 0 of one clock that all runs have in common
 * and that only goes forward, such as CLOCK_BOOTTIME of one boot. A record
 * of another boot is for the caller to take for a new one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GATE_RECORD_SIZE 192
#define GATE_REASON_SIZE 40

/* No number in a record is beyond these, whatever the file says. */
#define GATE_MOST_PROBES UINT32_C(1000000)
#define GATE_LEAST_RATE UINT32_C(2000) /* in thousandths, a second */
#define GATE_MOST_RATE UINT32_C(512000)
#define GATE_DUE_NS (10 * INT64_C(1000000000)) /* without a hint */
#define GATE_HINT_NS (24 * 3600 * INT64_C(1000000000)) /* with one */
#define GATE_PATIENCE_NS (24 * 3600 * INT64_C(1000000000))

enum gate_state {
	GATE_OPEN, /* an attempt starts at once */
	GATE_SHUT, /* nobody starts before the probe that is due */
	GATE_PROBING, /* who holds the turn tries, alone */
	GATE_RAMP, /* attempts start one after the other, ever faster */
};
#define GATE_STATES 4

struct gate_record {
	enum gate_state state;

	/* Failures in a row, while the gate is open or in the ramp. */
	uint16_t failures;
	bool two_runs; /* they came from at least two */
	uint64_t last_run; /* who failed last, as a hash of its id */
	int64_t first_failure_ns; /* when the first of them ended */
	int64_t last_failure_ns; /* ... the last one */
	int64_t longest_ns; /* of the attempts that failed */

	/* While it is shut. */
	uint32_t probes; /* that failed; also how many there were, after it */
	int64_t due_ns; /* when the next one may start */
	bool hinted; /* because the other side asked for it */
	int64_t since_ns; /* in this state; probes leave it as it is */
	int64_t shut_ns; /* since it was last open, or in the ramp */
	int64_t news_ns; /* attempts that began before tell no news */
	int64_t probe_ns; /* when the probe that runs began */
	uint32_t other_turn; /* of a probe that was passed over, or 0 */
	int64_t stated_ns; /* all time until the moments of hints, so far */

	/* Whose turn it is. */
	uint32_t turn; /* its number, >= 1 */
	int64_t turn_ns; /* since when it is held */
	int64_t patience_ns; /* the longest that its holder may try for */

	/* While it is in the ramp. */
	uint32_t rate; /* starts a second, times 1000 */
	int64_t rate_ns; /* since when that is so */
	bool was_cut; /* it was too high once: it grows more slowly since */
	int64_t second_ns; /* when the running second began */
	uint16_t results, failed; /* of attempts in it, and how many failed */
	int64_t release_ns; /* when the next attempt may start */

	/*
	 * Of a fleet's: a machine has it from the server, and has not shut it
	 * by itself since; a server has it from a machine, and has no news.
	 */
	bool is_copy;

	/* Why it is shut: printable ASCII. */
	char reason[GATE_REASON_SIZE + 1];
};

/* Of a gate that nobody has used: open. */
struct gate_record gate_record_new(void);

/*
 * Reads BYTES at NOW_NS, a reading of the clock that was made after BYTES
 * were. False, and *RECORD is new, where the checksum is wrong, or a time
 * that no run can have written: one that is still to come by more than a
 * second, or a probe that is due later than there are hints for. All other
 * numbers are limited.
 */
bool gate_decode(struct gate_record *record,
    const uint8_t bytes[GATE_RECORD_SIZE], int64_t now_ns);

void gate_encode(
    const struct gate_record *record, uint8_t bytes[GATE_RECORD_SIZE]);

/*
 * By another clock, which is AHEAD_NS ahead of the one of RECORD's times: what
 * was before that clock began is at its beginning.
 */
void gate_translate(struct gate_record *record, int64_t ahead_ns);

/* TEXT as a reason: cut, and a "?" for what is not printable ASCII. */
void gate_set_reason(struct gate_record *record, const char *text);

#endif
