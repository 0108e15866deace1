/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_PARENT_H
#define BACKOFF_SYSTEM_PARENT_H

/*
 * The signal for parent_tell_end(): one that nobody else sends, and not BUT. 0:
 * this system does not tell a process that its parent has ended.
 */
int parent_end_signal(int but);

/* From now on SIGNAL comes if the thread that has started us ends. */
void parent_tell_end(int signal);

/*
 * In a child: SIGNAL comes if we end without having seen to that, as when
 * killed. Where that is not possible it does nothing.
 */
void parent_take_along(int signal);

#endif
