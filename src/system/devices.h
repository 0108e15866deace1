/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_DEVICES_H
#define BACKOFF_SYSTEM_DEVICES_H
/*
 * Kinds of devices and file systems, which have numbers of the system's own.
 */

#include <stdbool.h>
#include <sys/stat.h>

/* /dev/null, /dev/full and the like: a write never blocks. */
bool device_is_memory(const struct stat *device);

/* The master of a new terminal: to open it again makes another terminal. */
bool device_is_ptmx(const struct stat *device);

/* The columns of the terminal FD; 0: it does not say; -1: it is none. */
int device_columns(int fd);

/*
 * Whether other machines write to the file system of FD: there neither locks
 * nor writes are seen in time, if at all.
 */
bool device_is_network(int fd);

#endif
