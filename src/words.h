/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_WORDS_H
#define BACKOFF_WORDS_H
/*
 * Lists of words with single blanks between them: one string in a table,
 * where an array would be pointers.
 */

#include <stdbool.h>
#include <stddef.h>

/* Whether the LENGTH bytes at WORD are one of WORDS. */
bool words_have(const char *words, const char *word, size_t length);

#endif
