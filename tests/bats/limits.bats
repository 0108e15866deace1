#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How long the pauses are, and when backoff gives up. The formulas are those of
# tests/unit/pause and tests/unit/loop: here the options reach them.
#
# shellcheck disable=SC2030,SC2031 # each test has a process of its own
# shellcheck disable=SC2154 # the helpers set these

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

# drawn LOW HIGH OPTION...: 60 pauses, every one from LOW to HIGH
# (expressions), and spread over most of that range. The seed is the same each
# time: so few could be anything else by chance.
drawn() {
  local low=$1 high=$2
  shift 2
  run -1 logged -n 61 --seed=1 -b 100us -g constant "$@" -- false
  assert_events 'len(pauses) == 60' \
    "min(pauses) >= $low" "max(pauses) <= $high" \
    "max(pauses) - min(pauses) > 0.8 * ($high - ($low))" \
    "0.25 < sum(p > ($low + $high) / 2 for p in pauses) / 60 < 0.75"
}

# planned OPTION...: the ranges of the pauses, LOW..HIGH in seconds.
planned() {
  run -0 "$BACKOFF" --plan --log-format=json "$@"
  run sed -n 's/.*"low_s":\([0-9.]*\),"high_s":\([0-9.]*\),.*/\1..\2/p' <<<"$output"
}

# first_pause EXPRESSION OPTION...: the one that backoff is then in.
first_pause() {
  local expression=$1
  shift
  start_logged "$@" -- false
  in_pause
  kill -TERM "$pid"
  wait "$pid" || true
  assert_events "pauses[0] == $expression"
}

# --- the windows ---

@test "by default an exponential window grows by 3 from 1s to 30s, with a tenth of 1s below" {
  planned
  assert_output "$(printf '0.100000000..%d.000000000\n' 1 3 9 27 30 30 30)"
  first_pause '1*s' -j none
}

@test "the default cap is the base where that is longer, and --cap=inf is none" {
  planned -b 15s -n 4 -j none
  assert_output "$(printf '%d.000000000..%d.000000000\n' 15 15 30 30 30 30)"
  first_pause '7200*s' -b 2h -j none
  first_pause '7200*s' -b 2h -c inf -j none
}

@test "--base, --factor, --growth, --cap and --floor make the windows" {
  pauses 1,3,9,27 -b 1us -j none
  pauses 8,12,18,27 -b 8us -f 1.5 -j none
  pauses 1,3,7,15 -b 1us -f 2 -g binary -j none
  pauses 1,3,5,5 -b 1us -c 5us -j none
  pauses 7,7,9,27 -b 1us --floor=7us -j none
  pauses 0,0,0,0 -b 0
}

@test "--from=start counts the pause from the start of the attempt, down to the floor" {
  run -1 logged -n 2 -b 100ms -j none --floor=30ms --from=start -- \
    sh -c 'sleep 0.3; exit 1'
  assert_events 'pauses == [30*ms]'
}

# --- the list of delays ---

@test "--delays are the windows, with one attempt more; the last repeats" {
  run -1 logged -d 1us,5us,2us -- false
  assert_events 'start.attempts == 4' 'pauses == [1*us, 5*us, 2*us]'
  pauses 1,2,2,2 -d 1us,2us
  run -1 logged -n 2 -d 1us,2us,3us -- false
  assert_events 'pauses == [1*us]'
}

@test "a single one of --delays is every pause of the usual attempts, or until -T or --until" {
  local limit
  run -1 logged -d 1us -- false
  assert_events 'start.attempts == 8' 'pauses == [1*us] * 7'
  for limit in -T10m "--until=@$(($(date +%s) + 600))"; do
    run -0 logged -d 1ms "$limit" -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 9 ]'
    assert_events 'start.attempts is None' 'pauses == [1*ms] * 8'
  done
  run -0 "$BACKOFF" --plan -d 5s -T 10m
  assert_line 'At most 120 attempts before the time is up.'
}

@test "--delays have no cap, no floor and no jitter but those that are given" {
  planned -d 0,3h
  assert_output '0.000000000..0.000000000
10800.000000000..10800.000000000'
  pauses 3,5,5 -d 1us,8us,9us --cap=5us --floor=3us
  run -1 logged -n 51 --seed=1 -d 100us -j full -- false
  assert_events 'max(pauses) <= 100*us' 'min(pauses) < 30*us' \
    'max(pauses) > 70*us'
}

# --- jitter ---

@test "--jitter=full is between the floor and the window, and the default" {
  drawn 10*us 100*us
  drawn 10*us 100*us -j full
}

# --- seeds ---

# drawn_by [OPTION]...: the pauses of a run.
drawn_by() {
  logged -n 20 -b 1us -c 1ms "$@" -- false || true
  grep -o '"pause_s":[0-9.]*' "$events"
}

@test "--seed draws the same pauses each time, and without it they differ" {
  local first
  first=$(drawn_by --seed=42)
  [ "$(drawn_by --seed=42)" = "$first" ]
  [ "$(drawn_by --seed=43)" != "$first" ]
  [ "$(drawn_by)" != "$(drawn_by)" ]
}

# --- throttle ---

@test "a throttle's base is 5 times the base; the cap holds, and all failures count" {
  pauses 5,15,30 -b 1us -c 30us -j none --throttle-on=1
  drawn 250*us 500*us --throttle-on=1
  run -7 logged -n 4 -b 1us -j none --throttle-on=9 -- sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ] || exit 9; exit 7'
  assert_events 'pauses == [1*us, 15*us, 9*us]'
}

# --- attempts ---

@test "there are 8 attempts by default, the first included; --attempts is another number" {
  run -1 logged -b 0 -- false
  assert_events 'start.attempts == len(attempts) == 8' 'end.result == "exhausted"'
  local count
  for count in 1 9; do
    run -7 logged -b 0 -n "$count" -- sh -c 'echo ran; exit 7'
    [ "${#lines[@]}" -eq "$count" ]
    assert_events "start.attempts == len(attempts) == $count"
  done
}

@test "--attempts=inf goes on, and so do --deadline and --until without --attempts" {
  local limit
  for limit in -ninf -T1h "--until=@$(($(date +%s) + 3600))" --until=@99999999999999; do
    run -0 logged -b 0 "$limit" -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 20 ]'
    assert_events 'start.attempts is None' 'len(attempts) == 20'
  done
  run -1 logged -b 0 -T 1h -n 3 -- false
  assert_events 'start.attempts == len(attempts) == 3' 'end.result == "exhausted"'
}

# --- deadline and until ---

# in_time EXPRESSION ARG...: a run with these arguments, LIMIT being ever more
# seconds in them, until EXPRESSION holds of its log: until the machine did in
# that time what was to be done in it.
in_time() {
  local expression=$1
  shift
  for limit in 2 8 32; do
    run logged "${@//LIMIT/$limit}"
    ! log_holds "${expression//LIMIT/$limit}" || return 0
  done
}

@test "--deadline cuts a running attempt" {
  run -124 logged -T 1s -- sleep 60
  assert_events 'attempts[0].outcome == "timed-out"' \
    '0 < attempts[0].duration_s <= end.elapsed_s' 'end.elapsed_s >= 1*s' \
    'end.result == "deadline" and end.status == 124'
}

@test "-T is used to its end: -T 2s -- false" {
  # The last attempt is to end in the tenth that is kept for it; more is kept where
  # an attempt took long.
  in_time 'attempts[-1].pause_s is None' -T LIMIT -- false
  assert_equal "$status" 1
  assert_events "end.elapsed_s >= $limit * 800*ms or max(a.duration_s for a in attempts) > 100*ms" \
    'end.result == "deadline"'
}

@test "after --until no attempt starts, and there is no splay either" {
  run -124 logged --until=@1000000000 --splay=60s..61s -- touch made
  [ ! -e made ]
  assert_events 'attempts == []' 'end.elapsed_s < 60*s' \
    'end.result == "deadline" and end.status == 124'
}

# until_in SECONDS: that time of the day.
until_in() {
  date -d "+$1 sec" +%H:%M:%S
}

@test "--until=HH:MM:SS is local time; the pause before it is cut, and a tenth kept in reserve" {
  local seconds
  export TZ=XYZ-05:30
  for seconds in 3 12 48; do
    run logged --until="$(until_in $seconds)" -b 1h -c inf -j none -- \
      sh -c '[ "$BACKOFF_ATTEMPT" -gt 1 ] || sleep 0.3; exit 7'
    ! log_holds 'len(attempts) == 2' "attempts[0].duration_s < $seconds*s // 5" \
      'end.elapsed_s < 3600*s' || break
  done
  assert_equal "$status" 7
  assert_events 'len(attempts) == 2' \
    "0 < pauses[0] <= $seconds*s - 200*ms - attempts[0].duration_s" \
    'end.result == "deadline" and end.status == 7'
}

# --- flaky-status ---

@test "--flaky-status is the status of a success that followed a failure" {
  run -42 logged --flaky-status=42 -b 0 --at-end='echo "$BACKOFF_RESULT"' -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ge 3 ]'
  assert_output success
  assert_events 'end.result == "success" and end.status == 42' 'end.reason is None' \
    'attempts[-1].verdict == "success" and attempts[-1].status == 0'
  # Also of one in a streak.
  run -42 logged --flaky-status=42 --consecutive=2 -b 0 -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ]'
  assert_events '[a.status for a in attempts] == [0, 1, 0, 0]'
}

@test "--flaky-status is not the status of a success at once, nor of a failure, nor of a pass" {
  run -0 logged --flaky-status=42 --consecutive=2 -b 0 -- true
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

# --- reset ---

@test "--reset-after starts the windows and the count again" {
  # Only the second attempt is to run that long.
  in_time '[a.attempt for a in attempts if a.duration_s >= LIMIT*s] == [2]' \
    -n 3 -b 1us -j none --reset-after=LIMIT -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ] || sleep "$0.1"; exit 7' LIMIT
  assert_equal "$status" 7
  assert_events 'len(attempts) == 4' 'pauses == [1*us, 1*us, 3*us]' \
    'end.result == "exhausted" and end.attempts == 4'
}

# --- splay ---

@test "--splay waits before the first attempt" {
  run -0 logged --splay=200ms..300ms -- true
  assert_events 'end.elapsed_s >= 200*ms + attempts[0].duration_s'
}
