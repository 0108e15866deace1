/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/base/duration.h"
#include "options/values.h"
#include "types/option_types.h"

/* Reads TEXT, a list of COUNT finite durations. */
static bool
parse_delays(const char *text, int64_t *list, size_t count)
{
	bool with_unit;

	for (size_t i = 0; i < count; i++) {
		text = duration_scan(text, &list[i], &with_unit);
		if (text == NULL || list[i] == DURATION_INF
		    || *text != (i + 1 < count ? ',' : '\0'))
			return false;
		text++;
		if (i + 1 < count)
			text += strspn(text, " ");
	}
	return true;
}

bool
value_delays(const char *text, void *field, struct refusal *refusal)
{
	struct policy *policy = field;
	size_t count = 1;
	int64_t *list;

	for (const char *at = text; *at != '\0'; at++)
		count += *at == ',';
	list = calloc(count, sizeof *list);
	if (list == NULL)
		return refuse(refusal, "no memory for it");
	if (!parse_delays(text, list, count)) {
		free(list);
		return refuse(
		    refusal, "expected a list of durations such as 15s,30s,3m");
	}
	value_free_delays(policy);
	policy->delays_ns = list;
	policy->delays = count;
	return true;
}

void
value_free_delays(struct policy *policy)
{
	free((void *)(uintptr_t)policy->delays_ns);
	policy->delays_ns = NULL;
	policy->delays = 0;
}
