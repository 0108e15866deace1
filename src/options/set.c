/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>

#include "core/known/tools.h"
#include "options/help.h"
#include "options/rules.h"
#include "options/set.h"
#include "options/shared.h"
#include "options/values.h"

/* The parser of an option's argument, and the field that it sets. */
struct target {
	value_parser *parse;
	size_t field;
};

static bool
value_help(const char *text, void *field, struct refusal *refusal)
{
	(void)field;
	if (text == NULL)
		help_brief();
	if (strcmp(text, "all") == 0)
		help_all();
	return refuse(refusal, "expected all, or nothing");
}

_Noreturn static bool
value_help_all(const char *text, void *field, struct refusal *refusal)
{
	(void)text;
	(void)field;
	(void)refusal;
	help_all();
}

_Noreturn static bool
value_version(const char *text, void *field, struct refusal *refusal)
{
	(void)text;
	(void)field;
	(void)refusal;
	help_version();
}

#define ALL 0
#define FIELD(field) offsetof(struct options, field)
#define RULES FIELD(settings.rules)
#define POLICY(field) FIELD(settings.policy.field)
#define LIMIT(field) FIELD(settings.limits.field)

static const struct target targets[OPTIONS] = {
#define GROUP(group, title)
#define OPT(set, id, letter, name, argument, group, parser, target, help) \
	{ value_##parser, target },
#include "options/options.def"
#undef GROUP
#undef OPT
};

void
option_set(struct options *options, enum option_id id, const char *text)
{
	const struct target *target = &targets[id];
	struct refusal refusal = { .item = "" };

	if (!target->parse(text, (char *)options + target->field, &refusal))
		option_refuse(id, *refusal.item != '\0' ? refusal.item : text,
		    refusal.why);
}

bool
option_takes(enum option_id id, const char *text)
{
	struct options nowhere;
	struct refusal refusal;

	/* Every word is one, so nothing tells. */
	if (id == OPT_RETRY_AFTER)
		return false;
	if (id == OPT_TOOL)
		return strcmp(text, "list") == 0 || tool_named(text) != NULL;
	return option_table[id].argument[0] == '['
	    && targets[id].parse(
	        text, (char *)&nowhere + targets[id].field, &refusal);
}
