/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_LIST_KNOWN_H
#define BACKOFF_OPTIONS_LIST_KNOWN_H
/*
 * Prints what backoff knows: presets, tools, and the table of a tool.
 */

#include "core/judge/verdict.h"
#include "core/known/tools.h"

/* Print to stdout; exit with 0, or with 125 if that could not be written. */
_Noreturn void list_presets(void);
_Noreturn void list_tools(void);

/* Prints the table of one tool to stdout. */
void list_tool(const struct tool *tool, const struct rules *rules);

#endif
