/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>

#include "core/known/headers.h"

const char *
headers_options(const char *command)
{
	if (command == NULL)
		return NULL;
	if (strcmp(command, "curl") == 0)
		return "-w '%{stderr}Retry-After: "
		       "%header{retry-after}\\n' or -D /dev/stderr";
	if (strcmp(command, "wget") == 0)
		return "-S";
	return NULL;
}
