/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "doors/doors.h"
#include "options/options.h"
#include "shared/shared.h"
#include "system/system.h"

/* --- --gate=list --- */

/* The cells after NAME, up to REASON; to the left where it is below 0. */
static const int widths[] = { -5, -19, 6, 6, 7, 5, -19, 0 };
#define CELLS ARRAY_LENGTH(widths)

/* No day that a clock shows: all times have their date. */
#define NO_DAY INT64_MAX

/* Fills the CELLS with what was read. */
static void
fill(struct text cells[CELLS], const struct gate_store *store)
{
	static const char names[GATE_STATES][8] = { "open", "shut", "paced" };
	const struct gate *gate = &store->gate;
	bool is_open = gate->state == GATE_OPEN;
	struct deferral deferral = state_record_deferral(store->bytes, NULL);
	int64_t now_ns = clock_epoch_ns();
	int64_t wait_ns = deferral_wait(&deferral, INT64_MAX, now_ns);
	int64_t waiters = is_open ? 0 : gate_store_waiters(store);
	int64_t slots = lock_count(
	    &store->file, STATE_LOCK_SLOT, STATE_LOCK_SLOT + SLOTS_MOST - 1);

	text_add(&cells[0], names[gate->state]);
	if (!is_open)
		calendar_text(&cells[1],
		    now_ns - (store->now_ns - gate->since_ns) - NS_PER_S + 1,
		    NO_DAY);
	if (gate->state == GATE_PACED)
		gate_rate_text(&cells[2], gate->pace.rate);
	if (gate->state == GATE_PACED && gate->pace.limit > 0)
		gate_rate_text(&cells[3], gate->pace.limit);
	if (waiters > 0)
		text_add(&cells[4], NUMBER(waiters));
	if (slots > 0)
		text_add(&cells[5], NUMBER(slots));
	/* The first second in which it is over, as the log has it. */
	if (wait_ns > 0)
		calendar_text(&cells[6], deferral.until_ns, NO_DAY);
	text_add(
	    &cells[7], is_open && wait_ns > 0 ? deferral.reason : gate->reason);
}

/* If a file cannot be used, its row says why, as the log of a run does. */
static void
print_row(int width, const char *name)
{
	struct gate_store store
	    = { .file = { .name = name, .fd = -1, .is_noted = true } };
	char words[CELLS][WHY_SIZE + 32];
	struct text cells[CELLS];

	for (size_t i = 0; i < CELLS; i++)
		cells[i] = text_in(words[i], sizeof words[i]);
	if (state_file_open(&store.file) && gate_store_look(&store))
		fill(cells, &store);
	else
		text_join(
		    &cells[CELLS - 1], "cannot be used: ", store.file.why);
	printf("%*s", -width, name);
	for (size_t i = 0; i < CELLS; i++)
		printf(
		    "  %*s", widths[i], cells[i].length > 0 ? words[i] : "-");
	printf("\n");
	fd_close(&store.file.fd);
}

static int
is_name(const struct dirent *entry)
{
	return shared_name_scan(entry->d_name) == strlen(entry->d_name);
}

_Noreturn void
doors_list(const char *directory)
{
	const char *why = NULL;
	static struct dirent **names; /* the exit frees them */
	struct statvfs disk;
	int width = 4, count = 0;

	state_dir_start(directory);
	if (!state_dir_open(false))
		why = state_dir->error != ENOENT ? state_dir->why : NULL;
	/* A run could use none of the files: it has to write them. */
	else if (statvfs(state_dir->path, &disk) == 0
	    && (disk.f_flag & ST_RDONLY) != 0)
		why = strerror(EROFS);
	else if ((count = scandir(state_dir->path, &names, is_name, alphasort))
	    < 0)
		why = strerror(errno);
	if (why != NULL)
		usage_refuse("--gate=list", state_dir->path, why);
	for (int i = 0; i < count; i++)
		if ((int)strlen(names[i]->d_name) > width)
			width = (int)strlen(names[i]->d_name);
	printf("%-*s  GATE   SINCE                  RATE   LIMIT  WAITING  "
	       "SLOTS  DEFERRED UNTIL       REASON\n",
	    width, "NAME");
	for (int i = 0; i < count; i++)
		print_row(width, names[i]->d_name);
	usage_finish();
}

/* --- --gate=open:NAME --- */

_Noreturn void
doors_open_gate(const struct shared_options *options)
{
	const struct gate_options *gate = &options->gate;
	const struct gate_attempt by_hand = { .outcome = GATE_BY_HAND };
	const struct shared_options alone
	    = { .directory = options->directory, .gate = *gate };
	struct gate_store store = { .file
		= { .name = gate->name, .is_fleet = gate->fleet, .fd = -1 } };
	bool is_used = gate->fleet;
	const char *why = NULL;
	struct stat stat;

	doors_start(&alone, NULL, "", random_from(0), 0);
	if (!gate->fleet) {
		if (!state_dir_open(false) && state_dir->error != ENOENT)
			usage_refuse(
			    "--gate=open", state_dir->path, state_dir->why);
		/* No file is made of a gate that was never used. */
		is_used = state_dir->fd >= 0
		    && fstatat(state_dir->fd, gate->name, &stat,
		           AT_SYMLINK_NOFOLLOW)
		        == 0;
		if (is_used)
			state_file_open(&store.file);
	}
	if (is_used && !gate_store_report(&store, &by_hand))
		why = fleet_lost_why() != NULL ? fleet_lost_why()
		                               : store.file.why;
	fleet_end();
	if (why != NULL)
		usage_refuse("--gate=open", doors.gate, why);
	if (store.before.state == GATE_SHUT)
		printf("gate %s was shut: %s; it opens gradually now\n",
		    doors.gate, store.gate.reason);
	else
		printf("gate %s is open\n", doors.gate);
	usage_finish();
}
