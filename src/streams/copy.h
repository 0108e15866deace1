/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_COPY_H
#define BACKOFF_STREAMS_COPY_H
/*
 * Whole files to a descriptor that others use too: it may be slow, full,
 * non-blocking, or opened for appending.
 */

#include <stdint.h>
#include <sys/types.h>

#include "streams/outlet.h"

/* The first SIZE bytes of FILE; room is waited for as by outlet_put(). */
enum written copy_file(int to, int file, off_t size, int64_t until_ns);

#endif
