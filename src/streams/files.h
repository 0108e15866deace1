/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_FILES_H
#define BACKOFF_STREAMS_FILES_H
/*
 * Temporary files, and how bytes get to a descriptor that others use too: it
 * may be slow, full, non-blocking, or opened for appending.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where temporary files are: ${TMPDIR:-/var/tmp}. */
const char *tempfile_directory(void);

/*
 * Both create a file for reading and appending, close-on-exec and out of the
 * way. < 0: failed, see errno. The first has no name, and vanishes when nobody
 * has it open any more; the name of the other begins with PREFIX, and is stored
 * in PATH of SIZE bytes.
 */
int tempfile_open(void);
int tempfile_named(const char *prefix, char *path, size_t size);

/* Whether FILE, of SIZE bytes, is empty or its last line has its newline. */
bool ends_line(int file, off_t size);

/* Reads what FILE is known to have: as pread(2), but at its end 0 with EIO. */
ssize_t file_read(int file, void *bytes, size_t most, off_t offset);

/*
 * Writes without blocking. It waits for room in signals_await_room(), where a
 * signal that tells backoff to end is noticed, so a full pipe or a stopped
 * terminal cannot hold it up.
 */
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

/* For the last time. Leaves errno alone, and FD open. */
void outlet_close(struct outlet *outlet);

/*
 * write(2) of COUNT bytes, above 0, without blocking: EAGAIN if there is no
 * room, EIO if nothing is written.
 */
ssize_t outlet_write(
    const struct outlet *outlet, const char *bytes, size_t count);

/*
 * Writes *LEFT bytes. Waits for room until UNTIL_NS (INT64_MAX: for ever) or a
 * signal that tells backoff to end, which stays pending. Sets *LEFT to the
 * number of bytes that were not written.
 */
enum written outlet_put(const struct outlet *outlet, const char *bytes,
    size_t *left, int64_t until_ns);

/* Copies the first SIZE bytes of FILE; waits for room as outlet_put() does. */
enum written copy_file(int to, int file, off_t size, int64_t until_ns);

#endif
