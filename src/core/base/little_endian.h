/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_LITTLE_ENDIAN_H
#define BACKOFF_CORE_BASE_LITTLE_ENDIAN_H
/*
 * Numbers in files: little-endian, whoever reads them. SIZE is in bytes, 1
 * to 8.
 */

#include <stdint.h>

uint64_t little_endian_get(const uint8_t *bytes, int size);
void little_endian_put(uint8_t *bytes, int size, uint64_t number);

#endif
