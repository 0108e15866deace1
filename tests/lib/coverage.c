/* SPDX-License-Identifier: MIT */
/*
 * Of make coverage: counts what ran in processes that end without exit(3). By
 * --wrap the linker puts these functions in front of those of libc.
 */
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);

_Noreturn void __real__exit(int status);
int __real_kill(pid_t pid, int signal);

_Noreturn void __wrap__exit(int status);
int __wrap_kill(pid_t pid, int signal);
int __wrap___gcov_execvp(const char *file, char *const argv[]);

static pid_t self;

__attribute__((constructor)) static void
remember(void)
{
	self = getpid();
}

/*
 * The counts of a child of vfork(2) are in our memory, and written with ours.
 * What is counted after this is written at the next time.
 */
static void
dump(void)
{
	if (getpid() != self)
		return;
	__gcov_dump();
	__gcov_reset();
}

_Noreturn void
__wrap__exit(int status)
{
	dump();
	__real__exit(status);
}

/* To ourselves: we may die by it. */
int
__wrap_kill(pid_t pid, int signal)
{
	if (pid == self && signal != 0)
		dump();
	return __real_kill(pid, signal);
}

/* That of gcov would write all, and take us for done, in a child of vfork. */
int
__wrap___gcov_execvp(const char *file, char *const argv[])
{
	return execvp(file, argv);
}
