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
#include "core/gate/gate.h"
#include "core/gate/shared_name.h"
#include "core/gate/state_record.h"
#include "core/words/gate_message.h"
#include "doors/gate_list.h"
#include "options/usage.h"
#include "shared/lock_wait.h"
#include "shared/state_file.h"
#include "system/boot.h"
#include "system/byte_lock.h"
#include "system/clock.h"
#include "types/option_types.h"

/* A row, as text. */
struct row {
	char name[SHARED_NAME_SIZE];
	char gate[8];
	char since[24], waiting[24], slots[24], deferred[24];
	char reason[DEFERRAL_REASON_SIZE + GATE_REASON_SIZE];
};

static const struct row head = { "NAME", "GATE", "SINCE", "WAITING", "SLOTS",
	"DEFERRED UNTIL", "REASON" };

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

/* For a turn, or a place in a queue for it. */
static bool
is_of_gate(int64_t byte)
{
	return byte >= STATE_LOCK_TURN
	    && !(byte >= STATE_LOCK_SLOT_LINE && byte < STATE_LOCK_LINE);
}

/* Who stands in the queue, its head among them, and who waits with the turn. */
static int64_t
count_queue(const struct state_file *file, const struct gate_record *record)
{
	return byte_lock_waiters(file->fd, is_of_gate)
	    + (record->state != GATE_PROBING
	        && lock_is_taken(file->fd, STATE_LOCK_TURN + record->turn));
}

static int64_t
count_slots(const struct state_file *file)
{
	int64_t count = 0;

	for (int64_t slot = 0; slot < SLOTS_MOST; slot++)
		count += lock_is_taken(file->fd, STATE_LOCK_SLOT + slot);
	return count;
}

/* Why the gate is shut, or was, and how it opens now. */
static void
add_reason(struct row *row, const struct gate_record *record)
{
	struct text reason = text_in(row->reason, sizeof row->reason);

	if (record->state == GATE_RAMP) {
		gate_ramp_text(&reason, record);
		if (record->reason[0] != '\0')
			text_add(&reason, ": ");
	}
	text_add(&reason, record->reason);
}

static void
add_gate(struct row *row, const struct state_file *file, const uint8_t *bytes)
{
	static const struct gate_run nobody;
	int64_t now_ns = boot_clock_ns(), since_ns;
	struct gate_record record;

	if (!gate_decode(&record, bytes + STATE_FLEET_GATE_AT, now_ns)
	    || state_record_boot(bytes) != boot_hash())
		record = gate_record_new();
	/* A ramp may have come to its end when nobody was there. */
	gate_ask(&record, now_ns, &nobody);
	text_copy(row->gate, sizeof row->gate, gate_state_name(record.state));
	put_number(
	    row->waiting, sizeof row->waiting, count_queue(file, &record));
	if (record.state == GATE_OPEN)
		return;
	since_ns = record.state == GATE_RAMP ? record.since_ns : record.shut_ns;
	put_time(row->since, sizeof row->since,
	    clock_epoch_ns() - (now_ns - since_ns));
	add_reason(row, &record);
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

/* False: it is no file of ours. */
static bool
read_row(struct row *row, const struct state_dir *dir, const char *name)
{
	struct state_file file;
	uint8_t bytes[STATE_SIZE];
	bool is_ours;

	if (shared_name_scan(name) != strlen(name)
	    || !state_file_open(&file, dir, name))
		return false;
	is_ours = state_file_read(&file, bytes) != STATE_UNUSABLE;
	if (is_ours) {
		*row = (struct row) { .name = "" };
		text_copy(row->name, sizeof row->name, name);
		add_gate(row, &file, bytes);
		add_deferral(row, bytes);
		put_number(row->slots, sizeof row->slots, count_slots(&file));
	}
	state_file_close(&file);
	return is_ours;
}

static const char *
or_dash(const char *words)
{
	return *words != '\0' ? words : "-";
}

static void
print_row(const struct row *row, int width)
{
	printf("%-*s  %-7s  %-19s  %7s  %5s  %-19s  %s\n", width, row->name,
	    row->gate, or_dash(row->since), or_dash(row->waiting),
	    or_dash(row->slots), or_dash(row->deferred), or_dash(row->reason));
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

	count = scandir(dir->path, &names, NULL, alphasort);
	if (count < 0)
		usage_refuse("--gate=list", dir->path, strerror(errno));
	for (int i = 0; i < count; i++)
		if ((int)strlen(names[i]->d_name) > width
		    && shared_name_scan(names[i]->d_name)
		        == strlen(names[i]->d_name))
			width = (int)strlen(names[i]->d_name);
	print_row(&head, width);
	for (int i = 0; i < count; i++) {
		if (read_row(&row, dir, names[i]->d_name))
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
