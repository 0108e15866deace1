/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/charts/svg.h"
#include "unit/fresh.h"
#include "unit/tap.h"

static void
words(const char *given, const char *wanted, const char *what)
{
	char element[256];
	struct text whole = text_in(element, sizeof element);

	text_join(&whole, "<text x=\"1\" y=\"2\">", wanted, "</text>\n");
	svg_words(fresh(), SVG_FROM, 10, 20, "", given);
	is_string(buffer, element, what);
}

static void
test_escapes(void)
{
	words("a & b", "a &amp; b", "an ampersand");
	words("<script>", "&lt;script&gt;", "angle brackets");
	words("\"x\"", "&quot;x&quot;", "quotes");
	words("]]>", "]]&gt;", "the end of a CDATA section");
	words("caf\xc3\xa9 \xe2\x86\x92", "caf\xc3\xa9 \xe2\x86\x92", "UTF-8");
	words("a\x1b[m\nb", "a?[m?b", "control characters");
	words("\xff\xc3", "??", "bytes that are no UTF-8");
	words("\xef\xbf\xbe\xef\xbf\xbf.", "??.", "what XML has no place for");
}

static void
test_elements(void)
{
	svg_box(fresh(), (struct svg_box) { 0, 125, 1000, 5 }, SVG_CURVE);
	is_string(buffer,
	    "<rect x=\"0\" y=\"12.5\" width=\"100\" height=\"0.5\""
	    " fill=\"#2f81c7\"/>\n",
	    "a box, in tenths of a pixel");
	svg_area_begin(fresh(), 100, 900);
	svg_area_step(&text, 200, 500);
	svg_area_step(&text, 305, 100);
	svg_area_end(&text, 900, " fill=\"red\"");
	is_string(buffer,
	    "<path d=\"M10 90V50H20V10H30.5V90Z\" fill=\"red\"/>\n", "an area");
	svg_begin(fresh(), 10, 20, "a < b");
	ok(strstr(buffer, "<title>a &lt; b</title>") != NULL,
	    "the title is escaped");
	is_int(svg_scaled(11, 10, 1000), 1000, "no more than all of it");
	is_int(svg_scaled(INT64_MAX / 4 + 1, INT64_MAX, 10000), 2500,
	    "no overflow");
}

/* The times below an axis, with blanks between them. */
static void
times(int64_t most_ns, int64_t width, const char *wanted, const char *what)
{
	struct svg_box box = { 0, 0, width, 100 };
	char line[512];
	struct text found = text_in(line, sizeof line);

	svg_time_axis(fresh(), box, most_ns, "time");
	for (const char *at = buffer; (at = strstr(at, "<text")) != NULL;) {
		at = strchr(at, '>') + 1;
		for (; *at != '<'; at++)
			text_byte(&found, *at);
		text_byte(&found, ' ');
	}
	is_string(line, wanted, what);
}

static void
test_axis(void)
{
	times(NS_PER_MIN, 3000, "0s 20s 40s 1m time ", "round times");
	times(3 * NS_PER_MS / 2, 3000, "0s 1ms time ",
	    "no halves, which are told rounded");
	times(7, 3000, "0s 2ns 4ns 6ns time ", "nanoseconds");
	times(DURATION_INF, 3000, "0s 32768d 65536d 98304d time ", "292 years");
	times(1, 100, "0s 1ns time ", "a narrow one");
}

TESTS
{
	test_escapes();
	test_elements();
	test_axis();
}
