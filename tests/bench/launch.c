/* SPDX-License-Identifier: MIT
 *
 * launch ROUNDS COMMAND [ARG]... [, COMMAND [ARG]...]...: in each round, run
 * each COMMAND (a path) once, in turn; a line per round on stdout tells for
 * each how many nanoseconds passed from before the spawn to after the wait, and
 * how many of the processor it took, with all that it waited for. In turn, so
 * that what else the machine does meets all of them alike.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST = 16
};

extern char **environ;

static long long
now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* split_commands: cut argv at each "," and note where each COMMAND starts. */
static int
split_commands(char **argv, char ***commands)
{
	int count = 0;
	commands[count++] = argv;
	for (char **arg = argv; *arg != NULL; arg++) {
		if (strcmp(*arg, ",") != 0)
			continue;
		*arg = NULL;
		if (count == MOST)
			exit(2);
		commands[count++] = arg + 1;
	}
	return count;
}

static long long
ns_of(struct timeval t)
{
	return t.tv_sec * 1000000000LL + t.tv_usec * 1000LL;
}

static void
run(char **command)
{
	int status;
	struct rusage usage;
	long long start = now_ns();
	pid_t pid = vfork();
	if (pid == 0) {
		execve(command[0], command, environ);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		exit(2);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
		fprintf(stderr, "launch: %s: failed\n", command[0]);
		exit(2);
	}
	printf("%lld %lld ", now_ns() - start,
	    ns_of(usage.ru_utime) + ns_of(usage.ru_stime));
}

int
main(int argc, char **argv)
{
	char **commands[MOST];
	if (argc < 3)
		return 2;
	int count = split_commands(argv + 2, commands);
	for (long round = atol(argv[1]); round > 0; round--) {
		for (int i = 0; i < count; i++)
			run(commands[i]);
		putchar('\n');
	}
	return 0;
}
