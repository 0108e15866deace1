/* SPDX-License-Identifier: MIT */
#include <config.h>

/* Older SDKs have in it what random.h uses. */
#include <unistd.h>

#include <sys/random.h>

#include "system/entropy.h"

bool
entropy_get(void *bytes, size_t size)
{
	return getentropy(bytes, size) == 0;
}
