/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_HELP_H
#define BACKOFF_OPTIONS_HELP_H
/*
 * options.def as a table of names and texts, --help, and the lists of presets
 * and tools.
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/judge/outcome.h"
#include "core/known/tables.h"

enum option_group {
#define GROUP(group, title) GROUP_##group,
#include "options/options.def"
	GROUPS
};

enum option_id {
#define OPT(set, id, letter, name, argument, group, parser, target, help) \
	OPT_##id,
#include "options/options.def"
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

/* Whether this program has it. */
bool option_is_ours(enum option_id id);

/*
 * What a preset calls NAME[0..LENGTH): an option of this program, or one that
 * only presets can set. OPTIONS: this program has no such option.
 */
enum option_id option_named(const char *name, size_t length);

/* Prints "backoff: --NAME: TEXT: WHY" and exits with 125. */
_Noreturn void option_refuse(
    enum option_id id, const char *text, const char *why);

/* Print to stdout; exit with 0, or with 125 if that could not be written. */
_Noreturn void help_brief(void); /* the usual options, on one screen */
_Noreturn void help_all(void);
_Noreturn void list_presets(void);
_Noreturn void list_tools(void);

/* Prints the table of one tool to stdout. */
void list_tool(const struct tool *tool, const struct rules *rules);

#endif
