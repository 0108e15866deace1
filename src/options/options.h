/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTIONS_H
#define BACKOFF_OPTIONS_OPTIONS_H
/*
 * Parses the command line. options.def has the table of options.
 */

#include "types/option_types.h"

/*
 * Fills OPTIONS from the command line; the job's argv is what follows the
 * options, and may be empty. Exits with 125 and one line on stderr after a
 * usage error, and with 0 after --help and other options that only print.
 */
void options_parse(struct options *options, int argc, char **argv);

#endif
