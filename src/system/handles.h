/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_HANDLES_H
#define BACKOFF_SYSTEM_HANDLES_H
/*
 * A process that can be signalled and cannot become another, as it could by its
 * process ID, which is used again.
 */

#include <sys/types.h>

/*
 * Opens what stands for the process that has PID now; -1: there are no such
 * handles, or no descriptor for one. handle_close() closes it.
 */
int handle_open(pid_t pid);

/* Sends SIGNAL (0: only tries), by PID if HANDLE is -1; as kill(2). */
int handle_signal(int handle, pid_t pid, int signal);

void handle_close(int handle);

#endif
