/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_PREFILTER_H
#define BACKOFF_CORE_PREFILTER_H
/*
 * What every match of a regular expression contains: to look for that first
 * spares most calls of regexec(3), which is fast in glibc (36 MB of lines
 * against one expression: 0.2 s, and 0.06 s with it), but not in musl (2.5 s,
 * and 0.06 s).
 */

#define PREFILTER_SIZE 32

/*
 * The longest string of plain characters that every match of an extended
 * regular expression must contain. Groups, brackets and repeated characters
 * end a run; alternatives leave none: "". It is cut to fit.
 */
void prefilter_find(const char *regex, char literal[PREFILTER_SIZE]);

#endif
