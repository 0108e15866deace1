/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <time.h>

#include "core/base/duration.h"
#include "doors/gate_news.h"
#include "log/countdown.h"
#include "log/log.h"
#include "system/system.h"

static const char *name;
static int64_t waited_ns;
static int64_t told_ns; /* the wait was told of a gate as it is since then */

/* What our attempt has made of the gate, until that has its line. */
static struct news {
	enum weight weight;
	char words[512], members[512];
} held;
static bool is_holding;

void
gate_news_start(const char *of)
{
	name = of;
}

void
gate_news_waited(int64_t ns)
{
	waited_ns = ns;
}

static void
put(const struct news *news)
{
	log_news(news->weight, news->words, NULL, NULL);
	log_news(WEIGHT_NORMAL, NULL, "gate", news->members);
}

static struct news
news_of(enum weight weight, enum gate_news what, struct gate_event event)
{
	struct news news = { .weight = weight };
	struct text text = text_in(news.words, sizeof news.words);
	struct text json = text_in(news.members, sizeof news.members);

	event.name = name;
	event.waited_ns = waited_ns;
	gate_message(&text, what, &event);
	gate_members(&json, what, &event);
	return news;
}

static void
tell(enum weight weight, enum gate_news what, struct gate_event event)
{
	struct news news = news_of(weight, what, event);

	put(&news);
}

void
gate_news_release(void)
{
	if (is_holding)
		put(&held);
	is_holding = false;
}

void
gate_news_tell(enum gate_news news, const struct gate *gate)
{
	tell(WEIGHT_DETAIL, news,
	    (struct gate_event) {
	        .gate = gate,
	        .reason = gate->reason,
	        .next_ns = -1,
	    });
}

static struct gate_event
wait_event(const struct gate_view *view)
{
	const struct gate *gate = &view->gate;
	int64_t next_ns
	    = gate->state == GATE_PACED ? gate->head_ns : gate->due_ns;

	return (struct gate_event) {
		.name = name,
		.gate = gate,
		.reason = gate->reason,
		.shut_ns = max_ns(boot_clock_ns() - gate->since_ns, 0),
		.next_ns = max_ns(next_ns - view->now_ns, 0),
	};
}

int
gate_news_wait(const struct gate_view *view, int64_t until_ns)
{
	struct gate_event event = wait_event(view);
	int64_t apart_ns = told_ns - view->gate.since_ns;
	bool is_shut = view->gate.state == GATE_SHUT;

	told_ns = view->gate.since_ns;
	/* The clock of a fleet's server is not ours. */
	if (apart_ns < -NS_PER_S / 2 || apart_ns > NS_PER_S / 2)
		tell(is_shut ? WEIGHT_NORMAL : WEIGHT_DETAIL, GATE_NEWS_WAIT,
		    event);
	return countdown_wait(until_ns,
	    is_shut && log_shows_waits() ? "shut for " : NULL,
	    max_ns(clock_now_ns() - event.shut_ns, 0));
}

static struct gate_event
shut_event(const struct gate *before, const struct gate_view *after,
    int64_t asked_ns, char until[40])
{
	const struct gate *gate = &after->gate;
	struct text text = text_in(until, 40);
	int64_t next_ns = max_ns(gate->due_ns - after->now_ns, 0);
	struct tm due;

	if (gate->stated) {
		due = clock_local(clock_epoch_ns() + next_ns);
		text_clock(&text, &due);
	}
	return (struct gate_event) {
		.gate = gate,
		.reason = gate->reason,
		.until = gate->stated ? until : NULL,
		.asked_ns = asked_ns,
		.failures = (int64_t)before->row.failures + 1,
		.next_ns = next_ns,
	};
}

void
gate_news_change(const struct gate *before, const struct gate_view *after,
    int64_t asked_ns, uint64_t ticket)
{
	const struct gate *gate = &after->gate;
	struct gate_event event
	    = { .gate = gate, .reason = gate->reason, .next_ns = -1 };
	enum gate_news news;
	char until[40];

	if (before->state != GATE_SHUT && gate->state == GATE_SHUT) {
		news = GATE_NEWS_SHUT;
		event = shut_event(before, after, asked_ns, until);
	} else if (before->state == GATE_SHUT && gate->state == GATE_PACED) {
		news = GATE_NEWS_BACK;
		event.probes = (int64_t)before->probes + (ticket != 0);
		event.shut_ns = max_ns(gate->since_ns - before->since_ns, 0);
	} else if (before->state == GATE_OPEN && gate->state == GATE_PACED) {
		news = GATE_NEWS_PACED;
	} else if (ticket != 0 && before->state == GATE_SHUT
	    && !gate_is_probed_by(before, ticket)) {
		news = GATE_NEWS_LOST;
	} else {
		return;
	}
	held = news_of(news == GATE_NEWS_LOST ? WEIGHT_DETAIL : WEIGHT_NORMAL,
	    news, event);
	is_holding = true;
}
