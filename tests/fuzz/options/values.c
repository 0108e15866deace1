/* SPDX-License-Identifier: MIT */
/* The values of options: the first byte chooses the parser. */
#include <config.h>

#include "core/base/array.h"
#include "fuzz/fuzz.h"
#include "options/program.h"
#include "options/values.h"
#include "types/option_types.h"

const struct program program = { PROGRAM_BACKOFF, "fuzz", 8, "", "", "", NULL };

/* A parser, and where its value stands. */
struct row {
	value_parser *parse;
	size_t offset;
};

#define AT(member) offsetof(struct options, member)

static const struct row rows[] = {
	{ value_jitter, AT(settings.policy.jitter) },
	{ value_splay, AT(settings.limits.splay) },
	{ value_delays, AT(settings.policy) },
	{ value_until, AT(settings.limits.until_ns) },
	{ value_timeout, AT(settings.limits.timeout_ns) },
	{ value_duration, AT(settings.limits.deadline_ns) },
	{ value_duration_above_0, AT(settings.policy.cap_ns) },
	{ value_finite_duration, AT(settings.policy.slot_ns) },
	{ value_count, AT(settings.limits.consecutive) },
	{ value_attempts, AT(settings.limits.attempts) },
	{ value_seed, AT(seed) },
	{ value_size, AT(settings.limits.spool_limit) },
	{ value_factor, AT(settings.policy.factor) },
	{ value_rate, AT(herd.service.capacity) },
	{ value_growth, AT(settings.policy.growth) },
	{ value_cap_mode, AT(settings.policy.cap_mode) },
	{ value_log_format, AT(log.format) },
	{ value_stdin_mode, AT(streams.stdin_mode) },
	{ value_hold, AT(streams.hold) },
	{ value_from, AT(settings.limits.from_start) },
};

static struct options
plain(void)
{
	return (struct options) { .settings = { .limits.consecutive = 1 } };
}

static void
fuzz(char *string, size_t size)
{
	const struct row *row;
	struct refusal refusal = { .item = "" };
	struct options options = plain();

	if (size == 0)
		return;
	row = &rows[(size_t)((uint8_t)*string - 'a') % ARRAY_LENGTH(rows)];
	if (!row->parse(string + 1, (char *)&options + row->offset, &refusal))
		fuzz_require(refusal.why[0] != '\0', "refused without why");
	value_free_delays(&options.settings.policy);
}
