/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_SENTENCE_H
#define BACKOFF_CORE_WAITS_SENTENCE_H
/*
 * Sentences that state a wait, for people: "Please try again in 20s."
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/waits/when.h"

/*
 * Reads the WHEN behind the words of waits.def that begin at WORD. False: they
 * are none of these, or no WHEN follows.
 */
bool sentence_read(const char *word, struct when *when);

/* The rest of TEXT after what may stand in front of a WHEN: ": about". */
const char *sentence_skip_between(const char *text);

#endif
