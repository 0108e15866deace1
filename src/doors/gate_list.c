/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/gate/shared_name.h"
#include "core/words/gate_message.h"
#include "doors/gate_list.h"
#include "options/usage.h"
#include "shared/gate_store.h"
#include "shared/lock.h"
#include "system/system.h"
#include "types/option_types.h"

/* A row, as text. */
struct row {
	char name[SHARED_NAME_SIZE];
	char gate[8];
	char since[24], rate[24], limit[24], waiting[24], slots[24],
	    deferred[24];
	char reason[DEFERRAL_REASON_SIZE + GATE_REASON_SIZE];
};

static const struct row head = { "NAME", "GATE", "SINCE", "RATE", "LIMIT",
	"WAITING", "SLOTS", "DEFERRED UNTIL", "REASON" };

static void
put_time(char *words, size_t size, int64_t epoch_ns)
{
	struct text text = text_in(words, size);
	struct tm local = clock_local(epoch_ns);

	text_date(&text, &local);
	text_byte(&text, ' ');
	text_clock(&text, &local);
}

static void
put_number(char *words, size_t size, int64_t number)
{
	if (number > 0)
		snprintf(words, size, "%" PRId64, number);
}

static void
put_rate(char *words, size_t size, double rate)
{
	struct text text = text_in(words, size);

	if (rate > 0)
		gate_rate_text(&text, rate);
}

static int64_t
count_slots(const struct state_file *file)
{
	int64_t count = 0;

	for (int64_t slot = 0; slot < SLOTS_MOST; slot++)
		count += lock_is_taken(file->fd, STATE_LOCK_SLOT + slot);
	return count;
}

static void
add_gate(struct row *row, const struct gate_store *store,
    const struct gate_view *view)
{
	static const char names[GATE_STATES][8] = { "open", "shut", "paced" };
	const struct gate *gate = &view->gate;

	text_copy(row->gate, sizeof row->gate, names[gate->state]);
	if (gate->state == GATE_OPEN)
		return;
	put_time(row->since, sizeof row->since,
	    clock_epoch_ns() - (view->now_ns - gate->since_ns));
	put_number(
	    row->waiting, sizeof row->waiting, gate_store_waiters(store, gate));
	text_copy(row->reason, sizeof row->reason, gate->reason);
	if (gate->state == GATE_SHUT)
		return;
	put_rate(row->rate, sizeof row->rate, gate->pace.rate);
	put_rate(row->limit, sizeof row->limit, gate->pace.limit);
}

static void
add_deferral(struct row *row, const uint8_t *bytes)
{
	struct deferral deferral = state_record_deferral(bytes);
	int64_t now_ns = clock_epoch_ns(), wait_ns;
	bool changed;

	wait_ns = deferral_wait(&deferral, INT64_MAX, now_ns, &changed);
	if (wait_ns == 0)
		return;
	/* The first second in which it is over, as the log has it. */
	put_time(row->deferred, sizeof row->deferred,
	    saturating_add(now_ns, wait_ns + NS_PER_S - 1));
	if (row->reason[0] == '\0')
		text_copy(row->reason, sizeof row->reason, deferral.reason);
}

static void
add_parts(
    struct row *row, const struct gate_store *store, struct gate_view *view)
{
	/* Its pace may have come to its end when nobody was there. */
	gate_pass_time(&view->gate, view->now_ns);
	add_gate(row, store, view);
	add_deferral(row, store->bytes);
	put_number(
	    row->slots, sizeof row->slots, count_slots(&store->part.file));
}

/* What cannot be used is told, as each run of that name says it. */
static void
read_row(struct row *row, const struct state_dir *dir, const char *name)
{
	struct gate_store store = { .is_noted = true, .is_broken = true };
	struct state_file *file = &store.part.file;
	struct gate_view view;
	struct text reason = text_in(row->reason, sizeof row->reason);

	*row = (struct row) { .gate = "-" };
	text_copy(row->name, sizeof row->name, name);
	if (state_file_open(file, dir, name) && gate_store_look(&store, &view))
		add_parts(row, &store, &view);
	else
		text_join(&reason, "cannot be used: ", file->why);
	state_file_close(file);
}

static const char *
or_dash(const char *words)
{
	return *words != '\0' ? words : "-";
}

static void
print_row(const struct row *row, int width)
{
	printf("%-*s  %-5s  %-19s  %6s  %6s  %7s  %5s  %-19s  %s\n", width,
	    row->name, row->gate, or_dash(row->since), or_dash(row->rate),
	    or_dash(row->limit), or_dash(row->waiting), or_dash(row->slots),
	    or_dash(row->deferred), or_dash(row->reason));
}

static int
is_name(const struct dirent *entry)
{
	return shared_name_scan(entry->d_name) == strlen(entry->d_name);
}

/* All that there is in DIR. */
static void
print_all(const struct state_dir *dir)
{
	struct dirent **names;
	struct statvfs disk;
	struct row row;
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
		read_row(&row, dir, names[i]->d_name);
		print_row(&row, width);
		free(names[i]);
	}
	free(names);
}

_Noreturn void
gate_list(const char *directory)
{
	struct state_dir dir;

	switch (state_dir_look(&dir, directory)) {
	case STATE_DIR_FOUND:
		print_all(&dir);
		break;
	case STATE_DIR_MISSING:
		print_row(&head, (int)strlen(head.name));
		break;
	case STATE_DIR_UNUSABLE:
		usage_refuse("--gate=list", dir.path, dir.why);
	}
	usage_finish();
}
