#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# backoff-fleet with a real server, as backoff talks to it:
# core/gate/gate.h. A machine is a helper here.

load helper
load ../lib/redis
load ../lib/shared

setup() {
  need_redis
  start_redis
  export BACKOFF_FLEET=unix:$REDIS_SOCKET
  key='{hub}:gate'
}

teardown() {
  local name
  for name in "${!talker[@]}"; do
    kill -s CONT "${talker[$name]}" 2>/dev/null || :
  done
  exec 20<&- 21<&- 22<&- 23<&- 24<&- 25<&- 26<&- 27<&- 28<&- 29<&-
  end_proxy
  stop_redis
}

declare -gA talker helper

# machine A: another helper, which says hello. A is one of a to e; talker and
# helper have its processes.
machine() {
  local -n in=in_$1 out=out_$1
  rm -f "$1.in" "$1.out"
  mkfifo "$1.in" "$1.out"
  "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/fleet_talk.py" "$FLEET_HELPER" \
    <"$1.in" >"$1.out" 3>&- &
  talker[$1]=$!
  in=$((20 + 2 * $(printf %d "'$1") - 194)) out=$((in + 1))
  eval "exec $in>$1.in $out<$1.out"
  read -r _ "helper[$1]" <&"$out"
  hears "$1"
}

# hears A: its next message, in $answer.
hears() {
  local -n out=out_$1
  read -r -u "$out" answer
}

# tells A WORD...: what is not answered.
tells() {
  local -n in=in_$1
  echo "${@:2}" >&"$in"
}

# asks A WORD...: $answer is the answer.
asks() {
  tells "$@"
  hears "$1"
}

# is_answered A ANSWER WORD...
is_answered() {
  asks "$1" "${@:3}"
  assert_equal "$answer" "$2"
}

# finds A STATE LAPSED LIVING COUNT [MEMBER]...: looks, and $now is the server's time.
finds() {
  asks "$1" look "$key" "${@:6}"
  [[ $answer =~ ^found\ ([0-9]+)\ [0-9]+\ (.*)$ ]]
  now=${BASH_REMATCH[1]}
  assert_equal "${BASH_REMATCH[2]}" "$3 $2 $4 $5"
}

# leaves A: the end of its socket, and then its own.
leaves() {
  local -n in=in_$1
  eval "exec $in>&-"
  hears "$1"
  assert_equal "$answer" ended
}

# lease MEMBER: when it runs out, in milliseconds since the epoch; or nothing.
lease() {
  redis zscore "backoff:$key:held" "$1"
}

# grows MEMBER THAN: whether it has been renewed.
grows() {
  [ "$(lease "$1")" -gt "$2" ]
}

# is_held COUNT
is_held() {
  [ "$(redis zcard "backoff:$key:held")" = "$1" ]
}

@test "fleet-helper: it says hello, or what is wrong, before anything is connected" {
  # The server's name is told without its password.
  BACKOFF_FLEET=unix://:secret@$REDIS_SOCKET machine a
  assert_equal "$answer" "hello 5 :unix:$REDIS_SOCKET"
  leaves a
  BACKOFF_FLEET=redis://me:secret@host:x machine b
  assert_equal "$answer" 'wrong :BACKOFF_FLEET: expected redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]'
  unset BACKOFF_FLEET
  machine c
  assert_equal "$answer" 'wrong :BACKOFF_FLEET is not set; expected redis://HOST, rediss://HOST or unix:/PATH there'
}

@test "fleet-helper: a program that was copied without it looks for it where it was to be installed" {
  need_strace
  mkdir copy
  cp "$BACKOFF" copy/backoff
  run env -u BACKOFF_FLEET_HELPER strace -qq -f -e trace=execve copy/backoff --gate=fleet:hub true
  assert_line --regexp 'execve\("/[^"]*/backoff-fleet"'
  refute_line --partial "$PWD/copy/backoff-fleet"
}

@test "fleet-helper: a state is put where it is still what was seen" {
  machine a
  machine b
  finds a - 0 0 0
  assert [ "$((now / 1000000000 - $(redis time | head -n 1)))" -le 0 ]
  is_answered a 'done 1 0' put "$key" 0 - aa00
  is_answered b 'done 0 0' put "$key" 0 - bb00
  finds b aa00 0 0 0
  # What others do between a put that was not done and the next crosses nothing.
  is_answered a 'done 1 0' put "$key" 0 aa00 ab00
  is_answered b 'done 1 0' put "$key" 0 ab00 bb00
  is_answered a 'done 0 0' put "$key" 0 aa00 cc00
  # Another key is another matter.
  is_answered a 'done 1 0' put '{hub}:slots' 0 - cc00
  finds a bb00 0 0 0
  # What is none of ours is as none.
  redis set "backoff:$key" other
  finds a - 0 0 0
  is_answered a 'done 1 0' put "$key" 0 - aa00
}

@test "fleet-helper: what another crosses is not done, and nothing is held" {
  between crossed=2
  machine a
  finds a - 0 0 0
  for _ in 1 2; do
    is_answered a 'done 0 0' put "$key" 7 - aa
    redis del "backoff:$key"
  done
  assert is_held 0
  is_answered a 'done 1 0' put "$key" 7 - aa
  assert is_held 1
}

@test "fleet-helper: who holds something is seen, until it drops that or ends" {
  machine a
  machine b
  is_answered a 'done 1 0' put "$key" 7 - aa
  is_answered b 'done 1 0' put "$key" 9 aa ab
  finds b ab 0 5 2 7 8 9
  # One of each: another takes its place.
  is_answered a 'done 1 0' put "$key" 8 ab ac
  finds b ac 0 6 2 7 8 9
  is_answered a 'done 1 0' drop "$key"
  finds b ac 0 4 1 7 8 9
  is_answered b 'done 1 0' put "$key" 0 ac ad
  finds a ad 0 0 0 9
  is_answered a 'done 1 0' drop "$key"
  is_answered a 'done 1 0' put "$key" 7 ad ae
  is_answered a 'done 1 0' put '{hub}:slots' 7 - ae
  leaves a
  finds b ae 0 0 0 7
  assert_equal "$(redis zcard 'backoff:{hub}:slots:held')" 0
  # What is gone when it is dropped was lost.
  is_answered b 'done 1 0' put "$key" 9 ae af
  redis zrem "backoff:$key:held" 9
  is_answered b 'done 1 1' drop "$key"
}

@test "fleet-helper: one whose lease has run out, or ends later than any can, is dead" {
  machine a
  redis zadd "backoff:$key:held" "$((($(date +%s) - 1) * 1000))" 7 \
    "$((($(date +%s) + 3600) * 1000))" 8
  finds a - 0 0 0 7 8
  is_answered a 'done 1 0' put "$key" 9 - aa
  assert_equal "$(redis zrange "backoff:$key:held" 0 -1)" 9
}

@test "fleet-helper: all keys go after a day without a change" {
  machine a
  is_answered a 'done 1 0' put "$key" 7 - aa
  for each in "backoff:$key" "backoff:$key:held"; do
    run -0 redis ttl "$each"
    assert [ "$output" -gt 86000 ]
    assert [ "$output" -le 86400 ]
  done
}

@test "fleet-helper: who only looks costs the server one command a time" {
  machine a
  finds a - 0 0 0
  redis config resetstat
  for _ in 1 2 3 4 5; do
    finds a - 0 0 0
  done
  assert_equal "$(redis_calls get)" 5
  # The time is asked for again where the machine stood still.
  assert [ "$(redis_calls)" -le 7 ]
}

# bats test_tags=long
@test "fleet-helper: what is held is renewed, but not while backoff is stopped" {
  need_proc
  machine a
  machine b
  is_answered a 'done 1 0' put "$key" 7 - aa
  is_answered b 'done 1 0' put "$key" 9 aa ab
  kill -s STOP "${talker[a]}"
  wait_for in_state "${talker[a]}" T
  other=$(lease 7)
  # Once may be due before the stop, or late.
  for _ in 1 2; do
    wait_for grows 9 "$(lease 9)"
  done
  assert_equal "$(lease 7)" "$other"
  kill -s CONT "${talker[a]}"
  wait_for grows 7 "$other"
  finds b ab 0 3 2 7 9
}

# bats test_tags=long
@test "fleet-helper: what nobody has renewed in time is another's, and its holder hears so" {
  need_proc
  machine a
  machine b
  is_answered a 'done 1 0' put "$key" 7 - aa
  kill -s STOP "${talker[a]}"
  is_over() {
    finds b aa 0 0 0 7
  }
  wait_for is_over
  is_answered b 'done 1 0' put "$key" 9 aa ab
  kill -s CONT "${talker[a]}"
  hears_of_it() {
    asks a look "$key"
    [[ $answer = *' 1 ab 0 0' ]]
  }
  wait_for hears_of_it
  is_answered a 'done 1 1' drop "$key"
  finds a ab 0 2 1 7 9
}

# bats test_tags=long
@test "fleet-helper: a server that comes back empty is given what is held, and its holder hears so" {
  machine a
  is_answered a 'done 1 0' put "$key" 7 - aa
  stop_redis
  start_redis
  is_answered a 'done 0 0' put "$key" 7 aa ab
  wait_for is_held 1
  finds a - 1 1 1 7
  is_answered a 'done 1 1' drop "$key"
  finds a - 0 0 0 7
}

@test "fleet-helper: another helper goes on with what one that was killed held, if it is still there" {
  machine a
  machine b
  is_answered a 'done 1 0' put "$key" 7 - aa
  before=$(lease 7)
  # A score of now is not that of the same millisecond.
  kill -s KILL "${helper[a]}"
  hears a
  assert_equal "$answer" ended
  machine c
  tells c keep "$key" 7
  wait_for grows 7 "$before"
  finds c aa 0 1 1 7
  kill -s KILL "${helper[c]}"
  redis zrem "backoff:$key:held" 7
  machine d
  tells d keep "$key" 7
  finds d aa 1 0 0 7
}

@test "fleet-helper: what a server that is ill has answered, or not, is told" {
  while IFS='|' read -r fault why; do
    between "$fault"
    machine a
    is_answered a "lost :$why" look "$key"
    leaves a
  done <<'END'
closed|the connection was closed
cut|the connection was closed
endless|its answer is too long
answer=HTTP/1.1 400 Bad Request|not a Redis server
answer=:1|it does not know the time
answer=-LOADING Redis is loading the dataset in memory|the server answered LOADING
answer=-MOVED 3999 127.0.0.1:6381|the server answered MOVED
answer=-NOAUTH Authentication required.|the server answered NOAUTH
answer=-ERR unknown command `AUTH`, with args beginning with: `secret`|the server answered ERR
END
  between hole
  machine a
  is_answered a 'lost :timed out' look "$key"
}

@test "fleet-helper: a machine that stands still while the server is asked has not lost it" {
  between "still=$PWD/asker"
  machine a
  for _ in time state; do
    echo "${helper[a]}" >asker
    finds a - 0 0 0
    assert [ ! -e asker ]
  done
}

@test "fleet-helper: why there is no connection, or no change, is told" {
  need prlimit
  stop_redis
  start_redis --requirepass secret-there
  BACKOFF_FLEET=unix://:secret-here@$REDIS_SOCKET machine a
  is_answered a 'lost :the server answered WRONGPASS' look "$key"
  stop_redis
  is_answered a 'lost :Connection refused' look "$key"
  start_redis --replicaof 127.0.0.1 1
  machine b
  finds b - 0 0 0
  is_answered b 'lost :the server answered READONLY' put "$key" 0 - aa
  stop_redis
  start_redis --maxmemory 1
  finds b - 0 0 0
  is_answered b 'lost :the server answered OOM' put "$key" 0 - aa
  redis config set maxmemory 0
  is_answered b 'done 1 0' put "$key" 7 - aa
  # What was held is not either, and its lease runs out.
  redis config set maxmemory 1
  is_answered b 'lost :the server answered OOM' put "$key" 0 aa ab
  is_answered b 'done 1 0' drop "$key"
  assert is_held 1
  redis config set maxmemory 0
  redis del "backoff:$key"
  redis lpush "backoff:$key" other
  is_answered b 'lost :the server answered WRONGTYPE' look "$key"
  BACKOFF_FLEET=unix:/nonexistent machine c
  is_answered c 'lost :No such file or directory' look "$key"
  # It has four descriptors, and may have no more.
  machine d
  prlimit --pid "${helper[d]}" --nofile=4
  is_answered d 'lost :Too many open files' look "$key"
}

@test "fleet-helper: a transaction is made whole, or not at all, and what was to be held is not" {
  for moment in before after; do
    between "$moment-exec"
    machine a
    is_answered a 'lost :the connection was closed' put "$key" 7 - aa
    is_answered a 'done 1 0' drop "$key"
    assert_equal "$(redis exists "backoff:$key" "backoff:$key:held")" "$([ "$moment" = before ] && echo 0 || echo 2)"
    leaves a
  done
}

# What TIME says is all that counts.
@test "fleet-helper: the clock of the server steps, and what is held is renewed by it" {
  echo 0 >clock
  between "clock=$PWD/clock"
  machine a
  machine b
  is_answered a 'done 1 0' put "$key" 7 - aa
  for step in 7200 -7200; do
    finds b aa 0 1 1 7
    before=$now
    echo "$step" >clock
    sleep 1.1 # it knows the time for a second
    asks b look "$key" 7
    [[ $answer =~ ^found\ ([0-9]+)\  ]]
    assert [ "$(((BASH_REMATCH[1] - before) / step))" -ge 900000000 ]
    is_alive() {
      asks b look "$key" 7
      [[ $answer = *' 1 1' ]]
    }
    wait_for is_alive
  done
}

# start_tls: on 127.0.0.1 and 127.0.0.2, with a certificate for the first.
start_tls() {
  grep -q 'define HAVE_OPENSSL 1' "$(dirname "$BACKOFF")/config.h" 2>/dev/null ||
    skip 'backoff-fleet was built without TLS'
  "$REDIS_SERVER" --tls-port 0 --port 0 --check-system 2>&1 </dev/null |
    grep -q 'without TLS' && skip 'the server has no TLS'
  redis_keys
  TLS_PORT=$(free_port)
  stop_redis
  start_redis --bind '127.0.0.1 127.0.0.2' --tls-port "$TLS_PORT" \
    --tls-cert-file "$REDIS/redis.pem" --tls-key-file "$REDIS/key.pem" \
    --tls-ca-cert-file "$REDIS/ca.pem" --tls-auth-clients no
}

@test "fleet-helper: TLS, with a certificate that nobody has signed, or of another name" {
  start_tls
  export SSL_CERT_DIR=/nonexistent
  while IFS='|' read -r file server why; do
    SSL_CERT_FILE=$file BACKOFF_FLEET=rediss://$server:$TLS_PORT machine a
    asks a look "$key"
    assert_regex "$answer" "^$why"
    leaves a
  done <<END
/dev/null|127.0.0.1|lost :self-signed certificate\$
/nonexistent|127.0.0.1|lost :SSL_CERT_FILE: No such file or directory\$
$REDIS/ca.pem|127.0.0.1|found
$REDIS/ca.pem|localhost|found
$REDIS/ca.pem|127.0.0.2|lost :IP address mismatch\$
$REDIS/ca.pem|127.1|lost :hostname mismatch\$
END
}
