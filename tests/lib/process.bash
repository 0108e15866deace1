# SPDX-License-Identifier: MIT
# Processes in the background, for the tests of signals.  shellcheck shell=bash

lib=$BATS_TEST_DIRNAME/../lib
PROBE=$lib/probe.py
export PROBE PYTHONDONTWRITEBYTECODE=1

# A command that prints that it has started, and dies by the first signal.
export sleeper='echo "ready $$ $PPID"; exec sleep 1000'

# What start() runs writes to $out and $err; what reads() reads is in $got, and
# stderr in $said.
out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err
got=$BATS_TEST_TMPDIR/got said=$BATS_TEST_TMPDIR/said

# start [STATE...] -- COMMAND...: in the background, from the signal state
# that run.py is told. Sets pid.
start() {
  rm -f "$BATS_TEST_TMPDIR/pid" "$BATS_TEST_TMPDIR/fate"
  : >"$out"
  : >"$err"
  "${PYTHON[@]}" "$lib/run.py" --pid "$BATS_TEST_TMPDIR/pid" \
    --fate "$BATS_TEST_TMPDIR/fate" "$@" </dev/null >"$out" 2>"$err" 3>&- &
  runner=$!
  wait_for test -s "$BATS_TEST_TMPDIR/pid"
  pid=$(<"$BATS_TEST_TMPDIR/pid")
}

# reads FATE [OPTION...] [STEP...] -- COMMAND...: with a stdout that is read as
# reader.py is told, the command ends so (a REGEX).
reads() {
  "${PYTHON[@]}" "$lib/reader.py" --fate "$BATS_TEST_TMPDIR/fate" "${@:2}" \
    >"$got" 2>"$said" </dev/null
  assert_regex "$(cat "$BATS_TEST_TMPDIR/fate")" "^$1\$"
}

# at_terminal [COMMAND...]: takes the steps of terminal.py on stdin; what was shown is
# in $output. COMMAND leads the session in place of a shell.
at_terminal() {
  run "${PYTHON[@]}" "$lib/terminal.py" "$@"
  assert_success
}

# await FILE REGEX: until a line of the file matches; fails when what was
# started has ended without such a line.
await() {
  local ended=
  wait_for has_or_ended "$1" "$2"
  [ "$ended" != without ] ||
    fail "ended ($(cat "$BATS_TEST_TMPDIR/fate")) without '$2' in $1: $(cat "$out" "$err")"
}

# has_or_ended FILE REGEX: what was started may have written it before it ended.
has_or_ended() {
  ! grep -Eq -- "$2" "$1" || return 0
  [ -z "$ended" ] || { ended=without && return; }
  [ ! -e "$BATS_TEST_TMPDIR/fate" ] || ended=yes
  return 1
}

# await_pause: until the log has announced one.
await_pause() {
  await "$err" 'next in'
}

# signal NAME [PROCESS]: sends it to the program, or to that process.
signal() {
  kill -s "$1" -- "${2:-$pid}"
}

# stop: stops the program, until signal CONT.
stop() {
  signal STOP
  wait_for in_state "$pid" T
}

# barrier: tells the probe, by way of the program, that all has been sent.
barrier() {
  signal 40
}

# the_probe, the_parent: process ids, once the probe is ready.
the_probe() {
  sed -n 's/^ready \([0-9]*\) .*/\1/p' "$out" | tail -n 1
}

the_parent() {
  sed -n 's/^ready [0-9]* //p' "$out" | tail -n 1
}

# assert_fate TEXT: waits for the end of what was started.
assert_fate() {
  wait "$runner" || true
  runner=
  assert_equal "$(cat "$BATS_TEST_TMPDIR/fate")" "$1"
}

# dies_by SIGNAL: the program is sent it, and dies by it.
dies_by() {
  signal "$1"
  assert_fate "killed $1"
}

# assert_ready N: checks that the probe was started N times.
assert_ready() {
  assert_equal "$(grep -c '^ready' "$out")" "$1"
}

# state PROCESS: the letter of ps(1).
state() {
  local letters
  if [ -e /proc/self/stat ]; then
    sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
  else
    letters=$(ps -o stat= -p "$1" 2>/dev/null)
    echo "${letters:0:1}"
  fi
}

in_state() {
  [ "$(state "$1")" = "$2" ]
}

gone() {
  [ -z "$(state "$1")" ] || in_state "$1" Z
}

# child_of PROCESS: its first child.
child_of() {
  local children
  if [ -e /proc/self/stat ]; then
    read -r children _ <"/proc/$1/task/$1/children"
    echo "$children"
  else
    pgrep -P "$1" | head -n 1
  fi
}

# begun: whether the program has a child, or has ended.
begun() {
  [ -e "$BATS_TEST_TMPDIR/fate" ] || [ -n "$(child_of "$pid" 2>/dev/null)" ]
}

# name_open: sets open to the system call by which the program opens files by
# name: openat, or open as musl has it on x86.
# shellcheck disable=SC2034 # for the tests
name_open() {
  strace -qq -o "$BATS_TEST_TMPDIR/open" -e trace='?open,openat' -e signal=none -P /dev/null \
    "$BACKOFF" --stdin=null -- true
  open=$(sed -n '$s/(.*//p' "$BATS_TEST_TMPDIR/open")
}

# end_all: ends whatever a test left behind.
end_all() {
  if [ -n "${runner:-}" ]; then
    kill -s KILL -- "-$pid" "$pid" "$runner" 2>/dev/null || true
    wait "$runner" 2>/dev/null || true
  fi
}

# Where a file has no other.
teardown() {
  end_all
}
