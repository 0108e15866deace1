/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "log/log.h"
#include "shared/state_dir.h"
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

struct choice {
	const char *parent; /* NULL: there is no such choice */
	const char *child; /* below it, or "" */
	enum origin origin;
};

static struct state_dir dir; /* all zero: no bytes of it in the binary */
static const char *asked; /* --state-dir, or NULL */
static bool is_tried; /* to open it */

void
state_dir_start(const char *where)
{
	asked = where;
	dir.fd = -1;
}

const struct state_dir *
state_dir(void)
{
	return &dir;
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

	for (char *at = path + 1; *at != '\0'; at++)
		if (*at == '/') {
			*at = '\0';
			mkdir(path, 0700);
			*at = '/';
		}
	is_made = mkdir(path, 0700) == 0 || errno == EEXIST;
	umask(mask);
	return is_made;
}

/*
 * Only two kinds of files may decide for us: our own, in a directory where
 * nobody else may make one, and those of a group, in a setgid directory. Such a
 * directory of another user counts only if our user has named it.
 */
static bool
check(enum origin origin)
{
	struct stat stat;

	if (fstat(dir.fd, &stat) != 0)
		return fail(errno, NULL);
	if (device_is_network(dir.fd))
		return fail(EREMOTE, "a network file system");
	dir.device = stat.st_dev;
	dir.inode = stat.st_ino;
	dir.group = stat.st_gid;
	dir.is_shared = (stat.st_mode & S_ISGID) != 0;
	if ((stat.st_mode & S_IWOTH) != 0)
		return fail(0, "writable by others");
	if (!dir.is_shared && (stat.st_mode & S_IWGRP) != 0)
		return fail(0, "group-writable without setgid");
	if (stat.st_uid != geteuid() && !(dir.is_shared && origin == BY_USER))
		return fail(0, "owned by another user");
	return true;
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
	char copy[PATH_MAX];
	struct text text = text_in(copy, sizeof copy);
	struct stat stat_of;

	text_join(&text, path, "/");
	for (char *at = copy + 1; *at != '\0'; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (lstat(copy, &stat_of) == 0 && S_ISLNK(stat_of.st_mode)
		    && stat_of.st_uid != geteuid() && stat_of.st_uid != 0)
			return true;
		*at = '/';
	}
	return false;
}

/* The value of a variable, if that is not empty. */
static const char *
variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* A relative path there is to be ignored, says the specification of XDG. */
static const char *
absolute(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] == '/' ? value : NULL;
}

static bool
try(const struct choice *choice, bool to_be_made)
{
	struct text path = text_in(dir.path, sizeof dir.path);
	int flags = choice->origin == OF_ALL ? O_NOFOLLOW : 0;
	const char *home = absolute("HOME");

	text_join(&path, choice->parent, choice->child);
	if (strlen(choice->parent) + strlen(choice->child) >= sizeof dir.path)
		return fail(ENAMETOOLONG, NULL);
	/* With sudo, root may have the HOME of a user, who decides nothing. */
	if (choice->origin == OF_HOME
	    && (!is_ours(choice->parent) || (home != NULL && !is_ours(home))))
		return fail(0, "HOME belongs to another user");
	if (choice->origin == OF_HOME && has_foreign_link(dir.path))
		return fail(0, "behind a symbolic link of another user");
	dir.fd = descriptor_of_directory(dir.path, flags);
	if (dir.fd < 0 && errno == ENOENT && to_be_made && make(dir.path))
		dir.fd = descriptor_of_directory(dir.path, flags);
	dir.fd = fd_out_of_the_way(dir.fd);
	return dir.fd < 0 ? fail(errno, NULL) : check(choice->origin);
}

/* The first path of $STATE_DIRECTORY, in which they are parted by colons. */
static const char *
first_of_service(void)
{
	static char first[PATH_MAX];
	const char *all = variable("STATE_DIRECTORY");
	size_t length = all != NULL ? length_before(all, ':') : 0;

	if (length == 0 || length >= sizeof first)
		return NULL;
	memcpy(first, all, length);
	first[length] = '\0';
	return first;
}

bool
state_dir_open(bool to_be_made)
{
	const char *xdg = absolute("XDG_STATE_HOME");
	const struct choice choices[] = {
		{ asked, "", BY_USER },
		{ variable("BACKOFF_STATE_DIR"), "", BY_USER },
		{ first_of_service(), "", BY_USER },
		{ geteuid() == 0 ? "/var/lib/backoff" : NULL, "", BY_DEFAULT },
		{ xdg != NULL ? xdg : absolute("HOME"),
		    xdg != NULL ? "/backoff" : "/.local/state/backoff",
		    OF_HOME },
		{ "/var/tmp/backoff-", NUMBER(geteuid()), OF_ALL },
	};

	if (is_tried)
		return dir.fd >= 0;
	is_tried = true;
	for (size_t i = 0; i < ARRAY_LENGTH(choices); i++) {
		const struct choice *choice = &choices[i];

		if (choice->parent == NULL)
			continue;
		if (try(choice, to_be_made))
			return true;
		if (choice->origin == OF_ALL
		    || (choice->origin == BY_USER && dir.error != EREMOTE))
			break;
		if (to_be_made)
			log_shared(WEIGHT_DETAIL,
			    JOINED(PATH_MAX + WHY_SIZE + 64, "state directory ",
			        dir.path, " passed over: ", dir.why),
			    NULL, NULL);
	}
	return false;
}
