/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTIONS_H
#define BACKOFF_OPTIONS_OPTIONS_H
/*
 * The command line, as settings. Which options there are stands in
 * options.def.
 */

#include "options/option_types.h"

/*
 * Fills OPTIONS from the command line; argv of the job is what is behind
 * the options, and may be empty. Exits with 125 and one line on stderr if
 * that cannot be, with 0 after --help and what else only prints.
 */
void options_parse(struct options *options, int argc, char **argv);

#endif
