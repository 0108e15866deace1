/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/clock.h"
#include "process/helper.h"
#include "shared/fleet_helper.h"
#include "shared/fleet_identity.h"

/* Some libcs declare it. NOLINTNEXTLINE(readability-redundant-declaration) */
extern char **environ;

const char fleet_helper_ended[] = "backoff-fleet has ended";

static const struct shared_options *options;
static int64_t patience;
static int64_t owner; /* unlike any other's */
static char **environment; /* ours, before it is made COMMAND's */
static const char *helper;
static bool held[FLEET_HELD];

void
fleet_helper_start(
    const struct shared_options *what, int64_t patience_ns, uint64_t unique)
{
	options = what;
	patience = patience_ns;
	environment = environ;
	helper = fleet_helper_path();
	owner = (int64_t)(unique & INT64_MAX);
}

bool
fleet_helper_put(const struct fleet_line *line)
{
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);

	fleet_line_write(&text, line);
	return send(helper_socket(), room, text.length,
	           MSG_NOSIGNAL | MSG_DONTWAIT)
	    > 0;
}

const char *
fleet_helper_get(struct fleet_line *line, int64_t until_ns)
{
	struct pollfd watched = { .fd = helper_socket(), .events = POLLIN };
	char room[FLEET_LINE_SIZE];
	ssize_t size;
	int64_t left_ns;

	do {
		left_ns = until_ns - clock_now_ns();
		if (left_ns <= 0)
			return "timed out";
	} while (poll(&watched, 1, (int)(left_ns / NS_PER_MS) + 1) <= 0);
	size = read(helper_socket(), room, sizeof room - 1);
	if (size <= 0)
		return fleet_helper_ended;
	room[size] = '\0';
	return fleet_line_read(line, room) ? NULL : "a wrong answer";
}

static const char *
name_of(const char *name, bool is_fleet)
{
	return is_fleet ? name : "-";
}

static bool
say_hello(int64_t machine)
{
	struct fleet_line hello = { .word = FLEET_HELLO,
		.numbers = { FLEET_VERSION, machine, patience,
		    options->slots.count, owner } };
	struct text text = text_in(hello.text, sizeof hello.text);

	text_add(&text, name_of(options->gate.name, options->gate.fleet));
	text_byte(&text, ' ');
	text_add(&text, name_of(options->slots.name, options->slots.fleet));
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
