/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_NEWS_H
#define BACKOFF_DOORS_GATE_NEWS_H
/*
 * What a run tells of its gate, in the log.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/words/gate_message.h"
#include "shared/gate_store.h"

/* NAME must live on. */
void gate_news_start(const char *name);

/* How long the run has waited at it, in all. */
void gate_news_waited(int64_t waited_ns);

/* PROBE or OPEN: for -v, and for machines. */
void gate_news_tell(enum gate_news news, const struct gate *gate);

/*
 * A wait at the gate of VIEW, until UNTIL_NS of CLOCK_MONOTONIC at the latest.
 * One line for each time that the gate is shut; on a terminal it tells for how
 * long. Returns what ends the wait as signals_sleep() does.
 */
int gate_news_wait(const struct gate_view *view, int64_t until_ns);

/*
 * What our result has made of BEFORE at NOW_NS. ASKED_NS is what the other side
 * has asked for, if it did; TICKET is that of a probe, or 0. It is said with
 * gate_news_release(): when the attempt has its line.
 */
void gate_news_change(const struct gate *before, const struct gate_view *after,
    int64_t asked_ns, uint64_t ticket);
void gate_news_release(void);

#endif
