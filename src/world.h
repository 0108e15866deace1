/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_WORLD_H
#define BACKOFF_WORLD_H
/*
 * The loop's port to the real world: this process, its children, its clock.
 */

#include <stdbool.h>

#include "core/loop/loop.h"
#include "types/option_types.h"

/*
 * Opens what the hooks of JOB need, before anything is spawned. Returns
 * false, with errno set, if /dev/null cannot be opened.
 */
bool world_start(const struct job *job);

/* OPTIONS must outlive the world. */
struct world world_of(struct options *options);

#endif
