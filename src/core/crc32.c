/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/crc32.h"

uint32_t
crc32(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint32_t crc = UINT32_MAX;

	/* Bit by bit: a table would cost more than the few bytes there are. */
	for (; size > 0; size--) {
		crc ^= *at++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}
