/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/known/known.h"
#include "core/words/words.h"
#include "options/options.h"
#include "system/system.h"

#define TEXT_COLUMN 29 /* where the help of an option starts; */
#define NARROW_COLUMN 8 /* on a narrow terminal */
#define LEAST_TEXT 32

#define USUAL_WIDTH 80
#define WIDEST_TEXT 80 /* longer lines are hard to read */

bool
option_is_ours(enum option_id id)
{
	return (option_table[id].programs & program.set) != 0;
}

enum option_id
option_named(const char *name, size_t length)
{
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_table[id];

		if ((row->programs & (program.set | PROGRAM_PRESET)) != 0
		    && strncmp(row->name, name, length) == 0
		    && row->name[length] == '\0')
			return (enum option_id)id;
	}
	return OPTIONS;
}

/* --- text that fits stdout --- */

static int
width_of_stdout(void)
{
	int columns = device_columns(STDOUT_FILENO);

	return columns > 0 ? columns : USUAL_WIDTH;
}

struct terminal
terminal_of_stdout(void)
{
	/* Only the character set of the output depends on the locale. */
	setlocale(LC_CTYPE, "");
	return (struct terminal) {
		.width = width_of_stdout(),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};
}

/* The width for running text. */
static int
terminal_text_width(void)
{
	return (int)max_ns(min_ns(width_of_stdout(), WIDEST_TEXT), LEAST_TEXT);
}

void
terminal_wrapped(const char *text, int column, int from, int width)
{
	bool is_first = true; /* first word of its line */

	while (*text != '\0') {
		int length = (int)length_before(text, ' ');

		if (!is_first && column + 1 + length > width) {
			printf("\n%*s", from, "");
			column = from;
		} else if (!is_first) {
			putchar(' ');
			column++;
		}
		column += printf("%.*s", length, text);
		is_first = false;
		text += length + (text[length] == ' ');
	}
	putchar('\n');
}

/* --- usage errors, and the end --- */

/* One write(2): other programs may be writing there, too. */
void
usage_refuse(const char *what, const char *text, const char *why)
{
	static char line[8192];
	/* However long TEXT is, there is room for WHY. */
	struct text out = text_in(line, sizeof line - 1024);

	text_join(&out, program.name, ": ");
	text_printable(&out, what);
	if (text != NULL) {
		text_add(&out, ": ");
		text_printable(&out, *text != '\0' ? text : "''");
	}
	out.size = sizeof line;
	if (why != NULL) {
		text_add(&out, ": ");
		text_printable(&out, why);
	}
	annotation_defuse(line);
	text_byte(&out, '\n');
	fputs(line, stderr);
	exit(STATUS_ERROR);
}

void
option_refuse(enum option_id id, const char *text, const char *why)
{
	usage_refuse(JOINED(64, "--", option_table[id].name), text, why);
}

void *
usage_allocate(const char *option, size_t count, size_t size)
{
	void *room = calloc(count, size);

	if (room == NULL)
		usage_refuse(option, "no memory", strerror(errno));
	return room;
}

void
usage_finish(void)
{
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		usage_refuse("standard output", "write error",
		    errno != 0 ? strerror(errno)
		               : "the text could not be written");
	exit(EXIT_SUCCESS);
}

/* --- --help --- */

/* Prints "  -o, --hold[=WHAT]"; returns its width in columns. */
static int
print_names(const struct option_row *row)
{
	const char letter[] = { '-', row->letter, ',', '\0' };
	const char *argument = row->argument;

	return printf("  %3s --%s%s%s", row->letter != 0 ? letter : "",
	    row->name,
	    *argument == '['        ? "[="
	        : *argument != '\0' ? "="
	                            : "",
	    argument + (*argument == '['));
}

/* Prints the row; BRIEF leaves out what its help says after a semicolon. */
static void
print_option(const struct option_row *row, int width, bool brief)
{
	struct text help = TEXT_OF(256);
	const char *rest = row->help, *percent = strstr(rest, "%)");
	int from
	    = width - TEXT_COLUMN >= LEAST_TEXT ? TEXT_COLUMN : NARROW_COLUMN;
	int column = print_names(row);

	if (column > from - 1) {
		putchar('\n');
		column = 0;
	}
	/* "(%)" stands for this program's default. */
	if (percent != NULL) {
		text_part(&help, rest, (size_t)(percent - rest));
		text_add(&help,
		    program.attempts == INT64_MAX ? "inf"
		                                  : NUMBER(program.attempts));
		rest = percent + 1;
	}
	text_add(&help, rest);
	if (brief)
		help.data[length_before(help.data, ';')] = '\0';
	terminal_wrapped(
	    help.data, column + printf("%*s", from - column, ""), from, width);
}

/* Prints lines that start with a blank as they are, others as paragraphs. */
static void
print_lines(const char *lines, int width)
{
	char line[512];

	while (*lines != '\0') {
		int length = (int)length_before(lines, '\n');

		snprintf(line, sizeof line, "%.*s", length, lines);
		if (*line == ' ')
			puts(line);
		else
			terminal_wrapped(line, 0, 0, width);
		lines += length + (lines[length] == '\n');
	}
}

void
help_brief(void)
{
	static const enum option_id usual[] = {
		OPT_ATTEMPTS,
		OPT_TIMEOUT,
		OPT_DEADLINE,
		OPT_DELAYS,
		OPT_RETRY_ON,
		OPT_STOP_ON,
		OPT_SUCCESS_IF,
		OPT_TOOL,
		OPT_RETRY_AFTER,
		OPT_HOLD,
		OPT_QUIET_SUCCESS,
		OPT_GATE,
		OPT_PLAN,
	};
	int width = terminal_text_width();

	print_lines(program.synopsis, width);
	putchar('\n');
	for (size_t i = 0; i < ARRAY_LENGTH(usual); i++)
		print_option(&option_table[usual[i]], width, true);
	print_lines(program.brief, width);
	usage_finish();
}

void
help_all(void)
{
	int width = terminal_text_width();
	const char *title = NULL; /* of a group of which nothing is printed */

	print_lines(program.synopsis, width);
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_table[id];

		if (row->name[0] == '\0')
			title = row->help;
		if (!option_is_ours((enum option_id)id))
			continue;
		if (title != NULL)
			printf("\n%s:\n", title);
		title = NULL;
		print_option(row, width, false);
	}
	print_lines(program.notes, width);
	usage_finish();
}

/* --- lists --- */

static void
print_indented(const char *text)
{
	terminal_wrapped(text, printf("    "), 8, terminal_text_width());
}

/* The options have lines of their own, so that they can be copied. */
void
list_presets(void)
{
	const struct preset *preset = known_presets;

	for (; preset->name != 0; preset++) {
		printf("%s%s\n", known_text(preset->name),
		    preset->approximate ? " (approximate)" : "");
		print_indented(known_text(preset->options));
		if (preset->fields != 0)
			print_indented(
			    JOINED(320, "and ", known_text(preset->fields)));
		print_indented(known_text(preset->source));
		if (preset->note != 0)
			print_indented(
			    JOINED(320, "(", known_text(preset->note), ")"));
	}
	usage_finish();
}

void
list_tools(void)
{
	const struct tool *tool = known_tools;
	int width = terminal_text_width();

	for (; tool->name != 0; tool++) {
		terminal_wrapped(JOINED(320, known_text(tool->name), " ",
		                     known_text(tool->aliases)),
		    0, 8, width);
		print_indented(known_text(tool->source));
	}
	/* Indented, because the names of tools are not. */
	puts("\n  --tool=NAME --plan prints the table of a tool.");
	usage_finish();
}

/* The loop's verdict on exit STATUS if the tool advises this one. */
static enum verdict
judge(const struct rules *rules, int status, enum verdict advice)
{
	const struct outcome outcome = {
		.kind = OUTCOME_EXITED,
		.status = status,
		.evidence.tool.verdict = advice,
	};

	return verdict_of(rules, &outcome).verdict;
}

/* Prints a row of the tool; several if the user's rules split its codes. */
static void
print_row(
    const struct rules *rules, const struct tool_row *row, const char *meaning)
{
	int low = row->low;

	while (low <= row->high) {
		enum verdict verdict = judge(rules, low, row->verdict);
		int high = low;
		char codes[16];

		while (high < row->high
		    && judge(rules, high + 1, row->verdict) == verdict)
			high++;
		snprintf(codes, sizeof codes, low == high ? "%d" : "%d-%d", low,
		    high);
		printf(
		    "%9s  %-8s  %s\n", codes, verdict_name(verdict), meaning);
		if (row->regex != 0)
			printf("%22s%s\n", "", known_text(row->regex));
		low = high + 1;
	}
}

/* The codes without a row: first the exceptions, then what most of them get. */
static void
print_undocumented(const struct rules *rules, const struct tool *tool)
{
	int counts[VERDICTS] = { 0 };
	enum verdict usual = VERDICT_NONE;
	struct tool_row row = { .verdict = VERDICT_NONE };

	for (int status = 1; status < EXIT_CODES; status++)
		if (tool_code(tool, status) == NULL)
			counts[judge(rules, status, VERDICT_NONE)]++;
	for (int verdict = 0; verdict < VERDICTS; verdict++)
		if (counts[verdict] > counts[usual])
			usual = (enum verdict)verdict;
	for (int status = 1; status < EXIT_CODES; status++) {
		row.low = row.high = (uint8_t)status;
		if (tool_code(tool, status) == NULL
		    && judge(rules, status, VERDICT_NONE) != usual)
			print_row(rules, &row, "not documented");
	}
	if (counts[usual] > 0)
		printf(
		    "   others  %-8s  not documented\n", verdict_name(usual));
}

static void
print_messages(const struct rules *rules, const struct tool *tool)
{
	for (int i = tool->messages; i < tool->end; i++) {
		const struct tool_row *row = &known_rows[i];

		if (i == tool->messages || row->on_stdout != row[-1].on_stdout)
			printf("\n     exit  verdict   if a line on %s "
			       "matches\n",
			    row->on_stdout ? "stdout" : "stderr");
		print_row(rules, row, known_text(row->meaning));
	}
}

void
list_tool(const struct tool *tool, const struct rules *rules)
{
	const struct tool_row zero = { .verdict = VERDICT_NONE };

	printf("%s: %s\n\n", known_text(tool->name), known_text(tool->source));
	puts("     exit  verdict   meaning");
	print_row(rules, &zero,
	    judge(rules, 0, VERDICT_NONE) == VERDICT_SUCCESS ? "success"
	                                                     : "exit 0");
	for (int i = tool->codes; i < tool->messages; i++)
		print_row(
		    rules, &known_rows[i], known_text(known_rows[i].meaning));
	print_undocumented(rules, tool);
	print_messages(rules, tool);
	if (*known_text(tool->warning) != '\0')
		printf("\nBeware: %s.\n", known_text(tool->warning));
	if (tool->headers != 0)
		printf(
		    "\nFor --retry-after: %s\n", known_text(tool->no_headers));
}
