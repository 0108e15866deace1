#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --idle-timeout: attempts that write nothing. How they are ended is in
# timeout.bats.

load helper
load ../lib/events
load ../lib/process

# Writes to the descriptors in $to for longer than the limit allows without
# output, a fifth of it between two writes, and then exits with 3.
writer='for i in 1 2 3 4 5 6; do for fd in $to; do echo "$i" >&"$fd"; done; sleep "$STEP"; done; exit 3'

# within COMMAND...: runs it with ever longer limits, for machines that are
# busy, until it succeeds: as LIMIT, and a fifth of that, as STEP.
within() {
  local each
  for each in 400:0.08 2000:0.4 10000:2 50000:10; do
    export LIMIT=${each%:*}ms STEP=${each#*:}
    ! "$@" || return 0
  done
  fail "not with a limit of $LIMIT"
}

# goes_on TO OPTION...: the writer ends by itself.
goes_on() {
  export to=$1
  logged -n 1 --idle-timeout="$LIMIT" "${@:2}" -- sh -c "$writer" >out 2>err || true
  log_holds "attempts[0].status == 3 and attempts[0].duration_s >= ${LIMIT%ms}*ms"
}

# is_cut OPTION...: what writes once, and then nothing, is cut, but not before
# it has written.
is_cut() {
  # shellcheck disable=SC2034 # for logged
  local under=("${HOLD_TERM[@]}")
  logged -n 1 --idle-timeout=200ms -k 1h "$@" -- bash -c "echo said; echo said >&2; $until_term" >out 2>err || true
  assert_events 'attempts[0].outcome == "timed-out"' \
    'attempts[0].reason == "timed out after 200ms without output"' \
    'attempts[0].duration_s >= 200*ms'
}

# looks PROCESS: how often it has woken up.
looks() {
  sed -n 's/^voluntary_ctxt_switches:\s*//p' "/proc/$1/status"
}

# looked PROCESS: since $from, it has looked for half as long again as the limit
# is; or it has ended.
looked() {
  [ ! -e "/proc/$1" ] || [ "$(looks "$1")" -ge $((from + 15)) ]
}

@test "an attempt without output times out, and is retried, and the status is 124" {
  run -124 logged -n 2 --base=0 --idle-timeout=100ms -- sleep 1000
  assert_events 'len(attempts) == 2' \
    'all(a.outcome == "timed-out" and a.signal == "TERM" for a in attempts)' \
    'all(a.verdict == "retry" and a.reason == "timed out after 100ms without output" for a in attempts)'
}

@test "what it has written last to stderr is quoted, as this is watched" {
  need_proc
  is_cut
  assert_events 'attempts[0].line == "said"'
  assert_equal "$(cat out err)" $'said\nsaid'
}

@test "0 and inf are no limit, and watch nothing" {
  need_proc
  for limit in 0 inf; do
    "$BACKOFF" -n 1 --idle-timeout="$limit" -- sh -c \
      'readlink /proc/self/fd/1 /proc/self/fd/2; sleep 0.3' >out 2>&1
    assert_equal "$(sort -u out)" "$BATS_TEST_TMPDIR/out"
  done
}

@test "what writes often enough goes on, on either stream" {
  for to in 1 2; do
    within goes_on "$to"
  done
  assert_equal "$(cat out)" ''
  assert_equal "$(cat err)" "$(seq 6)"
}

@test "of what is held the length counts" {
  need_proc
  within goes_on 1 -o
  within goes_on 2 --quiet-success
  assert_equal "$(cat err)" "$(seq 6)"
  is_cut -o
  is_cut -oall
  assert_equal "$(cat out err)" $'said\nsaid'
}

@test "where both streams are one file, it is that" {
  one() {
    to=$1 logged -n 1 --idle-timeout="$LIMIT" "${@:2}" -- sh -c "$writer" >both 2>&1 || true
    log_holds 'attempts[0].status == 3'
  }
  for hold in '' -oall; do
    within one '1 2' ${hold:+"$hold"}
    assert_equal "$(cat both)" "$(printf '%s\n' 1 1 2 2 3 3 4 4 5 5 6 6)"
  done
}

@test "what closes one stream goes on with the other" {
  closing() {
    logged -n 1 --idle-timeout="$LIMIT" -- sh -c "exec $1; to=$2; $writer" >out 2>err || true
    log_holds 'attempts[0].status == 3'
  }
  within closing '>&-' 2
  within closing '2>&-' 1
}

@test "what closes both, or sends them elsewhere, is silent" {
  for where in '>&- 2>&-' '>elsewhere 2>&1'; do
    run -124 logged -n 1 --idle-timeout=200ms -- sh -c \
      "exec $where; while :; do echo; sleep 0.01; done"
    assert_events 'attempts[0].reason == "timed out after 200ms without output"'
  done
}

@test "-t cuts what writes all the time" {
  all_the_time() {
    logged -n 1 --idle-timeout="$LIMIT" -t "$((${LIMIT%ms} * 2))ms" -- \
      sh -c 'while :; do echo; sleep "$STEP"; done' >out || true
    log_holds '"without" not in attempts[0].reason' && assert_events 'attempts[0].outcome == "timed-out"'
  }
  within all_the_time
}

# Nor does that in which backoff itself is: see late looks in unit/process/silence.
@test "time in which COMMAND is stopped does not count" {
  need_proc
  stopped() {
    start -- "$BACKOFF" -n 1 --idle-timeout="$LIMIT" -- sh -c \
      'echo "ready $$ $PPID"; kill -s STOP $$; exit 3'
    await "$out" '^ready' || return
    wait_for in_state "$(the_probe)" T
    from=$(looks "$pid")
    # It looks on, for longer than the limit is.
    wait_for looked "$pid"
    signal CONT "$(the_probe)"
    wait "$runner" || true
    runner=
    [ "$(cat "$BATS_TEST_TMPDIR/fate")" = 'exited 3' ]
  }
  within stopped
}

@test "output that waits for a slow reader is output" {
  need_proc
  mkfifo full go end
  # COMMAND waits for room; or we alone do, with what is more than 64 KiB.
  for size in 300000 65600; do
    reads 'exited 3' full tell:full hear:go read -- "$BACKOFF" -n 1 -qq --idle-timeout=400ms -- \
      sh -c 'echo $PPID >parent; head -c "$1" /dev/zero; read -r _ <end; exit 3' sh "$size" 3>&- &
    reader=$!
    read -r _ <full
    from=$(looks "$(<parent)")
    wait_for looked "$(<parent)"
    exec 4<>end
    echo >&4
    echo >go
    wait "$reader"
    exec 4>&-
    assert_equal "$(wc -c <"$BATS_TEST_TMPDIR/got")" "$size"
  done
}

@test "a hook may be silent" {
  run -1 logged -n 2 -b 0 --idle-timeout=300ms --before-retry='sleep 0.7; echo hook >>hook' \
    --at-end='sleep 0.7; echo end >>hook' -- false
  assert_equal "$(cat hook)" $'hook\nend'
}

@test "without it, nothing is watched, and no process is adopted" {
  need_answer signalfd # else there are pipes for other reasons
  need_strace
  strace -qq -o trace "$BACKOFF" -n 1 -- true
  run ! grep -E '^pipe2?\(|FIONREAD|SUBREAPER|WCONTINUED' trace
  # As a check of the check.
  strace -qq -o trace "$BACKOFF" -n 1 --idle-timeout=1h -- true
  grep -q 'PR_SET_CHILD_SUBREAPER' trace
  grep -q '^pipe2(' trace
}
