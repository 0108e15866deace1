/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_TERMINAL_H
#define BACKOFF_PROCESS_TERMINAL_H
/*
 * The size and character set of stdout, and text that fits them; and whether
 * backoff is in the foreground.
 */

#include <stdbool.h>

struct terminal {
	int width; /* in columns; 80 if stdout is no terminal */
	bool unicode; /* the locale is UTF-8 */
};

struct terminal terminal_of_stdout(void);

/*
 * Whether stderr is backoff's controlling terminal, and backoff in its
 * foreground job. A job in the background leaves the screen to others.
 */
bool is_in_foreground(void);

/* The width for running text: that of stdout, but 32 to 80. */
int terminal_text_width(void);

/*
 * Prints the words of TEXT, wrapped at column WIDTH, and a newline. The first
 * line continues at COLUMN; the others start at column FROM.
 */
void terminal_wrapped(const char *text, int column, int from, int width);

#endif
