/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "doors/fleet_slots_word.h"
#include "shared/ancestors.h"
#include "shared/shared_state.h"

/*
 * "DEVICE:INODE:NAME:", which tells these slots from others, or "fleet:NAME:".
 */
static void
add_identity(struct text *text, const struct slots_options *options)
{
	const struct state_dir *dir = shared_state_dir();

	if (!options->fleet)
		text_join(text, NUMBER((int64_t)dir->device), ":",
		    NUMBER((int64_t)dir->inode), ":");
	shared_name_add(text, options->name, options->fleet);
	text_byte(text, ':');
}

/*
 * BACKOFF_SLOTS has a word of our identity and a PID for each slot that is held
 * by who has started us, or who did. What only says so is not believed.
 */
bool
fleet_slots_word_is_held(const struct slots_options *options, const char *words)
{
	char identity[SHARED_NAME_SIZE + 48];
	struct text text = text_in(identity, sizeof identity);

	add_identity(&text, options);
	while (words != NULL && *words != '\0') {
		size_t length = strcspn(words, " ");
		char number[24] = "";
		int64_t pid;

		if (length > text.length && length - text.length < sizeof number
		    && memcmp(words, identity, text.length) == 0) {
			memcpy(
			    number, words + text.length, length - text.length);
			if (count_parse(number, &pid) && pid <= INT32_MAX
			    && may_be_ancestor((pid_t)pid))
				return true;
		}
		words += length + (words[length] == ' ');
	}
	return false;
}

char *
fleet_slots_word_entry(const struct slots_options *options, const char *above)
{
	size_t size = strlen(above) + SHARED_NAME_SIZE + 96;
	char *room = malloc(size);
	struct text text;

	if (room == NULL)
		return NULL;
	text = text_in(room, size);
	text_join(&text, "BACKOFF_SLOTS=", above, above[0] != '\0' ? " " : "");
	add_identity(&text, options);
	text_number(&text, getpid());
	return room;
}
