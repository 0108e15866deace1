/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include "core/known/presets.h"
#include "options/preset_apply.h"
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

	if (!option_is_ours(id) || given->text[id] != NULL)
		return;
	option_set(&with, id, text);
	given_with.text[id] = text;
	if (!is_contradicted(&with, &given_with, id)) {
		*options = with;
		*given = given_with;
	} else if (id == OPT_DELAYS) {
		value_free_delays(&with.settings.policy);
	}
}

/* Checks that the user gave what the preset needs: "--base, --cap ...". */
static void
check_needs(const struct preset *preset, const struct given *given)
{
	const char *why = JOINED(64, "expected ", preset->needs, " with it");

	for (const char *at = preset->needs; (at = strstr(at, "--")) != NULL;) {
		size_t length = strcspn(at += 2, ", ");

		if (given->text[option_named(at, length)] == NULL)
			option_refuse(OPT_PRESET, preset->name, why);
	}
}

void
preset_apply(struct options *options, struct given *given, struct text *words)
{
	struct preset preset;
	char *word = words->data;

	if (!presets_find(&preset, options->preset))
		return;
	check_needs(&preset, given);
	text_add(words, preset.options);
	while (*word != '\0') {
		const char *name = word + strlen("--");
		size_t length = strcspn(name, "=");
		const char *value = name + length + 1;
		char *end = word + strcspn(word, " ");

		word = end + (*end != '\0');
		*end = '\0';
		add_option(options, given, option_named(name, length), value);
	}
}
