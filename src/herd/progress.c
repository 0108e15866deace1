/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdio.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/charts/chart.h"
#include "herd/progress.h"
#include "system/system.h"

#define BAR_WIDTH 32
#define LINE_WIDTH 48 /* at least the width of what draw() prints */

struct progress
progress_start(bool unicode)
{
	return (struct progress) {
		.wanted = isatty(STDERR_FILENO) == 1,
		.unicode = unicode,
		.next_ns = clock_now_ns() + NS_PER_S,
		.to = 1,
	};
}

static void
draw(const struct progress *progress, double done)
{
	struct chart chart = {
		.width = BAR_WIDTH,
		.most = 1000,
		.unicode = progress->unicode,
	};
	char bar[4 * BAR_WIDTH + 1];
	struct text text = text_in(bar, sizeof bar);
	int64_t used = chart_bar(&text, &chart, (int64_t)(1000 * done));

	for (; used < BAR_WIDTH; used++)
		text_byte(&text, ' ');
	fprintf(stderr, "\rsimulating %s %3d%%", bar, (int)(100 * done));
}

void
progress_part(struct progress *progress, double from, double to)
{
	progress->from = from;
	progress->to = to;
}

void
progress_tell(struct progress *progress, double done)
{
	int64_t now_ns;

	if (!progress->wanted)
		return;
	now_ns = clock_now_ns();
	if (now_ns < progress->next_ns)
		return;
	progress->next_ns = now_ns + NS_PER_S / 10;
	progress->shown = true;
	draw(progress, progress->from + done * (progress->to - progress->from));
}

void
progress_end(const struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
}
