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

static void
rule_is(const struct rules *rules, struct outcome outcome, enum rule wanted,
    const char *what)
{
	is_int(verdict_of(rules, &outcome).rule, wanted, what);
}

static void
test_rules(void)
{
	static const struct outcome exit_7
	    = { .kind = OUTCOME_EXITED, .status = 7 };
	static const struct outcome exit_0 = { .kind = OUTCOME_EXITED };
	static const struct outcome told_0 = { .kind = OUTCOME_EXITED,
		.evidence.tool.verdict = VERDICT_RETRY };
	static const struct outcome timeout = { .kind = OUTCOME_TIMED_OUT };
	struct rules rules = { .listed_only = false };

	ok(verdict(&rules, exit_7) == VERDICT_RETRY, "a failure is retried");
	ok(verdict(&rules, timeout) == VERDICT_RETRY, "so is a timeout");
	ok(verdict(&rules, exit_0) == VERDICT_SUCCESS, "0 is success");
	ok(verdict(&rules, outcome_not_started(EAGAIN)) == VERDICT_RETRY,
	    "a passing start failure is retried");
	ok(verdict(&rules, outcome_not_started(ENOENT)) == VERDICT_STOP,
	    "a lasting one is not");
	rules.listed_only = true;
	ok(verdict(&rules, exit_7) == VERDICT_STOP,
	    "with --retry-on the unlisted stops");
	ok(verdict(&rules, timeout) == VERDICT_STOP, "a timeout too");
	ok(verdict(&rules, exit_0) == VERDICT_SUCCESS, "0 is still success");
	rules.codes.exact[7] = VERDICT_RETRY;
	ok(verdict(&rules, exit_7) == VERDICT_RETRY, "the listed is retried");
	ok(verdict(&rules, told_0) == VERDICT_RETRY,
	    "a tool's message may say that 0 is none");
	rules.codes.exact[0] = VERDICT_SUCCESS;
	ok(verdict(&rules, told_0) == VERDICT_SUCCESS, "but not against CODES");
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

/* CODES of any width come before the tool. */
static void
test_wide_codes(void)
{
	struct rules range = { .codes.range[7] = VERDICT_PASS };
	struct rules nonzero = { .codes.nonzero = VERDICT_PASS };
	struct rules any = { .codes.any = VERDICT_PASS };
	struct evidence known = { .tool.verdict = VERDICT_STOP };

	is_int(verdict_on(&range, known), VERDICT_PASS, "a range");
	is_int(verdict_on(&nonzero, known), VERDICT_PASS, "nonzero");
	is_int(verdict_on(&any, known), VERDICT_PASS, "any");
}

/* --success-if turns exit 0, and nothing else, into a failure. */
static void
test_match_needed(void)
{
	struct rules rules = { .match_needed = true };
	struct evidence known = { .tool.verdict = VERDICT_STOP };
	struct outcome exit_0 = { .kind = OUTCOME_EXITED };

	is_int(verdict(&rules, exit_0), VERDICT_RETRY, "0 needs the match");
	is_int(verdict_on(&rules, known), VERDICT_STOP,
	    "what a tool knows of 7 does not");
	exit_0.evidence.match.verdict = VERDICT_SUCCESS;
	is_int(verdict(&rules, exit_0), VERDICT_SUCCESS, "0 has it");
}

/* The rule that decided; a default has no name. */
static void
test_deciding_rule(void)
{
	const struct outcome exit_0 = { .kind = OUTCOME_EXITED };
	const struct outcome exit_7 = { .kind = OUTCOME_EXITED, .status = 7 };
	const struct outcome timeout = { .kind = OUTCOME_TIMED_OUT };
	const struct outcome interrupted
	    = { .kind = OUTCOME_KILLED, .status = -1, .signal = SIGINT };
	struct outcome seen = exit_7;
	struct rules none = { .listed_only = false };
	struct rules stop = { .codes.exact[7] = VERDICT_STOP,
		.codes.timeout = VERDICT_STOP,
		.codes.killed[SIGINT] = VERDICT_STOP };
	struct rules success = { .codes.nonzero = VERDICT_SUCCESS };
	struct rules throttle = { .codes.range[7] = VERDICT_THROTTLE };
	struct rules only_9
	    = { .listed_only = true, .codes.exact[9] = VERDICT_RETRY };
	struct rules only_kill
	    = { .listed_only = true, .codes.killed[SIGKILL] = VERDICT_RETRY };
	struct rules only_matched = { .listed_only = true };
	struct rules needed = { .match_needed = true };

	rule_is(&none, exit_0, RULE_DEFAULT, "0 is a success by default");
	rule_is(&none, exit_7, RULE_DEFAULT, "7 is a retry by default");
	rule_is(&none, interrupted, RULE_DEFAULT, "INT stops by default");
	rule_is(&none, outcome_not_started(ENOENT), RULE_DEFAULT,
	    "so does a command that is not there");
	rule_is(&stop, exit_7, RULE_STOP_ON, "--stop-on=7");
	rule_is(&stop, timeout, RULE_STOP_ON, "--stop-on=timeout");
	rule_is(&stop, interrupted, RULE_STOP_ON, "--stop-on=INT");
	rule_is(&success, exit_7, RULE_SUCCESS_ON, "--success-on=nonzero");
	rule_is(&success, exit_0, RULE_DEFAULT, "which 0 does not need");
	rule_is(&throttle, exit_7, RULE_CODES, "--throttle-on=7");
	rule_is(&only_9, exit_7, RULE_UNLISTED, "7 is not in --retry-on=9");
	rule_is(&only_9, timeout, RULE_UNLISTED, "nor is a timeout");
	rule_is(
	    &only_kill, exit_7, RULE_UNLISTED, "7 is not in --retry-on=KILL");
	rule_is(&only_matched, exit_7, RULE_UNMATCHED,
	    "--retry-if alone has no list");
	rule_is(&needed, exit_0, RULE_NO_MATCH, "0 lacks its --success-if");
	rule_is(&needed, exit_7, RULE_DEFAULT, "7 needs none");
	seen.evidence.tool.verdict = VERDICT_STOP;
	rule_is(&only_9, seen, RULE_TOOL, "what the tool knows");
	seen.evidence.match.verdict = VERDICT_STOP;
	rule_is(&stop, seen, RULE_MATCH, "a REGEX");
	seen.evidence.hint.verdict = VERDICT_STOP;
	rule_is(&stop, seen, RULE_HINT, "BACKOFF_HINT");
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
	test_wide_codes();
	test_match_needed();
	test_deciding_rule();
	test_broken_pipe();
	test_start_failures();
	test_outcomes();
}
