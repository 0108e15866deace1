/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_FILE_NEWS_H
#define BACKOFF_SYSTEM_FILE_NEWS_H
/*
 * What others do with a file.
 */

#include <stdbool.h>

/*
 * A descriptor, closed on exec, that can be read when FD's file is written to;
 * < 0: there is none.
 */
int file_news_watch(int fd);

/*
 * Whether anybody can write to FD's file, FD being open for reading only; true
 * also where nobody knows.
 */
bool file_has_writers(int fd);

#endif
