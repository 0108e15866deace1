/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <stdio.h>

#include "catalog.h"
#include "presets.h"
#include "usage.h"

/* The options in a line of their own: to be copied and changed. */
void
catalog_presets(void)
{
	struct preset preset = { .name = NULL };

	while (presets_next(&preset)) {
		printf("%s%s\n", preset.name,
		    preset.approximate ? " (approximate)" : "");
		printf("    %s%s%s\n", preset.options,
		    *preset.needs != '\0' ? ", needs " : "", preset.needs);
		printf("    %s\n", preset.source);
		if (*preset.note != '\0')
			printf("    (%s)\n", preset.note);
	}
	usage_finish();
}
