/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "process/parent.h"
#include "system/system.h"

static int chosen;
static pid_t parent;
static struct sigaction entry_action;

void
parent_choose_signal(int wake_on)
{
	parent = getppid();
	chosen = parent_end_signal(wake_on);
	sigaction(chosen, NULL, &entry_action);
	if (entry_action.sa_handler != SIG_DFL)
		signal(chosen, SIG_DFL);
}

int
parent_signal(void)
{
	return chosen;
}

bool
parent_watch(void)
{
	parent_tell_end(chosen);
	if (!parent_has_ended())
		return true;
	/* It was too late to be told. */
	kill(getpid(), chosen);
	return false;
}

bool
parent_has_ended(void)
{
	return getppid() != parent;
}

bool
parent_false_alarm(void)
{
	sigset_t set;

	if (chosen == 0 || parent_has_ended())
		return false;
	sigemptyset(&set);
	sigaddset(&set, chosen);
	return signal_queue_drop(&set);
}

void
parent_restore_signal(void)
{
	if (chosen != 0 && entry_action.sa_handler != SIG_DFL)
		sigaction(chosen, &entry_action, NULL);
}
