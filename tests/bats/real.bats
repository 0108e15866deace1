#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Real servers that go away and come back, on loopback: nginx, rsync and sshd as the
# distribution ships them, with settings of our own. What pg_dump | backoff curl is: a
# stream that can be produced only once, uploaded to a server that does not take it at
# once; and what nginx says about when to come back. Nothing here waits for a time to
# pass: the --before-retry hook brings a server back, and a server is cut off when a
# part has been seen to arrive.

load helper
load ../lib/server

setup() {
  server_setup 1000000 # more than the kernel takes for a receiver
}

# dump: says in a file that it was run; no two lines alike.
dump() {
  echo run >>"$BATS_TEST_TMPDIR/dumps"
  seq 1000000
}

# assert_one_dump: it was not run again.
assert_one_dump() {
  assert_equal "$(cat "$BATS_TEST_TMPDIR/dumps")" run
}

# served_at N: the hook that lets nginx take it from that attempt on.
served_at() {
  printf '[ "$BACKOFF_ATTEMPT" -ne %d ] || mkdir ../served/new' "$1"
}

# nginx_starts: see nginx_ready.
nginx_starts() {
  nginx_ready
  "$START"
}

@test "what is piped into curl arrives whole when nginx says 503 twice" {
  nginx_starts
  dump | retrying --before-retry="$(served_at 3)" -- \
    "${CURL[@]}" --upload-file - "$URL/new/dump"
  assert_attempts 3 22 22
  assert_one_dump
  cmp upload "$BATS_TEST_TMPDIR/served/new/dump"
  stop_nginx
  run -0 cat "$BATS_TEST_TMPDIR/nginx.log"
  assert_output "$(printf '%s\n' 503 503 201)"
}

@test "the upload of one of several commands in a script arrives whole, and the rest is left for the others" {
  need_answer peek
  nginx_starts
  dump | {
    read -r _
    retrying --before-retry="$(served_at 3)" -- \
      sh -c 'head -c 20000 | "$@"' sh "${CURL[@]}" --upload-file - "$URL/new/dump"
    cat >rest
  }
  assert_attempts 3 22 22
  head -c 20002 upload | tail -c +3 | cmp - "$BATS_TEST_TMPDIR/served/new/dump"
  tail -c +20003 upload | cmp - rest
}

# cut_off ARRIVES STOP SLOWLY COMMAND...: an upload of COMMAND, whose first attempt has
# the words SLOWLY, so that it is cut off when part of it ARRIVES: its server STOPs,
# and is back at the third attempt.
cut_off() {
  rm -f "$LOG"
  retrying --before-retry="$(at_attempt 3)" -- sh -c '
    slowly=$1
    shift
    [ "$BACKOFF_ATTEMPT" -gt 1 ] || set -- "$@" $slowly
    exec "$@"' sh "${@:3}" 3>&- <&0 &
  wait_for "$1"
  "$2"
  wait $!
  run -0 grep '"event":"end"' "$LOG"
  assert_output --partial '"result":"success","attempts":3,"status":0,'
}

interrupted() {
  cut_off body_arrives stop_nginx '--limit-rate 200k' "${CURL[@]}" --upload-file - "$URL/dump"
  cmp upload "$BATS_TEST_TMPDIR/served/dump"
}

@test "rule 64: what is piped into curl, or redirected, arrives whole at an nginx that was stopped half-way through it" {
  nginx_starts
  interrupted < <(dump)
  assert_one_dump
  interrupted <upload
}

part_arrives() {
  [ -n "$(find "$BATS_TEST_TMPDIR/served" -type f -size +0 2>/dev/null)" ]
}

@test "rsync's file arrives whole at a daemon that was stopped half-way through it" {
  rsyncd_ready
  "$START"
  cut_off part_arrives stop_rsyncd --bwlimit=200 rsync --whole-file upload "$URL"
  cmp upload "$BATS_TEST_TMPDIR/served/upload"
}

# limited: nginx runs, and limits until the second attempt.
limited() {
  nginx_starts
  mkdir "$BATS_TEST_TMPDIR/served/limited"
  release='echo fine >../served/limited/file'
}

@test "a 429 with Retry-After: 2 is obeyed, by what curl -D writes to stderr, and reported" {
  limited
  run -0 --separate-stderr "$BACKOFF" --base=10ms --retry-after --before-retry="$release" -- \
    "${CURL[@]}" -D /dev/stderr "$URL/limited/file"
  assert_output fine
  # It is seen as it passes, not kept.
  assert_regex "$stderr" 'Retry-After: 2'
  assert_regex "$stderr" 'backoff: curl: attempt 1/8 failed after [^ ]*: exit 22 \(HTTP error\); next in 2s \(server asked for 2s\)'
  stop_nginx
  run -0 awk '
    { status[NR] = $2; time[NR] = $1 }
    END { print NR, status[1], (status[2] ~ /^20/), (time[2] - time[1] >= 2) }' "$BATS_TEST_TMPDIR/limited.log"
  assert_output "2 429 1 1"
}

# asks SECONDS [OPTION]... -- COMMAND...: checks for how long COMMAND's server
# asks, with options that read it. Nobody waits: it is more than --hint-max.
asks() {
  rm -f "$LOG"
  run retrying -n 2 --hint-max=0 "${@:2}"
  run -0 sed -n 's/.*"attempt":1,.*"hint_s":\([0-9.a-z]*\),.*/\1/p' "$LOG"
  assert_output "$1"
}

@test "a 429 with Retry-After: 2 is seen however curl and wget show it" {
  limited
  local url=$URL/limited/file
  asks 2.000000000 --retry-after -- "${CURL[@]}" -i "$url"
  asks 2.000000000 --retry-after -- "${CURL[@]}" -v "$url"
  asks 2.000000000 --tool -- "${CURL[@]}" -D /dev/stderr "$url"
  asks null -- "${CURL[@]}" -D /dev/stderr "$url"
  ! command -v wget >/dev/null ||
    asks 2.000000000 --tool --retry-after -- wget -S --no-proxy --tries=1 -O page "$url"
}

@test "ssh carries a redirected file to an sshd that starts at the third attempt" {
  sshd_ready
  run retrying --before-retry="$(at_attempt 3)" -- \
    "${SSH[@]}" "cat >'$BATS_TEST_TMPDIR/served/file'" <upload
  assert_success
  assert_attempts 3 255 255
  cmp upload "$BATS_TEST_TMPDIR/served/file"
}

@test "where backoff is what ssh -tt runs, it and its attempt end with the connection" {
  sshd_ready
  "$START"
  need_ssh_terminal
  "${SSH[@]}" -tt "cd '$PWD' && exec '$BACKOFF' -d 1h -- \
    sh -c 'echo \$\$ \$PPID >new; mv new seen; exec sleep 1000'" </dev/null &>shown 3>&- &
  wait_for test -s seen
  kill -KILL $!
  read -r attempt leader <seen
  wait_for gone "$attempt"
  wait_for gone "$leader"
}
