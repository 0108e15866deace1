/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_TABLE_H
#define BACKOFF_OPTIONS_TABLE_H
/*
 * options.def as a table: the names of the options, and what --help says. What
 * they do is in set.c.
 */

#include <stdbool.h>
#include <stddef.h>

enum option_group {
#define GROUP(group, title) GROUP_##group,
#define OPT(set, id, letter, name, argument, group, parser, target, help)
#include "options/options.def"
#undef GROUP
#undef OPT
	GROUPS
};

enum option_id {
#define GROUP(group, title)
#define OPT(set, id, letter, name, argument, group, parser, target, help) \
	OPT_##id,
#include "options/options.def"
#undef GROUP
#undef OPT
	OPTIONS
};

/* Arrays, because pointers would have to be relocated at every start. */
struct option_row {
	char name[16]; /* the long name, without "--" */
	char argument[20]; /* "[WHAT]" is optional; "": takes none */
	char help[96];
	char letter; /* or 0 */
	unsigned char programs; /* of enum program_set */
	unsigned char group;
};

extern const struct option_row option_table[OPTIONS];
extern const char option_groups[GROUPS][40]; /* titles */

/* Whether this program has it. */
bool option_is_ours(enum option_id id);

/*
 * The option whose long name is NAME[0..LENGTH), of this program rather than
 * of the other; OPTIONS: none.
 */
enum option_id option_named(const char *name, size_t length);

/* Prints "backoff: --NAME: TEXT: WHY" and exits with 125. */
_Noreturn void option_refuse(
    enum option_id id, const char *text, const char *why);

#endif
