/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_ANCESTORS_H
#define BACKOFF_SHARED_ANCESTORS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether the process PID has started us, or who did, and so on: false only if
 * all of these can be seen.
 */
bool may_be_ancestor(pid_t pid);

#endif
