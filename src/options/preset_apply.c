/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include "core/known/presets.h"
#include "options/preset_apply.h"
#include "options/program.h"
#include "options/set.h"
#include "options/values.h"

/* Whether option ID contradicts another one; defaults count too. */
static bool
is_contradicted(
    const struct options *options, const struct given *given, enum option_id id)
{
	struct options complete = *options;
	struct contradiction found;

	option_defaults(&complete, given);
	return option_contradiction(&complete, given, &found)
	    && (found.a == id || found.b == id);
}

/*
 * Adds an option of a preset, unless the user has given it or one that
 * contradicts it. Skips options that this program does not have.
 */
static void
add_option(struct options *options, struct given *given, enum option_id id,
    const char *text)
{
	struct options with = *options;
	struct given given_with = *given;

	if ((option_table[id].programs & (program.set | PROGRAM_PRESET)) == 0
	    || given->text[id] != NULL)
		return;
	option_set(&with, id, text);
	given_with.text[id] = text;
	if (!is_contradicted(&with, &given_with, id)) {
		*options = with;
		*given = given_with;
		option_note(&given->notes, id, text);
	} else if (id == OPT_DELAYS) {
		value_free_delays(&with.settings.policy);
	}
}

void
preset_apply(struct options *options, struct given *given, struct text *words)
{
	struct preset preset;
	char *word = words->data;

	if (!presets_find(&preset, options->preset))
		return;
	text_join(&given->notes, "; preset ", preset.name, ":");
	text_join(words, preset.options, " ", preset.fields);
	while (*word != '\0') {
		const char *name = word + strspn(word, "-");
		size_t length = strcspn(name, "=");
		const char *value = name + length + 1;
		char *end = word + strcspn(word, " ");

		word = end + (*end != '\0');
		*end = '\0';
		add_option(options, given, option_named(name, length), value);
	}
}
