/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/text.h"
#include "options/program.h"
#include "options/table.h"
#include "options/usage.h"

const struct option_row option_table[OPTIONS] = {
#define GROUP(group, title)
#define OPT(set, id, letter, name, argument, group, parser, target, help) \
	{ name, argument, help, letter, PROGRAM_##set, GROUP_##group },
#include "options/options.def"
#undef GROUP
#undef OPT
};

const char option_groups[GROUPS][40] = {
#define GROUP(group, title) title,
#define OPT(set, id, letter, name, argument, group, parser, target, help)
#include "options/options.def"
#undef GROUP
#undef OPT
};

/* Needed because in C a string may fill an array without room for its NUL. */
#define FITS(string, array) \
	_Static_assert(sizeof(string) <= sizeof(array), "too long: " string);
#define ROW_FITS(word, value, text) \
	FITS(word, option_table->name) \
	FITS(value, option_table->argument) \
	FITS(text, option_table->help)
#define GROUP(group, title) FITS(title, *option_groups)
#define OPT(set, id, letter, name, argument, group, parser, target, help) \
	ROW_FITS(name, argument, help)
#include "options/options.def"
#undef GROUP
#undef OPT

bool
option_is_ours(enum option_id id)
{
	return (option_table[id].programs & program.set) != 0;
}

enum option_id
option_named(const char *name, size_t length)
{
	enum option_id found = OPTIONS;

	for (int id = 0; id < OPTIONS; id++)
		if (strlen(option_table[id].name) == length
		    && memcmp(option_table[id].name, name, length) == 0
		    && (found == OPTIONS || option_is_ours((enum option_id)id)))
			found = (enum option_id)id;
	return found;
}

void
option_refuse(enum option_id id, const char *text, const char *why)
{
	usage_refuse(
	    JOINED(2 + sizeof option_table->name, "--", option_table[id].name),
	    text, why);
}
