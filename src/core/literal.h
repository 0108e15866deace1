/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LITERAL_H
#define BACKOFF_CORE_LITERAL_H
/*
 * What the text of a POSIX extended regular expression tells before it is
 * compiled.
 */

#include <stdbool.h>

#define LITERAL_SIZE 32

/*
 * The longest string of plain characters that every match of an extended
 * regular expression must contain: to search for that first is many times
 * faster. Groups, brackets and repeated characters end a run; alternatives
 * leave none: "". It is cut to fit.
 */
void literal_find(const char *text, char literal[LITERAL_SIZE]);

/*
 * POSIX leaves "\1" undefined, and where libc takes it for a reference a
 * match may take for ever.
 */
bool literal_has_reference(const char *text);

#endif
