/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_PARENT_H
#define BACKOFF_PROCESS_PARENT_H
/*
 * The process that started us, for --die-with-parent: the kernel sends a
 * signal when the thread that started us has ended, and then we look whether
 * we have another parent. Without the option nothing here does anything.
 */

#include <stdbool.h>

/*
 * Chooses a real-time signal that is not WAKE_ON, looks who our parent is,
 * and undoes that the signal may be ignored.
 */
void parent_choose_signal(int wake_on);

/* That signal, or 0: the parent does not matter. */
int parent_signal(void);

/*
 * From now on the signal comes; it must be blocked. Where the parent has
 * ended already it is there at once. False: that is so.
 */
bool parent_watch(void);

/* We have another parent than at first. */
bool parent_has_ended(void);

/* Takes the signal where it has come for a thread. Whether that was so. */
bool parent_false_alarm(void);

/* In the child, before exec: the signal is as it was when we started. */
void parent_restore_signal(void);

#endif
