/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/words/gate_message.h"
#include "doors/doors.h"
#include "options/help.h"
#include "shared/gate_store.h"
#include "system/system.h"

/* --- --gate=list --- */

/* To the left if WIDTH < 0; what is empty is printed as "-". */
static void
print_cell(int width, const char *words)
{
	printf("%*s  ", width, words[0] != '\0' ? words : "-");
}

static void
print_number(int width, int64_t number)
{
	print_cell(width, number > 0 ? NUMBER(number) : "");
}

static void
print_rate(double rate)
{
	char words[24];
	struct text text = text_in(words, sizeof words);

	if (rate > 0)
		gate_rate_text(&text, rate);
	print_cell(6, words);
}

/* 0: never. */
static void
print_time(int64_t epoch_ns)
{
	char words[24];
	struct text text = text_in(words, sizeof words);
	struct tm local = clock_local(epoch_ns);

	if (epoch_ns > 0) {
		text_date(&text, &local);
		text_byte(&text, ' ');
		text_clock(&text, &local);
	}
	print_cell(-19, words);
}

static void
print_head(int width)
{
	printf("%-*s  GATE   SINCE                  RATE   LIMIT  WAITING  "
	       "SLOTS  DEFERRED UNTIL       REASON\n",
	    width, "NAME");
}

static void
print_state(const struct gate_store *store)
{
	static const char names[GATE_STATES][8] = { "open", "shut", "paced" };
	const struct gate *gate = &store->gate;
	bool is_open = gate->state == GATE_OPEN;
	bool is_paced = gate->state == GATE_PACED;
	struct deferral deferral = state_record_deferral(store->bytes, NULL);
	int64_t now_ns = clock_epoch_ns();
	int64_t age_ns = store->now_ns - gate->since_ns;
	int64_t wait_ns = deferral_wait(&deferral, INT64_MAX, now_ns);
	const char *reason
	    = is_open && wait_ns > 0 ? deferral.reason : gate->reason;

	print_cell(-5, names[gate->state]);
	print_time(is_open ? 0 : now_ns - age_ns);
	print_rate(is_paced ? gate->pace.rate : 0);
	print_rate(is_paced ? gate->pace.limit : 0);
	print_number(7, is_open ? 0 : gate_store_waiters(store));
	print_number(5,
	    lock_count(&store->file, STATE_LOCK_SLOT,
	        STATE_LOCK_SLOT + SLOTS_MOST - 1));
	/* The first second in which it is over, as the log has it. */
	print_time(
	    wait_ns > 0 ? saturating_add(now_ns, wait_ns + NS_PER_S - 1) : 0);
	printf("%s\n", reason[0] != '\0' ? reason : "-");
}

/* If a file cannot be used, its row says why, as the log of a run does. */
static void
print_row(int width, const char *name)
{
	static const int widths[] = { -5, -19, 6, 6, 7, 5, -19 };
	struct gate_store store
	    = { .file = { .name = name, .fd = -1, .is_noted = true } };

	print_cell(-width, name);
	if (state_file_open(&store.file) && gate_store_look(&store)) {
		print_state(&store);
	} else {
		for (size_t i = 0; i < ARRAY_LENGTH(widths); i++)
			print_cell(widths[i], "");
		printf("cannot be used: %s\n", store.file.why);
	}
	state_file_close(&store.file);
}

static int
is_name(const struct dirent *entry)
{
	return shared_name_scan(entry->d_name) == strlen(entry->d_name);
}

static void
print_all(const struct state_dir *dir)
{
	struct dirent **names;
	struct statvfs disk;
	int width = 4, count;

	/* A run could use none of the files: it has to write them. */
	if (statvfs(dir->path, &disk) == 0 && (disk.f_flag & ST_RDONLY) != 0)
		usage_refuse("--gate=list", dir->path, strerror(EROFS));
	count = scandir(dir->path, &names, is_name, alphasort);
	if (count < 0)
		usage_refuse("--gate=list", dir->path, strerror(errno));
	for (int i = 0; i < count; i++)
		if ((int)strlen(names[i]->d_name) > width)
			width = (int)strlen(names[i]->d_name);
	print_head(width);
	for (int i = 0; i < count; i++) {
		print_row(width, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

_Noreturn void
doors_list(const char *directory)
{
	const struct state_dir *dir = state_dir();

	state_dir_start(directory);
	if (state_dir_open(false))
		print_all(dir);
	else if (dir->error == ENOENT)
		print_head(4);
	else
		usage_refuse("--gate=list", dir->path, dir->why);
	usage_finish();
}

/* --- --gate=open:NAME --- */

/*
 * Opens the file, or notes there why not. False: there is none, as the gate was
 * never used.
 */
static bool
find_file(struct state_file *file)
{
	const struct state_dir *dir = state_dir();
	struct stat stat;

	if (!state_dir_open(false) && dir->error != ENOENT)
		usage_refuse("--gate=open", dir->path, dir->why);
	if (dir->fd < 0
	    || fstatat(dir->fd, file->name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	state_file_open(file);
	return true;
}

_Noreturn void
doors_open_gate(const struct shared_options *options)
{
	const struct gate_options *gate = &options->gate;
	struct gate_store store = { .file
		= { .name = gate->name, .is_fleet = gate->fleet, .fd = -1 } };
	const char *prefix = gate->fleet ? FLEET_PREFIX : "";
	const char *why = NULL;

	state_dir_start(options->directory);
	if (gate->fleet)
		doors_start_fleet(options);
	if ((gate->fleet || find_file(&store.file))
	    && !gate_store_reopen(&store))
		why = fleet_lost_why() != NULL ? fleet_lost_why()
		                               : store.file.why;
	fleet_end();
	if (why != NULL)
		usage_refuse("--gate=open",
		    JOINED(FLEET_NAME_SIZE, prefix, gate->name), why);
	if (store.before.state == GATE_SHUT)
		printf("gate %s%s was shut: %s; it opens gradually now\n",
		    prefix, gate->name, store.gate.reason);
	else
		printf("gate %s%s is open\n", prefix, gate->name);
	usage_finish();
}
