/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_BY_REGEXEC_H
#define BACKOFF_BY_REGEXEC_H
/*
 * What a scan has to find, a line at a time, by nothing but regexec(3).
 */

#include <regex.h>

#include "streams/streams.h"

/* Whether a line of BYTES matches; what is cut off one is not its end. */
static bool
any_line_matches(const regex_t *regex, const char *bytes, size_t size)
{
	char line[SCAN_LINE + 1];
	size_t length = 0;
	bool found = false, is_cut = false;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && bytes[i] != '\n') {
			if (length < SCAN_LINE)
				line[length++]
				    = bytes[i] == '\0' ? '\1' : bytes[i];
			else
				is_cut = true;
			continue;
		}
		line[length] = '\0';
		if ((i < size || length > 0)
		    && regexec(regex, line, 0, NULL, is_cut ? REG_NOTEOL : 0)
		        == 0)
			found = true;
		length = 0;
		is_cut = false;
	}
	return found;
}

#endif
