/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <stdio.h>

#include "core/judge/verdict.h"
#include "core/known/headers.h"
#include "core/known/presets.h"
#include "core/known/tools.h"
#include "options/list_known.h"
#include "options/usage.h"
#include "process/terminal.h"

/* Prints "    --base=1s --cap=1m"; wrapped lines are indented further. */
static void
print_indented(const char *text)
{
	terminal_wrapped(text, printf("    "), 8, terminal_text_width());
}

/* The options have lines of their own, so that they can be copied. */
void
list_presets(void)
{
	struct preset preset = { .name = NULL };
	char words[320];

	while (presets_next(&preset)) {
		printf("%s%s\n", preset.name,
		    preset.approximate ? " (approximate)" : "");
		print_indented(preset.options);
		snprintf(words, sizeof words, "and %s", preset.fields);
		if (*preset.fields != '\0')
			print_indented(words);
		print_indented(preset.source);
		snprintf(words, sizeof words, "(%s)", preset.note);
		if (*preset.note != '\0')
			print_indented(words);
	}
	usage_finish();
}

void
list_tools(void)
{
	const struct tool *tool;
	int width = terminal_text_width();

	for (size_t i = 0; (tool = tool_at(i)) != NULL; i++) {
		int column = printf("%s", tool_name(tool));

		if (*tool_aliases(tool) != '\0')
			column += printf(" ");
		terminal_wrapped(tool_aliases(tool), column, 8, width);
		print_indented(tool_source(tool));
	}
	usage_finish();
}

/* Prints "  5-7  retry     ". */
static void
print_codes(int low, int high, enum verdict verdict)
{
	char codes[16];

	snprintf(codes, sizeof codes, low == high ? "%d" : "%d-%d", low, high);
	printf("%9s  %-8s  ", codes, verdict_name(verdict));
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
print_row(const struct rules *rules, const struct tool_row *row)
{
	int low = row->low;

	while (low <= row->high) {
		enum verdict verdict = judge(rules, low, row->verdict);
		int high = low;

		while (high < row->high
		    && judge(rules, high + 1, row->verdict) == verdict)
			high++;
		print_codes(low, high, verdict);
		puts(row->meaning);
		if (row->regex != NULL)
			printf("%22s%s\n", "", row->regex);
		low = high + 1;
	}
}

/* The codes without a row: first the exceptions, then what most of them get. */
static void
print_undocumented(const struct rules *rules, const struct tool *tool)
{
	int counts[VERDICTS] = { 0 };
	enum verdict usual = VERDICT_NONE;
	struct tool_row row = { .meaning = "not documented" }, code;

	for (int status = 1; status < EXIT_CODES; status++)
		if (!tool_code(tool, status, &code))
			counts[judge(rules, status, VERDICT_NONE)]++;
	for (int verdict = 0; verdict < VERDICTS; verdict++)
		if (counts[verdict] > counts[usual])
			usual = (enum verdict)verdict;
	for (int status = 1; status < EXIT_CODES; status++) {
		row.low = row.high = status;
		if (!tool_code(tool, status, &code)
		    && judge(rules, status, VERDICT_NONE) != usual)
			print_row(rules, &row);
	}
	if (counts[usual] > 0)
		printf(
		    "   others  %-8s  not documented\n", verdict_name(usual));
}

static void
print_messages(const struct rules *rules, const struct tool *tool)
{
	struct tool_row row;
	bool on_stdout = false;

	for (size_t i = 0; tool_message_at(tool, i, &row); i++) {
		if (i == 0 || row.on_stdout != on_stdout)
			printf("\n     exit  verdict   where a line on %s "
			       "matches\n",
			    row.on_stdout ? "stdout" : "stderr");
		on_stdout = row.on_stdout;
		print_row(rules, &row);
	}
}

void
list_tool(const struct tool *tool, const struct rules *rules)
{
	const struct http_client *client = http_client(tool_name(tool));
	struct tool_row row = { .meaning = "success" };

	printf("%s: %s\n\n", tool_name(tool), tool_source(tool));
	puts("     exit  verdict   meaning");
	if (judge(rules, 0, VERDICT_NONE) != VERDICT_SUCCESS)
		row.meaning = "exit 0";
	print_row(rules, &row);
	for (size_t i = 0; tool_code_at(tool, i, &row); i++)
		print_row(rules, &row);
	print_undocumented(rules, tool);
	print_messages(rules, tool);
	if (*tool_warning(tool) != '\0')
		printf("\nBeware: %s.\n", tool_warning(tool));
	if (client != NULL)
		printf("\nFor --retry-after: %s\n", client->prints_none);
}
