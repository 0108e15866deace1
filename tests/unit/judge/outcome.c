/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>

#include "core/base/base.h"
#include "core/judge/outcome.h"
#include "unit/tap.h"

#define EXITED(number) \
	{ \
		.kind = OUTCOME_EXITED, .status = (number) \
	}
#define KILLED(number) \
	{ \
		.kind = OUTCOME_KILLED, .status = -1, .signal = (number) \
	}
#define TIMED_OUT \
	{ \
		.kind = OUTCOME_TIMED_OUT, .status = 7 \
	}
#define NOT_STARTED(why) \
	{ \
		.kind = OUTCOME_NOT_STARTED, .status = STATUS_NOT_FOUND, \
		.error = (why) \
	}

static struct rules rules;
static struct codes_fault fault;

/* --- CODES --- */

static bool
add(const char *list, enum verdict verdict)
{
	return codes_add(&rules.codes, list, verdict, &fault);
}

static void
reset(void)
{
	rules = (struct rules) { .listed_only = false };
}

static enum verdict
match(struct outcome outcome)
{
	return verdict_of(&rules, &outcome).verdict;
}

/* An item under --stop-on, and whether it matches. */
TEST(items)
{
	static const struct {
		const char *list;
		struct outcome outcome;
		bool matches;
	} rows[] = {
		{ "4-7", EXITED(3), false },
		{ "4-7", EXITED(4), true },
		{ "4-7", EXITED(7), true },
		{ "4-7", EXITED(8), false },
		{ "255-255", EXITED(255), true },
		{ "128-255", KILLED(SIGKILL), false },
		{ "1,4-7,KILL,tempfail", EXITED(6), true },
		{ "1,4-7,KILL,tempfail", KILLED(SIGKILL), true },
		{ "1,4-7,KILL,tempfail", EXITED(75), true },
		{ "1, 2,  4-7, KILL", KILLED(SIGKILL), true },
		{ "7,7,4-9,5-8,tempfail,75", EXITED(7), true },
		{ "nonzero", EXITED(1), true },
		{ "nonzero", EXITED(255), true },
		{ "nonzero", EXITED(0), false },
		{ "nonzero", KILLED(SIGKILL), false },
		{ "nonzero", TIMED_OUT, false },
		{ "KILL", KILLED(SIGTERM), false },
		{ "KILL", EXITED(137), false },
		{ "137", KILLED(SIGKILL), false },
		{ "signal", EXITED(143), false },
		{ "signal", TIMED_OUT, false },
		{ "timeout", TIMED_OUT, true },
		{ "timeout", EXITED(124), false },
		{ "7,124", TIMED_OUT, false },
		{ "start", EXITED(127), false },
		{ "127", NOT_STARTED(EAGAIN), false },
		{ "any", EXITED(7), true },
		{ "any", NOT_STARTED(EAGAIN), true },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		reset();
		add(rows[i].list, VERDICT_STOP);
		ok((match(rows[i].outcome) == VERDICT_STOP) == rows[i].matches,
		    rows[i].list);
	}
}

/* Every name of sysexits.h, with EX_ and without. */
TEST(sysexits)
{
	static const char names[][16]
	    = { "usage", "dataerr", "noinput", "nouser", "nohost",
		      "unavailable", "software", "oserr", "osfile", "cantcreat",
		      "ioerr", "tempfail", "protocol", "noperm", "config" };
	char list[48];

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		snprintf(
		    list, sizeof list, "%.15s,EX_%.15s", names[i], names[i]);
		reset();
		ok(add(list, VERDICT_STOP), list);
		for (int status = 63; status < 80; status++)
			is_int(match((struct outcome)EXITED(status)),
			    status == 64 + (int)i ? VERDICT_STOP
			                          : VERDICT_RETRY,
			    "  has its number, and no other");
	}
}

/* Each row adds to those above it: the narrower item decides. */
TEST(widths)
{
	static const struct {
		const char *list; /* NULL: it adds nothing */
		enum verdict verdict;
		struct outcome outcome;
		enum verdict wanted;
		const char *what;
	} rows[] = {
		{ "any", VERDICT_RETRY, EXITED(0), VERDICT_SUCCESS,
		    "any does not touch success" },
		{ NULL, 0, TIMED_OUT, VERDICT_RETRY, "  covers timeouts" },
		{ NULL, 0, NOT_STARTED(EAGAIN), VERDICT_RETRY,
		    "  and passing starts" },
		{ NULL, 0, NOT_STARTED(ENOENT), VERDICT_STOP,
		    "  but not lasting ones" },
		{ NULL, 0, KILLED(SIGSEGV), VERDICT_RETRY, "  and signals" },
		{ NULL, 0, KILLED(SIGINT), VERDICT_STOP, "  but not INT" },
		{ "nonzero", VERDICT_THROTTLE, EXITED(8), VERDICT_THROTTLE,
		    "nonzero beats any" },
		{ "4-7", VERDICT_PASS, EXITED(4), VERDICT_PASS,
		    "a range beats nonzero" },
		{ "5", VERDICT_STOP, EXITED(5), VERDICT_STOP,
		    "a number beats a range" },
		{ "signal", VERDICT_PASS, KILLED(SIGSEGV), VERDICT_PASS,
		    "signal beats any" },
		{ NULL, 0, KILLED(SIGINT), VERDICT_STOP,
		    "  but not INT's default" },
		{ "SIGINT,int", VERDICT_RETRY, KILLED(SIGINT), VERDICT_RETRY,
		    "a named INT is not a stop" },
		{ "start,timeout", VERDICT_THROTTLE, NOT_STARTED(ENOENT),
		    VERDICT_THROTTLE, "start covers lasting ones" },
		{ NULL, 0, TIMED_OUT, VERDICT_THROTTLE, "timeout beats any" },
		{ "0-3", VERDICT_STOP, EXITED(0), VERDICT_SUCCESS,
		    "a range does not touch success" },
		{ "0", VERDICT_STOP, EXITED(0), VERDICT_STOP, "0 itself does" },
	};

	reset();
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		if (rows[i].list != NULL)
			ok(add(rows[i].list, rows[i].verdict), rows[i].list);
		is_int(match(rows[i].outcome), rows[i].wanted, rows[i].what);
	}
}

TEST(refusals)
{
	static const char broken[][48] = { "", "1,,2", "256", "5-3", "5-", "-1",
		"-4", "NOSUCH", "1 ", " 1", "1 ,2", "1, ", "1,", ",1", "4-300",
		"4-7-9", "1.5", "0x10", "SIG", "EX_", "EX_FOO", "4-KILL",
		"KILL-SEGV", "1 2", "7x", "4 - 7",
		"99999999999999999999999999999999999999" };

	reset();
	ok(add("7", VERDICT_RETRY), "7 once");
	ok(add("6,7", VERDICT_RETRY), "7 twice under the same");
	ok(!add("7", VERDICT_STOP) && fault.other, "7 under another");
	ok(add("7-9", VERDICT_STOP), "a range is another width");
	ok(add("75", VERDICT_STOP), "a number");
	ok(!add("TEMPFAIL", VERDICT_PASS) && fault.other, "is its name");
	ok(add("any", VERDICT_PASS), "any once");
	ok(!add("any", VERDICT_STOP) && fault.other, "any twice");
	for (size_t i = 0; i < ARRAY_LENGTH(broken); i++)
		ok(!add(broken[i], VERDICT_STOP) && !fault.other, broken[i]);
	reset();
	add("4-7,KILL", VERDICT_RETRY);
	ok(!add("1, 7-9", VERDICT_STOP) && fault.other, "ranges overlap");
	ok(!add("SIGKILL", VERDICT_STOP) && fault.other, "a signal twice");
}

/* Reads and prints the names and numbers of signals. */
TEST(signals)
{
	static const char *const unknown[] = {
		"RTMIN-1",
		"RTMAX+1",
		"RTMIN+99",
		"0",
		"65",
		"",
		"SIG",
		"TERMX",
#ifndef SIGRTMIN
		"RTMIN",
		"RTMAX",
#endif
	};

	is_int(signal_parse("SIGTERM"), SIGTERM, "SIGTERM");
	is_int(signal_parse("sigterm"), SIGTERM, "sigterm");
	is_int(signal_parse("POLL"), SIGIO, "POLL is IO");
	is_int(signal_parse("15"), 15, "15");
#ifdef SIGRTMIN
	is_int(signal_parse("RTMIN+2"), SIGRTMIN + 2, "RTMIN+2");
	is_int(signal_parse("RTMAX-1"), SIGRTMAX - 1, "RTMAX-1");
	is_int(signal_parse("RTMAX"), SIGRTMAX, "RTMAX");
#endif
	for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++)
		is_int(signal_parse(unknown[i]), 0, unknown[i]);
	for (int signal = 1; signal < NSIG; signal++)
		is_int(signal_parse(SIGNAL(signal)), signal, SIGNAL(signal));
}

/* --- outcomes, and the rule that decides on them --- */

/* Rules 54 and 55, every errno that they name. */
TEST(start_failures)
{
	static const int lasting[] = { ENOENT, EACCES, ENOEXEC, ENOTDIR, ELOOP,
		ENAMETOOLONG, E2BIG, EISDIR, EINVAL, EPERM };
	static const int passing[] = { EAGAIN, ENOMEM, ETXTBSY, EMFILE, ENFILE,
		EIO, ESTALE, ETIMEDOUT };

	reset();
	for (size_t i = 0; i < ARRAY_LENGTH(lasting); i++) {
		struct outcome outcome = outcome_not_started(lasting[i]);

		ok(match(outcome) == VERDICT_STOP, strerror(lasting[i]));
		is_int(
		    outcome_status(&outcome), i == 0 ? 127 : 126, "  status");
	}
	for (size_t i = 0; i < ARRAY_LENGTH(passing); i++) {
		struct outcome outcome = outcome_not_started(passing[i]);

		ok(match(outcome) == VERDICT_RETRY, strerror(passing[i]));
		is_int(outcome_status(&outcome), 126, "  status");
	}
}

TEST(outcomes)
{
	struct outcome outcome = { .signal = 0 };

	outcome_take_wait(&outcome, 7 << 8);
	is_int(outcome.kind, OUTCOME_EXITED, "an exit");
	is_int(outcome_status(&outcome), 7, "has its status");
	outcome_take_wait(&outcome, SIGSEGV | 0x80);
	is_int(outcome.kind, OUTCOME_KILLED, "a death with a core");
	is_int(outcome.signal, SIGSEGV, "has its signal");
	is_int(outcome_status(&outcome), 128 + SIGSEGV, "and its status");
	outcome.kind = OUTCOME_TIMED_OUT;
	is_int(outcome_status(&outcome), 124, "a timeout is 124");
}

/* The verdict, and the rule that decided. */
static void
judged(const struct rules *given, struct outcome outcome, enum verdict wanted,
    enum rule rule, const char *what)
{
	struct decision got = verdict_of(given, &outcome);

	is_int(got.verdict, wanted, what);
	is_int(got.rule, rule, "  by that rule");
}

/*
 * BACKOFF_HINT, a REGEX, CODES, the tool, the defaults: the first that applies
 * decides.
 */
TEST(rules)
{
	const struct outcome exit_0 = EXITED(0), exit_7 = EXITED(7);
	const struct outcome timeout = TIMED_OUT, interrupted = KILLED(SIGINT);
	struct outcome seen = exit_7, matched = exit_0, tool_0 = exit_0;
	struct rules none = { .listed_only = false };
	struct rules stop = { .codes.exact[7] = VERDICT_STOP,
		.codes.timeout = VERDICT_STOP,
		.codes.killed[SIGINT] = VERDICT_STOP };
	struct rules success_0 = { .codes.exact[0] = VERDICT_SUCCESS };
	struct rules success = { .codes.nonzero = VERDICT_SUCCESS };
	struct rules throttle = { .codes.range[7] = VERDICT_THROTTLE };
	struct rules pass = { .codes.any = VERDICT_PASS };
	struct rules only_9
	    = { .listed_only = true, .codes.exact[9] = VERDICT_RETRY };
	struct rules only_kill
	    = { .listed_only = true, .codes.killed[SIGKILL] = VERDICT_RETRY };
	struct rules only_7
	    = { .listed_only = true, .codes.exact[7] = VERDICT_RETRY };
	struct rules only_matched = { .listed_only = true };
	struct rules needed = { .match_needed = true };
	struct rules listed
	    = { .match_needed = true, .codes.exact[0] = VERDICT_SUCCESS };

	judged(&none, exit_0, VERDICT_SUCCESS, RULE_DEFAULT, "0");
	judged(&none, exit_7, VERDICT_RETRY, RULE_DEFAULT, "7");
	judged(&none, (struct outcome)EXITED(130), VERDICT_RETRY, RULE_DEFAULT,
	    "rule 28: 130 is a status, and no INT");
	judged(&none, timeout, VERDICT_RETRY, RULE_DEFAULT, "a timeout");
	judged(&none, interrupted, VERDICT_STOP, RULE_DEFAULT, "INT");
	judged(&none, outcome_not_started(ENOENT), VERDICT_STOP, RULE_DEFAULT,
	    "a command that is not there");
	judged(&none, outcome_not_started(EAGAIN), VERDICT_RETRY, RULE_DEFAULT,
	    "one that could not be started just now");
	judged(&stop, exit_7, VERDICT_STOP, RULE_STOP_ON, "--stop-on=7");
	judged(&stop, timeout, VERDICT_STOP, RULE_STOP_ON, "=timeout");
	judged(&stop, interrupted, VERDICT_STOP, RULE_STOP_ON, "=INT");
	judged(&success, exit_7, VERDICT_SUCCESS, RULE_SUCCESS_ON,
	    "--success-on=nonzero");
	judged(&success, exit_0, VERDICT_SUCCESS, RULE_DEFAULT,
	    "which 0 does not need");
	judged(
	    &throttle, exit_7, VERDICT_THROTTLE, RULE_CODES, "--throttle-on=7");
	judged(&only_9, exit_0, VERDICT_SUCCESS, RULE_DEFAULT,
	    "0 with --retry-on=9");
	judged(&only_9, exit_7, VERDICT_STOP, RULE_UNLISTED, "7, unlisted");
	judged(&only_9, timeout, VERDICT_STOP, RULE_UNLISTED, "a timeout");
	judged(&only_kill, exit_7, VERDICT_STOP, RULE_UNLISTED,
	    "7 with --retry-on=KILL");
	judged(&none, (struct outcome)KILLED(SIGQUIT), VERDICT_STOP,
	    RULE_DEFAULT, "QUIT");
	judged(&none, (struct outcome)KILLED(SIGSEGV), VERDICT_RETRY,
	    RULE_DEFAULT, "SEGV");
	judged(&only_7, exit_7, VERDICT_RETRY, RULE_CODES, "7, listed");
	judged(&only_matched, exit_7, VERDICT_STOP, RULE_UNMATCHED,
	    "--retry-if alone has no list");
	judged(&needed, exit_0, VERDICT_RETRY, RULE_NO_MATCH,
	    "0 lacks its --success-if");
	judged(&listed, exit_0, VERDICT_SUCCESS, RULE_SUCCESS_ON,
	    "  unless it is listed");
	judged(&needed, exit_7, VERDICT_RETRY, RULE_DEFAULT, "7 needs none");
	matched.evidence.match.verdict = VERDICT_SUCCESS;
	judged(&needed, matched, VERDICT_SUCCESS, RULE_MATCH, "0 has it");
	tool_0.evidence.tool.verdict = VERDICT_RETRY;
	judged(&only_9, tool_0, VERDICT_RETRY, RULE_TOOL,
	    "a tool's message may say that 0 is none");
	judged(&success_0, tool_0, VERDICT_SUCCESS, RULE_SUCCESS_ON,
	    "  but not against --success-on=0");

	seen.evidence.tool.verdict = VERDICT_STOP;
	judged(&only_9, seen, VERDICT_STOP, RULE_TOOL, "what the tool knows");
	judged(&needed, seen, VERDICT_STOP, RULE_TOOL, "  of 7");
	judged(&none, seen, VERDICT_STOP, RULE_TOOL, "  before the default");
	judged(&throttle, seen, VERDICT_THROTTLE, RULE_CODES,
	    "a range comes before the tool");
	judged(&success, seen, VERDICT_SUCCESS, RULE_SUCCESS_ON, "  nonzero");
	judged(&pass, seen, VERDICT_PASS, RULE_CODES, "  any");
	seen.evidence.match.verdict = VERDICT_THROTTLE;
	judged(&none, seen, VERDICT_THROTTLE, RULE_MATCH, "a REGEX");
	judged(&stop, seen, VERDICT_THROTTLE, RULE_MATCH, "  before CODES");
	seen.evidence.hint.verdict = VERDICT_SUCCESS;
	judged(&stop, seen, VERDICT_SUCCESS, RULE_HINT, "BACKOFF_HINT");
}

/* `| head` ends it; a socket of the command's own does not. */
TEST(broken_pipe)
{
	struct outcome outcome = KILLED(SIGPIPE);

	reset();
	is_int(match(outcome), VERDICT_RETRY,
	    "PIPE is retried while somebody reads");
	outcome.reader_gone = true;
	is_int(match(outcome), VERDICT_STOP,
	    "it is a stop when the reader has gone");
	add("any,signal", VERDICT_RETRY);
	is_int(match(outcome), VERDICT_STOP, "wide words do not cover it");
	add("PIPE", VERDICT_RETRY);
	is_int(match(outcome), VERDICT_RETRY, "PIPE does");
	reset();
	outcome.evidence.match.verdict = VERDICT_RETRY;
	is_int(match(outcome), VERDICT_RETRY, "so does a REGEX");
	outcome.signal = SIGTERM;
	outcome.evidence.match.verdict = VERDICT_NONE;
	is_int(match(outcome), VERDICT_RETRY, "it is about PIPE");
}
