/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_NEW_PROCESS_H
#define BACKOFF_SYSTEM_NEW_PROCESS_H

#include <sys/types.h>

/*
 * Starts a process that calls BECOME with WHAT, which is to end in exec(3); if
 * it returns, errno tells why. In some systems it shares our memory, so it must
 * not change what we keep. Returns the pid; -1: nothing was started, and errno
 * is that of fork or exec.
 */
pid_t new_process(void (*become)(const void *what), const void *what);

#endif
