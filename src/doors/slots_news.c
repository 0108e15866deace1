/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/words/json.h"
#include "doors/slots_news.h"
#include "log/log.h"
#include "options/usage.h"

static void
add_name(struct text *text, const struct slots_options *options)
{
	shared_name_add(text, options->name, options->fleet);
}

/* "cannot use slots hub (DIR: WHY)" */
void
slots_news_refuse_run(const struct slots_options *options,
    const struct shared_part *part, const char *why)
{
	char words[2 * PATH_MAX];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "cannot use slots ");
	add_name(&text, options);
	text_add(&text, " (");
	shared_state_add_why(&text, part, part->file.why);
	if (*why != '\0') {
		text_add(&text, "; ");
		text_add(&text, why);
	}
	text_byte(&text, ')');
	usage_refuse(words, NULL, NULL);
}

/* "waiting for one of 4 slots of hub" */
void
slots_news_wait(const struct slots_options *options)
{
	char words[SHARED_NAME_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	if (options->count == 1) {
		text_add(&text, "waiting for the slot of ");
	} else {
		text_add(&text, "waiting for one of ");
		text_number(&text, options->count);
		text_add(&text, " slots of ");
	}
	add_name(&text, options);
	log_news(WEIGHT_NORMAL, words, NULL, NULL);
}

void
slots_news_taken(const struct slots_options *options, int64_t waited_ns)
{
	char members[SHARED_NAME_SIZE + 64], shown[FLEET_NAME_SIZE];
	struct text text = text_in(members, sizeof members);
	struct text name = text_in(shown, sizeof shown);

	add_name(&name, options);
	json_member_string(&text, "slots", shown);
	json_member_seconds(&text, "waited_s", waited_ns);
	log_news(WEIGHT_NORMAL, NULL, "slot", members);
}

void
slots_news_lost(const struct slots_options *options)
{
	char words[SHARED_NAME_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "lost the slot of ");
	add_name(&text, options);
	log_news(WEIGHT_NORMAL, words, NULL, NULL);
}

/* "no slot of hub was free within 30s" */
struct entry
slots_news_refuse(const struct slots_options *options)
{
	static char closing[SHARED_NAME_SIZE + 64];
	struct text text = text_in(closing, sizeof closing);

	text_add(&text, "no slot of ");
	add_name(&text, options);
	text_add(&text, " was free within ");
	duration_text(&text, options->wait_ns);
	return (struct entry) { .admission = ADMISSION_REFUSED,
		.closing = closing,
		.reason = closing };
}

/* "deadline reached in 30s, waiting for a slot of hub" */
struct entry
slots_news_late(const struct slots_options *options)
{
	static char waiting[SHARED_NAME_SIZE + 32];
	struct text text = text_in(waiting, sizeof waiting);

	text_add(&text, "a slot of ");
	add_name(&text, options);
	return (
	    struct entry) { .admission = ADMISSION_LATE, .waiting = waiting };
}
