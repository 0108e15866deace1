/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_HEADERS_H
#define BACKOFF_CORE_KNOWN_HEADERS_H
/*
 * What clients of HTTP have to be told so that they print what --retry-after
 * and --tool look for.
 */

struct http_client {
	char name[8];
	char letters[8], options[72]; /* with which it prints headers */
	char prints_none[48]; /* "curl prints no headers: add -D /dev/stderr" */
	char shows_errors[32]; /* "; curl -sS shows errors" */
};

/* NULL: NAME, which may be NULL, is not known. */
const struct http_client *http_client(const char *name);

/* Its prints_none; NULL: it does, by a word of ARGV, or is not known. */
const char *headers_missing(const char *name, char *const *argv);

#endif
