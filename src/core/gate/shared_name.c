/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/gate/shared_name.h"

size_t
shared_name_scan(const char *text)
{
	static const char bytes[] = "._-"
	                            "0123456789_"
	                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "abcdefghijklmnopqrstuvwxyz";
	size_t length = strspn(text, bytes);

	if (length >= SHARED_NAME_SIZE || text[0] == '.' || text[0] == '-'
	    || (length == 4 && memcmp(text, "list", 4) == 0))
		return 0;
	return length;
}

void
shared_name_add(struct text *text, const char *name, bool is_fleet)
{
	text_join(text, is_fleet ? FLEET_PREFIX : "", name);
}
