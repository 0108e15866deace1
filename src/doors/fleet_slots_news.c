/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/words/json.h"
#include "core/gate/fleet_line.h"
#include "doors/fleet_slots_news.h"
#include "log/log.h"
#include "options/usage.h"

static const char *
name_of(const struct slots_options *options)
{
	static char name[FLEET_NAME_SIZE];
	struct text text = text_in(name, sizeof name);

	shared_name_add(&text, options->name, options->fleet);
	return name;
}

/* "cannot use slots hub (DIR: WHY)" */
void
fleet_slots_news_refuse_run(const struct slots_options *options,
    const struct shared_part *part, const char *why)
{
	char words[2 * PATH_MAX];
	struct text text = text_in(words, sizeof words);

	text_join(&text, "cannot use slots ", name_of(options), " (");
	shared_state_add_why(&text, part, part->file.why);
	text_join(&text, *why != '\0' ? "; " : "", why, ")");
	usage_refuse(words, NULL, NULL);
}

/* "waiting for one of 4 slots of hub" */
void
fleet_slots_news_wait(const struct slots_options *options)
{
	char words[SHARED_NAME_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	if (options->count == 1)
		text_add(&text, "waiting for the slot of ");
	else
		text_join(&text, "waiting for one of ", NUMBER(options->count),
		    " slots of ");
	text_add(&text, name_of(options));
	log_news(WEIGHT_NORMAL, words, NULL, NULL);
}

void
fleet_slots_news_taken(const struct slots_options *options, int64_t waited_ns)
{
	char members[SHARED_NAME_SIZE + 64];
	struct text text = text_in(members, sizeof members);

	json_member_string(&text, "slots", name_of(options));
	json_member_seconds(&text, "waited_s", waited_ns);
	log_news(WEIGHT_NORMAL, NULL, "slot", members);
}

void
fleet_slots_news_lost(const struct slots_options *options)
{
	log_degraded(WEIGHT_NORMAL,
	    JOINED(
	        SHARED_NAME_SIZE + 64, "lost the slot of ", name_of(options)),
	    JOINED(SHARED_NAME_SIZE + 64, "slots ", name_of(options)),
	    "lost the slot");
}

static void
add_why(struct text *text, const char *why)
{
	if (why != NULL)
		text_join(text, " (", why, ")");
}

/* "no slot of hub was free within 30s" */
struct entry
fleet_slots_news_refuse(const struct slots_options *options, const char *why)
{
	static char closing[SHARED_NAME_SIZE + 2 * FLEET_TEXT_SIZE + 64];
	struct text text = text_in(closing, sizeof closing);

	text_join(&text, "no slot of ", name_of(options), " was free within ",
	    DURATION(options->wait_ns));
	add_why(&text, why);
	return (struct entry) { .admission = ADMISSION_REFUSED,
		.closing = closing,
		.reason = closing };
}

/* "deadline reached in 30s, waiting for a slot of hub" */
struct entry
fleet_slots_news_late(const struct slots_options *options, const char *why)
{
	static char waiting[SHARED_NAME_SIZE + 2 * FLEET_TEXT_SIZE + 32];
	struct text text = text_in(waiting, sizeof waiting);

	text_join(&text, "a slot of ", name_of(options));
	add_why(&text, why);
	return (
	    struct entry) { .admission = ADMISSION_LATE, .waiting = waiting };
}
