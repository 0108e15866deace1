#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The command finds everything as without backoff, and BACKOFF_*.

load helper
load ../lib/tree

setup() {
  export STATE=$lib/state.sh
  unset TEST_MARK
}

# transparent PREPARE [OPTION]...: PREPARE, a function, prepares a process.
# What a command finds there is the same without us and with us and these
# options, at the first attempt and at the second.
transparent() {
  local prepare=$1
  shift
  rm -f output found.*
  prepared sh -c 'exec sh "$STATE" "$0" 0' "$BATS_TEST_TMPDIR/found.without"
  prepared "$BACKOFF" -qq -n 2 --base=0 "$@" -- \
    sh -c 'exec sh "$STATE" "$0.$BACKOFF_ATTEMPT" "$((2 - BACKOFF_ATTEMPT))"' "$BATS_TEST_TMPDIR/found"
  [ -s found.without ] || fail "nothing to compare with"
  diff -u found.without found.1 || fail "the first attempt finds other things"
  diff -u found.without found.2 || fail "the second attempt finds other things"
}

# prepared COMMAND...: in a process of its own.
prepared() {
  (
    exec </dev/null >output 2>&1 3>&-
    "$prepare"
    exec env "$@"
  )
}

nothing() { :; }
without_stdin() { exec <&-; }
without_stdout() { exec >&-; }
without_stderr() { exec 2>&-; }
without_streams() { exec <&- >&- 2>&-; }

@test "rule 62: a command finds the same environment as without backoff" {
  transparent nothing
}

@test "rule 62: options of backoff do not change that" {
  transparent nothing -t 1h -T 2h --until=23:59 --grace=1s --signal=INT --splay=1ms \
    --wake-on=USR1 --seed=1 --name=x --before-retry=true --at-end=true
  transparent nothing --log-format=json --log-file="$BATS_TEST_TMPDIR/log"
  transparent nothing -v
}

@test "rule 62: umask, niceness, limits, OOM score and timer slack are passed on" {
  need_proc
  odd_place() {
    umask 027
    renice -n 19 -p "$BASHPID"
    ulimit -S -n 64 -c 0 -s 4096
    ulimit -S -f 100000
    echo 500 >/proc/self/oom_score_adj
    [ ! -w /proc/self/timerslack_ns ] || echo 70000 >/proc/self/timerslack_ns
  }
  transparent odd_place -t 1h
  grep -qx 500 found.2
}

@test "rule 61: the working directory is kept" {
  elsewhere() { mkdir -p some/place && cd some/place || exit; }
  transparent elsewhere --log-file=log
  grep -qx "$(cd some/place && pwd -P)" found.2
}

@test "rule 59: a closed stdin, stdout or stderr stays closed" {
  local log=--log-file=$BATS_TEST_TMPDIR/log stream
  for stream in stdin stdout stderr streams; do
    transparent "without_$stream"
    transparent "without_$stream" -t 1h "$log"
  done
}

@test "rule 59: other descriptors are passed on, those of a jobserver too" {
  mkfifo tokens
  with_jobserver() { exec 5<>tokens 3<&5 4>&5 5<&- 9>>some 200>other; }
  transparent with_jobserver
  transparent with_jobserver -t 1h --log-file="$BATS_TEST_TMPDIR/log"
  grep -q '^3 -> .*/tokens$' found.2
  grep -q '^200 -> ' found.2
}

@test "rule 59: our own descriptors are 10 and above" {
  need_proc
  mkfifo ready
  for closed in '' '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    sh -c "sh -c 'ls /proc/\$\$/fd >inherited; :' $closed" </dev/null >output 2>&1 3>&-
    sh -c "exec env TEST_MARK=\$MARKS/run \"\$BACKOFF\" -t 1h --log-file=log -- \
      sh -c 'echo \"\$PPID\" >ready; exec sleep 1000' $closed" </dev/null >output 2>&1 3>&- &
    pid=$(<ready)
    # shellcheck disable=SC2010,SC2012 # descriptors are numbers
    ls "/proc/$pid/fd" | grep -vxFf inherited >ours
    while read -r fd; do
      [ "$fd" -ge 10 ] || fail "with $closed we use descriptor $fd"
    done <ours
    end_marked
  done
}

@test "with a closed stderr the log goes nowhere else" {
  # What the command opens next has the number of stderr.
  "$BACKOFF" -v -n 2 --base=0 -- sh -c 'echo said >"out.$BACKOFF_ATTEMPT"; exit 7' 2>&- || true
  assert_equal "$(cat out.1 out.2)" $'said\nsaid'
}

# How many are enough: without signalfd, each start takes two.
few=4
has_answer signalfd || few=7 # bats has one open

@test "with few descriptors a timeout ends all of the attempt, or --verbose says that it cannot" {
  for limit in "$few" $((few + 1)) $((few + 2)) $((few + 3)) $((few + 4)); do
    for timeout in 200ms 2s 20s; do # until the command is faster
      status=0
      sh -c 'exec 3>&-; ulimit -n "$1"; exec "$BACKOFF" -v -n 1 -t "$2" -- sh -c "sleep 1000 & echo \$!; wait"' \
        sh "$limit" "$timeout" >left 2>said || status=$?
      [ ! -s left ] || break
    done
    assert_equal "$limit: $status" "$limit: 124"
    # A zombie is gone: process 1 may not have reaped it yet.
    gone "$(<left)" || grep -q 'signalled only the command' said || fail "$limit: $(<said)"
    kill -KILL "$(<left)" 2>/dev/null || true
  done
}

@test "with few descriptors each option does its work, or nothing is lost and the reason is printed" {
  local limit option want options=(-v -o -oall --quiet-success --idle-timeout=1h --success-if=never
    --log-file=log --gate=g --defer=d --before-retry=: --at-end='touch ended')
  ! has_answer byte_lock || options+=(--slots=s:1)
  for option in "${options[@]}"; do
    for ((limit = few; limit < few + 6; limit++)); do
      rm -rf ran.* log ended "$BACKOFF_STATE_DIR"
      run bash -c 'exec 3>&- </dev/null; ulimit -n "$0"; exec "$@"' "$limit" "$BACKOFF" -n 2 -b 0 "$option" -- \
        sh -c 'touch "ran.$BACKOFF_ATTEMPT"; printf "%s of " "$BACKOFF_ATTEMPT"; ulimit -n; exit 7'
      # No attempt runs whose output is lost.
      want=()
      for ran in ran.*; do
        [ ! -e "$ran" ] || want+=("${ran#ran.} of $limit")
      done
      case $option in -o* | --quiet-success) want=("${want[@]: -1}") ;; esac
      assert_equal "$option: $(grep '^[12] of ' <<<"$output" | xargs)" "$option: ${want[*]}"
      if [ "$status" -eq 7 ]; then
        [ -e ran.2 ]
        [[ $option != --at-end* ]] || [ -e ended ] || fail "$limit: no --at-end"
      else
        # 126 where a start takes a pipe.
        assert_regex "$option, $limit: $status" '12[56]$'
        [ ! -e log ] || output+=$(<log)
        assert_output --regexp 'Too many open files|No file descriptors available|no descriptor left for '
      fi
    done
  done
}

@test "rule 61: a command runs in a directory that has been removed" {
  mkdir gone
  cd gone
  rmdir ../gone
  # Some shells complain.
  run -7 --separate-stderr "$BACKOFF" -n 2 --base=0 -- sh -c 'echo here; exit 7'
  assert_output $'here\nhere'
}

@test "rule 61: a relative command in a directory that is removed meanwhile is not found" {
  # The directory that is made anew is another one, and not seen.
  mkdir gone
  printf '%s\n' '#!/bin/sh' \
    'rm -r ../gone; mkdir ../gone; cp ../command ../gone; exit 7' >"$PWD/command"
  chmod +x command
  cp command gone
  cd gone
  run -127 logged -n 4 --base=0 -- ./command
  assert_events 'len(attempts) == 2 and attempts[1].outcome == "not-started"'
}

@test "rule 60: LISTEN_PID and WATCHDOG_PID, if they name backoff, name the command at each attempt" {
  need_proc
  run sh -c 'exec 3</dev/null; export LISTEN_PID=$$ WATCHDOG_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=x
    exec "$BACKOFF" -qq -n 2 --base=0 -- sh -c "
      [ \$LISTEN_PID = \$\$ ] && [ \$WATCHDOG_PID = \$\$ ] && echo \$LISTEN_FDS \$LISTEN_FDNAMES
      readlink /proc/self/fd/3; exit 7"'
  assert_output $'1 x\n/dev/null\n1 x\n/dev/null'
}

@test "rule 60: if they name another process, or nothing, they are left alone" {
  LISTEN_PID=1 WATCHDOG_PID=$$ NOTIFY_SOCKET=/run/x run "$BACKOFF" -qq -n 2 --base=0 -- \
    sh -c 'echo "$LISTEN_PID $WATCHDOG_PID $NOTIFY_SOCKET"; exit 7'
  assert_line --index 0 "1 $$ /run/x"
  assert_line --index 1 "1 $$ /run/x"
  run sh -c 'export LISTEN_PID="0$$" WATCHDOG_PID= LISTEN_PIDFD="$$"; echo "$LISTEN_PID $LISTEN_PIDFD"
    exec "$BACKOFF" -- sh -c "echo \"\$LISTEN_PID\$WATCHDOG_PID \$LISTEN_PIDFD\""'
  assert_equal "${lines[1]}" "${lines[0]}"
  run env -u LISTEN_PID -u WATCHDOG_PID "$BACKOFF" -- sh -c 'echo "${LISTEN_PID-none} ${WATCHDOG_PID-none}"'
  assert_output 'none none'
}

@test "rule 60: the command's pid may have more digits than backoff's" {
  need_namespace --pid --fork --kill-child
  run -0 "${namespace[@]}" env LISTEN_PID=1 "$BACKOFF" -qq -n 15 --base=0 -- \
    sh -c '[ "$LISTEN_PID" = "$$" ] || echo "not $$ but $LISTEN_PID"; [ "$$" -ge 12 ] || exit 7'
  assert_output ''
}

@test "BACKOFF_ATTEMPT counts from 1, BACKOFF_ATTEMPTS says how many at most, inf where there is no limit" {
  run "$BACKOFF" -qq -n 3 --base=0 -- sh -c 'echo "$BACKOFF_ATTEMPT/$BACKOFF_ATTEMPTS"; exit 7'
  assert_output $'1/3\n2/3\n3/3'
  run "$BACKOFF" -T 1h -- sh -c 'echo "$BACKOFF_ATTEMPTS"'
  assert_output inf
}

@test "BACKOFF_ATTEMPT never goes back, not even when --reset-after resets the count" {
  run -0 "$BACKOFF" -qq -n 2 --base=0 --reset-after=50ms -- \
    sh -c 'echo "$BACKOFF_ATTEMPT"; sleep 0.1; [ "$BACKOFF_ATTEMPT" -eq 5 ] || exit 7'
  assert_output $'1\n2\n3\n4\n5'
}

@test "BACKOFF_STATUS and BACKOFF_VERDICT are those of the attempt before, empty at first" {
  # All but the fourth attempt are to end in time.
  for limit in 1s 5s 25s; do
    run "$BACKOFF" -qq -n 6 --base=0 -t "$limit" --throttle-on=9 --consecutive=2 -- sh -c '
    echo "<$BACKOFF_STATUS $BACKOFF_VERDICT>"
    case $BACKOFF_ATTEMPT in
    1) exit 7 ;;
    2) exit 9 ;;
    3) kill -s KILL $$; sleep 1000 ;;
    4) exec sleep 1000 ;;
    esac'
    [ "$status" -ne 0 ] || [ "$(grep -c 124 <<<"$output")" -ne 1 ] || break
  done
  assert_success
  assert_output $'< >\n<7 retry>\n<9 throttle>\n<137 retry>\n<124 retry>\n<0 success>'
}

@test "BACKOFF_ELAPSED is whole seconds since the start" {
  run "$BACKOFF" -qq -d 1100ms,1s -- sh -c 'echo "$BACKOFF_ELAPSED"; exit 7'
  assert_output --regexp $'^[0-9]+\n[1-9][0-9]*\n[1-9][0-9]*$'
  [ "${lines[2]}" -gt "${lines[1]}" ]
}

@test "nothing of an outer BACKOFF_* is inherited, by hooks either" {
  need_proc
  for name in ATTEMPT ATTEMPTS ID STATUS VERDICT ELAPSED HINT RESULT; do
    export "BACKOFF_$name=stale"
  done
  run "$BACKOFF" -qq -n 2 --base=0 --before-retry='env | grep "^BACKOFF_"' -- \
    sh -c 'env | grep "^BACKOFF_"; exit 7'
  refute_output --partial stale
  refute_output --partial BACKOFF_RESULT
  assert_equal "$(grep -c '^BACKOFF_ATTEMPT=' <<<"$output")" 3
  # And not by a second entry of the same name either.
  run "$BACKOFF" -- sh -c 'tr "\0" "\n" </proc/$$/environ | grep -c "^BACKOFF_ID="'
  assert_output 1
}

@test "an empty environment gets BACKOFF_* and no more" {
  run -0 env -i "$BACKOFF" "$(command -v env)"
  assert_line 'BACKOFF_ATTEMPT=1'
  refute_line --regexp '^([^B]|B[^A])'
}
