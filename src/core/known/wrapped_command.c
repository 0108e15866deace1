/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/known/wrapped_command.h"

/*
 * A wrapper and its options, from the manuals of coreutils, util-linux and
 * sudo. Options with which it runs no command, does not wait for it, or reads
 * it from a string, are left out on purpose.
 */
struct wrapper {
	char name[8];
	char flags[12]; /* letters of the options without an argument */
	char takers[10]; /* letters of the options with an argument */
	char long_flags[128]; /* names; an argument can only follow a "=" */
	char long_takers[192]; /* names; the argument may be the next word */
	uint8_t operands; /* how many come before the command */
	bool assignments; /* NAME=VALUE may come before the command */
};

static const struct wrapper wrappers[] = {
	{ .name = "env",
	    .flags = "i0v",
	    .takers = "uCa",
	    .long_flags = "ignore-environment null debug block-signal "
	                  "default-signal ignore-signal list-signal-handling",
	    .long_takers = "unset chdir argv0",
	    .assignments = true },
	{ .name = "sudo",
	    .flags = "ABEHiknNPsS",
	    .takers = "CDgpRrtTu",
	    .long_flags = "askpass bell preserve-env set-home login "
	                  "reset-timestamp non-interactive no-update "
	                  "preserve-groups stdin shell",
	    .long_takers
	    = "close-from chdir group host prompt chroot role type "
	      "command-timeout user",
	    .assignments = true },
	{ .name = "nice", .takers = "n", .long_takers = "adjustment" },
	{ .name = "ionice",
	    .flags = "t",
	    .takers = "cn",
	    .long_flags = "ignore",
	    .long_takers = "class classdata" },
	{ .name = "timeout",
	    .flags = "fpv",
	    .takers = "ks",
	    .long_flags = "foreground preserve-status verbose",
	    .long_takers = "kill-after signal",
	    .operands = 1 },
	{ .name = "nohup" },
	{ .name = "flock",
	    .flags = "sexnoF",
	    .takers = "wE",
	    .long_flags = "shared exclusive nonblock nonblocking nb close "
	                  "no-fork fcntl verbose",
	    .long_takers = "timeout wait conflict-exit-code",
	    .operands = 1 },
	{ .name = "stdbuf",
	    .takers = "ioe",
	    .long_takers = "input output error" },
	{ .name = "setsid", .flags = "cw", .long_flags = "ctty wait" },
	{ .name = "setpriv",
	    .long_flags = "nnp no-new-privs clear-groups keep-groups "
	                  "init-groups reset-env",
	    .long_takers = "ambient-caps inh-caps bounding-set ruid euid rgid "
	                   "egid reuid regid groups securebits pdeathsig "
	                   "ptracer selinux-label apparmor-profile "
	                   "landlock-access landlock-rule seccomp-filter" },
	{ .name = "chrt",
	    .flags = "bdfioRrv",
	    .takers = "TPD",
	    .long_flags = "batch deadline fifo idle other rr reset-on-fork "
	                  "verbose",
	    .long_takers = "sched-runtime sched-period sched-deadline",
	    .operands = 1 },
	{ .name = "taskset",
	    .flags = "c",
	    .long_flags = "cpu-list",
	    .operands = 1 },
};

/* What the options of flock say about its status if the lock is taken. */
struct locking {
	bool gives_up;
	int64_t conflict;
};

static void
note_option(struct locking *locking, const char *option, const char *argument)
{
	static const char giving_up[]
	    = "n w nonblock nonblocking nb timeout wait";
	size_t length = strcspn(option, "=");

	if (words_have(giving_up, option, length))
		locking->gives_up = true;
	if (words_have("E conflict-exit-code", option, length)
	    && (argument == NULL || !count_parse(argument, &locking->conflict)
	        || locking->conflict > 255))
		locking->conflict = -1;
}

/*
 * Returns what follows the option *WORDS, "--name", "--name=value" or "--name
 * value"; NULL: the option is not known.
 */
static char *const *
skip_long(
    const struct wrapper *wrapper, char *const *words, struct locking *locking)
{
	const char *name = *words + 2;
	size_t length = strcspn(name, "=");
	const char *argument
	    = name[length] == '=' ? name + length + 1 : words[1];

	if (words_have(wrapper->long_takers, name, length)) {
		note_option(locking, name, argument);
		if (name[length] == '=')
			return words + 1;
		return words[1] == NULL ? NULL : words + 2;
	}
	if (!words_have(wrapper->long_flags, name, length))
		return NULL;
	note_option(locking, name, NULL);
	return words + 1;
}

/* The same for letters: "-i", "-iv", "-u name", "-uname". */
static char *const *
skip_letters(
    const struct wrapper *wrapper, char *const *words, struct locking *locking)
{
	for (const char *letter = *words + 1; *letter != '\0'; letter++) {
		const char option[] = { *letter, '\0' };
		bool joined = letter[1] != '\0';

		if (strchr(wrapper->takers, *letter) != NULL) {
			note_option(
			    locking, option, joined ? letter + 1 : words[1]);
			if (joined)
				return words + 1;
			return words[1] == NULL ? NULL : words + 2;
		}
		if (strchr(wrapper->flags, *letter) == NULL)
			return NULL;
		note_option(locking, option, NULL);
	}
	return words + 1;
}

/* nice has always accepted "-5" and "--5". */
static bool
is_adjustment(const struct wrapper *wrapper, const char *word)
{
	word += 1 + (word[1] == '-' || word[1] == '+');
	return strcmp(wrapper->name, "nice") == 0 && *word >= '0'
	    && *word <= '9';
}

static char *const *
skip_option(
    const struct wrapper *wrapper, char *const *words, struct locking *locking)
{
	const char *word = *words;

	/* A single "-" means -i to env; the others do not have it. */
	if (word[1] == '\0')
		return wrapper->assignments ? words + 1 : NULL;
	if (is_adjustment(wrapper, word))
		return words + 1;
	return word[1] == '-' ? skip_long(wrapper, words, locking)
	                      : skip_letters(wrapper, words, locking);
}

/* What follows the options and assignments at WORDS; NULL: one is unknown. */
static char *const *
skip_options(
    const struct wrapper *wrapper, char *const *words, struct locking *locking)
{
	bool options = true;

	while (words != NULL && *words != NULL) {
		const char *word = *words;

		if (options && strcmp(word, "--") == 0) {
			options = false;
			words++;
		} else if (options && word[0] == '-') {
			words = skip_option(wrapper, words, locking);
		} else if (wrapper->assignments && strchr(word, '=') != NULL) {
			words++;
		} else {
			break;
		}
	}
	return words;
}

/* What follows WRAPPER and its own arguments; NULL: it is not known. */
static char *const *
skip_wrapper(
    const struct wrapper *wrapper, char *const *words, struct locking *locking)
{
	words = skip_options(wrapper, words + 1, locking);
	for (int i = 0; i < wrapper->operands && words != NULL; i++)
		words = *words == NULL ? NULL : words + 1;
	/* flock FILE -c 'a script': only a shell knows what that runs. */
	if (words != NULL && (*words == NULL || **words == '-'))
		return NULL;
	return words;
}

static const struct wrapper *
wrapper_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(wrappers); i++)
		if (strcmp(wrappers[i].name, name) == 0)
			return &wrappers[i];
	return NULL;
}

static const char blanks[] = " \t\n";

/* The length of the word at LINE, with the blanks that a shell sees in it. */
static size_t
word_length(const char *line)
{
	char quote = '\0';
	int depth = 0;
	size_t i;

	for (i = 0; line[i] != '\0'; i++) {
		if (line[i] == '\\' && quote != '\'' && line[i + 1] != '\0')
			i++;
		else if (quote != '\0')
			quote = line[i] == quote ? '\0' : quote;
		else if (strchr("'\"`", line[i]) != NULL)
			quote = line[i];
		else if (line[i] == '(' || line[i] == ')')
			depth += line[i] == '(' ? 1 : -1;
		else if (depth <= 0 && strchr(blanks, line[i]) != NULL)
			break;
	}
	return i;
}

/* NAME=value */
static bool
is_assignment(const char *word)
{
	size_t length = 0;

	while (is_of_word(word[length]))
		length++;
	return length > 0 && !is_digit(word[0]) && word[length] == '=';
}

static const char *
next_word(const char *word)
{
	word += word_length(word);
	return word + strspn(word, blanks);
}

bool
command_line_name(struct text *text, const char *word)
{
	const char *first = word + strspn(word, blanks), *start = first;
	size_t length = 0, most;

	if (word[strcspn(word, blanks)] == '\0' && !is_assignment(word))
		return false;
	while (is_assignment(start))
		start = next_word(start);
	for (const char *at = start;
	     *at != '\0' && memchr(at, '=', word_length(at)) == NULL;
	     at = next_word(at))
		length = (size_t)(at - start) + word_length(at);
	/* Where nothing can be shown but a name: "TOKEN=". */
	if (length == 0) {
		start = first;
		length = strcspn(first, "=") + 1;
	}
	most = text_cut(start, 60);
	for (size_t i = 0; i < most && i < length; i++)
		text_byte(text, start[i]);
	return true;
}

const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

struct wrapped
wrapped_command(char *const argv[])
{
	struct wrapped command = { .name = NULL, .lock_conflict = -1 };
	const struct wrapper *wrapper;

	while (argv != NULL && argv[0] != NULL) {
		struct locking locking = { .conflict = 1 };

		command.name = base_name(argv[0]);
		wrapper = wrapper_named(command.name);
		if (wrapper == NULL)
			return command;
		argv = skip_wrapper(wrapper, argv, &locking);
		command.is_timed |= strcmp(wrapper->name, "timeout") == 0;
		/* Of several flocks, the first one that gives up decides. */
		if (strcmp(wrapper->name, "flock") == 0 && locking.gives_up
		    && command.lock_conflict < 0)
			command.lock_conflict = (int)locking.conflict;
	}
	command.name = NULL;
	return command;
}
