/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_JSON_KEY_H
#define BACKOFF_CORE_WAITS_JSON_KEY_H
/*
 * Keys of JSON whose values state a wait, anywhere in a line, which need not
 * be valid JSON.
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/waits/when.h"

/*
 * Reads the value of the key that begins at WORD, behind its quote. False: it
 * is none of waits.def, or the value is no WHEN.
 */
bool json_key_read(const char *word, struct when *when);

#endif
