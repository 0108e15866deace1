/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/base.h"
#include "process/process.h"
#include "streams/streams.h"
#include "system/system.h"

/*
 * Signals wait while so many bytes are scanned: even with many slow
 * expressions, not for long. What is held is searched for a line to quote in
 * so many bytes at its end.
 */
#define READ_SIZE 65536

/* The most that a pipe can hold, unless root has raised that (Linux). */
#define PIPE_MOST 1048576

static struct watched {
	struct scan_stream stream;
	char bytes[READ_SIZE]; /* read and scanned last */
} watched[2];

/* One of COMMAND's two outputs. */
struct output {
	int fd; /* ours: where it belongs */
	int commands; /* COMMAND's, to be closed once it has started; or -1 */

	bool is_held; /* and then: */
	int file; /* to be read in the end, or -1 */
	bool shows_writers; /* file_has_writers() is not about backoff */
	off_t size; /* in the end, or when last looked at */

	/* Watched: from COMMAND's pipe through the scan to its outlet. */
	int pipe; /* to read from, or -1 */
	struct outlet outlet;
	struct watched *watched;
	size_t read, unwritten; /* the last bytes of those read last */
	/* How much is still to be read, once COMMAND has ended; before that,
	 * INT64_MAX. */
	int64_t left;
	int64_t read_ns; /* when something was read last, or INT64_MIN */
	int failure; /* why it cannot be passed on: errno, or 0 */
};

static struct {
	bool can_tell; /* file_has_writers() works for the held files */
	struct scan *scan; /* or NULL */
	bool times_all; /* all output is watched: see streams_start() */
	bool together; /* stdout and stderr are one file: keep their order */

	bool writes_file; /* stdout is a file, not held, and not the log */
	off_t size, place; /* of that file and in it, before this attempt */
	bool are_ours; /* a stream of this attempt is held or passed on */
	bool stderr_torn; /* what came out last ends within a line */
	struct output of[2]; /* stdout, stderr */
} out = {
	.of = {
		{ STDOUT_FILENO, .commands = -1, .file = -1, .pipe = -1,
		    .watched = &watched[0] },
		{ STDERR_FILENO, .commands = -1, .file = -1, .pipe = -1,
		    .watched = &watched[1] },
	},
};

/* --- held --- */

static void
drop(void)
{
	fd_close(&out.of[0].file);
	fd_close(&out.of[1].file);
}

/* The directory of the files, if its file system has no room; else NULL. */
static const char *
full_directory(void)
{
	struct statvfs stat;

	if (out.of[0].file < 0 || fstatvfs(out.of[0].file, &stat) != 0)
		return NULL;
	/* Some file systems have no limit of inodes: 0 of 0 are free. */
	return (geteuid() == 0 ? stat.f_bfree : stat.f_bavail) == 0
	        || (stat.f_files > 0 && stat.f_ffree == 0)
	    ? tempfile_directory()
	    : NULL;
}

static bool
hold_begin(int descriptors[3])
{
	int files[2] = { -1, -1 };

	for (int i = 0; i < 2; i++) {
		/* If both are one file, what is held of them is one, too. */
		if (!out.of[i].is_held || (i == 1 && out.together))
			continue;
		files[i] = tempfile_open();
		/* There may be descriptors, or inodes, for one attempt only. */
		if (files[i] < 0
		    && (errno == EMFILE
		        || (errno == ENOSPC && full_directory() != NULL))) {
			drop();
			files[i] = tempfile_open();
		}
		if (files[i] < 0) {
			fd_close(&files[0]);
			return false;
		}
	}
	drop();
	for (int i = 0; i < 2; i++) {
		struct output *output = &out.of[i];

		if (!output->is_held)
			continue;
		descriptors[output->fd] = files[i] >= 0 ? files[i] : files[0];
		/* backoff reads by another description, to be no writer. */
		output->file = out.can_tell && files[i] >= 0
		    ? fd_reopen(files[i], O_RDONLY)
		    : -1;
		output->shows_writers = output->file >= 0;
		if (output->shows_writers)
			output->commands = files[i];
		else
			output->file = files[i];
		output->size = 0;
	}
	return true;
}

enum written
hold_release(bool failed, int64_t until_ns)
{
	enum written end = WRITTEN_ALL;
	bool torn = false;
	int error = 0;

	if (!out.of[0].is_held)
		return WRITTEN_ALL;
	signals_before_write();
	/* If one stream cannot be released, the other still can. */
	for (struct output *output = out.of; output <= &out.of[1]; output++) {
		int to
		    = failed && !out.of[1].is_held ? STDERR_FILENO : output->fd;
		enum written one = WRITTEN_FAILED;

		if (output->file < 0)
			continue;
		errno = EIO;
		if (output->size >= 0)
			one = copy_file(
			    to, output->file, output->size, until_ns);
		if (one == WRITTEN_FAILED)
			error = errno;
		if (fd_same_file(to, STDERR_FILENO))
			torn = one != WRITTEN_ALL
			    || !ends_line(output->file, output->size);
		if (one > end)
			end = one;
	}
	signals_after_write(error != 0);
	out.stderr_torn |= torn;
	drop();
	errno = error;
	return end;
}

/* --- watched: one stream --- */

/* Reads and scans. False: nothing is there, or the pipe has ended. */
static bool
read_some(struct output *output)
{
	size_t most = (size_t)min_ns(output->left, READ_SIZE);
	ssize_t count;

	/* With nothing left it returns 0, as at the end. */
	RETRY_EINTR(count, read(output->pipe, output->watched->bytes, most));
	if (count < 0 && errno == EAGAIN)
		return false;
	if (count <= 0) {
		output->failure = count < 0 ? errno : 0;
		fd_close(&output->pipe);
		return false;
	}
	output->read_ns = clock_now_ns();
	output->read = output->unwritten = (size_t)count;
	if (output->left < INT64_MAX)
		output->left -= count;
	scan_bytes(out.scan, &output->watched->stream, output->watched->bytes,
	    output->read);
	return true;
}

/* Writes what was read. False: there is no room for all of it. */
static bool
pass_on(struct output *output)
{
	enum written written = outlet_put(&output->outlet,
	    output->watched->bytes + output->read - output->unwritten,
	    &output->unwritten, AT_ONCE);

	if (written != WRITTEN_FAILED)
		return written == WRITTEN_ALL;
	output->unwritten = 0;
	/* Few programs mind that stderr is closed. */
	if (errno == EBADF && output->fd == STDERR_FILENO)
		return true;
	/* Let COMMAND get EPIPE too, as it would without backoff. */
	output->failure = errno;
	fd_close(&output->pipe);
	return false;
}

/* Both, but only once before signals are handled. False: no more for now. */
static bool
advance(struct output *output)
{
	return output->pipe >= 0 && pass_on(output) && read_some(output)
	    && pass_on(output);
}

/* --- an attempt --- */

bool
streams_start(const struct streams *options, bool times)
{
	struct stat stat;
	int probe, reader;

	out.of[0].is_held = options->hold != HOLD_NOTHING;
	out.of[1].is_held = options->hold == HOLD_ALL;
	out.scan = options->scan;
	out.times_all = times;
	if (out.of[0].is_held) {
		probe = tempfile_open();
		if (probe < 0)
			return false;
		reader = fd_reopen(probe, O_RDONLY);
		close(probe);
		/* On NFS there always seems to be a writer. */
		out.can_tell = reader >= 0 && !file_has_writers(reader);
		fd_close(&reader);
	}
	out.writes_file = !out.of[0].is_held && fstat(STDOUT_FILENO, &stat) == 0
	    && S_ISREG(stat.st_mode)
	    && !fd_same_file(STDOUT_FILENO, STDERR_FILENO);
	out.together = (out.scan != NULL || out.of[1].is_held)
	    && fd_same(STDOUT_FILENO, STDERR_FILENO);
	if (out.scan == NULL)
		return true;
	/* On a terminal, COMMAND may print something else than into a pipe. */
	out.scan->spares_stdout = isatty(STDOUT_FILENO);
	for (struct output *output = out.of; output <= &out.of[1]; output++)
		output->outlet = outlet_of(output->fd);
	return true;
}

/* Makes the pipes. False: it failed, see errno. */
static bool
watch_begin(int descriptors[3])
{
	struct scan_stream *stream = &out.of[0].watched->stream;

	scan_reset(out.scan);
	stream->is_shared = out.together;
	/* If only stdout is held, they are two again. */
	stream->is_stderr
	    = out.together && out.of[0].is_held == out.of[1].is_held;
	out.of[1].watched->stream.is_stderr = true;
	for (struct output *output = out.of; output <= &out.of[1]; output++) {
		output->unwritten = 0;
		output->left = INT64_MAX;
		output->read_ns = INT64_MIN;
		output->failure = 0;
		if (output->is_held
		    || !(out.together || out.times_all
		        || scan_needs(out.scan, &output->watched->stream)))
			continue;
		if (output != out.of && out.together && out.of[0].pipe >= 0) {
			descriptors[output->fd] = out.of[0].commands;
			continue;
		}
		if (!descriptors_pipe(&output->pipe, &output->commands))
			return false;
		fcntl(output->pipe, F_SETFL, O_NONBLOCK);
		descriptors[output->fd] = output->commands;
	}
	return true;
}

static void
spawned(void)
{
	fd_close(&out.of[0].commands);
	fd_close(&out.of[1].commands);
}

/* The first descriptor is for stdin, the others are for the output. */
static int
wanted(struct pollfd *descriptors, int64_t *due_ns)
{
	int count = 1;

	descriptors[0] = input_wanted(due_ns);
	for (struct output *output = out.of; output <= &out.of[1]; output++)
		if (output->pipe >= 0)
			descriptors[count++] = output->unwritten > 0
			    ? (struct pollfd) { .fd = output->outlet.out,
				      .events = POLLOUT }
			    : (struct pollfd) { .fd = output->pipe,
				      .events = POLLIN };
	return count;
}

/*
 * Without its input COMMAND cannot work correctly, so it must end. If its
 * output fails, it learns that from its pipe.
 */
static bool
on_ready(const struct pollfd *came)
{
	bool has_input;

	signals_before_write();
	has_input = input_on_ready(came);
	advance(&out.of[0]);
	advance(&out.of[1]);
	signals_after_write(true);
	return has_input;
}

static int64_t
wrote(int64_t now_ns)
{
	bool is_writing = false;
	int64_t read_ns = INT64_MIN;
	struct stat stat;

	for (struct output *output = out.of; output <= &out.of[1]; output++) {
		if (output->file >= 0 && fstat(output->file, &stat) == 0) {
			is_writing |= stat.st_size != output->size;
			output->size = stat.st_size;
		}
		/* Where peek_count() cannot tell, there may be some. */
		is_writing = is_writing || output->unwritten > 0
		    || (output->pipe >= 0 && peek_count(output->pipe) != 0);
		read_ns = max_ns(read_ns, output->read_ns);
	}
	return is_writing ? now_ns : read_ns;
}

static bool
flush(bool patient)
{
	bool more = false;

	signals_before_write();
	/* Leftover processes must not read more of stdin. */
	input_end();
	for (struct output *output = out.of; output <= &out.of[1]; output++) {
		/* What others write from now on is not COMMAND's output. */
		if (!patient && output->pipe >= 0
		    && output->left == INT64_MAX) {
			int count = peek_count(output->pipe);

			output->left = count >= 0 ? count : PIPE_MOST;
		}
		while (advance(output) && !patient)
			continue;
		more = more || output->pipe >= 0;
	}
	/* Other processes may still write to the files. */
	for (struct output *output = out.of; output <= &out.of[1]; output++)
		more = more
		    || (patient && output->shows_writers
		        && file_has_writers(output->file));
	signals_after_write(true);
	return more;
}

static const struct relay relay = { spawned, wanted, on_ready, wrote, flush };

static void
look_at_stdout(off_t *size, off_t *place)
{
	struct stat stat;

	*size = *place = 0;
	if (!out.writes_file || fstat(STDOUT_FILENO, &stat) != 0)
		return;
	*size = stat.st_size;
	/* What is appended moves the place to the end of the file. */
	if ((fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND) == 0)
		*place = lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

const char *
streams_begin(struct command *command)
{
	int *descriptors = command->descriptors;
	struct stated_wait old;

	/* Drop hints written by a hook or by a leftover process. */
	hint_take(&old);
	descriptors[STDOUT_FILENO] = descriptors[STDERR_FILENO] = -1;
	if (!input_begin(&descriptors[STDIN_FILENO]))
		return "stdin";
	if (out.scan != NULL && !watch_begin(descriptors))
		return "output";
	/* Last: only then does the output of the last attempt go. */
	if (!hold_begin(descriptors))
		return "held output";
	look_at_stdout(&out.size, &out.place);
	out.are_ours
	    = descriptors[0] >= 0 || descriptors[1] >= 0 || descriptors[2] >= 0;
	command->relay = out.are_ours ? &relay : NULL;
	return NULL;
}

/* Scans held output, which is in a file. False: a signal ended that. */
static bool
scan_held(struct output *output)
{
	bool is_needed = scan_needs(out.scan, &output->watched->stream);
	/* If nothing is looked for, a line near the end is quoted. */
	off_t offset = is_needed ? 0 : max_ns(output->size - READ_SIZE, 0);
	ssize_t count;

	if (output->file < 0
	    || !(is_needed || output->watched->stream.is_stderr))
		return true;
	while (offset < output->size) {
		size_t most = (size_t)min_ns(output->size - offset, READ_SIZE);

		if (is_needed && signals_end_pending())
			return false;
		count = file_read(
		    output->file, output->watched->bytes, most, offset);
		if (count <= 0) {
			if (is_needed)
				output->failure = errno;
			break;
		}
		offset += count;
		scan_bytes(out.scan, &output->watched->stream,
		    output->watched->bytes, (size_t)count);
	}
	return true;
}

/*
 * Fixes the length of what is held, so that what leftover processes append
 * later is ignored; scans it.
 */
static void
end_output(struct evidence *evidence)
{
	struct stream_failure *failure = &evidence->failure;

	for (struct output *output = out.of; output <= &out.of[1]; output++)
		if (output->file >= 0)
			output->size = lseek(output->file, 0, SEEK_END);
	evidence->full = full_directory();
	if (out.scan == NULL)
		return;
	for (struct output *output = out.of; output <= &out.of[1]; output++) {
		struct scan_stream *stream = &output->watched->stream;

		failure->cut_off |= output->pipe >= 0;
		fd_close(&output->pipe);
		if (out.together || output->fd == STDERR_FILENO)
			out.stderr_torn |= stream->length > 0;
		failure->cut_off |= !scan_held(output);
		scan_finish(out.scan, stream);
		if (failure->error == 0)
			failure->error = output->failure;
	}
	/* A verdict from half of what was looked for may be the wrong one. */
	if (out.scan->lacks_memory && failure->error == 0)
		failure->error = ENOMEM;
	if (failure->error == 0)
		return;
	failure->stream = "output";
	/* COMMAND may have failed only because its pipe was closed. */
	failure->is_final = failure->error != EPIPE;
}

static void
add_matches(struct evidence *evidence)
{
	const struct scan *scan = out.scan;
	const struct condition *condition = scan_match(scan, -1);

	evidence->match.last_line = scan->last_line.text;
	evidence->match.is_silent = !scan->has_line;
	evidence->match.is_passed_on = !out.of[1].is_held;
	if (condition == NULL)
		return;
	if (condition->quote.length > 0)
		evidence->match.last_line = condition->quote.text;
	evidence->match.verdict = condition->verdict;
	evidence->match.pattern = condition->regex.text;
}

struct evidence
streams_end(int64_t ended_ns)
{
	struct evidence evidence = { .hint.verdict = VERDICT_NONE };
	struct stream_failure *failure = &evidence.failure;
	off_t size, place;

	if (out.are_ours) {
		signals_before_write();
		input_end();
		end_output(&evidence);
		signals_after_write(true);
	}
	evidence.hint = hint_of(out.scan, ended_ns);
	if (out.scan != NULL)
		add_matches(&evidence);
	input_report(&evidence);
	look_at_stdout(&size, &place);
	evidence.stray_bytes = max_ns(size - out.size, place - out.place);
	/* If the output's reader has gone, backoff dies by PIPE as well. */
	if (failure->error == EPIPE && signals_pipe_is_deadly())
		failure->signal = SIGPIPE;
	return evidence;
}

bool
output_tore_stderr(void)
{
	bool torn = out.stderr_torn;

	out.stderr_torn = false;
	return torn;
}
