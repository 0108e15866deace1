/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_HELP_H
#define BACKOFF_OPTIONS_HELP_H
/*
 * --help and --version.
 */

/* Print to stdout; exit with 0, or with 125 if that could not be written. */
_Noreturn void help_brief(void); /* the usual options, on one screen */
_Noreturn void help_all(void);
_Noreturn void help_version(void);

#endif
