/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "clock.h"
#include "retryafter.h"
#include "scan.h"

/*
 * The longest string of plain characters that every match of an extended
 * regular expression must contain: to search for that first is many times
 * faster. Groups, brackets and repeated characters end a run; alternatives
 * leave none.
 */
struct literal {
	char run[32];
	size_t length;
	char best[32];
};

static void
end_run(struct literal *literal)
{
	literal->run[literal->length] = '\0';
	if (literal->length > strlen(literal->best))
		memcpy(literal->best, literal->run, literal->length + 1);
	literal->length = 0;
}

/* Behind the bracket expression that TEXT begins with. */
static const char *
skip_bracket(const char *text)
{
	text++;
	text += *text == '^';
	text += *text == ']';
	while (*text != '\0' && *text != ']') {
		if (*text == '[' && strchr(".:=", text[1]) != NULL) {
			const char kind[] = { text[1], ']', '\0' };
			const char *end = strstr(text + 2, kind);

			text = end == NULL ? text + 1 : end + 1;
		}
		text++;
	}
	return *text == '\0' ? text : text + 1;
}

/* Behind the group that TEXT begins with. */
static const char *
skip_group(const char *text)
{
	int depth = 0;

	while (*text != '\0') {
		if (*text == '[') {
			text = skip_bracket(text);
			continue;
		}
		depth += *text == '(';
		depth -= *text == ')';
		text += *text == '\\' && text[1] != '\0' ? 2 : 1;
		if (depth == 0)
			break;
	}
	return text;
}

/* Repetitions, one of which allows none, take the last character away. */
static const char *
skip_repetition(struct literal *literal, const char *text)
{
	const char *end = text;
	bool all_plus = true;

	while (*end != '\0' && strchr("*+?{", *end) != NULL) {
		all_plus = all_plus && *end == '+';
		if (*end == '{')
			end += strcspn(end, "}");
		end += *end != '\0';
	}
	if (!all_plus && literal->length > 0)
		literal->length--;
	end_run(literal);
	return end;
}

static void
find_literal(const char *text, char literal_text[32])
{
	struct literal literal = { .length = 0 };

	while (*text != '\0') {
		if (*text == '|') {
			literal.best[0] = '\0';
			literal.length = 0;
			break;
		}
		if (strchr("*+?{", *text) != NULL) {
			text = skip_repetition(&literal, text);
			continue;
		}
		if (strchr("[(", *text) != NULL) {
			end_run(&literal);
			text = *text == '[' ? skip_bracket(text)
			                    : skip_group(text);
			continue;
		}
		if (*text == '\\' && text[1] != '\0'
		    && strchr(".[]\\()*+?{}|^$/", text[1]) != NULL) {
			text++;
		} else if (strchr(".^$)\\", *text) != NULL) {
			end_run(&literal);
			text += *text == '\\' && text[1] != '\0' ? 2 : 1;
			continue;
		}
		if (literal.length + 1 >= sizeof literal.run)
			end_run(&literal);
		literal.run[literal.length++] = *text++;
	}
	end_run(&literal);
	memcpy(literal_text, literal.best, sizeof literal.best);
}

/*
 * POSIX leaves "\1" undefined, and where libc takes it for a reference a
 * match may take for ever.
 */
static bool
has_reference(const char *text)
{
	while (*text != '\0') {
		if (*text == '[') {
			text = skip_bracket(text);
			continue;
		}
		if (*text == '\\' && text[1] >= '1' && text[1] <= '9')
			return true;
		text += *text == '\\' && text[1] != '\0' ? 2 : 1;
	}
	return false;
}

const char *
scan_add(struct scan *scan, enum verdict verdict, const char *text)
{
	struct condition *condition;
	static char error[128];
	int code;

	/* It would match every line: surely a variable that was not set. */
	if (*text == '\0')
		return "expected a regular expression";
	if (has_reference(text))
		return "expected a regular expression without \\1 to \\9";
	if (scan->count == SCAN_CONDITIONS)
		return "expected fewer conditions";
	condition = &scan->conditions[scan->count];
	*condition = (struct condition) { .verdict = verdict, .text = text };
	code = regcomp(&condition->regex, text, REG_EXTENDED | REG_NOSUB);
	if (code != 0) {
		memcpy(error, "expected an extended regular expression: ", 42);
		regerror(
		    code, &condition->regex, error + 41, sizeof error - 41);
		return error;
	}
	find_literal(text, condition->literal);
	scan->needs_success |= verdict == VERDICT_SUCCESS;
	scan->count++;
	return NULL;
}

void
scan_reset(struct scan *scan)
{
	for (size_t i = 0; i < scan->count; i++)
		scan->conditions[i].matched = false;
	scan->retry_after_ns = -1;
	scan->last_line[0] = '\0';
}

static bool
line_matches(const struct condition *condition, char *line, size_t length)
{
	size_t end = length < SCAN_LINE ? length : SCAN_LINE;
	char saved = line[end];
	bool matches;

	line[end] = '\0';
	matches = regexec(&condition->regex, line, 0, NULL, 0) == 0;
	line[end] = saved;
	return matches;
}

/* The length of the line at AT, without its newline. */
static size_t
line_length(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return (size_t)((newline == NULL ? end : newline) - at);
}

/* Whether one of the lines from AT to END matches. */
static bool
lines_match(const struct condition *condition, char *at, char *end)
{
	size_t literal_length = strlen(condition->literal);

	while (at < end) {
		size_t length;

		if (literal_length > 0) {
			char *found = memmem(at, (size_t)(end - at),
			    condition->literal, literal_length);
			char *newline;

			if (found == NULL)
				return false;
			newline = memrchr(at, '\n', (size_t)(found - at));
			at = newline == NULL ? at : newline + 1;
		}
		length = line_length(at, end);
		if (line_matches(condition, at, length))
			return true;
		at += length + 1;
	}
	return false;
}

static void
find_retry_after(struct scan *scan, const char *at, const char *end)
{
	while (at < end) {
		size_t length = line_length(at, end);
		int64_t after_ns
		    = retry_after_line(at, length, clock_epoch_ns());

		if (after_ns >= 0)
			scan->retry_after_ns = after_ns;
		at += length + 1;
	}
}

/* The last line that is not blank, fit to be shown. */
static void
find_last_line(struct scan *scan, const char *at, const char *end)
{
	const char *start;
	size_t length;

	while (end > at && (unsigned char)end[-1] <= ' ')
		end--;
	if (end == at)
		return;
	start = memrchr(at, '\n', (size_t)(end - at));
	start = start == NULL ? at : start + 1;
	length = (size_t)(end - start);
	if (length >= sizeof scan->last_line)
		length = sizeof scan->last_line - 1;
	for (size_t i = 0; i < length; i++)
		scan->last_line[i] = (unsigned char)start[i] < ' '
		        || start[i] == '\x7f' || start[i] == '"'
		    ? '?'
		    : start[i];
	scan->last_line[length] = '\0';
}

/* Whole lines, LENGTH > 0 bytes. */
static void
scan_lines(struct scan *scan, bool is_stderr, char *lines, size_t length)
{
	char *end = lines + length;

	/* A regular expression's end of text is no end of a line. */
	for (char *nul = memchr(lines, '\0', length); nul != NULL;
	     nul = memchr(nul, '\0', (size_t)(end - nul)))
		*nul = '\001';
	for (size_t i = 0; i < scan->count; i++) {
		struct condition *condition = &scan->conditions[i];

		condition->matched
		    = condition->matched || lines_match(condition, lines, end);
	}
	if (scan->retry_after)
		find_retry_after(scan, lines, end);
	if (is_stderr)
		find_last_line(scan, lines, end);
}

void
scan_bytes(struct scan *scan, struct scan_stream *stream, const char *bytes,
    size_t count)
{
	const char *newline;
	size_t whole;

	if (stream->skipping) {
		newline = memchr(bytes, '\n', count);
		if (newline == NULL)
			return;
		stream->skipping = false;
		count -= (size_t)(newline + 1 - bytes);
		bytes = newline + 1;
	}
	memcpy(stream->line + stream->length, bytes, count);
	stream->length += count;
	newline = memrchr(stream->line, '\n', stream->length);
	if (newline != NULL) {
		whole = (size_t)(newline + 1 - stream->line);
		scan_lines(scan, stream->is_stderr, stream->line, whole);
		stream->length -= whole;
		memmove(stream->line, stream->line + whole, stream->length);
	}
	if (stream->length >= SCAN_LINE) {
		scan_lines(scan, stream->is_stderr, stream->line, SCAN_LINE);
		stream->length = 0;
		stream->skipping = true;
	}
}

void
scan_finish(struct scan *scan, struct scan_stream *stream)
{
	if (stream->length > 0)
		scan_lines(
		    scan, stream->is_stderr, stream->line, stream->length);
	stream->length = 0;
	stream->skipping = false;
}

const struct condition *
scan_match(const struct scan *scan)
{
	static const enum verdict order[] = { VERDICT_STOP, VERDICT_SUCCESS,
		VERDICT_THROTTLE, VERDICT_RETRY };

	for (size_t kind = 0; kind < sizeof order / sizeof *order; kind++)
		for (size_t i = 0; i < scan->count; i++)
			if (scan->conditions[i].matched
			    && scan->conditions[i].verdict == order[kind])
				return &scan->conditions[i];
	return NULL;
}
