/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_OUTLET_H
#define BACKOFF_STREAMS_OUTLET_H
/*
 * Writes without blocking to a descriptor that others use too. It waits for
 * room in signals_await_room(), where a signal that tells backoff to end is
 * noticed, so a full pipe or a stopped terminal cannot hold it up.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct outlet {
	int fd;
	int out; /* a non-blocking description of its file, or itself */
	bool is_socket;
	bool is_terminal;
	size_t step; /* bytes per write(2); SIZE_MAX: it never blocks */
};

/* The result of a write. */
enum written {
	WRITTEN_ALL,
	WRITTEN_PART, /* the time was up, or a signal came, before the rest */
	WRITTEN_FAILED, /* see errno */
};

/* Never fails; if FD is unusable, the first write fails. */
struct outlet outlet_of(int fd);
void outlet_close(struct outlet *outlet);

/* write(2) without blocking: EAGAIN if there is no room. */
ssize_t outlet_write(
    const struct outlet *outlet, const char *bytes, size_t count);

/*
 * Writes *LEFT bytes. Waits for room until UNTIL_NS (INT64_MAX: for ever) or a
 * signal that tells backoff to end, which stays pending. Sets *LEFT to the
 * number of bytes that were not written.
 */
enum written outlet_put(const struct outlet *outlet, const char *bytes,
    size_t *left, int64_t until_ns);

#endif
