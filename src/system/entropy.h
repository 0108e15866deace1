/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_ENTROPY_H
#define BACKOFF_SYSTEM_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>

/* Fills BYTES with SIZE random bytes, at most 256. False: errno tells why. */
bool entropy_get(void *bytes, size_t size);

#endif
