/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTIONS_H
#define BACKOFF_OPTIONS_OPTIONS_H
/*
 * The command line: options.c parses it, values.c the values of options, and
 * help.c has --help, the lists of presets and tools, and usage errors.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "types/option_types.h"

enum program_set {
	PROGRAM_BACKOFF = 1,
	PROGRAM_HERD = 2,
	PROGRAM_BOTH = 3,
	PROGRAM_PRESET = 4, /* what only a preset can set */
};

struct program {
	enum program_set set; /* one of the two */
	const char *name;
	int64_t attempts; /* the default, unless other options change it */
	const char *list_hint; /* where all options are listed */
	/* Each line is a paragraph, but lines that begin with a blank. */
	const char *synopsis; /* the beginning of --help */
	const char *brief; /* the end of it, if there is a shorter --help */
	const char *notes; /* the end of the whole */
};

/* Each of the two programs defines it. */
extern const struct program program;

/*
 * Fills OPTIONS from the command line; the job's argv is what follows the
 * options, and may be empty. Exits with 125 and one line on stderr after a
 * usage error, and with 0 after --help and other options that only print.
 */
void options_parse(struct options *options, int argc, char **argv);

/* What to look for in the output; allocated on the first call. */
struct scan *options_scan(struct options *options);

/* --- the table --- */

enum option_id {
#define GROUP(group, title) GROUP_##group,
#define OPT(set, id, letter, name, argument, parser, target, help) OPT_##id,
#include "options/options.def"
	OPTIONS
};

/*
 * Reads TEXT into FIELD. False: it is refused; REFUSAL, all zero before, says
 * why, and FIELD is undefined.
 */
typedef bool value_parser(const char *text, void *field);

/* A row of a group has only its title, as HELP. */
struct option_row {
	const char *name; /* the long name, without "--" */
	const char *argument; /* "[WHAT]" is optional; "": takes none */
	const char *help;
	value_parser *parse; /* sets what is at FIELD of struct options */
	size_t field;
	char letter; /* or 0 */
	unsigned char programs; /* of enum program_set */
};

extern const struct option_row option_table[OPTIONS];

/* Whether this program has it. */
bool option_is_ours(enum option_id id);

/*
 * What a preset calls NAME[0..LENGTH): an option of this program, or one that
 * only presets can set. OPTIONS: this program has no such option.
 */
enum option_id option_named(const char *name, size_t length);

/* --- values --- */

/* Why the last value was refused, in words. */
extern struct refusal {
	char item[64]; /* the offending part of it; "": all of it */
	char why[192];
} refusal;

/* All of them: value_duration and so on. */
#define OPT(set, id, letter, name, argument, parser, target, help) \
	value_parser value_##parser;
#define WORDS(parser, type, first, words) value_parser value_##parser;
#include "options/options.def"

/* --- help and usage errors --- */

/*
 * Prints "backoff: WHAT: TEXT: WHY" on stderr and exits with 125. TEXT and WHY
 * may be NULL.
 */
_Noreturn void usage_refuse(
    const char *what, const char *text, const char *why);

/* The same for an option, "--NAME". */
_Noreturn void option_refuse(
    enum option_id id, const char *text, const char *why);

/* Allocates COUNT zeroed elements of SIZE bytes for OPTION, or exits. */
void *usage_allocate(const char *option, size_t count, size_t size);

struct terminal {
	int width; /* in columns; 80 if stdout is no terminal */
	bool unicode; /* the locale is UTF-8 */
};

struct terminal terminal_of_stdout(void);

/*
 * Prints the words of TEXT, wrapped at column WIDTH, and a newline. The first
 * line continues at COLUMN; the others start at column FROM.
 */
void terminal_wrapped(const char *text, int column, int from, int width);

/* Exits after printing to stdout: 0, or 125 if that could not be written. */
_Noreturn void usage_finish(void);

/* Print to stdout, and exit so. */
_Noreturn void help_brief(void); /* the usual options, on one screen */
_Noreturn void help_all(void);
_Noreturn void list_presets(void);
_Noreturn void list_tools(void);

/* Prints the table of one tool to stdout. */
void list_tool(const struct tool *tool, const struct rules *rules);

#endif
