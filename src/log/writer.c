/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/words/countdown.h"
#include "core/words/reason.h"
#include "log/writer.h"
#include "process/signals.h"
#include "system/system.h"

/* How long to wait for a stalled reader: once, not for every line. */
#define PATIENCE_NS NS_PER_S

/* Where lines go, and how the last one has fared. */
static struct sink {
	int descriptor;
	struct outlet outlet; /* to that; made for the first line */
	bool has_outlet;
	bool stalled; /* it found no room in time */
	bool torn; /* it was cut short and lacks its newline */
	int error; /* it could not be written: errno */
} sink = { .descriptor = STDERR_FILENO };

static int held = -1; /* where --quiet-success holds the log back, or -1 */
static bool told; /* backoff has been told to end */
static bool is_stderr; /* the log goes where COMMAND's stderr goes */
static char usual_buffer[5120];
static char *buffer = usual_buffer; /* [0]: the newline for a torn line */
static size_t buffer_size;
static char tried[COUNTDOWN_FRAME_SIZE]; /* writer_try(): a frame */
static size_t tried_from, tried_length; /* what is to be written of it */

/* "/dev/fd/3", "/dev/stdout": that very descriptor. Else -1. */
static int
named_descriptor(const char *file)
{
	int64_t number;

	if (strcmp(file, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(file, "/dev/stderr") == 0)
		return STDERR_FILENO;
	if (strncmp(file, "/dev/fd/", 8) == 0 && count_parse(file + 8, &number)
	    && number < 1000000)
		return (int)number;
	return -1;
}

/*
 * The descriptor that --log-file=FILE writes to; those above are copied. < 0:
 * errno tells why there is none.
 */
static int
target_of(const char *file)
{
	int named = named_descriptor(file);
	int flags;

	if (named >= 0) {
		flags = fcntl(named, F_GETFL);
		if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
			return fd_copy(named);
		errno = EBADF;
		return -1;
	}
	return fd_out_of_the_way(open(file,
	    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY
	        | O_NONBLOCK, /* a FIFO that nobody reads is an error */
	    0666));
}

const char *
writer_open(const struct log_options *options)
{
	/* In JSON, a byte of a string becomes at most six: \ufffd. */
	buffer_size = 1024 + 6 * REASON_SIZE
	    + 6
	        * (strlen(options->name) + strlen(options->command)
	            + strlen(options->id));
	if (buffer_size > sizeof usual_buffer)
		buffer = malloc(buffer_size);
	if (buffer == NULL)
		return "memory";
	if (options->held && (held = tempfile_open(O_APPEND)) < 0)
		return "--quiet-success";
	if (held >= 0)
		sink.descriptor = held;
	if (options->file != NULL)
		sink.descriptor = target_of(options->file);
	if (sink.descriptor < 0)
		return "--log-file";
	is_stderr = options->file == NULL
	    || fd_same_file(sink.descriptor, STDERR_FILENO);
	return NULL;
}

int
writer_held(void)
{
	return held;
}

/* How long to wait for room for a line. */
static int64_t
patience(void)
{
	if (sink.stalled)
		return 0;
	return told ? LAST_PATIENCE_NS : PATIENCE_NS;
}

static struct outlet *
opened(void)
{
	if (!sink.has_outlet)
		sink.outlet = outlet_of(sink.descriptor);
	sink.has_outlet = true;
	return &sink.outlet;
}

/* Whether all was written. A line that finds no room is dropped. */
static bool
put(const char *bytes, size_t length)
{
	size_t left = length;
	enum written end;

	opened();
	signals_before_write();
	end = outlet_put(
	    &sink.outlet, bytes, &left, clock_now_ns() + patience());
	if (end == WRITTEN_FAILED)
		sink.error = errno;
	signals_after_write(end == WRITTEN_FAILED);
	sink.stalled = end == WRITTEN_PART;
	if (left < length)
		sink.torn = bytes[length - left - 1] != '\n';
	return left == 0;
}

enum written
writer_release(int64_t until_ns)
{
	enum written end;
	off_t size;
	int error;

	if (held < 0)
		return WRITTEN_ALL;
	size = lseek(held, 0, SEEK_END);
	signals_before_write();
	end = copy_file(STDERR_FILENO, held, size, until_ns);
	error = errno;
	signals_after_write(end == WRITTEN_FAILED);
	if (sink.descriptor == held) {
		sink.descriptor = STDERR_FILENO;
		sink.has_outlet = false;
		sink.torn = end != WRITTEN_ALL || !ends_line(held, size);
		/* What COMMAND has printed follows. */
		if (sink.torn && end == WRITTEN_ALL)
			put("\n", 1);
	}
	fd_close(&held);
	errno = error;
	return end;
}

struct text
writer_begin(void)
{
	buffer[0] = '\n';
	return text_in(buffer + 1, buffer_size - 2);
}

int
writer_take_error(void)
{
	int error = sink.error;

	sink.error = 0;
	return error;
}

/* The buffer has room for the newlines before and after TEXT. */
void
writer_finish(struct text *text)
{
	if (sink.descriptor == held)
		sink.torn = !ends_line(held, lseek(held, 0, SEEK_END));
	text->data[text->length] = '\n';
	put(text->data - sink.torn, text->length + 1 + sink.torn);
}

void
writer_finish_on_stderr(struct text *text)
{
	struct sink usual = sink;

	if (sink.descriptor == STDERR_FILENO) {
		writer_finish(text);
		return;
	}
	sink = (struct sink) { .descriptor = STDERR_FILENO };
	writer_finish(text);
	outlet_close(&sink.outlet);
	sink = usual;
}

bool
writer_is_stderr(void)
{
	return is_stderr;
}

bool
writer_is_terminal(void)
{
	return sink.descriptor == STDERR_FILENO && opened()->is_terminal;
}

/* What the last try has left. Others than tries write it out. */
static struct text
rest_of_try(void)
{
	return (struct text) { .data = tried + tried_from,
		.length = tried_length - tried_from };
}

bool
writer_put(const struct text *text, enum writer_line line)
{
	struct text rest = rest_of_try();
	bool all;

	tried_from = tried_length;
	all = (rest.length == 0 || put(rest.data, rest.length))
	    && (text->length == 0 || put(text->data, text->length));
	if (all)
		sink.torn = line == WRITER_LEAVES_OPEN;
	return all;
}

void
writer_try(const struct text *text)
{
	struct text rest = rest_of_try();
	ssize_t written;

	if (rest.length == 0) {
		memcpy(tried, text->data, text->length);
		tried_from = 0;
		tried_length = text->length;
		rest = rest_of_try();
	}
	signals_before_write();
	written = outlet_write(opened(), rest.data, rest.length);
	signals_after_write(written < 0);
	if (written > 0) {
		tried_from += (size_t)written;
		sink.torn = true;
	} else if (tried_from == 0) {
		tried_length = 0;
	}
}

void
writer_forget_open_line(void)
{
	sink.torn = false;
	tried_from = tried_length = 0;
}

void
writer_hurry(void)
{
	told = true;
}

void
writer_torn_by_others(void)
{
	sink.torn = sink.torn || is_stderr;
}
