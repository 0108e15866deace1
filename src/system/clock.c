/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/base.h"
#include "core/waits/waits.h"
#include "system/system.h"

/* On macOS, CLOCK_MONOTONIC goes on while the machine is suspended. */
#ifdef CLOCK_UPTIME_RAW
#define WAITING_CLOCK CLOCK_UPTIME_RAW
#else
#define WAITING_CLOCK CLOCK_MONOTONIC
#endif

int64_t
clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t
clock_now_ns(void)
{
	return clock_read(WAITING_CLOCK);
}

int64_t
clock_epoch_ns(void)
{
	return clock_read(CLOCK_REALTIME);
}

struct tm
clock_local(int64_t epoch_ns)
{
	time_t moment = (time_t)(epoch_ns / NS_PER_S);
	struct tm local = { 0 };

	tzset();
	localtime_r(&moment, &local);
	return local;
}

struct timespec
clock_timespec(int64_t ns)
{
	/* A 32-bit time_t ends in 2038; a longer wait is just begun again. */
	if (sizeof(time_t) < sizeof ns)
		ns = min_ns(ns, INT32_MAX * NS_PER_S);
	return (struct timespec) {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};
}

/* Sets PATH to the file of a zone. False: there is none. */
static bool
find_zone(const char *name, char *path, size_t size)
{
	/* glibc and musl, each as it is built by distributions. */
	const char *const directories[] = { getenv("TZDIR"),
		"/usr/share/zoneinfo", "/share/zoneinfo", "/etc/zoneinfo" };
	char magic[4];

	for (size_t i = 0; i < ARRAY_LENGTH(directories); i++) {
		struct text text = text_in(path, size);

		if (directories[i] == NULL || directories[i][0] != '/')
			continue;
		text_join(&text, directories[i], "/", name);
		if (text.length + 1 >= size)
			continue;
		/* Anything else would silently be UTC. */
		if (fd_read_file(path, magic, sizeof magic) == sizeof magic
		    && memcmp(magic, "TZif", sizeof magic) == 0)
			return true;
	}
	return false;
}

bool
calendar_has_zone(const char *name)
{
	char path[PATH_MAX];

	return find_zone(name, path, sizeof path);
}

/* The offset_at of a struct zone: of the zone that tzset(3) has read. */
static bool
local_offset(int64_t at_s, int64_t *offset_s)
{
	time_t at = (time_t)at_s;
	struct date date;
	struct tm tm;

	if (at != at_s || localtime_r(&at, &tm) == NULL)
		return false;
	date = (struct date) { .year = tm.tm_year + 1900,
		.month = tm.tm_mon + 1,
		.day = tm.tm_mday,
		.second = (tm.tm_hour * 60 + tm.tm_min) * 60 + tm.tm_sec };
	*offset_s = date_seconds(&date) - at_s;
	return true;
}

static const struct zone local_zone = { .offset_at = local_offset };

/*
 * In a zone of the system's files. Meanwhile, `environ` holds nothing but
 * TZ: unlike setenv(3), this allocates nothing and leaves nothing behind.
 */
static bool
moment_in_named(const struct when *when, int64_t epoch_ns, int64_t *moment_ns)
{
	char setting[PATH_MAX] = "TZ=";
	char *only[] = { setting, NULL };
	char **ours = environ;
	bool is_there;

	if (!find_zone(when->zone_name, setting + 3, sizeof setting - 3))
		return false;
	environ = only;
	tzset();
	is_there = moment_of(when, epoch_ns, &local_zone, moment_ns);
	environ = ours;
	tzset();
	return is_there;
}

bool
calendar_moment(const struct when *when, int64_t epoch_ns, int64_t *moment_ns)
{
	const struct zone fixed = { .offset_s = when->offset_s };

	if (when->zone == ZONE_NAMED)
		return moment_in_named(when, epoch_ns, moment_ns);
	if (when->zone == ZONE_OFFSET || when->kind == WHEN_DURATION
	    || when->kind == WHEN_EPOCH)
		return moment_of(when, epoch_ns, &fixed, moment_ns);
	tzset();
	return moment_of(when, epoch_ns, &local_zone, moment_ns);
}

int64_t
calendar_next(int second, int64_t epoch_ns)
{
	int64_t moment_s;

	tzset();
	if (!moment_shown(
	        &local_zone, epoch_ns / NS_PER_S + 1, second, true, &moment_s))
		return -1;
	return saturating_multiply(moment_s, NS_PER_S);
}

void
calendar_text(struct text *text, int64_t moment_ns, int64_t epoch_ns)
{
	/* What is not a whole second is over when the next one has begun. */
	time_t moment = (time_t)((moment_ns - 1) / NS_PER_S + 1);
	struct tm today = clock_local(epoch_ns), then;
	bool is_today;

	localtime_r(&moment, &then);
	is_today
	    = then.tm_year == today.tm_year && then.tm_yday == today.tm_yday;
	text_moment(text, &then, is_today ? '\0' : ' ');
}
