/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "shared/fleet_identity.h"
#include "shared/shared_state.h"

/* The linters do not know where we are installed. */
#ifndef LIBEXECDIR
#define LIBEXECDIR "/usr/local/libexec"
#endif

/* Beside our own binary, or where it was to be installed. */
const char *
fleet_helper_path(void)
{
	static char helper[PATH_MAX];
	const char *told = getenv("BACKOFF_FLEET_HELPER");
	struct text path = text_in(helper, sizeof helper);
	char self[PATH_MAX] = "", *slash;

	if (told != NULL && told[0] != '\0') {
		text_add(&path, told);
		return helper;
	}
	if (readlink("/proc/self/exe", self, sizeof self - 1) > 0
	    && (slash = strrchr(self, '/')) != NULL) {
		*slash = '\0';
		text_add(&path, self);
		text_add(&path, "/backoff-fleet");
		if (access(helper, X_OK) == 0)
			return helper;
	}
	path = text_in(helper, sizeof helper);
	text_add(&path, LIBEXECDIR "/backoff-fleet");
	return helper;
}

/* Of this machine, or where that is not known, of this boot. */
int64_t
fleet_machine(void)
{
	const struct state_dir *dir = shared_state_dir();
	uint64_t parts[3] = { boot_hash() };

	if (dir->fd >= 0) {
		parts[1] = (uint64_t)dir->device;
		parts[2] = (uint64_t)dir->inode;
	}
	return (int64_t)(hash_of((const char *)parts, sizeof parts) >> 1);
}
