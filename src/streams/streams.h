/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_STREAMS_H
#define BACKOFF_STREAMS_STREAMS_H
/*
 * The streams of each attempt, and what they reveal: stdin, held and watched
 * output, and BACKOFF_HINT, a file in which COMMAND can say how to go on, in
 * lines: after=WHEN, verdict=stop|retry|throttle|success|pass.
 */

#include <poll.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/judge/outcome.h"
#include "core/known/known.h"
#include "core/waits/waits.h"
#include "types/option_types.h"

struct command; /* of process/process.h */

/* --- files.c: temporary files --- */

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

/* What poll(2) says of FD at once: which of EVENTS, POLLHUP ... */
short poll_once(int fd, short events);

/*
 * And how bytes get to a descriptor that others use too: it may be slow, full,
 * non-blocking, or opened for appending. An outlet writes without blocking. It
 * waits for room in signals_await_room(), where a signal that tells backoff to
 * end is noticed, so a full pipe or a stopped terminal cannot hold it up.
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
 * Writes *LEFT bytes. Waits for room until UNTIL_NS (INT64_MAX: for ever;
 * AT_ONCE: it does not wait) or a signal that tells backoff to end, which stays
 * pending. Sets *LEFT to the number of bytes that were not written.
 */
#define AT_ONCE INT64_MIN
enum written outlet_put(const struct outlet *outlet, const char *bytes,
    size_t *left, int64_t until_ns);

/* Copies the first SIZE bytes of FILE; waits for room as outlet_put() does. */
enum written copy_file(int to, int file, off_t size, int64_t until_ns);

/* --- scan.c: the lines of an attempt's output --- */

/*
 * It looks for matches of the conditions, for stated waits and for the line of
 * stderr that the log quotes, in constant memory and bounded time: only the
 * first SCAN_LINE bytes of a line count, as regexec(3) may take time quadratic
 * in the length.
 */
#define SCAN_LINE 4096
#define SCAN_QUOTE 120 /* bytes of a quoted line */
#define SCAN_CONDITIONS 64 /* the most that a user can give */
#define SCAN_WAIT_REGEXES 64 /* likewise, of --retry-after */

struct quote {
	size_t length;
	char text[SCAN_QUOTE + 1]; /* in a stream, the last tells of a cut */
};

/* A REGEX that is compared with lines. */
struct line_regex {
	const char *text;
	regex_t compiled;
	/*
	 * Part of every match, or "": nothing is known. For 36 MB of lines, to
	 * search for it first takes 0.06 s instead of 0.2 s with glibc, and of
	 * 2.5 s with musl.
	 */
	char literal[32];
};

/* One condition: a line that matches REGEX means VERDICT. */
struct condition {
	enum verdict verdict;
	const struct tool_row *message; /* of a tool; NULL: the user's */
	struct line_regex regex;
	bool matched;
	struct quote quote; /* the matching line if it was on stderr, or "" */
};

struct scan {
	/* First those of the user, then the messages of a tool. */
	struct condition conditions[SCAN_CONDITIONS + TOOL_MESSAGES];
	size_t count, users;
	/*
	 * The REGEXes of --retry-after; a WHEN is their first group, or
	 * follows the match.
	 */
	struct line_regex wait_regexes[SCAN_WAIT_REGEXES];
	size_t wait_regexes_count;
	struct waits waits;
	bool spares_stdout; /* headers alone are no reason to watch it */
	bool has_messages_on_stdout;
	bool has_union; /* which is any_message */
	struct line_regex any_message; /* any of those without a literal */

	/* What was found: */
	bool has_line; /* where messages of the tool may be */
	bool lacks_memory; /* a line could not be compared */
	/* Of stderr, with a letter in it, or ""; set by scan_finish(). */
	struct quote last_line;
};

/* One stream of an attempt; all zero at first. */
struct scan_stream {
	bool is_stderr;
	bool is_shared; /* stdout, but the same open file as stderr */
	size_t length; /* of the line so far, at most SCAN_LINE */
	char line[SCAN_LINE + 2];
	bool is_cut; /* it is longer, so its end is not in line */
	bool returned; /* a carriage return came: the next byte starts anew */
	struct quote shown; /* of the line, after its last carriage return */
};

/*
 * Adds a condition, at most SCAN_CONDITIONS. Returns NULL, or why TEXT is
 * refused.
 */
const char *scan_add(struct scan *scan, enum verdict verdict, const char *text);

/* Adds a REGEX of --retry-after, likewise. */
const char *scan_add_wait_regex(struct scan *scan, const char *text);

/* Adds the messages of TOOL, after all conditions. */
void scan_add_tool(struct scan *scan, const struct tool *tool);

/* Whether that stream has to be looked at. */
bool scan_needs(const struct scan *scan, const struct scan_stream *stream);

/* Forgets what was found in an earlier attempt. */
void scan_reset(struct scan *scan);

/* Scans further bytes of the stream. */
void scan_bytes(struct scan *scan, struct scan_stream *stream,
    const char *bytes, size_t count);

/* The stream has ended: scans its last line, which may lack a newline. */
void scan_finish(struct scan *scan, struct scan_stream *stream);

/*
 * The match that decides: the first of stop, success, throttle, retry; of the
 * messages that the tool has for exit STATUS, or, if that is -1, of the user's
 * own conditions.
 */
const struct condition *scan_match(const struct scan *scan, int status);

/* --- hints.c: what COMMAND and the other side ask for --- */

/* Creates the file for hints. Returns BACKOFF_HINT=NAME, or NULL. */
char *hint_start(void);

/*
 * Returns what was written there since the last call, without its wait, which
 * is in AFTER; empties the file.
 */
struct hint hint_take(struct stated_wait *after);

/* The same with the wait that counts, also of what SCAN, or NULL, has found. */
struct hint hint_of(const struct scan *scan, int64_t ended_ns);

/* Removes the file if it has a name in a directory. */
void hint_stop(void);

/* --- input.c: stdin --- */

/*
 * Gives each attempt the same standard input, from where backoff found it. A
 * regular file is rewound. The content of a pipe or stream socket reaches
 * COMMAND through a pipe of backoff's own: what COMMAND has read is taken
 * from stdin and kept in a file for the next attempt; what it has not read
 * stays in stdin. Terminals and other devices are inherited.
 *
 * Call this once, before anything is spawned. For --spool-limit, LIMIT.
 * False with errno: it is unknown what stdin is.
 */
bool input_start(enum stdin_mode mode, int64_t limit);

/*
 * Before an attempt. Sets COMMAND's stdin, which this chapter closes; -1 if it
 * is inherited. Gives it what there is, so that a COMMAND that does not wait
 * for input finds it, or the end. False, with errno: it failed.
 */
bool input_begin(int *descriptor);

/*
 * For struct relay, while the attempt runs. An fd of -1: it waits for nothing.
 * Gives COMMAND what there is, without blocking. False: its input failed.
 */
struct pollfd input_wanted(int64_t *due_ns);
bool input_on_ready(const struct pollfd *came);

/*
 * After the attempt, or earlier. What COMMAND was given but nobody has read
 * stays in stdin for its next reader. A process that COMMAND has left behind
 * finds the end of its input.
 */
void input_end(void);

/*
 * Sets what EVIDENCE has about the input: why it failed since input_begin(),
 * and what became of a pipe's content in all attempts.
 */
void input_report(struct evidence *evidence);

/* --- streams.c: the streams of an attempt --- */

/*
 * Held output: each attempt writes to an unnamed file of its own, so that a
 * process left behind by an earlier attempt cannot write into the file of a
 * later one. In the end, the output worth showing is copied out. Watched
 * output: COMMAND writes to pipes of backoff, which scans the lines and passes
 * them on at once. Held output is scanned in its file instead.
 *
 * Call this once, before anything is spawned. TIMES: all output is watched, as
 * it counts when it is written. False, with errno: no file can be created.
 */
bool streams_start(const struct streams *options, bool times);

/*
 * Before an attempt: sets COMMAND's descriptors (-1: inherited) and relay; last
 * of all drops what is held. Returns NULL, or the stream that failed, with
 * errno, and what was held still is; then neither streams_end() nor another
 * attempt may follow.
 */
const char *streams_begin(struct command *command);

/*
 * After the attempt, which ended at ENDED_NS: returns what its streams have
 * shown.
 */
struct evidence streams_end(int64_t ended_ns);

/*
 * Copies the last attempt's output to where it belongs, but with FAILED to
 * stderr if only stdout is held. Waits for room as outlet_put() does. Does it
 * only once: released output is no longer held.
 */
enum written hold_release(bool failed, int64_t until_ns);

/* Whether stderr may have been left within a line since the last call. */
bool output_tore_stderr(void);

#endif
