/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/environment.h"

enum variable {
	ATTEMPT,
	ATTEMPTS,
	DEPTH,
	ELAPSED,
	STATUS,
	VERDICT,
	ID,
	RESULT, /* only at the end */
	HINT,
	GATE, /* only with --gate */
	SLOTS, /* inherited, unless this run holds slots itself */
	VARIABLES,
};

static const char names[VARIABLES][20] = {
	[ATTEMPT] = "BACKOFF_ATTEMPT=",
	[ATTEMPTS] = "BACKOFF_ATTEMPTS=",
	[DEPTH] = "BACKOFF_DEPTH=",
	[ELAPSED] = "BACKOFF_ELAPSED=",
	[STATUS] = "BACKOFF_STATUS=",
	[VERDICT] = "BACKOFF_VERDICT=",
	[ID] = "BACKOFF_ID=",
	[RESULT] = "BACKOFF_RESULT=",
	[HINT] = "BACKOFF_HINT=",
	[GATE] = "BACKOFF_GATE=",
	[SLOTS] = "BACKOFF_SLOTS=",
};

static const char pid_names[2][16] = { "LISTEN_PID=", "WATCHDOG_PID=" };

static char values[VARIABLES][56];
static char *id_entry, *hint_entry;
static bool has_gate;
static char *slots_found, *slots_entry;
static char pid_entries[2][32];
static bool pids_are_ours; /* one of them is the pid of backoff */
static char *usual_ours[128];
static char **ours; /* COMMAND's: inherited, then VARIABLES slots, NULL */
static size_t inherited; /* how many of them are inherited */

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
	/* The address of the fleet's server, which may hold a password. */
	if (begins(entry, "BACKOFF_FLEET"))
		return true;
	for (int i = 0; i < VARIABLES; i++)
		if (begins(entry, names[i]))
			return true;
	return false;
}

/* ENTRY itself, or, if it holds our pid, a copy that can be rewritten. */
static char *
pid_entry(char *entry)
{
	for (int i = 0; i < 2; i++) {
		const char *value = entry + strlen(pid_names[i]);

		if (!begins(entry, pid_names[i]))
			continue;
		if (strcmp(value, NUMBER(getpid())) == 0) {
			pids_are_ours = true;
			return pid_entries[i];
		}
		break;
	}
	return entry;
}

static void
write_value(enum variable variable, const char *word, int64_t number)
{
	struct text text = text_in(values[variable], sizeof values[variable]);

	text_join(&text, names[variable], word != NULL ? word : NUMBER(number));
}

/* One more than the inherited depth. */
static int64_t
depth(void)
{
	const char *outer = getenv("BACKOFF_DEPTH");
	int64_t number = 0;

	if (outer == NULL || !count_parse(outer, &number))
		return 1;
	return saturating_add(number, 1);
}

/* USUAL if it is large enough: without malloc, backoff starts faster. */
static void *
room_for(void *usual, size_t usual_size, size_t size)
{
	return size <= usual_size ? usual : malloc(size);
}

/* NAME=VALUE, or NULL. */
static char *
make_entry(enum variable variable, const char *value)
{
	size_t size = strlen(names[variable]) + strlen(value) + 1;
	char *entry = room_for(values[variable], sizeof values[variable], size);
	struct text text;

	if (entry == NULL)
		return NULL;
	text = text_in(entry, size);
	text_join(&text, names[variable], value);
	return entry;
}

bool
environment_start(const char *id, const char *hint, const struct limits *limits)
{
	size_t count = 0;

	while (environ[count] != NULL)
		count++;
	ours = room_for(usual_ours, sizeof usual_ours,
	    (count + VARIABLES + 1) * sizeof *ours);
	id_entry = make_entry(ID, id);
	hint_entry = hint != NULL ? make_entry(HINT, hint) : NULL;
	if (ours == NULL || id_entry == NULL
	    || (hint != NULL && hint_entry == NULL))
		return false;
	for (size_t i = 0; i < count; i++)
		if (begins(environ[i], names[SLOTS]))
			slots_found = environ[i];
		else if (!is_ours(environ[i]))
			ours[inherited++] = pid_entry(environ[i]);
	write_value(DEPTH, NULL, depth());
	write_value(ATTEMPTS, limits->attempts == INT64_MAX ? "inf" : NULL,
	    limits->attempts);
	return true;
}

void
environment_slots(char *entry)
{
	slots_entry = entry;
}

void
environment_gate(const char *state)
{
	has_gate = state != NULL;
	if (has_gate)
		write_value(GATE, state, 0);
}

void
environment_set(const struct loop_state *state)
{
	bool first = state->verdict == VERDICT_NONE;
	char **next = ours + inherited;

	write_value(ATTEMPT, NULL, state->attempt);
	write_value(ELAPSED, NULL, state->elapsed_ns / NS_PER_S);
	write_value(STATUS, first ? "" : NULL, outcome_status(&state->outcome));
	write_value(VERDICT, verdict_name(state->verdict), 0);
	for (int i = ATTEMPT; i <= VERDICT; i++)
		*next++ = values[i];
	*next++ = id_entry;
	if (hint_entry != NULL)
		*next++ = hint_entry;
	if (state->result != RESULT_NONE) {
		write_value(RESULT, result_name(state->result), 0);
		*next++ = values[RESULT];
	}
	if (has_gate)
		*next++ = values[GATE];
	if (slots_entry != NULL || slots_found != NULL)
		*next++ = slots_entry != NULL ? slots_entry : slots_found;
	*next = NULL;
	environ = ours;
}

const char *
environment_id(void)
{
	return id_entry;
}

void
environment_adopt(void)
{
	for (int i = 0; i < 2 && pids_are_ours; i++) {
		struct text text
		    = text_in(pid_entries[i], sizeof pid_entries[i]);

		text_join(&text, pid_names[i], NUMBER(getpid()));
	}
}
