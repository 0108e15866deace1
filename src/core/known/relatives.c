/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/array.h"
#include "core/base/nearest.h"
#include "core/known/presets.h"
#include "core/known/relatives.h"
#include "core/known/tools.h"

#define MOST 8 /* at most this many names in one question */

/* Names used elsewhere for what we call otherwise; separated by blanks. */
struct nickname {
	char names[32];
	char ours[32];
};

static const struct nickname preset_nicknames[] = {
	{ "k8s kube kubelet", "kubernetes kubernetes-job" },
	{ "amazon boto botocore", "aws-full aws-sdk aws-sdk-2026" },
	{ "gcp gcloud", "google" },
	{ "exponential", "aws-full google" },
	{ "sip", "sip-invite sip-request" },
};

static const struct nickname tool_nicknames[] = {
	{ "k8s kube kubernetes", "kubectl" },
	{ "postgres postgresql", "psql pg_isready pg_dump" },
	{ "google gcp", "gcloud" },
	{ "ansible", "ansible-playbook" },
	{ "node nodejs", "npm" },
	{ "python", "pip" },
};

struct names {
	struct nearest nearest;
	const char *found[MOST]; /* each ends at a blank or a NUL */
	size_t count;
};

static void
take(struct names *names, const char *name)
{
	if (names->count < MOST)
		names->found[names->count++] = name;
}

/* Offers a known name: it may begin with the unknown one, or be near it. */
static void
offer(struct names *names, const char *name)
{
	const struct nearest *nearest = &names->nearest;

	if (nearest->length > 1
	    && strncmp(name, nearest->word, nearest->length) == 0)
		take(names, name);
	nearest_offer_words(&names->nearest, name);
}

/* The word after the one at WORD; NULL: there is none. */
static const char *
next_word(const char *word)
{
	const char *blank = strchr(word, ' ');

	return blank != NULL ? blank + 1 : NULL;
}

static void
take_nicknamed(
    struct names *names, const struct nickname *nicknames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *at = nicknames[i].ours;

		if (!words_have(nicknames[i].names, names->nearest.word,
		        names->nearest.length))
			continue;
		for (; at != NULL; at = next_word(at))
			take(names, at);
	}
}

static bool
ask(const struct names *names, struct text *text)
{
	if (names->count == 0)
		return nearest_ask(&names->nearest, text, "");
	text_add(text, "did you mean ");
	for (size_t i = 0; i < names->count; i++) {
		if (i > 0)
			text_add(text, i + 1 < names->count ? ", " : " or ");
		for (const char *at = names->found[i];
		     *at != '\0' && *at != ' '; at++)
			text_byte(text, *at);
	}
	text_byte(text, '?');
	return true;
}

bool
preset_relatives(const char *name, struct text *text)
{
	struct names names = { .nearest = nearest_to(name, strlen(name)) };
	struct preset preset = { .name = NULL };

	take_nicknamed(
	    &names, preset_nicknames, ARRAY_LENGTH(preset_nicknames));
	if (names.count > 0)
		return ask(&names, text);
	while (presets_next(&preset))
		offer(&names, preset.name);
	return ask(&names, text);
}

bool
tool_relatives(const char *name, struct text *text)
{
	struct names names = { .nearest = nearest_to(name, strlen(name)) };
	const struct tool *tool;

	take_nicknamed(&names, tool_nicknames, ARRAY_LENGTH(tool_nicknames));
	if (names.count > 0)
		return ask(&names, text);
	for (size_t i = 0; (tool = tool_at(i)) != NULL; i++) {
		offer(&names, tool_name(tool));
		nearest_offer_words(&names.nearest, tool_aliases(tool));
	}
	return ask(&names, text);
}
