# SPDX-License-Identifier: MIT
# What a test asks of the machine that it runs on: each need skips the test,
# with the reason, where that is not to be had. The same is asked for in the
# same words everywhere, so that skips can be counted by their reasons.
# shellcheck shell=bash
# shellcheck disable=SC2034 # for the tests

# A skip in a process of its own, as run and $(...) have one, ends that process
# alone, and as a success.
declare -F bats_skip >/dev/null || eval "bats_$(declare -f skip)"
skip() {
  if [ "$BASHPID" != $$ ]; then
    echo "to be asked for outside of run and \$(...): $*" >&2
    exit 1
  fi
  bats_skip "$@"
}

# need PROGRAM...
need() {
  local program
  for program in "$@"; do
    type -P "$program" >/dev/null || skip "$program is not installed"
  done
}

# has_answer NAME: whether the program was built with it. The names are those of
# the questions in src/system; configure says which are not here.
has_answer() {
  [[ " ${NOT_HERE-} " != *" $1 "* ]]
}

# need_answer NAME...
need_answer() {
  local name
  for name in "$@"; do
    has_answer "$name" || skip "$name is not here"
  done
}

need_proc() {
  [ -e /proc/self/stat ] || skip '/proc is not here'
}

# The probe's barrier is one of them.
need_real_time() {
  kill -l RTMIN >/dev/null 2>&1 || skip 'real-time signals are not here'
}

need_root() {
  [ "$(id -u)" -eq 0 ] || skip 'only root can do this'
}

need_ordinary_user() {
  [ "$(id -u)" -ne 0 ] || skip 'only an ordinary user can do this'
}

# need_writable FILE: such as a device or a directory of the system.
need_writable() {
  [ -w "$1" ] || skip "$1 is not writable here"
}

need_strace() {
  need strace
  strace -qq -o /dev/null true 2>/dev/null || skip 'processes cannot be traced here'
}

# Who has not asked must not mount on the machine itself.
namespace=(need_namespace_was_not_called)

# need_namespace OPTION...: of unshare. ${namespace[@]} runs a command in such
# namespaces, as root there; by an ordinary user, and where root itself may not
# make them, in a user namespace.
need_namespace() {
  local -a as
  need unshare
  for as in '' '--user --map-root-user'; do
    # shellcheck disable=SC2206 # the words
    namespace=(unshare ${as[0]} "$@")
    ! "${namespace[@]}" true 2>/dev/null || return 0
  done
  skip 'namespaces cannot be made here'
}

# need_users: after need_namespace, where root has the other users as well.
need_users() {
  [[ ${namespace[*]} != *--user* ]] || skip 'namespaces have no other users here'
}

# need_mounts: ${namespace[@]} runs a command that may mount file systems.
need_mounts() {
  need_namespace --mount
  "${namespace[@]}" sh -c 'mount -t tmpfs none /tmp' 2>/dev/null ||
    skip 'file systems cannot be mounted here'
}

# in_mounts SCRIPT: run by sh there, as root.
in_mounts() {
  "${namespace[@]}" sh -ec "$1"
}

# need_pids: ${namespace[@]} runs a command as process 1, which can choose the
# process id of the next one by /proc/sys/kernel/ns_last_pid.
need_pids() {
  need_namespace --pid --fork --mount-proc
  "${namespace[@]}" sh -c 'echo 499 >/proc/sys/kernel/ns_last_pid' 2>/dev/null ||
    skip 'process ids cannot be chosen here'
}

# need_kcmp: by which backoff sees whether two descriptors are of one open. A
# sandbox may refuse it.
need_kcmp() {
  need_answer descriptors_compare
  "${PYTHON[@]}" -c '
import ctypes, os
call = {"x86_64": 312, "i686": 349, "aarch64": 272}[os.uname().machine]
assert ctypes.CDLL(None).syscall(call, os.getpid(), os.getpid(), 0, ctypes.c_ulong(2), ctypes.c_ulong(2)) == 0
' 2>/dev/null || skip 'kcmp is not permitted here'
}

# free_port: one that nobody listens on, below the range that the kernel hands out
# by itself, so that it stays free while its server is away.
free_port() {
  local port
  while port=$((RANDOM % 22528 + 10240)) && (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# need_cgroup CONTROLLER FILE...: cgroup is a new one that has it, of either version,
# and limit the FILE there that limits; ${within[@]} runs a command in it. Remove it.
need_cgroup() {
  local of file
  for of in "/sys/fs/cgroup/$1" /sys/fs/cgroup; do
    cgroup=$of/backoff-$$-$RANDOM
    mkdir "$cgroup" 2>/dev/null || continue
    within=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$cgroup")
    for file in "${@:2}"; do
      limit=$cgroup/$file
      if [ -w "$limit" ] && "${within[@]}" true 2>/dev/null; then return 0; fi
    done
    rmdir "$cgroup"
  done
  cgroup=
  skip 'cgroups cannot be made here'
}
