/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_HEADERS_H
#define BACKOFF_CORE_KNOWN_HEADERS_H
/*
 * What --retry-after has to know about clients of HTTP: with which options
 * they print headers, and when a server is likely to have sent a Retry-After.
 */

#include <stdbool.h>

/*
 * The options, for people to read, such as "-S". NULL if COMMAND, a base name
 * or NULL, is not known.
 */
const char *headers_options(const char *command);

/*
 * Whether LINE, a message about a status of HTTP, names one that comes with a
 * Retry-After as a rule: 429 and 503 (RFC 9110, 15.6.4; RFC 6585, 4).
 */
bool headers_are_likely(const char *line);

#endif
