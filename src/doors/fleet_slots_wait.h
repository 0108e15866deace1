/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_FLEET_SLOTS_WAIT_H
#define BACKOFF_DOORS_FLEET_SLOTS_WAIT_H
/*
 * What a run that waits for a slot does meanwhile: it says so, ends in time,
 * and touches what it keeps.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/line.h"
#include "types/option_types.h"

struct slots_wait {
	const struct slots_options *options;
	int64_t since_ns;
	int64_t until_ns;
	void (*touch)(void); /* or NULL */
	int64_t touch_ns; /* when it is next to be called; or INT64_MAX */
	bool is_told;
	int signal; /* that has ended it, or 0 */
	struct line line; /* of those who wait here */
};

void fleet_slots_wait_tell(struct slots_wait *wait);
void fleet_slots_wait_touch(struct slots_wait *wait);

/* When the wait is to be looked at again, but not after AT_NS. */
int64_t fleet_slots_wait_moment(const struct slots_wait *wait, int64_t at_ns);

/* The same, with what is touched. */
int64_t fleet_slots_wait_look(const struct slots_wait *wait);

/* Whether SIGNAL, or the time, ends the wait. The wake signal does not. */
bool fleet_slots_wait_is_over(struct slots_wait *wait, int signal);

/* Ended by SIGNAL, or it was time to look. False: the wait is over. */
bool fleet_slots_wait_goes_on(struct slots_wait *wait, int signal);

#endif
