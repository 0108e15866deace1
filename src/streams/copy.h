/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_COPY_H
#define BACKOFF_STREAMS_COPY_H
/*
 * Copies whole files to a descriptor that others use too: it may be slow,
 * full, non-blocking, or opened for appending.
 */

#include <stdint.h>
#include <sys/types.h>

#include "streams/outlet.h"

/* Whether FILE, of SIZE bytes, is empty or its last line has its newline. */
bool ends_line(int file, off_t size);

/* Copies the first SIZE bytes of FILE; waits for room as outlet_put() does. */
enum written copy_file(int to, int file, off_t size, int64_t until_ns);

#endif
