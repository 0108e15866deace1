/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_EXIT_CODES_H
#define BACKOFF_CORE_EXIT_CODES_H
/*
 * CODES, the sets of outcomes that --success-on and its like take, and
 * the names of signals.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/nearest.h"
#include "core/outcome.h"
#include "core/text.h"

#define EXIT_CODES 256
#define SIGNALS 65 /* 1..64 */

/*
 * The verdicts given by the user, one layer a width. All zero is empty.
 * Exit statuses are those of a command that ran: 127 is not `start`.
 */
struct codes {
	uint8_t exact[EXIT_CODES];
	uint8_t killed[SIGNALS];
	uint8_t timeout;
	uint8_t start;
	uint8_t range[EXIT_CODES];
	uint8_t nonzero;
	uint8_t signal;
	uint8_t any;
};

enum codes_error {
	CODES_OK,
	CODES_SYNTAX,
	CODES_CONFLICT, /* another verdict has it already, in the same width */
};

/* What of a list was refused. */
struct codes_fault {
	const char *item; /* within the list, of */
	size_t length;
	enum verdict other; /* that has it already */
	int status; /* the first of a range that has, or -1 */
};

/*
 * Adds the comma-separated LIST, with or without blanks behind the commas,
 * under VERDICT, which must not be VERDICT_NONE. FAULT says what is refused.
 */
enum codes_error codes_add(struct codes *codes, const char *list,
    enum verdict verdict, struct codes_fault *fault);

/* What may have been meant by an item that is none, or by no signal. */
struct nearest codes_nearest(const char *item, size_t length);
struct nearest signal_nearest(const char *text);

/*
 * The verdict of the narrowest item that matches, or VERDICT_NONE. BY_DEFAULT:
 * it is that of no item, but what such an outcome means without one.
 */
enum verdict codes_match(
    const struct codes *codes, const struct outcome *outcome, bool *by_default);

/* "TERM", "SIGTERM", "term", "15", "RTMIN+3": its number, or 0. */
int signal_parse(const char *text);

/* The name without SIG; "34" where it has none. */
void signal_text(struct text *text, int signal);

#endif
