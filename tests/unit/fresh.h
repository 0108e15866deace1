/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FRESH_H
#define BACKOFF_FRESH_H
/*
 * What tests of words write into, one text after the other.
 */

#include "core/base/base.h"

static char buffer[8192];
static struct text text;

/* A new text in BUFFER. */
static struct text *
fresh(void)
{
	text = text_in(buffer, sizeof buffer);
	return &text;
}

#endif
