/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_PROCESS_H
#define BACKOFF_PROCESS_PROCESS_H
/*
 * COMMAND and the hooks as processes, from their start to the end of the last
 * one that they have left; and the signals of backoff.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "core/loop/loop.h"
#include "system/system.h"

struct options; /* of types/option_types.h */

/*
 * --- signals.c: those that backoff gets ---
 *
 * Those that it handles are always blocked, and taken from a queue, so that
 * none can arrive between a test and a wait. Those ignored at the start stay
 * ignored. COMMAND gets the original mask and dispositions.
 *
 * An end signal is one that tells backoff to end: HUP, INT, QUIT or TERM, but
 * not the one that --wake-on names.
 */

/* Call this once, before a spawn. WAKE_ON: of --wake-on, or 0. False: errno. */
bool signals_start(int wake_on);

/* Whether SIGNAL is an end signal, or that of --wake-on. */
bool signals_ends(int signal);
bool signals_wakes(int signal);

/* Whether the terminal has sent it to the whole group. */
bool signals_by_terminal(const struct queued_signal *arrival);

enum wake {
	WAKE_TIME,
	WAKE_SIGNAL,
	WAKE_DESCRIPTOR,
};

/*
 * Waits until a signal arrives, a descriptor is ready, or UNTIL_NS (INT64_MAX:
 * for ever) has come; returns which. A signal comes first, and so does its
 * place in WATCHED, which is set here.
 */
enum wake signals_wait(struct queued_signal *arrival, int64_t until_ns,
    struct pollfd *watched, int count);

/*
 * Sleeps until UNTIL_NS, or until an end signal or that of --wake-on arrives,
 * or is pending already. Returns that signal, or 0.
 */
int signals_sleep(int64_t until_ns);

/*
 * Waits until FD has room to write, an end signal arrives, or UNTIL_NS has
 * come; returns which. The signal, which comes first, stays pending, for a
 * pause or signals_drain() to find.
 */
enum wake signals_await_room(int fd, int64_t until_ns);

/* signals_drain(), but only if signals_await_room() met a signal; else 0. */
int signals_met(void);

/* Discards all signals that are pending; returns the first end signal, or 0. */
int signals_drain(void);
bool signals_end_pending(void);

/*
 * For the child, before exec: restores everything as it was at the start.
 * False, with EINTR: a key that stops the job has come, and waits.
 */
bool signals_restore(void);

/*
 * Bracket backoff's own writes, so that a reader that has gone away, or a file
 * that may not grow, is an error and does not kill backoff (PIPE, XFSZ).
 * FAILED: a write failed and may have raised one of these.
 */
void signals_before_write(void);
void signals_after_write(bool failed);

/*
 * write(2) for what may block although poll(2) says that it has room: EAGAIN if
 * it has written nothing for a moment.
 */
ssize_t signals_write(int fd, const char *bytes, size_t count);

/* Whether PIPE kills a writer without a reader: it was not ignored. */
bool signals_pipe_is_deadly(void);

/*
 * Whether stderr is backoff's controlling terminal, and backoff in its
 * foreground job. A job in the background leaves the screen to others.
 */
bool is_in_foreground(void);

/* Dies by SIGNAL, or exits with 128 + SIGNAL if that is impossible. */
_Noreturn void signals_die(int signal);

/*
 * --- spawn.c: starts COMMAND and the hooks ---
 *
 * Their environment is that of backoff, but with all BACKOFF_* variables set
 * anew.
 */

/*
 * Prepares it; HINT is "BACKOFF_HINT=...", which is not copied, or NULL. False:
 * no memory.
 */
bool environment_start(const char *id, char *hint, const struct limits *limits);

/*
 * Puts ENTRY, "BACKOFF_SLOTS=...", in the place of the one that was inherited;
 * NULL: the inherited one stays. It is not copied.
 */
void environment_slots(char *entry);

/* BACKOFF_GATE is STATE from now on; NULL: there is none. */
void environment_gate(const char *state);

/* Sets `environ` for the attempt or hook that follows. */
void environment_set(const struct loop_state *state);

/* The string NAME=VALUE that only processes of this run have. */
const char *environment_id(void);

struct command {
	char *const *argv;
	int descriptors[3]; /* its 0, 1 and 2, or -1: inherited */
	const struct relay *relay; /* or NULL */
	int64_t cutoff_ns; /* when to end it; INT64_MAX: never */
	bool is_hook; /* it gets only end signals, and may be silent */
};

/*
 * Starts it. A file without #! is run by sh (rule 57). Returns the pid, or < 0:
 * it could not be started, see errno.
 */
pid_t spawn(const struct command *command);

/*
 * The command line that runs the file ARGV[0] by sh, after exec has failed with
 * ENOEXEC: POSIX demands that of execvp(3), but not every libc does it. The
 * caller frees the array; the next call overwrites the path in it. NULL: no
 * memory.
 */
char **spawn_by_sh(char *const argv[]);

/* Whether NAME exists, after ENOENT: then its interpreter is missing. */
bool spawn_finds(char *name);

/*
 * --- process_tree.c: all that COMMAND has started ---
 *
 * Its tree is every process below backoff, except those that were there before
 * the first attempt; so what earlier attempts and hooks have left is part of
 * it. backoff becomes a subreaper, so that it adopts orphans and no process
 * gets out of its sight. Where processes cannot be seen, the tree is COMMAND,
 * and its process group if it leads one.
 */

struct processes {
	struct process *list;
	size_t count;
};

struct process_tree {
	bool loses_orphans; /* to process 1, not to self */
	pid_t self;
	pid_t command; /* 0 once it has been reaped */
	struct processes preexisting; /* below self before the first attempt */
	struct processes known; /* in the tree at the last look; to be freed */
	pid_t group; /* that COMMAND leads, if processes cannot be seen; or 0 */
};

/*
 * Whether has_mark must decide about PROCESS, because it is an orphan that may
 * come from COMMAND's tree or from elsewhere: from a child that self had
 * before, or from any process if it falls to process 1, which self may be.
 */
bool process_needs_mark(
    const struct process_tree *tree, const struct process *process);

/*
 * Finds the tree in ALL: sets in_tree of every process below self, of orphans
 * with the mark and of what is below those, except what was there before the
 * first attempt, and what is below that. Sorts ALL by pid.
 */
void process_tree_find(struct processes *all, const struct process_tree *tree);

/*
 * Records what is below backoff, never to be signalled. Call this once, before
 * the first attempt, if there are children, and when the dead are reaped.
 */
void process_tree_spare(void);

/*
 * Sends SIGNAL (0: only looks) to COMMAND (0: it has been reaped) and to
 * everything else in its tree.
 */
struct census process_tree_signal(
    struct process_tree *tree, pid_t command, int signal);

/* --- supervise.c: an attempt from its start to its end --- */

/*
 * How long an attempt has been silent. supervise() looks from time to time, as
 * held output only shows that it has grown since the last look. Time in which
 * the attempt was stopped does not count.
 */
struct silence {
	int64_t limit_ns; /* INT64_MAX: there is none */
	int64_t lasted_ns; /* until the last look */
	int64_t looked_ns; /* when that was; at first, its start */
};

/*
 * A look at NOW_NS: the attempt wrote last at WROTE_NS. WAS_STOPPED: it was
 * stopped at some time since the last look. Returns whether the limit has been
 * reached.
 */
bool silence_look(struct silence *silence, int64_t now_ns, int64_t wrote_ns,
    bool was_stopped);

/* When to look next, if there is a limit. */
int64_t silence_next_ns(const struct silence *silence);

#define RELAY_DESCRIPTORS 3

/* Callbacks for a program whose input or output backoff passes on. */
struct relay {
	/* The program has its descriptors now, or was not started; keeps errno.
	 */
	void (*spawned)(void);
	/* Returns how many, up to RELAY_DESCRIPTORS; *DUE_NS: when on_ready()
	 * is to be called anyway. */
	int (*wanted)(struct pollfd *descriptors, int64_t *due_ns);
	/* False: the program must be killed. */
	bool (*on_ready)(const struct pollfd *came);
	/*
	 * When the program last wrote, or INT64_MIN. It writes at NOW_NS where
	 * some of it still waits to be passed on, or where a file of its
	 * output has grown since the last call.
	 */
	int64_t (*wrote)(int64_t now_ns);
	/*
	 * After its end: passes on what is left; returns whether there is
	 * more. With PATIENT, that includes what leftover processes that still
	 * have its output open may write.
	 */
	bool (*flush)(bool patient);
};

/* A child that works for backoff (shared/fleet.c), outside COMMAND's tree. */
struct helper {
	pid_t pid; /* 0: none, or it has been reaped */
	/* Called while COMMAND runs, as it may have died; or NULL. Returns when
	 * to call it again; INT64_MAX: never. */
	int64_t (*look)(void);
};

extern struct helper helper;

/*
 * Runs it to its end, as OPTIONS limit and end attempts. If it could not be
 * started, that is an outcome too. The times of the outcome are always set.
 */
struct outcome supervise(
    const struct command *command, const struct options *options);

#endif
