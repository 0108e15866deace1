/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "process/signals.h"
#include "process/told.h"
#include "shared/lock_wait.h"
#include "system/alarm.h"
#include "system/byte_lock.h"

/* What the handlers share with the wait. */
static volatile sig_atomic_t expired;
static struct flock request;

/*
 * A signal between the test for one and the system call would be lost. It
 * is not, because it makes the request itself one that does not wait: to
 * free a byte that we do not have.
 */
static void
give_up_request(void)
{
	*(volatile short *)&request.l_type = F_UNLCK;
}

static void
handle(int signal)
{
	if (signal == SIGCONT)
		return;
	told_by(signal);
	give_up_request();
}

static void
ring(void)
{
	expired = 1;
	give_up_request();
}

static struct flock
request_for(int type, int64_t byte)
{
	return (struct flock) {
		.l_type = (short)type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)byte,
		.l_len = 1,
	};
}

enum lock_result
lock_try(int fd, int64_t byte)
{
	struct flock flock = request_for(F_WRLCK, byte);

	if (byte_lock(fd, BYTE_LOCK_TRY, &flock) == 0)
		return LOCK_HAD;
	return errno == EAGAIN || errno == EACCES ? LOCK_BUSY : LOCK_FAILED;
}

void
lock_free(int fd, int64_t byte)
{
	struct flock flock = request_for(F_UNLCK, byte);

	byte_lock(fd, BYTE_LOCK_TRY, &flock);
}

bool
lock_is_possible(int fd)
{
	struct flock flock = request_for(F_WRLCK, 0);

	return byte_lock(fd, BYTE_LOCK_LOOK, &flock) == 0;
}

int64_t
lock_find(int fd, int64_t first, int64_t last)
{
	struct flock flock = request_for(F_WRLCK, first);

	if (last < first)
		return -1;
	flock.l_len = (off_t)(last - first + 1);
	if (byte_lock(fd, BYTE_LOCK_LOOK, &flock) != 0
	    || flock.l_type == F_UNLCK)
		return -1;
	return flock.l_start;
}

bool
lock_is_taken(int fd, int64_t byte)
{
	return lock_find(fd, byte, byte) >= 0;
}

/* Until the lock is there, a signal, or an error other than a stop's. */
static enum lock_result
wait_for_lock(int fd)
{
	while (!told_anything() && expired == 0) {
		if (byte_lock(fd, BYTE_LOCK_WAIT, &request) == 0)
			return LOCK_HAD;
		if (errno != EINTR)
			return LOCK_FAILED;
	}
	return LOCK_BUSY;
}

/* The wait itself, with the signals open. */
static enum lock_result
wait_openly(int fd, int64_t until_ns)
{
	sigset_t mask = *signals_arm(handle);
	bool is_timed = until_ns < INT64_MAX;
	enum lock_result result = LOCK_FAILED;
	int error;

	if (!is_timed || alarm_start(until_ns, &mask, ring)) {
		pthread_sigmask(SIG_SETMASK, &mask, NULL);
		result = wait_for_lock(fd);
		error = errno;
		if (is_timed)
			alarm_stop();
		errno = error;
	}
	error = errno;
	signals_close();
	errno = error;
	return result;
}

/*
 * The same, again after an alarm about the parent that was false: only a
 * thread of it had ended. The request that the handler has changed may have
 * freed nothing or not have had the lock, so it is made again.
 */
static enum lock_result
wait_on(int fd, int64_t byte, int64_t until_ns)
{
	enum lock_result result;

	for (;;) {
		request = request_for(F_WRLCK, byte);
		result = wait_openly(fd, until_ns);
		if (!told_false_alarm() || expired != 0)
			return result;
		lock_free(fd, byte);
	}
}

enum lock_result
lock_wait(int fd, int64_t byte, int64_t until_ns, int *told)
{
	enum lock_result result;

	told_reset();
	expired = 0;
	result = wait_on(fd, byte, until_ns);
	*told = told_what();
	if (*told == 0 && expired == 0)
		return result;
	/* It may have come just after the lock had. */
	lock_free(fd, byte);
	return *told != 0 ? LOCK_SIGNAL : LOCK_TIME;
}
