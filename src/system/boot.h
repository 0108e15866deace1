/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_BOOT_H
#define BACKOFF_SYSTEM_BOOT_H
/*
 * What lasts as long as the machine runs.
 */

#include <stdint.h>
#include <sys/types.h>

/* The clock of a boot: it goes on while the machine sleeps, if any does. */
int64_t boot_clock_ns(void);

/*
 * Reads into BYTES what names this boot, up to SIZE bytes; returns how many,
 * <= 0: nothing does.
 */
ssize_t boot_id(char *bytes, size_t size);

#endif
