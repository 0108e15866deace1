/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/new_process.h"

/*
 * vfork, because the errno of exec comes back through the shared memory, and
 * because its cost does not depend on the size of backoff.
 */
pid_t
new_process(void (*become)(const void *what), const void *what)
{
	volatile int error = 0;
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
	pid_t pid = vfork();

	if (pid == 0) {
		/* It calls what Linux allows there, and writes what we keep. */
		/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
		become(what);
		error = errno;
		/* The parent reads no status of a process without a program. */
		_exit(127);
	}
	if (pid > 0 && error != 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		errno = error;
		return -1;
	}
	return pid;
}
