/* SPDX-License-Identifier: MIT */
/*
 * What backoff and its helper say to each other.
 */
#include <config.h>

#include <string.h>

#include "core/gate/fleet_line.h"
#include "unit/tap.h"

static void
writes(const struct fleet_line *line, const char *words)
{
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);
	struct fleet_line again;

	fleet_line_write(&text, line);
	is_string(room, words, words);
	ok(fleet_line_read(&again, room)
	        && memcmp(again.numbers, line->numbers, sizeof again.numbers)
	            == 0
	        && again.word == line->word
	        && again.records_count == line->records_count
	        && strcmp(again.text, line->text) == 0,
	    words);
}

static void
test_words(void)
{
	writes(&(struct fleet_line) { .word = FLEET_LOOK }, "look");
	writes(&(struct fleet_line) { .word = FLEET_SLOT, .numbers = { 1 } },
	    "slot 1");
	writes(&(struct fleet_line) { .word = FLEET_KEEP, .numbers = { 0, 1 } },
	    "keep 0 1");
	writes(&(struct fleet_line) { .word = FLEET_HELLO,
	           .numbers = { 2, INT64_MAX, 0, 4, 9 },
	           .text = "hub -" },
	    "hello 2 9223372036854775807 0 4 9 :hub -");
	writes(&(struct fleet_line) { .word = FLEET_LOST,
	           .text = "a :text with #marks" },
	    "lost :a :text with #marks");
}

static void
test_records(void)
{
	struct fleet_line line = { .word = FLEET_ENDED, .records_count = 2 };
	struct fleet_line again = { .text = "" };
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);
	struct gate_record record = gate_record_new();

	for (int i = 0; i < FLEET_NUMBERS; i++)
		line.numbers[i] = INT64_MAX;
	memset(line.text, '~', sizeof line.text - 1);
	gate_set_reason(&record, "exit 7");
	gate_encode(&record, line.records[0]);
	memset(line.records[1], 0xff, GATE_RECORD_SIZE);
	fleet_line_write(&text, &line);
	is_int((int64_t)text.length, (int64_t)strlen(room),
	    "the longest message fits");
	ok(fleet_line_read(&again, room)
	        && memcmp(again.records, line.records, sizeof line.records) == 0
	        && strcmp(again.text, line.text) == 0,
	    "records come as they went");
}

static void
test_refusals(void)
{
	static const char *const wrong[] = { "", " ", "loo", "looks", "LOOK",
		"look ", "look  1", "look 1 2 3 4 5 6", "look -1", "look +1",
		"look 1x", "look 9223372036854775808",
		"look 99999999999999999999", "gate #", "gate #00", "gate #0g",
		"look 1 x", "look1", "look\n" };
	struct fleet_line line;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ok(!fleet_line_read(&line, wrong[i]), wrong[i]);
	ok(fleet_line_read(&line, "lost :\x1b[1m\n")
	        && strcmp(line.text, "?[1m?") == 0,
	    "a text controls no terminal");
}

TESTS
{
	test_words();
	test_records();
	test_refusals();
}
