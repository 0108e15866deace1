/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/types.h>

#include "system/devices.h"

/* Whether the driver of the device PATH is that of DEVICE. */
static bool
has_driver_of(const struct stat *device, const char *path)
{
	struct stat named;

	return S_ISCHR(device->st_mode) && stat(path, &named) == 0
	    && major(device->st_rdev) == major(named.st_rdev);
}

bool
device_is_memory(const struct stat *device)
{
	return has_driver_of(device, "/dev/null");
}

/* Each open terminal has a minor number of its own. */
bool
device_is_ptmx(const struct stat *device)
{
	return has_driver_of(device, "/dev/ptmx");
}

int
device_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : -1;
}

bool
device_is_network(int fd)
{
	struct statfs stat;

	return fstatfs(fd, &stat) == 0 && (stat.f_flags & MNT_LOCAL) == 0;
}
