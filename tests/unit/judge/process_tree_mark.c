/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/judge/process_tree_mark.h"
#include "unit/tap.h"

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof *(array))

enum {
	SELF = 100,
	COMMAND = 200,
};

/* After the name: state, parent, 15 fields, threads, 0, start, and more. */
#define STAT(name, state, parent, threads, start) \
	"1234 (" name ") " state " " parent \
	" 1234 1200 34816 -1 4194560 110 0 0 0 2 1 0 0 20 0 " threads \
	" 0 " start " 2498560 221 18446744073709551615 1 1 0 0 0\n"

static struct process
parsed(const char *line)
{
	struct process process;

	if (!process_parse(&process, line))
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

static void
test_parse(void)
{
	is_parsed(
	    STAT("sleep", "S", "77", "1", "987654321"), "sleep", "a name");
	is_parsed(STAT("", "R", "77", "1", "987654321"), "", "no name");
	is_parsed(STAT("a) Z 1 1 1", "S", "77", "1", "987654321"), "a) Z 1 1 1",
	    "a name that looks like the fields");
	is_parsed(STAT(")(", "S", "77", "1", "987654321"), ")(",
	    "the wrong parentheses");
	is_parsed(STAT("a\nb (c) \n", "S", "77", "1", "987654321"),
	    "a\nb (c) \n", "newlines and blanks");
	is_parsed(
	    STAT("kworker/u8:3-events_unbound", "S", "77", "1", "987654321"),
	    "kworker/u8:3-ev", "a name longer than any of a program");
}

static void
test_zombie(void)
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

static void
test_no_stat(void)
{
	static const char *const lines[] = { "", "1234", "1234 (a", "1234 (a)",
		"1234 (a) ", "1234 (a) S", "1234 (a) S 77",
		"1234 (a) S 77 1 2 3", "1234 )a( S 77 1 2", "(a) S 77 1 2",
		"1234 (a) S 77 1 x 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18" };
	struct process process;

	for (size_t i = 0; i < ARRAY_LENGTH(lines); i++)
		ok(!process_parse(&process, lines[i]), lines[i]);
}

static void
test_environ(void)
{
	static const char block[] = "A=1\0BACKOFF_ID=x\0B=2\0LAST=no-nul";
	size_t length = sizeof block - 1;

	ok(process_environ_has(block, length, "A=1"), "the first entry");
	ok(process_environ_has(block, length, "BACKOFF_ID=x"), "a later one");
	ok(process_environ_has(block, length, "LAST=no-nul"),
	    "the last one, which was cut off");
	ok(!process_environ_has(block, length, "BACKOFF_ID="), "no prefix");
	ok(!process_environ_has(block, length, "ACKOFF_ID=x"), "no suffix");
	ok(!process_environ_has(block, length, "BACKOFF_ID=xy"), "not longer");
	ok(!process_environ_has(block, 0, "A=1"), "nothing");
}

/* Marks ALL, and compares which of them are in the tree, in their order. */
static void
is_marked(struct process *list, size_t count, const struct ancestry *ancestry,
    const char *wanted, const char *what)
{
	struct processes all = { list, count };
	char got[200] = "";
	size_t length = 0;

	process_tree_mark(&all, ancestry);
	for (size_t i = 0; i < count; i++)
		if (list[i].in_tree)
			length += (size_t)snprintf(got + length,
			    sizeof got - length, "%d ", (int)list[i].pid);
	is_string(got, wanted, what);
}

#define IS_MARKED(list, ancestry, wanted, what) \
	is_marked(list, ARRAY_LENGTH(list), &(ancestry), wanted, what)

static const struct ancestry alone
    = { .self = SELF, .adopter = SELF, .command = COMMAND };

static void
test_tree(void)
{
	struct process usual[] = { { .pid = 1 }, { .pid = SELF, .parent = 1 },
		{ .pid = 150, .parent = 1 }, { .pid = 151, .parent = 150 },
		{ .pid = COMMAND, .parent = SELF },
		{ .pid = 201, .parent = COMMAND },
		{ .pid = 202, .parent = 201 }, { .pid = 203, .parent = SELF } };
	/* Pids start again from the bottom: three children below parents. */
	struct process wrapped[] = { { .pid = 1 }, { .pid = 2, .parent = 300 },
		{ .pid = 3, .parent = 2 }, { .pid = 4, .parent = 5 },
		{ .pid = 5, .parent = 3 }, { .pid = 6, .parent = 1 },
		{ .pid = SELF, .parent = 1 },
		{ .pid = COMMAND, .parent = SELF },
		{ .pid = 300, .parent = COMMAND } };
	struct process unsorted[] = { { .pid = 201, .parent = COMMAND },
		{ .pid = 202, .parent = 201 },
		{ .pid = COMMAND, .parent = SELF },
		{ .pid = SELF, .parent = 1 }, { .pid = 1 } };
	struct processes none = { 0 };

	IS_MARKED(usual, alone, "200 201 202 203 ",
	    "what is below self, orphans too, and nothing else");
	IS_MARKED(wrapped, alone, "2 3 4 5 200 300 ",
	    "children with a lower pid than their parent");
	IS_MARKED(unsorted, alone, "200 201 202 ", "in any order");
	process_tree_mark(&none, &alone);
	is_int((int64_t)none.count, 0, "no process at all");
}

static void
test_preexisting(void)
{
	struct process before[] = { { .pid = 110, .start = 5 },
		{ .pid = 111, .start = 6 }, { .pid = 112, .start = 7 } };
	struct ancestry ancestry = { .self = SELF,
		.adopter = SELF,
		.command = COMMAND,
		.preexisting = { before, ARRAY_LENGTH(before) } };
	struct process all[] = {
		{ .pid = SELF, .parent = 1 },
		{ .pid = 110, .parent = SELF, .start = 5 },
		/* It came to self, as its parent has ended. */
		{ .pid = 111, .parent = SELF, .start = 6 },
		/* The pid of one that was there, but not the same process. */
		{ .pid = 112, .parent = COMMAND, .start = 70 },
		{ .pid = 120, .parent = 110, .start = 80 },
		{ .pid = COMMAND, .parent = SELF, .start = 60 },
	};

	IS_MARKED(all, ancestry, "112 200 ",
	    "what was there is spared, with what it has started");
}

static void
test_orphans(void)
{
	struct process before[] = { { .pid = 110, .start = 5 } };
	struct process seen[] = { { .pid = 303, .start = 63 } };
	struct ancestry ancestry = { .self = SELF,
		.adopter = SELF,
		.command = COMMAND,
		.preexisting = { before, ARRAY_LENGTH(before) },
		.known = { seen, ARRAY_LENGTH(seen) } };
	struct process all[] = {
		{ .pid = SELF, .parent = 1 },
		{ .pid = COMMAND, .parent = SELF, .start = 60 },
		{ .pid = 301, .parent = SELF, .start = 61, .has_mark = true },
		{ .pid = 302, .parent = SELF, .start = 62 },
		{ .pid = 303, .parent = SELF, .start = 63 },
		{ .pid = 304, .parent = 302, .start = 64 },
		{ .pid = 305, .parent = 303, .start = 65 },
		{ .pid = 306, .parent = COMMAND, .start = 66 },
		{ .pid = 307, .parent = SELF, .start = 67 },
	};
	struct process given[] = { { .pid = SELF, .parent = 1 },
		{ .pid = 302, .parent = SELF, .start = 62 } };

	ok(process_needs_mark(&ancestry, &all[2]), "an orphan needs a mark");
	ok(!process_needs_mark(&ancestry, &all[1]), "COMMAND needs none");
	ok(!process_needs_mark(&ancestry, &all[4]), "what is known needs none");
	ok(!process_needs_mark(&ancestry, &all[7]), "no orphan needs one");
	ok(!process_needs_mark(&alone, &all[2]),
	    "nor does one that can only be COMMAND's");
	IS_MARKED(all, ancestry, "200 301 303 305 306 ",
	    "orphans without a mark are spared, unless they were known");
	IS_MARKED(given, alone, "302 ", "without others there is no doubt");
}

/* Where orphans get process 1 as their parent, as anybody's do. */
static void
test_lost_orphans(void)
{
	struct process before[] = { { .pid = 110, .start = 5 } };
	struct process seen[] = { { .pid = 303, .start = 63 } };
	struct ancestry ancestry = { .self = SELF,
		.adopter = 1,
		.command = COMMAND,
		.known = { seen, ARRAY_LENGTH(seen) } };
	struct process all[] = {
		{ .pid = 1, .has_mark = true },
		{ .pid = SELF, .parent = 1, .start = 50, .has_mark = true },
		{ .pid = 110, .parent = SELF, .start = 5 },
		{ .pid = COMMAND, .parent = SELF, .start = 60 },
		{ .pid = 301, .parent = 1, .start = 61, .has_mark = true },
		{ .pid = 302, .parent = 1, .start = 62 },
		{ .pid = 303, .parent = 1, .start = 63 },
		{ .pid = 304, .parent = 301, .start = 64 },
		{ .pid = 305, .parent = 302, .start = 65 },
		{ .pid = 306, .parent = COMMAND, .start = 66 },
		{ .pid = 307, .parent = SELF, .start = 67 },
	};

	ok(process_needs_mark(&ancestry, &all[4]), "an orphan needs a mark");
	ok(process_needs_mark(&ancestry, &all[5]), "as does any other");
	ok(!process_needs_mark(&ancestry, &all[0]), "process 1 needs none");
	ok(!process_needs_mark(&ancestry, &all[3]), "nor does COMMAND");
	ok(!process_needs_mark(&ancestry, &all[6]), "nor what is known");
	ok(!process_needs_mark(&ancestry, &all[10]), "nor our own child");
	ancestry.preexisting
	    = (struct processes) { before, ARRAY_LENGTH(before) };
	IS_MARKED(all, ancestry, "200 301 303 304 306 307 ",
	    "orphans with the mark, and what is below them");
}

TESTS
{
	test_parse();
	test_zombie();
	test_no_stat();
	test_environ();
	test_tree();
	test_preexisting();
	test_orphans();
	test_lost_orphans();
}
