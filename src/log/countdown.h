/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_COUNTDOWN_H
#define BACKOFF_LOG_COUNTDOWN_H
/*
 * A wait that people can watch: below the last line of the log one row, such as
 * "next in 41s", which is drawn again once a second.
 */

#include <stdint.h>

/*
 * Waits until UNTIL_NS, or until a signal that tells backoff to end or the
 * --wake-on signal arrives. Returns that signal, or 0.
 *
 * The row shows WORDS and a time in whole seconds: until UNTIL_NS if SINCE_NS
 * is below 0, else since SINCE_NS of CLOCK_MONOTONIC. It first appears when the
 * time has changed, because the line above already says it, and stays until
 * log_erase_wait() or the next line of the log, so a wait can be continued.
 * NULL for WORDS: there is no row.
 */
int countdown_wait(int64_t until_ns, const char *words, int64_t since_ns);

#endif
