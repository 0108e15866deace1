/* SPDX-License-Identifier: MIT */
/*
 * What backoff and its helper say to each other.
 */
#include <config.h>

#include "core/gate/gate.h"
#include "unit/tap.h"

/* The fields of WORDS, with their numbers where they are not 0. */
static void
reads(const char *words, const char *fields)
{
	char copy[FLEET_LINE_SIZE], room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);
	struct fleet_line line;

	text_copy(copy, sizeof copy, words);
	fleet_line_read(&line, copy);
	for (int i = 0; i < FLEET_FIELDS; i++) {
		if (line.fields[i][0] == '\0')
			continue;
		text_join(&text, "[", line.fields[i], "]");
		if (line.numbers[i] != 0)
			text_add(&text, NUMBER(line.numbers[i]));
	}
	is_string(room, fields, words);
}

TEST(fields)
{
	reads("", "");
	reads("look {hub}:gate", "[look][{hub}:gate]");
	reads("look {hub}:gate 12 0 3", "[look][{hub}:gate][12]12[0][3]3");
	reads("done 0 1", "[done][0][1]1");
	reads("done 1", "[done][1]1");
	reads("put {hub}:slots 9223372036854775807 - 0a",
	    "[put][{hub}:slots][9223372036854775807]9223372036854775807[-]["
	    "0a]");
	reads("look 99999999999999999999 -1 +1 1x",
	    "[look][99999999999999999999]9223372036854775807[-1][+1][1x]");
	reads("lost :a :text  with blanks ", "[lost][a :text  with blanks ]");
	reads("hello 5 :", "[hello][5]5");
	reads("look  2", "[look][2]2");
	reads("0 1 2 3 4 5 6 7 8 9 10 11",
	    "[0][1]1[2]2[3]3[4]4[5]5[6]6[7]7[8]8[9]9");
}
