/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_MESSAGES_H
#define BACKOFF_SYSTEM_MESSAGES_H
/*
 * A pair of sockets that keep messages apart. Each end sends one message and
 * waits for the answer. A message has no newline in it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Both are closed on exec. False: errno. */
bool messages_pair(int ends[2]);

/* Sends one without blocking, from a signal handler too. False: errno. */
bool message_send(int fd, const char *words, size_t length);

/*
 * Waits for one and reads it into WORDS, up to SIZE bytes. Returns its length;
 * 0: the other end is closed; -1: errno.
 */
ssize_t message_receive(int fd, char *words, size_t size);

#endif
