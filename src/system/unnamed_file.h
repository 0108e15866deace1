/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_UNNAMED_FILE_H
#define BACKOFF_SYSTEM_UNNAMED_FILE_H
/*
 * Files that no directory has, for reading and writing, closed on exec.
 */

#include <stddef.h>

/*
 * Opens one on the disk of DIRECTORY, with FLAGS (0 or O_APPEND); it vanishes
 * when nobody has it open any more. < 0: errno; EOPNOTSUPP or EISDIR: there are
 * none, on this system or that disk.
 */
int unnamed_file_open(const char *directory, int flags);

/* The same in memory, for one that has a name: see below. */
int unnamed_file_in_memory(void);

/* Puts into PATH by what name others can open that, which is in its number. */
void unnamed_file_name(int fd, char *path, size_t size);

#endif
