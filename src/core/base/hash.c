/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/hash.h"

uint64_t
hash_of(const char *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i])
		    * UINT64_C(0x100000001b3);
	return hash;
}
