/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "process/silence.h"

struct silence
silence_begin(int64_t limit_ns, int64_t now_ns)
{
	return (struct silence) { .limit_ns = limit_ns, .looked_ns = now_ns };
}

static int64_t
between_looks(const struct silence *silence)
{
	return silence->limit_ns / SILENCE_LOOKS
	    + (silence->limit_ns % SILENCE_LOOKS != 0);
}

void
silence_look(
    struct silence *silence, int64_t now_ns, int64_t wrote_ns, bool was_stopped)
{
	int64_t since_ns = max_ns(silence->looked_ns, wrote_ns);

	if (wrote_ns >= silence->looked_ns)
		silence->lasted_ns = 0;
	/*
	 * A look that comes late means that backoff did not run either: it was
	 * stopped together with the attempt, or the machine is overloaded.
	 */
	if (!was_stopped)
		silence->lasted_ns
		    += min_ns(now_ns - since_ns, between_looks(silence));
	silence->looked_ns = now_ns;
}

bool
silence_is_over(const struct silence *silence)
{
	return silence->lasted_ns >= silence->limit_ns;
}

int64_t
silence_next_ns(const struct silence *silence)
{
	int64_t left_ns = max_ns(silence->limit_ns - silence->lasted_ns, 0);

	return saturating_add(
	    silence->looked_ns, min_ns(between_looks(silence), left_ns));
}
