# SPDX-License-Identifier: MIT
# What every bats file starts with.  shellcheck shell=bash
#
# BACKOFF is the program under test: the build sets it, and
# BACKOFF=/usr/bin/backoff tests an installed one. HERD is the other program,
# beside it; FLEET_HELPER is the one that backoff starts for --gate=fleet:.

bats_require_minimum_version 1.8.0
# Part by part: by its load.bash, each part takes a process, for each test anew.
for part in support/src/{output,error,lang} \
  assert/src/{assert,refute}{,_line,_output,_regex} assert/src/assert_{equal,not_equal,success,failure}; do
  bats_load_library "bats-$part.bash"
done

: "${BACKOFF:=$BATS_TEST_DIRNAME/../../backoff}"
: "${HERD:=$(dirname "$BACKOFF")/backoff-herd}"
: "${FLEET_HELPER:=$(dirname "$BACKOFF")/backoff-fleet}"
: "${TOP_SRCDIR:=$BATS_TEST_DIRNAME/../..}"
export BACKOFF HERD FLEET_HELPER TOP_SRCDIR

# A test that hangs fails, with room for a slow machine.
export BATS_TEST_TIMEOUT="${BATS_TEST_TIMEOUT:-180}"

# The environment of whoever runs the tests decides nothing.
unset CI GITHUB_ACTIONS BACKOFF_HINT BACKOFF_DEPTH BACKOFF_ATTEMPT \
  BACKOFF_SLOTS BACKOFF_FLEET BACKOFF_FLEET_HELPER LISTEN_PID LISTEN_FDS WATCHDOG_PID POSIXLY_CORRECT

# A test works in a directory of its own, when it is run: not when tests are counted.
cd "${BATS_TEST_TMPDIR:-.}" || return

# What runs share, they share within a test; what is killed leaves no file behind.
export BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/state TMPDIR=$BATS_TEST_TMPDIR

# The interpreter for what tests/lib has. Where a machine has many packages
# for Python, to look at them takes longer than all else that a script does.
# shellcheck disable=SC2034 # for the tests
PYTHON=(python3 -S)

# wait_for CONDITION...: until the command succeeds. The one place that
# polls, for what no event announces; BATS_TEST_TIMEOUT bounds it. What takes
# longer may take some more.
wait_for() {
  local looks=0 pauses=(0.02 0.02 0.02 0.05 0.05 0.1 0.1)

  until "$@"; do
    sleep "${pauses[looks++]:-0.2}"
  done
}

load ../lib/needs

# In front of "$BACKOFF", for a COMMAND that has something to do before it is
# cut by a timeout, or by a deadline, however late it comes to that: a TERM for
# it stays pending. It waits for the TERM to be there by $until_term, in bash,
# because dash unblocks all signals where it starts a program.
# shellcheck disable=SC2034 # for the tests
HOLD_TERM=(env --block-signal=TERM)
export until_term='until grep -q "^ShdPnd:.*[4-7c-f]...$" /proc/$$/status; do sleep 0.02; done'

# has_sanitizers PROGRAM: whether it was built with them.
has_sanitizers() {
  nm "$1" 2>/dev/null | grep -q __asan_
}

# preloads NAME: compiles the C code on stdin to NAME.so; what it needs of libc is
# declared.
preloads() {
  ! has_sanitizers "$BACKOFF" || skip 'the sanitizers are to be preloaded first'
  ldd "$BACKOFF" 2>/dev/null | grep -q libc || skip 'a static program'
  {
    echo '#define _GNU_SOURCE'
    printf '#include <%s>\n' errno.h fcntl.h signal.h stdlib.h sys/{stat,syscall,vfs}.h time.h unistd.h
    cat
  } >"$1.c"
  ${CC:-cc} -shared -fPIC -o "$1.so" "$1.c" 2>/dev/null || skip 'no shared libraries'
}

# need_faketime: skips where libfaketime has no say; sets preload to its path.
# shellcheck disable=SC2034 # for the tests
need_faketime() {
  local left
  need faketime
  # What a killed process has left stops the next one that has its number.
  for left in /dev/shm/*faketime_*_[0-9]*; do
    [ -e "/proc/${left##*_}" ] || rm -f "$left"
  done
  # A handler that jumps out of its poll leaves it believing that it is still in there.
  need_answer signalfd
  # That of clang waits for ever for a lock of its own.
  ! has_sanitizers "$BACKOFF" || skip 'the sanitizers are to be preloaded first'
  preload=$(faketime -f '+0' sh -c 'echo "$LD_PRELOAD"')
  ldd "$BACKOFF" 2>/dev/null | grep -q libc ||
    skip 'faketime has no say in a static program'
  faketime -f '+0 x1000' "$BACKOFF" true 2>/dev/null ||
    skip 'faketime does not work with this program'
}

# fails_then_succeeds N FILE: a script on stdout that fails N times
# (exit 7), counting in FILE, and then succeeds.
fails_then_succeeds() {
  printf 'n=$(cat "%s" 2>/dev/null || echo 0); n=$((n + 1)); echo "$n" >"%s"; [ "$n" -gt %d ] || exit 7\n' \
    "$2" "$2" "$1"
}
