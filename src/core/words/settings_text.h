/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_SETTINGS_TEXT_H
#define BACKOFF_CORE_WORDS_SETTINGS_TEXT_H
/*
 * The settings in force, for --verbose: the limit on attempts, the first
 * windows, cap and floor; then everything that is not the default, under the
 * names of the options.
 */

#include "core/base/text.h"
#include "core/loop/settings.h"

void settings_text(struct text *text, const struct settings *settings);

#endif
