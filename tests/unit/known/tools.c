/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <regex.h>
#include <stdlib.h>

#include "core/base/base.h"
#include "core/judge/outcome.h"
#include "core/known/known.h"
#include "unit/tap.h"

#define TOOLS 64

/* As the tables have them. */
#define STOP VERDICT_STOP
#define SUCCESS VERDICT_SUCCESS
#define PASS VERDICT_PASS
#define THROTTLE VERDICT_THROTTLE
#define RETRY VERDICT_RETRY

/*
 * A row of samples.def: a head, which has no text, or a text, of which the
 * head above it says the rest.
 */
struct sample {
	const char *tool; /* or several, with blanks between */
	int status;
	enum verdict verdict; /* NONE: no message matches */
	const char *meaning; /* NULL: it is not in the table */
	const char *text;
	bool on_stdout;
};

/* The messages of a tool, and whether a sample was decided by each. */
struct compiled {
	const struct tool *tool;
	regex_t regexes[TOOL_MESSAGES];
	bool decided[TOOL_MESSAGES];
};

static struct compiled compiled[TOOLS];

/* How skopeo begins what ends it. */
#define FATAL "time=\"2026-11-23T07:23:13Z\" level=fatal msg=\""

#define CASE(...) { __VA_ARGS__, NULL, false },
#define HARMLESS(tool, status) \
	{ tool, status, VERDICT_NONE, NULL, NULL, false },
#define TEXT(words) { .text = words },
#define HTTP(tool, status, begin, end) \
	CASE(tool, status, STOP, "permanent HTTP error") \
	TEXT(begin "404" end) \
	CASE(tool, status, THROTTLE, "HTTP 429: too many requests") \
	TEXT(begin "429" end) \
	CASE(tool, status, RETRY, "HTTP server error") \
	TEXT(begin "503" end)
#define ON_STDOUT(words) { .text = words, .on_stdout = true },

static const struct sample samples[] = {
#include "samples.def"
};

static struct compiled *
compiled_of(const char *name)
{
	const struct tool *tool = tool_named(name);

	for (size_t i = 0; i < TOOLS && tool != NULL; i++)
		if (compiled[i].tool == tool)
			return &compiled[i];
	printf("Bail out! no tool %s\n", name);
	exit(1);
}

/* Whether one of the lines of TEXT matches. */
static bool
matches(const regex_t *regex, const char *text)
{
	char copy[1024];
	bool found = false;

	snprintf(copy, sizeof copy, "%s", text);
	for (char *line = copy; line != NULL && !found;) {
		char *end = strchr(line, '\n');

		if (end != NULL)
			*end = '\0';
		found = regexec(regex, line, 0, NULL, 0) == 0;
		line = end == NULL ? NULL : end + 1;
	}
	return found;
}

/* The message that decides, or NULL; *MATCHED is how many match. */
static const struct tool_row *
decide(struct compiled *known, const struct sample *sample, int *matched)
{
	static const enum verdict order[] = { VERDICT_STOP, VERDICT_SUCCESS,
		VERDICT_THROTTLE, VERDICT_RETRY };
	const struct tool_row *first = NULL;

	*matched = 0;
	for (size_t o = 0; o < ARRAY_LENGTH(order); o++)
		for (int i = 0, at = known->tool->messages;
		     at < known->tool->end; i++, at++) {
			const struct tool_row *message = &known_rows[at];

			if (message->verdict != order[o]
			    || sample->status < message->low
			    || sample->status > message->high
			    || (sample->on_stdout && !message->on_stdout)
			    || !matches(&known->regexes[i], sample->text))
				continue;
			++*matched;
			if (first == NULL) {
				first = message;
				known->decided[i] = true;
			}
		}
	return first;
}

static void
test_sample(const struct sample *sample, const char *tool)
{
	struct compiled *known = compiled_of(tool);
	enum verdict verdict = VERDICT_RETRY;
	const char *meaning = "";
	const struct tool_row *message;
	char what[1200];
	int matched;

	message = decide(known, sample, &matched);
	if (message == NULL)
		message = tool_code(known->tool, sample->status);
	if (message != NULL) {
		verdict = message->verdict;
		meaning = known_text(message->meaning);
	}
	snprintf(what, sizeof what, "%s %d: %.60s", tool, sample->status,
	    sample->text + strspn(sample->text, "\n"));
	what[strcspn(what, "\n")] = '\0';
	if (sample->verdict == VERDICT_NONE) {
		is_int(matched, 0, what);
		return;
	}
	is_string(verdict_name(verdict), verdict_name(sample->verdict), what);
	is_string(
	    meaning, sample->meaning == NULL ? "" : sample->meaning, "  means");
}

/* Lower-case phrases that fit into a line of the log. */
static bool
reads_well(const char *meaning)
{
	return strlen(meaning) > 2 && strlen(meaning) <= 48
	    && strpbrk(meaning, "()\n\t\\\"") == NULL
	    && meaning[strlen(meaning) - 1] != '.';
}

static void
compile_messages(struct compiled *known)
{
	const struct tool *tool = known->tool;
	const struct tool_row *message = &known_rows[tool->messages];
	bool valid = true;

	for (size_t i = 0; message < &known_rows[tool->end]; i++, message++) {
		const char *regex = known_text(message->regex);
		int error = regcomp(
		    &known->regexes[i], regex, REG_EXTENDED | REG_NOSUB);

		if (!ok(error == 0, regex))
			exit(1);
		valid = valid && reads_well(known_text(message->meaning))
		    && (message->high == 0
		        || (tool_code(tool, message->low) != NULL
		            && tool_code(tool, message->high) != NULL));
	}
	ok(valid, known_text(tool->name));
	ok(tool->messages == tool->end
	        || strstr(known_text(tool->source), "messages: ") != NULL,
	    "  says where its messages are from");
}

static void
codes_are_right(const struct tool *tool)
{
	bool valid = true, overlapping = false;
	uint8_t taken[256] = { 0 };
	const struct tool_row *code = &known_rows[tool->codes];

	for (; code < &known_rows[tool->messages]; code++) {
		valid = valid && reads_well(known_text(code->meaning))
		    && tool_code(tool, code->high) == code;
		for (int status = code->low; status <= code->high; status++)
			overlapping = taken[status]++ > 0 || overlapping;
	}
	ok(tool->codes < tool->messages && valid, known_text(tool->name));
	ok(!overlapping, "  no code twice");
	ok(strlen(known_text(tool->warning)) <= 80, "  its warning is a line");
}

TEST(tables)
{
	for (size_t i = 0; known_tools[i].name != 0 && i < TOOLS; i++) {
		compiled[i].tool = &known_tools[i];
		codes_are_right(&known_tools[i]);
		compile_messages(&compiled[i]);
	}
}

TEST(samples)
{
	struct sample sample = samples[0];
	const struct tool_row *message;
	const struct tool *tool = known_tools;
	bool all = true;

	for (size_t i = 0; i < ARRAY_LENGTH(samples); i++) {
		char tools[32];

		if (samples[i].text == NULL) {
			sample = samples[i];
			continue;
		}
		sample.text = samples[i].text;
		sample.on_stdout = samples[i].on_stdout;
		snprintf(tools, sizeof tools, "%s", sample.tool);
		for (char *at = strtok(tools, " "); at != NULL;
		     at = strtok(NULL, " "))
			test_sample(&sample, at);
	}
	for (size_t i = 0; tool->name != 0; i++, tool++)
		for (int j = 0; j < tool->end - tool->messages; j++)
			if (!compiled[i].decided[j]) {
				message = &known_rows[tool->messages + j];
				printf("# %s: %s\n", known_text(tool->name),
				    known_text(message->regex));
				all = false;
			}
	ok(all, "each message decides a sample");
}

TEST(names)
{
	static const char unknown[][12]
	    = { "", " ", "cur", "curls", "CURL", "scp sftp", "sc", "true" };

	ok(tool_named("mariadb-admin") == tool_named("mysql"), "an alias");
	for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++)
		ok(tool_named(unknown[i]) == NULL, "no such tool");
	ok(!tool_needs_message(tool_named("curl"), 2), "a code decides");
	ok(tool_needs_message(tool_named("psql"), 1), "  or a message");
}

/* HTTP statuses that may be temporary, and those that are permanent. */
TEST(http)
{
	static const int passing[] = { 408, 425, 500, 502, 503, 504, 522, 524 };
	static const int lasting[] = { 400, 401, 402, 403, 404, 405, 406, 407,
		409, 410, 411, 413, 415, 417, 418, 420, 422, 423, 424, 426, 428,
		430, 431, 451, 499, 501, 505 };
	char text[64];

	for (size_t i = 0; i < ARRAY_LENGTH(passing) + ARRAY_LENGTH(lasting);
	     i++) {
		bool lasts = i >= ARRAY_LENGTH(passing);
		int status
		    = lasts ? lasting[i - ARRAY_LENGTH(passing)] : passing[i];
		const struct sample sample = { .status = 22, .text = text };
		int matched;

		snprintf(text, sizeof text,
		    "curl: (22) The requested URL returned error: %d", status);
		is_int(decide(compiled_of("curl"), &sample, &matched)->verdict,
		    lasts ? VERDICT_STOP : VERDICT_RETRY, text);
	}
}
