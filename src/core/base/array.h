/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_ARRAY_H
#define BACKOFF_CORE_BASE_ARRAY_H

/* The number of elements of an array; wrong for a pointer. */
#define ARRAY_LENGTH(array) (sizeof(array) / sizeof *(array))

#endif
