/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

#include "core/base/base.h"
#include "core/judge/outcome.h"

/* --- how an attempt ended --- */

/* Rules 54 and 55: whether what is missing now may be there a moment later. */
static bool
passes(int error)
{
	static const int passing[] = { EAGAIN, ENOMEM, ETXTBSY, EMFILE, ENFILE,
		EIO, ESTALE, ETIMEDOUT, EINTR };

	for (size_t i = 0; i < ARRAY_LENGTH(passing); i++)
		if (passing[i] == error)
			return true;
	return false;
}

struct outcome
outcome_not_started(int error)
{
	return (struct outcome) {
		.kind = OUTCOME_NOT_STARTED,
		.status
		= error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN,
		.error = error,
	};
}

void
outcome_take_wait(struct outcome *outcome, int wait_status)
{
	bool is_killed = WIFSIGNALED(wait_status);

	outcome->status = is_killed ? -1 : WEXITSTATUS(wait_status);
	outcome->signal = is_killed ? WTERMSIG(wait_status) : 0;
	if (outcome->kind != OUTCOME_TIMED_OUT)
		outcome->kind = is_killed ? OUTCOME_KILLED : OUTCOME_EXITED;
}

int
outcome_status(const struct outcome *outcome)
{
	if (outcome->kind == OUTCOME_TIMED_OUT)
		return STATUS_TIMED_OUT;
	if (outcome->kind == OUTCOME_KILLED)
		return STATUS_SIGNAL + outcome->signal;
	return outcome->status;
}

void
outcome_end_late(struct outcome *outcome, int signal)
{
	if (signal == 0 || outcome->came_late)
		return;
	outcome->end_signal = signal;
	outcome->came_late = true;
}

/* --- signals and CODES --- */

/* Some systems have these two. */
#ifndef SIGSTKFLT
#define SIGSTKFLT 0
#endif
#ifndef SIGPWR
#define SIGPWR 0
#endif

/* POLL is another name of IO. */
static const struct {
	char text[8];
	int number;
} signal_names[] = { { "HUP", SIGHUP }, { "INT", SIGINT }, { "QUIT", SIGQUIT },
	{ "ILL", SIGILL }, { "TRAP", SIGTRAP }, { "ABRT", SIGABRT },
	{ "BUS", SIGBUS }, { "FPE", SIGFPE }, { "KILL", SIGKILL },
	{ "USR1", SIGUSR1 }, { "SEGV", SIGSEGV }, { "USR2", SIGUSR2 },
	{ "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
	{ "STKFLT", SIGSTKFLT }, { "CHLD", SIGCHLD }, { "CONT", SIGCONT },
	{ "STOP", SIGSTOP }, { "TSTP", SIGTSTP }, { "TTIN", SIGTTIN },
	{ "TTOU", SIGTTOU }, { "URG", SIGURG }, { "XCPU", SIGXCPU },
	{ "XFSZ", SIGXFSZ }, { "VTALRM", SIGVTALRM }, { "PROF", SIGPROF },
	{ "WINCH", SIGWINCH }, { "IO", SIGIO }, { "POLL", SIGIO },
	{ "PWR", SIGPWR }, { "SYS", SIGSYS } };

/* Of sysexits.h, from 64 on: not every libc has that header. */
#define FIRST_SYSEXIT 64
static const char sysexits[][12] = { "USAGE", "DATAERR", "NOINPUT", "NOUSER",
	"NOHOST", "UNAVAILABLE", "SOFTWARE", "OSERR", "OSFILE", "CANTCREAT",
	"IOERR", "TEMPFAIL", "PROTOCOL", "NOPERM", "CONFIG" };

/* TEXT without PREFIX, in upper or lower case, if it begins with that. */
static const char *
without_prefix(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncasecmp(text, prefix, length) == 0 ? text + length : text;
}

/* The range of real-time signals; empty where a system has none. */
#ifdef SIGRTMIN
#define FIRST_REAL_TIME SIGRTMIN
#define LAST_REAL_TIME SIGRTMAX
#else
#define FIRST_REAL_TIME 1
#define LAST_REAL_TIME 0
#endif

bool
signal_is_real_time(int signal)
{
	return signal >= FIRST_REAL_TIME && signal <= LAST_REAL_TIME;
}

/* "RTMIN", "RTMIN+2", "RTMAX-1": libc keeps some of them for itself. */
static int
real_time_signal(const char *text)
{
	bool from_end = without_prefix(text, "RTMAX") != text;
	const char *rest = without_prefix(text, from_end ? "RTMAX" : "RTMIN");
	int64_t offset = 0;

	if (rest == text
	    || (*rest != '\0'
	        && (*rest != (from_end ? '-' : '+')
	            || !count_parse(rest + 1, &offset)))
	    || offset > LAST_REAL_TIME - FIRST_REAL_TIME)
		return 0;
	return from_end ? LAST_REAL_TIME - (int)offset
	                : FIRST_REAL_TIME + (int)offset;
}

int
signal_parse(const char *text)
{
	const char *name = without_prefix(text, "SIG");
	int64_t number;

	if (count_parse(text, &number))
		return number < NSIG ? (int)number : 0;
	for (size_t i = 0; i < ARRAY_LENGTH(signal_names); i++)
		if (strcasecmp(name, signal_names[i].text) == 0)
			return signal_names[i].number;
	return real_time_signal(name);
}

const char *
signal_string(char string[24], int signal)
{
	int offset;

	for (size_t i = 0; i < ARRAY_LENGTH(signal_names); i++)
		if (signal_names[i].number == signal)
			return signal_names[i].text;
	if (!signal_is_real_time(signal))
		return number_string(string, signal);
	offset = signal - FIRST_REAL_TIME;
	return strings_joined(string, 24,
	    (const char *const[]) {
	        "RTMIN", offset > 0 ? "+" : NULL, NUMBER(offset), NULL });
}

/* The cell of a word, a name or a single number, or NULL. */
static uint8_t *
cell_of(struct codes *codes, const char *item)
{
	static const struct {
		char name[8];
		size_t at;
	} words[] = {
		{ "nonzero", offsetof(struct codes, nonzero) },
		{ "signal", offsetof(struct codes, signal) },
		{ "timeout", offsetof(struct codes, timeout) },
		{ "start", offsetof(struct codes, start) },
		{ "any", offsetof(struct codes, any) },
	};
	const char *sysexit = without_prefix(item, "EX_");
	int64_t number;
	int signal;

	if (count_parse(item, &number))
		return number < EXIT_CODES ? &codes->exact[number] : NULL;
	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		if (strcasecmp(item, words[i].name) == 0)
			return (uint8_t *)codes + words[i].at;
	for (size_t i = 0; i < ARRAY_LENGTH(sysexits); i++)
		if (strcasecmp(sysexit, sysexits[i]) == 0)
			return &codes->exact[FIRST_SYSEXIT + i];
	signal = signal_parse(item);
	return signal > 0 ? &codes->killed[signal] : NULL;
}

/* ITEM is what cell_of() knows, or a range such as "4-7": a row of cells. */
static bool
add_item(struct codes *codes, char *item, enum verdict verdict,
    struct codes_fault *fault)
{
	uint8_t *cell = cell_of(codes, item);
	char *dash = strchr(item, '-');
	int64_t low = -1, high = -1;

	if (cell == NULL) {
		if (dash == NULL)
			return false;
		*dash = '\0';
		if (!count_parse(item, &low) || !count_parse(dash + 1, &high)
		    || low > high || high >= EXIT_CODES)
			return false;
		cell = &codes->range[low];
	}
	for (; low <= high; low++, cell++) {
		/* clang thinks CODES NULL where cell_of() returns NULL. */
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		if (*cell != VERDICT_NONE && *cell != (uint8_t)verdict) {
			fault->other = *cell;
			fault->status = (int)low;
			return false;
		}
		*cell = (uint8_t)verdict;
	}
	return true;
}

bool
codes_add(struct codes *codes, const char *list, enum verdict verdict,
    struct codes_fault *fault)
{
	char copy[32];

	for (;; list++) {
		size_t size = length_before(list, ',');

		*fault = (struct codes_fault) { .item = list, .length = size };
		if (size >= sizeof copy)
			return false;
		memcpy(copy, list, size);
		copy[size] = '\0';
		if (!add_item(codes, copy, verdict, fault))
			return false;
		list += size;
		if (*list == '\0')
			return true;
		list += strspn(list + 1, " ");
	}
}

/* --- the verdict --- */

/*
 * The most specific of three layers wins: the item that names exactly this
 * outcome; the default, which wide words such as any do not change; the item
 * that names several outcomes.
 */
static enum verdict
codes_match(
    const struct codes *codes, const struct outcome *outcome, bool *by_default)
{
	enum verdict narrow = VERDICT_NONE, usual = VERDICT_NONE;
	enum verdict wide = VERDICT_NONE;
	int status = outcome->status, signal = outcome->signal;

	switch (outcome->kind) {
	case OUTCOME_EXITED:
		narrow = codes->exact[status];
		usual = status == 0 ? VERDICT_SUCCESS : VERDICT_NONE;
		wide = codes->range[status];
		if (wide == VERDICT_NONE)
			wide = codes->nonzero;
		break;
	case OUTCOME_KILLED:
		narrow = codes->killed[signal];
		if (signal == SIGINT || signal == SIGQUIT
		    || (signal == SIGPIPE && outcome->reader_gone))
			usual = VERDICT_STOP;
		wide = codes->signal;
		break;
	case OUTCOME_NOT_STARTED:
		narrow = codes->start;
		usual = passes(outcome->error) ? VERDICT_NONE : VERDICT_STOP;
		break;
	case OUTCOME_TIMED_OUT:
		narrow = codes->timeout;
		break;
	}
	*by_default = narrow == VERDICT_NONE && usual != VERDICT_NONE;
	return narrow != VERDICT_NONE ? narrow
	    : *by_default             ? usual
	    : wide != VERDICT_NONE    ? wide
	                              : codes->any;
}

struct decision
verdict_of(const struct rules *rules, const struct outcome *outcome)
{
	const struct evidence *evidence = &outcome->evidence;
	bool by_default;
	enum verdict verdict = codes_match(&rules->codes, outcome, &by_default);

	/* A process still runs: neither a success, nor room for an attempt. */
	if (outcome->kind == OUTCOME_TIMED_OUT
	    && outcome->left.unended.pid != 0)
		return (struct decision) { VERDICT_STOP, RULE_DEFAULT };
	if (evidence->hint.verdict != VERDICT_NONE)
		return (struct decision) { evidence->hint.verdict, RULE_HINT };
	if (evidence->match.verdict != VERDICT_NONE)
		return (
		    struct decision) { evidence->match.verdict, RULE_MATCH };
	if (rules->match_needed && by_default && verdict == VERDICT_SUCCESS)
		return (struct decision) { VERDICT_RETRY, RULE_NO_MATCH };
	/* After exit 0 the default gives way to a message of the tool. */
	if (verdict != VERDICT_NONE
	    && !(by_default && evidence->tool.verdict != VERDICT_NONE))
		return (struct decision) { verdict,
			by_default                       ? RULE_DEFAULT
			    : verdict == VERDICT_STOP    ? RULE_STOP_ON
			    : verdict == VERDICT_SUCCESS ? RULE_SUCCESS_ON
			                                 : RULE_CODES };
	if (evidence->tool.verdict != VERDICT_NONE)
		return (struct decision) { evidence->tool.verdict, RULE_TOOL };
	if (!rules->listed_only)
		return (struct decision) { VERDICT_RETRY, RULE_DEFAULT };
	/* All of CODES are verdicts, each in a byte: was --retry-on given? */
	return (struct decision) { VERDICT_STOP,
		memchr(&rules->codes, VERDICT_RETRY, sizeof rules->codes)
		        != NULL
		    ? RULE_UNLISTED
		    : RULE_UNMATCHED };
}

const char *
verdict_name(enum verdict verdict)
{
	static const char names[VERDICTS][9]
	    = { "", "success", "pass", "retry", "throttle", "stop" };

	return names[verdict];
}

bool
verdict_is_good(enum verdict verdict)
{
	return verdict == VERDICT_SUCCESS || verdict == VERDICT_PASS;
}

bool
verdict_is_failure(enum verdict verdict)
{
	return verdict == VERDICT_RETRY || verdict == VERDICT_THROTTLE;
}
