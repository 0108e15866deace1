# SPDX-License-Identifier: MIT
# A redis-server of our own, for the tests.  shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # for the tests
#
# All that it has is below $REDIS, a directory of this test: its socket, its
# log, its keys for TLS. It ends with stop_redis, which teardown() calls.

# need_redis: skips where the helper was not built, or there is no server.
need_redis() {
  [ -x "$FLEET_HELPER" ] || skip 'backoff-fleet was not built'
  REDIS_SERVER=$(PATH=$PATH:/usr/sbin:/usr/local/sbin type -P redis-server ||
    PATH=$PATH:/usr/sbin:/usr/local/sbin type -P valkey-server) ||
    skip 'redis-server is not installed'
  need redis-cli
  REDIS=$BATS_TEST_TMPDIR/redis
  REDIS_SOCKET=$REDIS/socket
  mkdir -p "$REDIS"
}

# start_redis [OPTION...]: in the background, on a socket, and with
# REDIS_PORT set, on that port of 127.0.0.1 too. It listens when this returns.
# OPTIONS are those of redis-server.
start_redis() {
  mkfifo "$REDIS/ready.$((++redis_starts))"
  # It says that it is ready to who is named there, as to systemd, and in its
  # log: a line of that is the event.
  "$REDIS_SERVER" --port "${REDIS_PORT:-0}" --bind 127.0.0.1 \
    --unixsocket "$REDIS_SOCKET" --unixsocketperm 700 --dir "$REDIS" \
    --save '' --appendonly no --daemonize no --logfile '' "$@" \
    >"$REDIS/ready.$redis_starts" 2>&1 </dev/null 3>&- &
  redis_pid=$!
  exec 8<"$REDIS/ready.$redis_starts"
  while IFS= read -r -u 8 redis_line; do
    printf '%s\n' "$redis_line" >>"$REDIS/log"
    case $redis_line in
      *'ready to accept connections at'* | *'accept connections unix'*) break ;;
    esac
  done
  # What it says later goes nowhere, and must not block it.
  cat <&8 >>"$REDIS/log" 3>&- &
  redis_reader=$!
  exec 8<&-
  kill -0 "$redis_pid" 2>/dev/null || {
    cat "$REDIS/log"
    return 1
  }
}

# stop_redis [SIGNAL]: ends it, and waits for that. KILL by default: nothing
# of it is to last.
stop_redis() {
  [ -n "${redis_pid-}" ] || return 0
  kill -s "${1:-KILL}" "$redis_pid" 2>/dev/null || :
  kill -s CONT "$redis_pid" 2>/dev/null || :
  wait "$redis_pid" 2>/dev/null || :
  wait "$redis_reader" 2>/dev/null || :
  redis_pid=
}

# redis ARG...: redis-cli, over the socket.
redis() {
  redis-cli -s "$REDIS_SOCKET" "$@"
}

# between FAULT: what comes to the server comes through tests/lib/fleet_proxy.py.
between() {
  end_proxy
  mkfifo "$REDIS/says"
  "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/fleet_proxy.py" "$REDIS/front" \
    "$REDIS_SOCKET" "$1" >"$REDIS/says" 3>&- &
  proxy_pid=$!
  read -r ready <"$REDIS/says"
  assert_equal "$ready" ready
  export BACKOFF_FLEET=unix:$REDIS/front
}

# end_proxy: what stands between us and the server.
end_proxy() {
  [ -n "${proxy_pid-}" ] || return 0
  kill "$proxy_pid" 2>/dev/null || :
  wait "$proxy_pid" || :
  proxy_pid=
  rm -rf "$REDIS/says" "$REDIS/front"
}

# redis_calls [COMMAND]: how many commands it has had since CONFIG RESETSTAT,
# without those of redis-cli itself.
redis_calls() {
  redis info commandstats | tr -d '\r' |
    sed -n "s/^cmdstat_\(${1:-[^:]*}\):calls=\([0-9]*\),.*/\1 \2/p" |
    grep -v '^info \|^config\|^command' |
    awk '{ sum += $2 } END { print sum + 0 }'
}

# redis_keys: certificates for TLS in $REDIS: ca.pem, and redis.pem with its
# key.pem for localhost and 127.0.0.1.
redis_keys() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -keyout "$REDIS/key.pem" -out "$REDIS/redis.pem" -days 2 \
    -subj /CN=localhost -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
    2>/dev/null || skip 'openssl is not installed'
  cp "$REDIS/redis.pem" "$REDIS/ca.pem"
}
