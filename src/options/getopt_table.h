/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_GETOPT_TABLE_H
#define BACKOFF_OPTIONS_GETOPT_TABLE_H
/*
 * The command line as a sequence of options: what getopt_long makes of
 * options.def, and what of it is refused.
 */

#include <stdbool.h>
#include <stddef.h>

enum option_id {
#define GROUP(title)
#define OPT(set, id, letter, name, argument, help) OPT_##id,
#include "options/options.def"
#undef GROUP
#undef OPT
	OPTIONS
};

/* The long name of each, without "--". */
extern const char option_names[OPTIONS][16];

/* Whether this program has it. */
bool arguments_has(enum option_id id);

/* The option of which NAME[0..LENGTH) is the long name; OPTIONS: none. */
enum option_id arguments_named(const char *name, size_t length);

/*
 * The next option of the command line, its argument or NULL in *TEXT;
 * OPTIONS after the last one, and then the operands begin at *OPERANDS. What
 * is not an option exits with 125.
 */
enum option_id arguments_next(
    int argc, char **argv, const char **text, char *const **operands);

/* "backoff: --NAME: TEXT: WHY" in one line, and exit with 125. */
_Noreturn void arguments_refuse(
    enum option_id id, const char *text, const char *why);

#endif
