/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_WORLD_H
#define BACKOFF_WORLD_H
/*
 * The real world of the loop: this process, its children, its clock.
 */

#include "core/loop.h"
#include "options/option_types.h"

/* JOB must outlive the world. */
struct world world_of(struct job *job);

#endif
