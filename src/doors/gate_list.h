/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_LIST_H
#define BACKOFF_DOORS_GATE_LIST_H
/*
 * --gate=list: what the files of a state directory tell.
 */

/*
 * Prints a table of the gates, slots and deferred names in DIRECTORY, that of
 * --state-dir, or NULL; and exits: with 125 where they cannot be read.
 */
_Noreturn void gate_list(const char *directory);

#endif
