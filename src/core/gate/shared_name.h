/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_SHARED_NAME_H
#define BACKOFF_CORE_GATE_SHARED_NAME_H
/*
 * The NAME by which runs know each other; it is the name of a file too.
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"

#define SHARED_NAME_SIZE 65 /* of the longest, with its terminator */

/*
 * The length of the NAME that TEXT begins with:
 * [A-Za-z0-9_][A-Za-z0-9._-]*, 1 to 64 bytes, but not "list". 0: it begins
 * with none.
 */
size_t shared_name_scan(const char *text);

/* Before the NAME of what machines share. */
#define FLEET_PREFIX "fleet:"
#define FLEET_NAME_SIZE (SHARED_NAME_SIZE + sizeof FLEET_PREFIX - 1)

/* NAME as it was given: with its prefix, if it is a fleet's. */
void shared_name_add(struct text *text, const char *name, bool is_fleet);

#endif
