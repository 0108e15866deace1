#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What counts as what, in real attempts. The grammar of CODES, and which of
# several CODES decides, are in unit/judge/outcome.c.

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

@test "a signal: its name and the word match it, its status does not" {
  verdict stop -x USR1,SIGKILL -- sh -c "$(dies KILL)"
  verdict stop -x signal -- sh -c "$(dies USR2)"
  verdict retry -x 137,nonzero -- sh -c "$(dies KILL)"
  verdict stop --retry-on=nonzero -- sh -c "$(dies KILL)"
  verdict stop -r any -- sh -c "$(dies INT)"
  verdict retry -r INT -- sh -c "$(dies INT)"
}

@test "a timeout: its word matches it, and nothing else does" {
  verdict stop -x timeout -t 50ms -- sleep 60
  verdict retry -x 124,TERM,signal,nonzero -t 50ms -- sleep 60
  verdict stop --retry-on=nonzero -t 50ms -- sleep 60
  verdict retry -x timeout -- sh -c 'exit 124'
}

@test "rule 54: a command that cannot be started for a lasting reason stops unless start is named" {
  verdict stop -- no-such-command-of-ours
  verdict stop --throttle-on=any -- "$BATS_TEST_TMPDIR"
  verdict retry -r start -- no-such-command-of-ours
  verdict retry -x start -- sh -c 'exit 127'
}
