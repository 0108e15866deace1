/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/bytes.h"

#define POLYNOMIAL UINT32_C(0xedb88320) /* of crc32() */

uint64_t
hash_of(const char *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i])
		    * UINT64_C(0x100000001b3);
	return hash;
}

/* A bit at a time: a record has 200 bytes, and is written after a failure. */
uint32_t
crc32(const uint8_t *bytes, size_t length)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
	}
	return ~crc;
}

uint64_t
little_endian_get(const uint8_t *bytes, int size)
{
	uint64_t number = 0;

	while (size-- > 0)
		number = number << 8 | bytes[size];
	return number;
}

void
little_endian_put(uint8_t *bytes, int size, uint64_t number)
{
	for (int i = 0; i < size; i++, number >>= 8)
		bytes[i] = (uint8_t)number;
}
