/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/sh_fallback.h"

static bool
is_program(const char *path)
{
	struct stat stat_of_it;

	return stat(path, &stat_of_it) == 0 && S_ISREG(stat_of_it.st_mode)
	    && access(path, X_OK) == 0;
}

/* The file that exec found for NAME; NULL: no memory. */
static char *
find(const char *name)
{
	const char *path = getenv("PATH");
	size_t length = strlen(name);

	if (strchr(name, '/') != NULL || path == NULL)
		return strdup(name);
	for (;;) {
		size_t directory = strcspn(path, ":");
		char *found = malloc(directory + length + 3);

		if (found == NULL)
			return NULL;
		memcpy(found, path, directory);
		/* An empty entry of PATH is the current directory. */
		if (directory == 0)
			found[directory++] = '.';
		found[directory] = '/';
		memcpy(found + directory + 1, name, length + 1);
		if (is_program(found))
			return found;
		free(found);
		path += strcspn(path, ":");
		if (*path++ == '\0')
			return strdup(name);
	}
}

char **
sh_fallback_argv(char *const *argv)
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
	for (size_t i = 1; i < count; i++)
		script[i + 1] = argv[i];
	if (script[1] != NULL)
		return script;
	free(script);
	return NULL;
}

void
sh_fallback_free(char **script)
{
	free(script[1]);
	free(script);
}

bool
sh_fallback_exists(const char *name)
{
	char *path = find(name);
	/* A name not in PATH is not looked for in the current directory. */
	bool exists
	    = path != NULL && strchr(path, '/') != NULL && is_program(path);

	free(path);
	return exists;
}
