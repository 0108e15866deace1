/* SPDX-License-Identifier: MIT */
/*
 * Of make coverage: keeps the counts of gcov in a file that all processes of a
 * program share, mapped in place of its own. So what runs in a process counts
 * however that ends, by kill -9 too, and no process writes at its end, which
 * the tests would see, and which an injected error or a kill would break off.
 * coverage.ld has put the counts together.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

extern char coverage_begin[], coverage_end[];

void __gcov_dump(void);
void __wrap___gcov_exit(void);

/* COVERAGE_DIRECTORY has a file for each program. */
static int
open_counts(size_t size)
{
	const char *program = (const char *)getauxval(AT_EXECFN);
	const char *slash = strrchr(program, '/');
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof path, "%s/%s", COVERAGE_DIRECTORY,
	    slash != NULL ? slash + 1 : program);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A run that cannot open them, as for want of descriptors, is not counted. */
__attribute__((constructor)) static void
share(void)
{
	size_t size = (size_t)(coverage_end - coverage_begin);
	int fd = size > 0 ? open_counts(size) : -1;

	if (fd < 0)
		return;
	if (mmap(coverage_begin, size, PROT_READ | PROT_WRITE,
	        MAP_SHARED | MAP_FIXED, fd, 0)
	    == MAP_FAILED)
		abort();
	close(fd);
	if (getenv("COVERAGE_DUMP") != NULL) {
		__gcov_dump();
		_exit(0);
	}
}

/* In place of gcov's own, which writes the counts at each exit. */
void
__wrap___gcov_exit(void)
{
}
