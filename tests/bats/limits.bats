#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How long the pauses are, and when backoff gives up.
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
  run -1 logged -n 61 --seed=1 "$@" -- false
  assert_events 'len(pauses) == 60' \
    "min(pauses) >= $low" "max(pauses) <= $high" \
    "max(pauses) - min(pauses) > 0.8 * ($high - ($low))" \
    "0.25 < sum(p > ($low + $high) / 2 for p in pauses) / 60 < 0.75"
}

# --- the windows ---

@test "an exponential window grows by 3 from 1s to 30s" {
  run -0 "$BACKOFF" --plan --log-format=json -j none
  run grep -o '"high_s":[0-9.]*' <<<"$output"
  assert_output "$(printf '"high_s":%d.000000000\n' 1 3 9 27 30 30 30)"
}

@test "the windows grow by 3" {
  # The default base; only as many pauses as a test can wait for.
  start_logged -j none -- false
  in_pause
  kill -TERM "$pid"
  wait "$pid" || true
  assert_events 'pauses[0] == 1*s'
  pauses 1,3,9,27,81 -b 1us -j none
}

@test "--factor is how much the window grows" {
  pauses 1,2,4,8,16 -b 1us -f 2 -j none
  pauses 8,12,18,27 -b 8us -f 1.5 -j none
  pauses 5,5,5 -b 5us -f 1 -j none
}

@test "--growth=binary is base * (factor^n - 1)" {
  pauses 1,3,7,15,31 -b 1us -f 2 -g binary -j none
  pauses 2,8,26,80 -b 1us -g binary -j none
}

@test "--growth=linear, quadratic and cubic are base * n, n^2 and n^3" {
  pauses 2,4,6,8 -b 2us -g linear -j none
  pauses 2,8,18,32 -b 2us -g quadratic -j none
  pauses 2,16,54,128 -b 2us -g cubic -j none
}

@test "--growth=fibonacci is base * 1, 1, 2, 3, 5, 8" {
  pauses 2,2,4,6,10,16 -b 2us -g fibonacci -j none
}

@test "--growth=constant is base" {
  pauses 2,2,2,2 -b 2us -g constant -j none
}

@test "--growth=exponential is the default" {
  pauses 1,2,4 -b 1us -f 2 -g exponential -j none
}

@test "--cap is the longest pause" {
  pauses 1,3,5,5 -b 1us -c 5us -j none
}

@test "a base above the cap is the cap" {
  pauses 5,5 -b 9us -c 5us -j none
}

@test "the default cap is 30s, or the base where that is longer" {
  run -0 "$BACKOFF" --plan --log-format=json -b 15s -n 4 -j none
  run grep -o '"high_s":[0-9]*' <<<"$output"
  assert_output '"high_s":15
"high_s":30
"high_s":30'
  start_logged -b 2h -j none -- false
  in_pause
  kill -TERM "$pid"
  wait "$pid" || true
  assert_events 'pauses == [7200*s]'
}

@test "--cap=inf is no cap" {
  start_logged -b 2h -c inf -j none -- false
  in_pause
  kill -TERM "$pid"
  wait "$pid" || true
  assert_events 'pauses == [7200*s]'
}

@test "--floor is the shortest pause" {
  pauses 7,7,9,27 -b 1us --floor=7us -j none
  pauses 7,7,7 -b 1us --floor=7us --cap=7us
}

@test "a cap below the base leaves jitter: the floor is a tenth of the cap" {
  run -0 "$BACKOFF" --plan --log-format=json -b 30s -c 2s
  run grep -o '"low_s":[0-9.]*,"high_s":[0-9.]*' <<<"$output"
  [ "${#lines[@]}" -eq 7 ]
  run sort -u <<<"$output"
  assert_output '"low_s":0.200000000,"high_s":2.000000000'
}

@test "--base=0 makes every pause 0" {
  pauses 0,0,0,0 -b 0
  pauses 0,0 -b 0s -j equal
  pauses 0,0 -b 0ms -j none
}

@test "--max-exponent stops the growth after K failures" {
  pauses 1,2,4,4,4 -b 1us -f 2 --max-exponent=3 -j none
  pauses 1,3,7,7 -b 1us -f 2 -g binary --max-exponent=3 -j none
}

@test "--steps reaches the cap after S steps" {
  run -1 logged -n 7 -b 2us -c 16us --steps=3 -j none -- false
  assert_events 'pauses[0] == 2*us' \
    'all(abs(p - w * us) <= 1 for p, w in zip(pauses, [2, 4, 8, 16, 16, 16]))' \
    'pauses[3:] == [16*us] * 3'
}

@test "--slot-time makes pauses whole multiples" {
  run -1 logged -n 51 --seed=1 -b 20us -g constant --slot-time=5us -j full -- false
  assert_events 'set(pauses) == {5*us, 10*us, 15*us, 20*us}'
  run -1 logged -n 51 --seed=1 -b 20us -g constant --floor=0 --slot-time=10us -- false
  assert_events 'set(pauses) == {0, 10*us, 20*us}'
}

@test "--slot-time without jitter rounds to the nearest multiple" {
  pauses 10,10,20 -d 8us,12us,16us --slot-time=10us
}

@test "--slot-time with no multiple in the range is the lower end rounded up" {
  pauses 10,10 -b 9us -g constant --floor=8us --slot-time=10us
}

@test "--from=start counts the pause from the start of the attempt" {
  run -1 logged -n 2 -b 2s -j none --from=start -- sh -c 'sleep 0.3; exit 1'
  assert_events 'pauses[0] <= 2*s - 300*ms' \
    'pauses[0] <= 2*s - attempts[0].duration_s'
}

@test "--from=start never makes a pause shorter than the floor" {
  run -1 logged -n 2 -b 100ms -j none --floor=30ms --from=start -- \
    sh -c 'sleep 0.3; exit 1'
  assert_events 'pauses == [30*ms]'
}

@test "a pause is never cut short" {
  run -1 logged -n 3 -d 120ms,80ms -- false
  assert_events 'end.elapsed_s >= 200*ms + sum(a.duration_s for a in attempts)'
}

@test "there is no pause after the last attempt" {
  run -7 logged -n 1 -b 1h -j none -- sh -c 'exit 7'
  assert_events 'pauses == []'
  run -7 logged -n 2 -d 1ms,1h -- sh -c 'exit 7'
  assert_events 'pauses == [1*ms]' 'attempts[1].pause_s is None'
}

# --- the list of delays ---

@test "--delays are the windows, with one attempt more" {
  run -1 logged -d 1us,5us,2us -- false
  assert_events 'start.attempts == 4' 'len(attempts) == 4' \
    'pauses == [1*us, 5*us, 2*us]'
}

@test "the last of --delays repeats" {
  pauses 1,2,2,2 -d 1us,2us
}

@test "--delays with fewer attempts ends earlier" {
  run -1 logged -n 2 -d 1us,2us,3us -- false
  assert_events 'pauses == [1*us]'
}

@test "a single one of --delays is every pause of the usual attempts" {
  run -1 logged -d 1us -- false
  assert_events 'start.attempts == 8' 'pauses == [1*us] * 7'
}

@test "--delays have no cap, no floor and no jitter by default" {
  start_logged -d 0,3h -- false
  in_pause 2
  kill -TERM "$pid"
  wait "$pid" || true
  assert_events 'pauses == [0, 3 * 3600*s]'
}

@test "an explicit cap, floor and jitter apply to each of --delays" {
  pauses 1,5,5 -d 1us,8us,9us --cap=5us
  pauses 3,8 -d 1us,8us --floor=3us
  run -1 logged -n 51 --seed=1 -d 100us -j full -- false
  assert_events 'max(pauses) <= 100*us' 'min(pauses) < 30*us' \
    'max(pauses) > 70*us'
}

@test "durations have these units, seconds when there is none" {
  local text
  while read -r text ns; do
    start_logged -d "$text" -- false
    in_pause
    kill -TERM "$pid"
    wait "$pid" || true
    assert_events "pauses == [$ns]"
  done <<'END'
30 30*s
30.5 30500*ms
40s 40*s
40sec 40*s
2m 120*s
2min 120*s
1.5h 5400*s
1hr 3600*s
1d 86400*s
1m30s 90*s
1h2m3.25s 3723250*ms
100000ms 100*s
100000000us 100*s
100000000000ns 100*s
100d12h 100*86400*s+12*3600*s
END
}

@test "a duration is not rounded down" {
  run -1 logged -d 0.1ns,0.0000000001,1.2us -- false
  assert_events 'pauses == [1, 1, 1200]'
}

# --- jitter ---

@test "--jitter=none is the window" {
  pauses 1,3,9 -b 1us -j none
}

@test "--jitter=full is between the floor and the window, and the default" {
  drawn 10*us 100*us -b 100us -g constant
  drawn 10*us 100*us -b 100us -g constant -j full
  drawn 0 100*us -b 100us -g constant --floor=0
}

@test "--jitter=equal is the upper half of the window" {
  drawn 50*us 100*us -b 100us -g constant -j equal
}

@test "--jitter=R is the window times 1-R to 1+R" {
  drawn 80*us 120*us -b 100us -g constant -j 0.2
  drawn 0 200*us -b 100us -g constant -j 1 --floor=0
}

@test "--jitter=LOW..HIGH is the window times that" {
  drawn 50*us 150*us -b 100us -g constant -j 0.5..1.5
  drawn 100*us 300*us -b 100us -g constant -j 1..3
}

@test "--jitter=DURATION is the window plus or minus that" {
  drawn 80*us 120*us -b 100us -g constant -j 20us
}

@test "--jitter=+DURATION is the window plus up to that" {
  drawn 100*us 150*us -b 100us -g constant -j +50us
}

@test "--jitter=decorrelated is between the base and thrice the last pause" {
  run -1 logged -n 101 --seed=1 -b 1us -c 1ms -j decorrelated -- false
  assert_events 'pauses[0] <= 3*us' 'min(pauses) >= 1*us' \
    'all(b <= 3 * a for a, b in zip(pauses, pauses[1:]))' \
    'max(pauses) <= 1*ms' 'max(pauses) > 10*us'
}

@test "--jitter=smooth keeps to floor and cap" {
  run -1 logged -n 101 -b 10us -c 100us -j smooth -- false
  assert_events 'min(pauses) >= 1*us' 'max(pauses) <= 100*us' \
    'all(p >= 50*us for p in pauses[20:])' 'len(set(pauses)) > 50'
}

# below_cap JITTER...
below_cap() {
  local jitter
  for jitter; do
    run -1 logged -n 41 --seed=1 -b 30us -c 100us -j "$jitter" -- false
    assert_events 'max(pauses) <= 100*us' 'pauses.count(100*us) <= 2' \
      'len(set(pauses)) > 32'
  done
}

@test "no draw of a method exceeds the cap, and none pile up on it" {
  below_cap full equal decorrelated smooth
}

@test "no draw from a range exceeds the cap, and none pile up on it" {
  below_cap 0.5 0.5..3 20us +20us
}

@test "the window shrinks so that the upper end of a ratio meets the cap" {
  drawn 50*us 100*us -b 1ms -g constant -c 100us --floor=0 -j equal
  drawn 100*us*2//3 100*us -b 1ms -g constant -c 100us --floor=0 -j 0.2
}

@test "the window shrinks so that the upper end of a jitter in time meets the cap" {
  drawn 60*us 100*us -b 1ms -g constant -c 100us --floor=0 -j 20us
  drawn 80*us 100*us -b 1ms -g constant -c 100us --floor=0 -j +20us
}

@test "--cap-mode=before caps the window, and the jitter may exceed it" {
  drawn 50*us 150*us -b 1ms -g constant -c 100us --floor=0 -j 0.5 --cap-mode=before
}

@test "--cap-mode=after caps what was drawn" {
  run -1 logged -n 101 -b 100us -g constant -c 100us --floor=0 -j 0.5 \
    --cap-mode=after -- false
  assert_events 'max(pauses) == 100*us' 'min(pauses) >= 50*us' \
    '20 < pauses.count(100*us) < 80'
}

@test "--cap-mode=window is the default" {
  run -1 logged -n 20 --seed=7 -b 10us -c 100us -j 0.5 -- false
  assert_events
  first=$(grep -o '"pause_s":[0-9.]*' "$events")
  run -1 logged -n 20 --seed=7 -b 10us -c 100us -j 0.5 --cap-mode=window -- false
  [ "$(grep -o '"pause_s":[0-9.]*' "$events")" = "$first" ]
}

# --- seeds ---

@test "--seed draws the same pauses each time" {
  run -1 logged -n 20 --seed=42 -b 1ms -g constant -- false
  first=$(grep -o '"pause_s":[0-9.]*' "$events")
  run -1 logged -n 20 --seed=42 -b 1ms -g constant -- false
  [ "$(grep -o '"pause_s":[0-9.]*' "$events")" = "$first" ]
  run -1 logged -n 20 --seed=43 -b 1ms -g constant -- false
  [ "$(grep -o '"pause_s":[0-9.]*' "$events")" != "$first" ]
}

@test "without --seed two runs draw differently" {
  run -1 logged -n 20 -b 1ms -g constant -- false
  first=$(grep -o '"pause_s":[0-9.]*' "$events")
  run -1 logged -n 20 -b 1ms -g constant -- false
  [ "$(grep -o '"pause_s":[0-9.]*' "$events")" != "$first" ]
}

# --- throttle ---

@test "--throttle-base is 5 times the base" {
  pauses 5,15,45 -b 1us -j none --throttle-on=1
}

@test "--throttle-base is the base of the pause after a throttle" {
  pauses 20,60 -b 1us --throttle-base=20us -j none --throttle-on=1
}

@test "the window of a throttle counts all failures, and is of that one pause" {
  run -7 logged -n 4 -b 1us -j none --throttle-on=9 -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ] || exit 9; exit 7'
  assert_events '[a.verdict for a in attempts] == ["retry", "throttle", "retry", "retry"]' \
    'pauses == [1*us, 15*us, 9*us]'
}

@test "the pause after a throttle is from half its window up" {
  drawn 250*us 500*us -b 100us -g constant --throttle-on=1
}

@test "the cap holds for a throttle too" {
  pauses 5,8,8 -b 1us -c 8us -j none --throttle-on=1
}

# --- attempts ---

@test "there are 8 attempts by default, the first included" {
  run -1 logged -b 0 -- false
  assert_events 'start.attempts == 8' 'len(attempts) == 8' \
    'end.result == "exhausted"'
}

@test "--attempts counts the first" {
  local count
  for count in 1 2 9; do
    run -7 logged -b 0 -n "$count" -- sh -c 'echo ran; exit 7'
    [ "${#lines[@]}" -eq "$count" ]
    assert_events "start.attempts == len(attempts) == $count"
  done
}

@test "--attempts=inf goes on" {
  run -0 logged -b 0 -n inf -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 50 ]'
  assert_events 'start.attempts is None' 'len(attempts) == 50'
}

@test "with --deadline or --until attempts are unlimited" {
  run -0 logged -b 0 -T 1h -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 20 ]'
  assert_events 'start.attempts is None' 'len(attempts) == 20'
  run -0 logged -b 0 --until=@$(($(date +%s) + 3600)) -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -eq 20 ]'
  assert_events 'start.attempts is None' 'len(attempts) == 20'
}

@test "an explicit --attempts holds with --deadline too" {
  run -1 logged -b 0 -T 1h -n 3 -- false
  assert_events 'start.attempts == 3' 'len(attempts) == 3' \
    'end.result == "exhausted"'
}

# --- deadline and until ---

# For an attempt, twice as long is kept back as the longest before it took:
# here twice a quarter of the time. in_time OPTION... makes a run with ever longer times until the first
# attempt was not much slower, and the pause after it did not end too late for another; $limit is its
# time, in seconds.
slow_at_first='[ "$BACKOFF_ATTEMPT" -gt 1 ] || sleep "$0"; exit 7'

in_time() {
  for limit in 2 8 32; do
    run logged "${@//LIMIT/$limit}" -- \
      sh -c "$slow_at_first" "$(printf '%d.%02d' $((limit / 4)) $((limit * 25 % 100)))"
    ! log_holds "attempts[0].duration_s < 0.28 * $limit*s" 'len(attempts) >= 2' || return 0
  done
}

@test "--deadline cuts a running attempt" {
  run -124 logged -T 1s -- sleep 60
  assert_events 'attempts[0].outcome == "timed-out"' \
    '0 < attempts[0].duration_s <= end.elapsed_s' 'end.elapsed_s >= 1*s' \
    'end.result == "deadline" and end.status == 124'
}

@test "a pause that does not fit uses all the time before the reserve" {
  in_time -T LIMIT -b 1h -j none
  assert_equal "$status" 7
  assert_events 'len(attempts) == 2' \
    "0 < pauses[0] <= $limit*s - 3 * attempts[0].duration_s" \
    'end.result == "deadline" and end.status == 7'
}

@test "with jitter it is drawn from the upper half of that, whatever the floor" {
  in_time -T LIMIT -b 1h --floor=30m
  assert_events 'len(attempts) >= 2' \
    "0 < sum(pauses) <= $limit*s - 3 * attempts[0].duration_s" \
    'end.result == "deadline"'
}

@test "-T is used to its end: -T 2s -- false" {
  # The last attempt is to end in the tenth that is kept for it.
  for limit in 2 8 32; do
    run "$BACKOFF" -T "${limit}s" -- false
    [[ $output != *'no time for another attempt'* ]] || break
  done
  assert_equal "$status" 1
  assert_line --index $((${#lines[@]} - 1)) \
    --regexp '^backoff: false: no time for another attempt after [0-9]+ in .*s: exit 1$'
  for limit in 2 8 32; do
    run logged -T "${limit}s" -- false
    ! log_holds 'attempts[-1].pause_s is None' || break
  done
  assert_equal "$status" 1
  assert_events "end.elapsed_s >= $limit * 800*ms or attempts[-1].duration_s > 100*ms" \
    'end.result == "deadline"' 'attempts[-1].pause_s is None'
}

@test "-d 5s -T 10m is every 5 s for 10 minutes" {
  local limit
  for limit in "-T 10m" "--until=@$(($(date +%s) + 600))"; do
    # shellcheck disable=SC2086 # two words
    run -0 logged -d 1ms $limit -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 9 ]'
    assert_events 'start.attempts is None' 'pauses == [1*ms] * 8'
  done
  run -0 "$BACKOFF" --plan -d 5s -T 10m
  assert_line 'At most 120 attempts before the time is up.'
  run -1 logged -d 1ms -n 3 -T 10m -- false
  assert_events 'len(attempts) == 3'
}

@test "rule 43: if no time is left for another attempt backoff gives up at once" {
  # The attempt takes more than half of it, and is to end before it.
  for limit in 1 6 30; do
    run logged -T "${limit}s" -b 1h -- sh -c "sleep $((limit / 2)).6; exit 7"
    ! log_holds 'attempts[0].outcome == "exited"' || break
  done
  assert_equal "$status" 7
  assert_events 'len(attempts) == 1' 'attempts[0].pause_s is None' \
    'end.result == "deadline" and end.status == 7'
}

@test "the deadline counts from our start, the splay included" {
  for limit in 1s 4s 16s; do
    run logged -T "$limit" --splay=400ms..401ms -- sleep 60
    ! log_holds attempts || break
  done
  [ "$status" -eq 124 ]
  assert_events 'attempts[0].duration_s < end.elapsed_s - 400*ms'
}

@test "--slot-time does not carry the last pause past the deadline" {
  local jitter
  for jitter in none full; do
    in_time -T LIMIT -b 1m --slot-time=40s -j "$jitter"
    assert_events "0 < sum(pauses) <= $limit*s - 3 * attempts[0].duration_s" \
      'end.result == "deadline"'
  done
}

@test "a pause that ends before the deadline is not shrunk" {
  run -0 logged -T 1h -d 1ms,20ms -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 3 ]'
  assert_events 'pauses == [1*ms, 20*ms]' 'end.result == "success"'
}

@test "a deadline of 0 is none" {
  run -0 logged -T 0 -n 3 -b 0 -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 3 ]'
  assert_events 'end.result == "success"'
}

@test "after --until no attempt starts" {
  run logged --until=@1000000000 -- touch "$BATS_TEST_TMPDIR/made"
  [ "$status" -eq 124 ]
  [ ! -e "$BATS_TEST_TMPDIR/made" ]
  assert_events 'attempts == []' \
    'end.result == "deadline" and end.status == 124'
}

@test "after --until there is no splay either" {
  run -124 logged --until=@1000000000 --splay=60s..61s -- true
  assert_events 'attempts == []' 'end.elapsed_s < 60*s'
}

@test "an attempt that runs at --until may finish" {
  local seconds until
  for seconds in 2 8 30; do
    until=$(($(date +%s) + seconds))
    run logged --until=@$until -- sh -c 'until [ "$(date +%s)" -gt "$0" ]; do sleep 0.1; done' "$until"
    ! log_holds attempts || break
  done
  assert_equal "$status" 0
  assert_events 'len(attempts) == 1' 'end.result == "success"'
}

@test "the pause before --until is cut, and a tenth is kept in reserve" {
  local seconds
  for seconds in 3 12 48; do
    run logged --until=@$(($(date +%s) + seconds)) -b 1h -c inf -j none -- \
      sh -c "$slow_at_first" 0.3
    ! log_holds 'len(attempts) == 2' "attempts[0].duration_s < $seconds*s // 5" || break
  done
  assert_equal "$status" 7
  assert_events 'len(attempts) == 2' \
    "0 < pauses[0] <= $seconds*s - 200*ms - attempts[0].duration_s" \
    'end.result == "deadline" and end.status == 7'
}

@test "--until=HH:MM:SS is local time" {
  export TZ=XYZ-05:30
  local seconds
  for seconds in 3 12 48; do
    run logged --until="$(date -d "+$seconds sec" +%H:%M:%S)" -b 1h -c inf -j none -- \
      sh -c "$slow_at_first" 0.3
    ! log_holds 'len(attempts) == 2' "attempts[0].duration_s < $seconds*s // 5" \
      'end.elapsed_s < 3600*s' || break
  done
  assert_events 'len(attempts) == 2' "pauses[0] <= $seconds*s" \
    'end.result == "deadline"'
}

@test "--until=HH:MM is the next such time, tomorrow if need be" {
  local hours
  for hours in 6 12 18; do
    run -0 logged -b 0 --until="$(date -d "+$hours hours" +%H:%M)" -- \
      sh -c '[ "$BACKOFF_ATTEMPT" -eq 3 ]'
    assert_events 'len(attempts) == 3'
  done
}

# --- flaky-status ---

@test "--flaky-status is the status of a success that followed a failure" {
  run -42 logged --flaky-status=42 -b 0 --at-end='echo "$BACKOFF_RESULT"' -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ge 3 ]'
  assert_output success
  assert_events 'end.result == "success" and end.status == 42' 'end.reason is None' \
    'attempts[-1].verdict == "success" and attempts[-1].status == 0'
}

@test "--flaky-status is not the status of a success at once, nor of a failure" {
  run -0 logged --flaky-status=42 -- true
  run -7 logged --flaky-status=42 -n 2 -b 0 -- sh -c 'exit 7'
  run -1 logged --flaky-status=42 -n 2 -b 0 --pass-on=1 -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 1 ] && exit 2; exit 1'
  assert_events 'end.result == "pass"'
}

@test "--flaky-status counts failures before and in a streak, and not its successes" {
  run -0 logged --flaky-status=42 --consecutive=3 -b 0 -- true
  run -42 logged --flaky-status=42 --consecutive=2 -b 0 -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ]'
  assert_events '[a.status for a in attempts] == [0, 1, 0, 0]'
}

@test "--flaky-status: the log says so, without -v too, but not with -q" {
  local flaky=(--flaky-status=9 -b 0 sh -c '[ "$BACKOFF_ATTEMPT" -ge 2 ]')
  run -9 "$BACKOFF" "${flaky[@]}"
  assert_line --index 1 --regexp '^backoff: sh: succeeded at attempt 2/8 in [^ ]*s: exit 9 \(--flaky-status\)$'
  run -9 "$BACKOFF" -q "${flaky[@]}"
  assert_output ''
  run -0 "$BACKOFF" --flaky-status=0 "${flaky[@]:1}"
  refute_output --partial succeeded
}

@test "--flaky-status: held output is released, as of any success" {
  run -9 --separate-stderr "$BACKOFF" -o --flaky-status=9 -b 0 -- \
    sh -c 'echo "$BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -ge 2 ]'
  assert_output 2
}

# --- consecutive ---

@test "--consecutive wants that many successes in a row" {
  run -0 logged --consecutive=3 -b 1us -j none -- true
  assert_events 'len(attempts) == 3' 'pauses == [1*us, 1*us]' \
    '[a.verdict for a in attempts] == ["success"] * 3' 'end.result == "success"'
}

@test "a failure ends the streak" {
  run -0 logged --consecutive=2 -b 1us -j none -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ]'
  assert_events '[a.status for a in attempts] == [0, 1, 0, 0]' \
    '[a.verdict for a in attempts] == ["success", "retry", "success", "success"]' \
    'pauses == [1*us, 1*us, 1*us]'
}

@test "a success in a streak does not reset the windows" {
  run -0 logged --consecutive=2 -n inf -b 1us -j none -- \
    sh -c 'case $BACKOFF_ATTEMPT in [13]) exit 1;; esac'
  assert_events '[a.status for a in attempts] == [1, 0, 1, 0, 0]' \
    'pauses == [1*us, 1*us, 3*us, 1*us]'
}

@test "--attempts counts the successes of a streak too" {
  run -1 logged --consecutive=2 -n 3 -b 0 -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ]'
  assert_events 'len(attempts) == 3' \
    'end.result == "exhausted" and end.status == 1'
}

@test "a streak broken by a failure at the end keeps that status" {
  run -7 logged --consecutive=2 -n 2 -b 0 -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -eq 1 ] || exit 7'
  assert_events 'end.result == "exhausted" and end.status == 7'
}

@test "--consecutive may be as many as --attempts" {
  run -0 logged --consecutive=3 -n 3 -b 0 -- true
  assert_events 'end.result == "success"'
}

# --- reset ---

@test "--reset-after starts the windows and the count again" {
  # Only the second attempt is to run that long.
  for limit in 1 6 30; do
    run -7 logged -n 3 -b 1us -j none --reset-after="${limit}s" -- \
      sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ] || sleep "$0.1"; exit 7' "$limit"
    ! log_holds "[a.attempt for a in attempts if a.duration_s >= $limit*s] == [2]" || break
  done
  assert_events 'len(attempts) == 4' 'pauses == [1*us, 1*us, 3*us]' \
    'end.result == "exhausted" and end.attempts == 4'
}

@test "an attempt that timed out resets nothing" {
  run -124 logged -n 2 -b 1us --reset-after=100ms -t 400ms -- sleep 60
  assert_events 'len(attempts) == 2' 'end.result == "exhausted"'
}

@test "without --reset-after nothing is reset" {
  run -7 logged -n 2 -b 1us -- sh -c 'sleep 0.3; exit 7'
  assert_events 'len(attempts) == 2'
}

# --- splay ---

@test "--splay waits before the first attempt" {
  run -0 logged --splay=200ms..300ms -- true
  assert_events 'end.elapsed_s >= 200*ms + attempts[0].duration_s'
}

@test "a signal in the splay ends backoff before COMMAND starts" {
  start_logged --splay=1h..2h -- touch "$BATS_TEST_TMPDIR/made"
  wait_for grep -qs '"start"' "$events"
  kill -TERM "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 143 ]
  [ ! -e "$BATS_TEST_TMPDIR/made" ]
}

@test "--until in the farthest future makes attempts inf too" {
  run -0 logged --until=@99999999999999 -- true
  assert_events 'start.attempts is None'
}
