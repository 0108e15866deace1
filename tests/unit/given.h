/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_GIVEN_H
#define BACKOFF_GIVEN_H
/*
 * Options as a command line gives them.
 */

#include <getopt.h>

#include "core/base/base.h"
#include "options/options.h"
#include "unit/tap.h"

static struct options options;

/* Parses these words, separated by blanks; a refusal would end this program. */
static void
given(const char *words)
{
	static char copies[256][1024];
	/* A run frees nothing: so that no checker takes what it has for lost.
	 */
	static struct options before[ARRAY_LENGTH(copies)];
	static size_t turn;
	static char *argv[40];
	char *copy = copies[turn % ARRAY_LENGTH(copies)];
	int argc = 1;

	before[turn++ % ARRAY_LENGTH(before)] = options;
	argv[0] = (char[]) { "backoff" };
	snprintf(copy, sizeof copies[0], "%s -- true", words);
	for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " "))
		argv[argc++] = at;
	argv[argc] = NULL;
	optind = 1;
	options_parse(&options, argc, argv);
}

#endif
