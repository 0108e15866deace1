/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_FLEET_LINE_H
#define BACKOFF_CORE_GATE_FLEET_LINE_H
/*
 * What backoff and its helper, backoff-fleet, say to each other: one line
 * each way over a pair of sockets. The helper knows neither gates nor slots.
 * For each KEY, "{NAME}:gate" or "{NAME}:slots", it has a STATE, which means
 * nothing to it, and those who hold something: MEMBERs, numbers >= 1, each for
 * as long as its holder lives.
 *
 * A line is fields with single blanks between them; the last one may have
 * blanks, too, if it begins with ":". Numbers are decimal, up to 2^63 - 1; a
 * STATE is hexadecimal, or "-" for none. The helper speaks first:
 *
 *   hello VERSION :SERVER   what to call the server, without user and password;
 *       nothing is connected yet
 *   wrong :WHY              it has been given what cannot work
 *
 * Then backoff asks, one question at a time:
 *
 *   look KEY [MEMBER]...
 *     found NOW AT LAPSED STATE LIVING COUNT
 *       NOW is the server's time, in nanoseconds since the epoch, when
 *       CLOCK_BOOTTIME was AT. If MEMBERs were asked for, bit i of LIVING
 *       says that the i-th holds something, and COUNT is how many do in all.
 *   put KEY MEMBER OLD NEW
 *       Makes NEW of the STATE OLD. From then on MEMBER, or nothing where that
 *       is 0, is what backoff holds of KEY.
 *     done 1 LAPSED
 *     done 0 LAPSED         the STATE is another: look again
 *   drop KEY                gives up what is held of KEY
 *     done 1 LAPSED
 *   keep KEY MEMBER         goes on with what a helper that has died has held;
 *       it has no answer
 *
 * LAPSED is 1 if what backoff held of KEY was lost since the last answer about
 * it: it expired, or the server had lost it, and others may have had it. Any
 * question may be answered with
 *
 *     lost :WHY             the server cannot be used now
 *
 * after which neither the MEMBER of a put nor what was to be dropped is held.
 * At the end of the socket the helper gives up all that is held, and ends.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/record.h"

#define FLEET_VERSION 5

/* What is held expires if its holder has not renewed it for so long. */
#define FLEET_LEASE_NS (15 * INT64_C(1000000000))

#define FLEET_KEY_SIZE (SHARED_NAME_SIZE + 8)
#define FLEET_MEMBERS 8
#define FLEET_TEXT_SIZE 200
#define FLEET_STATE_SIZE 1025 /* of the longest, with its terminator */
/* A put is the longest. */
#define FLEET_LINE_SIZE (2 * FLEET_STATE_SIZE + 256)
#define FLEET_FIELDS (FLEET_MEMBERS + 2)

/* What a line does not have is "" and 0. */
struct fleet_line {
	const char *fields[FLEET_FIELDS];
	int64_t numbers[FLEET_FIELDS];
};

/* Takes WORDS apart, which must live on. */
void fleet_line_read(struct fleet_line *line, char *words);
bool fleet_line_is(const struct fleet_line *line, const char *word);

#endif
