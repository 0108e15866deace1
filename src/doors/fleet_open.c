/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/text.h"
#include "doors/fleet_open.h"
#include "shared/fleet.h"

const char *
fleet_open_gate(const struct shared_options *options, bool *was_shut,
    char reason[FLEET_TEXT_SIZE])
{
	struct fleet_line answer = { .text = "" };
	const char *why = fleet_open(options, &answer);

	*was_shut = answer.numbers[0] != 0;
	text_copy(reason, FLEET_TEXT_SIZE, answer.text);
	return why;
}
