/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "unit/fresh.h"
#include "unit/tap.h"

TEST(parsed)
{
	static const struct {
		const char *string;
		int64_t ns;
	} rows[] = { { "1", NS_PER_S }, { "1.5", 1500 * NS_PER_MS },
		{ ".5", 500 * NS_PER_MS }, { "200ms", 200 * NS_PER_MS },
		{ "7us", 7000 }, { "51.2us", 51200 }, { "1ns", 1 },
		{ "2s", 2 * NS_PER_S }, { "2sec", 2 * NS_PER_S },
		{ "1m", 60 * NS_PER_S }, { "1min", 60 * NS_PER_S },
		{ "1h", 3600 * NS_PER_S }, { "1hr", 3600 * NS_PER_S },
		{ "1d", 86400 * NS_PER_S }, { "1m30s", 90 * NS_PER_S },
		{ "1m 30s", 90 * NS_PER_S }, { "1h  1m 1s", 3661 * NS_PER_S },
		{ "1h1.5m10ms", 3690 * NS_PER_S + 10 * NS_PER_MS }, { "0", 0 },
		{ "inf", DURATION_INF }, { "0.0000000001", 1 }, { "0.1ns", 1 },
		{ "1.0000000001ns", 2 }, { "0.3d", 25920 * NS_PER_S },
		{ "0.0000000000000000000000000000000000000001d", 1 },
		{ "9223372036", INT64_C(9223372036000000000) },
		{ "9223372037", DURATION_INF - 1 },
		{ "99999999999999999999999d", DURATION_INF - 1 },
		{ "200d200000d", DURATION_INF - 1 } };
	int64_t ns;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		ns = -1;
		ok(duration_parse(rows[i].string, &ns), rows[i].string);
		is_int(ns, rows[i].ns, "  is right");
	}
}

TEST(refused)
{
	static const char *const strings[]
	    = { "", ".", "1.", "-1", "+1", " 1", "1 s", "1,5", "1M", "1S", "1x",
		      "1m30", "1s inf", "infinity", "1e3", "0x10", "nan", "s",
		      "1m30 s", "1m ", "30s 1m", "10%", "1.2.3", "1m-30s" };
	int64_t ns;

	for (size_t i = 0; i < ARRAY_LENGTH(strings); i++)
		ok(!duration_parse(strings[i], &ns), strings[i]);
}

static void
number_is(const char *string, double wanted)
{
	double number = -1;

	ok(number_parse(string, &number) && number == wanted, string);
}

TEST(numbers)
{
	double number;
	int64_t count;

	number_is("1.6", 1.6);
	number_is("0.1", 0.1);
	number_is("3", 3);
	number_is(".5", 0.5);
	ok(!number_parse("1e3", &number), "no exponents");
	ok(!number_parse("nan", &number), "no nan");
	ok(!number_parse("", &number), "no empty number");
	ok(!number_parse("-1", &number), "no signs");
	ok(count_parse("0", &count) && count == 0, "a count of 0");
	ok(count_parse("99999999999999999999", &count) && count == INT64_MAX,
	    "counts saturate");
	ok(!count_parse("", &count), "no empty count");
	ok(!count_parse("1x", &count), "nothing behind a count");
}

TEST(text)
{
	/* Exactly half is rounded up. */
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = { { 0, "0s" }, { 17, "17ns" }, { 17000, "17us" },
		{ 999999, "999us" }, { 850 * NS_PER_MS, "850ms" },
		{ 999600000, "1s" }, { 4100 * NS_PER_MS, "4.1s" },
		{ 9 * NS_PER_S, "9s" }, { 59949 * NS_PER_MS, "59.9s" },
		{ 59950 * NS_PER_MS, "1m" }, { 90 * NS_PER_S, "1m30s" },
		{ 3599600 * NS_PER_MS, "1h" },
		{ 2 * 3600 * NS_PER_S + 300 * NS_PER_S, "2h5m" },
		{ 4 * 3600 * NS_PER_S, "4h" }, { 25 * 3600 * NS_PER_S, "1d1h" },
		{ 1500000, "2ms" }, { 1050 * NS_PER_MS, "1.1s" },
		{ 60500 * NS_PER_MS, "1m1s" }, { 3629 * NS_PER_S, "1h" },
		{ 3630 * NS_PER_S, "1h1m" },
		{ (24 * 60 + 30) * NS_PER_MIN, "1d1h" },
		{ DURATION_INF, "inf" } };

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		is_string(DURATION(rows[i].ns), rows[i].text, rows[i].text);
	duration_seconds(fresh(), 1337000000);
	is_string(buffer, "1.337000000", "seconds have nine decimals");
	duration_seconds(fresh(), INT64_MAX);
	is_string(buffer, "9223372036.854775807", "the longest is unrounded");
}

static void
size_is(const char *string, int64_t wanted, const char *shown)
{
	int64_t bytes = -1;

	ok(size_parse(string, &bytes), string);
	is_int(bytes, wanted, "  is right");
	size_text(fresh(), bytes);
	is_string(buffer, shown, shown);
}

TEST(sizes)
{
	static const char *const refused[] = { "", "K", "GiB", "1KB", "1k",
		"1.5G", "-1", "1Ki", "1P", "1KK", "1 G", "G1", "inf", "0x10" };
	int64_t bytes;

	size_is("0", 0, "0B");
	size_is("512", 512, "512B");
	size_is("4K", 4096, "4KiB");
	size_is("1536KiB", 1572864, "1.5MiB");
	size_is("3G", INT64_C(3) << 30, "3GiB");
	size_is("2TiB", INT64_C(2) << 40, "2TiB");
	size_is("99999999999999T", INT64_MAX, "8388607.9TiB");
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		ok(!size_parse(refused[i], &bytes), refused[i]);
}
