/* SPDX-License-Identifier: MIT */
/* Scripts without #!, which execvp(3) may refuse, as that of musl does. */
#include <config.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/process.h"
#include "unit/tap.h"

/* The words of the command that runs ARGV, with blanks between. */
static void
runs(char *const argv[], const char *wanted)
{
	char **script = spawn_by_sh(argv), words[256] = "";

	for (int i = 0; script != NULL && script[i] != NULL; i++) {
		strcat(words, i > 0 ? " " : "");
		strcat(words, script[i]);
	}
	is_string(words, wanted, wanted);
	free(script);
}

static void
path(const char *value)
{
	setenv("PATH", value, 1);
}

static void
make_program(const char *name, mode_t mode)
{
	FILE *file = fopen(name, "w");

	if (file == NULL || fclose(file) != 0 || chmod(name, mode) != 0)
		exit(1);
}

static void
test_words(void)
{
	char script[] = "script", there[] = "bin/script", a[] = "a", b[] = "";

	path("empty:bin");
	runs((char *[]) { script, a, b, NULL }, "/bin/sh bin/script a ");
	runs((char *[]) { there, NULL }, "/bin/sh bin/script");
	path("empty");
	runs((char *[]) { script, NULL }, "/bin/sh script");
	unsetenv("PATH");
	runs((char *[]) { script, NULL }, "/bin/sh script");
}

static void
test_empty_entry(void)
{
	char here[] = "here";

	path(":bin");
	runs((char *[]) { here, NULL }, "/bin/sh ./here");
	path("empty:");
	runs((char *[]) { here, NULL }, "/bin/sh ./here");
}

static void
test_exists(void)
{
	path("empty:bin");
	ok(spawn_finds((char[]) { "script" }), "a program in PATH is there");
	ok(!spawn_finds((char[]) { "data" }),
	    "what cannot be executed is none");
	ok(!spawn_finds((char[]) { "here" }), "nor is what is not in PATH");
	ok(spawn_finds((char[]) { "./here" }), "a path needs no PATH");
	ok(!spawn_finds((char[]) { "./bin" }), "a directory is no program");
}

TEST(by_sh)
{
	char directory[] = "/tmp/spawn.XXXXXX";

	if (mkdtemp(directory) == NULL || chdir(directory) != 0
	    || mkdir("bin", 0700) != 0 || mkdir("empty", 0700) != 0)
		exit(1);
	make_program("bin/script", 0700);
	make_program("bin/data", 0600);
	make_program("here", 0700);
	test_words();
	test_empty_entry();
	test_exists();
	unlink("bin/script");
	unlink("bin/data");
	unlink("here");
	rmdir("bin");
	rmdir("empty");
	rmdir(directory);
}
