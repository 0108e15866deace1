#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --gate=fleet: and a server that is ill, in each of the ways that servers are:
# the attempt is made, one line says why, and the gate of the machine serves.

# shellcheck disable=SC2154 # what redis.bash sets
load helper
load ../lib/shared
load ../lib/redis

setup() {
  need_answer byte_lock
  need_redis
  cd "$BATS_TEST_TMPDIR" || return
  export BACKOFF_FLEET=unix:$REDIS_SOCKET
  server=unix:$REDIS_SOCKET
}

teardown() {
  end_proxy
  stop_redis
}

# end_proxy: what stands between us and the server.
end_proxy() {
  [ -n "${proxy_pid-}" ] || return 0
  kill "$proxy_pid" 2>/dev/null || :
  wait "$proxy_pid" || :
  rm -rf says "$REDIS/front"
}

# between FAULT: what comes to the server comes through tests/lib/fleet_proxy.py.
between() {
  end_proxy
  mkfifo says
  "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/fleet_proxy.py" "$REDIS/front" \
    "$REDIS_SOCKET" "$1" >says 3>&- &
  proxy_pid=$!
  exec 7<says
  read -r -u 7 ready
  assert_equal "$ready" ready
  server=unix:$REDIS/front
  export BACKOFF_FLEET=$server
}

# sick_for WHY: the line that says why it cannot be used.
sick_for() {
  printf 'backoff: job: cannot use fleet gate hub (%s: %s); going on with the local gate\n' \
    "$server" "$1"
}

# in_time COMMAND...: runs it again where the server has not answered in time, as
# on a machine that stands still; but not where that is the fault, and is_slow.
in_time() {
  while :; do
    run --separate-stderr "$@"
    [ -z "${is_slow-}" ] || return 0
    [[ $stderr == *'timed out'* ]] || return 0
  done
}

# fails [OPTION...]: a run whose attempts fail, in a machine's state directory
# of its own. Its lines about the fleet are in $output.
fails() {
  in_time "$BACKOFF" --name=job --gate=fleet:hub -n 1 -d 1s "$@" -- sh -c 'echo >>made; exit 7'
  assert_failure 7
  run grep 'cannot use' <<<"$stderr"
}

# runs_once WHY: an attempt is made, and one line says WHY.
runs_once() {
  in_time "$BACKOFF" --name=job --gate=fleet:hub -n 1 -- echo made
  assert_success
  assert_output made
  assert_equal "$stderr" "$(sick_for "$1")"
}

# runs_well: an attempt is made, and nothing is said.
runs_well() {
  in_time "$BACKOFF" --name=job --gate=fleet:hub -n 1 -- echo made
  assert_success
  assert_output made
  assert_equal "$stderr" ''
}

# goes_on WHY: as runs_once, and three failures from two runs shut the gate of
# the machine, which says it once for each run.
goes_on() {
  runs_once "$1"
  fails -n 2
  assert_output "$(sick_for "$1")"
  fails
  assert_output "$(sick_for "$1")"
  assert_equal "$(wc -l <made)" 3
  run -75 "$BACKOFF" -qq --gate=fleet:hub --gate-wait=0 -- echo made
  assert_output ''
}

# start_tls: on 127.0.0.1 and 127.0.0.2, with a certificate for the first.
start_tls() {
  grep -q 'define HAVE_OPENSSL 1' "$(dirname "$BACKOFF")/config.h" 2>/dev/null ||
    skip 'backoff-fleet was built without TLS'
  "$REDIS_SERVER" --tls-port 0 --port 0 --check-system 2>&1 </dev/null |
    grep -q 'without TLS' && skip 'the server has no TLS'
  redis_keys
  TLS_PORT=$(free_port)
  start_redis --bind '127.0.0.1 127.0.0.2' --tls-port "$TLS_PORT" \
    --tls-cert-file "$REDIS/redis.pem" --tls-key-file "$REDIS/key.pem" \
    --tls-ca-cert-file "$REDIS/ca.pem" --tls-auth-clients no
}

# shut_fleet: for an hour, by a machine that is told so. It does not wait at its own
# gate, which it has shut where the server was late.
shut_fleet() {
  in_time "$BACKOFF" --state-dir="$PWD/two" --gate=fleet:hub --gate-wait=0 -n 1 -- \
    sh -c 'echo after=1h >"$BACKOFF_HINT"; exit 1'
  assert_failure 1
}

# is_shut: whether a run of a machine that has not asked before finds it so.
is_shut() {
  in_time "$BACKOFF" --state-dir="$(mktemp -d "$PWD/machine.XXXXXX")" --gate=fleet:hub \
    --gate-wait=0 -n 1 -- true
  [ "$status" -eq 75 ] || [ "$status" -eq 0 ] || fail "$status"
  return $((status == 0))
}

@test "fleet-faults: no server, and one that has ended" {
  start_redis
  stop_redis
  runs_once 'Connection refused'
  rm "$REDIS_SOCKET"
  goes_on 'No such file or directory'
}

@test "fleet-faults: a server that never answers" {
  start_redis
  between hole
  is_slow=yes
  goes_on 'timed out'
}

# What an error of the server means is told.
@test "fleet-faults: answers that are cut, endless, of another kind, or errors" {
  local fault why
  start_redis
  while IFS='|' read -r fault why; do
    between "$fault"
    runs_once "$why"
  done <<'END'
closed|the connection was closed
cut|the connection was closed
endless|its answer is too long
answer=HTTP/1.1 400 Bad Request|not a Redis server
answer=:1|it does not know the time
answer=-LOADING Redis is loading the dataset in memory|it is still loading its data
answer=-MISCONF Redis is configured to save RDB snapshots|it cannot write to its disk
answer=-MASTERDOWN Link with MASTER is down|a replica without its master
answer=-NOAUTH Authentication required.|it asks for a password
answer=-WRONGPASS invalid username-password pair|wrong user or password
answer=-WRONGTYPE Operation against a key of the wrong kind|one of our keys is of another type
answer=-NOPERM this user has no permissions to run this|the user may not do that there
answer=-ERR unknown command|it refused a command
END
}

@test "fleet-faults: a server that may be read, but not written" {
  start_redis --replicaof 127.0.0.1 1
  runs_well
  fails
  assert_output "$(sick_for 'a read-only replica')"
  stop_redis
  start_redis --maxmemory 1
  runs_well
  fails
  assert_output "$(sick_for 'out of memory there')"
}

@test "fleet-faults: a wrong password, which no line tells" {
  start_redis --requirepass secret-there
  BACKOFF_FLEET=unix://:secret-here@$REDIS_SOCKET runs_once 'wrong user or password'
  run ! grep -r secret state
}

@test "fleet-faults: a record that is damaged, or of another type, is as new" {
  start_redis
  shut_fleet
  is_shut
  redis setrange 'backoff:{hub}:gate' 8 xxxx
  run ! is_shut
  runs_well
  redis del 'backoff:{hub}:gate'
  redis lpush 'backoff:{hub}:gate' something
  run ! is_shut
  # What a machine has seen it would tell the server.
  rm -r two
  shut_fleet
  is_shut
}

@test "fleet-faults: a connection that is lost before a transaction is whole, or when it was made" {
  local moment
  start_redis
  for moment in before after; do
    between "$moment-exec"
    fails
    assert_output "$(sick_for 'the connection was closed')"
    run redis exists 'backoff:{hub}:gate'
    [ "$moment" != before ] || assert_output 0
    [ "$moment" != after ] || assert_output 1
  done
}

@test "fleet-faults: a transaction that another crosses is made anew, but not for ever" {
  start_redis
  between crossed=2
  fails
  assert_output ''
  # What it has written stands there, and not what the other has.
  run redis strlen 'backoff:{hub}:gate'
  assert_output 192
  between crossed=1000
  fails
  assert_output "$(sick_for 'too many others write there')"
}

@test "fleet-faults: the clock of the client decides nothing" {
  need_faketime
  start_redis
  shut_fleet
  for step in +400d -400d; do
    FAKETIME_DONT_FAKE_MONOTONIC=1 in_time faketime -f "$step" "$BACKOFF" \
      --state-dir="$PWD/state$step" --gate=fleet:hub --gate-wait=0 -n 1 -- true
    assert_failure 75
  done
}

# What TIME says is all that counts; a step makes what is there old, or void.
@test "fleet-faults: the clock of the server steps" {
  local step

  start_redis
  echo 0 >clock
  between "clock=$PWD/clock"
  for step in 7200 -7200; do
    # What a machine has seen it would tell the server.
    redis flushall
    rm -rf two
    echo 0 >clock
    shut_fleet
    is_shut
    echo "$step" >clock
    # One probes, and its success lets all come back.
    in_time "$BACKOFF" --name=job --state-dir="$PWD/stepped$step" --gate=fleet:hub -n 1 -- echo made
    assert_success
    assert_output made
    refute_regex "$stderr" 'cannot use'
  done
}

@test "fleet-faults: TLS, with a certificate that nobody has signed, or of another address or name" {
  start_tls
  # Without the system's own, which take long to read.
  export SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/nonexistent
  server=rediss://127.0.0.1:$TLS_PORT
  BACKOFF_FLEET=$server runs_once 'self-signed certificate'
  export SSL_CERT_FILE=$REDIS/ca.pem
  BACKOFF_FLEET=$server runs_well
  BACKOFF_FLEET=rediss://localhost:$TLS_PORT runs_well
  server=rediss://127.0.0.2:$TLS_PORT
  BACKOFF_FLEET=$server runs_once 'IP address mismatch'
  # As a name, which leads to the server without one that serves names.
  server=rediss://127.1:$TLS_PORT
  BACKOFF_FLEET=$server runs_once 'hostname mismatch'
}

@test "fleet-faults: TLS, where there is none" {
  REDIS_PORT=$(free_port)
  start_redis
  server=rediss://127.0.0.1:$REDIS_PORT
  is_slow=yes
  BACKOFF_FLEET=$server runs_once 'timed out'
}
