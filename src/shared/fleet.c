/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/base.h"
#include "log/log.h"
#include "process/process.h"
#include "shared/shared.h"
#include "system/system.h"

/* The linters do not know where we are installed. */
#ifndef LIBEXECDIR
#define LIBEXECDIR "/usr/local/libexec"
#endif

/*
 * The helper allows 250 ms for the connection and for each answer of the
 * server. This is for a helper that is stuck itself.
 */
#define ANSWER_NS (1500 * NS_PER_MS)
#define START_NS (10 * NS_PER_S)
#define BYE_NS (300 * NS_PER_MS)

/* In a long wait, a server that stays lost is asked again after this. */
#define AGAIN_NS (10 * NS_PER_S)

/* If one dies when it starts, the next one waits so long. */
#define REVIVE_NS NS_PER_S

static const char ended[] = "backoff-fleet has ended";

static char **environment; /* ours, before it is made COMMAND's */
static const char *program;
static int helper_socket = -1; /* our end */
static int64_t started_ns; /* the helper */
static char server[FLEET_TEXT_SIZE]; /* what to call it */
static char lost_why[2 * FLEET_TEXT_SIZE]; /* "SERVER: WHY" */
struct fleet_server fleet_server;
static struct fleet_line answer; /* the last one */

static struct part {
	const char *kind, *name;
	uint64_t held; /* the member; 0: nothing */
	bool is_told; /* it was logged that the fleet is lost */
} parts[FLEET_PARTS] = { { .kind = "gate" }, { .kind = "slots" } };

/* The one named, or beside our own binary, or where it is installed. */
static const char *
find_program(void)
{
	static char beside[PATH_MAX];
	const char *named = getenv("BACKOFF_FLEET_HELPER");
	char own[PATH_MAX];

	if (named != NULL && named[0] != '\0')
		return named;
	if (process_own_program(own, sizeof own))
		text_copy(beside, sizeof beside,
		    JOINED(PATH_MAX, dirname(own), "/backoff-fleet"));
	return access(beside, X_OK) == 0 ? beside : LIBEXECDIR "/backoff-fleet";
}

/* In the child, up to exec. The helper itself closes other descriptors. */
static void
become_helper(const void *its_socket)
{
	char *argv[] = { (char *)(uintptr_t)program, NULL };

	if (dup2(*(const int *)its_socket, FLEET_SOCKET) >= 0)
		execve(program, argv, environment);
}

/* Waits until UNTIL_NS of CLOCK_MONOTONIC for its end, and then kills it. */
static void
helper_end(int64_t until_ns)
{
	char rest[64];

	/* The socket ends when the helper does. Drop what it still says. */
	while (helper_socket >= 0 && fd_await(helper_socket, POLLIN, until_ns)
	    && read(helper_socket, rest, sizeof rest) > 0)
		continue;
	fd_close(&helper_socket);
	if (helper.pid == 0)
		return;
	kill(helper.pid, SIGKILL);
	while (waitpid(helper.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	helper.pid = 0;
}

/* Sends WORD, a question about PART, and the REST of it. */
static bool
say(const char *word, enum fleet_part part, const char *rest)
{
	struct text text = TEXT_OF(FLEET_LINE_SIZE);

	text_join(
	    &text, word, " {", parts[part].name, "}:", parts[part].kind, rest);
	return message_send(helper_socket, text.data, text.length);
}

/*
 * No key of the terminal reaches the helper, and it has one descriptor: a
 * socket that keeps messages apart. It is to end when that ends, and is told
 * what one before it has held. NULL, or why not.
 */
static const char *
start(void)
{
	int ends[2];
	pid_t pid = -1;

	helper_end(0);
	started_ns = clock_now_ns();
	if (messages_pair(ends)) {
		helper_socket = fd_out_of_the_way(ends[0]);
		/* Not 3 itself: a copy onto itself would be closed on exec. */
		ends[1] = fd_out_of_the_way(ends[1]);
		pid = new_process(become_helper, &ends[1]);
		fd_close(&ends[1]);
	}
	if (pid < 0) {
		fd_close(&helper_socket);
		return errno == ENOENT ? "backoff-fleet is not installed"
		                       : strerror(errno);
	}
	helper.pid = pid;
	for (enum fleet_part part = 0; part < FLEET_PARTS; part++)
		if (parts[part].held > 0)
			say("keep", part,
			    JOINED(32, " ", NUMBER((int64_t)parts[part].held)));
	return NULL;
}

/* The next message is the answer. NULL, or why there is none. */
static const char *
hear(int64_t within_ns)
{
	static char room[FLEET_LINE_SIZE];
	ssize_t size;

	if (!fd_await(helper_socket, POLLIN, clock_now_ns() + within_ns))
		return "timed out";
	size = message_receive(helper_socket, room, sizeof room - 1);
	if (size <= 0)
		return ended;
	room[size] = '\0';
	fleet_line_read(&answer, room);
	if (strcmp(answer.fields[0], "hello") == 0
	    && answer.numbers[1] != FLEET_VERSION)
		return "backoff-fleet is of another version";
	return strcmp(answer.fields[0], "wrong") == 0 ? answer.fields[1] : NULL;
}

static const char *
ask_once(const char *word, enum fleet_part part, const char *rest)
{
	const char *why = helper_socket < 0 ? start() : NULL;

	if (why == NULL && !say(word, part, rest))
		why = ended;
	do
		why = why != NULL ? why : hear(ANSWER_NS);
	while (why == NULL && strcmp(answer.fields[0], "hello") == 0);
	return why;
}

/*
 * Asks anew where a helper was killed: the server may be there all the same.
 * False: the fleet is lost.
 */
static bool
ask(const char *word, enum fleet_part part, const char *rest)
{
	const char *why = ask_once(word, part, rest);
	int64_t now_ns, before_ns = fleet_server.asked_ns;

	if (why == ended) {
		helper_end(0);
		why = ask_once(word, part, rest);
	}
	now_ns = fleet_server.asked_ns = boot_clock_ns();
	if (why == NULL && strcmp(answer.fields[0], "lost") != 0) {
		fleet_server.lost_since_ns = 0;
		if (parts[FLEET_GATE].is_told || parts[FLEET_SLOTS].is_told)
			log_shared(WEIGHT_DETAIL,
			    JOINED(FLEET_TEXT_SIZE + 64,
			        "fleet server reachable again (", server, ")"),
			    NULL, NULL);
		parts[FLEET_GATE].is_told = parts[FLEET_SLOTS].is_told = false;
		return true;
	}
	fleet_server.is_lost = true;
	/* Nobody knows whether it answered others in a time so long. */
	if (fleet_server.lost_since_ns == 0
	    || now_ns - before_ns >= FLEET_LEASE_NS)
		fleet_server.lost_since_ns = now_ns;
	text_copy(lost_why, sizeof lost_why,
	    JOINED(sizeof lost_why, server, ": ",
	        why != NULL ? why : answer.fields[1]));
	/* One that is stuck may answer what nobody asks any more. */
	if (why != NULL)
		helper_end(0);
	return false;
}

/* During an attempt, if we hold something: the helper may have died. */
static int64_t
look_at_helper(void)
{
	if (helper.pid == 0 && clock_now_ns() >= started_ns + REVIVE_NS)
		start();
	return helper.pid != 0 ? INT64_MAX : started_ns + REVIVE_NS;
}

static void
hold(enum fleet_part part, uint64_t member)
{
	parts[part].held = member;
	helper.look = parts[FLEET_GATE].held > 0 || parts[FLEET_SLOTS].held > 0
	    ? look_at_helper
	    : NULL;
}

const char *
fleet_start(const struct shared_options *options)
{
	const char *why;

	environment = environ;
	program = find_program();
	parts[FLEET_GATE].name = options->gate.name;
	parts[FLEET_SLOTS].name = options->slots.name;
	why = start();
	if (why == NULL)
		why = hear(START_NS);
	if (why == NULL)
		text_copy(server, sizeof server, answer.fields[2]);
	else
		helper_end(0);
	return why;
}

static void
add_state(struct text *text, const uint8_t *state, size_t size)
{
	text_add(text, size > 0 ? " " : " -");
	for (size_t i = 0; i < size; i++)
		text_hex(text, state[i]);
}

bool
fleet_look(enum fleet_part part, const uint64_t *members, int count,
    struct fleet_view *view)
{
	struct text text = TEXT_OF(FLEET_LINE_SIZE);

	for (int i = 0; i < count; i++)
		text_join(&text, " ", NUMBER((int64_t)members[i]));
	if (fleet_server.is_lost || !ask("look", part, text.data))
		return false;
	view->ahead_ns = answer.numbers[1] - answer.numbers[2];
	view->size = 0;
	for (const char *hex = answer.fields[4]; hex[0] != '\0'
	     && hex[1] != '\0' && view->size < sizeof view->state;
	     hex += 2)
		view->state[view->size++] = (uint8_t)strtoul(
		    (char[]) { hex[0], hex[1], '\0' }, NULL, 16);
	view->living = (uint8_t)answer.numbers[5];
	view->count = answer.numbers[6];
	return true;
}

enum fleet_result
fleet_put(enum fleet_part part, uint64_t member, const struct fleet_view *view,
    const uint8_t *state, size_t size)
{
	struct text text = TEXT_OF(FLEET_LINE_SIZE);

	text_join(&text, " ", NUMBER((int64_t)member));
	add_state(&text, view->state, view->size);
	add_state(&text, state, size);
	if (fleet_server.is_lost || !ask("put", part, text.data))
		return FLEET_LOST;
	if (answer.numbers[1] == 0)
		return FLEET_CROSSED;
	hold(part, member);
	return FLEET_DONE;
}

enum fleet_result
fleet_drop(enum fleet_part part)
{
	bool was_held = parts[part].held > 0;
	/* Or else the helper would go on with it. */
	bool done = !was_held || ask("drop", part, "");

	hold(part, 0);
	if (!done)
		return FLEET_LOST;
	return was_held && answer.numbers[2] != 0 ? FLEET_LAPSED : FLEET_DONE;
}

void
fleet_note_asked(int64_t asked_ns, int64_t since_ns)
{
	if (asked_ns <= fleet_server.asked_ns)
		return;
	fleet_server.lost_since_ns = since_ns;
	fleet_server.asked_ns = asked_ns;
}

const char *
fleet_lost_why(void)
{
	return fleet_server.lost_since_ns > 0 && lost_why[0] != '\0' ? lost_why
	                                                             : NULL;
}

void
fleet_tell_lost(enum fleet_part part)
{
	struct part *lost = &parts[part];

	if (lost->is_told || !fleet_server.is_lost)
		return;
	lost->is_told = true;
	state_log_lost(part == FLEET_SLOTS, lost->kind, lost->name, true,
	    lost_why,
	    state_dir->fd < 0
	        ? "; going on without"
	        : JOINED(40, "; going on with the local ", lost->kind));
}

bool
fleet_is_away(void)
{
	return fleet_server.is_lost
	    && boot_clock_ns() - fleet_server.lost_since_ns < FLEET_LEASE_NS;
}

void
fleet_rest(void)
{
	fleet_end();
	if (fleet_is_away()
	    || boot_clock_ns() - fleet_server.asked_ns >= AGAIN_NS)
		fleet_server.is_lost = false;
}

void
fleet_end(void)
{
	if (helper_socket >= 0)
		shutdown(helper_socket, SHUT_WR);
	helper_end(clock_now_ns() + BYE_NS);
}
