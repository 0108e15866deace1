/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_HEADERS_H
#define BACKOFF_CORE_KNOWN_HEADERS_H
/*
 * What a client of HTTP needs to be told so that it prints the Retry-After
 * header, for --retry-after.
 */

/*
 * Its options, for people to read: "-S". NULL: COMMAND, a base name or
 * NULL, is not known.
 */
const char *headers_options(const char *command);

#endif
