/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_ANCESTORS_H
#define BACKOFF_SHARED_ANCESTORS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether the process PID has started us, or who did, and so on. Where /proc
 * is not to be read only our parent is known.
 */
bool is_ancestor(pid_t pid);

#endif
