/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/text.h"
#include "options/getopt_table.h"
#include "options/other_tools.h"
#include "options/program.h"
#include "options/usage.h"

/* What getopt_long returns for an option: beyond every letter. */
#define CODE(id) (256 + (int)(id))

const char option_names[OPTIONS][16] = {
#define GROUP(title)
#define OPT(set, id, letter, name, argument, help) name,
#include "options/options.def"
#undef GROUP
#undef OPT
};

static const char letters[OPTIONS] = {
#define GROUP(title)
#define OPT(set, id, letter, name, argument, help) letter,
#include "options/options.def"
#undef GROUP
#undef OPT
};

static const unsigned char sets[OPTIONS] = {
#define GROUP(title)
#define OPT(set, id, letter, name, argument, help) PROGRAM_##set,
#include "options/options.def"
#undef GROUP
#undef OPT
};

static const char *const arguments[OPTIONS] = {
#define GROUP(title)
#define OPT(set, id, letter, name, argument, help) argument,
#include "options/options.def"
#undef GROUP
#undef OPT
};

bool
arguments_has(enum option_id id)
{
	return (sets[id] & program.set) != 0;
}

enum option_id
arguments_named(const char *name, size_t length)
{
	for (int id = 0; id < OPTIONS; id++)
		if (strncmp(option_names[id], name, length) == 0
		    && option_names[id][length] == '\0')
			return (enum option_id)id;
	return OPTIONS;
}

/* As getopt_long has it: "[WHAT]" need not be there. */
static int
has_argument(int id)
{
	if (arguments[id] == NULL)
		return no_argument;
	return arguments[id][0] == '[' ? optional_argument : required_argument;
}

void
arguments_refuse(enum option_id id, const char *text, const char *why)
{
	char what[24];
	struct text name = text_in(what, sizeof what);

	text_add(&name, "--");
	text_add(&name, option_names[id]);
	usage_refuse(what, text, why);
}

static const char *
list_hint(void)
{
	return program.set == PROGRAM_HERD ? "backoff-herd --help lists them"
	                                   : "backoff --help lists them";
}

/*
 * A long name that is not ours to the letter is refused before getopt_long
 * sees it, which would take an abbreviation: a later option would then
 * break the script that relied on it.
 */
static void
check_long_name(const char *argument)
{
	const char *name = argument + 2;
	size_t length = strcspn(argument, "=") - 2;
	const char *full = NULL;
	const char *ours;
	char why[48];
	struct text text = text_in(why, sizeof why);

	for (int id = 0; id < OPTIONS; id++) {
		if (!arguments_has((enum option_id)id)
		    || strncmp(option_names[id], name, length) != 0)
			continue;
		if (option_names[id][length] == '\0')
			return;
		full = option_names[id];
	}
	ours = other_tools_option(name, length);
	if (ours != NULL)
		usage_refuse("no such option", argument, ours);
	if (full == NULL || length == 0)
		usage_refuse("no such option", argument, list_hint());
	text_add(&text, "expected the full name, --");
	text_add(&text, full);
	usage_refuse("abbreviated option", argument, why);
}

/* The tables in the form that getopt_long takes. */
static void
build_getopt_tables(char *short_options, struct option *long_options)
{
	*short_options++ = '+'; /* stop at COMMAND */
	*short_options++ = ':';
	for (int id = 0; id < OPTIONS; id++) {
		if (!arguments_has((enum option_id)id))
			continue;
		*long_options++ = (struct option) {
			.name = option_names[id],
			.has_arg = has_argument(id),
			.val = CODE(id),
		};
		if (letters[id] == 0)
			continue;
		*short_options++ = letters[id];
		for (int colons = has_argument(id); colons > 0; colons--)
			*short_options++ = ':';
	}
	*short_options = '\0';
	*long_options = (struct option) { 0 };
}

/* The option of a letter or a code; OPTIONS where there is none. */
static enum option_id
identify(int code)
{
	if (code >= CODE(0))
		return (enum option_id)(code - CODE(0));
	for (int id = 0; id < OPTIONS; id++)
		if (letters[id] != 0 && letters[id] == code)
			return (enum option_id)id;
	return OPTIONS;
}

/* What getopt_long has refused: ':' a missing argument, '?' the rest. */
_Noreturn static void
refuse_syntax(int code, char **argv)
{
	enum option_id id = identify(optopt);
	char letter[] = { '-', (char)optopt, '\0' };

	if (code == ':' && id < OPTIONS)
		arguments_refuse(id, argv[optind - 1], "expected an argument");
	if (optopt >= CODE(0) && id < OPTIONS)
		arguments_refuse(id, argv[optind - 1], "expected no argument");
	usage_refuse("no such option", letter, list_hint());
}

enum option_id
arguments_next(int argc, char **argv, const char **text, char *const **operands)
{
	static char short_options[3 * OPTIONS + 3];
	static struct option long_options[OPTIONS + 1];
	int code;

	if (short_options[0] == '\0')
		build_getopt_tables(short_options, long_options);
	opterr = 0;
	if (optind < argc && strncmp(argv[optind], "--", 2) == 0
	    && argv[optind][2] != '\0')
		check_long_name(argv[optind]);
	code = getopt_long(argc, argv, short_options, long_options, NULL);
	*text = optarg;
	*operands = argv + optind;
	if (code == -1)
		return OPTIONS;
	if (code == '?' || code == ':')
		refuse_syntax(code, argv);
	return identify(code);
}
