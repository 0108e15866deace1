/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_VALUES_H
#define BACKOFF_OPTIONS_VALUES_H
/*
 * Parsers for the values of options: from text to a field. Their names and the
 * fields are in options.def.
 */

#include <stdbool.h>

#include "types/option_types.h"

/* Why a value was refused, in words. */
struct refusal {
	char item[64]; /* the offending part of it; "": all of it */
	char why[192];
};

/* Sets WHY, and returns false. */
bool refuse(struct refusal *refusal, const char *why);

/*
 * Reads TEXT into FIELD. False: it is refused; REFUSAL, all zero before, says
 * why, and FIELD is undefined.
 */
typedef bool value_parser(
    const char *text, void *field, struct refusal *refusal);

/* All of them: value_duration and so on. */
#define OPT(set, id, letter, name, argument, group, parser, target, help) \
	value_parser value_##parser;
#define WORDS(parser, type, first, words) value_parser value_##parser;
#include "options/options.def"

/* Frees the list of value_delays(). */
void value_free_delays(struct policy *policy);

/* What to look for in the output; allocated on the first call. */
struct scan *options_scan(struct options *options);

#endif
