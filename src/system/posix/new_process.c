/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/descriptors.h"
#include "system/fd.h"
#include "system/new_process.h"

/* Never returns. TELL is closed by exec, which tells that it has succeeded. */
static void
run_child(void (*become)(const void *what), const void *what, int tell)
{
	ssize_t told;
	int error;

	become(what);
	error = errno;
	RETRY_EINTR(told, write(tell, &error, sizeof error));
	_exit(127);
}

/* Waits for exec; returns the errno of one that has failed. */
static int
error_of(int heard)
{
	int error = 0;
	ssize_t count;

	RETRY_EINTR(count, read(heard, &error, sizeof error));
	return count == (ssize_t)sizeof error ? error : 0;
}

pid_t
new_process(void (*become)(const void *what), const void *what)
{
	int ends[2], error;
	pid_t pid;

	if (!descriptors_pipe(ends))
		return -1;
	/* COMMAND's own descriptors are laid over 0 to 2. */
	ends[0] = fd_out_of_the_way(ends[0]);
	ends[1] = fd_out_of_the_way(ends[1]);
	pid = fork();
	if (pid == 0)
		run_child(become, what, ends[1]);
	error = errno;
	fd_close(&ends[1]);
	if (pid > 0)
		error = error_of(ends[0]);
	fd_close(&ends[0]);
	if (pid > 0 && error != 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		pid = -1;
	}
	if (pid < 0)
		errno = error;
	return pid;
}
