/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdio.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "plan/notes.h"
#include "process/terminal.h"
#include "streams/scan.h"

static void
print_note(const char *words, int width)
{
	putchar('\n');
	terminal_wrapped(words, 0, 0, width);
}

static void
note_stated_wait(int64_t hint_max_ns, int width)
{
	char words[256];
	struct text text = text_in(words, sizeof words);

	text_add(&text,
	    "Where the output of a failed attempt states a longer wait, the "
	    "pause lasts as long");
	if (hint_max_ns < DURATION_INF)
		text_join(&text, "; a wait of more than ",
		    DURATION(hint_max_ns), " ends the run");
	text_add(&text, ".");
	print_note(words, width);
}

/* The pauses are those of an open gate. */
static void
note_gate(const struct gate_options *gate, int width)
{
	char words[1024];
	struct text text = text_in(words, sizeof words);

	text_join(&text, "These are the pauses while gate ", gate->name,
	    " is open. It shuts for all runs that share it after three "
	    "failures in a row, from at least two runs and over at least a "
	    "second, or after twenty. Then one run at a time probes the "
	    "service, at most 10s after the previous failure; a failed probe "
	    "counts for none of the attempts above. After a success, or if "
	    "the service refuses many, attempts are paced: 2 a second at "
	    "first, and twice as many as long as that pays. ");
	if (gate->wait_ns == 0)
		text_add(&text, "This run does not wait at a shut gate.");
	else if (gate->wait_ns == DURATION_INF)
		text_add(&text,
		    "At a shut gate, this run waits as long as necessary.");
	else
		text_join(&text, "At a shut gate, this run waits for at most ",
		    DURATION(gate->wait_ns),
		    " in all, besides the waits that are stated.");
	print_note(words, width);
}

void
plan_notes(const struct options *options, int width)
{
	const struct scan *scan = options->streams.scan;
	const struct limits *limits = &options->settings.limits;

	if (limits->attempts > 1 && scan != NULL
	    && scan->waits.wanted != WANTED_NOTHING)
		note_stated_wait(limits->hint_max_ns, width);
	if (options->shared.gate.name[0] != '\0')
		note_gate(&options->shared.gate, width);
}
