/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_PRESETS_H
#define BACKOFF_CORE_KNOWN_PRESETS_H
/*
 * How known systems back off: presets.def as a table.
 */

#include <stdbool.h>

struct preset {
	const char *name;
	bool approximate;
	const char *needs; /* what has to be given with it, or "" */
	const char *options; /* that it stands for, with a space between */
	const char *source; /* where that is written */
	const char *note; /* what differs, or goes with it; or "" */
};

/*
 * The preset behind PRESET, in the order of presets.def; the first behind a
 * PRESET that is all zero. False: there is none.
 */
bool presets_next(struct preset *preset);

/* The preset of that name. False: there is none. */
bool presets_find(struct preset *preset, const char *name);

#endif
