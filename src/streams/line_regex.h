/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_LINE_REGEX_H
#define BACKOFF_STREAMS_LINE_REGEX_H
/*
 * A REGEX that is compared with lines of output.
 */

#include <regex.h>

#include "core/judge/prefilter.h"

/*
 * Compiles TEXT with FLAGS of regcomp(3) beside REG_EXTENDED. Returns NULL, or
 * why it is refused. Sets LITERAL to a string that each match contains.
 */
const char *line_regex_compile(
    regex_t *regex, const char *text, int flags, char literal[PREFILTER_SIZE]);

/* The same for a REGEX of the user, which has to make sense for one line. */
const char *line_regex_of_user(
    regex_t *regex, const char *text, int flags, char literal[PREFILTER_SIZE]);

#endif
