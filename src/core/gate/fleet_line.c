/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/gate/fleet_line.h"

void
fleet_line_read(struct fleet_line *line, char *words)
{
	for (int i = 0; i < FLEET_FIELDS; i++) {
		bool is_last = words[0] == ':';

		line->fields[i] = words + is_last;
		words += is_last ? strlen(words) : length_before(words, ' ');
		if (*words == ' ')
			*words++ = '\0';
		if (!count_parse(line->fields[i], &line->numbers[i]))
			line->numbers[i] = 0;
	}
}

bool
fleet_line_is(const struct fleet_line *line, const char *word)
{
	return strcmp(line->fields[0], word) == 0;
}
