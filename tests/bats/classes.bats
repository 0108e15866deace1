#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What counts as what: CODES, their widths, and the defaults.

load helper
load ../lib/events

# verdict WANTED OPTION... -- COMMAND...: checks the first attempt's verdict.
verdict() {
  local wanted=$1
  shift
  logged -n 2 --base=0 "$@" || true
  assert_events "attempts[0].verdict == '$wanted'"
}

# exits N and dies SIGNAL print a shell command that ends so.
exits() { echo "exit $1"; }
dies() { echo "kill -$1 \$\$; sleep 60"; }

# A command that cannot be started just now: its file is open for writing.
busy_command() {
  busy=$BATS_TEST_TMPDIR/busy
  cp "$(type -P true)" "$busy"
  exec 9>>"$busy"
  if (exec "$busy") 2>/dev/null; then
    skip "this system starts a file that is open for writing"
  fi
}

# --- the defaults ---

@test "by default 0 is success and any other status is retried" {
  verdict success -- sh -c 'exit 0'
  local status
  for status in 1 2 7 64 77 125 126 127 128 130 143 255; do
    verdict retry -- sh -c "$(exits "$status")"
  done
}

@test "by default a timeout is retried" {
  verdict retry -t 50ms -- sleep 60
}

@test "rule 28: by default a command killed by INT or QUIT is not retried" {
  verdict stop -- sh -c "$(dies INT)"
  assert_events 'end.result == "stopped" and end.status == 130'
  verdict stop -- sh -c "$(dies QUIT)"
  assert_events 'end.result == "stopped" and end.status == 131'
}

@test "rule 28: exit 130 and exit 131 are ordinary failures" {
  verdict retry -- sh -c 'exit 130'
  verdict retry -- sh -c 'exit 131'
}

@test "rule 29: by default a command killed by another signal is retried" {
  local signal
  for signal in HUP KILL SEGV ABRT TERM USR1; do
    verdict retry -- sh -c "$(dies "$signal")"
  done
}

@test "rule 54: by default a command that cannot be started for a lasting reason is not retried" {
  verdict stop -- no-such-command-of-ours
  verdict stop -- "$BATS_TEST_TMPDIR"
}

@test "rule 55: by default a command that cannot be started just now is retried" {
  busy_command
  verdict retry -- "$busy"
  assert_events 'attempts[0].outcome == "not-started"' \
    'attempts[0].status == 126' 'end.status == 126'
}

# --- the five options ---

@test "--success-on adds successes, which end with 0" {
  run -0 logged --success-on=7,24 -- sh -c 'exit 7'
  assert_events 'len(attempts) == 1' 'attempts[0].verdict == "success"'
  verdict success --success-on=7,24 -- sh -c 'exit 24'
  verdict success --success-on=7,24 -- sh -c 'exit 0'
  verdict retry --success-on=7,24 -- sh -c 'exit 8'
}

@test "--success-on can make a killed or timed-out attempt a success" {
  run -0 logged --success-on=PIPE -- sh -c "$(dies PIPE)"
  run -0 logged --success-on=timeout -t 50ms -- sleep 60
  assert_events 'attempts[0].outcome == "timed-out"' \
    'end.result == "success" and end.status == 0'
}

@test "--pass-on ends at once and keeps the status" {
  run -1 logged --pass-on=1 -- sh -c 'exit 1'
  assert_output ''
  assert_events 'len(attempts) == 1' 'attempts[0].verdict == "pass"'
  verdict success --pass-on=1 -- sh -c 'exit 0'
  verdict retry --pass-on=1 -- sh -c 'exit 2'
}

@test "--pass-on can make a signal a pass, and backoff dies by it" {
  run -137 logged --pass-on=KILL -- sh -c "$(dies KILL)"
  assert_output ''
  assert_events 'end.result == "pass" and end.status == 137'
}

@test "--pass-on=0 is a pass of 0" {
  run -0 logged --pass-on=0 -- true
  assert_events 'end.result == "pass" and end.status == 0'
}

@test "--retry-on retries these and nothing else" {
  verdict retry -r 7 -- sh -c 'exit 7'
  verdict stop -r 7 -- sh -c 'exit 8'
  verdict success -r 7 -- sh -c 'exit 0'
  verdict stop --retry-on=7 -- sh -c "$(dies KILL)"
  verdict stop --retry-on=nonzero -t 50ms -- sleep 60
  verdict stop --retry-on=timeout -- sh -c 'exit 7'
}

@test "with --retry-on a command that cannot be started just now is retried only if listed" {
  busy_command
  verdict stop -r 7 -- "$busy"
  verdict retry -r start -- "$busy"
  verdict retry -r any -- "$busy"
}

@test "--retry-on does not affect the codes of the other four options" {
  verdict throttle -r 7 --throttle-on=9 -- sh -c 'exit 9'
  verdict pass -r 7 --pass-on=1 -- sh -c 'exit 1'
  verdict success -r 7 --success-on=24 -- sh -c 'exit 24'
  verdict stop -r 7 --stop-on=8 -- sh -c 'exit 8'
}

@test "--throttle-on retries after the longer pause" {
  run -9 logged -n 2 -b 1ms -j none --throttle-on=9 -- sh -c 'exit 9'
  assert_events '[a.verdict for a in attempts] == ["throttle"] * 2' \
    'pauses == [5*ms]' 'end.result == "exhausted"'
  verdict retry --throttle-on=9 -- sh -c 'exit 7'
}

@test "--stop-on adds to what is not retried" {
  run -8 logged -x 7-9 -- sh -c 'exit 8'
  assert_events 'len(attempts) == 1' 'end.result == "stopped"'
  verdict retry -x 7-9 -- sh -c 'exit 6'
  verdict stop -x 7-9 -- sh -c "$(dies INT)"
  verdict stop -x 7-9 -- no-such-command-of-ours
}

# --- the grammar ---

@test "a number is an exit status and nothing else" {
  verdict stop -x 9 -- sh -c 'exit 9'
  verdict retry -x 9 -- sh -c "$(dies KILL)"
  verdict retry -x 137 -- sh -c "$(dies KILL)"
  verdict retry -x 124 -t 50ms -- sleep 60
  verdict stop -x 127 -- sh -c 'exit 127'
  busy_command
  verdict retry -x 126 -- "$busy"
}

@test "a range has both its ends" {
  local status
  for status in 4 5 7; do
    verdict stop -x 4-7 -- sh -c "$(exits "$status")"
  done
  verdict retry -x 4-7 -- sh -c 'exit 3'
  verdict retry -x 4-7 -- sh -c 'exit 8'
  verdict stop -x 255-255 -- sh -c 'exit 255'
  verdict retry -x 128-255 -- sh -c "$(dies KILL)"
}

@test "a list is all of its items" {
  verdict stop -x 1,4-7,KILL,tempfail -- sh -c 'exit 1'
  verdict stop -x 1,4-7,KILL,tempfail -- sh -c 'exit 6'
  verdict stop -x 1,4-7,KILL,tempfail -- sh -c "$(dies KILL)"
  verdict stop -x 1,4-7,KILL,tempfail -- sh -c 'exit 75'
  verdict retry -x 1,4-7,KILL,tempfail -- sh -c 'exit 2'
}

@test "the same code twice under one option is no contradiction" {
  verdict stop -x 7,7,4-9,5-8,tempfail,75 -- sh -c 'exit 7'
}

@test "nonzero is every exit status but 0, and neither a signal nor a timeout" {
  verdict stop -x nonzero -- sh -c 'exit 1'
  verdict stop -x nonzero -- sh -c 'exit 255'
  verdict success -x nonzero -- sh -c 'exit 0'
  verdict retry -x nonzero -- sh -c "$(dies KILL)"
  verdict retry -x nonzero -t 50ms -- sleep 60
}

@test "a signal's name, with or without SIG, matches a command killed by it" {
  verdict stop -x KILL -- sh -c "$(dies KILL)"
  verdict stop -x SIGKILL -- sh -c "$(dies KILL)"
  verdict stop -x USR1,SIGSEGV -- sh -c "$(dies SEGV)"
  verdict retry -x KILL -- sh -c "$(dies TERM)"
  verdict retry -x KILL -- sh -c 'exit 137'
}

@test "signal matches a command killed by any signal" {
  verdict stop -x signal -- sh -c "$(dies KILL)"
  verdict stop -x signal -- sh -c "$(dies USR2)"
  verdict retry -x signal -- sh -c 'exit 143'
}

@test "timeout matches a timed-out attempt whatever its status" {
  need_proc
  verdict stop -x timeout -t 50ms -- sleep 60
  # The command goes on to its own end.
  local past=(-t 50ms -- bash -c "$until_term"'; exit "$0"')
  under=("${HOLD_TERM[@]}")
  verdict stop -x timeout "${past[@]}" 0
  verdict retry -x 7 "${past[@]}" 7
  verdict retry --success-on=7 "${past[@]}" 0
  # shellcheck disable=SC2034 # for logged
  under=()
  verdict retry -x TERM,signal -t 50ms -- sleep 60
  verdict retry -x timeout -- sh -c 'exit 124'
}

@test "start matches a command that cannot be started, for a lasting reason or not" {
  verdict retry -r start -- no-such-command-of-ours
  verdict retry --retry-on=start -- "$BATS_TEST_TMPDIR"
  verdict retry -x start -- sh -c 'exit 127'
  busy_command
  verdict stop -x start -- "$busy"
}

@test "any covers statuses, signals, timeouts and start failures" {
  verdict stop -x any -- sh -c 'exit 7'
  verdict stop -x any -- sh -c "$(dies KILL)"
  verdict stop -x any -t 50ms -- sleep 60
  busy_command
  verdict stop -x any -- "$busy"
}

@test "every name of sysexits.h is known, with EX_ and without" {
  local number=64 name
  for name in usage dataerr noinput nouser nohost unavailable software oserr \
    osfile cantcreat ioerr tempfail protocol noperm config; do
    verdict stop -x "$name" -- sh -c "$(exits "$number")"
    verdict stop -x "EX_${name^^}" -- sh -c "$(exits "$number")"
    verdict retry -x "$name" -- sh -c 'exit 7'
    number=$((number + 1))
  done
  [ "$number" -eq 79 ]
}

# --- the narrower wins ---

@test "a number wins over a range, nonzero and any" {
  verdict retry -r 75 -x 64-78 -- sh -c 'exit 75'
  verdict stop -r 75 -x 64-78 -- sh -c 'exit 74'
  verdict retry -r 7 -x nonzero -- sh -c 'exit 7'
  verdict pass --pass-on=1 -x any -- sh -c 'exit 1'
  verdict stop -x tempfail --throttle-on=64-78 -- sh -c 'exit 75'
}

@test "a range wins over nonzero and any" {
  verdict retry -r 4-7 -x nonzero -- sh -c 'exit 5'
  verdict stop -r 4-7 -x nonzero -- sh -c 'exit 8'
  verdict throttle --throttle-on=4-7 -x any -- sh -c 'exit 5'
}

@test "nonzero and signal win over any" {
  verdict retry -r nonzero -x any -- sh -c 'exit 5'
  verdict stop -r nonzero -x any -- sh -c "$(dies KILL)"
  verdict retry -r signal -x any -- sh -c "$(dies KILL)"
  verdict stop -r signal -x any -- sh -c 'exit 5'
}

@test "a signal's name wins over signal and any" {
  verdict retry -r KILL -x signal -- sh -c "$(dies KILL)"
  verdict stop -r KILL -x signal -- sh -c "$(dies TERM)"
  verdict retry -r KILL -x any -- sh -c "$(dies KILL)"
}

@test "timeout and start win over any" {
  verdict retry -r timeout -x any -t 50ms -- sleep 60
  busy_command
  verdict retry -r start -x any -- "$busy"
}

@test "the order of the options does not matter" {
  verdict retry -x 64-78 -r 75 -- sh -c 'exit 75'
  verdict retry -x any -r KILL -- sh -c "$(dies KILL)"
}

@test "ranges and wide words do not change the verdict on 0" {
  verdict success -x any -- sh -c 'exit 0'
  verdict success -r 0-9 -- sh -c 'exit 0'
  verdict success --pass-on=0-9 -- sh -c 'exit 0'
}

@test "the number 0 itself changes the verdict on 0" {
  run -1 logged -n 3 --base=0 -r 0 -- true
  assert_events '[a.verdict for a in attempts] == ["retry"] * 3' \
    'end.result == "exhausted" and end.status == 1'
  run -1 logged -x 0 -- true
  assert_events 'attempts[0].verdict == "stop"' \
    'end.result == "stopped" and end.status == 1'
}

@test "killed by INT or QUIT is a stop unless they are named" {
  verdict stop -r any -- sh -c "$(dies INT)"
  verdict stop --throttle-on=any -- sh -c "$(dies QUIT)"
  verdict retry -r INT -- sh -c "$(dies INT)"
  verdict throttle --throttle-on=SIGQUIT -- sh -c "$(dies QUIT)"
}

@test "lasting start failures stop unless they are named" {
  verdict stop -r any -- no-such-command-of-ours
  verdict stop --throttle-on=any -- "$BATS_TEST_TMPDIR"
  run -127 logged --success-on=any -- no-such-command-of-ours
}
