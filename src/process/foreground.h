/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_FOREGROUND_H
#define BACKOFF_PROCESS_FOREGROUND_H

#include <stdbool.h>

/*
 * Stderr is our controlling terminal, and we are in the job that somebody looks
 * at there. Who is in the background leaves the screen to others.
 */
bool is_in_foreground(void);

#endif
