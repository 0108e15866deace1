/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_GETOPT_TABLE_H
#define BACKOFF_OPTIONS_GETOPT_TABLE_H
/*
 * Splits the command line into options with getopt_long(3), and refuses what
 * is not an option.
 */

#include "options/table.h"

/*
 * Returns the next option, with its argument, or NULL, in *TEXT. After the last
 * one, returns OPTIONS, and the operands begin at *OPERANDS. Exits with 125 if
 * something is not an option.
 */
enum option_id arguments_next(
    int argc, char **argv, const char **text, char *const **operands);

#endif
