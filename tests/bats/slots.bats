#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --slots: so many attempts at once of all runs of a name.

load helper
load ../lib/events
load ../lib/shared

setup() {
  need_answer byte_lock
  mkfifo go
  exec 7<>go
}

# holder N NUMBER: takes a slot of hub, which has N, until `echo >&7`.
holder() {
  beside --slots="hub:$1" -n 1 -- sh -c "echo >held.$2; read -r _ <go"
  wait_for test -e "held.$2"
}

# waiting PROCESS: it sleeps, has opened the file, and has no child.
waiting() {
  [ "$(state "$1")" = S ] && [ -z "$(cat "/proc/$1/task/$1/children")" ] &&
    find "/proc/$1/fd" -lname "$state/hub" | grep -q .
}

# Fails where anybody holds a place in the line for slots.
nobody_waits='
import fcntl, struct, sys
with open(sys.argv[1], "r+b") as file:
  F_OFD_GETLK, places = 36, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 1 << 60, 0, 0)
  kind = struct.unpack("hhqqi", fcntl.fcntl(file, F_OFD_GETLK, places))[0]
sys.exit(kind != fcntl.F_UNLCK)'

@test "a run that finds all slots taken waits, says so after a second, and leaves the line" {
  need_proc
  local began=${EPOCHREALTIME/./}
  holder 1 1
  start -- "$BACKOFF" --name=true --slots=hub:1 -n 1 "${PYTHON[@]}" -c "$nobody_waits" "$state/hub"
  await "$err" '^backoff: true: waiting for the slot of hub$'
  assert [ $((${EPOCHREALTIME/./} - began)) -ge 1000000 ]
  echo >&7
  assert_fate 'exited 0'
  assert_equal "$(wc -l <"$err")" 1
}

@test "--slots-wait=0 takes a slot that is free, and --gate=list has how many are taken" {
  holder 3 1
  holder 3 2
  run -0 "$BACKOFF" --slots=hub:3 --slots-wait=0 -- echo ran
  assert_output ran
  run -0 "$BACKOFF" --gate=list
  assert_line --regexp '^hub   open( +-){4} +2 +- +-$'
}

@test "the event of a wait has its length, and there is none without one" {
  need_proc
  run -0 logged --slots=hub:1 true
  assert_events 'not news'
  holder 1 1
  start_logged --gate=hub --slots=hub:1 true
  wait_for waiting "$pid"
  # What a text log says after a second is no event.
  beside --slots=hub:1 true
  wait_for grep -q waiting beside
  echo >&7
  wait "$pid" $!
  assert_events '[n.event for n in news] == ["slot"]' 'news[0].slots == "hub"' \
    '1*s < news[0].waited_s < 1000*s' 'len(attempts) == 1'
}

@test "--slots-wait is for all waits of a run, of which each has what is left" {
  need_proc
  holder 1 1
  start -- "$BACKOFF" -qq --slots=hub:1 --slots-wait=1000s -b 1ms -n 2 --before-retry='
    "$BACKOFF" --slots=hub:1 sh -c "echo >again; read -r _ <go" & until [ -e again ]; do sleep 0.02; done' -- false
  wait_for waiting "$pid"
  echo >&7
  wait_for test -e again
  wait_for waiting "$pid"
  echo >&7
  assert_fate 'exited 1'
}

@test "a slot is free in the pauses and in the hooks" {
  start -- "$BACKOFF" --slots=hub:1024 -d 1000s -- false
  await_pause
  run -0 "$BACKOFF" --gate=list
  assert_line --regexp '^hub   open( +-){5} +- +-$'
  dies_by TERM
  run -0 "$BACKOFF" --slots=hub:1 -d 0 -n 2 \
    --before-retry='"$BACKOFF" --slots=hub:1 sh -c "env | grep ^BACKOFF_SLOTS" >in-hook' \
    -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
  # What the hook had is its own alone.
  assert_equal "$(wc -w <in-hook)" 1
}

@test "a nested run shares the slot of the one around it" {
  run -0 "$BACKOFF" --slots=hub:1 -- sh -c '
    "$BACKOFF" --slots=hub:1 -- sh -c "\"\$BACKOFF\" --slots=hub:1 -- echo inside"'
  assert_output inside
  # Also through one that has others, and one that has none.
  run -0 "$BACKOFF" --slots=hub:1 -- "$BACKOFF" --slots=other:1 -- "$BACKOFF" -- \
    "$BACKOFF" --slots=hub:1 -- "$BACKOFF" --slots=other:1 -- echo inside
  assert_output inside
}

# The pid of the holder is that of nobody there, or of another process.
@test "a nested run in another PID namespace shares the slot of the one around it" {
  for mount in '' --mount-proc; do
    # shellcheck disable=SC2086 # an option or none
    need_namespace --pid --fork $mount
    run -0 "$BACKOFF" -q --slots=hub:1 -T 100s -- "${namespace[@]}" \
      sh -c '"$BACKOFF" --slots=hub:1 -T 20s echo inside; exit 0'
    assert_output inside
  done
  # Also where the holder is process 1.
  run -0 "${namespace[@]}" "$BACKOFF" --slots=hub:1 -n 1 -- "$BACKOFF" --slots=hub:1 -T 20s echo inside
}

@test "a word in BACKOFF_SLOTS is not believed unless its holder is above us" {
  need_proc
  holder 1 1
  word=$(tr '\0' '\n' <"/proc/$(child_of "${others[0]}")/environ" | sed -n 's/^BACKOFF_SLOTS=//p')
  assert_regex "$word" "^[0-9]+:[0-9]+:hub:${others[0]}:[0-9]+:0\$"
  # Another's slot, nonsense, a process above us of another directory, and of
  # another PID namespace a slot that nobody holds.
  local here=${word%:*:*:*} rest
  rest=${word#"$here:${others[0]}"}
  BACKOFF_SLOTS="$word x:y :: $here:999999999999999999999999$rest 1:1:hub:$$$rest $here: hub $here:1:1:7" \
    start -- "$BACKOFF" --slots=hub:1 true
  await "$err" 'waiting for the slot of hub'
  echo >&7
  assert_fate 'exited 0'
}

@test "the slot of a run that is killed is free" {
  holder 2 1
  holder 2 2
  start -- "$BACKOFF" --name=true --slots=hub:2 sh -c '[ -z "${BACKOFF_GATE+set}" ]'
  await "$err" '^backoff: true: waiting for one of 2 slots of hub$'
  kill -KILL "${others[0]}"
  assert_fate 'exited 0'
}

@test "who is stopped in the queue holds up nobody, and is next when it goes on" {
  need_proc
  holder 1 1
  for _ in 1 2; do
    beside -q --slots=hub:1 true
    wait_for waiting $!
    kill -STOP $!
    wait_for in_state $! T
  done
  echo >&7
  wait "${others[0]}"
  # It has stood behind them for a second.
  run -0 logged --slots=hub:1 -T 60s true
  assert_events '[n.event for n in news] == ["slot"]'
  # Who comes now need not wait for them at all.
  run -0 "$BACKOFF" --slots=hub:1 --slots-wait=0 -- echo free
  for pid in "${others[@]:1}"; do
    kill -CONT "$pid"
    wait "$pid"
  done
}

signals_end() {
  local name
  for name in INT TERM; do
    start -- "$BACKOFF" --slots=hub:2 touch started
    wait_for waiting "$pid"
    dies_by "$name"
    # After a second it tells what it waits for, before that.
    run grep -v ': waiting for ' "$err"
    assert_output --regexp "^backoff: touch: interrupted by $name after [0-9.]+[mu]?s\$"
  done
}

wakes_do_not_end() {
  start -- "$BACKOFF" --slots=hub:2 --wake-on=USR1 touch started
  wait_for waiting "$pid"
  signal USR1
  signal USR2
  await "$err" 'waiting for'
  dies_by TERM
}

limits_end() {
  local limit
  for limit in -T1s --until=@; do
    words=deadline
    [ "$limit" = -T1s ] || { limit+=$(($(date +%s) + 3)) words=--until; }
    run -124 "$BACKOFF" --slots=hub:2 "$limit" touch started
    assert_line --regexp "^backoff: touch: $words reached in [^ ]*, waiting for a slot of hub\$"
  done
  run -75 "$BACKOFF" --slots=hub:2 --slots-wait=300ms -- touch started
  assert_line 'backoff: touch: no slot of hub was free within 300ms'
  run -75 "$BACKOFF" --slots=hub:2 --slots-wait=0 -- touch started
  assert_output 'backoff: touch: skipped: all slots of hub are taken'
  run -75 "$BACKOFF" --slots=hub:2 --slots-wait=0 --quiet-success -- touch started
  assert_output ''
  run -75 logged --slots=hub:2 --slots-wait=100ms --at-end='echo "$BACKOFF_RESULT" >result' true
  assert_events 'not news' 'end.result == "deferred"' 'end.status == 75'
  assert_equal "$(cat result)" deferred
}

@test "signals and limits end a wait for a slot, of the first who waits and of the next, and no other signal does" {
  need_proc
  holder 2 1
  holder 2 2
  for _ in first next; do
    signals_end
    wakes_do_not_end
    limits_end
    beside --slots=hub:2 true
    wait_for waiting $!
    tickets+=($(($(field next) - 1)))
  done
  # Nobody has passed the one who waits.
  assert_equal "$(field head)" "${tickets[0]}"
  assert [ ! -e started ]
}

@test "a limit is kept, and a slot waited for, where the order cannot be written" {
  need_strace
  holder 1 1
  start -- strace -qq -o /dev/null -e inject=pwrite64:error=ENOSPC "$BACKOFF" --slots=hub:1 true
  await "$err" 'waiting for the slot of hub$'
  run -75 "$BACKOFF" --slots=hub:1 --slots-wait=0 true
  echo >&7
  assert_fate 'exited 0'
  assert_equal "$(wc -l <"$err")" 1
}

# other_takes OPTION: in the pause of a run another takes the slot, and keeps it.
other_takes() {
  start -- "$BACKOFF" --slots=hub:1 -d 0 "$1" --before-retry='echo >paused; read -r _ <go' \
    -- sh -c 'exit 7'
  wait_for test -e paused
  beside --slots=hub:1 -- sh -c 'echo >taken; exec sleep 1000'
  wait_for test -e taken
  echo >&7
  assert_fate 'exited 7'
}

@test "--slots-wait after an attempt keeps its status, and with 0 skips no run" {
  other_takes --slots-wait=100ms
  assert_equal "$(tail -n 1 "$err")" 'backoff: sh: no slot of hub was free within 100ms'
  rm paused taken
  kill -KILL "${others[@]}"
  other_takes --slots-wait=0
  assert_equal "$(tail -n 1 "$err")" 'backoff: sh: all slots of hub are taken'
}

# bats test_tags=long
@test "a deadline in a wait after an attempt keeps its status" {
  other_takes -T10s
  assert_regex "$(tail -n 1 "$err")" \
    '^backoff: sh: deadline reached in [^ ]*, waiting for a slot of hub: exit 7$'
}

# The failures are of runs without slots.
@test "who has waited for a slot looks at the gate again, and gives the slot back" {
  need_proc
  holder 1 1
  start -- "$BACKOFF" --gate=hub --slots=hub:1 -T 1000s -- touch started
  await "$err" 'waiting for the slot of hub'
  shut_for 30m
  echo >&7
  await "$err" 'waiting at gate hub'
  run -0 "$BACKOFF" --slots=hub:1 -- echo free
  assert_output free
  assert [ ! -e started ]
}

@test "who locks all of the file keeps no run from ending in its time" {
  "$BACKOFF" --slots=hub:1 -- true
  hold_bytes "$state/hub" 0 0
  run -75 "$BACKOFF" --slots=hub:1 --slots-wait=1s -- touch started
  start -- "$BACKOFF" --slots=hub:1 -- touch started
  await "$err" 'waiting for the slot'
  dies_by TERM
  assert [ ! -e started ]
}

@test "a lock of COMMAND's own heirs holds no slot" {
  "$BACKOFF" --slots=hub:1 -- sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! >heir' 3>&- 7>&-
  run -0 "$BACKOFF" --slots=hub:1 -T 100s true
  kill "$(cat heir)"
}
