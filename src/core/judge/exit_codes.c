/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/judge/exit_codes.h"

struct name {
	char text[12];
	int number;
};

static const struct name signal_names[] = {
	{ "HUP", SIGHUP },
	{ "INT", SIGINT },
	{ "QUIT", SIGQUIT },
	{ "ILL", SIGILL },
	{ "TRAP", SIGTRAP },
	{ "ABRT", SIGABRT },
	{ "BUS", SIGBUS },
	{ "FPE", SIGFPE },
	{ "KILL", SIGKILL },
	{ "USR1", SIGUSR1 },
	{ "SEGV", SIGSEGV },
	{ "USR2", SIGUSR2 },
	{ "PIPE", SIGPIPE },
	{ "ALRM", SIGALRM },
	{ "TERM", SIGTERM },
#ifdef SIGSTKFLT
	{ "STKFLT", SIGSTKFLT },
#endif
	{ "CHLD", SIGCHLD },
	{ "CONT", SIGCONT },
	{ "STOP", SIGSTOP },
	{ "TSTP", SIGTSTP },
	{ "TTIN", SIGTTIN },
	{ "TTOU", SIGTTOU },
	{ "URG", SIGURG },
	{ "XCPU", SIGXCPU },
	{ "XFSZ", SIGXFSZ },
	{ "VTALRM", SIGVTALRM },
	{ "PROF", SIGPROF },
	{ "WINCH", SIGWINCH },
	{ "IO", SIGIO },
	{ "POLL", SIGIO },
#ifdef SIGPWR
	{ "PWR", SIGPWR },
#endif
	{ "SYS", SIGSYS },
};

/* sysexits.h, as numbers: not every libc has the header. */
static const struct name exit_names[] = {
	{ "USAGE", 64 },
	{ "DATAERR", 65 },
	{ "NOINPUT", 66 },
	{ "NOUSER", 67 },
	{ "NOHOST", 68 },
	{ "UNAVAILABLE", 69 },
	{ "SOFTWARE", 70 },
	{ "OSERR", 71 },
	{ "OSFILE", 72 },
	{ "CANTCREAT", 73 },
	{ "IOERR", 74 },
	{ "TEMPFAIL", 75 },
	{ "PROTOCOL", 76 },
	{ "NOPERM", 77 },
	{ "CONFIG", 78 },
};

/* The words among the items, and where in struct codes they have a verdict. */
static const struct {
	char name[8];
	size_t at;
} codes_words[] = {
	{ "nonzero", offsetof(struct codes, nonzero) },
	{ "signal", offsetof(struct codes, signal) },
	{ "timeout", offsetof(struct codes, timeout) },
	{ "start", offsetof(struct codes, start) },
	{ "any", offsetof(struct codes, any) },
};

/* The rest behind PREFIX, in any case, or all of TEXT. */
static const char *
without_prefix(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncasecmp(text, prefix, length) == 0 ? text + length : text;
}

static bool
same_name(const char *text, const char *name)
{
	return strncasecmp(text, name, strlen(name) + 1) == 0;
}

/* The number of a name in a table, or -1. */
static int
look_up(const struct name *names, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (same_name(text, names[i].text))
			return names[i].number;
	return -1;
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
	bool from_end = same_name(text, "RTMAX")
	    || without_prefix(text, "RTMAX-") != text;
	const char *rest = without_prefix(text, from_end ? "RTMAX" : "RTMIN");
	int64_t offset = 0;

	if (rest == text || FIRST_REAL_TIME > LAST_REAL_TIME)
		return 0;
	if (*rest != '\0'
	    && (*rest != (from_end ? '-' : '+')
	        || !count_parse(rest + 1, &offset)
	        || offset > LAST_REAL_TIME - FIRST_REAL_TIME))
		return 0;
	return from_end ? LAST_REAL_TIME - (int)offset
	                : FIRST_REAL_TIME + (int)offset;
}

int
signal_parse(const char *text)
{
	const char *name = without_prefix(text, "SIG");
	int64_t number;
	int found;

	if (count_parse(text, &number))
		return number < SIGNALS ? (int)number : 0;
	found = look_up(signal_names, ARRAY_LENGTH(signal_names), name);
	return found > 0 ? found : real_time_signal(name);
}

void
signal_text(struct text *text, int signal)
{
	for (size_t i = 0; i < ARRAY_LENGTH(signal_names); i++)
		if (signal_names[i].number == signal) {
			text_add(text, signal_names[i].text);
			return;
		}
	if (signal_is_real_time(signal)) {
		text_add(text, "RTMIN");
		signal -= FIRST_REAL_TIME;
		if (signal == 0)
			return;
		text_byte(text, '+');
	}
	text_number(text, signal);
}

/* Gives a cell of a layer its verdict, unless it has another one. */
static enum codes_error
claim(uint8_t *cell, enum verdict verdict, enum verdict *other)
{
	/* clang thinks that CODES is NULL where cell_of() returns NULL. */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	if (*cell != VERDICT_NONE && *cell != (uint8_t)verdict) {
		*other = *cell;
		return CODES_CONFLICT;
	}
	*cell = (uint8_t)verdict;
	return CODES_OK;
}

/* The cell of a word, a name or a single number, or NULL. */
static uint8_t *
cell_of(struct codes *codes, const char *item)
{
	int64_t number;
	int signal, status;

	if (count_parse(item, &number))
		return number < EXIT_CODES ? &codes->exact[number] : NULL;
	for (size_t i = 0; i < ARRAY_LENGTH(codes_words); i++)
		if (same_name(item, codes_words[i].name))
			return (uint8_t *)codes + codes_words[i].at;
	status = look_up(
	    exit_names, ARRAY_LENGTH(exit_names), without_prefix(item, "EX_"));
	if (status > 0)
		return &codes->exact[status];
	signal = signal_parse(item);
	return signal > 0 ? &codes->killed[signal] : NULL;
}

/* "4-7" */
static enum codes_error
add_range(struct codes *codes, char *item, enum verdict verdict,
    struct codes_fault *fault)
{
	char *dash = strchr(item, '-');
	enum codes_error error = CODES_OK;
	int64_t low, high;

	if (dash == NULL)
		return CODES_SYNTAX;
	*dash = '\0';
	if (!count_parse(item, &low) || !count_parse(dash + 1, &high)
	    || low > high || high >= EXIT_CODES)
		return CODES_SYNTAX;
	for (; low <= high && error == CODES_OK; low++) {
		fault->status = (int)low;
		error = claim(&codes->range[low], verdict, &fault->other);
	}
	return error;
}

static enum codes_error
add_item(struct codes *codes, char *item, enum verdict verdict,
    struct codes_fault *fault)
{
	uint8_t *cell = cell_of(codes, item);

	fault->status = -1;
	if (cell != NULL)
		return claim(cell, verdict, &fault->other);
	return add_range(codes, item, verdict, fault);
}

enum codes_error
codes_add(struct codes *codes, const char *list, enum verdict verdict,
    struct codes_fault *fault)
{
	enum codes_error error;
	char copy[32];

	for (;; list++) {
		size_t size = strcspn(list, ",");

		fault->item = list;
		fault->length = size;
		if (size >= sizeof copy)
			return CODES_SYNTAX;
		memcpy(copy, list, size);
		copy[size] = '\0';
		error = add_item(codes, copy, verdict, fault);
		if (error != CODES_OK)
			return error;
		list += size;
		if (*list == '\0')
			return CODES_OK;
		list += strspn(list + 1, " ");
	}
}

/*
 * The verdict on outcomes that only an item as narrow as a number can change:
 * wide words such as any do not cover them. VERDICT_NONE for all others.
 */
static enum verdict
default_of(const struct outcome *outcome)
{
	switch (outcome->kind) {
	case OUTCOME_EXITED:
		return outcome->status == 0 ? VERDICT_SUCCESS : VERDICT_NONE;
	case OUTCOME_KILLED:
		if (outcome->signal == SIGINT || outcome->signal == SIGQUIT
		    || (outcome->signal == SIGPIPE && outcome->reader_gone))
			return VERDICT_STOP;
		break;
	case OUTCOME_NOT_STARTED:
		if (outcome->lasting)
			return VERDICT_STOP;
		break;
	case OUTCOME_TIMED_OUT:
		break;
	}
	return VERDICT_NONE;
}

/* The verdict of the item that names exactly this outcome. */
static enum verdict
narrow_of(const struct codes *codes, const struct outcome *outcome)
{
	switch (outcome->kind) {
	case OUTCOME_EXITED:
		return codes->exact[outcome->status];
	case OUTCOME_KILLED:
		return outcome->signal < SIGNALS
		    ? codes->killed[outcome->signal]
		    : VERDICT_NONE;
	case OUTCOME_NOT_STARTED:
		return codes->start;
	case OUTCOME_TIMED_OUT:
		break;
	}
	return codes->timeout;
}

/* The verdict of an item that names several outcomes, apart from any. */
static enum verdict
wide_of(const struct codes *codes, const struct outcome *outcome)
{
	if (outcome->kind == OUTCOME_KILLED)
		return codes->signal;
	if (outcome->kind != OUTCOME_EXITED)
		return VERDICT_NONE;
	if (codes->range[outcome->status] == VERDICT_NONE
	    && outcome->status != 0)
		return codes->nonzero;
	return codes->range[outcome->status];
}

enum verdict
codes_match(
    const struct codes *codes, const struct outcome *outcome, bool *by_default)
{
	enum verdict narrow = narrow_of(codes, outcome);
	enum verdict wide = wide_of(codes, outcome);

	*by_default
	    = narrow == VERDICT_NONE && default_of(outcome) != VERDICT_NONE;
	if (*by_default)
		return default_of(outcome);
	return narrow != VERDICT_NONE ? narrow
	    : wide != VERDICT_NONE    ? wide
	                              : codes->any;
}
