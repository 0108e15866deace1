/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <unistd.h>

#include "options/options.h"
#include "unit/tap.h"

/* Up to column 8, when two are written; other lines start at column 3. */
TEST(wrapped)
{
	char got[64] = "";
	FILE *file = tmpfile();
	int kept = dup(STDOUT_FILENO);

	fflush(stdout);
	if (file == NULL || dup2(fileno(file), STDOUT_FILENO) < 0)
		exit(1);
	terminal_wrapped("aa bb cc dd", 2, 3, 8);
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	if (pread(fileno(file), got, sizeof got - 1, 0) < 0)
		exit(1);
	fclose(file);
	is_string(got, "aa bb\n   cc dd\n", "as many words as fit");
}
