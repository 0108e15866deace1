/* SPDX-License-Identifier: MIT */
/*
 * backoff-fleet asks a server of Redis's kind for backoff, which has no other
 * library than libc. backoff starts it, and talks to it over descriptor 3:
 * core/gate/fleet_line.h. Nobody else has a use for it.
 */
#include <config.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/gate/fleet_line.h"
#include "fleet/lease.h"
#include "fleet/server.h"
#include "fleet/slot_lease.h"
#include "fleet/tls.h"
#include "fleet/turn_lease.h"
#include "system/clock.h"
#include "system/fd.h"
#include "system/messages.h"
#include "system/processes.h"

#define BACKOFF_SOCKET 3

static struct url url;
static volatile sig_atomic_t is_asked; /* backoff waits for an answer */

/* The socket keeps messages apart: one that does not fit is not sent. */
static void
answer(const struct fleet_line *line)
{
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);

	fleet_line_write(&text, line);
	message_send(BACKOFF_SOCKET, room, text.length);
}

static void
answer_in_words(enum fleet_word word, const char *words)
{
	struct fleet_line line = { .word = word };
	struct text text = text_in(line.text, sizeof line.text);

	text_printable(&text, words);
	answer(&line);
}

/* A name may take long to be looked up, and nothing else ends that. */
static void
give_up_name(int signal)
{
	static const char words[] = "lost :timed out";

	/* A lease is worth the wait. */
	if (!is_asked)
		return;
	/* It is made for handlers. */
	/* NOLINTNEXTLINE(bugprone-signal-handler,cert-sig30-c) */
	message_send(BACKOFF_SOCKET, words, sizeof words - 1);
	_exit(signal != 0);
}

static void
hello(const struct fleet_line *line)
{
	const char *where = getenv("BACKOFF_FLEET");
	const char *slots = strchr(line->text, ' ');
	char gate[FLEET_TEXT_SIZE];
	const char *wrong = "BACKOFF_FLEET is not set; expected redis://HOST, "
	                    "rediss://HOST or unix:/PATH there";

	/* "GATE SLOTS": their names, or "-" */
	text_copy(gate, sizeof gate, line->text);
	gate[strcspn(gate, " ")] = '\0';
	if (line->numbers[0] != FLEET_VERSION || gate[0] == '\0'
	    || slots == NULL || slots[1] == '\0')
		wrong = "backoff-fleet is of another version";
	else if (where != NULL && where[0] != '\0')
		wrong = url_parse(&url, where);
	if (wrong == NULL && url.is_tls && !tls_is_built())
		wrong = "backoff-fleet was built without TLS";
	if (wrong != NULL) {
		answer_in_words(FLEET_WRONG, wrong);
		return;
	}
	number_string(owner, line->numbers[4]);
	server_start(&url);
	turn_lease_start(gate, (uint64_t)line->numbers[1], line->numbers[2]);
	slot_lease_start(slots + 1, line->numbers[3]);
	answer_in_words(FLEET_HELLO, url.shown);
}

static bool
ask_gate(const struct fleet_line *line)
{
	struct fleet_line reply = { .word = FLEET_DONE };
	bool interrupted = false, done = true;

	turn_lease_see(line);
	switch (line->word) {
	case FLEET_LOOK:
		done = turn_lease_look(&reply);
		break;
	case FLEET_TURN:
		done = turn_lease_take(&reply);
		break;
	case FLEET_AWAIT:
		done = turn_lease_await(&reply, BACKOFF_SOCKET, &interrupted);
		break;
	case FLEET_END:
		done = turn_lease_end(line, &reply);
		break;
	case FLEET_OPEN:
		done = turn_lease_open(&reply);
		break;
	default:
		done = turn_lease_cancel();
	}
	if (done && !interrupted)
		answer(&reply);
	return done;
}

static bool
ask_slots(const struct fleet_line *line)
{
	struct fleet_line reply = { .word = FLEET_SLOT };
	bool interrupted = false, done, yes = false;

	if (line->word == FLEET_FREE) {
		done = slot_lease_free(&yes);
		reply.word = FLEET_FREED;
	} else if (line->word == FLEET_SLOT) {
		done = slot_lease_take(&yes);
	} else {
		done = slot_lease_claim(&yes, BACKOFF_SOCKET, &interrupted);
	}
	reply.numbers[0] = yes;
	if (done && !interrupted)
		answer(&reply);
	return done;
}

/* Nobody waits for an answer. */
static void
keep(const struct fleet_line *line)
{
	is_asked = 0;
	if (line->numbers[0] != 0)
		slot_lease_keep();
	if (line->numbers[1] != 0)
		turn_lease_keep();
}

static void
do_what_is_asked(const struct fleet_line *line)
{
	bool done;

	if (line->word == FLEET_HELLO) {
		hello(line);
		return;
	}
	if (line->word == FLEET_KEEP) {
		keep(line);
		return;
	}
	done = server_connect()
	    && (line->word == FLEET_SLOT || line->word == FLEET_CLAIM
	                || line->word == FLEET_FREE
	            ? ask_slots(line)
	            : ask_gate(line));
	if (done)
		return;
	turn_lease_forget();
	slot_lease_forget();
	answer_in_words(FLEET_LOST, server_why());
}

/* Gives back what is held, as far as that can be done. */
static _Noreturn void
end(void)
{
	bool lost;

	is_asked = 1; /* no name is waited for for long */
	if (slot_lease_renewal_ns() < INT64_MAX)
		slot_lease_free(&lost);
	turn_lease_cancel();
	_exit(0);
}

/* Whether backoff runs, or is stopped, as by Ctrl-Z. */
static bool
backoff_runs(void)
{
	struct process backoff;

	/* Where it cannot be seen nobody knows. */
	return !process_read(&backoff, getppid()) || !backoff.is_stopped;
}

static void
renew(void)
{
	int64_t now_ns = clock_now_ns();
	bool runs = backoff_runs();

	/* Nobody waits for an answer: backoff limits its own waits. */
	if (now_ns >= turn_lease_renewal_ns())
		turn_lease_renew(runs);
	if (now_ns >= slot_lease_renewal_ns())
		slot_lease_renew(runs);
}

/* Until backoff says something, or has gone. */
static void
listen_to_backoff(void)
{
	struct pollfd watched = { .fd = BACKOFF_SOCKET, .events = POLLIN };
	char words[FLEET_LINE_SIZE];
	struct fleet_line line;
	ssize_t size;
	int64_t next_ns
	    = min_ns(turn_lease_renewal_ns(), slot_lease_renewal_ns());
	int64_t left_ns = max_ns(next_ns - clock_now_ns(), 0);

	/* Before what is asked: backoff may ask again and again. */
	if (left_ns == 0) {
		renew();
		return;
	}
	if (poll(&watched, 1,
	        next_ns == INT64_MAX ? -1 : (int)(left_ns / NS_PER_MS) + 1)
	    <= 0)
		return;
	size = message_receive(BACKOFF_SOCKET, words, sizeof words - 1);
	if (size <= 0)
		end();
	words[size] = '\0';
	/* backoff says hello before it asks. */
	if (!fleet_line_read(&line, words) || line.word == FLEET_BYE
	    || (line.word != FLEET_HELLO && url.host[0] == '\0'))
		end();
	is_asked = 1;
	do_what_is_asked(&line);
	is_asked = 0;
}

/* Nothing of backoff's but the socket, and nothing of the terminal's. */
static void
settle(void)
{
	static const int ignored[]
	    = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2 };
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	for (int fd = 0; fd < BACKOFF_SOCKET && null >= 0; fd++)
		dup2(null, fd);
	fd_close_from(BACKOFF_SOCKET + 1);
	fcntl(BACKOFF_SOCKET, F_SETFD, FD_CLOEXEC);
	/* backoff says when to end, and its end does. */
	for (size_t i = 0; i < ARRAY_LENGTH(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGALRM, give_up_name);
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	if (chdir("/") != 0)
		_exit(1);
}

int
main(void)
{
	struct stat stat;

	if (fstat(BACKOFF_SOCKET, &stat) != 0 || !S_ISSOCK(stat.st_mode)) {
		static const char words[] = "backoff-fleet: backoff starts it; "
		                            "see backoff-gate(7)\n";

		return write(STDERR_FILENO, words, sizeof words - 1) < 0 ? 1
		                                                         : 125;
	}
	setsid();
	settle();
	for (;;)
		listen_to_backoff();
}
