/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <time.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/gate/shared_name.h"
#include "doors/turn_news.h"
#include "log/countdown_line.h"
#include "log/log.h"
#include "process/sleep.h"
#include "shared/state_file.h"
#include "system/boot.h"
#include "system/clock.h"

static const char *name;
static int64_t waited_ns;
static int64_t told_ns; /* the wait was told of a gate shut then; 0: none */
static char shown_reason[GATE_REASON_SIZE + 1]; /* in the line of the wait */

struct news {
	enum weight weight;
	char words[512], members[512];
};

/* Our attempt has lost the turn, and changed the gate. */
static struct news held[2];
static size_t held_count;
static bool is_holding;

void
turn_news_start(const char *of)
{
	name = of;
}

void
turn_news_waited(int64_t ns)
{
	waited_ns = ns;
}

static void
put(const struct news *news)
{
	log_news(news->weight, news->words, NULL, NULL);
	log_news(WEIGHT_NORMAL, NULL, "gate", news->members);
}

static void
tell(enum weight weight, enum turn_news what, struct turn_event event)
{
	struct news now, *news = &now;
	struct text text, json;

	if (is_holding && held_count < ARRAY_LENGTH(held))
		news = &held[held_count++];
	text = text_in(news->words, sizeof news->words);
	json = text_in(news->members, sizeof news->members);
	event.name = name;
	event.waited_ns = waited_ns;
	news->weight = weight;
	turn_message(&text, what, &event);
	turn_members(&json, what, &event);
	if (news == &now)
		put(news);
}

void
turn_news_release(void)
{
	for (size_t i = 0; i < held_count; i++)
		put(&held[i]);
	held_count = 0;
	is_holding = false;
}

void
turn_news_tell(enum turn_news news, const struct gate_record *record)
{
	tell(WEIGHT_DETAIL, news,
	    (struct turn_event) {
	        .reason = news == GATE_NEWS_OPEN ? "" : record->reason,
	        .next_ns = -1,
	    });
}

static struct turn_event
wait_event(const struct gate_record *record)
{
	int64_t now_ns = boot_clock_ns();
	bool is_ramp = record->state == GATE_RAMP;
	int64_t next_ns = is_ramp ? record->release_ns : record->due_ns;

	return (struct turn_event) {
		.name = name,
		.reason = record->reason,
		.shut_ns = max_ns(now_ns - record->shut_ns, 0),
		.ramp = is_ramp ? record : NULL,
		.next_ns = max_ns(next_ns - now_ns, 0),
	};
}

/* Shorter waits are not worth a line that moves. */
static bool
show(const struct turn_event *event, bool stays)
{
	char words[512];
	struct text text = text_in(words, sizeof words);
	struct span time = turn_message(&text, GATE_NEWS_WAIT, event);

	text_copy(shown_reason, sizeof shown_reason, event->reason);
	return event->ramp == NULL && event->next_ns >= NS_PER_S
	    && log_wait(words, time, clock_now_ns() - event->shut_ns, stays);
}

void
turn_news_wait(const struct gate_record *record, bool counts)
{
	struct turn_event event = wait_event(record);
	bool is_new = event.ramp == NULL && told_ns != record->shut_ns;

	if (is_new)
		told_ns = record->shut_ns;
	if (!is_new || !counts || !show(&event, true))
		tell(is_new ? WEIGHT_NORMAL : WEIGHT_DETAIL, GATE_NEWS_WAIT,
		    event);
}

/* The line of the wait as it is now, if there can be one. */
static void
keep_shown(const struct gate_record *record)
{
	struct turn_event event = wait_event(record);

	if (event.ramp != NULL || strcmp(shown_reason, record->reason) != 0)
		countdown_line_end();
	if (!countdown_line_is_there())
		show(&event, false);
}

int
turn_news_count(const struct gate_record *record, int64_t until_ns)
{
	keep_shown(record);
	return countdown_line_is_there() ? countdown_line_wait(until_ns)
	                                 : sleep_until_told(until_ns);
}

int
turn_news_count_for(const struct gate_record *record, int64_t until_ns, int fd)
{
	keep_shown(record);
	return countdown_line_wait_for(until_ns, fd);
}

static void
tell_shut(const struct gate_record *before, const struct gate_record *after,
    int64_t now_ns, int64_t asked_ns)
{
	char words[40];
	struct text until = text_in(words, sizeof words);
	struct tm due;
	int64_t next_ns = max_ns(after->due_ns - now_ns, 0);

	if (after->hinted) {
		due = clock_local(clock_epoch_ns() + next_ns);
		text_clock(&until, &due);
	}
	tell(WEIGHT_NORMAL, GATE_NEWS_SHUT,
	    (struct turn_event) {
	        .reason = after->reason,
	        .until = after->hinted ? words : NULL,
	        .asked_ns = asked_ns,
	        .failures = before->failures + 1,
	        .next_ns = next_ns,
	    });
}

void
turn_news_change(const struct gate_record *before,
    const struct gate_record *after, int64_t now_ns, int64_t asked_ns,
    bool is_probe, bool lost)
{
	bool was_shut
	    = before->state == GATE_SHUT || before->state == GATE_PROBING;

	is_holding = true;
	if (lost)
		turn_news_tell(GATE_NEWS_LOST, before);
	if (!was_shut && after->state == GATE_SHUT)
		tell_shut(before, after, now_ns, asked_ns);
	else if (was_shut && after->state == GATE_RAMP)
		tell(WEIGHT_NORMAL, GATE_NEWS_RAMP,
		    (struct turn_event) {
		        .reason = before->reason,
		        .probes = (int64_t)before->probes + is_probe,
		        .shut_ns = max_ns(now_ns - before->shut_ns, 0),
		        .ramp = after,
		        .next_ns = -1,
		    });
	else if (before->state == GATE_RAMP && after->state == GATE_OPEN)
		turn_news_tell(GATE_NEWS_OPEN, after);
}
