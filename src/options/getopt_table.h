/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_GETOPT_TABLE_H
#define BACKOFF_OPTIONS_GETOPT_TABLE_H
/*
 * The command line as a sequence of options, as getopt_long(3) has it; and
 * what of it is refused.
 */

#include "options/option_table.h"

/*
 * The next option of the command line, its argument or NULL in *TEXT;
 * OPTIONS after the last one, and then the operands begin at *OPERANDS. What
 * is not an option exits with 125.
 */
enum option_id arguments_next(
    int argc, char **argv, const char **text, char *const **operands);

#endif
