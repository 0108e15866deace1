/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_FLEET_LINE_H
#define BACKOFF_CORE_GATE_FLEET_LINE_H
/*
 * What backoff and its helper, backoff-fleet, say to each other: one message
 * each way over a socket that keeps messages apart (SOCK_SEQPACKET). backoff
 * asks, the helper answers, one question at a time. A message is a line
 * without its end:
 *
 *   WORD [NUMBER]... [#RECORD]... [:TEXT]
 *
 * A NUMBER is decimal, from 0 to 2^63 - 1, a RECORD is the hexadecimal form of
 * a gate's (record.h), TEXT is printable ASCII up to the end. Spans are in
 * nanoseconds; NOW and UNTIL are times of the server, since the epoch.
 *
 *   hello VERSION MACHINE PATIENCE N OWNER :GATE SLOTS
 *       Once, first. MACHINE stands for the run in the fleet's record; OWNER,
 *       unlike any other's, has what the helpers of a run hold;
 *       PATIENCE is that of types.h. GATE and SLOTS are names or "-"; N
 *       is how many slots there are. Nothing is connected yet.
 *     hello :SERVER         what to call the server, without user and password
 *     wrong :WHY            it cannot work with what it was told
 *   look [#RECORD]          whether an attempt may start without the turn
 *     gate KIND WAS UNTIL NOW #RECORD
 *       KIND and WAS are of types.h and record.h.
 *   turn [#RECORD]          the same for one who wants the turn, or has it
 *     gate ...              with GATE_QUEUE: it has not got it
 *   await [#RECORD]         waits for the turn, a few seconds; then as turn
 *   end OUTCOME BEGAN ENDED HINT PAUSE [#RECORD] :REASON
 *       An attempt has ended. BEGAN and ENDED are how long ago that was; HINT
 *       is how long the other side asked to wait, or 0.
 *     ended LOST NOW #BEFORE #AFTER
 *       LOST is 1 where the turn was lost meanwhile. It is given up.
 *   cancel                  gives up the turn without an attempt
 *     done
 *   slot                    takes a slot, if there is one
 *   claim                   waits for one, a few seconds
 *     slot HAD              1 or 0
 *   free                    gives the slot back
 *     freed LOST            1: others had it meanwhile
 *   open                    opens the gate by hand
 *     opened WAS :REASON    WAS is 1 where it was shut, for that reason
 *   keep SLOT TURN          goes on with what another helper of the OWNER had
 *       which has died, 1 for each. Without an answer: that to free or end
 *       tells what is lost.
 *   bye                     gives everything up; the answer is its end
 *
 * RECORD is what the machine has seen last, by CLOCK_MONOTONIC, for a server
 * that has lost it. To anything but hello the answer may also be
 *
 *     lost :WHY             the server cannot be used now
 *
 * after which the helper holds nothing that it knows of. await and claim are
 * given up by whatever else is said, or by the end of the socket, with which
 * the helper gives back what it holds and ends.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/gate/record.h"

#define FLEET_VERSION 3

/* What is held is held for so long without a word of its holder. */
#define FLEET_LEASE_NS (15 * INT64_C(1000000000))

enum fleet_word {
	/* What backoff says. */
	FLEET_HELLO,
	FLEET_LOOK,
	FLEET_TURN,
	FLEET_AWAIT,
	FLEET_END,
	FLEET_CANCEL,
	FLEET_SLOT,
	FLEET_CLAIM,
	FLEET_FREE,
	FLEET_BYE,
	FLEET_OPEN,
	FLEET_KEEP,
	/* What the helper alone says. */
	FLEET_GATE,
	FLEET_ENDED,
	FLEET_DONE,
	FLEET_FREED,
	FLEET_LOST,
	FLEET_WRONG,
	FLEET_OPENED,
};
#define FLEET_WORDS 19

#define FLEET_NUMBERS 5
#define FLEET_RECORDS 2
#define FLEET_TEXT_SIZE 200
#define FLEET_LINE_SIZE \
	(16 + FLEET_NUMBERS * 21 + FLEET_RECORDS * (2 * GATE_RECORD_SIZE + 2) \
	    + FLEET_TEXT_SIZE + 2)

/* What a message does not have is 0 here, or "". */
struct fleet_line {
	enum fleet_word word;
	int64_t numbers[FLEET_NUMBERS];
	int records_count;
	uint8_t records[FLEET_RECORDS][GATE_RECORD_SIZE];
	char text[FLEET_TEXT_SIZE];
};

void fleet_line_write(struct text *text, const struct fleet_line *line);

/* False: that is no message. */
bool fleet_line_read(struct fleet_line *line, const char *words);

#endif
