/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SLEEP_H
#define BACKOFF_PROCESS_SLEEP_H
/*
 * The pause itself.
 */

#include <stdint.h>

/*
 * Sleeps until then, or until one of HUP INT QUIT TERM or the wake signal
 * arrives, also one that is pending already. Returns that signal, or 0.
 */
int sleep_until_told(int64_t until_ns);

#endif
