/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/text.h"
#include "log/log.h"
#include "shared/shared_state.h"

static const char *asked; /* the directory, or NULL */
static struct state_dir directory = { .fd = -1 };
static bool is_tried; /* to open it */

static void
note(const char *words)
{
	log_news(WEIGHT_DETAIL, words, NULL, NULL);
}

void
shared_state_start(const char *where)
{
	asked = where;
}

const struct state_dir *
shared_state_dir(void)
{
	return &directory;
}

void
shared_state_lose(struct shared_part *part, const char *why)
{
	char words[PATH_MAX + WHY_SIZE + 128];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "cannot use ");
	text_add(&text, part->what);
	text_byte(&text, ' ');
	text_add(&text, part->name);
	text_add(&text, " (");
	text_bounded(&text, directory.path);
	if (part->file.blames_file) {
		text_byte(&text, '/');
		text_add(&text, part->name);
	}
	text_add(&text, ": ");
	text_add(&text, why);
	text_add(&text, "); going on ");
	text_add(&text, part->instead != NULL ? part->instead : "without");
	log_news(WEIGHT_NORMAL, words, NULL, NULL);
	state_file_close(&part->file);
}

bool
shared_state_open(struct shared_part *part)
{
	part->file = (struct state_file) { .fd = -1 };
	if (!is_tried) {
		is_tried = true;
		state_dir_open(&directory, asked, note);
	}
	if (directory.fd < 0) {
		shared_state_lose(part, directory.why);
		return false;
	}
	if (state_file_open(&part->file, &directory, part->name))
		return true;
	shared_state_lose(part, part->file.why);
	return false;
}

void
shared_state_note_new(const struct shared_part *part)
{
	char words[WHY_SIZE + 128];
	struct text text = text_in(words, sizeof words);

	if (part->file.why[0] == '\0')
		return;
	text_add(&text, "state of ");
	text_add(&text, part->what);
	text_byte(&text, ' ');
	text_add(&text, part->name);
	text_add(&text, " is as new: ");
	text_add(&text, part->file.why);
	note(words);
}

bool
shared_state_read(struct shared_part *part, uint8_t record[STATE_SIZE])
{
	switch (state_file_read(&part->file, record)) {
	case STATE_RECORD:
		return true;
	case STATE_NEW:
		shared_state_note_new(part);
		return true;
	case STATE_UNUSABLE:
		break;
	}
	shared_state_lose(part, part->file.why);
	return false;
}

bool
shared_state_begin(struct shared_part *part, uint8_t record[STATE_SIZE])
{
	enum state_found found;

	if (!state_file_lock(&part->file)) {
		shared_state_lose(part, part->file.why);
		return false;
	}
	found = state_file_read(&part->file, record);
	if (found == STATE_NEW)
		state_record_set_boot(record, boot_hash());
	if (found != STATE_UNUSABLE)
		return true;
	/* Closing it frees the lock, and nothing is told under that. */
	state_file_unlock(&part->file);
	shared_state_lose(part, part->file.why);
	return false;
}

bool
shared_state_finish(
    struct shared_part *part, const uint8_t record[STATE_SIZE], bool changed)
{
	bool is_written = !changed || state_file_write(&part->file, record);

	state_file_unlock(&part->file);
	if (!is_written)
		shared_state_lose(part, part->file.why);
	return is_written;
}
