# SPDX-License-Identifier: MIT
"""What each system call may fail with, the most telling first.

A call is its name; of fcntl(2) and ioctl(2), which are many in one, with the
operation behind it. The errors are those of the manual pages, and of
sandboxes, which refuse by EPERM and ENOSYS what they do not know.
"""

ERRNOS = {call: errors for errors, calls in (
    ("EACCES ENOENT", "access"),
    ("EINTR EPERM ENOSYS", "clock_nanosleep"),
    ("EAGAIN ENOMEM EPERM ENOSYS", "clone, clone3, fork, vfork"),
    ("EINVAL EAGAIN ENOMEM EINTR EIO ENOSYS ENOSPC EPERM", "copy_file_range, sendfile, splice"),
    ("EMFILE", "dup, fcntl F_DUPFD, fcntl F_DUPFD_CLOEXEC"),
    ("EMFILE EINTR EBUSY", "dup2, dup3"),
    ("ENOSPC EINTR EIO EOPNOTSUPP", "fallocate"),
    ("EPERM EROFS", "fchmod"),
    ("EAGAIN ENOLCK EINTR", "fcntl F_OFD_SETLK"),
    ("EPERM", "fcntl F_SETFL, prlimit64"),
    ("EPERM EBUSY ENOMEM EINVAL", "fcntl F_SETPIPE_SZ"),
    ("EACCES ENOMEM EIO EPERM", "fstat, lstat, newfstatat, stat, statx"),
    ("ENOSYS EIO EINTR", "fstatfs, statfs"),
    ("EIO EINTR EPERM", "ftruncate"),
    ("EIO ENOMEM ENOENT", "getdents64"),
    # ENOTCONN is the true word for a socket that is not connected, which is
    # inherited, and ESPIPE that for what has no offset.
    ("ENOBUFS EPERM", "getpeername"),
    ("ESRCH EPERM", "getpgid"),
    ("ENOSYS EINTR EAGAIN", "getrandom"),
    ("ENOBUFS EPERM ENOPROTOOPT", "getsockopt"),
    ("ENOTTY EPERM", "ioctl FIONREAD"),
    ("ENOTTY", "ioctl TIOCGPGRP, ioctl TIOCGWINSZ"),
    ("EPERM ESRCH", "kill"),
    ("EMLINK ENOSPC EACCES EROFS", "link, linkat"),
    ("EIO EOVERFLOW", "lseek"),
    ("EMFILE ENOSYS EACCES ENFILE ENOMEM EPERM", "memfd_create"),
    ("ENOSPC EROFS EACCES", "mkdir"),
    ("ENOMEM", "mmap, mremap"),
    ("EMFILE ENOSPC EACCES EINTR ENFILE EROFS EOPNOTSUPP ENOENT", "open, openat"),
    ("EMFILE ENOSYS ESRCH EPERM ENFILE ENOMEM", "pidfd_open"),
    ("EPERM ENOSYS ESRCH", "pidfd_send_signal"),
    ("EMFILE ENFILE ENOMEM", "pipe, pipe2, socketpair"),
    ("EINTR ENOMEM", "poll, ppoll"),
    ("EINVAL EPERM ENOSYS", "prctl"),
    ("EIO EINTR EAGAIN ENOMEM", "pread64, read"),
    ("EIO EINTR EAGAIN ENOMEM EOPNOTSUPP ENOSYS", "preadv2"),
    ("ENOSPC EINTR EIO EAGAIN EPIPE EDQUOT EFBIG", "pwrite64, write, writev"),
    ("ENOENT EACCES EIO ENOMEM", "readlink, readlinkat"),
    ("ECONNRESET EINTR EAGAIN ENOMEM", "recvfrom, recvmsg"),
    ("EINTR EAGAIN", "rt_sigtimedwait"),
    ("EMFILE ENOMEM ENFILE ENODEV ENOSYS", "signalfd4"),
    ("EAGAIN ENOMEM", "timer_create"),
    ("EIO EACCES", "unlink, unlinkat"),
    ("EINTR ECHILD", "wait4, waitid"),
) for call in calls.split(", ")}

# What is not here may be refused by a sandbox.
UNKNOWN = "EPERM ENOSYS ENOMEM EINTR"

# No case, each for a reason.
NONE = {
    # With right arguments these cannot fail, says the kernel's source.
    "clock_gettime", "fcntl F_GETFD", "fcntl F_GETFL", "fcntl F_SETFD", "getegid",
    "geteuid", "getgid", "getpgrp", "getpid", "getppid", "gettid", "getuid",
    "rt_sigaction", "rt_sigprocmask", "umask",
    # An injected failure keeps the call from being made, but a close(2) or
    # munmap(2) that fails has done its work all the same.
    "close", "munmap",
    # It never tells an error, but the old end of the data; malloc(3) takes
    # mmap(2) then.
    "brk",
    # Without it backoff copies, and takes what COMMAND was given, read or not,
    # as the manual says; faults-stdin.bats has that.
    "tee",
    # They do not return, or not here.
    "execve", "exit", "exit_group", "rt_sigreturn",
}


def errnos_of(call):
    if call in NONE:
        return []
    return ERRNOS.get(call, UNKNOWN).split()[:8]
