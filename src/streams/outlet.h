/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_OUTLET_H
#define BACKOFF_STREAMS_OUTLET_H
/*
 * Writes that never block, to a descriptor that others use too. Room is
 * waited for in signals_await_room(), where a signal that ends backoff is
 * seen, so that a full pipe or a stopped terminal cannot hold it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct outlet {
	int fd;
	int out; /* its file again, in a description that does not block */
	bool is_socket;
	size_t step; /* what is written at once; SIZE_MAX: it never blocks */
};

/* What became of a write. */
enum written {
	WRITTEN_ALL,
	WRITTEN_PART, /* no room before the time was up or a signal came */
	WRITTEN_FAILED, /* errno tells why */
};

/* What is wrong with FD is told by the first write. */
struct outlet outlet_of(int fd);
void outlet_close(struct outlet *outlet);

/* As write(2) without blocking: EAGAIN where there is no room. */
ssize_t outlet_write(
    const struct outlet *outlet, const char *bytes, size_t count);

/*
 * Writes *LEFT bytes, and waits for room until UNTIL_NS (INT64_MAX: for
 * ever) or a signal that ends backoff, which stays pending. Sets *LEFT to
 * the number of bytes that were not written.
 */
enum written outlet_put(const struct outlet *outlet, const char *bytes,
    size_t *left, int64_t until_ns);

#endif
