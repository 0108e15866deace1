/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>

#include "core/judge/verdict.h"
#include "unit/tap.h"

static enum verdict
verdict(const struct rules *rules, struct outcome outcome)
{
	return verdict_of(rules, &outcome).verdict;
}

/* The verdict, and the rule that decided; a default has no name. */
static void
judged(const struct rules *rules, struct outcome outcome, enum verdict wanted,
    enum rule rule, const char *what)
{
	struct decision got = verdict_of(rules, &outcome);

	is_int(got.verdict, wanted, what);
	is_int(got.rule, rule, "  by that rule");
}

/* Rules 54 and 55, every errno that they name. */
static void
test_start_failures(void)
{
	static const int lasting[] = { ENOENT, EACCES, ENOEXEC, ENOTDIR, ELOOP,
		ENAMETOOLONG, E2BIG, EISDIR, EINVAL, EPERM };
	static const int passing[] = { EAGAIN, ENOMEM, ETXTBSY, EMFILE, ENFILE,
		EIO, ESTALE, ETIMEDOUT };

	for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++) {
		struct outcome outcome = outcome_not_started(lasting[i]);

		ok(outcome.lasting, strerror(lasting[i]));
		is_int(outcome_status(&outcome),
		    lasting[i] == ENOENT ? 127 : 126, "  and its status");
	}
	for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
		struct outcome outcome = outcome_not_started(passing[i]);

		ok(!outcome.lasting, strerror(passing[i]));
		is_int(outcome_status(&outcome), 126, "  and its status");
	}
}

static void
test_outcomes(void)
{
	struct outcome outcome = outcome_of_wait(7 << 8);

	is_int(outcome.kind, OUTCOME_EXITED, "an exit");
	is_int(outcome_status(&outcome), 7, "has its status");
	outcome = outcome_of_wait(SIGSEGV | 0x80);
	is_int(outcome.kind, OUTCOME_KILLED, "a death with a core");
	is_int(outcome.signal, SIGSEGV, "has its signal");
	is_int(outcome_status(&outcome), 128 + SIGSEGV, "and its status");
	outcome.kind = OUTCOME_TIMED_OUT;
	is_int(outcome_status(&outcome), 124, "a timeout is 124");
	for (int v = VERDICT_SUCCESS; v < VERDICTS; v++)
		ok(*verdict_name((enum verdict)v) != '\0',
		    verdict_name((enum verdict)v));
	is_string(verdict_name(VERDICT_NONE), "", "no verdict has no name");
}

/* The verdict on an exit 7 with this evidence. */
static enum verdict
verdict_on(const struct rules *rules, struct evidence evidence)
{
	return verdict(rules,
	    (struct outcome) {
	        .kind = OUTCOME_EXITED, .status = 7, .evidence = evidence });
}

/* Hint, REGEX, CODES, tool, defaults: the first that applies decides. */
static void
test_order(void)
{
	struct rules none = { .listed_only = false };
	struct rules codes = { .codes.exact[7] = VERDICT_PASS };
	struct rules listed = { .listed_only = true };
	struct evidence evidence = { .tool.verdict = VERDICT_STOP };

	is_int(verdict_on(&none, evidence), VERDICT_STOP,
	    "what a tool knows decides before the defaults");
	is_int(verdict_on(&codes, evidence), VERDICT_PASS,
	    "CODES decide before it");
	evidence.match.verdict = VERDICT_THROTTLE;
	is_int(
	    verdict_on(&none, evidence), VERDICT_THROTTLE, "so does a match");
	is_int(verdict_on(&codes, evidence), VERDICT_THROTTLE,
	    "which decides before CODES");
	evidence.hint.verdict = VERDICT_SUCCESS;
	is_int(verdict_on(&codes, evidence), VERDICT_SUCCESS,
	    "a hint decides before all");

	evidence = (struct evidence) { .tool.verdict = VERDICT_RETRY };
	is_int(verdict_on(&listed, evidence), VERDICT_RETRY,
	    "with --retry-on the known is not the unlisted");
	evidence.tool.verdict = VERDICT_NONE;
	is_int(verdict_on(&listed, evidence), VERDICT_STOP,
	    "what no tool knows stops there");
	is_int(verdict_on(&none, evidence), VERDICT_RETRY,
	    "and is retried where nothing is listed");
}

static void
test_rules(void)
{
	const struct outcome exit_0 = { .kind = OUTCOME_EXITED };
	const struct outcome exit_7 = { .kind = OUTCOME_EXITED, .status = 7 };
	const struct outcome timeout = { .kind = OUTCOME_TIMED_OUT };
	const struct outcome interrupted
	    = { .kind = OUTCOME_KILLED, .status = -1, .signal = SIGINT };
	struct outcome seen = exit_7, matched = exit_0, told_0 = exit_0;
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

	judged(&none, exit_0, VERDICT_SUCCESS, RULE_DEFAULT, "0");
	judged(&none, exit_7, VERDICT_RETRY, RULE_DEFAULT, "7");
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
	judged(&only_7, exit_7, VERDICT_RETRY, RULE_CODES, "7, listed");
	judged(&only_matched, exit_7, VERDICT_STOP, RULE_UNMATCHED,
	    "--retry-if alone has no list");
	judged(&needed, exit_0, VERDICT_RETRY, RULE_NO_MATCH,
	    "0 lacks its --success-if");
	judged(&needed, exit_7, VERDICT_RETRY, RULE_DEFAULT, "7 needs none");
	matched.evidence.match.verdict = VERDICT_SUCCESS;
	judged(&needed, matched, VERDICT_SUCCESS, RULE_MATCH, "0 has it");
	told_0.evidence.tool.verdict = VERDICT_RETRY;
	judged(&only_9, told_0, VERDICT_RETRY, RULE_TOOL,
	    "a tool's message may say that 0 is none");
	judged(&success_0, told_0, VERDICT_SUCCESS, RULE_SUCCESS_ON,
	    "  but not against --success-on=0");

	seen.evidence.tool.verdict = VERDICT_STOP;
	judged(&only_9, seen, VERDICT_STOP, RULE_TOOL, "what the tool knows");
	judged(&needed, seen, VERDICT_STOP, RULE_TOOL, "  of 7");
	judged(&throttle, seen, VERDICT_THROTTLE, RULE_CODES,
	    "a range comes before the tool");
	judged(&success, seen, VERDICT_SUCCESS, RULE_SUCCESS_ON, "  nonzero");
	judged(&pass, seen, VERDICT_PASS, RULE_CODES, "  any");
	seen.evidence.match.verdict = VERDICT_STOP;
	judged(&stop, seen, VERDICT_STOP, RULE_MATCH, "a REGEX");
	seen.evidence.hint.verdict = VERDICT_STOP;
	judged(&stop, seen, VERDICT_STOP, RULE_HINT, "BACKOFF_HINT");
}

/* `| head` ends it; a socket of the command's own does not. */
static void
test_broken_pipe(void)
{
	struct outcome outcome
	    = { .kind = OUTCOME_KILLED, .status = -1, .signal = SIGPIPE };
	struct rules none = { .listed_only = false };
	struct rules any = { .codes.any = VERDICT_RETRY };
	struct rules signals = { .codes.signal = VERDICT_RETRY };
	struct rules named = { .codes.killed[SIGPIPE] = VERDICT_RETRY };

	is_int(verdict(&none, outcome), VERDICT_RETRY,
	    "PIPE is retried while somebody reads");
	outcome.reader_gone = true;
	is_int(verdict(&none, outcome), VERDICT_STOP,
	    "it is a stop when the reader has gone");
	is_int(verdict(&any, outcome), VERDICT_STOP, "any does not cover it");
	is_int(verdict(&signals, outcome), VERDICT_STOP, "nor does signal");
	is_int(verdict(&named, outcome), VERDICT_RETRY, "PIPE does");
	outcome.evidence.match.verdict = VERDICT_RETRY;
	is_int(verdict(&none, outcome), VERDICT_RETRY, "so does a REGEX");
	outcome.signal = SIGTERM;
	outcome.evidence.match.verdict = VERDICT_NONE;
	is_int(verdict(&none, outcome), VERDICT_RETRY, "it is about PIPE");
}

TESTS
{
	test_rules();
	test_order();
	test_broken_pipe();
	test_start_failures();
	test_outcomes();
}
