#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Signals in great numbers, and at the instants at which a handler in place of
# signalfd(2) could lose one or run in a child. What holds must hold for every
# system's answer.
# shellcheck disable=SC2154 # what process.bash sets

load helper
load ../lib/process

setup() {
  cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
  end_all
}

# flood SIGNAL COUNT [LAST]: as fast as one process can, and LAST then.
flood() {
  "${PYTHON[@]}" -c '
import os, signal, sys
pid, name, count, last = sys.argv[1:]
number = signal.Signals["SIG" + name]
for _ in range(int(count)):
  os.kill(int(pid), number)
if last:
  os.kill(int(pid), signal.Signals["SIG" + last])
' "$pid" "$1" "$2" "${3-}"
}

# COMMAND is told of the flood at least once, and of what came after it.
@test "of 10000 USR1 COMMAND gets some, and the USR2 after them" {
  cat >command.py <<'SCRIPT'
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGUSR2])
print("ready", flush=True)
seen = set()
while len(seen) < 2:
  seen.add(signal.sigwait([signal.SIGUSR1, signal.SIGUSR2]))
sys.exit(7)
SCRIPT
  start -- "$BACKOFF" -n 1 -- "${PYTHON[@]}" command.py
  await "$out" '^ready'
  flood USR1 10000 USR2
  assert_fate 'exited 7'
}

@test "of HUP, INT, QUIT and TERM none is lost in a flood of 10000 USR1" {
  local name
  for name in HUP INT QUIT TERM; do
    start -- "$BACKOFF" -n 1 -- sh -c 'trap "" USR1; echo "ready $$ $PPID"; exec sleep 1000'
    await "$out" '^ready'
    # It may find nobody at last.
    flood USR1 10000 2>flooded &
    flood USR1 5000 "$name"
    wait $! || grep ProcessLookupError flooded
    assert_fate "killed $name"
  done
}

@test "nor in a pause, where USR1 is discarded" {
  local name
  for name in HUP INT QUIT TERM; do
    start -- "$BACKOFF" -d 1h -- false
    await_pause
    flood USR1 5000 "$name"
    assert_fate "killed $name"
  done
}

# More real-time signals than any queue of ours has room for.
@test "nor in a flood of real-time signals" {
  need_real_time
  start -- "$BACKOFF" -n 1 -- sh -c 'trap "" 40; echo "ready $$ $PPID"; exec sleep 1000'
  await "$out" '^ready'
  "${PYTHON[@]}" -c '
import os, signal, sys
for _ in range(10000):
  os.kill(int(sys.argv[1]), 40)
os.kill(int(sys.argv[1]), signal.SIGTERM)
' "$pid"
  assert_fate 'killed TERM'
}

@test "all real-time signals are passed on, up to a hundred, in their order" {
  need_real_time
  cat >command.py <<'SCRIPT'
import signal
numbers = [40, 41]
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
print("ready", flush=True)
print("got", *[signal.sigwait(numbers) for _ in range(100)])
SCRIPT
  start -- "$BACKOFF" -n 1 -- "${PYTHON[@]}" command.py
  await "$out" '^ready'
  "${PYTHON[@]}" -c '
import os, sys
for number in 40, 41:
  for _ in range(50):
    os.kill(int(sys.argv[1]), number)
' "$pid"
  assert_fate 'exited 0'
  assert_equal "$(grep -o 40 "$out" | wc -l) $(grep -o 41 "$out" | wc -l)" '50 50'
}

# signal_child SIGNAL DELAY_US [OPTION...]: backoff, started with these OPTIONs;
# its child, which is held up so long in its first call, with all signals
# blocked, is sent the SIGNAL. If that comes too late, it finds nobody.
signal_child() {
  local name=$1 delay_us=$2 child
  rm -f trace
  start "${@:3}" -- strace -f -qq -o trace -e trace=getppid \
    -e inject=getppid:delay_enter="$delay_us" "$BACKOFF" -n 1 -- sh -c 'echo ran'
  wait_for grep -q getppid trace
  child=$(sed -n 's/^\([0-9]*\) *getppid.*/\1/p' trace | tail -n 1)
  signal "$name" "$child" 2>/dev/null || true
}

# in_child SIGNAL: with ever longer delays, until it comes in time.
in_child() {
  local delay_us
  for delay_us in 1000000 8000000 30000000; do
    signal_child "$1" "$delay_us"
    wait "$runner" || true
    runner=
    grep -q ran "$out" || break
  done
}

@test "a signal for the child between fork and exec is COMMAND's own" {
  need_strace
  local name
  for name in TERM USR1; do
    in_child "$name"
    assert_equal "$(cat fate)" "killed $name"
    run ! grep ran "$out"
  done
}

@test "a signal that is ignored stays ignored there" {
  need_strace
  signal_child USR1 3000000 --ignore USR1
  assert_fate 'exited 0'
  grep -q ran "$out"
}
