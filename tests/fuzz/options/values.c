/* SPDX-License-Identifier: MIT */
/*
 * The values of options: the first byte chooses the parser. What --verbose
 * prints of a value is read again, and must be printed the same.
 */
#include <config.h>

#include "core/base/array.h"
#include "core/words/settings_text.h"
#include "fuzz/fuzz.h"
#include "options/program.h"
#include "options/values.h"
#include "types/option_types.h"

const struct program program = { PROGRAM_BACKOFF, "fuzz", 8, "", "", "", NULL };

/* A parser, and where its value stands. */
struct row {
	value_parser *parse;
	size_t offset;
	const char *printed; /* what stands before it, or NULL */
};

#define AT(member) offsetof(struct options, member)

static const struct row rows[] = {
	{ value_jitter, AT(settings.policy.jitter), ", jitter " },
	{ value_splay, AT(settings.limits.splay), ", splay " },
	{ value_delays, AT(settings.policy), NULL },
	{ value_until, AT(settings.limits.until_ns), ", until " },
	{ value_timeout, AT(settings.limits.timeout_ns), ", timeout " },
	{ value_duration, AT(settings.limits.deadline_ns), ", deadline " },
	{ value_duration_above_0, AT(settings.policy.cap_ns), ", cap " },
	{ value_finite_duration, AT(settings.policy.slot_ns), ", slot " },
	{ value_count, AT(settings.limits.consecutive), ", consecutive " },
	{ value_attempts, AT(settings.limits.attempts), "attempts " },
	{ value_seed, AT(seed), NULL },
	{ value_size, AT(settings.limits.spool_limit), NULL },
	{ value_factor, AT(settings.policy.factor), NULL },
	{ value_rate, AT(herd.capacity), NULL },
	{ value_growth, AT(settings.policy.growth), NULL },
	{ value_cap_mode, AT(settings.policy.cap_mode), ", cap-mode " },
	{ value_log_format, AT(log.format), NULL },
	{ value_stdin_mode, AT(streams.stdin_mode), NULL },
	{ value_hold, AT(streams.hold), NULL },
	{ value_from, AT(settings.limits.from_start), NULL },
};

/* What --verbose prints of it alone, or "" where it is the default. */
static void
print(const struct row *row, const struct options *options, char *room,
    size_t size)
{
	char all[4096], *at, *end;
	struct text text = text_in(all, sizeof all);

	settings_text(&text, &options->settings);
	fuzz_require(text.length < sizeof all - 1, "the room is too small");
	*room = '\0';
	at = strstr(all, row->printed);
	if (at == NULL)
		return;
	at += strlen(row->printed);
	end = strstr(at, ", ");
	if (end != NULL)
		*end = '\0';
	fuzz_require(strlen(at) < size, "a value is too long");
	strcpy(room, at);
}

static struct options
plain(void)
{
	return (struct options) { .settings = { .limits.consecutive = 1 } };
}

/* The value stands in OPTIONS. */
static void
check_printed(const struct row *row, const struct options *options)
{
	struct options other = plain();
	struct refusal refusal = { .item = "" };
	char one[512], two[512];

	print(row, options, one, sizeof one);
	if (*one == '\0')
		return;
	fuzz_require(row->parse(one, (char *)&other + row->offset, &refusal),
	    "we cannot read the value that we print");
	print(row, &other, two, sizeof two);
	fuzz_same(one, two, "printed twice, it is another value");
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
	else if (row->printed != NULL)
		check_printed(row, &options);
	value_free_delays(&options.settings.policy);
}
