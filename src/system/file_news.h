/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_FILE_NEWS_H
#define BACKOFF_SYSTEM_FILE_NEWS_H
/*
 * What others do with a file.
 */

#include <stdbool.h>

/*
 * Whether anybody can write to FD's file, FD being open for reading only; true
 * also where nobody knows.
 */
bool file_has_writers(int fd);

#endif
