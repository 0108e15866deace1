/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "process/environment.h"
#include "process/helper.h"
#include "shared/fleet_helper.h"
#include "shared/shared_state.h"
#include "system/clock.h"
#include "system/fd.h"
#include "system/messages.h"
#include "system/processes.h"

/* The linters do not know where we are installed. */
#ifndef LIBEXECDIR
#define LIBEXECDIR "/usr/local/libexec"
#endif

const char fleet_helper_ended[] = "backoff-fleet has ended";

static const struct shared_options *options;
static int64_t patience;
static int64_t owner; /* unlike any other's */
static char **environment; /* ours, before it is made COMMAND's */
static char helper[PATH_MAX];
static bool held[FLEET_HELD];

/* Beside our own binary, or where it was to be installed. */
static void
find_helper(void)
{
	const char *told = getenv("BACKOFF_FLEET_HELPER");
	struct text path = text_in(helper, sizeof helper);
	char self[PATH_MAX], *slash;

	if (told != NULL && told[0] != '\0') {
		text_add(&path, told);
		return;
	}
	if (process_own_program(self, sizeof self)
	    && (slash = strrchr(self, '/')) != NULL) {
		*slash = '\0';
		text_add(&path, self);
		text_add(&path, "/backoff-fleet");
		if (access(helper, X_OK) == 0)
			return;
	}
	path = text_in(helper, sizeof helper);
	text_add(&path, LIBEXECDIR "/backoff-fleet");
}

/* Of this machine, or where that is not known, of this boot. */
int64_t
fleet_machine(void)
{
	const struct state_dir *dir = shared_state_dir();
	uint64_t parts[3] = { boot_hash() };

	if (dir->fd >= 0) {
		parts[1] = (uint64_t)dir->device;
		parts[2] = (uint64_t)dir->inode;
	}
	return (int64_t)(hash_of((const char *)parts, sizeof parts) >> 1);
}

void
fleet_helper_start(
    const struct shared_options *what, int64_t patience_ns, uint64_t unique)
{
	options = what;
	patience = patience_ns;
	environment = environ;
	find_helper();
	owner = (int64_t)(unique & INT64_MAX);
}

bool
fleet_helper_put(const struct fleet_line *line)
{
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);

	fleet_line_write(&text, line);
	return message_send(helper_socket(), room, text.length);
}

const char *
fleet_helper_get(struct fleet_line *line, int64_t until_ns)
{
	char room[FLEET_LINE_SIZE];
	ssize_t size;

	if (!fd_await(helper_socket(), POLLIN, until_ns))
		return "timed out";
	size = message_receive(helper_socket(), room, sizeof room - 1);
	if (size <= 0)
		return fleet_helper_ended;
	room[size] = '\0';
	return fleet_line_read(line, room) ? NULL : "a wrong answer";
}

static bool
say_hello(int64_t machine)
{
	struct fleet_line hello = { .word = FLEET_HELLO,
		.numbers = { FLEET_VERSION, machine, patience,
		    options->slots.count, owner } };
	struct text text = text_in(hello.text, sizeof hello.text);

	text_join(&text, options->gate.fleet ? options->gate.name : "-", " ",
	    options->slots.fleet ? options->slots.name : "-");
	return fleet_helper_put(&hello);
}

static bool
say_keep(void)
{
	bool slot = held[FLEET_HELD_SLOT], turn = held[FLEET_HELD_TURN];

	return (!slot && !turn)
	    || fleet_helper_put(&(struct fleet_line) {
	        .word = FLEET_KEEP, .numbers = { slot, turn } });
}

const char *
fleet_helper_introduce(struct fleet_line *answer, int64_t machine)
{
	const char *why = fleet_helper_ended;

	if (helper_socket() < 0 && !helper_start(helper, environment))
		return errno == ENOENT ? "backoff-fleet is not installed"
		                       : strerror(errno);
	if (say_hello(machine))
		why = fleet_helper_get(
		    answer, clock_now_ns() + FLEET_ANSWER_NS);
	return why != NULL || say_keep() ? why : fleet_helper_ended;
}

/* In an attempt, which does not wait for the answer to hello. */
static void
revive(void)
{
	helper_end(0);
	if (helper_start(helper, environment) && say_hello(fleet_machine()))
		say_keep();
}

void
fleet_helper_keep(enum fleet_held what, bool is_held)
{
	held[what] = is_held;
	helper_guard(
	    held[FLEET_HELD_SLOT] || held[FLEET_HELD_TURN] ? revive : NULL);
}
