/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/base/text.h"
#include "core/gate/shared_name.h"
#include "doors/gate_open.h"
#include "options/usage.h"
#include "shared/gate_store.h"

static const struct shared_options *options;

static _Noreturn void
say(bool was_shut, const char *reason)
{
	char words[FLEET_NAME_SIZE];
	struct text name = text_in(words, sizeof words);

	shared_name_add(&name, options->gate.name, options->gate.fleet);
	if (!was_shut)
		printf("gate %s is open\n", words);
	else
		printf("gate %s was shut%s%s; it opens gradually now\n", words,
		    *reason != '\0' ? ": " : "", reason);
	usage_finish();
}

static _Noreturn void
refuse(const struct gate_store *store)
{
	const char *why = store->is_fleet ? fleet_lost_why() : NULL;

	fleet_end();
	usage_refuse("--gate=open", options->gate.name,
	    why != NULL ? why : store->part.file.why);
}

/* Nothing is made where nobody has used it. */
static bool
has_file(const struct state_dir *dir)
{
	struct stat stat;

	return fstatat(dir->fd, options->gate.name, &stat, AT_SYMLINK_NOFOLLOW)
	    == 0;
}

static _Noreturn void
open_gate(struct gate_store *store)
{
	enum stored stored;
	struct gate_view view;
	bool was_shut;

	do {
		if (!gate_store_begin(store, &view))
			refuse(store);
		was_shut = gate_reopen(&view.gate, view.now_ns);
		stored = gate_store_end(store, &view, was_shut, 0);
	} while (stored == STORE_CROSSED);
	if (stored == STORE_FAILED)
		refuse(store);
	fleet_end();
	say(was_shut, view.gate.reason);
}

_Noreturn void
gate_open(const struct shared_options *what)
{
	struct state_dir dir;
	struct gate_store store = {
		.part = { .what = "gate",
		    .name = what->gate.name,
		    .file = { .fd = -1 } },
		.is_noted = true,
		.is_fleet = what->gate.fleet,
	};

	options = what;
	if (options->gate.fleet) {
		fleet_start(options);
		open_gate(&store);
	}
	switch (state_dir_look(&dir, options->directory)) {
	case STATE_DIR_FOUND:
		break;
	case STATE_DIR_MISSING:
		say(false, "");
	case STATE_DIR_UNUSABLE:
		usage_refuse("--gate=open", dir.path, dir.why);
	}
	if (!has_file(&dir))
		say(false, "");
	if (!state_file_open(&store.part.file, &dir, options->gate.name))
		refuse(&store);
	open_gate(&store);
}
