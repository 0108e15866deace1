/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "shared/line.h"
#include "shared/state_file.h"
#include "system/boot.h"

#define NS_PER_PLACE 1000

/* Whose places come around after nine years without a reboot. */
int64_t
line_ticket(void)
{
	return boot_clock_ns() / NS_PER_PLACE % LINE_PLACES;
}

bool
line_join(struct line *line, int fd, int64_t base, int64_t *ticket)
{
	enum lock_result result;

	*line = (struct line) { .fd = fd, .base = base, .place = -1 };
	while ((result = lock_try(fd, base + *ticket)) == LOCK_BUSY)
		*ticket = (*ticket + 1) % LINE_PLACES;
	if (result == LOCK_HAD)
		line->place = base + *ticket;
	return result == LOCK_HAD;
}

void
line_leave(struct line *line)
{
	if (line->place >= 0)
		lock_free(line->fd, line->place);
	line->place = -1;
}

/* The place next before ours that is taken, or -1. */
static int64_t
place_before(const struct line *line)
{
	int64_t end = line->place, span = 1, middle, found;
	int64_t low = lock_find(line->fd, line->base, end - 1);

	if (low < 0)
		return -1;
	/* It is mostly near. LOW is taken, and nothing from END on. */
	while (end - low > 1) {
		middle = span < end - low ? end - span : low + (end - low) / 2;
		found = lock_find(line->fd, middle, line->place - 1);
		if (found >= 0) {
			low = found;
		} else {
			end = middle;
			span = saturating_multiply(span, 8);
		}
	}
	return low;
}

bool
line_is_first(const struct line *line)
{
	return lock_find(line->fd, line->base, line->place - 1) < 0;
}

enum lock_result
line_wait(const struct line *line, int64_t until_ns, int *told)
{
	int64_t before = place_before(line);
	enum lock_result result;

	*told = 0;
	if (before < 0)
		return LOCK_HAD;
	result = lock_wait(line->fd, before, until_ns, told);
	if (result == LOCK_HAD)
		lock_free(line->fd, before);
	return result;
}

bool
line_is_empty(int fd, int64_t base)
{
	return lock_find(fd, base, base + LINE_PLACES - 1) < 0;
}
