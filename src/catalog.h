/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CATALOG_H
#define BACKOFF_CATALOG_H
/*
 * What we know, printed: presets, tools, and the table of a tool.
 */

#include "tools.h"

/* To stdout; exit with 0, or with 125 where that could not be written. */
_Noreturn void catalog_presets(void);
_Noreturn void catalog_tools(void);

/* The table of one, to stdout. */
void catalog_tool(const struct tool *tool);

#endif
