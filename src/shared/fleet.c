/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/base/hash.h"
#include "log/log.h"
#include "options/usage.h"
#include "process/environment.h"
#include "process/spawn.h"
#include "shared/fleet.h"
#include "shared/shared_state.h"
#include "system/system.h"

/* The linters do not know where we are installed. */
#ifndef LIBEXECDIR
#define LIBEXECDIR "/usr/local/libexec"
#endif

/*
 * The helper keeps to 250 ms for the connection and for each answer of the
 * server. This is for one that is stuck itself.
 */
#define ANSWER_NS (1500 * NS_PER_MS)
#define START_NS (10 * NS_PER_S)
#define BYE_NS (300 * NS_PER_MS)

/* Who waits for long tries a fleet that was lost again after so long. */
#define AGAIN_NS (10 * NS_PER_S)

static const char ended[] = "backoff-fleet has ended";

static const struct shared_options *options;
static char **environment; /* ours, before it is made COMMAND's */
static char program[PATH_MAX];
static char server[FLEET_TEXT_SIZE]; /* what to call it */
static char lost_why[2 * FLEET_TEXT_SIZE]; /* "SERVER: WHY" */
static bool is_used, is_lost;
static int64_t lost_ns; /* when that was found last, */
static int64_t away_ns; /* ... and first, without an answer since; or 0 */
static bool is_restarted; /* the helper, for this attempt */
static char keys[FLEET_PARTS][FLEET_KEY_SIZE];
static int64_t held[FLEET_PARTS]; /* the member; 0: nothing */
static enum fleet_news news[FLEET_PARTS];
static bool is_told[FLEET_PARTS]; /* that it is lost */

/* Beside our own binary, or where it was to be installed. */
static void
find_program(void)
{
	const char *told = getenv("BACKOFF_FLEET_HELPER");
	char *slash;

	text_copy(program, sizeof program, told != NULL ? told : "");
	if (program[0] != '\0')
		return;
	if (process_own_program(program, sizeof program)
	    && (slash = strrchr(program, '/')) != NULL) {
		text_copy(slash + 1,
		    sizeof program - (size_t)(slash + 1 - program),
		    "backoff-fleet");
		if (access(program, X_OK) == 0)
			return;
	}
	text_copy(program, sizeof program, LIBEXECDIR "/backoff-fleet");
}

/* NULL, or why not. It is told what a helper before it has held. */
static const char *
start(void)
{
	char room[FLEET_KEY_SIZE + 32];

	helper_end(0);
	if (!helper_start(program, environment))
		return errno == ENOENT ? "backoff-fleet is not installed"
		                       : strerror(errno);
	for (int i = 0; i < FLEET_PARTS; i++) {
		struct text text = text_in(room, sizeof room);

		text_join(&text, "keep ", keys[i], " ", NUMBER(held[i]));
		if (held[i] > 0)
			message_send(helper_socket(), room, text.length);
	}
	return NULL;
}

/* The next message. NULL, or why there is none. */
static const char *
hear(struct fleet_line *line, int64_t within_ns)
{
	static char room[FLEET_LINE_SIZE];
	ssize_t size;

	if (!fd_await(helper_socket(), POLLIN, clock_now_ns() + within_ns))
		return "timed out";
	size = message_receive(helper_socket(), room, sizeof room - 1);
	if (size <= 0)
		return ended;
	room[size] = '\0';
	fleet_line_read(line, room);
	if (fleet_line_is(line, "hello") && line->numbers[1] != FLEET_VERSION)
		return "backoff-fleet is of another version";
	return fleet_line_is(line, "wrong") ? line->fields[1] : NULL;
}

static const char *
ask_once(const struct text *question, struct fleet_line *answer)
{
	const char *why = helper_socket() < 0 ? start() : NULL;

	if (why == NULL
	    && !message_send(helper_socket(), question->data, question->length))
		why = ended;
	do
		why = why != NULL ? why : hear(answer, ANSWER_NS);
	while (why == NULL && fleet_line_is(answer, "hello"));
	return why;
}

static void
say_it_is_back(void)
{
	if (is_told[FLEET_GATE] || is_told[FLEET_SLOTS])
		log_news(WEIGHT_DETAIL,
		    JOINED(FLEET_TEXT_SIZE + 64,
		        "fleet server reachable again (", server, ")"),
		    NULL, NULL);
	is_told[FLEET_GATE] = is_told[FLEET_SLOTS] = false;
}

/*
 * Asks anew where a helper was killed: the server may be there all the same.
 * False: the fleet is lost.
 */
static bool
ask(const struct text *question, struct fleet_line *answer)
{
	const char *why = ask_once(question, answer);
	struct text lost;

	if (why == ended && !is_restarted) {
		is_restarted = true;
		helper_end(0);
		why = ask_once(question, answer);
	}
	if (why == NULL && !fleet_line_is(answer, "lost")) {
		away_ns = 0;
		say_it_is_back();
		return true;
	}
	is_lost = true;
	lost_ns = clock_now_ns();
	if (away_ns == 0)
		away_ns = lost_ns;
	lost = text_in(lost_why, sizeof lost_why);
	text_join(&lost, server, ": ", why != NULL ? why : answer->fields[1]);
	/* One that is stuck may answer what nobody asks any more. */
	if (why != NULL)
		helper_end(0);
	return false;
}

/* In an attempt, where the helper has died with what we hold. */
static void
revive(void)
{
	start();
}

static void
hold(enum fleet_part part, int64_t member, int64_t what)
{
	held[part] = what == FLEET_GONE ? 0 : member;
	if (what != FLEET_NO_NEWS)
		news[part] = (enum fleet_news)what;
	helper_guard(
	    held[FLEET_GATE] > 0 || held[FLEET_SLOTS] > 0 ? revive : NULL);
}

void
fleet_start(const struct shared_options *what)
{
	struct fleet_line line;
	const char *why;

	options = what;
	is_used = true;
	environment = environ;
	find_program();
	for (int i = 0; i < FLEET_PARTS; i++) {
		struct text text = text_in(keys[i], sizeof keys[i]);

		text_join(&text, "{",
		    i == FLEET_GATE ? what->gate.name : what->slots.name,
		    i == FLEET_GATE ? "}:gate" : "}:slots");
	}
	why = start();
	if (why == NULL)
		why = hear(&line, START_NS);
	if (why != NULL) {
		helper_end(0);
		usage_refuse(what->gate.fleet ? "--gate" : "--slots",
		    JOINED(FLEET_NAME_SIZE, FLEET_PREFIX,
		        what->gate.fleet ? what->gate.name : what->slots.name),
		    why);
	}
	text_copy(server, sizeof server, line.fields[2]);
}

bool
fleet_is_on(void)
{
	return is_used && !is_lost;
}

void
fleet_begin(void)
{
	is_lost = is_restarted = false;
}

static void
add_state(struct text *text, const uint8_t *state, size_t size)
{
	text_add(text, size > 0 ? " " : " -");
	for (size_t i = 0; i < size; i++)
		text_hex(text, state[i]);
}

static void
take_state(struct fleet_view *view, const char *hex)
{
	static const char digits[] = "0123456789abcdef";
	size_t length = strspn(hex, digits);

	view->size = length / 2 <= sizeof view->state ? length / 2 : 0;
	for (size_t i = 0; i < view->size; i++)
		view->state[i]
		    = (uint8_t)((strchr(digits, hex[2 * i]) - digits) << 4
		        | (strchr(digits, hex[2 * i + 1]) - digits));
}

bool
fleet_look(enum fleet_part part, const int64_t *members, int count,
    struct fleet_view *view)
{
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);
	struct fleet_line answer;

	text_join(&text, "look ", keys[part]);
	for (int i = 0; i < count; i++)
		text_join(&text, " ", NUMBER(members[i]));
	if (is_lost || !ask(&text, &answer))
		return false;
	view->ahead_ns = answer.numbers[1] - answer.numbers[2];
	take_state(view, answer.fields[4]);
	view->living = (uint8_t)answer.numbers[5];
	view->count = answer.numbers[6];
	hold(part, held[part], answer.numbers[3]);
	return true;
}

enum fleet_put
fleet_put(enum fleet_part part, int64_t member, const struct fleet_view *view,
    const uint8_t *state, size_t size)
{
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);
	struct fleet_line answer;
	bool is_done;

	text_join(&text, "put ", keys[part], " ", NUMBER(member));
	add_state(&text, view->state, view->size);
	add_state(&text, state, size);
	if (is_lost || !ask(&text, &answer)) {
		hold(part, 0, FLEET_NO_NEWS);
		return FLEET_LOST;
	}
	is_done = answer.numbers[1] != 0;
	hold(part, is_done ? member : held[part], answer.numbers[2]);
	return is_done ? FLEET_DONE : FLEET_CROSSED;
}

bool
fleet_drop(enum fleet_part part)
{
	char room[FLEET_KEY_SIZE + 8];
	struct text text = text_in(room, sizeof room);
	struct fleet_line answer = { .numbers = { 0 } };
	bool done;

	text_join(&text, "drop ", keys[part]);
	/* Or else the helper would go on with it. */
	done = held[part] == 0 || ask(&text, &answer);
	hold(part, 0, answer.numbers[2]);
	return done;
}

enum fleet_news
fleet_news(enum fleet_part part)
{
	enum fleet_news what = news[part];

	news[part] = FLEET_NO_NEWS;
	return what;
}

const char *
fleet_lost_why(void)
{
	return is_lost ? lost_why : NULL;
}

void
fleet_tell_lost(enum fleet_part part)
{
	bool is_gate = part == FLEET_GATE;
	const char *name = is_gate ? options->gate.name : options->slots.name;
	const char *instead = shared_state_dir()->fd < 0 ? "out"
	    : is_gate                                    ? " the local gate"
	                                                 : " the local slots";
	char words[4 * FLEET_TEXT_SIZE];
	struct text text = text_in(words, sizeof words);

	if (is_told[part] || !is_lost)
		return;
	is_told[part] = true;
	text_join(&text,
	    is_gate ? "cannot use gate " FLEET_PREFIX
	            : "limit of slots " FLEET_PREFIX,
	    name, is_gate ? "" : " NOT enforced", " (", lost_why,
	    "); going on with", instead);
	log_degraded(is_gate ? WEIGHT_NORMAL : WEIGHT_ALARM, words,
	    JOINED(FLEET_NAME_SIZE + 16,
	        is_gate ? "fleet gate " : "fleet slots ", name),
	    lost_why);
}

uint64_t
fleet_machine(void)
{
	const struct state_dir *dir = shared_state_dir();
	uint64_t parts[3] = { boot_hash() };

	if (dir->fd >= 0) {
		parts[1] = (uint64_t)dir->device;
		parts[2] = (uint64_t)dir->inode;
	}
	return hash_of((const char *)parts, sizeof parts);
}

bool
fleet_is_away(void)
{
	return is_lost && clock_now_ns() - away_ns < FLEET_LEASE_NS;
}

void
fleet_rest(void)
{
	fleet_end();
	if (fleet_is_away() || clock_now_ns() - lost_ns >= AGAIN_NS)
		is_lost = false;
}

void
fleet_end(void)
{
	if (helper_socket() >= 0)
		shutdown(helper_socket(), SHUT_WR);
	helper_end(clock_now_ns() + BYE_NS);
	held[FLEET_GATE] = held[FLEET_SLOTS] = 0;
	helper_guard(NULL);
}
