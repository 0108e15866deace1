/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <unistd.h>

#include "system/devices.h"

bool
device_is_memory(const struct stat *device)
{
	struct stat null;

	return S_ISCHR(device->st_mode) && stat("/dev/null", &null) == 0
	    && device->st_rdev == null.st_rdev;
}

bool
device_is_ptmx(const struct stat *device)
{
	(void)device;
	return false;
}

int
device_columns(int fd)
{
	return isatty(fd) ? 0 : -1;
}

bool
device_is_network(int fd)
{
	(void)fd;
	return false;
}
