/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_BYTES_H
#define BACKOFF_CORE_BASE_BYTES_H
/*
 * Sums of bytes, and numbers as bytes.
 */

#include <stddef.h>
#include <stdint.h>

/*
 * FNV-1a of 64 bits (Fowler, Noll, Vo): tells apart what differs by chance, but
 * not what somebody chose to collide. Of "a" it is 0xaf63dc4c8601ec8c.
 */
uint64_t hash_of(const char *bytes, size_t size);

/*
 * The checksum of Ethernet, gzip and zip (ISO 3309, reflected, polynomial
 * 0xedb88320). Of "123456789" it is 0xcbf43926.
 */
uint32_t crc32(const uint8_t *bytes, size_t length);

/* Little-endian numbers, whoever reads them. SIZE is in bytes, 1 to 8. */
uint64_t little_endian_get(const uint8_t *bytes, int size);
void little_endian_put(uint8_t *bytes, int size, uint64_t number);

#endif
