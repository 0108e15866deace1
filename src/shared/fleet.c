/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <poll.h>

#include "core/base/duration.h"
#include "log/log.h"
#include "options/usage.h"
#include "process/helper.h"
#include "shared/fleet.h"
#include "shared/fleet_helper.h"
#include "shared/shared_state.h"
#include "system/clock.h"

#define BYE_NS (300 * NS_PER_MS)

static const struct shared_options *options;
static char server[FLEET_TEXT_SIZE]; /* what to call it */
static char lost_why[2 * FLEET_TEXT_SIZE]; /* "SERVER: WHY" */
static bool is_used, is_lost, is_told, are_slots_told, is_introduced;
static bool is_restarted; /* the helper, for this attempt */

/* Refuses --gate or --slots, whichever is of a fleet. */
static _Noreturn void
refuse(const char *why)
{
	bool is_gate = options->gate.fleet;

	helper_end(0);
	usage_refuse(is_gate ? "--gate" : "--slots",
	    JOINED(FLEET_NAME_SIZE, FLEET_PREFIX,
	        is_gate ? options->gate.name : options->slots.name),
	    why);
}

/* "cannot use fleet gate hub (SERVER: WHY); going on with the local gate" */
static void
tell_lost(bool is_slots)
{
	const char *of = is_slots ? options->slots.name : options->gate.name;
	const char *what = JOINED(FLEET_NAME_SIZE + 16,
	    is_slots ? "fleet slots " : "fleet gate ", of);
	char words[4 * FLEET_TEXT_SIZE];
	struct text text = text_in(words, sizeof words);

	if (is_slots)
		text_join(
		    &text, "limit of slots " FLEET_PREFIX, of, " NOT enforced");
	else
		text_join(&text, "cannot use ", what);
	text_join(&text, " (", lost_why, "); going on with",
	    shared_state_dir()->fd < 0 ? "out"
	        : is_slots             ? " the local slots"
	                               : " the local gate");
	log_degraded(
	    is_slots ? WEIGHT_ALARM : WEIGHT_NORMAL, words, what, lost_why);
}

static bool
lose(const char *why, enum fleet_word asked)
{
	struct text text = text_in(lost_why, sizeof lost_why);

	is_lost = true;
	text_join(&text, server, ": ", why);
	/* What was held may be another's now; what is wanted is waited for. */
	if (asked == FLEET_FREE)
		fleet_slots_are_local();
	if (is_told || (asked >= FLEET_SLOT && asked <= FLEET_FREE))
		return false;
	is_told = true;
	tell_lost(false);
	return false;
}

const char *
fleet_lost_why(void)
{
	return is_lost ? lost_why : NULL;
}

void
fleet_slots_are_local(void)
{
	if (are_slots_told)
		return;
	are_slots_told = true;
	tell_lost(true);
}

static void
say_it_is_back(void)
{
	if (!is_told && !are_slots_told)
		return;
	is_told = are_slots_told = false;
	log_news(WEIGHT_DETAIL,
	    JOINED(FLEET_TEXT_SIZE + 64, "fleet server reachable again (",
	        server, ")"),
	    NULL, NULL);
}

void
fleet_start(
    const struct shared_options *what, int64_t patience_ns, uint64_t owner)
{
	const char *why;
	struct fleet_line answer = { .text = "" };

	options = what;
	is_used = true;
	fleet_helper_start(what, patience_ns, owner);
	why = fleet_helper_introduce(&answer, 0);
	if (why != NULL)
		refuse(why);
	if (answer.word != FLEET_HELLO)
		refuse(answer.text);
	text_copy(server, sizeof server, answer.text);
}

void
fleet_begin(void)
{
	is_lost = is_restarted = false;
}

bool
fleet_is_on(void)
{
	return is_used && !is_lost;
}

bool
fleet_can_be_heard(void)
{
	struct pollfd watched = { .fd = helper_socket(), .events = POLLIN };

	return poll(&watched, 1, 0) > 0;
}

/* It is of no use any more. */
static bool
drop(const char *why, enum fleet_word asked)
{
	helper_end(0);
	is_introduced = false;
	return lose(why, asked);
}

/*
 * Whether another helper may be asked the same where one was killed: the server
 * may be there all the same. A slot that it held is taken up again; a turn is
 * lost, and that has to be told.
 */
static bool
restart(enum fleet_word asked)
{
	if (is_restarted || asked == FLEET_END || asked == FLEET_CANCEL)
		return false;
	helper_end(0);
	is_introduced = false;
	is_restarted = true;
	return true;
}

bool
fleet_say(const struct fleet_line *question)
{
	struct fleet_line answer;
	const char *why;

	if (is_introduced && fleet_helper_put(question))
		return true;
	if (is_introduced && !restart(question->word))
		return drop(fleet_helper_ended, question->word);
	why = fleet_helper_introduce(&answer, fleet_machine());
	if (why != NULL)
		return drop(why, question->word);
	is_introduced = true;
	return fleet_helper_put(question)
	    || drop(fleet_helper_ended, question->word);
}

static bool
is_answer_to(enum fleet_word asked, enum fleet_word word)
{
	switch (asked) {
	case FLEET_END:
		return word == FLEET_ENDED;
	case FLEET_CANCEL:
		return word == FLEET_DONE;
	case FLEET_SLOT:
	case FLEET_CLAIM:
		return word == FLEET_SLOT;
	case FLEET_FREE:
		return word == FLEET_FREED;
	case FLEET_OPEN:
		return word == FLEET_OPENED;
	default:
		return word == FLEET_GATE;
	}
}

/* What is answered at once, in the place of what waits. */
static enum fleet_word
at_once(enum fleet_word asked)
{
	return asked == FLEET_AWAIT ? FLEET_TURN
	    : asked == FLEET_CLAIM  ? FLEET_SLOT
	                            : asked;
}

/* The next answer to what was asked. NULL, or why there is none. */
static const char *
hear(enum fleet_word asked, struct fleet_line *answer)
{
	int64_t until_ns = clock_now_ns() + FLEET_ANSWER_NS;
	const char *why;

	/* What was asked before, and given up, may still be answered. */
	do
		why = fleet_helper_get(answer, until_ns);
	while (why == NULL && answer->word != FLEET_LOST
	    && answer->word != FLEET_WRONG
	    && !is_answer_to(asked, answer->word));
	return why;
}

bool
fleet_hear(enum fleet_word asked, struct fleet_line *answer)
{
	const char *why = hear(asked, answer);

	if (why == fleet_helper_ended && restart(asked)) {
		asked = at_once(asked);
		if (!fleet_say(&(struct fleet_line) { .word = asked }))
			return false;
		why = hear(asked, answer);
	}
	if (why != NULL)
		return drop(why, asked);
	if (answer->word == FLEET_LOST || answer->word == FLEET_WRONG)
		return lose(answer->text, asked);
	say_it_is_back();
	return true;
}

/* Asks once, without a word in the log. NULL, or "SERVER: WHY". */
static const char *
ask_once(enum fleet_word word, struct fleet_line *answer)
{
	static char words[2 * FLEET_TEXT_SIZE];
	struct text text = text_in(words, sizeof words);
	const char *why = fleet_helper_introduce(answer, fleet_machine());

	is_introduced = why == NULL;
	if (why == NULL)
		why = fleet_helper_put(&(struct fleet_line) { .word = word })
		    ? hear(word, answer)
		    : fleet_helper_ended;
	if (why == NULL && is_answer_to(word, answer->word))
		return NULL;
	text_join(&text, server, ": ", why != NULL ? why : answer->text);
	return words;
}

const char *
fleet_check(void)
{
	struct fleet_line answer;

	/* Nothing is held, but the server has to be there. */
	return ask_once(FLEET_FREE, &answer);
}

const char *
fleet_open(const struct shared_options *what, struct fleet_line *answer)
{
	const char *why;

	fleet_start(what, 0, 0);
	why = ask_once(FLEET_OPEN, answer);
	fleet_end();
	return why;
}

bool
fleet_ask(const struct fleet_line *question, struct fleet_line *answer)
{
	return fleet_say(question) && fleet_hear(question->word, answer);
}

void
fleet_rest(void)
{
	if (helper_socket() >= 0)
		fleet_helper_put(&(struct fleet_line) { .word = FLEET_BYE });
	helper_end(clock_now_ns() + BYE_NS);
	is_introduced = false;
}

void
fleet_end(void)
{
	if (is_used)
		fleet_rest();
}
