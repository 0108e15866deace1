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
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/gate/fleet_line.h"
#include "fleet/server.h"
#include "fleet/store.h"
#include "system/system.h"

#define BACKOFF_SOCKET 3

static struct url url;

/* "WORD :WORDS" */
static void
say(const char *word, const char *words)
{
	char room[FLEET_TEXT_SIZE + 16];
	struct text text = text_in(room, sizeof room);

	text_join(&text, word, " :");
	text_ascii(&text, words);
	message_send(BACKOFF_SOCKET, room, text.length);
}

static void
say_hello(void)
{
	const char *where = getenv("BACKOFF_FLEET");
	const char *wrong = "BACKOFF_FLEET is not set; expected redis://HOST, "
	                    "rediss://HOST or unix:/PATH there";

	if (where != NULL && where[0] != '\0')
		wrong = url_parse(&url, where);
#if !HAVE_OPENSSL
	if (wrong == NULL && url.is_tls)
		wrong = "backoff-fleet was built without TLS";
#endif
	if (wrong != NULL) {
		say("wrong", wrong);
		_exit(0);
	}
	server_start(&url);
	say(JOINED(32, "hello ", NUMBER(FLEET_VERSION)), url.shown);
}

static void
answer(const struct fleet_line *question)
{
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);
	bool done;

	if (fleet_line_is(question, "keep")) {
		store_keep(question);
		return;
	}
	done = fleet_line_is(question, "look") ? store_look(question, &text)
	    : fleet_line_is(question, "put")   ? store_put(question, &text)
	                                       : store_drop(question, &text);
	if (done)
		message_send(BACKOFF_SOCKET, room, text.length);
	else
		say("lost", server_why());
}

/* Whether backoff runs, or is stopped, as by Ctrl-Z. */
static bool
backoff_runs(void)
{
	struct process backoff;

	/* Where it cannot be seen nobody knows. */
	return !process_read(&backoff, getppid()) || !backoff.is_stopped;
}

/* Until backoff says something, or has gone. */
static void
listen_to_backoff(void)
{
	struct pollfd watched = { .fd = BACKOFF_SOCKET, .events = POLLIN };
	char words[FLEET_LINE_SIZE];
	struct fleet_line question;
	int64_t next_ns = store_renewal_ns();
	int64_t left_ns = max_ns(next_ns - boot_clock_ns(), 0);
	ssize_t size;

	/* Before what is asked: backoff may ask again and again. */
	if (left_ns == 0) {
		store_renew(backoff_runs());
		return;
	}
	if (poll(&watched, 1,
	        next_ns == INT64_MAX ? -1 : (int)(left_ns / NS_PER_MS) + 1)
	    <= 0)
		return;
	size = message_receive(BACKOFF_SOCKET, words, sizeof words - 1);
	if (size <= 0) {
		store_end();
		_exit(0);
	}
	words[size] = '\0';
	fleet_line_read(&question, words);
	answer(&question);
}

/* A name may take long to be looked up, and nothing else ends that. */
static void
give_up_name(int signal)
{
	static const char words[] = "lost :timed out";

	/* It is made for handlers. */
	/* NOLINTNEXTLINE(bugprone-signal-handler,cert-sig30-c) */
	message_send(BACKOFF_SOCKET, words, sizeof words - 1);
	_exit(signal != 0);
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
	/* The end of the socket says when to end. */
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
	say_hello();
	for (;;)
		listen_to_backoff();
}
