/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "options/getopt_table.h"
#include "options/program.h"
#include "options/usage.h"

/* What getopt_long returns for a long option: larger than any letter. */
#define CODE(id) (256 + (int)(id))

/* Options of other retry tools, under the names that they have there. */
static const struct {
	const char *names; /* separated by blanks */
	const char *ours;
} other_tools[] = {
	{ "retries retry tries times count max-attempts max-retries max-tries",
	    "use --attempts, which counts the first run too" },
	{ "forever",
	    "use --attempts=inf; --attempts counts the first run too" },
	{ "delay sleep wait interval",
	    "use --base for the first pause, or --delays for a list" },
	{ "retry-delay", "use --base for the first pause" },
	{ "min", "use --base for the first pause, --floor for the shortest" },
	{ "min-delay", "use --floor" },
	{ "max", "use --cap for the longest pause" },
	{ "max-delay", "use --cap" },
	{ "max-exponent", "use --cap, at which the pauses stop growing" },
	{ "steps", "use --factor: for S steps, it is (CAP / BASE)^(1 / S)" },
	{ "cap-mode slot-time",
	    "only presets have that; --preset=list tells which" },
	{ "throttle-base", "it is 5 times --base" },
	{ "outage", "--plan prints the chances of outlasting 10s, 1m and 10m" },
	{ "id", "use an environment variable of your own" },
	{ "max-time",
	    "use --deadline for everything, --timeout for an attempt" },
	{ "max-elapsed retry-max-time", "use --deadline" },
	{ "task-time", "use --timeout" },
	{ "backoff", "use --growth and --factor" },
	{ "multiplier exponent", "use --factor" },
	{ "random randomize", "use --jitter" },
	{ "on-retry", "use --before-retry" },
	{ "fail", "use --at-end" },
	{ "log", "use --log-file" },
	{ "json format", "use --log-format=json" },
	{ "watch",
	    "both streams are watched; sh -c 'exec COMMAND 2>&3' 3>&2 leaves "
	    "stderr out" },
	{ "die-with-parent",
	    "write it as: setpriv --pdeathsig TERM backoff ..." },
};

/* What to use instead of the option NAME[0..LENGTH), or NULL. */
static const char *
ours_for(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_LENGTH(other_tools); i++)
		if (words_have(other_tools[i].names, name, length))
			return other_tools[i].ours;
	return NULL;
}

/* In getopt_long's terms: "[WHAT]" is optional. */
static int
has_argument(const struct option_row *row)
{
	if (row->argument[0] == '\0')
		return no_argument;
	return row->argument[0] == '[' ? optional_argument : required_argument;
}

static const char *
list_hint(void)
{
	return program.set == PROGRAM_HERD ? "backoff-herd --help lists them"
	                                   : "backoff --help=all lists them";
}

/*
 * Refuses a long name that is not spelt out exactly, before getopt_long sees
 * it: that would accept an abbreviation, and an option added later could then
 * break the script that used it.
 */
static void
check_long_name(const char *argument)
{
	const char *name = argument + 2;
	size_t length = strcspn(argument, "=") - 2;
	struct nearest nearest = nearest_to(name, length);
	const char *ours = ours_for(name, length);
	int full_names = 0;
	char words[160];
	struct text why = text_in(words, sizeof words);

	for (int id = 0; id < OPTIONS; id++) {
		const char *full = option_table[id].name;

		if (!option_is_ours((enum option_id)id))
			continue;
		nearest_offer(&nearest, full, strlen(full));
		if (length == 0 || strncmp(full, name, length) != 0)
			continue;
		if (full[length] == '\0')
			return;
		text_join(&why,
		    full_names++ > 0 ? ", --" : "expected the full name, --",
		    full);
	}
	if (ours != NULL)
		usage_refuse("no such option", argument, ours);
	if (full_names > 0)
		usage_refuse("abbreviated option", argument, words);
	for (size_t i = 0; i < ARRAY_LENGTH(other_tools); i++)
		nearest_offer_words(&nearest, other_tools[i].names);
	if (nearest.found != NULL)
		ours = ours_for(nearest.found, nearest.found_length);
	if (ours != NULL)
		usage_refuse("no such option", argument, ours);
	if (!nearest_ask(&nearest, &why, "--"))
		text_add(&why, list_hint());
	usage_refuse("no such option", argument, words);
}

/* Builds the tables for getopt_long. */
static void
build_getopt_tables(char *short_options, struct option *long_options)
{
	*short_options++ = '+'; /* stop at COMMAND */
	*short_options++ = ':';
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_table[id];

		if (!option_is_ours((enum option_id)id))
			continue;
		*long_options++ = (struct option) {
			.name = row->name,
			.has_arg = has_argument(row),
			.val = CODE(id),
		};
		if (row->letter == 0)
			continue;
		*short_options++ = row->letter;
		for (int colons = has_argument(row); colons > 0; colons--)
			*short_options++ = ':';
	}
	*short_options = '\0';
	*long_options = (struct option) { 0 };
}

/* The option for a letter or a code; OPTIONS if there is none. */
static enum option_id
identify(int code)
{
	if (code >= CODE(0))
		return (enum option_id)(code - CODE(0));
	for (int id = 0; id < OPTIONS; id++)
		if (option_table[id].letter != 0
		    && option_table[id].letter == code)
			return (enum option_id)id;
	return OPTIONS;
}

/* After getopt_long has refused: ':' is a missing argument, '?' the rest. */
_Noreturn static void
refuse_syntax(int code, char **argv)
{
	enum option_id id = identify(optopt);
	char letter[] = { '-', (char)optopt, '\0' };

	if (code == ':' && id < OPTIONS)
		option_refuse(id, argv[optind - 1], "expected an argument");
	if (optopt >= CODE(0) && id < OPTIONS)
		option_refuse(id, argv[optind - 1], "expected no argument");
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
