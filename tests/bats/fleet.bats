#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --gate=fleet: and --slots=fleet:, with a real server. A machine is a state
# directory here: that is what tells machines apart, beside the boot.
#
# shellcheck disable=SC2030,SC2031 # each test has a process of its own
# shellcheck disable=SC2154 # the helpers set these
# shellcheck disable=SC2016 # scripts for other shells

load helper
load ../lib/process
load ../lib/redis
load ../lib/shared

setup() {
  need_answer byte_lock
  cd "$BATS_TEST_TMPDIR" || return
  export BACKOFF_FLEET_HELPER=$FLEET_HELPER
  mkfifo go
  exec 7<>go
}

teardown() {
  end_all
  stop_redis
}

# with_server: on a socket.
with_server() {
  need_redis
  start_redis
  export BACKOFF_FLEET=unix:$REDIS_SOCKET
}

# on MACHINE ARG...: backoff there.
on() {
  BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/machine$1 "$BACKOFF" "${@:2}" 7>&-
}

# start_on MACHINE ARG...: in the background, as start() does.
start_on() {
  export BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/machine$1
  start -- "$BACKOFF" "${@:2}" 7>&-
}

# beside MACHINE ARG...: in the background, with $! as its process.
beside() {
  BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/machine$1 "$BACKOFF" "${@:2}" 3>&- 7>&- &
}

# shut_for TIME: a hint to machine 1 shuts the gate.
shut_for() {
  on 1 -qq --gate=fleet:hub -n 1 -b 1ms sh -c 'echo after="$1" >"$BACKOFF_HINT"; exit 1' sh "$1" || :
}

# helpers: those that run for the test's own program.
helpers() {
  local each
  for each in $(pgrep -x backoff-fleet); do
    if grep -qz "^BACKOFF_FLEET=$BACKOFF_FLEET\$" "/proc/$each/environ" 2>/dev/null &&
      ! in_state "$each" Z; then
      echo "$each"
    fi
  done
}

helper_is_there() {
  [ -n "$(helpers)" ]
}

no_helper() {
  ! helper_is_there
}

# blocked N: as many clients wait on the server.
blocked() {
  [ "$(redis info clients | tr -d '\r' | sed -n 's/^blocked_clients://p')" = "$1" ]
}

# lease_end: until when the one slot of hub that is taken is leased.
lease_end() {
  redis zrange 'backoff:{hub}:slots' 0 -1 withscores | sed -n 2p
}

# lease_grows: it is renewed, and nothing else has happened to it.
lease_grows() {
  [ "$(lease_end)" -gt "$before" ] && [ "$(redis zcard 'backoff:{hub}:slots')" = 1 ]
}

@test "without a helper or a server's name it is an error before anything runs" {
  unset BACKOFF_FLEET
  export BACKOFF_FLEET_HELPER=/nonexistent/backoff-fleet
  run -125 --separate-stderr "$BACKOFF" --gate=fleet:hub touch ran
  assert_equal "$stderr" 'backoff: --gate: fleet:hub: backoff-fleet is not installed'
  run -125 --separate-stderr "$BACKOFF" --slots=fleet:hub:2 touch ran
  assert_equal "$stderr" 'backoff: --slots: fleet:hub: backoff-fleet is not installed'
  assert [ ! -e ran ]
}

# unit/fleet/url has all that is wrong.
@test "a server's name that is missing or wrong is an error that keeps the password" {
  [ -x "$FLEET_HELPER" ] || skip 'backoff-fleet was not built'
  local wrong
  unset BACKOFF_FLEET
  run -125 --separate-stderr "$BACKOFF" --gate=fleet:hub touch ran
  assert_equal "$stderr" 'backoff: --gate: fleet:hub: BACKOFF_FLEET is not set; expected redis://HOST, rediss://HOST or unix:/PATH there'
  for wrong in http://u:secret@host redis://u:secret@host:x; do
    BACKOFF_FLEET=$wrong run -125 "$BACKOFF" --gate=fleet:hub touch ran
    assert_equal "${#lines[@]}" 1
    assert_output --partial 'backoff: --gate: fleet:hub: BACKOFF_FLEET: expected '
    refute_output --partial secret
  done
  assert [ ! -e ran ]
}

@test "a program that was copied without its helper looks for it where it was to be installed" {
  need_redis
  need_strace
  mkdir copy
  cp "$BACKOFF" copy/backoff
  BACKOFF_FLEET=unix:/nonexistent run env -u BACKOFF_FLEET_HELPER \
    strace -qq -f -e trace=execve copy/backoff --gate=fleet:hub true
  assert_line --regexp 'execve\("/[^"]*/backoff-fleet"'
  refute_line --partial "$PWD/copy/backoff-fleet"
}

@test "nothing else is shared in a fleet" {
  run -125 "$BACKOFF" --defer=fleet:hub true
  assert_output 'backoff: --defer: fleet:hub: expected NAME: no fleet shares deferrals'
  run -125 "$BACKOFF" --gate=fleet: true
  run -125 "$BACKOFF" --gate=fleet:list true
  run -125 "$BACKOFF" --slots=fleet:hub true
}

@test "backoff itself is linked with libc alone" {
  need readelf
  run -0 readelf -d "$BACKOFF"
  refute_output --regexp 'NEEDED.*(hiredis|ssl|crypto)'
}

@test "failures of one machine leave the gate open, those of two shut it for all" {
  with_server
  for _ in 1 2; do
    run -1 on 1 --gate=fleet:hub -n 2 -d 1s false
    refute_output --partial 'gate fleet:hub shut'
  done
  run -1 on 2 --gate=fleet:hub -n 1 -b 1h -j none false
  assert_output --partial 'gate fleet:hub shut: exit 1, '
  run -75 on 3 --gate=fleet:hub --gate-wait=0 true
  assert_output --regexp '^backoff: true: gave up at gate fleet:hub after 0s?.*: exit 1$'
}

@test "over TCP, with a password and a database, machines share a gate" {
  need_redis
  REDIS_PORT=$(free_port)
  start_redis --requirepass secret
  export REDISCLI_AUTH=secret BACKOFF_FLEET=redis://:secret@127.0.0.1:$REDIS_PORT/3
  shut_for 1h
  run -75 on 3 --gate=fleet:hub --gate-wait=0 true
  assert_equal "$(redis -n 3 exists 'backoff:{hub}:gate')" 1
  stop_redis
}

@test "a server that is back is used again by the next attempt, which -v tells" {
  with_server
  stop_redis
  start_on 1 -v --gate=fleet:hub -d 0 -n 2 --before-retry='echo hook; read -r _ <go' -- false
  await "$err" 'cannot use fleet gate'
  start_redis
  echo >&7
  await "$err" 'fleet server reachable again'
  assert_fate 'exited 1'
}

@test "all keys go after a day without use" {
  with_server
  shut_for 1ms
  on 3 -q --gate=fleet:hub --slots=fleet:hub:2 sh -c 'redis-cli -s "$0" keys "*" >keys' "$REDIS_SOCKET"
  local key
  while read -r key; do
    run -0 redis ttl "$key"
    assert [ "$output" -gt 0 ]
    assert [ "$output" -le 86400 ]
  done < <(redis keys '*')
  run -0 cat keys
  assert_line 'backoff:{hub}:gate'
  assert_line 'backoff:{hub}:slots'
}

@test "one machine probes at a time, and the next one follows its failure" {
  with_server
  shut_for 1ms
  start_on 1 -q --gate=fleet:hub -b 1ms -- sh -c 'echo probing; read -r _ <go; exit 1'
  await "$out" probing
  beside 2 --gate=fleet:hub -b 1ms sh -c 'echo "$BACKOFF_GATE" >second'
  wait_for blocked 1
  assert [ ! -e second ]
  echo >&7
  wait $!
  assert_equal "$(<second)" probing
  # Its success lets the first one go too.
  await "$out" 'probing.*'
  printf '\n\n\n' >&7
  signal TERM
  assert_fate 'killed TERM'
}

@test "the turn and the slot of a run that is killed go to who waits on other machines" {
  need_proc
  local second
  with_server
  shut_for 1ms
  start_on 1 -q --gate=fleet:hub --slots=fleet:hub:1 -- sh -c 'echo probing; exec sleep 1000'
  await "$out" probing
  beside 2 --gate=fleet:hub sh -c 'echo "$BACKOFF_GATE" >second'
  second=$!
  beside 3 --slots=fleet:hub:1 touch slot
  wait_for blocked 2
  assert [ ! -e slot ]
  signal KILL
  wait "$second" $!
  assert_equal "$(<second)" probing
  assert [ -e slot ]
  wait_for no_helper
}

@test "a signal ends the wait for the turn and for a slot, and the helper goes too" {
  local wait name status
  with_server
  shut_for 1ms
  start_on 1 -q --gate=fleet:hub --slots=fleet:hub:1 -- sh -c 'echo probing; read -r _ <go'
  await "$out" probing
  for wait in --gate=fleet:hub --slots=fleet:hub:1; do
    for name in TERM INT; do
      BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/machine2 env --default-signal "$BACKOFF" -q "$wait" touch ran 3>&- 7>&- &
      wait_for blocked 1
      kill -s "$name" $!
      status=0
      wait $! || status=$?
      assert_equal "$status" "$((128 + $(kill -l "$name")))"
      wait_for blocked 0
    done
  done
  assert [ ! -e ran ]
  assert_equal "$(redis zcard 'backoff:{hub}:slots')" 1
  echo >&7
  assert_fate 'exited 0'
  assert_equal "$(redis zcard 'backoff:{hub}:slots')" 0
}

# bats test_tags=long
@test "a server that is lost in a wait leaves the wait at the local gate" {
  with_server
  shut_for 10s
  start_on 3 -v --gate=fleet:hub -b 1ms -- sh -c 'echo "ran $BACKOFF_GATE"'
  await "$err" 'waiting at gate fleet:hub'
  wait_for lease
  stop_redis
  await "$out" 'ran probing'
  assert_fate 'exited 0'
  assert_equal "$(grep -c 'cannot use fleet' "$err")" 1
}

@test "a helper that is killed or stuck in an attempt does not end that, and is told" {
  need_proc
  local name why
  with_server
  while IFS='|' read -r name why; do
    start_on 1 --gate=fleet:hub -n 1 -- sh -c 'echo ready; read -r _ <go; exit 3'
    await "$out" ready
    kill -s "$name" "$(helpers)"
    echo >&7
    assert_fate 'exited 3'
    assert_equal "$(grep -c "cannot use fleet gate hub (.*: $why); going on with the local gate" "$err")" 1
    no_helper
  done <<'END'
KILL|backoff-fleet has ended
STOP|timed out
END
}

@test "a helper that is killed in an attempt is followed by one that renews its slot" {
  need_proc
  local before first
  with_server
  start_on 1 --gate=fleet:hub --slots=fleet:hub:1 -n 1 -- sh -c 'echo ready; read -r _ <go; exit 3'
  await "$out" ready
  first=$(redis zrange 'backoff:{hub}:slots' 0 -1)
  for _ in 1 2; do
    before=$(lease_end)
    wait_for helper_is_there
    kill -KILL "$(helpers)"
    # Before it would have been renewed anyway, five seconds after.
    wait_for lease_grows
    run -75 on 2 -q --slots=fleet:hub:1 --slots-wait=0 touch ran
  done
  assert_equal "$(redis zrange 'backoff:{hub}:slots' 0 -1)" "$first"
  echo >&7
  assert_fate 'exited 3'
  assert_equal "$(redis zcard 'backoff:{hub}:slots')" 0
  refute grep -qE 'has ended|lost the|NOT enforced' "$err"
  assert [ ! -e ran ]
}

@test "COMMAND has neither the server's name nor the socket, and the helper nothing of ours open, nor a terminal" {
  need_proc
  local helper
  with_server
  start_on 1 --gate=fleet:hub --slots=fleet:hub:1 -- \
    sh -c 'env >env; ls -l /proc/$$/fd >fds; echo ready; read -r _ <go' 5>mark
  await "$out" ready
  refute grep -q BACKOFF_FLEET env
  assert grep -q "^BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/machine1$" env
  refute grep -q socket: fds
  helper=$(helpers)
  run -0 find "/proc/$helper/fd" -lname "$BATS_TEST_TMPDIR/*"
  assert_output ''
  assert_equal "$(ps -o sid= "$helper" | tr -d ' ')" "$helper"
  echo >&7
  assert_fate 'exited 0'
  wait_for no_helper
}

# A daemon with an environment of its own is known by nothing but that backoff
# has adopted it, and had no other child before.
@test "a timeout ends what COMMAND left behind, and not the helper" {
  with_server
  start_on 1 --gate=fleet:hub -t 5 -k 1s -n 1 -- sh -c '
    (env -i "PATH=$PATH" setsid sh -c "echo daemon \$\$; exec sleep 1000" &)
    exec sleep 1000'
  await "$out" daemon
  local daemon
  daemon=$(sed -n 's/^daemon //p' "$out")
  assert_fate 'exited 124'
  wait_for gone "$daemon"
  refute grep -q 'cannot use' "$err"
}

@test "no more attempts than slots go on at once among machines" {
  with_server
  local i pids=()
  for i in 1 2 3 4 5 6; do
    beside "$((i % 3))" -q --slots=fleet:hub:2 -- sh -c "$notes_itself"
    pids+=($!)
  done
  for i in "${pids[@]}"; do
    wait "$i"
  done
  assert_at_once 6 2
}

@test "a slot that others have had meanwhile is told, and taken anew" {
  with_server
  start_on 1 --slots=fleet:hub:1 -n 2 -b 1ms -- sh -c 'echo ready "$BACKOFF_ATTEMPT"; read -r _ <go; exit 1'
  await "$out" 'ready 1'
  redis del 'backoff:{hub}:slots'
  echo >&7
  await "$out" 'ready 2'
  assert_equal "$(redis zcard 'backoff:{hub}:slots')" 1
  echo >&7
  assert_fate 'exited 1'
  assert_equal "$(grep -c 'lost the slot of fleet:hub' "$err")" 1
}

@test "a nested run shares the slot of the one around it, and needs no server's name" {
  with_server
  run -0 on 1 --slots=fleet:hub:1 -- sh -c '"$BACKOFF" --slots=fleet:hub:1 -- echo inside'
  assert_output inside
  run -125 on 1 --slots=hub:1 -n 1 -- sh -c '"$BACKOFF" --slots=fleet:hub:1 -- echo inside'
}

@test "without a state directory the fleet goes on alone" {
  with_server
  shut_for 1ms
  : >file
  BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/file run -0 "$BACKOFF" --gate=fleet:hub --slots=fleet:hub:1 \
    sh -c 'echo "$BACKOFF_GATE $BACKOFF_SLOTS"'
  assert_line --partial 'probing fleet:hub:'
  assert_line "backoff: sh: cannot use gate hub ($BATS_TEST_TMPDIR/file: Not a directory); going on with the fleet alone"
  assert_line "backoff: sh: cannot use slots hub ($BATS_TEST_TMPDIR/file: Not a directory); going on with the fleet alone"
}

@test "without a state directory slots are waited for, and a lost server is said to be gone" {
  with_server
  : >file
  start_on 1 -q --slots=fleet:hub:1 -- sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/file "$BACKOFF" -q --slots=fleet:hub:1 touch ran 3>&- 7>&- &
  wait_for blocked 1
  assert [ ! -e ran ]
  echo >&7
  wait $!
  assert [ -e ran ]
  assert_fate 'exited 0'
  stop_redis
  # Neither the fleet nor the local slots can keep the limit.
  BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/file run -125 "$BACKOFF" --slots=fleet:hub:1 touch started
  assert_output --regexp '^backoff: cannot use slots fleet:hub \(.*/file: Not a directory; unix:.*\)$'
  assert [ ! -e started ]
}

# What this machine has seen of failures is known without asking the server.
@test "failures in a fleet with a success between them are no row, whenever that attempt began" {
  with_server
  beside 1 -qq --gate=fleet:hub -- sh -c 'echo >begun; read -r _ <go'
  wait_for test -e begun
  run -1 on 1 -qq --gate=fleet:hub -n 2 -d 1s false
  echo >&7
  wait $!
  run -1 on 2 --gate=fleet:hub -n 1 false
  refute_output --partial 'gate fleet:hub shut'
}

@test "--gate=open:fleet:NAME opens the gate for all machines" {
  with_server
  shut_for 30m
  run -75 on 2 --gate=fleet:hub --gate-wait=0 -- true
  run -0 on 1 --gate=open:fleet:hub
  assert_output 'gate fleet:hub was shut: exit 1; it opens gradually now'
  run -0 on 2 --gate=fleet:hub -- sh -c 'echo "$BACKOFF_GATE"'
  assert_output --partial ramp
  redis flushall
  run -0 on 1 --gate=open:fleet:hub
  assert_output 'gate fleet:hub is open'
  stop_redis
  run -125 on 1 --gate=open:fleet:hub
}

@test "a server that is flushed, or begins anew, is given the shut gate by a machine that has seen it" {
  with_server
  shut_for 1h
  run -75 on 2 --gate=fleet:hub --gate-wait=0 true
  redis flushall
  run -75 on 2 --gate=fleet:hub --gate-wait=0 true
  run -75 on 3 --gate=fleet:hub --gate-wait=0 true
  stop_redis
  start_redis
  run -75 on 1 --gate=fleet:hub --gate-wait=0 true
  run -75 on 4 --gate=fleet:hub --gate-wait=0 true
}

@test "of what machines give an empty server the newest wins" {
  with_server
  shut_for 1h
  # News of a machine are newer by more than a second, as clocks differ.
  sleep 1.1
  run -0 on 2 --gate=open:fleet:hub
  run -0 on 3 --gate=fleet:hub true
  redis flushall
  run -75 on 1 --gate=fleet:hub --gate-wait=0 true
  run -0 on 3 --gate=fleet:hub --gate-wait=30s true
  run -0 on 1 --gate=fleet:hub --gate-wait=30s true
}

@test "what a machine has shut by itself is not given to a server that is back" {
  with_server
  stop_redis
  shut_for 1h
  run -75 on 1 -qq --gate=fleet:hub --gate-wait=0 true
  start_redis
  on 1 -qq --gate=fleet:hub --gate-wait=0 true || :
  run -0 on 3 --gate=fleet:hub --gate-wait=0 true
}

# bats test_tags=long
@test "a lost server is waited for as long as a lease, and then the local slots serve, which is told under -qq" {
  local before
  with_server
  on 1 -q --slots=fleet:hub:1 true
  stop_redis
  before=$SECONDS
  run -0 on 1 -qq --slots=fleet:hub:1 -d 0 -n 2 -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
  assert_output --regexp '^backoff: sh: limit of slots fleet:hub NOT enforced \(unix:.*\); going on with the local slots$'
  # Once a run, and not once an attempt: that would be 30 seconds.
  assert [ $((SECONDS - before)) -ge 14 ]
}

# bats test_tags=long
@test "all runs of a machine wait for a lost server at the same time" {
  local pids=()
  with_server
  stop_redis
  for _ in 1 2 3; do
    beside 1 --log-format=json --log-file=news --slots=fleet:hub:3 -n 1 -- true
    pids+=($!)
  done
  wait "${pids[@]}"
  run -0 "${PYTHON[@]}" - <<'PY'
import datetime, json
news = [json.loads(line) for line in open("news")]
told = [datetime.datetime.fromisoformat(event["time"]) for event in news if event["event"] == "degraded"]
assert len(told) == 3, told
# One after the other, they would take 15 seconds each.
assert max(told) - min(told) < datetime.timedelta(seconds=14), told
PY
}

@test "a run that may not wait for a lost server says why it has no slot" {
  with_server
  stop_redis
  run -75 on 1 --slots=fleet:hub:1 --slots-wait=0 touch ran
  assert_output --regexp '^backoff: touch: no slot of fleet:hub was free within 0s \(unix:.*: .*\)$'
  run -124 on 1 -q --slots=fleet:hub:1 -T 1s touch ran
  assert_output --regexp 'waiting for a slot of fleet:hub \(unix:.*: .*\)$'
  assert [ ! -e ran ]
}

@test "a lease that ends later than any can is one from before the clock was set back" {
  with_server
  redis zadd 'backoff:{hub}:slots' "$((($(date +%s) + 3600) * 1000))" dead
  run -0 on 1 -qq --slots=fleet:hub:1 --slots-wait=1m -- echo ran
  assert_output ran
  assert_equal "$(redis zcard 'backoff:{hub}:slots')" 0
}

@test "no attempt begins after the deadline, which the server's answer may use up" {
  with_server
  kill -STOP "$redis_pid"
  run -124 on 1 --gate=fleet:hub -T 100ms touch ran
  assert [ ! -e ran ]
  assert_output --regexp 'after 0 attempts|deadline'
}

# bats test_tags=long
@test "the user of the manual may do what is needed" {
  with_server
  redis acl setuser backoff on '>secret' resetkeys '~backoff:*' resetchannels -@all \
    +auth +select +time +watch +unwatch +multi +exec +get +mget +set +getex +del +expire +pttl \
    +lpop +blpop +rpush +ltrim +zadd +zrem +zcount +zrangebyscore +zremrangebyscore
  export BACKOFF_FLEET=unix://backoff:secret@$REDIS_SOCKET
  shut_for 1ms
  start_on 3 --gate=fleet:hub --slots=fleet:hub:1 sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  local before
  before=$(lease_end)
  wait_for lease_grows
  echo >&7
  assert_fate 'exited 0'
  refute grep -q 'cannot use' "$err"
  redis acl setuser backoff -zadd
  run -0 on 3 --slots=fleet:hub:1 true
  assert_output --partial 'the user may not do that there'
}

@test "nothing is left behind where backoff is process 1" {
  with_server
  need_namespace --pid --fork --mount-proc
  run -0 "${namespace[@]}" "$BACKOFF" --gate=fleet:hub --slots=fleet:hub:1 sh -c 'echo ran' 3>&- 7>&-
  assert_output ran
  wait_for no_helper
  assert_equal "$(redis zcard 'backoff:{hub}:slots')" 0
}

# bats test_tags=long
@test "who is stopped loses its turn and its slot, which is told when it goes on" {
  with_server
  run -1 on 1 -qq --gate=fleet:hub -n 2 -d 1s false
  run -1 on 2 -qq --gate=fleet:hub -n 1 -b 1ms false
  start_on 1 -v --gate=fleet:hub --slots=fleet:hub:1 --stop-on=3 -- sh -c 'echo ready; read -r _ <go; exit 3'
  await "$out" ready
  beside 2 -q --slots=fleet:hub:1 touch slot
  wait_for blocked 1
  # What runs is COMMAND, and what is stopped is who would renew.
  signal STOP
  wait $!
  assert [ -e slot ]
  # Who waits may take it for stuck before that.
  no_lease() {
    ! lease
  }
  wait_for no_lease
  run -0 on 3 -q --gate=fleet:hub sh -c 'echo "$BACKOFF_GATE"'
  assert_output probing
  signal CONT
  echo >&7
  assert_fate 'exited 3'
  assert grep -q 'lost the slot of fleet:hub' "$err"
  assert grep -q 'lost the turn at gate fleet:hub' "$err"
}

# bats test_tags=long
@test "a server that begins anew takes no slot away" {
  with_server
  shut_for 1ms
  start_on 1 -v --gate=fleet:hub --slots=fleet:hub:1 -- sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  stop_redis
  start_redis
  slot_is_back() {
    [ "$(redis zcard 'backoff:{hub}:slots')" = 1 ]
  }
  wait_for slot_is_back
  echo >&7
  assert_fate 'exited 0'
  refute grep -q 'lost the slot\|cannot use' "$err"
}

@test "--gate-wait and --until bound the wait for the turn of another machine" {
  with_server
  shut_for 1ms
  start_on 1 -q --gate=fleet:hub -- sleep 1000
  wait_for lease
  run -75 on 2 --gate=fleet:hub --gate-wait=1s true
  assert_output --regexp 'gave up at gate fleet:hub after [0-9.]+s: exit 1'
  run -124 on 2 --gate=fleet:hub -T 1s true
  wait_for blocked 0
  signal TERM
  assert_fate 'killed TERM'
}

@test "the wake signal starts an attempt at once" {
  with_server
  shut_for 1h
  start_on 1 -q --gate=fleet:hub -- true
  wait_for lease
  local first=$pid
  beside 2 -q --gate=fleet:hub --wake-on=USR1 sh -c 'echo ran >woken'
  wait_for blocked 1
  kill -USR1 $!
  wait $!
  assert_equal "$(<woken)" ran
  kill -TERM "$first"
}

# bats test_tags=long
@test "a server that hangs when a lease is due for renewal costs nothing but time" {
  need_proc
  with_server
  shut_for 1ms
  start_on 1 -q --gate=fleet:hub --slots=fleet:hub:1 -- sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  kill -STOP "$redis_pid"
  sleep 7 # the renewal is due after 5 s
  kill -CONT "$redis_pid"
  assert helper_is_there
  echo >&7
  assert_fate 'exited 0'
  assert_equal "$(cat "$err")" ''
}

@test "a connection that was closed in a long attempt is made anew" {
  with_server
  start_on 1 --gate=fleet:hub -n 1 -- sh -c 'echo ready; read -r _ <go; exit 1'
  await "$out" ready
  redis client kill type normal skipme yes
  echo >&7
  assert_fate 'exited 1'
  refute grep -q 'cannot use' "$err"
  assert_equal "$(redis exists 'backoff:{hub}:gate')" 1
}

@test "a signal that comes while the server is asked lets no attempt begin" {
  cat >asked <<'EOS'
#!/usr/bin/env python3
import os, signal, socket
backoff = socket.socket(fileno=3)
while line := backoff.recv(4096):
    if line.startswith(b"hello"):
        backoff.send(b"hello :server")
    elif line.startswith(b"bye"):
        break
    else:
        os.kill(os.getppid(), signal.SIGTERM)
        backoff.send(b"lost :gone")
EOS
  chmod +x asked
  export BACKOFF_FLEET_HELPER=$PWD/asked BACKOFF_FLEET=unix:/nowhere
  run -143 "$BACKOFF" --gate=fleet:hub sleep 1000
  assert_line --partial 'interrupted by TERM after 0 attempts'
}
