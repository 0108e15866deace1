/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include "core/known/presets.h"
#include "options/getopt_table.h"
#include "options/option_set.h"
#include "options/option_values.h"
#include "options/preset_apply.h"

/*
 * Applies an option of a preset, unless the user has given it, or one that
 * contradicts it. What this program does not have is no part of it.
 */
static void
imitate_option(struct options *options, struct given *given, enum option_id id,
    const char *text)
{
	struct options before = *options, derived;
	struct contradiction found;

	if (!arguments_has(id) || given->text[id] != NULL)
		return;
	option_set(options, id, text);
	given->text[id] = text;
	derived = *options;
	option_defaults(&derived, given);
	if (option_contradiction(&derived, given, &found)
	    && (found.a == id || found.b == id)) {
		if (id == OPT_DELAYS)
			value_free_delays(&options->settings.policy);
		*options = before;
		given->text[id] = NULL;
	}
}

/* What the user has to choose is given: "--base, --cap and --steps". */
static void
check_needs(const struct preset *preset, const struct given *given)
{
	char why[64];
	struct text text = text_in(why, sizeof why);

	text_add(&text, "expected ");
	text_add(&text, preset->needs);
	text_add(&text, " with it");
	for (const char *at = preset->needs; (at = strstr(at, "--")) != NULL;) {
		size_t length = strcspn(at += 2, ", ");

		if (given->text[arguments_named(at, length)] == NULL)
			arguments_refuse(OPT_PRESET, preset->name, why);
	}
}

void
preset_apply(struct options *options, struct given *given, const char *name,
    struct text *words)
{
	struct preset preset;
	char *at = words->data;

	if (!presets_find(&preset, name))
		arguments_refuse(OPT_PRESET, name,
		    "expected the name of a preset; --preset=list prints all");
	check_needs(&preset, given);
	text_add(words, preset.options);
	while (*at != '\0') {
		size_t length = strcspn(at, " ");
		size_t named = strcspn(at, "=");
		bool is_last = at[length] == '\0';

		at[length] = '\0';
		imitate_option(options, given,
		    arguments_named(at + 2, named - 2), at + named + 1);
		at += length + !is_last;
	}
}
