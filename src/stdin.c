/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <sys/stat.h>
#include <unistd.h>

#include "stdin.h"

static off_t entry_offset = -1;

void
stdin_remember(void)
{
	struct stat stat;

	if (fstat(STDIN_FILENO, &stat) == 0 && S_ISREG(stat.st_mode))
		entry_offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

void
stdin_rewind(void)
{
	if (entry_offset >= 0)
		lseek(STDIN_FILENO, entry_offset, SEEK_SET);
}
