#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How long the pauses are, and when backoff gives up. The formulas are those of
# tests/unit/pause and tests/unit/loop, what follows from other options is in
# tests/unit/options: here the options reach them.

load helper
load ../lib/events

# pauses LIST OPTION...: the pauses after that many failures, in us (or with
# the unit in each item).
pauses() {
  local list=$1 commas=${1//[!,]/}
  shift
  run -1 logged -n $((${#commas} + 2)) "$@" -- false
  assert_events "pauses == [t if t >= 1000 else t * us for t in [$list]]"
}

@test "--base, --factor, --growth, --cap and --floor make the windows" {
  pauses 1,3,9,27 -b 1us -j none
  pauses 8,12,18,27 -b 8us -f 1.5 -j none
  pauses 1,3,7,15 -b 1us -f 2 -g binary -j none
  pauses 1,3,5,5 -b 1us -c 5us -j none
  pauses 7,7,9,27 -b 1us --floor=7us -j none
  pauses 0,0,0,0 -b 0
}

# drawn_by [OPTION]...: the pauses of a run.
drawn_by() {
  logged -n 20 -b 1us -c 1ms "$@" -- false || true
  grep -o '"pause_s":[0-9.]*' "$events"
}

@test "--seed draws the same pauses each time, and without it they differ" {
  first=$(drawn_by --seed=42)
  [ "$(drawn_by --seed=42)" = "$first" ]
  [ "$(drawn_by --seed=43)" != "$first" ]
  [ "$(drawn_by)" != "$(drawn_by)" ]
}

@test "--until=HH:MM:SS is local time; the pause before it is cut, and a tenth kept in reserve" {
  export TZ=XYZ-05:30
  for seconds in 3 12 48; do
    run logged --until="$(date -d "+$seconds sec" +%T)" -b 1h -c inf -j none -- \
      sh -c '[ "$BACKOFF_ATTEMPT" -gt 1 ] || sleep 0.3; exit 7'
    ! log_holds 'len(attempts) == 2' "attempts[0].duration_s < $seconds*s // 5" \
      'end.elapsed_s < 3600*s' || break
  done
  assert_equal "$status" 7
  assert_events 'len(attempts) == 2' \
    "0 < pauses[0] <= $seconds*s - 200*ms - attempts[0].duration_s" \
    'end.result == "deadline" and end.status == 7'
}

@test "--flaky-status is the status of a success that followed a failure" {
  run -42 logged --flaky-status=42 -b 0 --at-end='echo "$BACKOFF_RESULT"' -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ge 3 ]'
  assert_output success
  assert_events 'end.result == "success" and end.status == 42' 'end.reason is None'
  # Also of one in a streak.
  run -42 logged --flaky-status=42 --consecutive=2 -b 0 -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ]'
  assert_events '[a.status for a in attempts] == [0, 1, 0, 0]'
}

@test "--flaky-status is not the status of a success at once, nor of a failure, nor of a pass" {
  run -0 "$BACKOFF" --flaky-status=42 --consecutive=2 -b 0 -- true
  run -7 logged --flaky-status=42 -n 2 -b 0 -- sh -c 'exit 7'
  run -1 logged --flaky-status=42 -n 2 -b 0 --pass-on=1 -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 1 ] && exit 2; exit 1'
  assert_events 'end.result == "pass"'
}

@test "--flaky-status: the log says so without -v and with -q, but not with -qq; held output is released" {
  local flaky=(--flaky-status=9 -b 0 sh -c '[ "$BACKOFF_ATTEMPT" -ge 2 ]')
  run -9 "$BACKOFF" "${flaky[@]}"
  assert_line --index 1 --regexp '^backoff: sh: succeeded at attempt 2/8 in [^ ]*s: exit 9 \(--flaky-status\)$'
  run -9 "$BACKOFF" -q "${flaky[@]}"
  assert_output --regexp '^backoff: sh: succeeded at attempt 2/8 in [^ ]*s: exit 9 \(--flaky-status\)$'
  run -9 "$BACKOFF" -qq "${flaky[@]}"
  assert_output ''
  run -0 "$BACKOFF" --flaky-status=0 "${flaky[@]:1}"
  refute_output --partial succeeded
  run -9 --separate-stderr "$BACKOFF" -o --flaky-status=9 -b 0 -- \
    sh -c 'echo "$BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -ge 2 ]'
  assert_output 2
}
