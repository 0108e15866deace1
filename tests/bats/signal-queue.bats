#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Signals in great numbers, and at the instants at which a handler in place of
# signalfd(2) could lose one or run in a child. What holds must hold for every
# system's answer.

load helper
load ../lib/process

# flood COUNT NUMBER [LAST]: as fast as one process can, and LAST then.
flood() {
  "${PYTHON[@]}" -c '
import os, sys
pid, count, *numbers = map(int, sys.argv[1:])
for _ in range(count):
  os.kill(pid, numbers[0])
for number in numbers[1:]:
  os.kill(pid, number)
' "$pid" "$@"
}
usr1=$(kill -l USR1)

# COMMAND is told of the flood at least once, and of what came after it.
@test "of 5000 USR1 COMMAND gets some, and the USR2 after them" {
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
  flood 5000 "$usr1" "$(kill -l USR2)"
  assert_fate 'exited 7'
}

@test "of the signals that end us none is lost in a flood of USR1" {
  for name in HUP TERM; do
    start -- "$BACKOFF" -n 1 -- sh -c 'trap "" USR1; echo "ready $$ $PPID"; exec sleep 1000'
    await "$out" '^ready'
    # It may find nobody at last.
    flood 6000 "$usr1" 2>flooded &
    flood 3000 "$usr1" "$(kill -l "$name")"
    wait $! || grep ProcessLookupError flooded
    assert_fate "killed $name"
  done
}

@test "nor in a pause, where USR1 is discarded" {
  for name in HUP TERM; do
    start -- "$BACKOFF" -d 1h -- false
    await_pause
    flood 3000 "$usr1" "$(kill -l "$name")"
    assert_fate "killed $name"
  done
}

@test "nor in a flood of real-time signals" {
  need_real_time
  start -- "$BACKOFF" -n 1 -- sh -c 'trap "" 40; echo "ready $$ $PPID"; exec sleep 1000'
  await "$out" '^ready'
  flood 10000 40 "$(kill -l TERM)"
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
  flood 50 40
  flood 50 41
  assert_fate 'exited 0'
  assert_equal "$(grep -o 40 "$out" | wc -l) $(grep -o 41 "$out" | wc -l)" '50 50'
}

# in_child SIGNAL [STATE...]: backoff's child, which is held up in its first
# call, with all signals blocked, is sent the SIGNAL; with ever longer delays,
# until it comes before that call is over.
in_child() {
  local delay_us child
  for delay_us in 700000 8000000 30000000; do
    rm -f trace
    start "${@:2}" -- strace -f -qq -o trace -e trace=getppid,execve \
      -e inject=getppid:delay_enter="$delay_us" "$BACKOFF" -n 1 -- sh -c 'echo ran'
    wait_for grep -q getppid trace
    child=$(sed -n 's/^\([0-9]*\) *getppid.*/\1/p' trace | tail -n 1)
    kill -s "$1" "$child" 2>/dev/null || true
    # It is too late where it had its exec by then.
    grep -q "^$child *execve" trace || break
    wait "$runner"
  done
  wait "$runner" || true
  runner=
}

@test "a signal for the child between fork and exec is COMMAND's own" {
  need_strace
  for name in TERM USR1; do
    in_child "$name"
    assert_equal "$(cat fate)" "killed $name"
    run ! grep ran "$out"
  done
}

@test "a signal that is ignored stays ignored there" {
  need_strace
  in_child USR1 --ignore USR1
  assert_equal "$(cat fate)" 'exited 0'
  grep -q ran "$out"
}
