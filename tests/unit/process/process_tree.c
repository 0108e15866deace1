/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "process/process.h"
#include "unit/tap.h"

enum {
	SELF = 100,
	COMMAND = 200,
};

/* Compares which of LIST are found in the tree, in their order. */
static void
has_tree(struct process *list, size_t count, const struct process_tree *tree,
    const char *wanted, const char *what)
{
	struct processes all = { list, count };
	char got[200] = "";
	size_t length = 0;

	process_tree_find(&all, tree);
	for (size_t i = 0; i < count; i++)
		if (list[i].in_tree)
			length += (size_t)snprintf(got + length,
			    sizeof got - length, "%d ", (int)list[i].pid);
	is_string(got, wanted, what);
}

#define HAS_TREE(list, tree, wanted, what) \
	has_tree(list, ARRAY_LENGTH(list), &(tree), wanted, what)

static const struct process_tree alone = { .self = SELF, .command = COMMAND };

TEST(tree)
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

	HAS_TREE(usual, alone, "200 201 202 203 ",
	    "what is below self, orphans too, and nothing else");
	HAS_TREE(wrapped, alone, "2 3 4 5 200 300 ",
	    "children with a lower pid than their parent");
	HAS_TREE(unsorted, alone, "200 201 202 ", "in any order");
	process_tree_find(&none, &alone);
	is_int((int64_t)none.count, 0, "no process at all");
}

TEST(preexisting)
{
	struct process before[] = { { .pid = 110, .start = 5 },
		{ .pid = 111, .start = 6 }, { .pid = 112, .start = 7 } };
	struct process_tree tree = { .self = SELF,
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

	HAS_TREE(all, tree, "112 200 ",
	    "what was there is spared, with what it has started");
}

TEST(orphans)
{
	struct process before[] = { { .pid = 110, .start = 5 } };
	struct process seen[] = { { .pid = 303, .start = 63 } };
	struct process_tree tree = { .self = SELF,
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

	ok(process_needs_mark(&tree, &all[2]), "an orphan needs a mark");
	ok(!process_needs_mark(&tree, &all[1]), "COMMAND needs none");
	ok(!process_needs_mark(&tree, &all[4]), "what is known needs none");
	ok(!process_needs_mark(&tree, &all[7]), "no orphan needs one");
	ok(!process_needs_mark(&alone, &all[2]),
	    "nor does one that can only be COMMAND's");
	HAS_TREE(all, tree, "200 301 303 305 306 ",
	    "orphans without a mark are spared, unless they were known");
	HAS_TREE(given, alone, "302 ", "without others there is no doubt");
}

/* Where orphans get process 1 as their parent, as anybody's do. */
TEST(lost_orphans)
{
	struct process before[] = { { .pid = 110, .start = 5 } };
	struct process seen[] = { { .pid = 303, .start = 63 } };
	struct process_tree tree = { .self = SELF,
		.loses_orphans = true,
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

	ok(process_needs_mark(&tree, &all[4]), "an orphan needs a mark");
	ok(process_needs_mark(&tree, &all[5]), "as does any other");
	ok(!process_needs_mark(&tree, &all[0]), "process 1 needs none");
	ok(!process_needs_mark(&tree, &all[3]), "nor does COMMAND");
	ok(!process_needs_mark(&tree, &all[6]), "nor what is known");
	ok(!process_needs_mark(&tree, &all[10]), "nor our own child");
	tree.preexisting = (struct processes) { before, ARRAY_LENGTH(before) };
	HAS_TREE(all, tree, "200 301 303 304 306 307 ",
	    "orphans with the mark, and what is below them");
}
