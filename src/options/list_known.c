/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <stdio.h>

#include "core/known/headers.h"
#include "core/known/presets.h"
#include "core/known/tools.h"
#include "core/verdict.h"
#include "options/list_known.h"
#include "options/usage.h"
#include "process/terminal.h"

/* "    --base=1s --cap=1m"; what does not fit stands further in. */
static void
print_indented(const char *text)
{
	terminal_wrapped(text, printf("    "), 8, terminal_text_width());
}

/* The options stand apart: to be copied and changed. */
void
list_presets(void)
{
	struct preset preset = { .name = NULL };
	char words[320];

	while (presets_next(&preset)) {
		printf("%s%s\n", preset.name,
		    preset.approximate ? " (approximate)" : "");
		snprintf(words, sizeof words, "%s%s%s", preset.options,
		    *preset.needs != '\0' ? ", needs " : "", preset.needs);
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

/* "  5-7  retry     " */
static void
print_codes(int low, int high, enum verdict verdict)
{
	char codes[16];

	snprintf(codes, sizeof codes, low == high ? "%d" : "%d-%d", low, high);
	printf("%9s  %-8s  ", codes, verdict_name(verdict));
}

void
list_tool(const struct tool *tool)
{
	struct tool_code code;
	struct tool_message message;

	printf("%s: %s\n\n", tool_name(tool), tool_source(tool));
	puts("     exit  verdict   meaning");
	print_codes(0, 0, VERDICT_SUCCESS);
	puts("success");
	for (size_t i = 0; tool_code_at(tool, i, &code); i++) {
		print_codes(code.low, code.high, code.verdict);
		puts(code.meaning);
	}
	puts("   others  retry     not documented");
	if (tool_message_at(tool, 0, &message))
		puts("\n     exit  verdict   where a line on stderr matches");
	for (size_t i = 0; tool_message_at(tool, i, &message); i++) {
		print_codes(message.low, message.high, message.verdict);
		printf("%s\n%22s%s\n", message.meaning, "", message.regex);
	}
	if (*tool_warning(tool) != '\0')
		printf("\nBeware: %s.\n", tool_warning(tool));
	if (headers_options(tool_name(tool)) != NULL)
		printf("\nFor --retry-after it needs\n    %s\n",
		    headers_options(tool_name(tool)));
}
