/* SPDX-License-Identifier: MIT
 *
 * bare N COMMAND [ARG]...: run COMMAND, a path, N times one after the
 * other. Nothing can do it for less: what backoff is measured against.
 */
#define _DEFAULT_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* run_once: false where COMMAND could not be run. */
static bool
run_once(char **command)
{
	int status;
	pid_t pid = vfork();
	if (pid == 0) {
		execve(command[0], command, environ);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid
	    && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

int
main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	for (long n = atol(argv[1]); n > 0; n--)
		if (!run_once(argv + 2))
			return 2;
	return 0;
}
