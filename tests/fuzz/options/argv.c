/* SPDX-License-Identifier: MIT */
/*
 * The command line as a whole, up to the point of running: the words of the
 * input end with NUL or newline. tests/fuzz/run makes our libraries call
 * fuzz_exit() for exit(3), and so on: a usage error comes back here and leaves
 * nothing behind. What is accepted is accepted again, with the same
 * settings.
 */
#include <config.h>

#include <getopt.h>
#include <regex.h>
#include <setjmp.h>

#include "fuzz/fuzz.h"
#include "options/options.h"
#include "streams/streams.h"

#ifndef PROGRAM
#define PROGRAM PROGRAM_BACKOFF
#endif

const struct program program
    = { PROGRAM, "fuzz", 8, "", "Usage: fuzz\n", "\nBrief\n", "\nNotes\n" };

#define MOST_WORDS 64
#define MOST_BLOCKS 4096

static jmp_buf back;
static void *blocks[MOST_BLOCKS];
static size_t block_count;

_Noreturn void fuzz_exit(int status);
void *fuzz_malloc(size_t size);
void *fuzz_calloc(size_t count, size_t size);
void fuzz_free(void *block);
int fuzz_regcomp(regex_t *regex, const char *text, int flags);

_Noreturn void
fuzz_exit(int status)
{
	longjmp(back, 1 + status);
}

static void *
keep(void *block)
{
	fuzz_require(block_count < MOST_BLOCKS, "too many allocations");
	return blocks[block_count++] = block;
}

void *
fuzz_malloc(size_t size)
{
	return keep(malloc(size));
}

void *
fuzz_calloc(size_t count, size_t size)
{
	return keep(calloc(count, size));
}

void
fuzz_free(void *block)
{
	for (size_t i = block_count; block != NULL && i-- > 0;)
		if (blocks[i] == block)
			blocks[i] = NULL;
	free(block);
}

int
fuzz_regcomp(regex_t *regex, const char *text, int flags)
{
	if (!fuzz_regex_is_modest(text))
		return REG_ESPACE;
	return regcomp(regex, text, flags);
}

/* What regcomp() has allocated is not in the blocks. */
static void
forget_conditions(struct scan *scan)
{
	for (size_t i = 0; i < scan->count; i++)
		regfree(&scan->conditions[i].regex.compiled);
	if (scan->has_union)
		regfree(&scan->any_message.compiled);
	for (size_t i = 0; i < scan->wait_regexes_count; i++)
		regfree(&scan->wait_regexes[i].compiled);
}

/*
 * Reads the words, and prints what they mean into the room. Returns whether
 * they were accepted.
 */
static bool
parse(int argc, char **argv, char *room, size_t size)
{
	static struct options options;
	struct text text = text_in(room, size);
	bool accepted = false;

	optind = 0;
	getopt(1, argv, "+"); /* forgets where it was, and begins at 1 */
	options.streams.scan = NULL;
	if (setjmp(back) == 0) {
		options_parse(&options, argc, argv);
		text_add(&text, options.log.in_force);
		accepted = true;
	}
	if (options.streams.scan != NULL)
		forget_conditions(options.streams.scan);
	while (block_count > 0)
		free(blocks[--block_count]);
	return accepted;
}

static void
fuzz(char *string, size_t size)
{
	static char one[65536], two[65536];
	char *argv[MOST_WORDS + 2] = { (char[]) { "fuzz" } };
	int argc = 1;
	bool accepted;

	/* The string is not one of those that are freed after each run. */
	block_count = 0;
	for (char *word = string; argc <= MOST_WORDS && word < string + size;) {
		argv[argc++] = word;
		word += strcspn(word, "\n");
		*word++ = '\0';
	}
	*one = *two = '\0';
	accepted = parse(argc, argv, one, sizeof one);
	fuzz_require(parse(argc, argv, two, sizeof two) == accepted,
	    "refused once, and accepted once");
	fuzz_same(one, two, "read twice, they mean something else");
}
