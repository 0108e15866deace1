/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_PARENT_H
#define BACKOFF_SYSTEM_PARENT_H

/*
 * For the child before exec: the kernel sends it SIGNAL when backoff ends, as
 * when it is killed. Does nothing where the kernel cannot.
 */
void parent_take_along(int signal);

#endif
