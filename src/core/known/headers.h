/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_HEADERS_H
#define BACKOFF_CORE_KNOWN_HEADERS_H
/*
 * The options with which an HTTP client prints the Retry-After header, for
 * --retry-after.
 */

/*
 * The options, for people to read, such as "-S". NULL if COMMAND, a base name
 * or NULL, is not known.
 */
const char *headers_options(const char *command);

#endif
