/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/event.h>
#include <time.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "system/fd.h"
#include "system/parent.h"

/* What the thread that waits for the end of the parent has to know. */
static struct {
	pthread_t told;
	int signal;
	pid_t parent;
	int queue; /* of kevent(2), or -1 */
} watch;

int
parent_end_signal(int but)
{
	return but == SIGEMT ? SIGINFO : SIGEMT;
}

/*
 * The kernel reports the end of a process when its children have another
 * parent. But getppid(2) is what the receiver believes, so it is asked too; and
 * it does where there is no queue.
 */
static void *
wait_for_end(void *nothing)
{
	const struct timespec step = { .tv_nsec = 50 * NS_PER_MS };
	struct kevent event;
	int count = 0;

	if (watch.queue >= 0)
		RETRY_EINTR(
		    count, kevent(watch.queue, NULL, 0, &event, 1, NULL));
	while (getppid() == watch.parent)
		nanosleep(&step, NULL);
	pthread_kill(watch.told, watch.signal);
	return nothing;
}

/* A queue with the end of the parent in it; -1: none, or it has ended. */
static int
queue_for_end(void)
{
	struct kevent end;
	int queue = kqueue();

	if (queue < 0)
		return -1;
	fcntl(queue, F_SETFD, FD_CLOEXEC);
	queue = fd_out_of_the_way(queue);
	EV_SET(&end, (uintptr_t)watch.parent, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0,
	    NULL);
	if (kevent(queue, &end, 1, NULL, 0, NULL) != 0)
		fd_close(&queue);
	return queue;
}

/* No signal says it, so a thread does, which gets no signal itself. */
void
parent_tell_end(int signal)
{
	sigset_t all, before;
	pthread_t thread;

	watch.told = pthread_self();
	watch.signal = signal;
	watch.parent = getppid();
	watch.queue = queue_for_end();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, wait_for_end, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
parent_take_along(int signal)
{
	(void)signal;
}
