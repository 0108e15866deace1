/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_ANCHORS_H
#define BACKOFF_CORE_WAITS_ANCHORS_H
/*
 * Where in the output a stated wait can stand. Each header, key and sentence
 * of waits.def begins with one of few words, and most output has none of them:
 * to look for these words first is what makes the search cheap.
 */

#include <stdbool.h>

/*
 * The first place from FROM up to END at which one of the words begins, in
 * any case, or END. Of "retry" it is the "t". Not every place that is found
 * has the whole word.
 */
const char *anchor_next(const char *from, const char *end);

#endif
