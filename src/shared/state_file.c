/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "process/signals.h"
#include "shared/lock.h"
#include "shared/state_file.h"
#include "system/system.h"

#define LOCK_PATIENCE_NS (2 * NS_PER_S)
#define LOCK_FIRST_NS (NS_PER_MS / 4)
#define LOCK_LONGEST_NS (20 * NS_PER_MS)

static bool
fail(struct state_file *file, const char *why)
{
	text_copy(file->why, sizeof file->why, why);
	file->blames_file = false;
	return false;
}

/* The same for what is wrong with the file itself. */
static bool
blame(struct state_file *file, const char *why)
{
	fail(file, why);
	file->blames_file = true;
	return false;
}

/*
 * Never through a link, never waiting for the other end of a FIFO. With its
 * mode from the first moment on, whatever the umask is: others may be looking.
 */
static int
open_in(const struct state_dir *dir, const char *name)
{
	const int flags
	    = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd;
	mode_t mask;

	fd = openat(dir->fd, name, flags);
	if (fd < 0 && errno == ENOENT) {
		mask = umask(0);
		fd = openat(dir->fd, name, flags | O_CREAT,
		    dir->is_shared ? 0660 : 0600);
		umask(mask);
	}
	return fd_out_of_the_way(fd);
}

static bool
check(struct state_file *file, const struct stat *stat)
{
	mode_t mode = stat->st_mode & 07777;
	mode_t wanted = file->dir->is_shared ? 0660 : 0600;

	if (!S_ISREG(stat->st_mode))
		return blame(file, "not a regular file");
	if (stat->st_nlink > 1)
		return blame(file, "it has another name, by a hard link");
	if (!file->dir->is_shared && stat->st_uid != geteuid())
		return blame(file, "owned by another user");
	if (file->dir->is_shared && stat->st_gid != file->dir->group)
		return blame(file, "not of the group of its directory");
	if (mode != wanted)
		return blame(file,
		    file->dir->is_shared ? "its mode is not 0660"
		                         : "its mode is not 0600");
	if (stat->st_size > STATE_SIZE)
		return blame(file,
		    JOINED(WHY_SIZE,
		        "larger than a state file: ", NUMBER(stat->st_size)));
	return true;
}

bool
state_file_open(
    struct state_file *file, const struct state_dir *dir, const char *name)
{
	struct stat stat;

	*file = (struct state_file) { .fd = -1, .dir = dir };
	file->fd = open_in(dir, name);
	if (file->fd < 0)
		switch (errno) {
		case ELOOP:
			return blame(file, "a symbolic link");
		case EISDIR:
		case ENXIO: /* a socket */
			return blame(file, "not a regular file");
		case ENOENT: /* as in /proc: the directory is there */
			return blame(file, strerror(errno));
		default:
			return fail(file, strerror(errno));
		}
	if (fstat(file->fd, &stat) != 0)
		fail(file, strerror(errno));
	else if (check(file, &stat))
		return true;
	state_file_close(file);
	return false;
}

enum state_found
state_file_read(struct state_file *file, uint8_t record[STATE_SIZE])
{
	ssize_t size;

	memset(record, 0, STATE_SIZE);
	size = pread(file->fd, record, STATE_SIZE, 0);
	if (size < 0) {
		fail(file, strerror(errno));
		return STATE_UNUSABLE;
	}
	file->why[0] = '\0';
	switch (state_record_look(record, (size_t)size)) {
	case STATE_HEADER_FINE:
		return STATE_RECORD;
	case STATE_HEADER_FOREIGN:
		blame(file, "not a state file of backoff");
		return STATE_UNUSABLE;
	case STATE_HEADER_LATER:
		blame(file, "written by a later version of backoff");
		return STATE_UNUSABLE;
	case STATE_HEADER_BROKEN:
		fail(file, size < STATE_SIZE ? "cut short" : "bad checksum");
		break;
	case STATE_HEADER_EARLIER:
		fail(file, "written by an earlier version of backoff");
		break;
	case STATE_HEADER_EMPTY:
		if (size > 0)
			fail(file, "nothing but zeros");
		break;
	}
	memset(record, 0, STATE_SIZE);
	return STATE_NEW;
}

bool
state_file_lock(struct state_file *file)
{
	int64_t until_ns = 0, nap_ns = LOCK_FIRST_NS;
	enum lock_result result;
	struct timespec nap;

	while ((result = lock_try(file->fd, STATE_LOCK_RECORD)) != LOCK_HAD) {
		if (result == LOCK_FAILED)
			return fail(file, strerror(errno));
		if (until_ns == 0)
			until_ns = clock_now_ns() + LOCK_PATIENCE_NS;
		/* Its holder is stopped in between: nobody waits for that. */
		if (clock_now_ns() >= until_ns || signals_end_pending())
			return fail(file, "its lock is held");
		nap = clock_timespec(nap_ns);
		nanosleep(&nap, NULL);
		nap_ns = min_ns(2 * nap_ns, LOCK_LONGEST_NS);
	}
	return true;
}

void
state_file_unlock(struct state_file *file)
{
	lock_free(file->fd, STATE_LOCK_RECORD);
}

bool
state_file_write(struct state_file *file, const uint8_t record[STATE_SIZE])
{
	ssize_t size;
	int error;

	/* A limit on the size of files is an error, and not our end. */
	signals_before_write();
	size = pwrite(file->fd, record, STATE_SIZE, 0);
	error = errno;
	signals_after_write(size < 0);
	if (size == STATE_SIZE)
		return true;
	return fail(file, strerror(size < 0 ? error : ENOSPC));
}

void
state_file_close(struct state_file *file)
{
	fd_close(&file->fd);
}

uint64_t
boot_hash(void)
{
	static uint64_t boot;
	static bool is_known;
	char id[64];
	ssize_t size;

	if (!is_known) {
		size = boot_id(id, sizeof id);
		boot = size > 0 ? hash_of(id, (size_t)size) : 0;
	}
	is_known = true;
	return boot;
}
