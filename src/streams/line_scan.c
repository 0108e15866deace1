/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "process/clock.h"
#include "core/literal.h"
#include "streams/retry_after.h"
#include "streams/line_scan.h"

/* NULL, or why TEXT is no regular expression. */
static const char *
compile(struct condition *condition, const char *text)
{
	static char error[128];
	int code = regcomp(&condition->regex, text, REG_EXTENDED | REG_NOSUB);

	if (code != 0) {
		memcpy(error, "expected an extended regular expression: ", 42);
		regerror(
		    code, &condition->regex, error + 41, sizeof error - 41);
		return error;
	}
	condition->text = text;
	literal_find(text, condition->literal);
	return NULL;
}

const char *
scan_add(struct scan *scan, enum verdict verdict, const char *text)
{
	struct condition condition = { .verdict = verdict };
	const char *expected;

	/* It would match every line: surely a variable that was not set. */
	if (*text == '\0')
		return "expected a regular expression";
	if (strchr(text, '\n') != NULL)
		return "expected a regular expression for one line";
	if (literal_has_reference(text))
		return "expected a regular expression without \\1 to \\9";
	if (scan->count == SCAN_CONDITIONS)
		return "expected at most 64 conditions in all";
	expected = compile(&condition, text);
	if (expected != NULL)
		return expected;
	scan->conditions[scan->count++] = condition;
	scan->needs_stdout = true;
	scan->needs_success |= verdict == VERDICT_SUCCESS;
	return NULL;
}

bool
scan_add_tool(struct scan *scan, const struct tool *tool)
{
	struct condition condition = { .is_known = true };
	size_t count = 0;

	while (count < SCAN_MESSAGES
	    && tool_message_at(tool, count, &condition.message)) {
		condition.verdict = condition.message.verdict;
		if (compile(&condition, condition.message.regex) == NULL)
			scan->conditions[scan->count++] = condition;
		count++;
	}
	return count > 0;
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

		if (condition->is_known && !is_stderr)
			continue;
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

/* Which of what matches decides: the lower the sooner. */
static int
rank(enum verdict verdict)
{
	static const enum verdict order[] = { VERDICT_STOP, VERDICT_SUCCESS,
		VERDICT_THROTTLE, VERDICT_RETRY };
	int place = 0;

	while (place < 3 && order[place] != verdict)
		place++;
	return place;
}

/* Of the user's conditions, or of a tool's messages for this STATUS. */
static const struct condition *
decisive(const struct scan *scan, bool known, int status)
{
	const struct condition *found = NULL;

	for (size_t i = 0; i < scan->count; i++) {
		const struct condition *condition = &scan->conditions[i];

		if (!condition->matched || condition->is_known != known)
			continue;
		if (known
		    && (status < condition->message.low
		        || status > condition->message.high))
			continue;
		if (found == NULL
		    || rank(condition->verdict) < rank(found->verdict))
			found = condition;
	}
	return found;
}

const struct condition *
scan_match(const struct scan *scan)
{
	return decisive(scan, false, 0);
}

const struct tool_message *
scan_message(const struct scan *scan, int status)
{
	const struct condition *found = decisive(scan, true, status);

	return found != NULL ? &found->message : NULL;
}
