/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_DESCRIPTORS_H
#define BACKOFF_SYSTEM_DESCRIPTORS_H
/*
 * How descriptors are made, and what they stand for. Those that are made here
 * are closed on exec.
 */

#include <stdbool.h>

enum descriptors_same {
	DESCRIPTORS_UNKNOWN, /* the system does not tell */
	DESCRIPTORS_SAME,
	DESCRIPTORS_DIFFER,
};

/* Whether both are one open file description, and so share one offset. */
enum descriptors_same descriptors_compare(int a, int b);

/* Opens FD's file again, with FLAGS, as another description; < 0: errno. */
int descriptor_open_again(int fd, int flags);

/* Whether FD, of those flags (F_GETFL), only stands for a place. */
bool descriptor_is_place(int flags);

/*
 * Opens a directory to look up files in it; FLAGS: 0 or O_NOFOLLOW. Where the
 * system can, also one that may not be listed. < 0: errno.
 */
int descriptor_of_directory(const char *path, int flags);

/* pipe(2). */
bool descriptors_pipe(int ends[2]);

/* A stream socket that does not block; < 0: errno. */
int descriptor_of_stream(int family);

/* Closes all from FIRST on. False: not in one call. */
bool descriptors_close_from(int first);

#endif
