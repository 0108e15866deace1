/* SPDX-License-Identifier: MIT */
/*
 * CODES: each line of the input is a list for the next verdict. What
 * --verbose prints of them is read again, and must mean the same.
 */
#include <config.h>

#include "core/judge/verdict.h"
#include "core/words/settings_text.h"
#include "fuzz/fuzz.h"

static const enum verdict verdicts[] = { VERDICT_SUCCESS, VERDICT_PASS,
	VERDICT_RETRY, VERDICT_THROTTLE, VERDICT_STOP };

static void
print(char *room, size_t size, const struct codes *codes)
{
	struct text text = text_in(room, size);
	static struct settings settings;

	settings.rules.codes = *codes;
	settings_text(&text, &settings);
	fuzz_require(text.length < size - 1, "the room is too small");
}

/* Reads the lists, "VERDICT-on LIST, ", of PRINTED. */
static void
read_again(struct codes *codes, char *printed)
{
	for (int i = 0; i < 5; i++) {
		struct codes_fault fault;
		char name[32] = ", ";
		char *at, *end;

		strcat(name, verdict_name(verdicts[i]));
		strcat(name, "-on ");
		at = strstr(printed, name);
		if (at == NULL)
			continue;
		at += strlen(name);
		end = strstr(at, ", ");
		if (end != NULL)
			*end = '\0';
		fuzz_require(
		    codes_add(codes, at, verdicts[i], &fault) == CODES_OK,
		    "we cannot read the codes that we print");
		if (end != NULL)
			*end = ',';
	}
}

static void
require_same(const struct codes *one, const struct codes *other)
{
	static const enum outcome_kind kinds[] = { OUTCOME_EXITED,
		OUTCOME_KILLED, OUTCOME_TIMED_OUT, OUTCOME_NOT_STARTED };

	for (int kind = 0; kind < 4; kind++)
		for (int status = 0; status < EXIT_CODES; status++) {
			struct outcome outcome = {
				.kind = kinds[kind],
				.status = status,
				.signal = status % SIGNALS,
			};
			bool ours;

			fuzz_require(codes_match(one, &outcome, &ours)
			        == codes_match(other, &outcome, &ours),
			    "what is printed means something else");
		}
}

static void
fuzz(char *string, size_t size)
{
	static const struct codes none;
	struct codes codes = none, other = none;
	char *line = string, *end;
	static char printed[8192];
	enum codes_error error = CODES_OK;

	for (int i = 0; i < 5 && line != NULL && error == CODES_OK; i++) {
		struct codes_fault fault;

		end = strchr(line, '\n');
		if (end != NULL)
			*end = '\0';
		error = codes_add(&codes, line, verdicts[i], &fault);
		if (error != CODES_OK) {
			fuzz_require(fault.item >= line
			        && fault.item + fault.length
			            <= line + strlen(line),
			    "an item outside of the list");
			codes_nearest(fault.item, fault.length);
		}
		signal_nearest(line);
		line = end != NULL ? end + 1 : NULL;
	}
	if (error == CODES_OK) {
		print(printed, sizeof printed, &codes);
		read_again(&other, printed);
		require_same(&codes, &other);
	}
}
