#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --gate=fleet: and a server that is ill: the attempt is made, one line says why, and
# the gate of the machine serves. fleet-helper.bats has the ways in which it can be ill.

load helper
load ../lib/shared
load ../lib/redis

setup() {
  need_answer byte_lock
  need_redis
  export BACKOFF_FLEET=unix:$REDIS_SOCKET
  start_redis
}

teardown() {
  end_proxy
  stop_redis
}

# sick_for WHY: the line that says why it cannot be used.
sick_for() {
  printf 'backoff: job: cannot use gate fleet:hub (%s: %s); going on with the local gate\n' \
    "$BACKOFF_FLEET" "$1"
}

# job MACHINE ARG...: a run there.
job() {
  run --separate-stderr "$BACKOFF" --name=job --state-dir="$PWD/$1" --gate=fleet:hub "${@:2}"
}

# fails ARG...: a run whose attempts fail. What it says about the fleet is in $output.
fails() {
  job "$@" -- sh -c 'exit 7'
  assert_failure 7
  run grep 'cannot use' <<<"$stderr"
}

# shut_fleet: for an hour, by two machines.
shut_fleet() {
  fails two -n 19 -b 0
  fails three -n 1 -b 1ms
  job three -n 1 -b 1ms -- sh -c 'echo after=1h >"$BACKOFF_HINT"; exit 1'
}

# is_shut [MACHINE]: whether a run there, or on one that has not asked before,
# finds it so.
is_shut() {
  job "${1:-new.$((++machines))}" --gate-wait=0 -n 1 -- true
  [ "$status" -eq 75 ] || [ "$status" -eq 0 ] || fail "$status: $stderr"
  return $((status == 0))
}

@test "fleet-faults: no server, and failures in a row shut the gate of the machine" {
  local why='Connection refused'
  stop_redis
  job one -n 1 -- echo made
  assert_output made
  assert_equal "$stderr" "$(sick_for "$why")"
  fails one -n 19 -b 0
  assert_output "$(sick_for "$why")"
  fails one -n 1 -b 10s -j none
  assert_output "$(sick_for "$why")"
  run -75 "$BACKOFF" -qq --state-dir="$PWD/one" --gate=hub --gate-wait=0 -- true
}

@test "fleet-faults: a record that is damaged is as new" {
  shut_fleet
  is_shut
  redis setrange 'backoff:{hub}:gate' 20 ffffffff
  run ! is_shut
}

@test "fleet-faults: a transaction that another crosses is made anew" {
  between crossed=2
  fails one -n 1
  assert_output ''
  # What it has written stands there, and not what the other has.
  assert_equal "$(redis strlen 'backoff:{hub}:gate')" 896
}

@test "fleet-faults: the clock of the client decides nothing" {
  need_faketime
  shut_fleet
  for step in +400d -400d; do
    FAKETIME_DONT_FAKE_MONOTONIC=1 run -75 faketime -f "$step" "$BACKOFF" \
      --state-dir="$PWD/state$step" --gate=fleet:hub --gate-wait=0 -n 1 -- true
  done
}

# What TIME says is all that counts; a step makes what is there old, or void.
@test "fleet-faults: the clock of the server steps" {
  echo 0 >clock
  between "clock=$PWD/clock"
  for step in 7200 -7200; do
    # What a machine has seen it would tell the server.
    redis flushall
    rm -rf two three
    echo 0 >clock
    shut_fleet
    is_shut
    echo "$step" >clock
    # One probes, and its success lets all come back.
    job "stepped$step" -n 1 -- true
    assert_success
    refute_regex "$stderr" 'cannot use'
  done
  # Not so where a machine remembers, and then what is written later is newer.
  sleep 4 # what was seen just before is not asked for
  is_shut three
  is_shut
  run -0 "$BACKOFF" --gate=open:fleet:hub
  sleep 4 # what was seen just before is not asked for
  run ! is_shut three
}
