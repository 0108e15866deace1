/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stdbool.h>

#include "core/base/duration.h"
#include "log/countdown.h"
#include "log/log.h"
#include "process/process.h"
#include "system/system.h"

struct countdown {
	const char *words;
	int64_t since_ns; /* < 0: the time runs down */
	int64_t until_ns;
};

/* When the row changes: the time is drawn when it is a whole second. */
static int64_t
next_change(const struct countdown *countdown, int64_t now_ns)
{
	int64_t left_ns = countdown->until_ns - now_ns;
	int64_t step_ns = countdown->since_ns < 0
	    ? (left_ns - 1) % NS_PER_S + 1
	    : NS_PER_S - (now_ns - countdown->since_ns) % NS_PER_S;

	return now_ns + min_ns(step_ns, left_ns);
}

static void
draw(const struct countdown *countdown, int64_t now_ns)
{
	int64_t left_ns = countdown->until_ns - now_ns;
	int64_t seconds = countdown->since_ns < 0
	    ? left_ns / NS_PER_S + (left_ns % NS_PER_S > 0)
	    : (now_ns - countdown->since_ns) / NS_PER_S;

	if (left_ns > 0)
		log_draw_wait(JOINED(64, countdown->words,
		    DURATION(saturating_multiply(seconds, NS_PER_S))));
}

int
countdown_wait(int64_t until_ns, const char *words, int64_t since_ns)
{
	struct countdown countdown = { words, since_ns, until_ns };
	struct queued_signal arrival = { .signal = 0 };
	int64_t now_ns;

	while ((now_ns = clock_now_ns()) < until_ns) {
		int64_t next_ns = words != NULL
		    ? next_change(&countdown, now_ns)
		    : until_ns;
		enum wake wake = signals_wait(&arrival, next_ns, NULL, 0);

		if (wake == WAKE_SIGNAL
		    && (signals_ends(arrival.signal)
		        || signals_wakes(arrival.signal))) {
			log_hurry();
			log_erase_wait();
			return arrival.signal;
		}
		if (words == NULL)
			continue;
		if (wake == WAKE_TIME)
			draw(&countdown, next_ns);
		else if (arrival.signal == SIGCONT
		    || arrival.signal == SIGWINCH)
			draw(&countdown, clock_now_ns());
	}
	return 0;
}
