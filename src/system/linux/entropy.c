/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <sys/random.h>

#include "system/entropy.h"

bool
entropy_get(void *bytes, size_t size)
{
	return getrandom(bytes, size, 0) == (ssize_t)size;
}
