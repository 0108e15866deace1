/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CATALOG_H
#define BACKOFF_CATALOG_H
/*
 * What we know, printed: presets, tools, and the table of a tool.
 */

/* To stdout; exit with 0, or with 125 where that could not be written. */
_Noreturn void catalog_presets(void);

#endif
