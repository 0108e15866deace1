/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "log/log.h"
#include "shared/state_dir.h"
#include "system/system.h"

/* A choice that was made for us may be passed over for the next one. */
struct choice {
	const char *parent; /* NULL: there is no such choice */
	const char *child; /* below it, or "" */
	bool by_user; /* who would wonder about another one */
	bool of_all; /* anybody may have made it: no link is followed */
	bool of_home; /* it has to be our own user's home */
};

static bool
fail(struct state_dir *dir, const char *why)
{
	text_copy(dir->why, sizeof dir->why, why);
	fd_close(&dir->fd);
	return false;
}

/* Makes PATH, as mkdir(1) does with -p. */
static bool
make_all(char *path)
{
	for (char *at = path + 1; *at != '\0'; at++)
		if (*at == '/') {
			*at = '\0';
			mkdir(path, 0700);
			*at = '/';
		}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* For us alone, whatever the umask is. False: errno tells why not. */
static bool
make(const char *path)
{
	char copy[PATH_MAX];
	mode_t mask = umask(0);
	bool is_made;

	text_copy(copy, sizeof copy, path);
	is_made = make_all(copy);
	umask(mask);
	return is_made;
}

/*
 * Whose files may decide for us: our own, where nobody else may make one; or
 * those of a group to which a setgid directory was given for that. Where nobody
 * asked for it, somebody else may have made such a one for a group of ours.
 */
static bool
check(struct state_dir *dir, const struct choice *choice)
{
	struct stat stat;

	if (fstat(dir->fd, &stat) != 0)
		return fail(dir, strerror(errno));
	if (device_is_network(dir->fd)) {
		errno = EREMOTE;
		return fail(dir, "a network file system");
	}
	errno = 0;
	dir->device = stat.st_dev;
	dir->inode = stat.st_ino;
	dir->group = stat.st_gid;
	dir->is_shared = (stat.st_mode & S_ISGID) != 0;
	if ((stat.st_mode & S_IWOTH) != 0)
		return fail(dir, "others may write there");
	if (dir->is_shared && (choice->by_user || stat.st_uid == geteuid()))
		return true;
	if (!dir->is_shared && (stat.st_mode & S_IWGRP) != 0)
		return fail(dir, "its group may write there, without setgid");
	if (stat.st_uid != geteuid())
		return fail(dir, "owned by another user");
	return true;
}

/* The owner of PATH, or of what it would be made in. */
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

/* No symbolic link on the way is another user's, but root's may be there. */
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

/* As with sudo, where root has the HOME of a user, who may decide nothing. */
static bool
check_home(struct state_dir *dir, const struct choice *choice)
{
	const char *home = getenv("HOME"), *why = NULL;

	if (!is_ours(choice->parent)
	    || (home != NULL && home[0] == '/' && !is_ours(home)))
		why = "HOME is of another user";
	else if (has_foreign_link(dir->path))
		why = "a symbolic link of another user leads there";
	errno = 0;
	return why == NULL || fail(dir, why);
}

/* errno is EREMOTE for a file system of a network. */
static bool
try(struct state_dir *dir, const struct choice *choice, bool to_be_made)
{
	struct text path = text_in(dir->path, sizeof dir->path);
	int flags = choice->of_all ? O_NOFOLLOW : 0;

	text_join(&path, choice->parent, choice->child);
	if (strlen(choice->parent) + strlen(choice->child) >= sizeof dir->path)
		return fail(dir, strerror(ENAMETOOLONG));
	if (choice->of_home && !check_home(dir, choice))
		return false;
	dir->fd = descriptor_of_directory(dir->path, flags);
	if (dir->fd < 0 && errno == ENOENT && to_be_made && make(dir->path))
		dir->fd = descriptor_of_directory(dir->path, flags);
	dir->fd = fd_out_of_the_way(dir->fd);
	if (dir->fd < 0)
		return fail(dir, strerror(errno));
	return check(dir, choice);
}

/* The value of a variable that holds one path. */
static const char *
variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The first path of $STATE_DIRECTORY, in which they are parted by colons. */
static const char *
first_of_service(void)
{
	static char first[PATH_MAX];
	const char *all = variable("STATE_DIRECTORY");
	size_t length = all != NULL ? strcspn(all, ":") : 0;

	if (length == 0 || length >= sizeof first)
		return NULL;
	memcpy(first, all, length);
	first[length] = '\0';
	return first;
}

/* A relative path there is to be ignored, says the specification of XDG. */
static struct choice
of_home(void)
{
	const char *state = variable("XDG_STATE_HOME");
	const char *home = variable("HOME");

	if (state != NULL && state[0] == '/')
		return (struct choice) {
			.parent = state, .child = "/backoff", .of_home = true
		};
	if (home != NULL && home[0] == '/')
		return (struct choice) { .parent = home,
			.child = "/.local/state/backoff",
			.of_home = true };
	return (struct choice) { .parent = NULL };
}

/* Opens the first choice that there is, or with TO_BE_MADE, that can be. */
static bool
choose(struct state_dir *dir, const char *asked, bool to_be_made)
{
	const struct choice choices[] = {
		{ .parent = asked, .child = "", .by_user = true },
		{ .parent = variable("BACKOFF_STATE_DIR"),
		    .child = "",
		    .by_user = true },
		{ .parent = first_of_service(), .child = "", .by_user = true },
		{ .parent = geteuid() == 0 ? "/var/lib/backoff" : NULL,
		    .child = "" },
		of_home(),
		{ .parent = "/var/tmp/backoff-",
		    .child = NUMBER(geteuid()),
		    .of_all = true },
	};

	dir->fd = -1;
	for (size_t i = 0; i < ARRAY_LENGTH(choices); i++) {
		bool is_last = i + 1 == ARRAY_LENGTH(choices);

		if (choices[i].parent == NULL)
			continue;
		if (try(dir, &choices[i], to_be_made))
			return true;
		if (is_last || (choices[i].by_user && errno != EREMOTE))
			break;
		if (to_be_made)
			log_news(WEIGHT_DETAIL,
			    JOINED(PATH_MAX + WHY_SIZE + 64, "state directory ",
			        dir->path, " passed over: ", dir->why),
			    NULL, NULL);
	}
	return false;
}

bool
state_dir_open(struct state_dir *dir, const char *asked)
{
	return choose(dir, asked, true);
}

enum state_dir_found
state_dir_look(struct state_dir *dir, const char *asked)
{
	if (choose(dir, asked, false))
		return STATE_DIR_FOUND;
	return errno == ENOENT ? STATE_DIR_MISSING : STATE_DIR_UNUSABLE;
}
