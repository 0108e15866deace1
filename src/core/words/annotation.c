/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/words/annotation.h"

/* %25 and the like, for the bytes in ESCAPED. */
static void
add_escaped(struct text *text, const char *string, const char *escaped)
{
	static const char hex[] = "0123456789ABCDEF";

	for (; *string != '\0'; string++) {
		unsigned char byte = (unsigned char)*string;

		if (strchr(escaped, *string) == NULL) {
			text_byte(text, *string);
			continue;
		}
		text_byte(text, '%');
		text_byte(text, hex[byte >> 4]);
		text_byte(text, hex[byte & 15]);
	}
}

void
annotation_text(struct text *text, enum annotation kind, const char *name,
    const char *message)
{
	char title[2 * TEXT_BOUND];
	struct text words = text_in(title, sizeof title);
	size_t start;

	text_add(&words, "backoff: ");
	text_bounded(&words, name);
	text_join(text, kind == ANNOTATION_ERROR ? "::error" : "::warning",
	    " title=");
	start = text->length;
	add_escaped(text, title, "%\r\n:,");
	text_add(text, "::");
	add_escaped(text, message, "%\r\n");
	annotation_defuse(text->data + start);
}

void
annotation_defuse(char *line)
{
	while ((line = strstr(line, "##[")) != NULL)
		line[1] = '?';
}
