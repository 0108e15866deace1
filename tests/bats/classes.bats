#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What counts as what, in real attempts. The grammar of CODES, and which of
# several CODES decides, are in unit/judge/exit_codes.c and verdict.c.

load helper
load ../lib/events

# verdict WANTED OPTION... -- COMMAND...: checks an attempt's verdict.
verdict() {
  local wanted=$1 verdict
  shift
  logged -n 1 "$@" || true
  judged
  assert_equal "$verdict: $*" "$wanted: $*"
}

# dies SIGNAL: prints a shell command that ends so.
dies() { echo "kill -$1 \$\$; sleep 60"; }

@test "by default 0 is success, and rule 28: any other status is retried, 130 and 131 too" {
  verdict success -- sh -c 'exit 0'
  local status
  for status in 1 126 127 130 131 255; do
    verdict retry -- sh -c "exit $status"
  done
}

@test "each of the five options has its verdict, and leaves 0 and what it does not list alone" {
  local option wanted
  for option in success pass retry throttle stop; do
    verdict "$option" "--$option-on=7,24" -- sh -c 'exit 24'
    verdict success "--$option-on=7,24" -- sh -c 'exit 0'
    wanted=retry
    [ "$option" != retry ] || wanted=stop
    verdict "$wanted" "--$option-on=7,24" -- sh -c 'exit 8'
  done
}

@test "--throttle-on retries after the longer pause" {
  run -9 logged -n 2 -b 1ms -j none --throttle-on=9 -- sh -c 'exit 9'
  assert_events '[a.verdict for a in attempts] == ["throttle"] * 2' \
    'pauses == [5*ms]' 'end.result == "exhausted"'
}

@test "--retry-on does not affect the codes of the other options, in any order" {
  verdict throttle -r 7 --throttle-on=9 -- sh -c 'exit 9'
  verdict retry -r 75 -x 64-78 -- sh -c 'exit 75'
  verdict retry -x 64-78 -r 75 -- sh -c 'exit 75'
}

@test "a signal: its name and the word match it, its status does not" {
  verdict stop -x USR1,SIGKILL -- sh -c "$(dies KILL)"
  verdict stop -x signal -- sh -c "$(dies USR2)"
  verdict retry -x 137,nonzero -- sh -c "$(dies KILL)"
  verdict stop --retry-on=nonzero -- sh -c "$(dies KILL)"
  verdict stop -r any -- sh -c "$(dies INT)"
  verdict retry -r INT -- sh -c "$(dies INT)"
}

@test "a timeout: its word matches it whatever its status, and nothing else does" {
  need_proc
  verdict stop -x timeout -t 50ms -- sleep 60
  verdict retry -x 124,TERM,signal,nonzero -t 50ms -- sleep 60
  verdict stop --retry-on=nonzero -t 50ms -- sleep 60
  verdict retry -x timeout -- sh -c 'exit 124'
  # The command goes on to its own end.
  local past=(-t 50ms -- bash -c "$until_term"'; exit "$0"')
  # shellcheck disable=SC2034 # for logged
  under=("${HOLD_TERM[@]}")
  verdict stop -x timeout "${past[@]}" 0
  verdict retry -x 7 "${past[@]}" 7
}

@test "rule 54: a command that cannot be started for a lasting reason stops unless start is named" {
  verdict stop -- no-such-command-of-ours
  verdict stop --throttle-on=any -- "$BATS_TEST_TMPDIR"
  verdict retry -r start -- no-such-command-of-ours
  verdict retry -x start -- sh -c 'exit 127'
}

@test "rule 55: a command that cannot be started just now is retried unless CODES say otherwise" {
  local busy=$BATS_TEST_TMPDIR/busy
  cp "$(type -P true)" "$busy"
  exec 9>>"$busy"
  if (exec "$busy") 2>/dev/null; then
    skip "this system starts a file that is open for writing"
  fi
  verdict retry -x 126 -- "$busy"
  assert_events 'attempts[0].outcome == "not-started"' \
    'attempts[0].status == 126' 'end.status == 126'
  verdict stop -x start -- "$busy"
  verdict stop -r 7 -- "$busy"
  verdict retry -r any -- "$busy"
}
