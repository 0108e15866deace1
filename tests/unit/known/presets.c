/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/duration.h"
#include "core/known/presets.h"
#include "options/options.h"
#include "options/program.h"
#include "options/values.h"
#include "unit/tap.h"
#include "unit/uniform.h"

#define MS NS_PER_MS
#define S NS_PER_S
#define MIN NS_PER_MIN
#define DRAWS 100000

const struct program program
    = { PROGRAM_BACKOFF, "presets", 8, "", "", "", NULL };

static struct options options;
static struct schedule schedule;
static int64_t drawn[DRAWS];

/* Parses a command line such as "-p NAME -b 2s" and starts its schedule. */
static void
given(const char *words)
{
	static char copies[16][1024];
	static int turn;
	char *argv[40] = { (char[]) { "backoff" } };
	char *copy = copies[turn++ % 16];
	int argc = 1;

	value_free_delays(&options.settings.policy);
	/* A usage error would end this program, and so fail the test. */
	snprintf(copy, sizeof copies[0], "%s true", words);
	for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " "))
		argv[argc++] = at;
	optind = 0;
	options_parse(&options, argc, argv);
	schedule = schedule_start(&options.settings.policy, &random_source);
}

static int64_t
draw(int64_t n)
{
	return schedule_draw(&schedule, n, false);
}

/* Checks the pauses of WORDS at U, within TOLERANCE_NS. */
static void
pauses_near(const char *words, double u, const double *wanted, int count,
    double unit_ns, int64_t tolerance_ns)
{
	char what[160];

	given(words);
	set_uniform(u);
	for (int n = 1; n <= count; n++) {
		int64_t ns = llround(wanted[n - 1] * unit_ns);

		snprintf(what, sizeof what, "%s: pause %d at %g", words, n, u);
		is_between(draw(n), ns - tolerance_ns, ns + tolerance_ns, what);
	}
}

#define VECTOR(...) \
	(const double[]) { __VA_ARGS__ }, \
	    sizeof((const double[]) { __VA_ARGS__ }) / sizeof(double)

static void
attempts_are(const char *words, int64_t wanted)
{
	given(words);
	is_int(options.settings.limits.attempts, wanted, words);
}

/* The sum of the first COUNT pauses at U. */
static void
sum_is(const char *words, double u, int count, int64_t wanted_ns)
{
	int64_t sum_ns = 0;

	given(words);
	set_uniform(u);
	for (int n = 1; n <= count; n++)
		sum_ns += draw(n);
	is_int(sum_ns, wanted_ns, words);
}

static void
test_protocols(void)
{
	pauses_near("-p ethernet", 1,
	    VECTOR(1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 1023, 1023), 51200,
	    0);
	pauses_near("-p ethernet", 0, VECTOR(0, 0, 0), 1, 0);
	sum_is("-p ethernet", 1, 15, 366131200);
	attempts_are("-p ethernet", 16);
	pauses_near(
	    "-p sip-invite", .3, VECTOR(.5, 1, 2, 4, 8, 16), (double)S, 0);
	attempts_are("-p sip-invite", 7);
	sum_is("-p sip-invite", 0, 6, 31500 * MS);
	ok(options.settings.limits.from_start,
	    "SIP counts from when a request was sent");
	pauses_near("-p sip-request", .3, VECTOR(.5, 1, 2, 4, 4, 4, 4, 4, 4, 4),
	    (double)S, 0);
	attempts_are("-p sip-request", 11);
	sum_is("-p sip-request", 0, 10, 31500 * MS);
	pauses_near(
	    "-p tcp", .3, VECTOR(1, 2, 4, 8, 16, 32, 60, 60), (double)S, 0);
	sum_is("-p tcp -b 200ms -c 2m", 0, 16, 924600 * MS);
	pauses_near("-p dhcp", 0, VECTOR(3, 7, 15, 31, 63, 63), (double)S, 0);
	pauses_near("-p dhcp", 1, VECTOR(5, 9, 17, 33, 65, 65), (double)S, 0);
	attempts_are("-p dhcp", 5);
	is_int(options.settings.limits.splay.low_ns, S, "DHCP waits for 1 s");
	is_int(options.settings.limits.splay.high_ns, 10 * S, "to 10 s");
	pauses_near(
	    "-p apue", .3, VECTOR(1, 2, 4, 8, 16, 32, 64), (double)S, 0);
	sum_is("-p apue", 0, 7, 127 * S);
	attempts_are("-p apue", 8);
	given("-p smtp");
	is_int(schedule_window(&options.settings.policy, 9), 120 * MIN,
	    "smtp goes on every two hours");
	is_int(options.settings.limits.deadline_ns, 120 * 60 * MIN,
	    "for five days");
	is_int(options.settings.limits.attempts, INT64_MAX, "however often");
}

static void
test_libraries(void)
{
	int64_t sum_ns = 0, waits = 0;

	pauses_near("-p jpillora", .3,
	    VECTOR(100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000),
	    (double)MS, 0);
	pauses_near(
	    "-p jpillora -f 1.5", .3, VECTOR(100, 150, 225), (double)MS, 0);
	pauses_near("-p jpillora -b 100ns -f 1.75 --floor=0", .3,
	    VECTOR(100, 175, 306, 535, 937), 1, 0);
	pauses_near(
	    "-p jpillora -b 500s -c 100s", .3, VECTOR(100, 100), (double)S, 0);
	/* Its longest cuts what is drawn, not the window. */
	pauses_near("-p jpillora -j full", .9,
	    VECTOR(100, 190, 370, 730, 1450, 2890, 5770, 10000), (double)MS, 0);
	pauses_near("-p celery", 1,
	    VECTOR(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600), (double)S,
	    0);
	attempts_are("-p celery", 4);
	pauses_near(
	    "-p celery -b 4s -c 100s", 1, VECTOR(4, 8, 16, 32), (double)S, 0);
	/* The second but last of 33 numbers. */
	pauses_near(
	    "-p celery -b 32s -c 100s", 31.5 / 33, VECTOR(31), (double)S, 0);
	pauses_near("-p google", .25,
	    VECTOR(1.25, 2.25, 4.25, 8.25, 16.25, 32, 32), (double)S, 0);
	pauses_near("-p cenkalti", .5,
	    VECTOR(.5, .75, 1.125, 1.6875, 2.53125, 3.796875, 5.6953125,
	        8.542968750, 12.814453125, 19.221679687, 28.832519530,
	        43.248779295, 60, 60),
	    (double)S, 1);
	pauses_near("-p cenkalti -j 0.1 -f 2 -c 5s", .5,
	    VECTOR(500, 1000, 2000, 4000, 5000, 5000), (double)MS, 0);
	pauses_near("-p cenkalti", 1, VECTOR(.75, 1.125, 1.6875), (double)S, 0);
	attempts_are("-p cenkalti", INT64_MAX);
	is_int(options.settings.limits.deadline_ns, 15 * MIN,
	    "cenkalti ends after 15 minutes");
	set_uniform(.5);
	for (int64_t n = 1; sum_ns <= 15 * MIN; n++, waits++)
		sum_ns += draw(n);
	is_int(waits - 1, 24, "that is 24 waits without jitter");
	pauses_near("-p resilience4j", .5,
	    VECTOR(500, 750, 1125, 1687.5, 2531.25), (double)MS, 0);
	attempts_are("-p resilience4j", 3);
	pauses_near(
	    "-p tenacity", .25, VECTOR(1.25, 2.25, 4.25, 8.25), (double)S, 0);
	pauses_near("-p tenacity -j none -c 40", .25,
	    VECTOR(1, 2, 4, 8, 16, 32, 40, 40), (double)S, 0);
	pauses_near("-p tenacity -j none --floor=20", .25,
	    VECTOR(20, 20, 20, 20, 20, 32, 64, 128), (double)S, 0);
	pauses_near("-p polly -b 1", .5,
	    VECTOR(.897405, 1.093004, 2.035748, 4.045979, 8.083632, 16.163663),
	    (double)S, 500);
	pauses_near("-p polly -b 1", 0,
	    VECTOR(0, 1.377182, 1.460067, 2.865850, 5.717807), (double)S, 500);
	pauses_near("-p polly -b 1 -c 3", .5,
	    VECTOR(.897405, 1.093004, 2.035748, 3, 3), (double)S, 500);
	attempts_are("-p polly", 4);
}

static void
test_services(void)
{
	pauses_near("-p aws-full", 1,
	    VECTOR(10, 20, 40, 80, 160, 320, 640, 1280, 2000, 2000), (double)MS,
	    0);
	pauses_near("-p aws-full", .5, VECTOR(5, 10, 20), (double)MS, 0);
	pauses_near("-p aws-equal", 0, VECTOR(5, 10, 20, 40), (double)MS, 0);
	pauses_near("-p aws-equal", 1, VECTOR(10, 20, 40, 80), (double)MS, 0);
	pauses_near("-p aws-decorrelated -b 1s -c 20s", .5,
	    VECTOR(2, 3.5, 5.75, 9.125, 14.1875, 20, 20), (double)S, 1);
	pauses_near("-p aws-sdk", 1, VECTOR(1, 2, 4, 8, 16, 20, 20, 20, 20),
	    (double)S, 0);
	attempts_are("-p aws-sdk", 3);
	pauses_near("-p aws-sdk-2026", 1,
	    VECTOR(50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 20000),
	    (double)MS, 0);
	attempts_are("-p aws-sdk-2026", 3);
	is_int(options.settings.policy.throttle_base_ns, S,
	    "aws-sdk-2026: a throttle");
	pauses_near("-p aws-dynamodb-2026", 1,
	    VECTOR(25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 20000),
	    (double)MS, 0);
	attempts_are("-p aws-dynamodb-2026", 4);
	is_int(options.settings.policy.throttle_base_ns, S,
	    "aws-dynamodb-2026: a throttle");
	pauses_near("-p grpc-connect", .5,
	    VECTOR(1, 1.6, 2.56, 4.096, 6.5536, 10.48576, 16.777216, 26.8435456,
	        42.94967296, 68.719476736, 109.9511627776, 120, 120),
	    (double)S, 1);
	is_int(options.settings.limits.timeout_ns, 20 * S,
	    "gRPC gives an attempt 20 s");
	pauses_near("-p grpc-retry", 0, VECTOR(80, 160, 320, 640, 800, 800),
	    (double)MS, 0);
	pauses_near("-p grpc-retry", 1, VECTOR(120, 240, 480, 960, 1200, 1200),
	    (double)MS, 0);
	attempts_are("-p grpc-retry", 4);
	pauses_near(
	    "-p envoy", 1, VECTOR(25, 75, 175, 250, 250), (double)MS, 0);
	/* Whole milliseconds. */
	pauses_near("-p envoy", .5, VECTOR(13, 38, 88, 125), (double)MS, 0);
	attempts_are("-p envoy", 2);
	pauses_near("-p curl", .3,
	    VECTOR(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600), (double)S,
	    0);
	pauses_near("-p kubernetes", .3, VECTOR(10, 20, 40, 80, 160, 300, 300),
	    (double)S, 0);
	is_int(options.settings.limits.reset_after_ns, 10 * MIN,
	    "ten minutes start it again");
	sum_is("-p kubernetes-job", 0, 6, 630 * S);
	attempts_are("-p kubernetes-job", 7);
	pauses_near("-p systemd -b 1 -c 60 --steps=6", .3,
	    VECTOR(
	        1, 1.978602, 3.914868, 7.745967, 15.326189, 30.324434, 60, 60),
	    (double)S, 500);
	pauses_near("-p systemd -b 100ms -c 60 --steps=5", .3,
	    VECTOR(.1, .359443, 1.291994, 4.643984, 16.692485, 60), (double)S,
	    500);
	pauses_near("-p systemd -b 2 -c 16 --steps=3", .3, VECTOR(2, 4, 8, 16),
	    (double)S, 1);
	pauses_near(
	    "-p polling", .3, VECTOR(100, 200, 400, 800), (double)MS, 0);
	sum_is("-p wechat-pay", 0, 15, 86640 * S);
	attempts_are("-p wechat-pay", 16);
	sum_is("-p alipay", 0, 7, 1464 * MIN);
	attempts_are("-p alipay", 8);
	pauses_near("-p sre", 1, VECTOR(1, 2, 4, 8), (double)S, 0);
	attempts_are("-p sre", 3);
}

static int
compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void
draw_many(const char *words, int64_t n)
{
	given(words);
	random_source = random_from(20261121);
	for (int i = 0; i < DRAWS; i++)
		drawn[i] = draw(n);
}

/* Kolmogorov and Smirnov: uniform in [low, high]; p < 1e-6 beyond 2.7. */
static void
is_uniform(const char *words, int64_t n, double low_ns, double high_ns)
{
	double most = 0;
	char what[160];

	draw_many(words, n);
	qsort(drawn, DRAWS, sizeof *drawn, compare);
	for (int i = 0; i < DRAWS; i++) {
		double wanted
		    = ((double)drawn[i] - low_ns) / (high_ns - low_ns);

		most = fmax(most, fabs(wanted - (double)i / DRAWS));
		most = fmax(most, fabs(wanted - (double)(i + 1) / DRAWS));
	}
	snprintf(what, sizeof what, "%s: pause %d is uniform", words, (int)n);
	if (!ok(most * sqrt(DRAWS) < 2.7, what))
		printf("# D * sqrt(n) = %g\n", most * sqrt(DRAWS));
}

static void
test_uniform(void)
{
	static const struct {
		const char *words;
		int64_t n;
		double low, high; /* ms */
	} rows[] = {
		{ "-p aws-full", 9, 0, 2000 },
		{ "-p aws-equal", 3, 20, 40 },
		{ "-p grpc-connect", 2, 1280, 1920 },
		{ "-p google", 3, 4000, 5000 },
		{ "-p cenkalti", 1, 250, 750 },
		{ "-p dhcp", 4, 31000, 33000 },
		{ "-p jpillora -j full", 3, 100, 400 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		is_uniform(rows[i].words, rows[i].n, rows[i].low * 1e6,
		    rows[i].high * 1e6);
}

/* Pearson's test of the integers 0..MOST < 64; p < 1e-6. */
static void
is_even(int64_t unit_ns, int64_t most, const char *what)
{
	int counts[64] = { 0 };
	double wanted = (double)DRAWS / (double)(most + 1);
	double square = 0, freedom = (double)most;
	/* Wilson and Hilferty's approximation of the quantile. */
	double limit = freedom
	    * pow(1 - 2 / (9 * freedom) + 4.76 * sqrt(2 / (9 * freedom)), 3);

	for (int i = 0; i < DRAWS; i++) {
		bool whole = drawn[i] >= 0 && drawn[i] % unit_ns == 0
		    && drawn[i] / unit_ns <= most;

		counts[whole ? drawn[i] / unit_ns : 0]++;
	}
	for (int64_t i = 0; i <= most; i++)
		square += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
	if (!ok(square < limit, what))
		printf("# %g, wanted below %g\n", square, limit);
}

/* Ethernet: whole slots, up to 2^c - 1 of them after c collisions. */
static void
test_slots(void)
{
	char what[64];

	for (int c = 1; c <= 6; c++) {
		draw_many("-p ethernet", c);
		snprintf(what, sizeof what, "ethernet: after %d", c);
		is_even(51200, (INT64_C(1) << c) - 1, what);
	}
	draw_many("-p celery", 5);
	is_even(S, 16, "celery: whole seconds up to 16");
}

/* A preset has the effect of the options that it prints. */
static void
test_copies(void)
{
	struct preset preset = { .name = NULL };
	int count = 0;

	while (presets_next(&preset)) {
		char words[1024];
		struct options copy;
		int64_t list[16];
		const char *needed
		    = *preset.needs != '\0' ? "-b 1 -c 60 --steps=6" : "";

		snprintf(words, sizeof words, "%s %s", preset.options, needed);
		given(words);
		copy = options;
		for (size_t i = 0; i < copy.settings.policy.delays; i++)
			list[i] = copy.settings.policy.delays_ns[i];
		snprintf(words, sizeof words, "-p %s %s", preset.name, needed);
		given(words);
		for (size_t i = 0; i < copy.settings.policy.delays; i++)
			if (list[i] != options.settings.policy.delays_ns[i])
				copy.settings.policy.delays = 0;
		copy.settings.policy.delays_ns
		    = options.settings.policy.delays_ns;
		ok(memcmp(
		       &copy.settings, &options.settings, sizeof copy.settings)
		        == 0,
		    preset.name);
		ok(*preset.source != '\0', "it has a source");
		ok(!preset.approximate || *preset.note != '\0',
		    "what is approximate says what differs");
		count++;
	}
	is_int(count, 31, "all of them");
}

/* The user's own options come first. */
static void
test_own_options(void)
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
	given("-p ethernet -b 1 --cap=60 --steps=3");
	is_int(policy->growth, GROWTH_EXPONENTIAL, "own steps, the growth");
	is_int(schedule_window(policy, 4), 60 * S, "and the factor");
	given("-p aws-sdk -b 10s");
	is_int(policy->throttle_base_ns, 50 * S,
	    "derived defaults are computed afterwards");
}

TESTS
{
	test_protocols();
	test_libraries();
	test_services();
	test_uniform();
	test_slots();
	test_copies();
	test_own_options();
}
