/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_ANNOTATION_LINE_H
#define BACKOFF_LOG_ANNOTATION_LINE_H
/* The annotation at the end of a run, which GitHub shows by itself. */

#include <stdbool.h>

#include "core/loop/ending.h"
#include "core/loop/loop_state.h"
#include "log/writer.h"

/*
 * HAS_FAILED: an attempt after which there was another one. ON_NEW_LINE: the
 * line before it may have no end.
 */
void annotation_line_write(const struct log_options *options,
    const struct loop_state *state, const struct ending *ending,
    bool has_failed, bool on_new_line);

#endif
