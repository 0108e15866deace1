#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What pg_dump | backoff curl is: a stream that can be produced only once,
# uploaded to a real nginx that does not take it at once; and what a real
# nginx says about when to come back.

load helper
load ../lib/server

setup() {
  server_setup 1000000 # more than the kernel takes for a receiver
  nginx_ready
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

@test "what is piped into curl arrives whole when nginx says 503 twice" {
  "$START"
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
  "$START"
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

# interrupted: stdin is uploaded to an nginx that is stopped half-way through it,
# and is back at the third attempt.
interrupted() {
  rm -f "$LOG"
  # The first attempt is too slow to end before it is cut off.
  retrying --before-retry="$(at_attempt 3)" -- sh -c '
    if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then set -- "$@" --limit-rate 200k; fi
    exec "$@"' sh "${CURL[@]}" --upload-file - "$URL/dump" 3>&- <&0 &
  wait_for body_arrives
  stop_nginx
  wait $!
  run -0 grep '"event":"end"' "$LOG"
  assert_output --partial '"result":"success","attempts":3,"status":0,'
  cmp upload "$BATS_TEST_TMPDIR/served/dump"
}

@test "rule 64: what is piped into curl, or redirected, arrives whole at an nginx that was stopped half-way through it" {
  "$START"
  interrupted < <(dump)
  assert_one_dump
  interrupted <upload
}

# limited: nginx runs, and limits until the second attempt.
limited() {
  "$START"
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
  local wanted=$1
  shift
  rm -f "$LOG"
  run retrying -n 2 --hint-max=0 "$@"
  run -0 sed -n 's/.*"attempt":1,.*"hint_s":\([0-9.a-z]*\),.*/\1/p' "$LOG"
  assert_output "$wanted"
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
