/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "options/shared.h"
#include "types/option_types.h"

static const char expected_name[]
    = "expected a name of up to 64 letters, digits and . _ -";

/* The NAME that TEXT begins with. Returns what follows it; or NULL. */
static const char *
scan_shared_name(
    const char *text, char name[SHARED_NAME_SIZE], struct refusal *refusal)
{
	size_t length = shared_name_scan(text);

	if (length == 0) {
		refuse(refusal,
		    strncmp(text, "list", 4) == 0
		        ? "expected another name: list is reserved"
		        : expected_name);
		return NULL;
	}
	memcpy(name, text, length);
	name[length] = '\0';
	return text + length;
}

/* Whether TEXT is of a fleet: then *TEXT is what follows. */
static bool
scan_fleet(const char **text)
{
	size_t length = strlen(FLEET_PREFIX);
	bool is_fleet = strncmp(*text, FLEET_PREFIX, length) == 0;

	*text += is_fleet ? length : 0;
	return is_fleet;
}

bool
value_gate(const char *text, void *field, struct refusal *refusal)
{
	struct gate_options *gate = field;
	const char *rest;

	gate->list = strcmp(text, "list") == 0;
	gate->name[0] = '\0';
	if (gate->list)
		return true;
	gate->open = strncmp(text, "open:", 5) == 0;
	text += gate->open ? 5 : 0;
	gate->fleet = scan_fleet(&text);
	rest = scan_shared_name(text, gate->name, refusal);
	return rest != NULL
	    && (*rest == '\0' || refuse(refusal, expected_name));
}

bool
value_defer(const char *text, void *field, struct refusal *refusal)
{
	struct defer_options *defer = field;
	const char *rest;

	if (scan_fleet(&text))
		return refuse(
		    refusal, "expected NAME: no fleet shares deferrals");
	rest = scan_shared_name(text, defer->name, refusal);
	defer->limits = (struct range) { NS_PER_MIN, 60 * NS_PER_MIN };
	if (rest == NULL || *rest == '\0')
		return rest != NULL;
	if (*rest != ':')
		return refuse(refusal, expected_name);
	if (strstr(rest, "..") == NULL
	    || !value_splay(rest + 1, &defer->limits, refusal))
		return refuse(refusal,
		    "expected NAME:LOW..HIGH with LOW not above HIGH, such as "
		    "backup:1m..1h");
	return defer->limits.low_ns > 0
	    || refuse(refusal, "expected a LOW above 0");
}

bool
value_slots(const char *text, void *field, struct refusal *refusal)
{
	struct slots_options *slots = field;
	const char *rest;

	slots->fleet = scan_fleet(&text);
	rest = scan_shared_name(text, slots->name, refusal);
	if (rest == NULL)
		return false;
	if (*rest != ':' || !count_parse(rest + 1, &slots->count))
		return refuse(refusal,
		    "expected NAME:N, for at most N concurrent attempts");
	return (slots->count >= 1 && slots->count <= SLOTS_MOST)
	    || refuse(refusal, "expected a number of slots from 1 to 1024");
}
