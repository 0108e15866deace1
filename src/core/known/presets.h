/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_PRESETS_H
#define BACKOFF_CORE_KNOWN_PRESETS_H
/*
 * presets.def as a table: how known systems back off.
 */

#include <stdbool.h>

struct preset {
	const char *name;
	bool approximate;
	const char *fields; /* what is no option: "cap-mode=after"; or "" */
	const char *options; /* those it stands for, separated by blanks */
	const char *source; /* where the system is described */
	const char *note; /* a difference or a remark, or "" */
};

/*
 * Advances PRESET to the next one in the order of presets.def, or, if it is
 * all zero, to the first. False: there is none.
 */
bool presets_next(struct preset *preset);

/* Finds the preset called NAME. False: there is none. */
bool presets_find(struct preset *preset, const char *name);

#endif
