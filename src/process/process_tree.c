/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/text.h"
#include "process/environment.h"
#include "process/fd.h"
#include "process/helper.h"
#include "process/process_tree.h"

bool
proc_is_ours(void)
{
	static int known = -1;
	char self[24] = "";

	if (known < 0)
		known = readlink("/proc/self", self, sizeof self - 1) > 0
		    && strcmp(self, NUMBER(getpid())) == 0;
	return known == 1;
}

bool
process_tree_adopt_orphans(void)
{
#if HAVE_DECL_PR_SET_CHILD_SUBREAPER
	return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
#else
	return false;
#endif
}

bool
process_tree_has_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0
	    || errno != ECHILD;
}

/* The file NAME of the process in /proc. */
static const char *
file_of(pid_t pid, const char *name)
{
	static char path[48];
	struct text text = text_in(path, sizeof path);

	text_join(&text, "/proc/", NUMBER(pid), "/", name);
	return path;
}

bool
process_read(struct process *process, pid_t pid)
{
	/* Fifty numbers and a name; one read(2) returns all of it. */
	char line[1280];
	ssize_t length
	    = fd_read_file(file_of(pid, "stat"), line, sizeof line - 1);

	if (length <= 0)
		return false;
	line[length] = '\0';
	return process_parse(process, line);
}

/*
 * Whether PID was started with the environment of this attempt. If that cannot
 * be read, as for a set-user-ID program: no.
 */
static bool
read_mark(pid_t pid)
{
	const struct environment_mark mark = environment_mark();
	size_t length = 0, size = 1 << 16;
	ssize_t count = -1;
	char *block = malloc(size);
	bool found = false;
	int fd = open(file_of(pid, "environ"), O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && block != NULL
	    && (count = read(fd, block + length, size - length)) > 0) {
		char *larger;

		length += (size_t)count;
		if (length < size)
			continue;
		larger = realloc(block, size *= 2);
		if (larger == NULL)
			break;
		block = larger;
	}
	if (count == 0)
		found = process_environ_has(block, length, mark.id)
		    && process_environ_has(block, length, mark.attempt);
	fd_close(&fd);
	free(block);
	return found;
}

/* Makes room for one more, doubling if it is full. False: no memory. */
static bool
make_room(struct processes *processes, size_t *room)
{
	struct process *list;

	if (processes->count < *room)
		return true;
	*room = *room * 2 + 64;
	list = realloc(processes->list, *room * sizeof *list);
	if (list != NULL)
		processes->list = list;
	return list != NULL;
}

/* All processes, or as many as there is memory for. */
static struct processes
read_all(const struct ancestry *ancestry)
{
	struct processes all = { 0 };
	size_t room = 0;
	DIR *directory = proc_is_ours() ? opendir("/proc") : NULL;
	struct dirent *entry;

	if (directory == NULL)
		return all;
	while ((entry = readdir(directory)) != NULL) {
		struct process process;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9'
		    || !process_read(
		        &process, (pid_t)strtol(entry->d_name, NULL, 10)))
			continue;
		/* As if it were not there: of nobody's tree. */
		if (process.pid == helper_pid())
			continue;
		if (process_needs_mark(ancestry, &process))
			process.has_mark = read_mark(process.pid);
		if (!make_room(&all, &room))
			break;
		all.list[all.count++] = process;
	}
	closedir(directory);
	return all;
}

/* Only the processes of the tree. */
static struct processes
read_tree(const struct ancestry *ancestry)
{
	struct processes tree = read_all(ancestry);
	size_t count = 0;

	process_tree_mark(&tree, ancestry);
	for (size_t i = 0; i < tree.count; i++)
		if (tree.list[i].in_tree)
			tree.list[count++] = tree.list[i];
	tree.count = count;
	return tree;
}

struct process_tree
process_tree_before(void)
{
	struct process_tree tree = { .known.count = 0 };
	struct ancestry ancestry = { .self = 0 };

	/* Usually there are no children at all; then this is the only call. */
	if (!process_tree_has_children())
		return tree;
	ancestry.self = getpid();
	tree.preexisting = read_tree(&ancestry);
	return tree;
}

#if !HAVE_DECL_SYS_PIDFD_OPEN || !HAVE_DECL_SYS_PIDFD_SEND_SIGNAL
/* A system call number that no kernel has: ENOSYS. */
#undef SYS_pidfd_open
#undef SYS_pidfd_send_signal
#define SYS_pidfd_open -1
#define SYS_pidfd_send_signal -1
#endif

static int
open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int
signal_pidfd(int pidfd, int signal)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

/*
 * Linux before 5.3 lacks pidfds (ENOSYS), and a sandbox may forbid them, mostly
 * with EPERM. So try one on backoff itself, where EPERM means nothing else.
 */
static bool
has_pidfds(void)
{
	static int known = -1;
	int self;

	if (known < 0) {
		self = open_pidfd(getpid());
		known = self >= 0 && signal_pidfd(self, 0) == 0;
		fd_close(&self);
	}
	return known == 1;
}

/*
 * Returns 0 or errno. The pidfd stands for the process that has the pid now.
 * Its start time, read after that, shows whether it is the process that was
 * meant, so the signal reaches no other, even if the pid is reused.
 */
static int
signal_process(const struct process *process, int signal)
{
	int pidfd = has_pidfds() ? open_pidfd(process->pid) : -1;
	struct process now;
	int error = 0;

	if (!process_read(&now, process->pid) || now.start != process->start
	    || now.is_zombie)
		error = ESRCH;
	/* No free descriptor, or no pidfds: signal by the pid. */
	else if ((pidfd >= 0 ? signal_pidfd(pidfd, signal)
	                     : kill(process->pid, signal))
	    != 0)
		error = errno;
	fd_close(&pidfd);
	return error;
}

/* Counts a process that was signalled (ERROR 0), or could not be: errno. */
static void
tally(struct process_census *census, const struct process *process, int error)
{
	if (error != 0 && error != EPERM)
		return;
	census->count++;
	if (error == EPERM && census->refused++ == 0)
		census->unending = *process;
	else if (error == 0 && census->met.pid == 0)
		census->met = *process;
}

struct process_census
process_tree_signal(struct process_tree *tree, pid_t command, int signal)
{
	const struct ancestry ancestry = {
		.self = getpid(),
		.command = command,
		.preexisting = tree->preexisting,
		.known = tree->known,
	};
	struct processes now = read_tree(&ancestry);
	struct process_census census = { 0 };
	struct process unnamed = { .pid = command };
	const struct process *first = &unnamed;

	for (size_t i = 0; i < now.count; i++)
		if (now.list[i].pid == command)
			first = &now.list[i];
	/* COMMAND has not been reaped, so its pid cannot be reused. */
	if (command != 0)
		tally(&census, first, kill(command, signal) == 0 ? 0 : errno);
	for (size_t i = 0; i < now.count; i++)
		if (now.list[i].pid != command && !now.list[i].is_zombie)
			tally(&census, &now.list[i],
			    signal_process(&now.list[i], signal));
	free(tree->known.list);
	tree->known = now;
	return census;
}

void
process_tree_free(const struct process_tree *tree)
{
	free(tree->preexisting.list);
	free(tree->known.list);
}
