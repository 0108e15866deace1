/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/base/text.h"
#include "core/gate/record.h"
#include "log/log.h"
#include "shared/lock.h"
#include "shared/shared_state.h"

static const char *asked; /* the directory, or NULL */
static struct state_dir directory = { .fd = -1 };
static bool is_tried; /* to open it */

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
shared_state_add_why(
    struct text *text, const struct shared_part *part, const char *why)
{
	text_bounded(text, directory.path);
	if (part->file.blames_file)
		text_join(text, "/", part->name);
	text_join(text, ": ", why);
}

void
shared_state_lose(struct shared_part *part, const char *why)
{
	char words[PATH_MAX + WHY_SIZE + 192];
	char reason[PATH_MAX + WHY_SIZE + 80];
	const char *what
	    = JOINED(SHARED_NAME_SIZE + 16, part->what, " ", part->name);
	struct text text = text_in(words, sizeof words);
	struct text because = text_in(reason, sizeof reason);
	bool is_alarm = part->is_limit && part->instead == NULL;

	shared_state_add_why(&because, part, why);
	if (is_alarm)
		text_join(
		    &text, "limit of ", what, " NOT enforced (", reason, ")");
	else
		text_join(&text, "cannot use ", what, " (", reason,
		    "); going on ",
		    part->instead != NULL ? part->instead : "without");
	log_degraded(
	    is_alarm ? WEIGHT_ALARM : WEIGHT_NORMAL, words, what, reason);
	state_file_close(&part->file);
}

bool
shared_state_find(struct shared_part *part)
{
	part->file = (struct state_file) { .fd = -1 };
	if (!is_tried) {
		is_tried = true;
		state_dir_open(&directory, asked);
	}
	if (directory.fd < 0) {
		text_copy(part->file.why, sizeof part->file.why, directory.why);
		return false;
	}
	if (!state_file_open(&part->file, &directory, part->name))
		return false;
	if (!part->is_limit || lock_is_possible(part->file.fd))
		return true;
	text_copy(part->file.why, sizeof part->file.why, strerror(errno));
	return false;
}

bool
shared_state_open(struct shared_part *part)
{
	if (shared_state_find(part))
		return true;
	shared_state_lose(part, part->file.why);
	return false;
}

static void
note(const struct shared_part *part, const char *why)
{
	log_news(WEIGHT_DETAIL,
	    JOINED(WHY_SIZE + 128, "state of ", part->what, " ", part->name,
	        " ignored: ", why),
	    NULL, NULL);
}

void
shared_state_note_new(const struct shared_part *part)
{
	if (part->file.why[0] != '\0')
		note(part, part->file.why);
}

void
shared_state_note_broken(const struct shared_part *part)
{
	note(part, "bad checksum");
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
