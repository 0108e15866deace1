#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --defer: a run that gave up puts off the next ones.

load helper
load ../lib/events
load ../lib/shared

@test "the log and --gate=list name the same second" {
  # Where it is noon, a minute is over on the same day.
  export TZ
  TZ=$(printf 'NOON%+d' $(($(date -u +%-H) - 12)))
  run -7 "$BACKOFF" --defer=hub:50s..50s -n 1 sh -c 'exit 7'
  run -75 "$BACKOFF" --defer=hub true
  told=${output##*until }
  told=${told%%: gave up*}
  assert_regex "$told" '^[0-9]{2}:[0-9]{2}:[0-9]{2}$'
  run -0 "$BACKOFF" --gate=list
  assert_line --index 1 --partial " $told "
}

@test "a run that gave up puts off the next, which exits 75 and starts nothing" {
  run -7 "$BACKOFF" --defer=hub:1h..2h -n 1 sh -c 'exit 7'
  run -75 --separate-stderr "$BACKOFF" --defer=hub --at-end='echo $BACKOFF_RESULT >ended' \
    touch started
  assert_regex "$stderr" '^backoff: touch: skipped until ([0-9-]+ )?[0-9]{2}:[0-9]{2}: gave up once \(exit 7\)$'
  assert_equal "$output" ''
  assert [ ! -e started ]
  assert_equal "$(cat ended)" deferred
  cp "$state/hub" before
  run -75 "$BACKOFF" --defer=hub true
  cmp before "$state/hub"
  run -0 "$BACKOFF" --defer=other true
}

# unit/gate/deferral has the windows.
@test "runs that give up in a row are counted, and the window doubles" {
  quietly --defer=hub:1h..24h -n 1 false
  record until=-1 >/dev/null
  quietly --defer=hub:1h..24h -n 1 sh -c 'exit 9'
  assert_equal "$(field failures) $(field window) $(field status)" '2 7200000000000 9'
  run -75 "$BACKOFF" --defer=hub true
  assert_output --regexp 'skipped until [0-9: -]+: gave up 2 times in a row \(exit 9\)'
}

@test "a run that gave up during the splay of another puts that off, too" {
  start -- "$BACKOFF" --defer=hub --wake-on=USR1 --splay=1000s..1000s -- true
  wait_for in_state "$pid" S
  quietly --defer=hub:1h..2h -n 1 false
  signal USR1
  assert_fate 'exited 75'
}

@test "two runs at once count once, and neither is lost" {
  local i
  mkfifo go
  for i in 1 2; do
    beside -qq --defer=hub:1h..2h -n 1 sh -c "echo >ready.$i; read -r _ <go; exit 7"
    wait_for test -e "ready.$i"
  done
  exec 7<>go
  printf '\n\n' >&7
  for i in "${others[@]}"; do
    wait "$i" || :
  done
  assert_equal "$(field failures)" 1
  assert_equal "$(field runs)" 2
}

@test "what a success forgets, it forgets also if it came meanwhile" {
  mkfifo go
  beside -qq --defer=hub:1h..2h -n 1 sh -c 'echo >ready; read -r _ <go'
  wait_for test -e ready
  quietly --defer=hub:1h..2h -n 1 false
  assert_equal "$(field failures)" 1
  echo >go
  wait $!
  assert_equal "$(field failures)" 0
}

@test "the event, and the end of a run that is put off" {
  run -1 logged --defer=hub:1h..2h -n 1 false
  run -75 logged --defer=hub true
  assert_events 'not attempts' '[n.event for n in news] == ["defer"]' \
    'news[0].defer == "hub"' 'news[0].failures == 1' \
    '1000*s < news[0].next_s <= 3600*s' 'end.result == "deferred"' \
    'end.status == 75' 'end.reason == "exit 1"'
}

@test "a skip is silent with --quiet-success and -qq, and told with -q" {
  quietly --defer=hub:1h..2h -n 1 false
  for quiet in --quiet-success -qq; do
    run -75 "$BACKOFF" "$quiet" --defer=hub true
    assert_output ''
  done
  run -75 "$BACKOFF" -q --defer=hub true
  assert_output --partial 'skipped until '
}

# once STATUS ARG...: a run that is not put off, with --quiet-repeats; what it
# prints is $output.
once() {
  run "-$1" "$BACKOFF" --quiet-repeats --defer=hub:1ns..1ns -n 1 "${@:2}"
}

@test "--quiet-repeats prints what the first of the runs that give up has to say" {
  once 7 sh -c 'echo out; echo err >&2; exit 7'
  assert_line --index 0 out
  assert_line --index 1 err
  assert_line --index 2 --regexp '^backoff: sh: giving up after 1 attempt in .*: exit 7$'
  assert_equal "${#lines[@]}" 3
}

@test "--quiet-repeats prints nothing where the run before gave up or stopped, too" {
  once 9 -x 9 sh -c 'exit 9'
  assert_output --partial 'not retrying after attempt 1/1'
  once 9 -x 9 sh -c 'exit 9'
  assert_output ''
  once 7 --before-retry='echo hook' --at-end='echo end' sh -c 'echo out; echo err >&2; exit 7'
  assert_output ''
  once 127 -v ./none
  assert_output ''
}

@test "--quiet-repeats: a run that is put off is silent, and does not count" {
  quietly --defer=hub:1h..2h -n 1 false
  run -75 "$BACKOFF" --quiet-repeats --defer=hub true
  assert_output ''
  record until=-1 >/dev/null
  once 7 sh -c 'exit 7'
  assert_output ''
  once 0 true
  assert_output --partial ': succeeded, after 2 runs had given up since '
}

@test "--quiet-repeats: one line says when it works again, and the next success none" {
  quietly --defer=hub:1ns..1ns -n 1 false
  record since="$(date -u -d '2026-01-15 02:10:59' +%s)000000000" >/dev/null
  TZ=UTC once 0 --at-end='echo end' sh -c 'echo out; echo err >&2'
  assert_output 'backoff: sh: succeeded, after 1 run had given up since 2026-01-15 02:10'
  once 0 sh -c 'echo out'
  assert_output ''
  # A pass ends the row as well, with its output.
  quietly --defer=hub:1ns..1ns -n 1 false
  once 3 --pass-on=3 sh -c 'echo out; exit 3'
  assert_line --index 0 out
  assert_line --index 1 --partial ': passed, after 1 run had given up since '
}

@test "--quiet-repeats: a run that is told to end changes nothing" {
  quietly --defer=hub:1ns..1ns -n 1 false
  # By another process than the attempt, which would have to end by itself.
  run -143 "$BACKOFF" --quiet-repeats --defer=hub:1ns..1ns sh -c '(kill -TERM $PPID); exec sleep 1000'
  once 0 true
  assert_output --partial ', after 1 run had'
}

@test "--quiet-repeats: a --log-file has it all, -qq prints nothing, and in JSON the end of a row is an event" {
  quietly --defer=hub:1ns..1ns -n 1 false
  once 7 --log-file=log sh -c 'exit 7'
  assert_output ''
  grep -q 'giving up after 1 attempt' log
  once 0 --log-format=json true
  assert_equal "${#lines[@]}" 1
  assert_output --regexp '"event":"defer",.*"failures":2,"next_s":0\.000000000}$'
  once 1 -qq false
  assert_output ''
  once 0 -qq true
  assert_output ''
}

@test "a person at a terminal is never put off, but a job in the background is" {
  quietly --defer=hub:1h..2h -n 1 false
  at_terminal <<'EOS'
type "$BACKOFF" --defer=hub --pass-on=3 sh -c 'exit 3'; echo status $?
wait status 3
EOS
  assert_equal "$(field failures)" 0
  quietly --defer=hub:1h..2h -n 1 false
  at_terminal <<'EOS'
type "$BACKOFF" --defer=hub true & wait $!; echo status $?
wait status 75
EOS
}

# Its process group is 1, too.
@test "a person at the terminal of a container, where backoff is process 1, is never put off" {
  need_namespace --pid --fork --mount-proc
  need_users
  quietly --defer=hub:1h..2h -n 1 false
  at_terminal "${namespace[@]}" setsid --ctty \
    "$BACKOFF" --defer=hub --pass-on=3 sh -c 'exit 3' <<'EOS'
fate exited 3
EOS
}

# What it would be put off by could never be forgotten.
@test "where there are no locks a run is not put off, and that is said" {
  need_strace
  quietly --defer=hub:1h..2h -n 1 false
  strace -qq -o calls -e trace=fcntl "$BACKOFF" -q --defer=hub true || true
  number=$(grep -n F_OFD_GETLK calls | sed 's/:.*//')
  run -0 strace -qq -o calls -e trace=fcntl -e inject="fcntl:error=ENOLCK:when=$number" \
    "$BACKOFF" --defer=hub echo ran
  assert_line --regexp 'cannot use defer hub \(.*: No locks available\); going on without$'
  assert_line ran
}
