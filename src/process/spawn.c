/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "core/judge/outcome.h"
#include "process/environment.h"
#include "process/sh_fallback.h"
#include "process/signals.h"
#include "process/spawn.h"
#include "system/system.h"

struct program {
	char *const *argv;
	const int *descriptors; /* three */
	pid_t parent;
};

/* In the child, up to exec: see new_process(). */
static void
become(const void *what)
{
	const struct program *program = what;
	pid_t present;

	/* If backoff is killed, COMMAND must not run on alone (rule 34). */
	parent_take_along(SIGTERM);
	/* 0 if backoff's children live in a PID namespace of their own. */
	present = getppid();
	if (present != program->parent && present != 0)
		_exit(STATUS_ERROR);
	for (int fd = 0; fd < 3; fd++)
		if (program->descriptors[fd] >= 0)
			dup2(program->descriptors[fd], fd);
	environment_adopt();
	signals_restore();
	execvp(program->argv[0], program->argv);
}

/* Returns the pid, or -1 with the errno of fork or exec. */
static pid_t
spawn_program(char *const argv[], const int descriptors[3])
{
	static pid_t parent;

	if (parent == 0)
		parent = getpid();
	return new_process(
	    become, &(struct program) { argv, descriptors, parent });
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
