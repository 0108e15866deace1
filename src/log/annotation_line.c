/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/words/annotation.h"
#include "core/words/message.h"
#include "core/words/reason.h"
#include "log/annotation_line.h"
#include "log/writer.h"

/*
 * Whether the end is one to point at: that backoff gave up, or that a success
 * took more than one attempt. A run that was put off is neither. It goes to
 * stderr, so -q applies in any case, and what --quiet-success holds back is not
 * there to be pointed at.
 */
static bool
is_annotated(const struct log_options *options, enum result result,
    bool has_failed, enum annotation *kind)
{
	*kind = ANNOTATION_ERROR;
	if (result == RESULT_DEFERRED)
		return false;
	if (result != RESULT_SUCCESS)
		return result != RESULT_PASS && options->quiet < 2;
	*kind = ANNOTATION_WARNING;
	return has_failed && options->quiet == 0 && !options->held;
}

/* GitHub shows it by itself: so it has the line of stderr, too. */
void
annotation_line_write(const struct log_options *options,
    const struct loop_state *state, const struct ending *ending,
    bool has_failed, bool on_new_line)
{
	char words[2 * REASON_SIZE];
	struct text message = text_in(words, sizeof words);
	struct text text = writer_begin();
	enum annotation kind;

	if (!is_annotated(options, ending->result, has_failed, &kind))
		return;
	message_end(
	    &message, state, &options->settings->limits, ending, options->word);
	if (on_new_line)
		text_byte(&text, '\n');
	annotation_text(&text, kind, options->name, words);
	writer_finish_on_stderr(&text);
}
