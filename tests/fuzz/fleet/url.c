/* SPDX-License-Identifier: MIT */
/*
 * Where a fleet's server is: what is shown has neither user nor password. They
 * are in no library: the helper's source is a part of this.
 */
#include <config.h>

#include "fleet/url.c"
#include "fuzz/fuzz.h"

static void
fuzz(char *string, size_t size)
{
	struct url url;

	if (url_parse(&url, string) == NULL) {
		fuzz_require(url.host[0] != '\0', "no host");
		fuzz_require(strchr(url.shown, '@') == NULL
		        || strchr(url.host, '@') != NULL,
		    "what is shown has more than the host");
	}
}
