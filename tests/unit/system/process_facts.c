/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "system/system.h"
#include "unit/tap.h"

/* After the name: state, parent, 15 fields, threads, 0, start, and more. */
#define STAT(name, state, parent, threads, start) \
	"1234 (" name ") " state " " parent \
	" 1234 1200 34816 -1 4194560 110 0 0 0 2 1 0 0 20 0 " threads \
	" 0 " start " 2498560 221 18446744073709551615 1 1 0 0 0\n"

#define SLEEPING(name) STAT(name, "S", "77", "1", "987654321")

static struct process
parsed(const char *line)
{
	struct process process;

	if (!process_from_stat(&process, line))
		process = (struct process) { .pid = -1 };
	return process;
}

static void
is_parsed(const char *line, const char *name, const char *what)
{
	struct process process = parsed(line);

	printf("# %s\n", what);
	is_int(process.pid, 1234, "pid");
	is_int(process.parent, 77, "parent");
	is_int((int64_t)process.start, 987654321, "start");
	is_string(process.name, name, "name");
	ok(!process.is_zombie && !process.in_tree && !process.has_mark,
	    "neither dead nor in the tree yet");
}

TEST(parse)
{
	is_parsed(SLEEPING("sleep"), "sleep", "a name");
	is_parsed(SLEEPING(""), "", "no name");
	is_parsed(SLEEPING("a) Z 1 1 1"), "a) Z 1 1 1",
	    "a name that looks like the fields");
	is_parsed(SLEEPING(")("), ")(", "the wrong parentheses");
	is_parsed(
	    SLEEPING("a\nb (c) \n"), "a\nb (c) \n", "newlines and blanks");
	is_parsed(SLEEPING("kworker/u8:3-events_unbound"), "kworker/u8:3-ev",
	    "a name longer than any of a program");
}

TEST(zombie)
{
	ok(parsed(STAT("a", "Z", "77", "0", "1")).is_zombie, "Z has ended");
	ok(parsed(STAT("a", "X", "77", "0", "1")).is_zombie, "X has ended");
	ok(parsed(STAT("a", "T", "77", "1", "1")).is_stopped, "T is stopped");
	ok(parsed(STAT("a", "t", "77", "1", "1")).is_stopped, "so is t");
	ok(!parsed(STAT("T", "S", "77", "1", "1")).is_stopped, "S is not");
	ok(!parsed(STAT("a", "Z", "77", "3", "1")).is_zombie,
	    "Z with further threads has not");
	ok(!parsed(STAT("Z", "T", "77", "1", "1")).is_zombie,
	    "a stopped process has not");
}

TEST(no_stat)
{
	static const char *const lines[] = { "", "1234", "1234 (a", "1234 (a)",
		"1234 (a) ", "1234 (a) S", "1234 (a) S 77",
		"1234 (a) S 77 1 2 3", "1234 )a( S 77 1 2", "(a) S 77 1 2",
		"1234 (a) S 77 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 x 17 18" };
	struct process process;

	for (size_t i = 0; i < ARRAY_LENGTH(lines); i++)
		ok(!process_from_stat(&process, lines[i]), lines[i]);
}

/* Of a block whose first bytes are the number of arguments. */
#define MOST 512

struct block {
	char bytes[MOST];
	size_t size;
};

/* BYTES is a literal, whose last NUL does not belong to it. */
#define BLOCK(arguments, bytes) block_of(arguments, bytes, sizeof(bytes) - 1)

static struct block
block_of(int arguments, const char *bytes, size_t size)
{
	struct block block = { .size = sizeof arguments + size };

	memcpy(block.bytes, &arguments, sizeof arguments);
	memcpy(block.bytes + sizeof arguments, bytes, size);
	return block;
}

static bool
has(const struct block *whole, const char *entry)
{
	struct block block = *whole;

	block.bytes[block.size] = '\0';
	return process_block_has(block.bytes, block.size, entry);
}

TEST(block)
{
	/* Of "sh -c 'sleep 60'": an aligned path, the kernel's strings. */
	struct block block = BLOCK(3,
	    "/opt/local/bin/sh\0\0\0\0\0\0\0"
	    "sh\0-c\0sleep 60\0"
	    "BACKOFF_ID=7\0HOME=/Users/a\0PATH=/bin\0"
	    "\0\0\0ptr_munge=\0main_stack=\0executable_file=0x1a\0\0\0");
	struct block bare = BLOCK(1, "/bin/a\0a\0BACKOFF_ID=7\0");
	struct block same = BLOCK(2, "/bin/a\0\0a\0BACKOFF_ID=7\0B=2\0");
	struct block empty = BLOCK(4, "/bin/a\0\0a\0\0\0b\0BACKOFF_ID=7\0");
	struct block none = BLOCK(0, "/bin/a\0\0BACKOFF_ID=7\0");

	ok(has(&block, "BACKOFF_ID=7"), "the first variable");
	ok(has(&block, "PATH=/bin"), "the last one");
	ok(!has(&block, "sleep 60"), "an argument is none");
	ok(!has(&block, "/opt/local/bin/sh"), "nor is the path");
	ok(!has(&block, "BACKOFF_ID="), "no prefix");
	ok(!has(&block, "ACKOFF_ID=7"), "no suffix");
	ok(!has(&block, "BACKOFF_ID=77"), "not longer");
	ok(has(&bare, "BACKOFF_ID=7"), "without padding");
	ok(!has(&same, "BACKOFF_ID=7"), "an argument that looks like one");
	ok(has(&same, "B=2"), "what follows it");
	ok(has(&empty, "BACKOFF_ID=7"), "empty arguments count");
	ok(has(&none, "BACKOFF_ID=7"), "no argument at all");
}

TEST(cut_off)
{
	struct block whole = BLOCK(2, "/bin/a\0\0a\0b\0A=1\0");
	struct block hidden = BLOCK(2, "/bin/a\0\0a\0b\0");
	struct block more = BLOCK(9, "/bin/a\0\0a\0b\0A=1\0");
	struct block negative = BLOCK(-1, "/bin/a\0\0a\0b\0A=1\0");
	struct block part = whole;

	ok(has(&whole, "A=1"), "all of it");
	for (part.size = 0; part.size < whole.size - 2; part.size++)
		ok(!has(&part, "A=1") && !has(&part, ""),
		    "cut off before the environment ends");
	part.size = whole.size - 1;
	ok(has(&part, "A=1"), "without its last NUL");
	ok(!has(&hidden, "A=1"), "hidden");
	ok(!has(&more, "A=1"), "fewer arguments than it says");
	ok(!has(&negative, "A=1"), "a number that is none");
}
