/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_STATE_DIR_H
#define BACKOFF_SHARED_STATE_DIR_H
/*
 * The directory of what runs share: the first that there is of the one asked
 * for, $BACKOFF_STATE_DIR, the first of $STATE_DIRECTORY,
 * /var/lib/backoff for root, ${XDG_STATE_HOME:-$HOME/.local/state}/backoff,
 * /var/tmp/backoff-UID.
 */

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define WHY_SIZE 128

struct state_dir {
	int fd; /* to look up files in; closed on exec; -1: there is none */
	bool is_shared; /* setgid: its group may read and write the files, */
	gid_t group; /* which belong to this one */
	dev_t device;
	ino_t inode;
	char path[PATH_MAX];
	char why[WHY_SIZE]; /* it cannot be used: "Read-only file system" */
	int error; /* ... as an errno; 0: WHY is not of the kernel */
};

/* ASKED is the value of --state-dir, or NULL. Nothing is opened yet. */
void state_dir_start(const char *asked);

/*
 * Opens it at the first call. TO_BE_MADE: it is made 0700 where it is missing,
 * and choices that were passed over, as file systems of a network are, are
 * logged with -v. False: it has the path of the last one, and why that cannot
 * be used.
 */
bool state_dir_open(bool to_be_made);

/* As it is: its fd is -1 where it is not open. */
const struct state_dir *state_dir(void);

#endif
