/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <stdlib.h>

#include "core/duration.h"
#include "options/option_values.h"

const char *
value_delays(const char *text, void *field)
{
	static const char expected[]
	    = "expected a list of durations such as 15s,30s,3m";
	struct policy *policy = field;
	size_t count = 1;
	int64_t *list;
	bool with_unit;

	for (const char *at = text; *at != '\0'; at++)
		count += *at == ',';
	list = calloc(count, sizeof *list);
	if (list == NULL)
		return "no memory for it";
	for (size_t i = 0; i < count; i++) {
		text = duration_scan(text, &list[i], &with_unit);
		if (text == NULL || list[i] == DURATION_INF
		    || *text != (i + 1 < count ? ',' : '\0')) {
			free(list);
			return expected;
		}
		text++;
	}
	value_free_delays(policy);
	policy->delays_ns = list;
	policy->delays = count;
	return NULL;
}

void
value_free_delays(struct policy *policy)
{
	free((void *)(uintptr_t)policy->delays_ns);
	policy->delays_ns = NULL;
	policy->delays = 0;
}
