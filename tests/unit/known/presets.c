/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <math.h>

#include "core/base/base.h"
#include "core/known/known.h"
#include "options/options.h"
#include "unit/given.h"
#include "unit/tap.h"
#include "unit/uniform.h"

#define MS NS_PER_MS
#define S NS_PER_S
#define MIN NS_PER_MIN

const struct program program = { PROGRAM_BACKOFF, "known", 8, "", "", "", "" };

#define SLOT 51.2e-6
#define HALF_US 500

/* What a preset does, as its source has it. */
static const struct row {
	const char *words;
	double u; /* of all draws */
	int64_t attempts; /* 0: without a word of it */
	double total_s; /* of the pauses between them; 0: see pauses_s */
	double pauses_s[14];
} vectors[] = {
	/* Protocols. */
	{ "ethernet", 1, 16, 0.3661312,
	    { SLOT, 3 * SLOT, 7 * SLOT, 15 * SLOT, 31 * SLOT, 63 * SLOT,
	        127 * SLOT, 255 * SLOT, 511 * SLOT, 1023 * SLOT,
	        1023 * SLOT } },
	/* At 100 Mb/s. */
	{ "ethernet -b 5.12us", 1, 16, 0.03661312,
	    { SLOT / 10, 3 * SLOT / 10 } },
	{ "sip-invite", .3, 7, 31.5, { .5, 1, 2, 4, 8, 16 } },
	{ "sip-request", .3, 11, 31.5, { .5, 1, 2, 4, 4, 4, 4, 4, 4, 4 } },
	{ "tcp", .3, 0, 0, { 1, 2, 4, 8, 16, 32, 60, 60 } },
	{ "dhcp", 0, 5, 0, { 3, 7, 15, 31, 63, 63 } },
	{ "dhcp", 1, 5, 0, { 5, 9, 17, 33, 65, 65 } },
	{ "apue", .3, 8, 127, { 1, 2, 4, 8, 16, 32, 64 } },

	/* Libraries. */
	{ "jpillora", .3, 0, 0, { .1, .2, .4, .8, 1.6, 3.2, 6.4, 10, 10 } },
	/* Its longest cuts what is drawn, not the window. */
	{ "jpillora -j full", .9, 0, 0,
	    { .1, .19, .37, .73, 1.45, 2.89, 5.77, 10 } },
	{ "celery", 1, 4, 0,
	    { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600 } },
	{ "google", .25, 0, 0, { 1.25, 2.25, 4.25, 8.25, 16.25, 32, 32 } },
	{ "cenkalti", .5, INT64_MAX, 0,
	    { .5, .75, 1.125, 1.6875, 2.53125, 3.796875, 5.6953125, 8.542968750,
	        12.814453125, 19.221679687, 28.832519530, 43.248779295, 60,
	        60 } },
	{ "cenkalti", 1, INT64_MAX, 0, { .75, 1.125, 1.6875 } },
	{ "resilience4j", .5, 3, 0, { .5, .75, 1.125, 1.6875, 2.53125 } },
	{ "tenacity", .25, 0, 0, { 1.25, 2.25, 4.25, 8.25 } },
	{ "polly -b 1", .5, 4, 0, { .897405, 1.093004, 2.035748 } },

	/* Services. */
	{ "aws-full", 1, 0, 0,
	    { .01, .02, .04, .08, .16, .32, .64, 1.28, 2, 2 } },
	{ "aws-full", .5, 0, 0, { .005, .01, .02 } },
	{ "aws-equal", 0, 0, 0, { .005, .01, .02, .04 } },
	{ "aws-equal", 1, 0, 0, { .01, .02, .04, .08 } },
	{ "aws-decorrelated -b 1s -c 5s", .5, 0, 0, { 2, 3.5, 5, 5 } },
	{ "aws-sdk", 1, 3, 0, { 1, 2, 4, 8, 16, 20, 20, 20, 20 } },
	{ "aws-sdk-2026", 1, 3, 0,
	    { .05, .1, .2, .4, .8, 1.6, 3.2, 6.4, 12.8, 20 } },
	{ "aws-dynamodb-2026", 1, 4, 0,
	    { .025, .05, .1, .2, .4, .8, 1.6, 3.2, 6.4, 12.8, 20 } },
	{ "grpc-connect", .5, 0, 0,
	    { 1, 1.6, 2.56, 4.096, 6.5536, 10.48576, 16.777216, 26.8435456,
	        42.94967296, 68.719476736, 109.9511627776, 120, 120 } },
	{ "grpc-retry", 0, 4, 0, { .08, .16, .32, .64, .8, .8 } },
	{ "grpc-retry", 1, 4, 0, { .12, .24, .48, .96, 1.2, 1.2 } },
	{ "envoy", 1, 2, 0, { .025, .075, .175, .25, .25 } },
	/* Whole milliseconds. */
	{ "envoy", .5, 2, 0, { .013, .038, .088, .125 } },
	{ "curl", .3, 0, 0,
	    { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600 } },
	{ "kubernetes", .3, 0, 0, { 10, 20, 40, 80, 160, 300, 300 } },
	{ "kubernetes-job", .3, 7, 630, { 0 } },
	{ "systemd -b 1 -c 60 -f 1.97860244646793", .3, 0, 0,
	    { 1, 1.978602, 3.914868, 7.745967, 15.326189, 30.324434, 60, 60 } },
	{ "systemd", .3, 0, 0, { .1, .1, .1 } },
	{ "polling", .3, 0, 0, { .1, .2, .4, .8 } },
	{ "wechat-pay", 0, 16, 86640, { 0 } },
	{ "alipay", 0, 8, 1464 * 60, { 0 } },
	{ "sre", 1, 3, 0, { 1, 2, 4, 8 } },
};

static void
is_near(int64_t got_ns, double wanted_s, const char *what)
{
	int64_t wanted_ns = llround(wanted_s * NS_PER_S);

	is_between(got_ns, wanted_ns - HALF_US, wanted_ns + HALF_US, what);
}

static void
test_row(const struct row *row)
{
	char words[80], what[120];
	int64_t sum_ns = 0;
	struct schedule schedule;

	snprintf(words, sizeof words, "-p %s", row->words);
	given(words);
	schedule = schedule_start(&options.settings.policy, &random_source);
	set_uniform(row->u);
	if (row->attempts != 0)
		is_int(options.settings.limits.attempts, row->attempts, words);
	for (int n = 1; n <= 14 && row->pauses_s[n - 1] > 0; n++) {
		snprintf(
		    what, sizeof what, "%s: pause %d at %g", words, n, row->u);
		is_near(schedule_draw(&schedule, n, false),
		    row->pauses_s[n - 1], what);
	}
	if (row->total_s <= 0)
		return;
	schedule = schedule_start(&options.settings.policy, &random_source);
	for (int64_t n = 1; n < row->attempts; n++)
		sum_ns += schedule_draw(&schedule, n, false);
	is_near(sum_ns, row->total_s, "  in all");
}

/* What else they set. */
TEST(limits)
{
	const struct limits *limits = &options.settings.limits;
	const struct policy *policy = &options.settings.policy;

	given("-p sip-request");
	ok(limits->from_start, "SIP counts from when a request was sent");
	given("-p dhcp");
	is_int(limits->splay.low_ns, S, "DHCP waits for 1 s");
	is_int(limits->splay.high_ns, 10 * S, "to 10 s");
	given("-p smtp");
	is_int(schedule_window(policy, 9), 120 * MIN,
	    "smtp goes on every two hours");
	is_int(limits->deadline_ns, 120 * 60 * MIN, "for five days");
	is_int(limits->attempts, INT64_MAX, "however often");
	given("-p cenkalti");
	is_int(limits->deadline_ns, 15 * MIN, "cenkalti ends after 15 minutes");
	given("-p aws-sdk-2026");
	is_int(policy->throttle_base_ns, S, "aws-sdk-2026: a throttle");
	given("-p aws-dynamodb-2026");
	is_int(policy->throttle_base_ns, S, "aws-dynamodb-2026: a throttle");
	given("-p grpc-connect");
	is_int(limits->timeout_ns, 20 * S, "gRPC gives an attempt 20 s");
	given("-p kubernetes");
	is_int(limits->reset_after_ns, 10 * MIN, "ten minutes start it again");
}

/* What a preset prints can be copied: it has the effect of its options. */
TEST(copies)
{
	const struct preset *preset = known_presets;

	for (; preset->name != 0; preset++) {
		const struct policy *policy = &options.settings.policy;
		char words[1024];
		struct options copy;
		int64_t delays_ns[32];

		given(known_text(preset->options));
		copy = options;
		for (size_t i = 0; i < policy->delays; i++)
			delays_ns[i] = policy->delays_ns[i];
		snprintf(
		    words, sizeof words, "-p %s", known_text(preset->name));
		given(words);
		for (size_t i = 0; i < copy.settings.policy.delays; i++)
			if (delays_ns[i] != policy->delays_ns[i])
				copy.settings.policy.delays = 0;
		copy.settings.policy.delays_ns = policy->delays_ns;
		ok((memcmp(
		        &copy.settings, &options.settings, sizeof copy.settings)
		       == 0)
		        == (preset->fields == 0),
		    known_text(preset->name));
		ok(!preset->approximate || preset->note != 0,
		    "what is approximate says what differs");
	}
	is_int(preset - known_presets, 31, "all of them");
}

/* The user's own options come first. */
TEST(own_options)
{
	struct policy *policy = &options.settings.policy;
	struct limits *limits = &options.settings.limits;

	given("-n 9 -p ethernet -b 1s");
	is_int(limits->attempts, 9, "one before the preset replaces it");
	is_int(policy->base_ns, S, "and one behind it");
	given("-p jpillora -c 50ms");
	is_int(policy->floor_ns, 5 * MS,
	    "a floor above the own cap is none: the default is computed");
	given("-p sip-request --floor=10s");
	is_int(policy->cap_ns, 30 * S, "nor is a cap below the own floor");
	given("-p celery -c 500ms");
	is_int(policy->slot_ns, 0, "nor a slot above the own cap");
	given("-p sre --consecutive=4");
	is_int(limits->attempts, 8, "nor attempts below a streak");
	given("-p wechat-pay -b 2s");
	ok(policy->delays_ns == NULL, "an own base replaces a list");
	is_int(limits->attempts, 8, "and what followed from it");
	is_int(policy->jitter.kind, JITTER_FULL, "the jitter too");
	given("-p aws-full -d 1,2");
	is_int((int64_t)policy->delays, 2, "an own list replaces base, factor");
	is_int(limits->attempts, 3, "and attempts");
	given("-p aws-decorrelated -d 1s");
	is_int(policy->jitter.kind, JITTER_NONE, "and a jitter");
	given("-p ethernet -b 2s");
	is_int(policy->slot_ns, 2 * S, "a slot that is the base");
	given("-p ethernet -b 2s -c 1s");
	is_int(policy->slot_ns, 0, "not above the own cap");
	given("-p ethernet -d 1s,2s");
	is_int(policy->slot_ns, 0, "a list has no base");
	is_int(policy->max_exponent, 10, "what is no option");
	given("-p aws-sdk-2026 -b 5s");
	is_int(policy->throttle_base_ns, 25 * S, "an own base has another one");
	given("-p aws-sdk -b 10s");
	is_int(policy->throttle_base_ns, 50 * S,
	    "derived defaults are computed afterwards");
}

TEST(vectors)
{
	for (size_t i = 0; i < ARRAY_LENGTH(vectors); i++)
		test_row(&vectors[i]);
}
