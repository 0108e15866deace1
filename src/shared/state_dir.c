/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"
#include "shared/shared.h"
#include "system/system.h"

/*
 * If the user's choice cannot be used, no other is looked for, unless it is on
 * a network file system. The others may be passed over for the next one.
 */
enum origin {
	BY_USER, /* who would wonder about another directory */
	BY_DEFAULT,
	OF_HOME, /* it has to be our own user's home */
	OF_ALL, /* anybody may have made it: no link is followed */
};

static struct state_dir dir; /* all zero: no bytes of it in the binary */
const struct state_dir *const state_dir = &dir;
static const char *asked; /* --state-dir, or NULL */
static bool makes; /* the directory, where it is missing */

void
state_dir_start(const char *where)
{
	asked = where;
	dir.fd = -1;
}

/* ERROR is an errno, or 0 with what WHY says. */
static bool
fail(int error, const char *why)
{
	text_copy(dir.why, sizeof dir.why, why != NULL ? why : strerror(error));
	dir.error = error;
	fd_close(&dir.fd);
	return false;
}

/* Makes PATH, as mkdir(1) does with -p, for us alone whatever the umask is. */
static bool
make(char *path)
{
	mode_t mask = umask(0);
	bool is_made;

	for (char *at = path; (at = strchr(at + 1, '/')) != NULL; *at = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	is_made = mkdir(path, 0700) == 0 || errno == EEXIST;
	umask(mask);
	return is_made;
}

/* The owner of PATH, or of what it would be made in, is our user. */
static bool
is_ours(const char *path)
{
	char copy[PATH_MAX], *slash;
	struct stat stat_of;

	text_copy(copy, sizeof copy, path);
	while (stat(copy, &stat_of) != 0) {
		slash = strrchr(copy, '/');
		if (slash == NULL || errno != ENOENT)
			return false;
		slash[slash == copy] = '\0';
	}
	return stat_of.st_uid == geteuid();
}

/* A symbolic link on the way to PATH is neither our user's nor root's. */
static bool
has_foreign_link(const char *path)
{
	struct text copy = TEXT_OF(PATH_MAX);
	char *at = copy.data;
	struct stat stat_of;

	text_join(&copy, path, "/");
	for (; (at = strchr(at + 1, '/')) != NULL; *at = '/') {
		*at = '\0';
		if (lstat(copy.data, &stat_of) == 0 && S_ISLNK(stat_of.st_mode)
		    && stat_of.st_uid != geteuid() && stat_of.st_uid != 0)
			return true;
	}
	return false;
}

/* A relative path there is to be ignored, says the specification of XDG. */
static const char *
absolute(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] == '/' ? value : NULL;
}

/*
 * Only two kinds of files may decide for us: our own, in a directory where
 * nobody else may make one, and those of a group, in a setgid directory. Such a
 * directory of another user counts only if our user has named it.
 */
static bool
try(const char *parent, const char *child, enum origin origin)
{
	struct text path = text_in(dir.path, sizeof dir.path);
	int flags = origin == OF_ALL ? O_NOFOLLOW : 0;
	const char *home = absolute("HOME");

	text_join(&path, parent, child);
	if (strlen(parent) + strlen(child) >= sizeof dir.path)
		return fail(ENAMETOOLONG, NULL);
	/* With sudo, root may have the HOME of a user, who decides nothing. */
	if (origin == OF_HOME
	    && (!is_ours(parent) || (home != NULL && !is_ours(home))))
		return fail(0, "HOME belongs to another user");
	if (origin == OF_HOME && has_foreign_link(dir.path))
		return fail(0, "behind a symbolic link of another user");
	dir.fd = descriptor_of_directory(dir.path, flags);
	if (dir.fd < 0 && errno == ENOENT && makes && make(dir.path))
		dir.fd = descriptor_of_directory(dir.path, flags);
	dir.fd = fd_out_of_the_way(dir.fd);
	if (dir.fd < 0 || fstat(dir.fd, &dir.stat) != 0)
		return fail(errno, NULL);
	if (device_is_network(dir.fd))
		return fail(EREMOTE, "a network file system");
	dir.is_shared = (dir.stat.st_mode & S_ISGID) != 0;
	if ((dir.stat.st_mode & S_IWOTH) != 0)
		return fail(0, "writable by others");
	if (!dir.is_shared && (dir.stat.st_mode & S_IWGRP) != 0)
		return fail(0, "group-writable without setgid");
	if (dir.stat.st_uid != geteuid()
	    && !(dir.is_shared && origin == BY_USER))
		return fail(0, "owned by another user");
	return true;
}

/* Whether the search is over, if there is such a PARENT: see enum origin. */
static bool
look_in(const char *parent, const char *child, enum origin origin)
{
	if (parent == NULL || parent[0] == '\0')
		return false;
	if (try(parent, child, origin) || origin == OF_ALL
	    || (origin == BY_USER && dir.error != EREMOTE))
		return true;
	if (makes)
		log_shared(WEIGHT_DETAIL,
		    JOINED(PATH_MAX + WHY_SIZE + 64, "state directory ",
		        dir.path, " passed over: ", dir.why),
		    NULL, NULL);
	return false;
}

bool
state_dir_open(bool to_be_made)
{
	const char *xdg = absolute("XDG_STATE_HOME");
	const char *all = getenv("STATE_DIRECTORY"); /* parted by colons */
	struct text first = TEXT_OF(PATH_MAX);

	if (dir.path[0] != '\0')
		return dir.fd >= 0;
	makes = to_be_made;
	if (all != NULL)
		text_part(&first, all, length_before(all, ':'));
	return (look_in(asked, "", BY_USER)
	           || look_in(getenv("BACKOFF_STATE_DIR"), "", BY_USER)
	           || look_in(first.data, "", BY_USER)
	           || (geteuid() == 0
	               && look_in("/var/lib/backoff", "", BY_DEFAULT))
	           || (xdg != NULL ? look_in(xdg, "/backoff", OF_HOME)
	                           : look_in(absolute("HOME"),
	                               "/.local/state/backoff", OF_HOME))
	           || look_in("/var/tmp/backoff-", NUMBER(geteuid()), OF_ALL))
	    && dir.fd >= 0;
}
