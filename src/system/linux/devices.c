/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "core/base/array.h"
#include "system/devices.h"

#define MEMORY_MAJOR 1

bool
device_is_memory(const struct stat *device)
{
	return S_ISCHR(device->st_mode)
	    && major(device->st_rdev) == MEMORY_MAJOR;
}

bool
device_is_ptmx(const struct stat *device)
{
	return S_ISCHR(device->st_mode) && device->st_rdev == makedev(5, 2);
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
	static const uint32_t magics[] = {
		0x00006969, /* NFS */
		0x0000517b, /* SMB */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x01021997, /* 9P */
		0x73757245, /* Coda */
		0x5346414f, 0x6b414653, /* AFS */
		0x00c36400, /* Ceph */
		0x0bd00bd0, /* Lustre */
		0x47504653, /* GPFS */
		0x7461636f, /* OCFS2 */
		0x01161970, /* GFS2 */
	};
	struct statfs stat;

	if (fstatfs(fd, &stat) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(magics); i++)
		if ((uint32_t)stat.f_type == magics[i])
			return true;
	return false;
}
