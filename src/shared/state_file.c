/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/base.h"
#include "log/log.h"
#include "process/process.h"
#include "shared/shared.h"
#include "system/system.h"

#define LOCK_PATIENCE_NS (2 * NS_PER_S)
#define LOCK_FIRST_NS (NS_PER_MS / 4)
#define LOCK_LONGEST_NS (20 * NS_PER_MS)

/* --- a file --- */

static bool
fail(struct state_file *file, bool blames_file, const char *why)
{
	text_copy(file->why, sizeof file->why, why);
	file->blames_file = blames_file;
	return false;
}

/* --- locks of single bytes --- */

/* < 0: that has failed; > 0: others have locked one from FIRST to LAST. */
static int
lock(const struct state_file *file, int command, short type, int64_t first,
    int64_t last)
{
	struct flock flock = { .l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)first,
		.l_len = (off_t)(last - first + 1) };

	if (byte_lock(file->fd, command, &flock) != 0)
		return -1;
	return command == F_GETLK && flock.l_type != F_UNLCK;
}

enum lock_result
lock_try(struct state_file *file, int64_t byte)
{
	if (lock(file, F_SETLK, F_WRLCK, byte, byte) == 0)
		return LOCK_HAD;
	if (errno == EAGAIN || errno == EACCES)
		return LOCK_BUSY;
	fail(file, false, strerror(errno));
	return LOCK_FAILED;
}

void
lock_free(const struct state_file *file, int64_t byte)
{
	lock(file, F_SETLK, F_UNLCK, byte, byte);
}

bool
lock_is_possible(struct state_file *file)
{
	return lock(file, F_GETLK, F_WRLCK, 0, 0) >= 0
	    || fail(file, false, strerror(errno));
}

bool
lock_any(const struct state_file *file, int64_t first, int64_t last)
{
	return last >= first && lock(file, F_GETLK, F_WRLCK, first, last) > 0;
}

int64_t
lock_count(const struct state_file *file, int64_t first, int64_t last)
{
	int64_t count = 0;

	/* The kernel does not say which lock it finds first, or how wide. */
	for (int64_t byte = first; byte <= last; byte++)
		count += lock_any(file, byte, byte);
	return count;
}

/* --- opening it --- */

/* Whether FILE is one of ours. */
static bool
is_ours(struct state_file *file)
{
	mode_t mode = state_dir->is_shared ? 0660 : 0600;
	struct stat stat;

	if (fstat(file->fd, &stat) != 0)
		return fail(file, false, strerror(errno));
	if (!S_ISREG(stat.st_mode))
		return fail(file, true, "not a regular file");
	if (stat.st_nlink > 1)
		return fail(file, true, "it has another hard link");
	if (!state_dir->is_shared && stat.st_uid != geteuid())
		return fail(file, true, "owned by another user");
	if (state_dir->is_shared && stat.st_gid != state_dir->stat.st_gid)
		return fail(file, true, "not of the group of its directory");
	if ((stat.st_mode & 07777) != mode)
		return fail(file, true,
		    state_dir->is_shared ? "its mode is not 0660"
		                         : "its mode is not 0600");
	return stat.st_size <= STATE_SIZE
	    || fail(file, true,
	        JOINED(WHY_SIZE,
	            "larger than a state file: ", NUMBER(stat.st_size)));
}

bool
state_file_open(struct state_file *file)
{
	/* Follows no link, and waits for no other end of a FIFO. */
	const int flags
	    = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	if (!state_dir_open(true))
		return fail(file, false, state_dir->why);
	file->fd = openat(state_dir->fd, file->name, flags);
	if (file->fd < 0 && errno == ENOENT) {
		/* Others may be looking: it has its mode from the first moment
		 * on. */
		mode_t mask = umask(0);

		file->fd = openat(state_dir->fd, file->name, flags | O_CREAT,
		    state_dir->is_shared ? 0660 : 0600);
		umask(mask);
	}
	file->fd = fd_out_of_the_way(file->fd);
	if (file->fd < 0 && errno == ELOOP)
		return fail(file, true, "a symbolic link");
	if (file->fd < 0 && (errno == EISDIR || errno == ENXIO)) /* a socket */
		return fail(file, true, "not a regular file");
	/* ENOENT: the directory is there, but takes no file, as /proc. */
	if (file->fd < 0)
		return fail(file, errno == ENOENT, strerror(errno));
	if (is_ours(file) && (!file->is_limit || lock_is_possible(file)))
		return true;
	fd_close(&file->fd);
	return false;
}

bool
state_file_use(struct state_file *file)
{
	/* What has failed before has why. */
	if (file->fd < 0 && file->why[0] == '\0' && !state_file_open(file))
		state_file_lose(file);
	return file->fd >= 0;
}

bool
state_file_read(struct state_file *file, uint8_t record[STATE_SIZE])
{
	enum state_header header;
	const char *why;
	ssize_t size;

	memset(record, 0, STATE_SIZE);
	size = pread(file->fd, record, STATE_SIZE, 0);
	if (size < 0)
		return fail(file, false, strerror(errno));
	header = state_record_look(record, (size_t)size, &why);
	text_copy(file->why, sizeof file->why, why);
	file->blames_file = header == STATE_HEADER_FOREIGN;
	if (header == STATE_HEADER_AS_NEW)
		memset(record, 0, STATE_SIZE);
	return header != STATE_HEADER_FOREIGN;
}

bool
state_file_begin(struct state_file *file, uint8_t record[STATE_SIZE])
{
	int64_t until_ns = clock_now_ns() + LOCK_PATIENCE_NS;
	int64_t nap_ns = LOCK_FIRST_NS;
	enum lock_result result;

	while ((result = lock_try(file, STATE_LOCK_RECORD)) == LOCK_BUSY) {
		/* The holder may be stopped: go on without. */
		if (clock_now_ns() >= until_ns || signals_end_pending())
			return fail(file, false, "its lock is held");
		nanosleep(&(struct timespec) { .tv_nsec = (long)nap_ns }, NULL);
		nap_ns = min_ns(2 * nap_ns, LOCK_LONGEST_NS);
	}
	if (result == LOCK_HAD && state_file_read(file, record)) {
		state_record_set_boot(record, boot_hash());
		return true;
	}
	lock_free(file, STATE_LOCK_RECORD);
	return false;
}

bool
state_file_write(struct state_file *file, const uint8_t record[STATE_SIZE])
{
	ssize_t size;

	/* A limit on the size of files is an error: XFSZ must not kill. */
	signals_before_write();
	size = pwrite(file->fd, record, STATE_SIZE, 0);
	if (size != STATE_SIZE)
		fail(file, false, strerror(size < 0 ? errno : ENOSPC));
	signals_after_write(size < 0);
	lock_free(file, STATE_LOCK_RECORD);
	return size == STATE_SIZE;
}

uint64_t
boot_hash(void)
{
	static uint64_t boot;
	char id[64];
	ssize_t size = boot == 0 ? boot_id(id, sizeof id) : 0;

	if (size > 0)
		boot = hash_of(id, (size_t)size);
	return boot;
}

/* --- the log --- */

void
state_file_add_why(struct text *text, const struct state_file *file)
{
	text_bounded(text, "", state_dir->path, file->blames_file ? "/" : "");
	text_join(text, file->blames_file ? file->name : "", ": ", file->why);
}

void
state_log_lost(bool is_limit, const char *kind, const char *name, bool of_fleet,
    const char *reason, const char *go_on)
{
	struct text words = TEXT_OF(1024);

	text_join(&words, is_limit ? "limit of " : "cannot use ", kind, " ",
	    of_fleet ? FLEET_PREFIX : "", name,
	    is_limit ? " NOT enforced (" : " (", reason, ")", go_on);
	log_degraded(is_limit ? WEIGHT_ALARM : WEIGHT_NORMAL, words.data,
	    JOINED(FLEET_NAME_SIZE + 16, of_fleet ? "fleet " : "", kind, " ",
	        name),
	    reason);
}

bool
state_file_lose(struct state_file *file)
{
	struct text reason = TEXT_OF(2 * TEXT_BOUND + WHY_SIZE);
	bool is_limit = file->is_limit && !file->is_fleet;

	state_file_add_why(&reason, file);
	state_log_lost(is_limit, file->what, file->name, false, reason.data,
	    file->is_fleet ? "; going on with the fleet alone"
	        : is_limit ? ""
	                   : "; going on without");
	fd_close(&file->fd);
	return false;
}

void
state_file_note(struct state_file *file, const char *why)
{
	if (why[0] == '\0' || file->is_noted)
		return;
	file->is_noted = true;
	log_shared(WEIGHT_DETAIL,
	    JOINED(WHY_SIZE + 128, "state of ", file->what, " ", file->name,
	        " ignored: ", why),
	    NULL, NULL);
}
