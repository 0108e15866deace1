/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_POSIX_SIGNAL_SENDER_H
#define BACKOFF_SYSTEM_POSIX_SIGNAL_SENDER_H

#include <signal.h>
#include <stdbool.h>

/* Whether a process has sent it, and not the system, for a key for example. */
bool signal_is_by_process(const siginfo_t *info);

#endif
