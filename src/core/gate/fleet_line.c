/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/gate/fleet_line.h"

static const char words[FLEET_WORDS][8] = { "hello", "look", "turn", "await",
	"end", "cancel", "slot", "claim", "free", "bye", "open", "keep", "gate",
	"ended", "done", "freed", "lost", "wrong", "opened" };

void
fleet_line_write(struct text *text, const struct fleet_line *line)
{
	int numbers = FLEET_NUMBERS;

	text_add(text, words[line->word]);
	while (numbers > 0 && line->numbers[numbers - 1] == 0)
		numbers--;
	for (int i = 0; i < numbers; i++)
		text_join(text, " ", NUMBER(line->numbers[i]));
	for (int i = 0; i < line->records_count; i++) {
		text_add(text, " #");
		for (size_t j = 0; j < GATE_RECORD_SIZE; j++)
			text_hex(text, line->records[i][j]);
	}
	if (line->text[0] != '\0') {
		text_add(text, " :");
		text_ascii(text, line->text);
	}
}

/* What follows the record at HEX, or NULL. */
static const char *
read_record(uint8_t *record, const char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 2 * (size_t)GATE_RECORD_SIZE; i++, hex++) {
		const char *at = *hex != '\0' ? strchr(digits, *hex) : NULL;

		if (at == NULL)
			return NULL;
		record[i / 2] = (uint8_t)(record[i / 2] << 4 | (at - digits));
	}
	return hex;
}

/* What follows the word, or NULL. */
static const char *
read_word(struct fleet_line *line, const char *from)
{
	size_t length = strcspn(from, " ");

	for (int i = 0; i < FLEET_WORDS; i++)
		if (strlen(words[i]) == length
		    && memcmp(from, words[i], length) == 0) {
			line->word = (enum fleet_word)i;
			return from + length;
		}
	return NULL;
}

static const char *
read_number(int64_t *number, const char *from)
{
	char *end;

	if (*from < '0' || *from > '9')
		return NULL;
	*number = (int64_t)strtoull(from, &end, 10);
	/* What is too large is all ones. */
	return *number >= 0 ? end : NULL;
}

bool
fleet_line_read(struct fleet_line *line, const char *from)
{
	int numbers = 0;

	*line = (struct fleet_line) { .records_count = 0 };
	from = read_word(line, from);
	while (from != NULL && *from == ' ') {
		from++;
		if (*from == ':') {
			struct text text
			    = text_in(line->text, sizeof line->text);

			text_ascii(&text, from + 1);
			return true;
		}
		if (*from == '#' && line->records_count < FLEET_RECORDS)
			from = read_record(
			    line->records[line->records_count++], from + 1);
		else if (numbers < FLEET_NUMBERS && line->records_count == 0)
			from = read_number(&line->numbers[numbers++], from);
		else
			return false;
	}
	return from != NULL && *from == '\0';
}
