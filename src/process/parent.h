/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_PARENT_H
#define BACKOFF_PROCESS_PARENT_H
/*
 * The process that started backoff, for --die-with-parent. The kernel sends
 * a signal when the thread that started backoff has ended; that the process
 * has ended is seen by getppid(2). Without the option this does nothing.
 */

#include <stdbool.h>

/*
 * Chooses a signal that is not WAKE_ON, sees to it that it is not ignored, and
 * remembers who the parent is.
 */
void parent_choose_signal(int wake_on);

/* That signal, or 0: the parent does not matter. */
int parent_signal(void);

/*
 * From now on the signal comes; it must be blocked. Where the parent has
 * ended already it is there at once. False: that is so.
 */
bool parent_watch(void);

/* backoff has another parent than at first. */
bool parent_has_ended(void);

/* Takes the signal where it has come for a thread. Whether that was so. */
bool parent_false_alarm(void);

/* In the child, before exec: sets the signal as it was at the start. */
void parent_restore_signal(void);

#endif
