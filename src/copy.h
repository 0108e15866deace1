/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_COPY_H
#define BACKOFF_COPY_H
/*
 * Whole files and whole buffers to a descriptor that others use too: it may
 * be slow, full, non-blocking, or opened for appending.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All of BYTES. False: errno tells why not. */
bool copy_bytes(int to, const char *bytes, size_t count);

/* The first SIZE bytes of FILE. False: errno tells why not. */
bool copy_file(int to, int file, off_t size);

#endif
