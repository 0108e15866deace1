/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_TOLD_H
#define BACKOFF_PROCESS_TOLD_H
/*
 * What ends a wait before its time: HUP, INT, QUIT, TERM or the wake signal.
 * One wait at a time.
 */

#include <stdbool.h>

/* Nothing has been told. */
void told_reset(void);

/* For the wait's handler; what ends backoff goes before what wakes it. */
void told_by(int signal);

/* The wait is to be left. */
bool told_anything(void);

/* The signal, or 0. */
int told_what(void);

#endif
