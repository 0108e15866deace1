/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/process.h"

/* --- COMMAND and the hooks --- */

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

/* --- the helper --- */

/* Where the helper finds its end of the socket. */
#define HELPER_SOCKET 3

/* If one dies when it starts, the next one waits so long. */
#define REVIVE_NS NS_PER_S

struct helper helper = { .socket = -1 };

struct helper_line {
	const char *path;
	char *const *environment;
	int socket;
};

/* In the child, up to exec. The helper itself closes other descriptors. */
static void
become_helper(const void *what)
{
	const struct helper_line *line = what;
	char *argv[] = { (char *)(uintptr_t)line->path, NULL };

	if (dup2(line->socket, HELPER_SOCKET) >= 0)
		execve(line->path, argv, line->environment);
}

bool
helper_start(const char *path, char *const environment[])
{
	struct helper_line line = { path, environment, -1 };
	int ends[2];
	pid_t pid;

	helper.started_ns = clock_now_ns();
	if (!messages_pair(ends))
		return false;
	helper.socket = fd_out_of_the_way(ends[0]);
	/* Not 3 itself: a copy onto itself would be closed on exec. */
	line.socket = fd_out_of_the_way(ends[1]);
	pid = new_process(become_helper, &line);
	fd_close(&line.socket);
	helper.pid = pid > 0 ? pid : 0;
	if (pid < 0)
		fd_close(&helper.socket);
	return pid > 0;
}

int64_t
helper_look(void)
{
	if (helper.revive == NULL || helper.pid != 0)
		return INT64_MAX;
	if (clock_now_ns() >= helper.started_ns + REVIVE_NS)
		helper.revive();
	return helper.pid != 0 ? INT64_MAX : helper.started_ns + REVIVE_NS;
}

void
helper_end(int64_t until_ns)
{
	char rest[64];

	/* The socket ends when the helper does. Drop what it still says. */
	while (helper.socket >= 0 && fd_await(helper.socket, POLLIN, until_ns)
	    && read(helper.socket, rest, sizeof rest) > 0)
		continue;
	fd_close(&helper.socket);
	if (helper.pid == 0)
		return;
	kill(helper.pid, SIGKILL);
	while (waitpid(helper.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	helper.pid = 0;
}
