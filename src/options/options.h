/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTIONS_H
#define BACKOFF_OPTIONS_OPTIONS_H
/*
 * The command line, as settings. Which options there are stands in
 * options.def.
 */

#include <stdbool.h>
#include <stdint.h>

#include "options/getopt_table.h"
#include "log/log.h"
#include "core/loop.h"
#include "streams/streams.h"
#include "world.h"

/* Of backoff-herd. */
struct herd {
	int64_t clients; /* 0: not given */
	int64_t outage_ns; /* -1: not given */
	double capacity; /* requests a second; 0: not given */
	int64_t runs;
};

struct options {
	struct settings settings;
	struct job job;
	struct streams streams; /* with a scan where one is needed */
	struct log_options log; /* its id is NULL where --id was not given */
	int wake_on; /* signal, or 0 */
	bool seeded;
	int64_t seed;
	int64_t steps; /* of --steps, 0 where it was not given */
	bool plan; /* show it, run nothing */
	struct herd herd;
};

/*
 * Fills OPTIONS from the command line; argv of the errand is what is behind
 * the options, and may be empty. Exits with 125 and one line on stderr where
 * that cannot be, with 0 after --help and what else only prints.
 */
void options_parse(struct options *options, int argc, char **argv);

#endif
