/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/base/text.h"
#include "core/gate/shared_name.h"
#include "doors/fleet_open.h"
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

/* Nothing is made where nobody has used it. */
static bool
has_file(const struct state_dir *dir)
{
	struct stat stat;

	return fstatat(dir->fd, options->gate.name, &stat, AT_SYMLINK_NOFOLLOW)
	    == 0;
}

static _Noreturn void
open_here(void)
{
	struct state_dir dir;
	struct gate_store store
	    = { .part = { .what = "gate", .name = options->gate.name },
		      .is_noted = true };
	struct state_file *file = &store.part.file;
	struct gate_view view;
	bool was_shut;

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
	if (!state_file_open(file, &dir, options->gate.name)
	    || !gate_store_begin(&store, &view))
		usage_refuse("--gate=open", options->gate.name, file->why);
	was_shut = gate_reopen(&view.gate, view.now_ns);
	if (!gate_store_end(&store, &view, was_shut, 0))
		usage_refuse("--gate=open", options->gate.name, file->why);
	say(was_shut, view.gate.reason);
}

_Noreturn void
gate_open(const struct shared_options *what)
{
	char reason[FLEET_TEXT_SIZE];
	bool was_shut;
	const char *why;

	options = what;
	if (!options->gate.fleet)
		open_here();
	why = fleet_open_gate(options, &was_shut, reason);
	if (why != NULL)
		usage_refuse("--gate=open", options->gate.name, why);
	say(was_shut, reason);
}
