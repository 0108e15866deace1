/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>

#include "core/judge/exit_codes.h"
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
#define NOT_STARTED \
	{ \
		.kind = OUTCOME_NOT_STARTED, .status = STATUS_NOT_FOUND \
	}

static struct codes codes;
static enum verdict other;
static struct codes_fault fault;
static bool by_default;

static enum codes_error
add(const char *list, enum verdict verdict)
{
	enum codes_error error = codes_add(&codes, list, verdict, &fault);

	other = fault.other;
	return error;
}

static void
reset(void)
{
	codes = (struct codes) { 0 };
}

static enum verdict
match(struct outcome outcome)
{
	return codes_match(&codes, &outcome, &by_default);
}

static enum verdict
exited(int status)
{
	return match((struct outcome)EXITED(status));
}

static enum verdict
killed(int signal)
{
	return match((struct outcome)KILLED(signal));
}

static enum verdict
timed_out(void)
{
	return match((struct outcome)TIMED_OUT);
}

static enum verdict
not_started(bool lasting)
{
	struct outcome outcome = NOT_STARTED;

	outcome.lasting = lasting;
	return match(outcome);
}

static void
test_defaults(void)
{
	reset();
	ok(exited(0) == VERDICT_SUCCESS, "0 is success by default");
	ok(exited(1) == VERDICT_NONE, "1 is nothing by default");
	ok(killed(SIGINT) == VERDICT_STOP, "INT stops by default");
	ok(killed(SIGQUIT) == VERDICT_STOP, "QUIT stops by default");
	ok(killed(SIGSEGV) == VERDICT_NONE, "SEGV does not");
	ok(not_started(true) == VERDICT_STOP, "lasting starts stop");
	ok(not_started(false) == VERDICT_NONE, "passing ones do not");
	ok(timed_out() == VERDICT_NONE, "a timeout is nothing by default");
}

/* An item under --stop-on, and whether it matches. */
static void
test_items(void)
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
		{ "1,4-7,KILL,tempfail", EXITED(2), false },
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
		{ "127", NOT_STARTED, false },
		{ "any", EXITED(7), true },
		{ "any", NOT_STARTED, true },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct codes codes_of_row = { 0 };
		enum verdict verdict;

		codes_add(&codes_of_row, rows[i].list, VERDICT_STOP, &fault);
		verdict
		    = codes_match(&codes_of_row, &rows[i].outcome, &by_default);
		ok((verdict == VERDICT_STOP) == rows[i].matches, rows[i].list);
	}
}

/* Every name of sysexits.h, with EX_ and without. */
static void
test_sysexits(void)
{
	static const char names[][16]
	    = { "usage", "dataerr", "noinput", "nouser", "nohost",
		      "unavailable", "software", "oserr", "osfile", "cantcreat",
		      "ioerr", "tempfail", "protocol", "noperm", "config" };
	char list[48];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(
		    list, sizeof list, "%.15s,EX_%.15s", names[i], names[i]);
		reset();
		ok(add(list, VERDICT_STOP) == CODES_OK, list);
		ok(exited(64 + (int)i) == VERDICT_STOP, "  has its number");
		ok(exited(63 + (int)i) != VERDICT_STOP, "  and no other");
	}
}

static void
test_widths(void)
{
	reset();
	ok(add("any", VERDICT_RETRY) == CODES_OK, "any");
	ok(add("nonzero", VERDICT_THROTTLE) == CODES_OK, "nonzero");
	ok(add("4-7", VERDICT_PASS) == CODES_OK, "a range");
	ok(add("5", VERDICT_STOP) == CODES_OK, "a number in it");
	ok(exited(5) == VERDICT_STOP, "a number beats a range");
	ok(exited(4) == VERDICT_PASS, "a range beats nonzero");
	ok(exited(8) == VERDICT_THROTTLE, "nonzero beats any");
	ok(exited(0) == VERDICT_SUCCESS, "any does not touch success");
	ok(timed_out() == VERDICT_RETRY, "any covers timeouts");
	ok(not_started(false) == VERDICT_RETRY, "any covers passing starts");
	ok(not_started(true) == VERDICT_STOP, "but not lasting ones");
	ok(killed(SIGSEGV) == VERDICT_RETRY, "any covers signals");
	ok(killed(SIGINT) == VERDICT_STOP, "but not INT");
	ok(add("signal", VERDICT_PASS) == CODES_OK, "signal");
	ok(killed(SIGSEGV) == VERDICT_PASS, "signal beats any");
	ok(killed(SIGINT) == VERDICT_STOP, "but not INT's default");
	ok(add("SIGINT,int", VERDICT_RETRY) == CODES_OK, "names of INT");
	ok(killed(SIGINT) == VERDICT_RETRY, "a named INT is not a stop");
	ok(add("start,timeout", VERDICT_THROTTLE) == CODES_OK, "two words");
	ok(not_started(true) == VERDICT_THROTTLE, "start covers lasting");
	ok(timed_out() == VERDICT_THROTTLE, "timeout beats any");
	ok(add("0-3", VERDICT_STOP) == CODES_OK, "a range with 0");
	ok(exited(0) == VERDICT_SUCCESS, "does not touch success");
	ok(add("0", VERDICT_STOP) == CODES_OK, "0 itself");
	ok(exited(0) == VERDICT_STOP, "does");
}

static void
test_refusals(void)
{
	static const char broken[][48] = { "", "1,,2", "256", "5-3", "5-", "-1",
		"-4", "NOSUCH", "1 ", " 1", "1 ,2", "1, ", "1,", ",1", "4-300",
		"4-7-9", "1.5", "0x10", "SIG", "EX_", "EX_FOO", "4-KILL",
		"KILL-SEGV", "1 2", "7x", "4 - 7",
		"99999999999999999999999999999999999999" };

	reset();
	ok(add("7", VERDICT_RETRY) == CODES_OK, "7 once");
	ok(add("6,7", VERDICT_RETRY) == CODES_OK, "7 twice under the same");
	ok(add("7", VERDICT_STOP) == CODES_CONFLICT, "7 under another");
	ok(other == VERDICT_RETRY, "and that is named");
	ok(add("7-9", VERDICT_STOP) == CODES_OK, "a range is another width");
	ok(add("9-11", VERDICT_PASS) == CODES_CONFLICT, "ranges overlap");
	ok(add("EX_TEMPFAIL", VERDICT_PASS) == CODES_OK, "a sysexits name");
	ok(add("75", VERDICT_STOP) == CODES_CONFLICT, "is its number");
	ok(exited(75) == VERDICT_PASS, "and matches it");
	ok(add("usage,ex_config", VERDICT_PASS) == CODES_OK, "without EX_");
	ok(exited(64) == VERDICT_PASS && exited(78) == VERDICT_PASS, "too");
	ok(add("any", VERDICT_PASS) == CODES_OK, "any once");
	ok(add("any", VERDICT_STOP) == CODES_CONFLICT, "any twice");
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
		ok(add(broken[i], VERDICT_STOP) == CODES_SYNTAX, broken[i]);
}

static void
test_faults(void)
{
	reset();
	add("4-7", VERDICT_RETRY);
	ok(add("1, 7-9", VERDICT_STOP) == CODES_CONFLICT, "ranges overlap");
	is_int(fault.status, 7, "in a status");
	is_int((int)fault.length, 3, "of an item");
	ok(strncmp(fault.item, "7-9", 3) == 0, "that is shown");
	add("KILL", VERDICT_RETRY);
	ok(add("SIGKILL", VERDICT_STOP) == CODES_CONFLICT, "a signal twice");
	is_int(fault.status, -1, "is no status");
}

/* Reads and prints the names and numbers of signals. */
static void
test_signals(void)
{
	char buffer[32];

	is_int(signal_parse("TERM"), SIGTERM, "TERM");
	is_int(signal_parse("SIGTERM"), SIGTERM, "SIGTERM");
	is_int(signal_parse("sigterm"), SIGTERM, "sigterm");
	is_int(signal_parse("15"), 15, "15");
#ifdef SIGRTMIN
	is_int(signal_parse("RTMIN"), SIGRTMIN, "RTMIN");
	is_int(signal_parse("RTMIN+2"), SIGRTMIN + 2, "RTMIN+2");
	is_int(signal_parse("RTMAX-1"), SIGRTMAX - 1, "RTMAX-1");
	is_int(signal_parse("RTMAX"), SIGRTMAX, "RTMAX");
#else
	is_int(signal_parse("RTMIN"), 0, "no RTMIN");
	is_int(signal_parse("RTMAX"), 0, "no RTMAX");
#endif
	is_int(signal_parse("RTMIN-1"), 0, "not RTMIN-1");
	is_int(signal_parse("RTMAX+1"), 0, "not RTMAX+1");
	is_int(signal_parse("RTMIN+99"), 0, "not RTMIN+99");
	is_int(signal_parse("0"), 0, "not 0");
	is_int(signal_parse("65"), 0, "not 65");
	is_int(signal_parse(""), 0, "not empty");
	is_int(signal_parse("SIG"), 0, "not SIG");
	is_int(signal_parse("TERMX"), 0, "not TERMX");
	for (int signal = 1; signal < SIGNALS; signal++) {
		struct text text = text_in(buffer, sizeof buffer);

		signal_text(&text, signal);
		is_int(signal_parse(buffer), signal, buffer);
	}
}

TESTS
{
	test_defaults();
	test_items();
	test_sysexits();
	test_widths();
	test_refusals();
	test_faults();
	test_signals();
}
