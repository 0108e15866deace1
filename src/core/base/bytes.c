/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/bytes.h"

uint64_t
hash_of(const char *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i])
		    * UINT64_C(0x100000001b3);
	return hash;
}

/* Four bits at a time: a look at a gate takes two sums of half a kilobyte. */
uint32_t
crc32(const uint8_t *bytes, size_t length)
{
	static const uint32_t of[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8,
		0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0,
		0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ of[crc & 15];
		crc = crc >> 4 ^ of[crc & 15];
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
