/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "process/process.h"

/* While it is started. */
#define MOST_STOPS 100

static pid_t self;

/* In the child, up to exec: see new_process(). */
static void
become_command(const void *what)
{
	const struct command *command = what;
	pid_t parent;

	/* If backoff is killed, COMMAND must not run on alone (rule 34). */
	parent_take_along(SIGTERM);
	/* 0 if backoff's children live in a PID namespace of their own. */
	parent = getppid();
	if (parent != self && parent != 0)
		_exit(STATUS_ERROR);
	for (int fd = 0; fd < 3; fd++)
		if (command->descriptors[fd] >= 0)
			dup2(command->descriptors[fd], fd);
	environment_readdress();
	if (signals_stop_pending()) {
		errno = EINTR;
		return;
	}
	signals_restore();
	execvp(command->argv[0], command->argv);
}

static bool
is_program(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode)
	    && access(path, X_OK) == 0;
}

/* The file that execvp(3) takes for NAME, or NAME; until the next call. */
static char *
find(char *name)
{
	static char path[PATH_MAX];
	const char *entry = getenv("PATH"), *end;
	size_t size = strlen(name) + 1;

	if (strchr(name, '/') != NULL || entry == NULL)
		return name;
	for (;; entry = end + 1) {
		struct text file = text_in(path, sizeof path);
		size_t length = length_before(entry, ':');

		end = entry + length;
		if (length + strlen("./") + size <= sizeof path) {
			text_part(&file, entry, length);
			/* An empty entry is the current directory. */
			text_join(&file, length == 0 ? "." : "", "/", name);
			if (is_program(path))
				return path;
		}
		if (*end == '\0')
			return name;
	}
}

char **
spawn_by_sh(char *const argv[])
{
	static char shell[] = "/bin/sh";
	size_t count = 1;
	char **script;

	while (argv[count] != NULL)
		count++;
	script = calloc(count + 2, sizeof *script);
	if (script == NULL)
		return NULL;
	script[0] = shell;
	script[1] = find(argv[0]);
	for (size_t i = 1; argv[i] != NULL; i++)
		script[i + 1] = argv[i];
	return script;
}

bool
spawn_finds(char *name)
{
	const char *path = find(name);

	/* A name not in PATH is not looked for in the current directory. */
	return strchr(path, '/') != NULL && is_program(path);
}

/* As new_process(); where a key has stopped the job, once more after that. */
static pid_t
start_command(const struct command *command)
{
	pid_t pid;
	int tries = 0;

	do {
		signals_before_spawn();
		pid = new_process(become_command, command);
		signals_after_spawn();
	} while (pid < 0 && errno == EINTR && ++tries < MOST_STOPS);
	return pid;
}

pid_t
spawn(const struct command *command)
{
	struct command by_sh = *command;
	char **script;
	pid_t pid;
	int error;

	if (self == 0)
		self = getpid();
	pid = start_command(command);
	if (pid >= 0 || errno != ENOEXEC
	    || (script = spawn_by_sh(command->argv)) == NULL)
		return pid;
	by_sh.argv = script;
	pid = start_command(&by_sh);
	error = errno;
	free(script);
	errno = error;
	return pid;
}
