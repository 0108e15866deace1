/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_TERMINAL_H
#define BACKOFF_PROCESS_TERMINAL_H
/*
 * What stdout can show, and times in its columns.
 */

#include <stdbool.h>
#include <stdint.h>

struct terminal {
	int width; /* in columns; 80 where it is no terminal */
	bool unicode; /* the locale is one of UTF-8 */
};

struct terminal terminal_of_stdout(void);

/* Columns for running text: those of stdout, but 32 to 80. */
int terminal_text_width(void);

/*
 * Prints the words of TEXT up to column WIDTH, and a newline. The line is at
 * COLUMN now; those after it start at column FROM.
 */
void terminal_wrapped(const char *text, int column, int from, int width);

/* Prints BEFORE, and a duration in a column of WIDTH (0: as it comes). */
void terminal_duration(const char *before, int64_t ns, int width);

#endif
