/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_CRC32_H
#define BACKOFF_CORE_BASE_CRC32_H
/*
 * The checksum of Ethernet, gzip and zip (ISO 3309, reflected, polynomial
 * 0xedb88320).
 */

#include <stddef.h>
#include <stdint.h>

/* Of "123456789" it is 0xcbf43926. */
uint32_t crc32(const uint8_t *bytes, size_t length);

#endif
