/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_TURN_NEWS_H
#define BACKOFF_DOORS_TURN_NEWS_H
/*
 * What a run tells of its gate, in the log.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/record.h"
#include "core/words/turn_message.h"

/* NAME must live on. */
void turn_news_start(const char *name);

/* How long the run has waited at it, in all. */
void turn_news_waited(int64_t waited_ns);

/* PROBE, OPEN or LOST: for -v, and for machines. */
void turn_news_tell(enum turn_news news, const struct gate_record *record);

/*
 * One line for each time that the gate is shut; machines get all waits. COUNTS:
 * what follows is the wait of turn_news_count().
 */
void turn_news_wait(const struct gate_record *record, bool counts);

/*
 * A wait until UNTIL_NS of CLOCK_MONOTONIC, with a line on a terminal that
 * tells for how long the gate has been shut. Returns what ends it as
 * sleep_until_told() does.
 */
int turn_news_count(const struct gate_record *record, int64_t until_ns);

/*
 * The same, and also until FD can be read; the line goes on with the next such
 * wait for the same reason, and ends with countdown_line_end().
 */
int turn_news_count_for(
    const struct gate_record *record, int64_t until_ns, int fd);

/*
 * What our verdict has made of the gate at NOW_NS. ASKED_NS is what the other
 * side has asked for, if it did; LOST: the turn was. All that is told from then
 * on comes with turn_news_release(): when the attempt has its line.
 */
void turn_news_change(const struct gate_record *before,
    const struct gate_record *after, int64_t now_ns, int64_t asked_ns,
    bool is_probe, bool lost);
void turn_news_release(void);

#endif
