/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTION_TABLE_H
#define BACKOFF_OPTIONS_OPTION_TABLE_H
/*
 * options.def as a table: how the options are called, and what --help says.
 * What they do is in option_set.c.
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

/* Arrays and not pointers, which would be relocated at every start. */
struct option_row {
	char name[16]; /* the long name, without "--" */
	char argument[20]; /* "[WHAT]" may be missing; "": takes none */
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
 * The option of which NAME[0..LENGTH) is the long name, ours rather than the
 * other program's; OPTIONS: none.
 */
enum option_id option_named(const char *name, size_t length);

/* "backoff: --NAME: TEXT: WHY" in one line, and exit with 125. */
_Noreturn void option_refuse(
    enum option_id id, const char *text, const char *why);

#endif
