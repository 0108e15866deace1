/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "core/base/duration.h"
#include "core/words/gate_message.h"
#include "doors/gate.h"
#include "options/usage.h"
#include "shared/gate_store.h"
#include "system/system.h"

#define CELL_SIZE (DEFERRAL_REASON_SIZE + GATE_REASON_SIZE)

/* A row of the table; what is empty is printed as "-". */
struct row {
	char name[CELL_SIZE], gate[CELL_SIZE], since[CELL_SIZE],
	    rate[CELL_SIZE], limit[CELL_SIZE], waiting[CELL_SIZE],
	    slots[CELL_SIZE], deferred[CELL_SIZE], reason[CELL_SIZE];
};

static const struct row head = { "NAME", "GATE", "SINCE", "RATE", "LIMIT",
	"WAITING", "SLOTS", "DEFERRED UNTIL", "REASON" };

static void
put_time(char *cell, int64_t epoch_ns)
{
	struct text text = text_in(cell, CELL_SIZE);
	struct tm local = clock_local(epoch_ns);

	text_date(&text, &local);
	text_byte(&text, ' ');
	text_clock(&text, &local);
}

static void
put_number(char *cell, int64_t number)
{
	if (number > 0)
		text_copy(cell, CELL_SIZE, NUMBER(number));
}

static void
put_rate(char *cell, double rate)
{
	struct text text = text_in(cell, CELL_SIZE);

	if (rate > 0)
		gate_rate_text(&text, rate);
}

static void
add_gate(struct row *row, const struct gate_store *store,
    const struct gate_view *view)
{
	static const char names[GATE_STATES][8] = { "open", "shut", "paced" };
	const struct gate *gate = &view->gate;

	text_copy(row->gate, CELL_SIZE, names[gate->state]);
	if (gate->state == GATE_OPEN)
		return;
	put_time(
	    row->since, clock_epoch_ns() - (view->now_ns - gate->since_ns));
	put_number(row->waiting, gate_store_waiters(store, gate));
	text_copy(row->reason, CELL_SIZE, gate->reason);
	if (gate->state == GATE_SHUT)
		return;
	put_rate(row->rate, gate->pace.rate);
	put_rate(row->limit, gate->pace.limit);
}

static void
add_slots(struct row *row, const struct state_file *file)
{
	int64_t taken = 0;

	for (int64_t slot = 0; slot < SLOTS_MOST; slot++)
		taken += lock_is_taken(file->fd, STATE_LOCK_SLOT + slot);
	put_number(row->slots, taken);
}

static void
add_deferral(struct row *row, const uint8_t *record)
{
	struct deferral deferral = state_record_deferral(record, NULL);
	int64_t now_ns = clock_epoch_ns();
	bool changed;
	int64_t wait_ns = deferral_wait(&deferral, INT64_MAX, now_ns, &changed);

	if (wait_ns == 0)
		return;
	/* The first second in which it is over, as the log has it. */
	put_time(row->deferred, saturating_add(now_ns, wait_ns + NS_PER_S - 1));
	if (row->reason[0] == '\0')
		text_copy(row->reason, CELL_SIZE, deferral.reason);
}

static const char *
or_dash(const char *cell)
{
	return *cell != '\0' ? cell : "-";
}

static void
print_row(const struct row *row, int width)
{
	printf("%-*s  %-5s  %-19s  %6s  %6s  %7s  %5s  %-19s  %s\n", width,
	    row->name, or_dash(row->gate), or_dash(row->since),
	    or_dash(row->rate), or_dash(row->limit), or_dash(row->waiting),
	    or_dash(row->slots), or_dash(row->deferred), or_dash(row->reason));
}

/* What cannot be used has the reason that each run of that name logs. */
static void
print_name(const struct state_dir *dir, const char *name, int width)
{
	struct gate_store store = { .is_noted = true };
	struct state_file *file = &store.part.file;
	struct gate_view view;
	struct row row = { .name = "" };
	struct text reason = text_in(row.reason, sizeof row.reason);

	text_copy(row.name, CELL_SIZE, name);
	if (state_file_open(file, dir, name)
	    && gate_store_look(&store, &view)) {
		/* Its pace may have ended while no run looked. */
		gate_pass_time(&view.gate, view.now_ns);
		add_gate(&row, &store, &view);
		add_deferral(&row, store.bytes);
		add_slots(&row, file);
	} else {
		text_join(&reason, "cannot be used: ", file->why);
	}
	state_file_close(file);
	print_row(&row, width);
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

	/* No run could use what stands there. */
	if (statvfs(dir->path, &disk) == 0 && (disk.f_flag & ST_RDONLY) != 0)
		usage_refuse("--gate=list", dir->path, strerror(EROFS));
	count = scandir(dir->path, &names, is_name, alphasort);
	if (count < 0)
		usage_refuse("--gate=list", dir->path, strerror(errno));
	for (int i = 0; i < count; i++)
		if ((int)strlen(names[i]->d_name) > width)
			width = (int)strlen(names[i]->d_name);
	print_row(&head, width);
	for (int i = 0; i < count; i++) {
		print_name(dir, names[i]->d_name, width);
		free(names[i]);
	}
	free(names);
}

_Noreturn void
gate_list(const char *directory)
{
	struct state_dir dir;

	if (state_dir_open(&dir, directory, false))
		print_all(&dir);
	else if (dir.error == ENOENT)
		print_row(&head, (int)strlen(head.name));
	else
		usage_refuse("--gate=list", dir.path, dir.why);
	usage_finish();
}
