/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_ARGUMENTS_H
#define BACKOFF_ARGUMENTS_H
/*
 * The command line as a sequence of options: what getopt_long makes of
 * options.def, and what of it is refused.
 */

enum option_id {
#define GROUP(title)
#define OPT(id, letter, name, argument, help) OPT_##id,
#include "options.def"
#undef GROUP
#undef OPT
	OPTIONS
};

/* The long name of each, without "--". */
extern const char option_names[OPTIONS][16];

/*
 * The next option of the command line, its argument or NULL in *TEXT;
 * OPTIONS after the last one, and then the operands begin at *OPERANDS. What
 * is not an option exits with 125.
 */
enum option_id arguments_next(
    int argc, char **argv, const char **text, char *const **operands);

/* "backoff: --NAME: TEXT: WHY", and exit with 125. */
_Noreturn void arguments_refuse(
    enum option_id id, const char *text, const char *why);

#endif
