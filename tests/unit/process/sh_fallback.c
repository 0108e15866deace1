/* SPDX-License-Identifier: MIT */
/* What runs a script without #! where execvp(3) does not, as that of musl. */
#include <config.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/sh_fallback.h"
#include "unit/tap.h"

/* The words of the command that runs ARGV, with blanks between. */
static void
runs(char *const argv[], const char *wanted)
{
	char **script = sh_fallback_argv(argv), words[256] = "";

	for (int i = 0; script != NULL && script[i] != NULL; i++) {
		strcat(words, i > 0 ? " " : "");
		strcat(words, script[i]);
	}
	is_string(words, wanted, wanted);
	if (script != NULL)
		sh_fallback_free(script);
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
	ok(sh_fallback_exists("script"), "a program in PATH is there");
	ok(!sh_fallback_exists("data"), "what cannot be executed is none");
	ok(!sh_fallback_exists("here"), "nor is what is not in PATH");
	ok(sh_fallback_exists("./here"), "a path needs no PATH");
	ok(!sh_fallback_exists("./bin"), "a directory is no program");
}

TESTS
{
	char directory[] = "/tmp/sh_fallback.XXXXXX";

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
