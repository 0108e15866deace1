/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_LINE_H
#define BACKOFF_SHARED_LINE_H
/*
 * A line of runs that wait, in the order of their tickets. Each holds the lock
 * of a byte of its own, its place, and waits for that of the one before it: so
 * the kernel wakes one alone when a run leaves or dies, and who looks at the
 * clock meanwhile loses no place and wakes nobody.
 *
 * The kernel would also have a queue for a single byte; but there a run that is
 * stopped keeps all behind it from ever being woken.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/lock_wait.h"

struct line {
	int fd;
	int64_t base; /* the byte of the first place */
	int64_t place; /* our byte; -1: we stand nowhere */
};

/* So many places there may be, beginning at a line's base. */
#define LINE_PLACES (INT64_C(1) << 48)

/* The place of one who comes now, which may be kept for another line. */
int64_t line_ticket(void);

/*
 * Stands in the line of BASE. False: errno tells why not. Where the place of
 * *TICKET is another's, it is the next one.
 */
bool line_join(struct line *line, int fd, int64_t base, int64_t *ticket);
void line_leave(struct line *line);

/* Nobody stands before us. */
bool line_is_first(const struct line *line);

/*
 * Waits as lock_wait() does until the one before us has gone. LOCK_HAD: it
 * has, and others may be before us all the same.
 */
enum lock_result line_wait(
    const struct line *line, int64_t until_ns, int *told);

/* Nobody else stands there. */
bool line_is_empty(int fd, int64_t base);

#endif
