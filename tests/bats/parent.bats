#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --die-with-parent: who started us ends, and so do we, as by TERM.

# shellcheck disable=SC2154 # what process.bash sets
load helper
load ../lib/process

setup() {
  need_answer parent
  holders=()
}

teardown() {
  # What we wait for has been told of by now, or never will be.
  for id in "$(cat "$BATS_TEST_TMPDIR"/pid)" "${parent:-}" "${runner:-}" "${holders[@]}"; do
    [ -z "$id" ] || kill -s KILL "$id" 2>/dev/null || true
  done
  [ -z "${runner:-}" ] || wait "$runner" 2>/dev/null || true
}

# orphans [OPTION...] -- COMMAND...: starts a parent that starts the command;
# sets parent and pid, and out, err as start() does.
orphans() {
  out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err
  : >"$out"
  : >"$err"
  "${PYTHON[@]}" "$lib/orphan.py" --parent "$BATS_TEST_TMPDIR/parent" \
    --pid "$BATS_TEST_TMPDIR/pid" --fate "$BATS_TEST_TMPDIR/fate" "$@" \
    </dev/null >"$out" 2>"$err" 3>&- &
  runner=$!
  wait_for test -s "$BATS_TEST_TMPDIR/pid"
  wait_for test -s "$BATS_TEST_TMPDIR/parent"
  pid=$(<"$BATS_TEST_TMPDIR/pid") parent=$(<"$BATS_TEST_TMPDIR/parent")
}

# in_thread COMMAND...: likewise, but a thread of the parent starts it.
in_thread() {
  rm -f "$BATS_TEST_TMPDIR"/{fifo,pid,parent,fate}
  mkfifo "$BATS_TEST_TMPDIR/fifo"
  orphans --thread "$BATS_TEST_TMPDIR/fifo" -- "$@"
}

# end_thread: of the parent, which goes on.
end_thread() {
  echo >"$BATS_TEST_TMPDIR/fifo"
  wait_for grep -q '^gone$' "$out"
}

# end_parent FATE [REGEX]: ends it, and sees to the end of the command, and the
# end of the log.
end_parent() {
  kill -s KILL "$parent"
  has_fate "$1"
  [ -z "${2-}" ] || said_last "$2"
}

# has_fate TEXT: waits for the end of the command.
has_fate() {
  wait_for test -s "$BATS_TEST_TMPDIR/fate"
  assert_equal "$(cat "$BATS_TEST_TMPDIR/fate")" "$1"
}

# was_child TEXT: the same while the parent is there: we see it after that.
was_child() {
  wait_for in_state "$pid" Z
  kill -s KILL "$parent"
  has_fate "$1"
}

said_last() { # REGEX
  run -0 tail -n 1 "$err"
  assert_output --regexp "$1"
}

as_parent_ended='^backoff: [a-z0-9]+: interrupted, as the parent has ended, after 1 attempt in [0-9.mu]+s$'

@test "--die-with-parent: the parent's end in a pause is ours, as by TERM" {
  orphans -- "$BACKOFF" --die-with-parent -d 1h -- false
  await_pause
  wait_for in_state "$pid" S
  end_parent "killed TERM" "$as_parent_ended"
}

@test "--die-with-parent: the parent's end in an attempt is a TERM for COMMAND, and its status is ours" {
  need_real_time
  orphans -- "$BACKOFF" --die-with-parent -d 1h -- "${PYTHON[@]}" "$PROBE" --exit 3
  await "$out" '^ready'
  kill -s KILL "$parent"
  await "$out" '^got TERM from user'
  kill -s 40 "$pid"
  has_fate "exited 3"
  run -0 grep -c '^seen .*TERM=1$' "$out"
  said_last "$as_parent_ended"
}

@test "--die-with-parent: --grace limits the time of COMMAND" {
  orphans -- "$BACKOFF" --die-with-parent --grace=100ms -d 1h -- \
    sh -c 'trap "" TERM; echo "ready $$ $PPID"; while :; do sleep 1000; done'
  await "$out" '^ready'
  end_parent "killed KILL"
}

@test "--die-with-parent: the parent's end in a hook reaches the hook, and we die" {
  orphans -- "$BACKOFF" --die-with-parent -n 2 -d 1ms \
    --before-retry='echo hook $$; exec sleep 1000' -- false
  await "$err" '^hook'
  kill -s KILL "$parent"
  has_fate "killed TERM"
  wait_for gone "$(sed -n 's/^hook //p' "$err")"
  said_last "$as_parent_ended"
}

@test "--die-with-parent: a thread of the parent that ends is not the parent, whose end is seen later" {
  in_thread "$BACKOFF" --die-with-parent -d 1h -- false
  await_pause
  wait_for in_state "$pid" S
  end_thread
  # It has got the signal, and sleeps again: so it is there for another one.
  wait_for in_state "$pid" S
  kill -s TERM "$pid"
  was_child "killed TERM"
  said_last 'interrupted by TERM after 1 attempt'
  in_thread "$BACKOFF" --die-with-parent -d 1h -- false
  await_pause
  end_thread
  end_parent "killed TERM" "$as_parent_ended"
}

@test "--die-with-parent: the end of a thread is no signal for COMMAND" {
  need_real_time
  in_thread "$BACKOFF" --die-with-parent -n 1 -- \
    "${PYTHON[@]}" "$PROBE" --exit 3
  await "$out" '^ready'
  end_thread
  kill -s 40 "$pid"
  was_child "exited 3"
  run -0 grep -c '^seen nothing$' "$out"
}

pipe_is_full() { # FD: so that a writer waits
  "${PYTHON[@]}" -c 'import select, sys
poll = select.poll()
poll.register(int(sys.argv[1]), select.POLLOUT)
sys.exit(poll.poll(0) != [])' "$1"
}

@test "--die-with-parent: the end of a thread ends no wait for a reader" {
  mkfifo "$BATS_TEST_TMPDIR/reader"
  exec 9<>"$BATS_TEST_TMPDIR/reader"
  in_thread sh -c 'exec "$@" >"$0"' "$BATS_TEST_TMPDIR/reader" \
    "$BACKOFF" --die-with-parent -o -- head -c 100000 /dev/zero
  wait_for pipe_is_full 9
  wait_for in_state "$pid" S
  end_thread
  run -0 bash -c 'head -c 100000 <&9 | wc -c'
  assert_output 100000
  was_child "exited 0"
}

# It is stopped between the look at the parent and prctl(2).
@test "--die-with-parent: a parent that has ended before prctl is seen, and COMMAND is not started" {
  need_strace
  orphans -- strace -D -qq -o "$BATS_TEST_TMPDIR/trace" -e trace=getppid,prctl \
    -e inject=getppid:signal=STOP:when=1 "$BACKOFF" --die-with-parent -- echo ready
  wait_for in_state "$pid" t
  wait_for grep -q getppid "$BATS_TEST_TMPDIR/trace"
  kill -s KILL "$parent"
  wait_for gone "$parent"
  kill -s CONT "$pid"
  has_fate "killed TERM"
  run ! grep -q ready "$out"
  run -0 grep -c '^prctl(PR_SET_PDEATHSIG' "$BATS_TEST_TMPDIR/trace"
  said_last 'interrupted, as the parent has ended, after 0 attempts in'
}

@test "--die-with-parent: TERM and the signal ignored at our start change nothing" {
  need_real_time
  need_proc
  local last
  last=$(bash -c 'kill -l RTMAX')
  orphans --ignore "TERM,$last" -- "$BACKOFF" --die-with-parent -d 1h -- \
    sh -c 'grep ^SigIgn /proc/self/status; exit 7'
  await_pause
  kill -s KILL "$parent"
  has_fate "killed TERM"
  # COMMAND finds both ignored, as we did.
  run -0 grep -o '[0-9a-f]*$' "$out"
  assert_equal "$((0x$output >> 14 & 1)) $((0x$output >> 63 & 1))" "1 1"
}

@test "--die-with-parent: its signal is another one where --wake-on has that" {
  need_real_time
  orphans -- "$BACKOFF" --die-with-parent --wake-on=RTMAX -d 1h,1h -- false
  await_pause
  wait_for in_state "$pid" S
  kill -s RTMAX "$pid"
  wait_for two_lines "$err"
  end_parent "killed TERM" 'as the parent has ended, after 2 attempts'
}

two_lines() {
  [ "$(wc -l <"$1")" -ge 2 ]
}

@test "--die-with-parent: the end of the log as JSON" {
  orphans -- "$BACKOFF" --die-with-parent --log-format=json -d 1h -- false
  await "$err" '"event":"attempt"'
  end_parent "killed TERM" '"result":"interrupted","attempts":1,"status":143,"reason":"the parent has ended",'
}

@test "--die-with-parent: a write to a reader that stalls does not hold it up" {
  mkfifo "$BATS_TEST_TMPDIR/fifo"
  exec 9<>"$BATS_TEST_TMPDIR/fifo"
  orphans -- sh -c 'exec "$@" >"$0"' "$BATS_TEST_TMPDIR/fifo" \
    "$BACKOFF" --die-with-parent -o -- sh -c 'head -c 1000000 /dev/zero; echo "ready" >&2'
  await "$err" '^ready'
  kill -s KILL "$parent"
  has_fate "killed TERM"
}

@test "without --die-with-parent we go on" {
  orphans -- "$BACKOFF" -d 1h -- false
  await_pause
  kill -s KILL "$parent"
  wait_for gone "$parent"
  kill -s TERM "$pid"
  has_fate "killed TERM"
}

# at_lock FILE: we, as nobody else here does, stand in line for a lock of that
# state file. The kernel tells no process of such locks.
at_lock() {
  wait_for grep -q -- "-> OFDLCK .*:$(stat -c %i "$1") " /proc/locks
}

# waits_shared [OPTION of orphan.py...] -- [ARG...]: starts what waits for a
# lock that another run has, as these arguments say.
waits_shared() {
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  export BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/state
  rm -rf "$BACKOFF_STATE_DIR"
  mkdir -m 700 "$BACKOFF_STATE_DIR"
  # shellcheck disable=SC2016 # for sh
  "$BACKOFF" -qq --gate=hub -n 1 -- sh -c 'echo after=30m >"$BACKOFF_HINT"; exit 7' || true
  "$BACKOFF" -v --gate=hub -- true 2>"$BATS_TEST_TMPDIR/held" 3>&- &
  holders=("$!")
  "$BACKOFF" --slots=one:1 -- sh -c 'echo taken; exec sleep 1000' >"$BATS_TEST_TMPDIR/slot" 2>&1 3>&- &
  holders+=("$!")
  wait_for grep -q 'waiting at' "$BATS_TEST_TMPDIR/held"
  wait_for grep -q taken "$BATS_TEST_TMPDIR/slot"
  orphans "${options[@]}" -- "$BACKOFF" --die-with-parent "${@:2}"
}

# state_file OPTION: that of its gate or slots.
state_file() {
  local name=${1#*=}
  echo "$BACKOFF_STATE_DIR/${name%:1}"
}

# end_holders: and what they have left, for another run of waits_shared.
end_holders() {
  kill "${holders[@]}"
  wait "${holders[@]}" || true
  rm -f "$BATS_TEST_TMPDIR"/{fifo,pid,parent,fate}
}

as_parent_ended_at_once='^backoff: [a-z0-9]+: interrupted, as the parent has ended, after 0 attempts in [0-9.mu]+s$'

@test "--die-with-parent: the parent's end ends a wait in the queue of a gate, or for a slot" {
  need_proc
  local option
  for option in --gate=hub --slots=one:1; do
    waits_shared -- "$option" -- true
    at_lock "$(state_file "$option")"
    end_parent "killed TERM" "$as_parent_ended_at_once"
    end_holders
  done
}

@test "--die-with-parent: the parent's end ends a wait with the turn of a gate" {
  need_proc
  waits_shared -- --gate=hub -- true
  at_lock "$BACKOFF_STATE_DIR/hub"
  kill "${holders[0]}"
  wait "${holders[0]}" || true
  wait_for not_at_lock "$BACKOFF_STATE_DIR/hub"
  wait_for in_state "$pid" S
  end_parent "killed TERM"
}

not_at_lock() {
  ! grep -q -- "-> OFDLCK .*:$(stat -c %i "$1") " /proc/locks
}

@test "--die-with-parent: its signal is another one in the queue of a gate, where --wake-on has that" {
  need_real_time
  need_proc
  waits_shared -- --wake-on=RTMAX --gate=hub -d 1h -- sh -c 'echo "ready $$ $PPID"; exit 7'
  at_lock "$BACKOFF_STATE_DIR/hub"
  kill -s RTMAX "$pid"
  await "$out" '^ready'
  at_lock "$BACKOFF_STATE_DIR/hub"
  end_parent "killed TERM" 'as the parent has ended, after 1 attempt'
}

# The wake signal means nothing there; so the wait goes on.
@test "--die-with-parent: its signal is another one in a wait for a slot" {
  need_real_time
  need_proc
  waits_shared -- --wake-on=RTMAX --slots=one:1 -- true
  at_lock "$BACKOFF_STATE_DIR/one"
  kill -s RTMAX "$pid"
  at_lock "$BACKOFF_STATE_DIR/one"
  end_parent "killed TERM" "$as_parent_ended_at_once"
}

@test "--die-with-parent: the end of a thread of the parent ends no wait at a gate or for a slot" {
  need_proc
  local option
  for option in --gate=hub --slots=one:1; do
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    waits_shared --thread "$BATS_TEST_TMPDIR/fifo" -- "$option" -- true
    at_lock "$(state_file "$option")"
    end_thread
    # It has got the signal, and stands in line again.
    at_lock "$(state_file "$option")"
    kill -s TERM "$pid"
    was_child "killed TERM"
    said_last 'interrupted by TERM after 0 attempts'
    end_holders
  done
}
