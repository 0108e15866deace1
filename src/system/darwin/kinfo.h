/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_DARWIN_KINFO_H
#define BACKOFF_SYSTEM_DARWIN_KINFO_H

#include <stdbool.h>
#include <sys/sysctl.h>
#include <sys/types.h>

/*
 * What ps(1) has of the process PID, whosever it is; proc_pidinfo(3) tells of
 * the processes of our user alone. False: it is gone.
 */
bool kinfo_read(struct kinfo_proc *info, pid_t pid);

#endif
