/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/known/wrapped_command.h"
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

/* Checks that LINE runs NAME; NULL: it is not known what it runs. */
static void
runs(const char *line, const char *name)
{
	const char *got = split(line).name;

	if (got == NULL || name == NULL)
		ok(got == name, line);
	else
		is_string(got, name, line);
}

static void
test_plain(void)
{
	runs("curl -f http://example.org/", "curl");
	runs("/usr/bin/curl", "curl");
	runs("env-update A=1", "env-update");
	runs("sh -c curl", "sh");
	ok(wrapped_command((char *[]) { NULL }).name == NULL, "no command");
}

static void
test_env(void)
{
	runs("env curl", "curl");
	runs("/usr/bin/env A=1 curl", "curl");
	runs("env - A=1 B= curl", "curl");
	runs("env -iuA curl", "curl");
	runs("env -ivC /tmp curl", "curl");
	runs("env --unset=A --chdir /tmp curl", "curl");
	runs("env --block-signal=INT --debug curl", "curl");
	runs("env -- A=1 curl", "curl");
	runs("env -a other curl", "curl");
	runs("env", NULL);
	runs("env A=1", NULL);
	runs("env -u", NULL);
	runs("env -S curl", NULL);
	runs("env --split-string=curl wget", NULL);
	runs("env --unknown curl", NULL);
	runs("env -x curl", NULL);
}

static void
test_sudo(void)
{
	runs("sudo curl", "curl");
	runs("sudo -ubackup curl", "curl");
	runs("sudo -nH -g staff -- curl", "curl");
	runs("sudo --user backup curl", "curl");
	runs("sudo --preserve-env=PATH curl", "curl");
	runs("sudo A=1 curl", "curl");
	runs("sudo A=1 -u backup curl", "curl");
	runs("sudo -E -D /tmp -T 30 curl", "curl");
	runs("sudo -s", NULL);
	runs("sudo -e curl", NULL);
	runs("sudo -l curl", NULL);
	runs("sudo -b curl", NULL);
	runs("sudo -h localhost curl", NULL);
	runs("sudo -u", NULL);
}

static void
test_nice(void)
{
	runs("nice curl", "curl");
	runs("nice -n 10 curl", "curl");
	runs("nice -n -5 curl", "curl");
	runs("nice -5 curl", "curl");
	runs("nice --5 curl", "curl");
	runs("nice --adjustment 5 curl", "curl");
	runs("nice", NULL);
	runs("nice -n", NULL);
	runs("nice -x curl", NULL);
	runs("nice - curl", NULL);
}

static void
test_ionice(void)
{
	runs("ionice curl", "curl");
	runs("ionice -c 3 -t curl", "curl");
	runs("ionice -tc 3 curl", "curl");
	runs("ionice --class idle --ignore curl", "curl");
	runs("ionice --class=2 --classdata=7 curl", "curl");
	runs("ionice -p 5", NULL);
	runs("ionice -u 0 curl", NULL);
}

static void
test_timeout(void)
{
	runs("timeout 30 curl", "curl");
	runs("timeout 1m30s curl", "curl");
	runs("timeout -k 5 -s TERM 30 curl", "curl");
	runs("timeout -k5 -sTERM 30 curl", "curl");
	runs("timeout --kill-after=5 --signal KILL 30 curl", "curl");
	runs("timeout --preserve-status --foreground -v 30 curl", "curl");
	runs("timeout -- 30 curl", "curl");
	runs("timeout 30", NULL);
	runs("timeout", NULL);
	runs("timeout -k 30 curl", NULL);
}

static void
test_nohup_and_stdbuf(void)
{
	runs("nohup curl", "curl");
	runs("nohup -- curl", "curl");
	runs("nohup", NULL);
	runs("stdbuf -oL curl", "curl");
	runs("stdbuf -o L -e0 -i 0 curl", "curl");
	runs("stdbuf --output=L --error 0 curl", "curl");
	runs("stdbuf -oL", NULL);
}

static void
test_flock(void)
{
	runs("flock /run/lock curl", "curl");
	runs("flock -xn -w 5 /run/lock curl", "curl");
	runs("flock -w5 -E 75 -o /run/lock curl", "curl");
	runs(
	    "flock --timeout 5 --conflict-exit-code=75 /run/lock curl", "curl");
	runs("flock -F /run/lock curl", "curl");
	runs("flock 9", NULL);
	runs("flock -u 9", NULL);
	runs("flock /run/lock -c curl", NULL);
	runs("flock /run/lock --command curl", NULL);
	runs("flock", NULL);
}

/* How a process runs: its session, privileges, priority and processors. */
static void
test_sessions_and_schedules(void)
{
	runs("setsid curl", "curl");
	runs("setsid -cw --wait --ctty curl", "curl");
	runs("setsid -f curl", NULL);
	runs("setpriv --reuid=backup --regid 34 --init-groups curl", "curl");
	runs("setpriv --no-new-privs --pdeathsig keep -- curl", "curl");
	runs("setpriv -d", NULL);
	runs("chrt -b 0 curl", "curl");
	runs("chrt -vR -T 5 --sched-period 9 -d 0 curl", "curl");
	runs("chrt -p 42", NULL);
	runs("taskset 03 curl", "curl");
	runs("taskset -c 0-3 curl", "curl");
	runs("taskset --cpu-list 0,2 curl", "curl");
	runs("taskset -pc 0 42", NULL);
}

/* The status if the lock is taken. */
static void
test_lock_conflict(void)
{
	is_int(split("curl").lock_conflict, -1, "no flock");
	is_int(split("flock f curl").lock_conflict, -1, "one that waits");
	is_int(split("flock -n f curl").lock_conflict, 1, "-n");
	is_int(split("flock -w 5 f curl").lock_conflict, 1, "-w");
	is_int(split("flock --wait=5 f curl").lock_conflict, 1, "--wait");
	is_int(split("flock --nonblock f curl").lock_conflict, 1, "--nonblock");
	is_int(split("flock -nE 75 f curl").lock_conflict, 75, "-nE 75");
	is_int(split("flock -E75 -n f curl").lock_conflict, 75, "-E75 -n");
	is_int(split("flock -n --conflict-exit-code 9 f curl").lock_conflict, 9,
	    "--conflict-exit-code");
	is_int(split("flock -n -E x f curl").lock_conflict, -1, "not a code");
	is_int(split("flock -n -E 256 f curl").lock_conflict, -1, "too large");
	is_int(split("sudo -n curl").lock_conflict, -1, "-n of another");
	is_int(split("sudo flock -n f nice curl").lock_conflict, 1, "nested");
	is_int(split("flock -n f flock -n -E 9 g curl").lock_conflict, 1,
	    "of two the first");
	is_int(split("flock f flock -n -E 9 g curl").lock_conflict, 9,
	    "that gives up");
}

/* One wrapper within another. */
static void
test_nesting(void)
{
	runs("sudo -u backup nice -n 10 timeout 30 /usr/bin/curl -f", "curl");
	runs("nohup env -i stdbuf -oL flock /run/lock ionice -c2 curl", "curl");
	runs("nice sudo -v", NULL);
	runs("nice env -S curl", NULL);
	runs("timeout 5 flock f -c curl", NULL);
}

/* A COMMAND of several words, which may have secrets in it. */
static void
test_command_lines(void)
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

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char name[64];
		struct text text = text_in(name, sizeof name);

		is_string(command_line_name(&text, rows[i][0]) ? name : "none",
		    rows[i][1] != NULL ? rows[i][1] : "none", rows[i][0]);
	}
}

TESTS
{
	test_command_lines();
	test_plain();
	test_env();
	test_sudo();
	test_nice();
	test_ionice();
	test_timeout();
	test_nohup_and_stdbuf();
	test_flock();
	test_sessions_and_schedules();
	test_lock_conflict();
	test_nesting();
}
