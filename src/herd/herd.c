/* SPDX-License-Identifier: MIT */
/*
 * backoff-herd shows what many clients do to a service that is down and
 * comes back, when all of them run backoff with the same options. It exits
 * with 0, or with 125 after a usage error or a failure of its own.
 */
#include <config.h>

#include <stdint.h>

#include "core/base/duration.h"
#include "herd/trial.h"
#include "options/options.h"
#include "options/help.h"

/* This many take some 90 MB, and minutes if they make many attempts. */
#define MOST_CLIENTS INT64_C(1000000)

/* The default seed: the same options print the same figures. */
#define SEED 1

const struct program program = {
	PROGRAM_HERD,
	"backoff-herd",
	INT64_MAX,
	"Usage: backoff-herd [OPTION]... --clients=N --outage=DURATION "
	"--capacity=RATE\n"
	"Show what many clients that run backoff with these options do to a "
	"service that is down, and then serves RATE requests a second.\n",
	NULL,
	"\n"
	"DURATION is a number with a unit (ns us ms s m h d), such as 1m30s; "
	"without one, it is in seconds. RATE is a number such as 100 or 0.5. "
	"Unless --seed is given it is 1: the same options print the same "
	"figures.\n"
	"\n"
	"Example:\n"
	"  backoff-herd --clients=1000 --outage=1m --capacity=100\n"
	"\n"
	"The manual: man backoff-herd\n",
};

static void
check(const struct options *options)
{
	const struct herd *herd = &options->herd;

	if (options->job.argv[0] != NULL)
		usage_refuse(
		    "operand", options->job.argv[0], "expected options only");
	if (herd->clients == 0)
		usage_refuse("--clients", "missing",
		    "expected how many clients there are");
	if (herd->service.down_ns < 0)
		usage_refuse("--outage", "missing",
		    "expected how long the service is down, such as 1m");
	if (service_rate(&herd->service) <= 0)
		usage_refuse("--capacity", "missing",
		    "expected how many requests a second it serves then");
	if (herd->clients > MOST_CLIENTS)
		usage_refuse("--clients", NUMBER(herd->clients),
		    "expected at most 1000000");
}

/* The loop that most people write: until COMMAND; do sleep 1; done */
static void
try_each_second(struct settings *settings)
{
	settings->policy = (struct policy) {
		.base_ns = NS_PER_S,
		.factor = 1,
		.cap_ns = DURATION_INF,
		.growth = GROWTH_CONSTANT,
		.jitter.kind = JITTER_NONE,
		.max_exponent = INT64_MAX,
	};
	settings->limits.attempts = INT64_MAX;
	settings->limits.deadline_ns = DURATION_INF;
	settings->limits.splay = (struct range) { 0, 0 };
}

/*
 * Beside a gate, no gate is of more interest than no jitter; and beside that
 * of a fleet, a gate for each machine is of more interest than the loop.
 */
static void
set_trials(struct trial *trials, const struct options *options)
{
	static const char *const names[][TRIALS] = {
		[HERD_NO_GATE]
		= { "these options", "--jitter=none", "every second" },
		[HERD_GATE_MACHINE]
		= { "these options", "no gate", "every second" },
		[HERD_GATE_FLEET] = { "these options", "--gate", "no gate" },
	};
	enum herd_gate gate = options->herd.gate;

	for (int i = 0; i < TRIALS; i++)
		trials[i] = (struct trial) { .name = names[gate][i],
			.settings = options->settings };
	trials[0].gate = gate;
	if (gate == HERD_NO_GATE)
		trials[1].settings.policy.jitter
		    = (struct jitter) { .kind = JITTER_NONE };
	if (gate == HERD_GATE_FLEET)
		trials[1].gate = HERD_GATE_MACHINE;
	else
		try_each_second(&trials[2].settings);
}

int
main(int argc, char **argv)
{
	struct trial trials[TRIALS];
	struct options options;

	options_parse(&options, argc, argv);
	check(&options);
	set_trials(trials, &options);
	trials_run(trials, &options.herd,
	    options.seed >= 0 ? (uint64_t)options.seed : SEED);
	if (trials[0].too_long)
		usage_refuse("too long", trials[0].no_end,
		    "expected at most 1000000000, by fewer --clients or "
		    "--runs, or a shorter --outage");
	if (trials[0].no_end != NULL)
		usage_refuse("no end", trials[0].no_end,
		    "expected other pauses, or --attempts");
	if (options.log.format == LOG_JSON)
		report_json(trials, &options.herd);
	else
		report_text(trials, &options.herd);
	usage_finish();
}
