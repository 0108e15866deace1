/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_JUDGE_PREFILTER_H
#define BACKOFF_CORE_JUDGE_PREFILTER_H
/*
 * A string that every match of a regular expression contains. Searching for
 * it first saves most calls of regexec(3). For 36 MB of lines and one
 * expression, that is 0.06 s instead of 0.2 s with glibc, and 0.06 s instead
 * of 2.5 s with musl.
 */

#define PREFILTER_SIZE 32

/*
 * The longest string of plain characters that every match of an extended
 * regular expression must contain. Groups, brackets and repeated characters
 * end a run; with alternatives there is none: "". It is cut to fit.
 */
void prefilter_find(const char *regex, char literal[PREFILTER_SIZE]);

#endif
