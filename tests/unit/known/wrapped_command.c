/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/known/known.h"
#include "unit/tap.h"

#define WORDS 24

static struct wrapped
split(const char *line)
{
	static char text[256];
	static char *argv[WORDS];
	size_t count = 0;

	snprintf(text, sizeof text, "%s", line);
	for (char *word = strtok(text, " "); word != NULL && count < WORDS - 1;
	     word = strtok(NULL, " "))
		argv[count++] = word;
	argv[count] = NULL;
	return wrapped_command(argv);
}

/* Each wrapper with options that it has, and several of them. */
static const char *const known[] = { "curl -f http://example.org/",
	"/usr/bin/curl", "env curl", "/usr/bin/env A=1 curl",
	"env - A=1 B= curl", "env -iuA curl", "env -ivC /tmp curl",
	"env --unset=A --chdir /tmp curl",
	"env --block-signal=INT --debug curl", "env -- A=1 curl",
	"env -a other curl", "sudo curl", "sudo -ubackup curl",
	"sudo -nH -g staff -- curl", "sudo --user backup curl",
	"sudo --preserve-env=PATH curl", "sudo A=1 curl",
	"sudo A=1 -u backup curl", "sudo -E -D /tmp -T 30 curl", "nice curl",
	"nice -n 10 curl", "nice -n -5 curl", "nice -5 curl", "nice --5 curl",
	"nice --adjustment 5 curl", "ionice curl", "ionice -c 3 -t curl",
	"ionice -tc 3 curl", "ionice --class idle --ignore curl",
	"ionice --class=2 --classdata=7 curl", "timeout 30 curl",
	"timeout 1m30s curl", "timeout -k 5 -s TERM 30 curl",
	"timeout -k5 -sTERM 30 curl",
	"timeout --kill-after=5 --signal KILL 30 curl",
	"timeout --preserve-status --foreground -v 30 curl",
	"timeout -- 30 curl", "nohup curl", "nohup -- curl", "stdbuf -oL curl",
	"stdbuf -o L -e0 -i 0 curl", "stdbuf --output=L --error 0 curl",
	"flock /run/lock curl", "flock -xn -w 5 /run/lock curl",
	"flock -w5 -E 75 -o /run/lock curl",
	"flock --timeout 5 --conflict-exit-code=75 /run/lock curl",
	"flock -F /run/lock curl", "setsid curl",
	"setsid -cw --wait --ctty curl",
	"setpriv --reuid=backup --regid 34 --init-groups curl",
	"setpriv --no-new-privs --pdeathsig keep -- curl", "chrt -b 0 curl",
	"chrt -vR -T 5 --sched-period 9 -d 0 curl", "taskset 03 curl",
	"taskset -c 0-3 curl", "taskset --cpu-list 0,2 curl",
	"sudo -u backup nice -n 10 timeout 30 /usr/bin/curl -f",
	"nohup env -i stdbuf -oL flock /run/lock ionice -c2 curl" };

/* Unknown options, and those with which nothing runs or somewhere else. */
static const char *const unknown[] = { "env", "env A=1", "env -u",
	"env -S curl", "env --split-string=curl wget", "env --unknown curl",
	"env -x curl", "sudo -s", "sudo -e curl", "sudo -l curl",
	"sudo -b curl", "sudo -h localhost curl", "sudo -u", "nice", "nice -n",
	"nice -x curl", "nice - curl", "ionice -p 5", "ionice -u 0 curl",
	"timeout 30", "timeout", "timeout -k 30 curl", "nohup", "stdbuf -oL",
	"flock 9", "flock -u 9", "flock /run/lock -c curl",
	"flock /run/lock --command curl", "flock", "setsid -f curl",
	"setpriv -d", "chrt -p 42", "taskset -pc 0 42", "nice sudo -v",
	"nice env -S curl", "timeout 5 flock f -c curl" };

TEST(wrappers)
{
	for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
		is_string(split(known[i]).name, "curl", known[i]);
	for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++)
		ok(split(unknown[i]).name == NULL, unknown[i]);
	is_string(split("env-update A=1").name, "env-update", "no wrapper");
	is_string(split("sh -c curl").name, "sh", "nor is a shell");
	ok(wrapped_command((char *[]) { NULL }).name == NULL, "no command");
}

/* The status if the lock is taken; of two locks the first that gives up. */
TEST(lock_conflict)
{
	static const struct {
		const char *line;
		int status; /* -1: it waits, or is no flock */
	} rows[] = { { "curl", -1 }, { "flock f curl", -1 },
		{ "flock -n f curl", 1 }, { "flock -w 5 f curl", 1 },
		{ "flock --wait=5 f curl", 1 },
		{ "flock --nonblock f curl", 1 }, { "flock -nE 75 f curl", 75 },
		{ "flock -E75 -n f curl", 75 },
		{ "flock -n --conflict-exit-code 9 f curl", 9 },
		{ "flock -n -E x f curl", -1 },
		{ "flock -n -E 256 f curl", -1 }, { "sudo -n curl", -1 },
		{ "sudo flock -n f nice curl", 1 },
		{ "flock -n f flock -n -E 9 g curl", 1 },
		{ "flock f flock -n -E 9 g curl", 9 } };

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		is_int(split(rows[i].line).lock_conflict, rows[i].status,
		    rows[i].line);
}

/* A COMMAND of several words, which may have secrets in it. */
TEST(command_lines)
{
	static const char *const rows[][2] = {
		{ "curl http://x | jq .", "curl http://x | jq ." },
		{ "TOKEN=s3cr3t ./deploy web", "./deploy web" },
		{ "A=1 B='s3 cr3t' C=\"s3\\\" cr3t\" D=s3\\ cr3t ./deploy",
		    "./deploy" },
		{ "A=$(pass show s3cr3t) B=`echo s3 cr3t` ./deploy",
		    "./deploy" },
		{ "./deploy -v  --token=s3cr3t now", "./deploy -v" },
		{ "./deploy 'now or' \"--token=s3 cr3t\"",
		    "./deploy 'now or'" },
		{ "A=s3cr3t B=s3cr3t", "A=" },
		{ "TOKEN=s3cr3t", "TOKEN=" },
		{ "--token=s3cr3t now", "--token=" },
		{ " A=s3cr3t 'B", "'B" },
		{ "A='s3 cr3t", "A=" },
		{ "./a=b", NULL },
		{ "curl", NULL },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		char name[64];
		struct text text = text_in(name, sizeof name);

		is_string(command_line_name(&text, rows[i][0]) ? name : "none",
		    rows[i][1] != NULL ? rows[i][1] : "none", rows[i][0]);
	}
}
