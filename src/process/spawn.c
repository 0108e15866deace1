/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/base.h"
#include "process/process.h"

#define MOST_STOPS 100 /* of the job, while COMMAND is started */

/* --- the environment --- */

/* In the order in which COMMAND finds them. */
enum variable {
	ATTEMPT,
	ATTEMPTS,
	DEPTH,
	ELAPSED,
	STATUS,
	VERDICT,
	ID,
	HINT,
	RESULT, /* only at the end */
	GATE, /* only with --gate */
	SLOTS, /* inherited, unless this run holds slots itself */
	FLEET, /* never: the server's address may hold a password */
	VARIABLES,
};

static const char names[VARIABLES][20] = { "BACKOFF_ATTEMPT=",
	"BACKOFF_ATTEMPTS=", "BACKOFF_DEPTH=", "BACKOFF_ELAPSED=",
	"BACKOFF_STATUS=", "BACKOFF_VERDICT=", "BACKOFF_ID=", "BACKOFF_HINT=",
	"BACKOFF_RESULT=", "BACKOFF_GATE=", "BACKOFF_SLOTS=", "BACKOFF_FLEET" };

static char values[VARIABLES][56];
/* Without malloc, backoff starts faster: what is usual fits into it. */
static char *usual_ours[128];

static char *entries[VARIABLES]; /* NAME=VALUE; NULL: COMMAND gets none */
static char *inherited_slots; /* that of SLOTS, or NULL */
static char **ours; /* COMMAND's: inherited, then those of entries, NULL */
static size_t inherited; /* how many of them are inherited */

/* The variables of systemd that name a process. */
static const char pid_names[2][16] = { "LISTEN_PID=", "WATCHDOG_PID=" };
static char pid_entries[2][32];
static bool pids_are_ours; /* one of them is the pid of backoff */

static bool
begins(const char *string, const char *with)
{
	return strncmp(string, with, strlen(with)) == 0;
}

/* Whether COMMAND does not inherit ENTRY. */
static bool
is_ours(const char *entry)
{
	if (!begins(entry, "BACKOFF_"))
		return false;
	for (int i = 0; i < VARIABLES; i++)
		if (begins(entry, names[i]))
			return true;
	return false;
}

/* ENTRY itself, or, if it holds our pid, a copy that can be rewritten. */
static char *
pid_entry(char *entry)
{
	for (int i = 0; i < 2; i++)
		if (begins(entry, pid_names[i])
		    && strcmp(entry + strlen(pid_names[i]), NUMBER(getpid()))
		        == 0) {
			pids_are_ours = true;
			return pid_entries[i];
		}
	return entry;
}

static void
write_value(enum variable variable, const char *value)
{
	struct text text = text_in(values[variable], sizeof values[variable]);

	text_join(&text, names[variable], value);
	entries[variable] = text.data;
}

bool
environment_start(const char *id, char *hint, const struct limits *limits)
{
	const char *outer = getenv("BACKOFF_DEPTH");
	int64_t depth = 0;
	size_t count = 0;

	if (outer != NULL && !count_parse(outer, &depth))
		depth = 0;
	while (environ[count] != NULL)
		count++;
	ours = count + VARIABLES < ARRAY_LENGTH(usual_ours)
	    ? usual_ours
	    : malloc((count + VARIABLES + 1) * sizeof *ours);
	if (ours == NULL)
		return false;
	entries[HINT] = hint;
	for (size_t i = 0; i < count; i++)
		if (begins(environ[i], names[SLOTS]))
			entries[SLOTS] = inherited_slots = environ[i];
		else if (!is_ours(environ[i]))
			ours[inherited++] = pid_entry(environ[i]);
	write_value(ID, id);
	write_value(DEPTH, NUMBER(saturating_add(depth, 1)));
	write_value(ATTEMPTS,
	    limits->attempts == INT64_MAX ? "inf" : NUMBER(limits->attempts));
	return true;
}

void
environment_slots(char *entry)
{
	entries[SLOTS] = entry != NULL ? entry : inherited_slots;
}

void
environment_gate(const char *state)
{
	entries[GATE] = NULL;
	if (state != NULL)
		write_value(GATE, state);
}

void
environment_set(const struct loop_state *state)
{
	bool first = state->verdict == VERDICT_NONE;
	char **next = ours + inherited;

	write_value(ATTEMPT, NUMBER(state->attempt));
	write_value(ELAPSED, NUMBER(state->elapsed_ns / NS_PER_S));
	write_value(
	    STATUS, first ? "" : NUMBER(outcome_status(&state->outcome)));
	write_value(VERDICT, verdict_name(state->verdict));
	if (state->result != RESULT_NONE)
		write_value(RESULT, result_name(state->result));
	for (int i = 0; i < VARIABLES; i++)
		if (entries[i] != NULL)
			*next++ = entries[i];
	*next = NULL;
	environ = ours;
}

const char *
environment_id(void)
{
	return entries[ID];
}

/*
 * In the child: if systemd has addressed LISTEN_PID or WATCHDOG_PID to backoff,
 * they name the child from now on (rule 60).
 */
static void
readdress(void)
{
	for (int i = 0; i < 2 && pids_are_ours; i++) {
		struct text text
		    = text_in(pid_entries[i], sizeof pid_entries[i]);

		text_join(&text, pid_names[i], NUMBER(getpid()));
	}
}

/* --- the start --- */

static pid_t self;

/* In the child, up to exec: see new_process(). */
static void
become_command(const void *what)
{
	const struct command *command = what;
	pid_t parent;

	/* If backoff is killed, COMMAND must not run on alone (rule 34). */
	parent_take_along(SIGTERM);
	/* 0 if backoff's children live in a PID namespace of their own. */
	parent = getppid();
	if (parent != self && parent != 0)
		_exit(STATUS_ERROR);
	for (int fd = 0; fd < 3; fd++)
		if (command->descriptors[fd] >= 0)
			dup2(command->descriptors[fd], fd);
	readdress();
	if (signals_restore())
		execvp(command->argv[0], command->argv);
}

static bool
is_program(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode)
	    && access(path, X_OK) == 0;
}

/* The file that execvp(3) takes for NAME, or NAME; until the next call. */
static char *
find(char *name)
{
	static char path[PATH_MAX];
	const char *entry = getenv("PATH"), *end;

	if (strchr(name, '/') != NULL || entry == NULL)
		return name;
	for (;; entry = end + 1) {
		struct text file = text_in(path, sizeof path);
		size_t length = length_before(entry, ':');

		end = entry + length;
		text_part(&file, entry, length);
		/* An empty entry is the current directory. */
		text_join(&file, length == 0 ? "." : "", "/", name);
		if (file.length + 1 < sizeof path && is_program(path))
			return path;
		if (*end == '\0')
			return name;
	}
}

char **
spawn_by_sh(char *const argv[])
{
	static char shell[] = "/bin/sh";
	size_t count = 1;
	char **script;

	while (argv[count] != NULL)
		count++;
	script = calloc(count + 2, sizeof *script);
	if (script == NULL)
		return NULL;
	script[0] = shell;
	script[1] = find(argv[0]);
	for (size_t i = 1; argv[i] != NULL; i++)
		script[i + 1] = argv[i];
	return script;
}

bool
spawn_finds(char *name)
{
	const char *path = find(name);

	/* A name not in PATH is not looked for in the current directory. */
	return strchr(path, '/') != NULL && is_program(path);
}

pid_t
spawn(const struct command *command)
{
	struct command tried = *command;
	char **script = NULL;
	int stops = 0, error;
	pid_t pid;

	if (self == 0)
		self = getpid();
	for (;;) {
		pid = new_process(become_command, &tried);
		if (pid < 0 && errno == ENOEXEC && script == NULL
		    && (script = spawn_by_sh(command->argv)) != NULL)
			tried.argv = script;
		/* After a stop (EINTR), once more. */
		else if (pid >= 0 || errno != EINTR || ++stops == MOST_STOPS)
			break;
	}
	error = errno;
	free(script);
	errno = error;
	return pid;
}
