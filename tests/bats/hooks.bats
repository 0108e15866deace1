#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --before-retry and --at-end.

load helper
load ../lib/events
load ../lib/process

seen=$BATS_TEST_TMPDIR/seen
export SEEN=$seen

# A hook that records what it finds, one line per run.
note='echo "$BACKOFF_ATTEMPT/$BACKOFF_ATTEMPTS ${BACKOFF_STATUS:-none} ${BACKOFF_VERDICT:-none} ${BACKOFF_RESULT-unset}" >>"$SEEN"'

# noted LINE...: checks that the hook recorded exactly these lines.
noted() {
  printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/wanted"
  diff "$BATS_TEST_TMPDIR/wanted" "$seen"
}

@test "--before-retry finds the coming attempt, and the last status and verdict" {
  run -9 logged -n 4 -b 0 --throttle-on=9 --before-retry="$note" -- \
    sh -c 'case $BACKOFF_ATTEMPT in 1) exit 7;; 2) kill -KILL $$;; *) exit 9;; esac'
  noted '2/4 7 retry unset' '3/4 137 retry unset' '4/4 9 throttle unset'
  rm "$seen"
  run -0 logged -n inf --consecutive=2 -b 0 --before-retry="$note" -- true
  noted '2/inf 0 success unset'
}

@test "the hooks have /dev/null as stdin" {
  need_proc
  echo input | {
    run -1 "$BACKOFF" -n 2 -b 0 --before-retry='cat >>"$SEEN"; readlink /proc/self/fd/0 >>"$SEEN"' \
      --at-end='cat >>"$SEEN"; readlink /proc/self/fd/0 >>"$SEEN"' -- false
  }
  noted /dev/null /dev/null
}

@test "where /dev/null cannot be opened no hook takes the job's stdin" {
  need_strace
  name_open
  seq 3 >"$BATS_TEST_TMPDIR/input"
  for hook in --before-retry --at-end; do
    for when in 1+ 2+; do
      rm -f "$seen"
      run strace -qq -o "$BATS_TEST_TMPDIR/trace" -e trace="$open" -P /dev/null \
        -e inject="$open:error=EACCES:when=$when" \
        "$BACKOFF" -n 3 -b 0 "$hook"='cat >>"$SEEN"' -- false <"$BATS_TEST_TMPDIR/input"
      [ ! -s "$seen" ] || fail "$hook read $(cat "$seen")"
      if grep -q INJECTED "$BATS_TEST_TMPDIR/trace"; then
        assert_equal "$status" 125
        assert_output "backoff: $hook: /dev/null: Permission denied"
      else
        assert_equal "$when $status" '2+ 1'
      fi
    done
  done
}

@test "the hooks' stdout is our stderr, where the log is a file too" {
  run -1 --separate-stderr logged -n 2 -b 0 --before-retry='echo before' \
    --at-end='echo end; echo error >&2' -- false
  assert_output ''
  assert_equal "$stderr" $'before\nend\nerror'
}

@test "--timeout does not count the hook" {
  for limit in 0.5 5 25; do
    rm -f "$seen"
    run logged -t "$limit" -b 0 --before-retry="sleep $limit; sleep 0.2; touch \"\$SEEN\"" -- \
      sh -c '[ -e "$SEEN" ]'
    ! log_holds "all(a.duration_s < $limit*s for a in attempts)" || break
  done
  assert_equal "$status" 0
  assert_events 'len(attempts) == 2' \
    'all(a.outcome == "exited" for a in attempts)'
}

@test "the deadline cuts --before-retry; the status is the last attempt's" {
  # The attempt, and the beginning of the hook, are to be before it.
  for limit in 0.5 5 25; do
    run logged -T "$limit" -b 0 --before-retry='echo $$ >"$SEEN"; exec sleep 300' -- \
      sh -c 'exit 7'
    [ ! -s "$seen" ] || break
  done
  assert_equal "$status" 7
  assert_events 'len(attempts) == 1' \
    'end.result == "deadline" and end.status == 7' "end.elapsed_s >= $limit*s"
  run kill -0 "$(cat "$seen")"
  assert_failure
}

@test "a signal in a hook is passed to it, and we die by it" {
  local option name hook='trap "echo told >\"\$SEEN\"; exit 0" HUP TERM
    echo "ready $$" >&2; while :; do sleep 0.05; done'
  for option in --before-retry --at-end; do
    for name in HUP TERM; do
      rm -f "$seen" "$events"
      start -- "$BACKOFF" -n 2 -b 0 --log-format=json --log-file="$events" "$option=$hook" -- false
      await "$err" '^ready'
      dies_by "$name"
      [ "$(cat "$seen")" = told ]
    done
    [ "$option" = --at-end ] ||
      assert_events 'len(attempts) == 1' 'end.result == "interrupted" and end.status == 143'
  done
}

@test "a signal that does not end us is discarded in a hook, that of --wake-on too" {
  mkfifo "$BATS_TEST_TMPDIR/go"
  for option in --before-retry --at-end; do
    start -- "$BACKOFF" -n 2 -b 0 --wake-on=HUP \
      "$option=echo ready >&2; read -r _ <'$BATS_TEST_TMPDIR/go'; echo $option >>\"\$SEEN\"" -- \
      sh -c '[ "$BACKOFF_ATTEMPT" -eq 2 ]'
    await "$err" '^ready'
    for name in HUP USR1 ALRM HUP; do
      signal "$name"
    done
    echo go 1<>"$BATS_TEST_TMPDIR/go"
    assert_fate 'exited 0'
  done
  noted --before-retry --at-end
}

# ends_with STATUS LINE ARG...: what --at-end finds in the end.
ends_with() {
  rm -f "$seen"
  run "-$1" logged -b 0 --at-end="$note" "${@:3}"
  run cat "$seen"
  assert_output --regexp "^$2\$"
}

@test "--at-end finds a success, a pass, a stop, the deadline and a refusal" {
  ends_with 0 '2/8 0 success success' -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 2 ]'
  ends_with 1 '1/8 1 pass pass' --pass-on=1 -- sh -c 'exit 1'
  ends_with 7 '1/8 7 stop stopped' --stop-on=7 -- sh -c 'exit 7'
  # On a slow machine there may be no attempt before it.
  ends_with 124 '[01]/1 .* deadline' -n 1 -T 200ms -- sleep 60
  ends_with 7 '1/8 7 retry stopped' --before-retry='exit 1' -- sh -c 'exit 7'
  ends_with 1 '1/8 0 success stopped' --consecutive=2 --before-retry='exit 3' -- true
  # Before we die by that signal.
  ends_with 137 '1/1 137 retry exhausted' -n 1 -- sh -c 'kill -KILL $$'
}

@test "no hook runs after a signal in the pause before it, in an attempt or in --before-retry" {
  local wait_here='echo ready >&2; exec sleep 300' hooks=(--before-retry='touch "$SEEN"' --at-end='touch "$SEEN"')
  start -- "$BACKOFF" -d 1h "${hooks[@]}" -- false
  await_pause
  dies_by TERM
  start -- "$BACKOFF" "${hooks[@]}" -- sh -c "$wait_here"
  await "$err" '^ready'
  dies_by TERM
  start -- "$BACKOFF" -b 0 "${hooks[@]}" --before-retry="$wait_here" -- false
  await "$err" '^ready'
  dies_by TERM
  [ ! -e "$seen" ]
}

@test "an --at-end that cannot be run is reported, and changes nothing" {
  need_strace
  local quiet lines_said call='?vfork,?fork,clone,?clone3'
  while read -r quiet lines_said; do
    run -7 strace -qq -o /dev/null -e trace="$call" -e inject="$call:error=EAGAIN:when=2" \
      "$BACKOFF" "$quiet" -n 1 --at-end='echo end >>"$SEEN"' -- sh -c 'exit 7'
    assert_equal "${#lines[@]}" "$lines_said"
    [ "$quiet" = -qq ] ||
      assert_line --index 1 'backoff: sh: --at-end could not be run: Resource temporarily unavailable'
  done <<<$'-q 2\n-qq 0'
  [ ! -e "$seen" ]
}

@test "the id is one for all attempts and hooks" {
  run -7 logged -n 3 -b 0 --before-retry='echo "$BACKOFF_ID" >>"$SEEN"' \
    --at-end='echo "$BACKOFF_ID" >>"$SEEN"' -- \
    sh -c 'echo "$BACKOFF_ID" >>"$SEEN"; exit 7'
  [ "$(wc -l <"$seen")" -eq 6 ]
  [ "$(sort -u "$seen" | wc -l)" -eq 1 ]
  assert_events "start.id == '$(head -n 1 "$seen")'"
}

@test "BACKOFF_DEPTH counts the nesting, in hooks too, and is replaced where it is no number" {
  run -0 "$BACKOFF" --at-end='echo "$BACKOFF_DEPTH" >>"$SEEN"' -- \
    "$BACKOFF" --at-end='echo "$BACKOFF_DEPTH" >>"$SEEN"' -- true
  noted 2 1
  for stale in '' -3 1x; do
    BACKOFF_DEPTH=$stale run -0 "$BACKOFF" -- sh -c 'echo "$BACKOFF_DEPTH"'
    assert_output 1
  done
  BACKOFF_DEPTH=41 run -0 "$BACKOFF" -- sh -c 'echo "$BACKOFF_DEPTH"'
  assert_output 42
}
