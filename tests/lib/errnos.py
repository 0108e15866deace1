# SPDX-License-Identifier: MIT
"""What each system call may fail with, the most telling first.

A call is its name; of fcntl(2) and ioctl(2), which are many in one, with the
operation behind it. The errors are those of the manual pages, and of
sandboxes, which refuse by EPERM and ENOSYS what they do not know.
"""

OPEN = "EMFILE ENOSPC EACCES EINTR ENFILE EROFS EOPNOTSUPP ENOENT"
READ = "EIO EINTR EAGAIN ENOMEM"
WRITE = "ENOSPC EINTR EIO EAGAIN EPIPE EDQUOT EFBIG"
MOVE = "EINVAL EAGAIN ENOMEM EINTR EIO ENOSYS ENOSPC EPERM"
STAT = "EACCES ENOMEM EIO EPERM"
DESCRIPTOR = "EMFILE ENFILE ENOMEM"
SPAWN = "EAGAIN ENOMEM EPERM ENOSYS"

ERRNOS = {
    "access": "EACCES ENOENT",
    "clock_nanosleep": "EINTR EPERM ENOSYS",
    "clone": SPAWN,
    "clone3": SPAWN,
    "copy_file_range": MOVE,
    "dup": "EMFILE",
    "dup2": "EMFILE EINTR EBUSY",
    "dup3": "EMFILE EINTR EBUSY",
    "fallocate": "ENOSPC EINTR EIO EOPNOTSUPP",
    "fchmod": "EPERM EROFS",
    "fcntl F_DUPFD": "EMFILE",
    "fcntl F_DUPFD_CLOEXEC": "EMFILE",
    "fcntl F_OFD_SETLK": "EAGAIN ENOLCK EINTR",
    "fcntl F_OFD_SETLKW": "ENOLCK EINTR EDEADLK",
    "fcntl F_SETFL": "EPERM",
    "fcntl F_SETPIPE_SZ": "EPERM EBUSY ENOMEM EINVAL",
    "fork": SPAWN,
    "fstat": STAT,
    "fstatfs": "ENOSYS EIO EINTR",
    "ftruncate": "EIO EINTR EPERM",
    "getdents64": "EIO ENOMEM ENOENT",
    # ENOTCONN is the true word for a socket that is not connected, which is
    # inherited, and ESPIPE that for what has no offset.
    "getpeername": "ENOBUFS EPERM",
    "getpgid": "ESRCH EPERM",
    "getrandom": "ENOSYS EINTR EAGAIN",
    "getsockopt": "ENOBUFS EPERM ENOPROTOOPT",
    "ioctl FIONREAD": "ENOTTY EPERM",
    "ioctl TIOCGPGRP": "ENOTTY",
    "ioctl TIOCGWINSZ": "ENOTTY",
    "kill": "EPERM ESRCH",
    "link": "EMLINK ENOSPC EACCES EROFS",
    "linkat": "EMLINK ENOSPC EACCES EROFS",
    "lseek": "EIO EOVERFLOW",
    "lstat": STAT,
    "memfd_create": "EMFILE ENOSYS EACCES ENFILE ENOMEM EPERM",
    "mkdir": "ENOSPC EROFS EACCES",
    "mmap": "ENOMEM",
    "mremap": "ENOMEM",
    "newfstatat": STAT,
    "open": OPEN,
    "openat": OPEN,
    "pidfd_open": "EMFILE ENOSYS ESRCH EPERM ENFILE ENOMEM",
    "pidfd_send_signal": "EPERM ENOSYS ESRCH",
    "pipe": DESCRIPTOR,
    "pipe2": DESCRIPTOR,
    "poll": "EINTR ENOMEM",
    "ppoll": "EINTR ENOMEM",
    "prctl": "EINVAL EPERM ENOSYS",
    "pread64": READ,
    "preadv2": READ + " EOPNOTSUPP ENOSYS",
    "prlimit64": "EPERM",
    "pwrite64": WRITE,
    "read": READ,
    "readlink": "ENOENT EACCES EIO ENOMEM",
    "readlinkat": "ENOENT EACCES EIO ENOMEM",
    "recvfrom": "ECONNRESET EINTR EAGAIN ENOMEM",
    "recvmsg": "ECONNRESET EINTR EAGAIN ENOMEM",
    "rt_sigtimedwait": "EINTR EAGAIN",
    "sendfile": MOVE,
    "signalfd4": "EMFILE ENOMEM ENFILE ENODEV ENOSYS",
    "socketpair": DESCRIPTOR,
    "splice": MOVE,
    "stat": STAT,
    "statfs": "ENOSYS EIO EINTR",
    "statx": STAT,
    "timer_create": "EAGAIN ENOMEM",
    "unlink": "EIO EACCES",
    "unlinkat": "EIO EACCES",
    "vfork": SPAWN,
    "wait4": "EINTR ECHILD",
    "waitid": "EINTR ECHILD",
    "write": WRITE,
    "writev": WRITE,
}

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
