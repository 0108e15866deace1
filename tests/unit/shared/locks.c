/* SPDX-License-Identifier: MIT */
/*
 * Locks of single bytes.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/shared.h"
#include "system/system.h"
#include "unit/tap.h"

static char path[] = "/tmp/lock.XXXXXX";

static struct state_file
open_again(void)
{
	return (struct state_file) { .fd = open(path, O_RDWR | O_CLOEXEC) };
}

static void
test_had(void)
{
	struct state_file a = open_again(), b = open_again();
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	ok(lock_try(&a, 0) == LOCK_HAD, "a free lock is had");
	ok(lock_try(&b, 0) == LOCK_BUSY, "nobody else has it then");
	ok(lock_any(&b, 0, 0), "others see that it is taken");
	ok(!lock_any(&a, 0, 0), "its own lock is no hindrance");
	ok(lock_try(&b, 1) == LOCK_HAD, "another byte is another lock");
	lock_free(&a, 0);
	ok(lock_try(&b, 0) == LOCK_HAD, "once freed, others have it");
	lock_try(&b, 9);
	ok(lock_any(&a, 2, 20) && !lock_any(&a, 2, 8) && !lock_any(&a, 9, 8),
	    "one of some is found");
	lock_try(&b, 4);
	is_int(lock_count(&a, 2, 20), 2, "... and all of them");
	byte_lock(b.fd, F_SETLK, &whole);
	is_int(lock_count(&a, 2, 20), 19, "... also if one lock has them all");
	fd_close(&b.fd);
	ok(lock_try(&a, 0) == LOCK_HAD, "who closes the file frees it");
	fd_close(&a.fd);
	ok(lock_try(&a, 0) == LOCK_FAILED
	        && strcmp(a.why, strerror(EBADF)) == 0,
	    "a descriptor that is none is an error");
}

/* Whether a record that another process has for a moment is waited for. */
static bool
waits_for_record(void)
{
	struct state_file file = open_again();
	uint8_t record[STATE_SIZE];
	int ends[2];
	char locked;
	pid_t other;
	bool had;

	if (pipe(ends) != 0)
		return false;
	other = fork();
	if (other == 0) {
		struct state_file its_own = open_again();

		lock_try(&its_own, STATE_LOCK_RECORD);
		if (write(ends[1], "", 1) == 1)
			poll(NULL, 0, 50);
		_exit(0);
	}
	had = read(ends[0], &locked, 1) == 1 && state_file_begin(&file, record);
	waitpid(other, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	fd_close(&file.fd);
	return had;
}

static void
test_record(void)
{
	bool waits = false;

	/* On a machine that stands still, the other has it for too long. */
	for (int i = 0; i < 5 && !waits; i++)
		waits = waits_for_record();
	ok(waits, "a record that another process has for a moment is had");
}

/* On a system without locks of open file descriptions. */
static void
test_missing(void)
{
	struct state_file file = open_again();

	ok(lock_try(&file, 0) == LOCK_FAILED
	        && strcmp(file.why, strerror(ENOLCK)) == 0,
	    "there are no locks, and that is said");
	ok(!lock_any(&file, 0, 0), "nothing is taken");
	fd_close(&file.fd);
}

TEST(locks)
{
	struct state_file file = { .fd = mkstemp(path) };

	if (lock_is_possible(&file)) {
		test_had();
		test_record();
	} else {
		test_missing();
	}
	fd_close(&file.fd);
	unlink(path);
}
