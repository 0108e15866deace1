/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_DURATION_H
#define BACKOFF_CORE_BASE_DURATION_H
/*
 * Durations: text to int64 nanoseconds and back. No double, no locale.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MIN (60 * NS_PER_S)

/* "inf": longer than any duration. The longest, 292 years, is 1 ns less. */
#define DURATION_INF INT64_MAX

/*
 * Reads the longest duration that TEXT begins with: "1.5" (seconds),
 * "200ms", "1m30s", "1m 30s", "inf". A fraction of a nanosecond is rounded up;
 * what is too long saturates. Returns the rest of TEXT, or NULL if it does not
 * begin with a duration.
 */
const char *duration_scan(const char *text, int64_t *ns);

/* Reads TEXT, all of which must be one duration. */
bool duration_parse(const char *text, int64_t *ns);

/*
 * The end of the decimal number that TEXT begins with: "1", "1.5", ".5".
 * A point needs a digit after it, so that "1..2" is a range. Sets *POINT to
 * the point, or to the end if there is none. Returns NULL for no number.
 */
const char *decimal_end(const char *text, const char **point);

/*
 * The decimal number from TEXT to END (its point at POINT) times UNIT_NS,
 * rounded up; saturates.
 */
int64_t decimal_scale(
    const char *text, const char *point, const char *end, int64_t unit_ns);

/* Reads TEXT, all of which must be one decimal number, such as "1.6". */
bool number_parse(const char *text, double *number);

/* Reads the decimal number that TEXT begins with; returns the rest, or NULL. */
const char *number_scan(const char *text, double *number);

/* Reads TEXT, all of which must be one whole number; saturates. */
bool count_parse(const char *text, int64_t *count);

/*
 * Reads TEXT, all of which must be one size: bytes, or K M G T, KiB MiB GiB
 * TiB (powers of 1024); saturates.
 */
bool size_parse(const char *text, int64_t *bytes);

/* For people: "41.2GiB", "512B". */
void size_text(struct text *text, int64_t bytes);

int64_t min_ns(int64_t a, int64_t b);
int64_t max_ns(int64_t a, int64_t b);

/* a + b and a * b for values >= 0, saturating at INT64_MAX. */
int64_t saturating_add(int64_t a, int64_t b);
int64_t saturating_multiply(int64_t a, int64_t b);

/* For people: "850ms", "4.1s", "1m30s", "2h5m", "inf". */
void duration_text(struct text *text, int64_t ns);
#define DURATION(ns) duration_string((char[16]) { "" }, (ns))
const char *duration_string(char string[16], int64_t ns);

/* For machines: seconds with exactly nine decimals. */
void duration_seconds(struct text *text, int64_t ns);

#endif
