/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_JUDGE_EXIT_CODES_H
#define BACKOFF_CORE_JUDGE_EXIT_CODES_H
/*
 * CODES, the sets of outcomes that --success-on and its like take, and
 * the names of signals.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/judge/outcome.h"

#define EXIT_CODES 256
#define SIGNALS 65 /* 1..64 */

/*
 * The verdicts that the user gave, a layer for each width of item. All zero:
 * none. Exit statuses are those of a command that ran: 127 is not `start`.
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
	CODES_CONFLICT, /* it has another verdict already, in the same width */
};

/* The item of a list that was refused. */
struct codes_fault {
	const char *item; /* within the list; its length follows */
	size_t length;
	enum verdict other; /* the verdict that it has already */
	int status; /* the first status of a range that has it, or -1 */
};

/*
 * Adds the comma-separated LIST, with or without blanks after the commas,
 * under VERDICT, which must not be VERDICT_NONE. FAULT says what is refused.
 */
enum codes_error codes_add(struct codes *codes, const char *list,
    enum verdict verdict, struct codes_fault *fault);

/*
 * The verdict of the narrowest item that matches, or VERDICT_NONE. Sets
 * *BY_DEFAULT if it is not from an item but the outcome's default verdict.
 */
enum verdict codes_match(
    const struct codes *codes, const struct outcome *outcome, bool *by_default);

/* "TERM", "SIGTERM", "term", "15", "RTMIN+3": its number, or 0. */
int signal_parse(const char *text);

/* Some systems have no real-time signals. */
bool signal_is_real_time(int signal);

/* Adds the name without SIG, or a number such as "34" if it has no name. */
void signal_text(struct text *text, int signal);

#endif
