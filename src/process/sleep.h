/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SLEEP_H
#define BACKOFF_PROCESS_SLEEP_H
/*
 * Sleeps through a pause.
 */

#include <stdint.h>

/*
 * Sleeps until UNTIL_NS, or until HUP, INT, QUIT, TERM or the wake signal
 * arrives; what is already pending counts. Returns that signal, or 0.
 */
int sleep_until_told(int64_t until_ns);

#endif
