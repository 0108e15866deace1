/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/hash.h"

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
