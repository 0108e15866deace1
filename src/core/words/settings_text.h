/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SETTINGS_TEXT_H
#define BACKOFF_CORE_SETTINGS_TEXT_H
/*
 * The settings in force, for --verbose: the limit on attempts, the first
 * windows, cap and floor; then everything that is not the default, under the
 * names of the options.
 */

#include "core/settings.h"
#include "core/text.h"

void settings_text(struct text *text, const struct settings *settings);

#endif
