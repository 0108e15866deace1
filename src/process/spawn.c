/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/judge/outcome.h"
#include "process/environment.h"
#include "process/parent.h"
#include "process/sh_fallback.h"
#include "process/signals.h"
#include "process/spawn.h"

/*
 * Runs in the child from vfork to exec. It shares backoff's memory, and backoff
 * is suspended meanwhile, so it must not change anything else there.
 */
static void
become(char *const argv[], const int descriptors[3], pid_t parent)
{
	pid_t present;

	/* If backoff is killed, COMMAND must not run on alone (rule 34). */
	parent_ask_for(SIGTERM);
	/* 0 if backoff's children live in a PID namespace of their own. */
	present = getppid();
	if (present != parent && present != 0)
		_exit(STATUS_ERROR);
	for (int fd = 0; fd < 3; fd++)
		if (descriptors[fd] >= 0)
			dup2(descriptors[fd], fd);
	environment_adopt();
	signals_restore();
	execvp(argv[0], argv);
}

/*
 * Returns the pid, or -1 with the errno of fork or exec. Uses vfork, because
 * the errno of exec comes back through the shared memory, and because its cost
 * does not depend on the size of backoff.
 */
static pid_t
spawn_program(char *const argv[], const int descriptors[3])
{
	static pid_t parent;
	volatile int error = 0;
	pid_t pid;

	if (parent == 0)
		parent = getpid();
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
	pid = vfork();

	if (pid == 0) {
		/* It calls what Linux allows there, and writes what we keep. */
		/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
		become(argv, descriptors, parent);
		error = errno;
		_exit(STATUS_NOT_FOUND);
	}
	if (pid > 0 && error != 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		errno = error;
		return -1;
	}
	return pid;
}

pid_t
spawn(char *const argv[], const int descriptors[3])
{
	pid_t pid = spawn_program(argv, descriptors);
	char **script;
	int error;

	if (pid >= 0 || errno != ENOEXEC)
		return pid;
	script = sh_fallback_argv(argv);
	if (script == NULL)
		return -1;
	pid = spawn_program(script, descriptors);
	error = errno;
	sh_fallback_free(script);
	errno = error;
	return pid;
}
