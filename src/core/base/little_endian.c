/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/little_endian.h"

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
