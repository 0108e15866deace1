/* SPDX-License-Identifier: MIT */
/*
 * backoff retries a failing command, with growing random pauses, until it
 * succeeds or retrying cannot help. Its exit status:
 *
 *   0        success
 *   N        the status of the last attempt (a failure, or --pass-on)
 *   124      the last attempt timed out, or the deadline cut it
 *   125      backoff itself failed: usage, no memory
 *   126 127  COMMAND cannot be run, or was not found
 *   signal   backoff dies by the signal that killed the last attempt, or
 *            by the one that told it to end
 */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/pause/random.h"
#include "doors/doors.h"
#include "doors/gate.h"
#include "log/log.h"
#include "options/options.h"
#include "options/program.h"
#include "options/usage.h"
#include "plan/plan.h"
#include "process/environment.h"
#include "process/signals.h"
#include "shared/fleet.h"
#include "streams/files.h"
#include "streams/output.h"
#include "streams/streams.h"
#include "system/system.h"
#include "world.h"

static const char *
limits(void)
{
	return processes_are_shown()
	    ? NULL
	    : "This build cannot see processes: a timeout ends COMMAND "
	      "and a group it leads.";
}

const struct program program = {
	PROGRAM_BACKOFF,
	"backoff",
	8,
	"Usage: backoff [OPTION]... [--] COMMAND [ARG]...\n"
	"Retry a failing COMMAND, with growing random pauses, until it "
	"succeeds.\n",
	"\n"
	/* clang-format off */
	"  backoff -T 10m -t 1m -- rsync -a docs web1:          # for 10 minutes\n"
	"  backoff --tool -n 4 -- curl -fsSO \"$url\"             # like curl --retry 3\n"
	"  backoff -n 1 -t 10s -- ./job                         # like timeout 10\n"
	"  backoff -n 1 --quiet-success -- ./job                # like chronic\n"
	"  backoff -n 1 --slots=job:1 --slots-wait=0 -- ./job   # like flock -n\n"
	/* clang-format on */
	"All options: backoff --help=all. The manual: man backoff\n",
	"\n"
	"DURATION is a number with a unit (ns us ms s m h d), such as 1m30s; "
	"without one, it is in seconds. CODES are exit codes and ranges, "
	"nonzero, any, signal names, signal, timeout, start, or names of "
	"sysexits.h.\n"
	"\n"
	"backoff exits with 0 after a success, else with the status of the "
	"last "
	"attempt: 124 after a timeout, 126 or 127 if COMMAND cannot be run or "
	"is not found. It dies by the signal that killed the last attempt. It "
	"exits with 125 if backoff itself fails.\n"
	"\n"
	"Examples:\n"
	"  backoff curl -fsS https://example.com/\n"
	"  backoff -T 5m -t 30s ssh -tt host uptime\n"
	"  backoff -d 5s -T 10m pg_isready -q\n"
	"  backoff --tool rsync -a data host:\n"
	"\n"
	"The manual: man backoff\n",
	limits,
};

/* From the kernel, never from the clock: clients share the time. */
struct entropy {
	uint64_t seed, owner;
	unsigned char id[16];
};

static struct entropy
gather_entropy(void)
{
	struct entropy entropy;

	if (!entropy_get(&entropy, sizeof entropy))
		usage_refuse(
		    "random numbers", "cannot be read", strerror(errno));
	return entropy;
}

/* A UUID of version 4 (RFC 9562, 5.4): random but for six bits. */
static const char *
make_id(unsigned char *bytes)
{
	static char id[37];
	struct text text = text_in(id, sizeof id);

	bytes[6] = (bytes[6] & 0x0f) | 0x40;
	bytes[8] = (bytes[8] & 0x3f) | 0x80;
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text_byte(&text, '-');
		text_hex(&text, bytes[i]);
	}
	return id;
}

/* For files that backoff itself makes: where, and what changes that. */
static const char *
tempfile_place(void)
{
	static char words[PATH_MAX + 16];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "TMPDIR ");
	text_bounded(&text, tempfile_directory());
	return words;
}

static void
prepare(struct options *options)
{
	const char *file = options->log.file;
	const char *broken = log_open(&options->log);
	const char *why;

	if (broken != NULL)
		usage_refuse(broken, file != NULL ? file : tempfile_place(),
		    strerror(errno));
	if (options->job.has_doors)
		doors_open();
	if (!hold_start(options->streams.hold))
		usage_refuse("--hold", tempfile_place(), strerror(errno));
	if (!signals_start(options->wake_on))
		usage_refuse("signals", "no descriptor", strerror(errno));
	if (!world_start(&options->job))
		usage_refuse(options->job.before_retry != NULL
		        ? "--before-retry"
		        : "--at-end",
		    "/dev/null", strerror(errno));
	broken = streams_start(
	    &options->streams, options->settings.limits.spool_limit);
	if (broken != NULL)
		usage_refuse(broken, "cannot be passed on", strerror(errno));
	if (environment_start(
	        options->log.id, hint_start(), &options->settings.limits))
		return;
	why = strerror(errno);
	hint_stop();
	usage_refuse("environment", "no memory", why);
}

int
main(int argc, char **argv)
{
	struct options options;
	struct entropy entropy;
	struct random random;
	struct world world;
	struct ending ending;

	options_parse(&options, argc, argv);
	if (options.shared.gate.list)
		gate_list(options.shared.directory);
	if (options.shared.gate.open)
		gate_open(&options.shared);
	if (options.plan)
		plan_show(&options);
	if (options.job.argv[0] == NULL)
		usage_refuse(
		    "no command given; try backoff --help", NULL, NULL);
	if (options.job.argv[0][0] == '\0')
		usage_refuse("COMMAND is an empty word", NULL, NULL);
	entropy = gather_entropy();
	random = random_from(
	    options.seeded ? (uint64_t)options.seed : entropy.seed);
	options.log.id = make_id(entropy.id);
	/* Other draws than those of the pauses, which stay as they are. */
	options.job.has_doors = doors_start(&options.shared, &options.settings,
	    options.log.id, random_from(~random.state), entropy.owner);
	prepare(&options);

	world = world_of(&options);
	ending = run_loop(&options.settings, &random, &world);

	fleet_end();
	hint_stop();
	if (ending.signal != 0)
		signals_die(ending.signal);
	return ending.status;
}
