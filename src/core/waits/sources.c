/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/waits/anchors.h"
#include "core/waits/header_line.h"
#include "core/waits/json_key.h"
#include "core/waits/sentence.h"
#include "core/waits/sources.h"

void
waits_reset(struct waits *waits)
{
	for (int i = 0; i < WAIT_SOURCES; i++)
		waits->found[i].stated = STATED_MISSING;
	waits->reset.stated = STATED_MISSING;
	waits->is_used_up = false;
	waits->lines = 0;
}

static void
found(struct waits *waits, struct stated_wait *place, const struct when *when)
{
	place->stated = STATED_READ;
	place->when = *when;
	place->line = waits->lines;
}

/* TEXT, up to its LENGTH, should have been a WHEN. */
static void
unreadable(struct stated_wait *place, const char *text, size_t length)
{
	if (place->stated > STATED_UNREADABLE)
		return;
	place->stated = STATED_UNREADABLE;
	if (length > WAIT_TEXT)
		length = WAIT_TEXT;
	memcpy(place->text, text, length);
	place->text[length] = '\0';
}

static bool
has_zone(const struct waits *waits, const struct when *when)
{
	return when->zone != ZONE_NAMED || waits->has_zone == NULL
	    || waits->has_zone(when->zone_name);
}

const struct stated_wait *
waits_of(const struct waits *waits, enum wait_source source)
{
	const struct stated_wait *place = &waits->found[source];

	if (source != WAIT_HEADER || !waits->is_used_up
	    || waits->reset.stated < place->stated)
		return place;
	return waits->reset.stated > place->stated
	        || waits->reset.line > place->line
	    ? &waits->reset
	    : place;
}

void
waits_look_at_header(struct waits *waits, const char *line, size_t length)
{
	struct header_line header = header_line_read(line, length);
	struct stated_wait *place
	    = header.is_reset ? &waits->reset : &waits->found[WAIT_HEADER];

	waits->lines++;
	waits->is_used_up |= header.is_used_up;
	if (header.stated == STATED_READ)
		found(waits, place, &header.when);
	else if (header.stated == STATED_UNREADABLE)
		unreadable(place, header.text, header.length);
	else if (header.stated == STATED_EMPTY && place->stated < STATED_EMPTY)
		place->stated = STATED_EMPTY;
}

/* What is stated from WORD on, the first of its sentence or of its key. */
static void
look_at_word(struct waits *waits, const char *word, bool is_quoted)
{
	struct when when;

	if (is_quoted && json_key_read(word, &when) && has_zone(waits, &when))
		found(waits, &waits->found[WAIT_KEY], &when);
	if (sentence_read(word, &when) && has_zone(waits, &when))
		found(waits, &waits->found[WAIT_SENTENCE], &when);
}

void
waits_look_at_text(struct waits *waits, const char *line, size_t length)
{
	const char *end = line + length;

	for (const char *at = anchor_next(line, end); at < end;
	     at = anchor_next(at + 1, end)) {
		const char *word = at;

		if (at - line >= 2 && strncasecmp(at - 2, "re", 2) == 0)
			word = at - 2;
		if (word == line || (!is_of_word(word[-1]) && word[-1] != '-'))
			look_at_word(
			    waits, word, word > line && word[-1] == '"');
	}
}

void
waits_point(struct waits *waits, enum wait_source source, const char *text)
{
	struct stated_wait *place = &waits->found[source];
	struct when when;

	if (when_scan(sentence_skip_between(text), &when) != NULL
	    && has_zone(waits, &when))
		found(waits, place, &when);
	else
		unreadable(place, skip_blanks(text), strlen(skip_blanks(text)));
}
