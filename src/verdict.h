/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_VERDICT_H
#define BACKOFF_VERDICT_H
/*
 * What an attempt's end means.
 */

#include <stdbool.h>

#include "codes.h"

struct rules {
	struct codes codes;
	bool listed_only; /* --retry-on was given: what nothing matches stops */
};

enum verdict verdict_of(
    const struct rules *rules, const struct outcome *outcome);

/* "success", "retry" ...; "" for VERDICT_NONE. */
const char *verdict_name(enum verdict verdict);

#endif
