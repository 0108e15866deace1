/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>

#include "core/known/presets.h"

/*
 * Five strings for each preset, one after the other: a table of pointers would
 * have to be relocated at every start.
 */
static const char table[] =
#define PRESET(name, fields, options, source, note) \
	name "\0" fields "\0" options "\0" source "\0=" note "\0"
#define APPROXIMATE(name, fields, options, source, note) \
	name "\0" fields "\0" options "\0" source "\0~" note "\0"
#include "core/known/presets.def"
#undef PRESET
#undef APPROXIMATE
    ;

static const char *
behind(const char *string)
{
	return string + strlen(string) + 1;
}

bool
presets_next(struct preset *preset)
{
	preset->name = preset->name == NULL ? table : behind(preset->note);
	if (*preset->name == '\0')
		return false;
	preset->fields = behind(preset->name);
	preset->options = behind(preset->fields);
	preset->source = behind(preset->options);
	preset->note = behind(preset->source);
	preset->approximate = *preset->note++ == '~';
	return true;
}

bool
presets_find(struct preset *preset, const char *name)
{
	*preset = (struct preset) { .name = NULL };
	while (presets_next(preset))
		if (strcmp(preset->name, name) == 0)
			return true;
	return false;
}
