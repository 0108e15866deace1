/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STDIN_H
#define BACKOFF_STDIN_H
/*
 * Each attempt sees the same standard input from where we found it: a
 * regular file is rewound to that offset (rule 64). Anything else is
 * inherited as it is.
 */

/* Remembers the offset. */
void stdin_remember(void);

/* Before a further attempt. */
void stdin_rewind(void);

#endif
