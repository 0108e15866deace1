#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --gate=fleet: and --slots=fleet:, with a real server on a socket. A machine is a
# state directory here: that is what tells machines apart, beside the boot.
# fleet-helper.bats has what the server is asked, fleet-faults.bats one that is ill
# or not there, and bad-input.bats what is refused before.

load helper
load ../lib/redis
load ../lib/shared

setup() {
  need_answer byte_lock
  need_redis
  start_redis
  export BACKOFF_FLEET_HELPER=$FLEET_HELPER BACKOFF_FLEET=unix:$REDIS_SOCKET
  mkfifo go
  exec 7<>go
}

teardown() {
  end_all
  end_others
  stop_redis
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
  BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/machine$1 env --default-signal "$BACKOFF" "${@:2}" 2>"said.$1" 3>&- 7>&- &
}

# waits MACHINE: until what runs beside waits there.
waits() {
  wait_for grep -q waiting "said.$1"
}

# shut_fleet: by failures of two machines, which the tests do not use otherwise:
# what they have just seen is not asked for. The next probe is due at once.
shut_fleet() {
  on 8 -qq --gate=fleet:hub -n 19 -b 0 -- false || :
  on 9 -qq --gate=fleet:hub -n 1 -b 1ms -- false || :
}

# shut_for TIME: the same by a probe that is asked to wait for so long.
shut_for() {
  shut_fleet
  on 9 -qq --gate=fleet:hub -n 1 -b 1ms sh -c 'echo after="$1" >"$BACKOFF_HINT"; exit 1' sh "$1" || :
}

# is_shut_on MACHINE
is_shut_on() {
  run on "$1" -qq --gate=fleet:hub --gate-wait=0 true
  [ "$status" = 75 ]
}

# is_held PART COUNT: so much is held of the gate, or of the slots.
is_held() {
  [ "$(redis zcard "backoff:{hub}:$1:held")" = "$2" ]
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

# lease_end: until when the one slot of hub that is taken is leased.
lease_end() {
  redis zrange 'backoff:{hub}:slots:held' 0 -1 withscores | sed -n 2p
}

# lease_grows: it is renewed, and nothing else has happened to it.
lease_grows() {
  [ "$(lease_end)" -gt "$before" ] && is_held slots 1
}

@test "failures of one machine leave the gate open, those of two in two seconds shut it for all" {
  for _ in 1 2; do
    run -1 on 1 --gate=fleet:hub -n 2 -d 1s false
    refute_output --partial 'gate fleet:hub shut'
  done
  run -1 on 2 --gate=fleet:hub -n 1 -b 1h -j none false
  assert_output --partial 'gate fleet:hub shut: exit 1, 5 failures in a row'
  run -75 on 3 --gate=fleet:hub --gate-wait=0 true
  assert_output --regexp '^backoff: true: gave up at gate fleet:hub after 0s?.*: exit 1$'
}

# What this machine has seen of failures is known without asking the server.
@test "failures in a fleet with a success between them are no row, whenever that attempt began" {
  beside 1 -qq --gate=fleet:hub -- sh -c 'echo >begun; read -r _ <go'
  wait_for test -e begun
  on 1 -qq --gate=fleet:hub -n 19 -b 0 false || :
  echo >&7
  wait $!
  run -1 on 2 --gate=fleet:hub -n 1 false
  refute_output --partial 'gate fleet:hub shut'
}

@test "over TCP, with a password and a database, machines share a gate" {
  stop_redis
  REDIS_PORT=$(free_port)
  start_redis --requirepass secret
  export REDISCLI_AUTH=secret BACKOFF_FLEET=redis://:secret@127.0.0.1:$REDIS_PORT/3
  shut_for 1h
  is_shut_on 3
  assert_equal "$(redis -n 3 exists 'backoff:{hub}:gate')" 1
}

@test "a server that is back is used again by the next attempt, which -v tells" {
  stop_redis
  start_on 1 -v --gate=fleet:hub -d 0 -n 2 --before-retry='read -r _ <go' -- false
  await "$err" 'cannot use gate fleet:hub'
  start_redis
  echo >&7
  await "$err" 'fleet server reachable again'
  assert_fate 'exited 1'
}

@test "one machine probes at a time, and another one after its failure" {
  shut_fleet
  start_on 1 -q --gate=fleet:hub -b 2s -- sh -c '[ ! -e first ] || exit 1; touch first; echo probing; read -r _ <go; exit 1'
  await "$out" probing
  beside 2 --gate=fleet:hub -b 1ms sh -c 'echo "$BACKOFF_GATE" >second'
  waits 2
  assert [ ! -e second ]
  assert is_held gate 1
  echo >&7
  wait $!
  assert_equal "$(<second)" probing
  dies_by TERM
}

@test "the probe and the slot of a run that is killed go to who waits on other machines" {
  need_proc
  shut_fleet
  start_on 1 -q --gate=fleet:hub --slots=fleet:hub:1 -- sh -c 'echo probing; exec sleep 1000'
  await "$out" probing
  beside 2 --gate=fleet:hub sh -c 'echo "$BACKOFF_GATE" >second'
  second=$!
  beside 3 --slots=fleet:hub:1 sh -c 'touch slot; until [ -e enough ]; do sleep 0.1; done'
  third=$!
  waits 2
  waits 3
  # Who is told to end in a wait takes nothing away.
  beside 4 --gate=fleet:hub touch slot
  waits 4
  kill $!
  wait $! || :
  beside 5 --slots=fleet:hub:1 touch slot
  waits 5
  kill $!
  wait $! || :
  assert is_held gate 1
  assert is_held slots 1
  assert [ ! -e slot ]
  signal KILL
  wait_for test -e slot
  assert is_held slots 1
  touch enough
  wait "$second" "$third"
  assert_equal "$(<second)" probing
  wait_for no_helper
}

# bats test_tags=long
@test "a server that is lost in a wait leaves the wait at the local gate" {
  shut_for 5s
  start_on 3 -v --gate=fleet:hub -b 1ms -- sh -c 'echo "ran $BACKOFF_GATE"'
  await "$err" 'waiting at gate fleet:hub'
  stop_redis
  await "$out" 'ran probing'
  assert_fate 'exited 0'
  assert_equal "$(grep -c 'cannot use gate fleet:hub' "$err")" 1
}

# bats test_tags=long
@test "a server that is back in a wait ends it by what other machines have found" {
  shut_for 1h
  start_on 3 -v --gate=fleet:hub -- sh -c 'echo "ran $BACKOFF_GATE"'
  await "$err" 'waiting at gate fleet:hub'
  stop_redis
  sleep 6 # it asks meanwhile
  start_redis
  # A server that is empty is given the gate by the first who asks.
  is_open() {
    run -0 on 1 --gate=open:fleet:hub
    grep -q '^ran' "$out"
  }
  wait_for is_open
  assert_fate 'exited 0'
  refute grep -q 'cannot use' "$err"
}

@test "a helper that is stuck in an attempt is told, and one that is killed followed by one that renews its slot" {
  need_proc
  start_on 1 --gate=fleet:hub -b 1h -- sh -c 'echo ready; read -r _ <go; exit 3'
  await "$out" ready
  kill -STOP "$(helpers)"
  echo >&7
  await "$err" 'cannot use gate fleet:hub .*: timed out.; going on with the local gate'
  # What is stuck may answer later what nobody asks any more.
  no_helper
  dies_by TERM
  assert_equal "$(grep -c 'cannot use gate' "$err")" 1
  shut_fleet
  start_on 1 --gate=fleet:hub --slots=fleet:hub:1 -n 1 -- sh -c 'echo ready; read -r _ <go; exit 3'
  await "$out" ready
  for _ in 1 2; do
    before=$(lease_end)
    wait_for helper_is_there
    kill -KILL "$(helpers)"
    # Before it would have been renewed anyway, five seconds after.
    wait_for lease_grows
    run -75 on 2 -q --slots=fleet:hub:1 --slots-wait=0 touch ran
  done
  assert_equal "$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)" 1
  echo >&7
  assert_fate 'exited 3'
  assert is_held slots 0
  assert is_held gate 0
  refute grep -qE 'has ended|lost the|NOT enforced' "$err"
  assert [ ! -e ran ]
}

@test "COMMAND has neither the server's name nor the socket, and the helper nothing of ours open, nor a terminal" {
  need_proc
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
  local helper
  start_on 1 --gate=fleet:hub -t 5 -k 1s -b 1000s -- sh -c '
    (env -i "PATH=$PATH" setsid sh -c "echo daemon \$\$; exec sleep 1000" &)
    exec sleep 1000'
  await "$out" daemon
  daemon=$(sed -n 's/^daemon //p' "$out")
  helper=$(helpers)
  await "$err" 'timed out'
  wait_for gone "$daemon"
  assert_equal "$(helpers)" "$helper"
  dies_by TERM
}

@test "a slot that others have had meanwhile is told, and taken anew" {
  start_on 1 -q --slots=fleet:hub:1 -n 2 -b 1ms -- sh -c 'echo ready "$BACKOFF_ATTEMPT"; read -r _ <go; exit 1'
  await "$out" 'ready 1'
  before=$(redis --no-raw get 'backoff:{hub}:slots')
  redis del 'backoff:{hub}:slots:held'
  echo >&7
  await "$out" 'ready 2'
  assert [ "$(redis --no-raw get 'backoff:{hub}:slots')" != "$before" ]
  assert is_held slots 1
  echo >&7
  assert_fate 'exited 1'
  assert_equal "$(grep -c 'lost the slot of fleet:hub' "$err")" 1
}

@test "a slot that cannot be given back was not lost before its lease is over" {
  start_on 1 --slots=fleet:hub:1 -n 1 -- sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  stop_redis
  echo >&7
  assert_fate 'exited 0'
  assert_equal "$(cat "$err")" ''
}

@test "a nested run shares the slot of the one around it, and needs no server's name" {
  run -0 on 1 --slots=fleet:hub:1 -- sh -c '"$BACKOFF" --slots=fleet:hub:1 -- echo inside'
  assert_output inside
  run -125 on 1 --slots=hub:1 -n 1 -- sh -c '"$BACKOFF" --slots=fleet:hub:1 -- echo inside'
  run -0 on 1 --slots=fleet:hub:2 env BACKOFF_SLOTS= BACKOFF_FLEET="$BACKOFF_FLEET" \
    "$BACKOFF" --slots=fleet:hub:2 redis-cli -s "$REDIS_SOCKET" zcard 'backoff:{hub}:slots:held'
  assert_output 2
}

@test "without a state directory the fleet goes on alone, until its server is gone" {
  shut_fleet
  : >file
  export BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/file
  run -0 "$BACKOFF" --gate=fleet:hub --slots=fleet:hub:1 sh -c 'echo "$BACKOFF_GATE $BACKOFF_SLOTS"'
  assert_line --partial 'probing fleet:hub:'
  assert_line "backoff: sh: cannot use gate hub ($BATS_TEST_TMPDIR/file: Not a directory); going on with the fleet alone"
  assert_line "backoff: sh: cannot use slots hub ($BATS_TEST_TMPDIR/file: Not a directory); going on with the fleet alone"
  BACKOFF_STATE_DIR=$PWD/machine1 run -0 bash -c 'ulimit -f 0; "$BACKOFF" --gate=fleet:hub true 2>&1 | cat'
  assert_output "backoff: true: cannot use gate hub ($PWD/machine1: File too large); going on with the fleet alone"
  start_on 1 -q --slots=fleet:hub:1 -- sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/file "$BACKOFF" --slots=fleet:hub:1 touch ran 2>said.2 3>&- 7>&- &
  waits 2
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

@test "--gate=open:fleet:NAME opens the gate for all machines" {
  shut_for 30m
  is_shut_on 2
  run -0 on 1 --gate=open:fleet:hub
  assert_output 'gate fleet:hub was shut: exit 1; it opens gradually now'
  run -0 on 2 --gate=fleet:hub -- sh -c 'echo "$BACKOFF_GATE"'
  assert_output --partial paced
  redis del 'backoff:{hub}:gate'
  run -0 on 1 --gate=open:fleet:hub
  assert_output 'gate fleet:hub is open'
  assert_equal "$(redis exists 'backoff:{hub}:gate')" 0
  stop_redis
  run -125 on 1 --gate=open:fleet:hub
  assert_output --regexp '^backoff: --gate=open: fleet:hub: '
}

# asks_nothing AGE: a run at a gate whose copy was made so many seconds ago.
asks_nothing() {
  state=machine1 record synced=-"$1" >/dev/null
  redis config resetstat >/dev/null
  run -0 on 1 --gate=fleet:hub true
  [ "$(redis_calls)" -eq 0 ]
}

@test "what a run of the machine has just seen is not asked for again" {
  on 1 --gate=fleet:hub true
  wait_for asks_nothing 0
}

@test "one run asks for all of its machine, but not while it runs COMMAND" {
  beside 1 --gate=fleet:hub -- sh -c 'echo >begun; read -r _ <go'
  wait_for test -e begun
  refute asks_nothing 2
  hold_bytes machine1/hub "$sync_byte" 1
  wait_for asks_nothing 2
  echo >&7
}

@test "--gate=list shows a machine's copy of a fleet's gate, and who waits on all machines" {
  shut_for 30m
  beside 1 --gate=fleet:hub true
  first=$!
  waits 1
  beside 2 --gate=fleet:hub true
  waits 2
  # Who waits asks nothing meanwhile, and has no child.
  wait_for eval '[ -z "$(cat "/proc/$first/task/$first/children")" ]'
  stop_redis
  run -0 on 2 --gate=list
  assert_line --regexp '^hub +shut +[0-9-]{10} [0-9:]{8} +- +- +2 +- +- +exit 1$'
  kill "$first" $!
  wait "$first" $! || :
}

@test "a server that is empty is given the shut gate by a machine that has seen it, and the newest wins" {
  shut_for 1h
  is_shut_on 1
  is_shut_on 2
  stop_redis
  # What it writes to its copy meanwhile leaves that one of the fleet's.
  on 2 -qq --gate=fleet:hub -T 300ms false || :
  start_redis
  sleep 4 # what was seen just before is not asked for
  is_shut_on 2
  is_shut_on 3
  # Who has the same gate writes nothing.
  redis config resetstat
  is_shut_on 9
  assert_equal "$(redis_calls set)" 0
  run -0 on 3 --gate=open:fleet:hub
  run -0 on 2 --gate=fleet:hub true
  stop_redis
  start_redis
  is_shut_on 1
  run -0 on 2 --gate=fleet:hub --gate-wait=30s true
  run -0 on 1 --gate=fleet:hub --gate-wait=30s true
}

@test "what a machine has shut by itself is not given to a server" {
  run -0 on 1 -qq --gate=fleet:hub true
  BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/machine1
  quietly --gate=hub -n 19 -b 0 -- false
  quietly --gate=hub -n 1 -b 1h -j none -- false
  run -75 "$BACKOFF" -qq --gate=hub --gate-wait=0 true
  run -0 on 1 -qq --gate=fleet:hub --gate-wait=0 true
  run -0 on 3 -qq --gate=fleet:hub --gate-wait=0 true
}

# bats test_tags=long
@test "who is stopped while it asks the server holds up its machine for five seconds" {
  run -0 on 2 -qq --gate=fleet:hub true
  hold_bytes machine2/hub "$sync_byte" 1
  on 1 -qq --gate=fleet:hub -n 19 -b 0 -- false || :
  on 3 -qq --gate=fleet:hub -n 1 -b 1h -j none -- false || :
  wait_for is_shut_on 2
}

@test "the local slots do not serve for a lost server before a lease is over, also for who has asked it" {
  start_on 2 --slots=fleet:hub:1 -- sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  redis config resetstat
  beside 1 --slots=fleet:hub:1 -n 2 -d 0 -- sh -c 'echo ran >>ran; read -r _ <go; exit 7'
  wait_for eval '[ "$(redis_calls time)" -ge 3 ]'
  echo >&7
  wait_for test -e ran
  stop_redis
  echo >&7
  waits 1
  run -75 on 1 --slots=fleet:hub:1 --slots-wait=0 touch started
  kill $!
  assert_equal "$(<ran)" ran
  assert [ ! -e started ]
}

# bats test_tags=long
@test "a lost server is waited for as long as a lease, by all at once, and then the local slots serve, which is told under -qq" {
  local before each pids=()
  on 1 -q --slots=fleet:hub:1 true
  start_on 3 -q --slots=fleet:long:1 -- sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  stop_redis
  before=$SECONDS
  for each in 1 2 3; do
    beside 1 --log-format=json --log-file=news --slots=fleet:hub:3 -n 1 -- true
    pids+=($!)
  done
  run -0 on 2 -qq --slots=fleet:hub:1 -d 0 -n 2 -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
  # Once a run, and not once an attempt: that would be 30 seconds.
  assert_output --regexp '^backoff: sh: limit of slots fleet:hub NOT enforced \(unix:.*\); going on with the local slots$'
  assert [ $((SECONDS - before)) -ge 14 ]
  wait "${pids[@]}"
  # Another may have had the slot that outlasts a lease.
  echo >&7
  assert_fate 'exited 0'
  assert grep -q 'limit of slots fleet:long NOT enforced' "$err"
  run -0 "${PYTHON[@]}" - <<'PY'
import datetime, json
news = [json.loads(line) for line in open("news")]
told = [datetime.datetime.fromisoformat(event["time"]) for event in news if event["event"] == "degraded"]
assert len(told) == 3, told
# One after the other, they would take 15 seconds each.
assert max(told) - min(told) < datetime.timedelta(seconds=14), told
PY
}

# bats test_tags=long
@test "a server that stands still for three seconds gives no slot twice, however long one has waited" {
  start_on 1 -q --slots=fleet:hub:1 -- sh -c 'echo ready; read -r _ <go'
  await "$out" ready
  beside 2 --slots=fleet:hub:1 -- touch ran
  sleep 16 # longer than a lease
  for _ in 1 2 3; do
    kill -STOP "$redis_pid"
    sleep 3
    kill -CONT "$redis_pid"
    sleep 1
  done
  assert [ ! -e ran ]
  echo >&7
  assert_fate 'exited 0'
  wait $!
  assert [ -e ran ]
  assert_equal "$(cat "$err")" ''
  assert_equal "$(<said.2)" 'backoff: touch: waiting for the slot of fleet:hub'
}

# bats test_tags=long
@test "who finds no local slot either does not say that it goes on with them" {
  stop_redis
  mkdir -m 700 machine1
  beside 1 -q --slots=hub:1 -- sh -c 'echo ready >ready; read -r _ <go'
  wait_for test -s ready
  run -75 on 1 --slots=fleet:hub:1 --slots-wait=0 touch ran
  assert_output --regexp '^backoff: touch: no slot of fleet:hub was free within 0s \(unix:.*: .*\)$'
  run -124 on 1 -q --slots=fleet:hub:1 -T 1s touch ran
  assert_output --regexp 'waiting for a slot of fleet:hub \(unix:.*: .*\)$'
  run -75 on 1 --slots=fleet:hub:1 --slots-wait=17s touch ran
  assert_line --regexp '^backoff: touch: no slot of fleet:hub was free within 17s \(unix:.*: .*\)$'
  refute_output --partial 'going on'
  echo >&7
  wait $!
  assert [ ! -e ran ]
}

@test "no attempt begins after the deadline, which the server's answer may use up" {
  kill -STOP "$redis_pid"
  run -124 on 1 --gate=fleet:hub -T 100ms touch ran
  assert [ ! -e ran ]
  assert_output --regexp 'deadline reached'
}

# bats test_tags=long
@test "the user of the manual may do what is needed" {
  local user=()
  read -r -d '' -a user < <(sed -n '/^user backoff on/,/^\.Ed/p' "$TOP_SRCDIR/man/backoff-gate.7" |
    sed '$d; s/\\-/-/g; s/PASSWORD/secret/; s/^user//') || :
  redis acl setuser "${user[@]}"
  export BACKOFF_FLEET=unix://backoff:secret@$REDIS_SOCKET
  shut_fleet
  run -0 on 3 --gate=fleet:hub --slots=fleet:hub:1 true
  refute_output --regexp 'cannot use|NOT enforced'
}

@test "nothing is left behind where backoff is process 1" {
  need_namespace --pid --fork --mount-proc
  run -0 "${namespace[@]}" "$BACKOFF" --gate=fleet:hub --slots=fleet:hub:1 sh -c 'echo ran' 3>&- 7>&-
  assert_output ran
  wait_for no_helper
  assert is_held slots 0
}

@test "a connection that was closed in a long attempt is made anew" {
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
backoff.send(b"hello 5 :server\n")
while backoff.recv(4096):
    os.kill(os.getppid(), signal.SIGTERM)
    backoff.send(b"lost :gone\n")
EOS
  chmod +x asked
  export BACKOFF_FLEET_HELPER=$PWD/asked
  run -143 "$BACKOFF" --gate=fleet:hub sleep 1000
  assert_line --partial 'interrupted by TERM after '
}
