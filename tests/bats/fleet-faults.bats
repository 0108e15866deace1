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
  [ -z "${proxy_pid-}" ] || kill "$proxy_pid" 2>/dev/null || :
  stop_redis
}

# between FAULT: what comes to the server comes through tests/lib/fleet_proxy.py.
between() {
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
  redis_keys
  TLS_PORT=$(free_port)
  start_redis --bind '127.0.0.1 127.0.0.2' --tls-port "$TLS_PORT" \
    --tls-cert-file "$REDIS/redis.pem" --tls-key-file "$REDIS/key.pem" \
    --tls-ca-cert-file "$REDIS/ca.pem" --tls-auth-clients no
}

# shut_fleet [DURATION]: for an hour, or so long, by a machine that is told so. It does
# not wait at its own gate, which it has shut where the server was late.
shut_fleet() {
  in_time "$BACKOFF" --state-dir="$PWD/two" --gate=fleet:hub --gate-wait=0 -n 1 -- \
    sh -c 'echo after="$1" >"$BACKOFF_HINT"; exit 1' sh "${1:-1h}"
  assert_failure 1
}

# is_shut: whether a run of a machine that has not asked before finds it so.
is_shut() {
  in_time "$BACKOFF" --state-dir="$(mktemp -d "$PWD/machine.XXXXXX")" --gate=fleet:hub \
    --gate-wait=0 -n 1 -- true
  [ "$status" -eq 75 ] || [ "$status" -eq 0 ] || fail "$status"
  return $((status == 0))
}

@test "fleet-faults: no server" {
  goes_on 'No such file or directory'
}

@test "fleet-faults: a server that has ended" {
  start_redis
  stop_redis
  goes_on 'Connection refused'
}

@test "fleet-faults: a server that never answers" {
  start_redis
  between hole
  is_slow=yes
  goes_on 'timed out'
}

@test "fleet-faults: a server that closes each connection" {
  between closed
  runs_once 'the connection was closed'
}

@test "fleet-faults: an answer without its end, and nothing more" {
  start_redis
  between cut
  runs_once 'the connection was closed'
}

@test "fleet-faults: an answer that has no end" {
  between endless
  runs_once 'its answer is too long'
}

@test "fleet-faults: what is no Redis server" {
  between 'answer=HTTP/1.1 400 Bad Request'
  runs_once 'not a Redis server'
}

@test "fleet-faults: answers of another kind than those to what was asked" {
  between 'answer=:1'
  runs_once 'it does not know the time'
}

@test "fleet-faults: the reason is what an error of the server means" {
  while IFS='|' read -r answer why; do
    between "answer=-$answer"
    runs_once "$why"
    kill "$proxy_pid"
    wait "$proxy_pid" || :
    rm -rf says "$REDIS/front"
  done <<'END'
LOADING Redis is loading the dataset in memory|it is still loading its data
MISCONF Redis is configured to save RDB snapshots|it cannot write to its disk
MASTERDOWN Link with MASTER is down|a replica without its master
NOAUTH Authentication required.|it asks for a password
WRONGPASS invalid username-password pair|wrong user or password
NOPERM this user has no permissions to run this|the user may not do that there
ERR unknown command|it refused a command
END
}

@test "fleet-faults: a read-only replica" {
  start_redis --replicaof 127.0.0.1 1
  runs_well
  fails
  assert_output "$(sick_for 'a read-only replica')"
}

@test "fleet-faults: no memory there" {
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

@test "fleet-faults: a user who may not do that" {
  start_redis
  redis acl setuser weak on '>secret' '~*' '+@all' -mget
  BACKOFF_FLEET=unix://weak:secret@$REDIS_SOCKET runs_once 'the user may not do that there'
}

@test "fleet-faults: keys of ours that are of another type" {
  start_redis
  redis lpush 'backoff:{hub}:gate' something
  # It is nothing that we know, and so as new.
  shut_fleet 1s
  is_shut
  redis del 'backoff:{hub}:next'
  redis set 'backoff:{hub}:next' something
  run -0 --separate-stderr "$BACKOFF" --name=job --gate=fleet:hub -n 1 -- echo made
  assert_line --index 0 made
}

@test "fleet-faults: a record that is damaged is as new" {
  start_redis
  shut_fleet
  is_shut
  redis setrange 'backoff:{hub}:gate' 8 xxxx
  run ! is_shut
  runs_well
}

@test "fleet-faults: a connection that is lost before a transaction is whole" {
  start_redis
  between before-exec
  fails
  assert_output "$(sick_for 'the connection was closed')"
  run redis exists 'backoff:{hub}:gate'
  assert_output 0
}

@test "fleet-faults: a connection that is lost when it was made" {
  start_redis
  between after-exec
  fails
  assert_output "$(sick_for 'the connection was closed')"
  run redis exists 'backoff:{hub}:gate'
  assert_output 1
}

@test "fleet-faults: a transaction that another crosses is made anew" {
  start_redis
  between crossed=2
  fails
  assert_output ''
  # What it has written stands there, and not what the other has.
  run redis strlen 'backoff:{hub}:gate'
  assert_output 192
}

@test "fleet-faults: transactions that are always crossed have an end" {
  start_redis
  between crossed=1000
  fails
  assert_output "$(sick_for 'too many others write there')"
}

@test "fleet-faults: a server that forgets all has a gate that is open until a machine that has seen it asks" {
  start_redis
  shut_fleet
  is_shut
  stop_redis
  start_redis
  run ! is_shut
  in_time "$BACKOFF" --state-dir="$PWD/two" --gate=fleet:hub --gate-wait=0 -n 1 -- true
  assert_failure 75
  is_shut
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

@test "fleet-faults: TLS, with a certificate that nobody has signed" {
  start_tls
  server=rediss://127.0.0.1:$TLS_PORT
  # Without the system's own, which take long to read.
  export SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/nonexistent
  export BACKOFF_FLEET=$server
  runs_once 'self-signed certificate'
  # ... and one that is known.
  export SSL_CERT_FILE=$REDIS/ca.pem
  runs_well
}

@test "fleet-faults: TLS, with a certificate of another address, or another name" {
  start_tls
  export SSL_CERT_FILE=$REDIS/ca.pem
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
