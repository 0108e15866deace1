/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_COPY_H
#define BACKOFF_STREAMS_COPY_H
/*
 * Whole files to a descriptor that others use too: it may be slow, full,
 * non-blocking, or opened for appending.
 */

#include <stdbool.h>
#include <sys/types.h>

/* The first SIZE bytes of FILE. False: errno tells why not. */
bool copy_file(int to, int file, off_t size);

#endif
