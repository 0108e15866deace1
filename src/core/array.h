/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_ARRAY_H
#define BACKOFF_CORE_ARRAY_H

/* How many elements an array has; never of a pointer. */
#define ARRAY_LENGTH(array) (sizeof(array) / sizeof *(array))

#endif
