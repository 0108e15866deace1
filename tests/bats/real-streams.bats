#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What pg_dump | backoff curl is: a stream that can be produced only once,
# uploaded to a real nginx that does not take it at once; and what a real
# nginx says about when to come back.
#
# Variables in single quotes here are for another shell to expand.
# shellcheck disable=SC2016
# shellcheck disable=SC2154 # what server.bash sets

load helper
load ../lib/server

setup() {
  server_setup
  nginx_ready
}

teardown() {
  server_teardown
}

# dump: says on stderr that it was run; no two lines alike.
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

@test "input compressed on its way arrives whole when nginx says 503 twice" {
  need gzip
  "$START"
  dump | gzip -1 | retrying --before-retry="$(served_at 3)" -- \
    "${CURL[@]}" --upload-file - "$URL/new/dump.gz"
  assert_attempts 3 22 22
  assert_one_dump
  gzip -dc "$BATS_TEST_TMPDIR/served/new/dump.gz" | cmp upload -
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

@test "what is piped into curl arrives whole at an nginx that starts at the third attempt" {
  dump | retrying --before-retry="$(at_attempt 3)" -- \
    "${CURL[@]}" --upload-file - "$URL/dump"
  assert_attempts 3 7 7
  assert_one_dump
  cmp upload "$BATS_TEST_TMPDIR/served/dump"
}

@test "what is piped into curl arrives whole at an nginx that was stopped half-way through it" {
  "$START"
  # The first attempt is too slow to end before it is cut off.
  {
    dump | retrying --before-retry="$(at_attempt 3)" -- sh -c '
      if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then set -- "$@" --limit-rate 200k; fi
      exec "$@"' sh "${CURL[@]}" --upload-file - "$URL/dump"
  } 3>&- &
  wait_for body_arrives
  stop_nginx
  wait $!
  run -0 sed -n 's/.*"attempt":\([12]\),.*"verdict":"retry".*/\1/p' "$LOG"
  assert_output "$(printf '1\n2')"
  assert_one_dump
  cmp upload "$BATS_TEST_TMPDIR/served/dump"
}

@test "a slow producer's output arrives whole when nginx says 503 twice" {
  "$START"
  mkfifo go
  # The second half comes when the second attempt is over: what that one and
  # the first had of it cannot have been all. The third is to end in time.
  local limit
  for limit in 2s 10s 40s; do
    rm -rf "$BATS_TEST_TMPDIR/served/new" "$LOG"
    { sed 500000q upload; cat go; sed 1,500000d upload; } |
      retrying -n 3 -t "$limit" --before-retry="$(served_at 3); [ \"\$BACKOFF_ATTEMPT\" -ne 3 ] || { echo >go & }" -- \
        "${CURL[@]}" --upload-file - "$URL/new/dump" || true
    ! grep -q '"result":"success"' "$LOG" || break
  done
  run -0 grep '"event":"end"' "$LOG"
  assert_output --partial '"result":"success","attempts":3,"status":0,'
  { sed 500000q upload; echo; sed 1,500000d upload; } | cmp - "$BATS_TEST_TMPDIR/served/new/dump"
}

@test "what is larger than --spool-limit is not sent again in part" {
  "$START"
  run --separate-stderr bash -c 'seq 1000000 | "$BACKOFF" --base=10ms --spool-limit=1MiB -- "$@"' \
    bash "${CURL[@]}" --upload-file - "$URL/new/dump"
  assert_equal "$status" 22
  assert_regex "${stderr_lines[-1]}" \
    '^backoff: curl: not retrying after attempt 1/8: it read 6\.[0-9]MiB of stdin, --spool-limit is 1MiB$'
  mkdir "$BATS_TEST_TMPDIR/served/new"
  seq 1000000 | retrying --spool-limit=1MiB -- "${CURL[@]}" --upload-file - "$URL/new/dump"
  cmp upload "$BATS_TEST_TMPDIR/served/new/dump"
}

@test "each line of a list is uploaded, although each upload is retried" {
  need_answer peek
  "$START"
  printf '%s\n' one two three | while read -r name; do
    retrying --before-retry='mkdir -p "../served/'"$name"'"' -- \
      "${CURL[@]}" --upload-file upload "$URL/$name/file"
  done
  for name in one two three; do
    cmp upload "$BATS_TEST_TMPDIR/served/$name/file"
  done
}

# --- 429 and Retry-After: 2 ---

# limited: nginx runs, and limits until the second attempt.
limited() {
  "$START"
  mkdir "$BATS_TEST_TMPDIR/served/limited"
  release='echo fine >../served/limited/file'
}

# assert_obeyed ATTEMPT-STATUS: one pause, of 2 s and at most the base, 10 ms,
# more; and nginx says that it was so.
assert_obeyed() {
  assert_attempts 2 "$1"
  run -0 sed -n 's/.*"verdict":"retry".*"pause_s":\([0-9.]*\)}/\1/p' "$LOG"
  assert_output --regexp '^2\.0(0|10*$)'
  stop_nginx
  run -0 awk '
    { status[NR] = $2; time[NR] = $1 }
    END { print NR, status[1], (status[2] ~ /^20/), (time[2] - time[1] >= 2) }' "$BATS_TEST_TMPDIR/limited.log"
  assert_output "2 429 1 1"
}

@test "a 429 with Retry-After: 2 is obeyed, by what curl -D writes to stderr" {
  limited
  run --separate-stderr retrying --retry-after --before-retry="$release" -- \
    "${CURL[@]}" -D /dev/stderr "$URL/limited/file"
  assert_success
  assert_output fine
  # It is seen as it passes, not kept.
  assert_regex "$stderr" 'Retry-After: 2'
  assert_obeyed 22
}

@test "a 429 with Retry-After: 2 is obeyed, by what curl -i writes to stdout" {
  limited
  run retrying --retry-after --before-retry="$release" -- "${CURL[@]}" -i "$URL/limited/file"
  assert_success
  assert_line --index -1 fine
  assert_obeyed 22
}

@test "a 429 with Retry-After: 2 is obeyed, by what curl -v shows" {
  limited
  run retrying --retry-after --before-retry="$release" -- "${CURL[@]}" -v "$URL/limited/file"
  assert_success
  assert_obeyed 22
}

@test "a 429 with Retry-After: 2 is obeyed in the middle of an upload from a pipe" {
  "$START"
  run -0 bash -c 'seq 1000000 | "$@"' bash \
    "$BACKOFF" --base=10ms --log-format=json --log-file="$LOG" --retry-after \
    --before-retry='mkdir ../served/limited' -- \
    "${CURL[@]}" -D /dev/stderr --upload-file - "$URL/limited/dump"
  assert_obeyed 22
  cmp upload "$BATS_TEST_TMPDIR/served/limited/dump"
}

@test "a 429 with Retry-After: 2 is reported with the pause" {
  limited
  run --separate-stderr "$BACKOFF" --base=10ms --retry-after --before-retry="$release" -- \
    "${CURL[@]}" -D /dev/stderr -o /dev/null "$URL/limited/file"
  assert_success
  assert_regex "$stderr" 'backoff: curl: attempt 1/8 failed after [^ ]*: exit 22 \(HTTP error\); next in 2s \(server asked for 2s\)'
}

# assert_throttled: one pause, of what the server asked for, by what verdict ever.
assert_throttled() {
  run -0 sed -n 's/.*"attempt":1,.*"hint_s":2.000000000,"pause_s":\([0-9.]*\)}/\1/p' "$LOG"
  assert_output --regexp '^2\.0(0|10*$)'
  run -0 grep '"event":"end"' "$LOG"
  assert_output --partial '"attempts":2,"status":0,'
}

@test "a 429 with Retry-After: 2 is obeyed by --tool alone" {
  limited
  run retrying --tool --before-retry="$release" -- "${CURL[@]}" -D /dev/stderr "$URL/limited/file"
  assert_success
  assert_throttled
}

@test "a 429 with Retry-After: 2 is obeyed, by what wget -S prints" {
  need wget
  limited
  run retrying --tool --retry-after --before-retry="$release" -- wget -S --no-proxy --tries=1 -O page "$URL/limited/file"
  assert_success
  assert_throttled
}

# shown FILE: the command of FILE that names --retry-after and curl, on one line.
shown() {
  sed -e 's/\\-/-/g; s/\\e$/\\/' "$TOP_SRCDIR/$1" | sed -n '/^backoff .*--retry-after/{:a; /\\$/{N; s/\\\n */ /; ba;}; p;}' | grep curl
}

@test "the examples of the README and the manual that name --retry-after obey a 429" {
  limited
  local file example
  printf '#!/bin/sh\nexec "%s" --base=10ms --log-format=json --log-file="%s" --before-retry="%s" "$@"\n' \
    "$BACKOFF" "$LOG" "$release" >../backoff
  chmod +x ../backoff
  export url=$URL/limited/file
  for file in README.md man/backoff.1; do
    rm -f ../served/limited/file "$LOG"
    example=$(shown "$file")
    [ -n "$example" ]
    PATH=$BATS_TEST_TMPDIR:$PATH run -0 bash -c "${example//https:\/\/api.example.org\/data/$url}"
    assert_throttled
  done
}

# --- other ways to state a wait ---

# states STATUS LINE...: what nginx answers instead: a header for each LINE, or
# a body where it begins with a brace.
states() {
  local line lines=()
  for line; do
    if [[ $line == \{* ]]; then
      lines+=("default_type application/json; return 429 '$line';")
    else
      lines+=("add_header ${line%%: *} \"${line#*: }\" always;")
    fi
  done
  [[ ${*: -1} == \{* ]] || lines+=('return 429;')
  sed -i "/location @slow_down/,/}/{/add_header/d; s|return 429;|${lines[*]}|}" "$BATS_TEST_TMPDIR/nginx.conf"
}

# assert_asked SECONDS COMMAND...: what the run asks for, with curl and wget as they
# print headers and bodies.
assert_asked() {
  local wanted=$1
  shift
  rm -f "$LOG"
  run retrying --retry-after --hint-max=0 -- "$@"
  run -0 sed -n 's/.*"attempt":1,.*"hint_s":\([0-9.]*\),.*/\1/p' "$LOG"
  assert_output "$wanted"
}

assert_all_asked() {
  limited
  assert_asked "$1" "${CURL[@]}" -i "$URL/limited/file"
  assert_asked "$1" "${CURL[@]}" -D /dev/stderr "$URL/limited/file"
  ! command -v wget >/dev/null || assert_asked "$1" wget -S --no-proxy --tries=1 -O page "$URL/limited/file"
  stop_nginx
}

@test "a 429 with X-RateLimit-Reset is obeyed if nothing remains" {
  states 'X-RateLimit-Remaining: 0' 'X-RateLimit-Reset: 46'
  assert_all_asked 46.000000000
}

@test "a 429 with RateLimit-Reset is obeyed if nothing remains" {
  states 'RateLimit-Reset: 7' 'RateLimit-Remaining: 0'
  assert_all_asked 7.000000000
}

@test "a 429 with X-RateLimit-Reset-After is obeyed" {
  states 'X-RateLimit-Reset-After: 1.337'
  assert_all_asked 1.337000000
}

@test "a 429 with X-Amz-Retry-After is obeyed" {
  states 'X-Amz-Retry-After: 1500'
  assert_all_asked 1.500000000
}

@test "a 429 whose JSON body states a wait is obeyed" {
  states '{"message": "slow down", "retry_after": 5}'
  limited
  assert_asked 5.000000000 curl --disable --noproxy '*' --silent --fail-with-body "$URL/limited/file"
  stop_nginx
}

@test "a 429 with Retry-After: 2 is not waited for beyond --hint-max" {
  limited
  run --separate-stderr "$BACKOFF" --base=10ms --retry-after --hint-max=1s -- \
    "${CURL[@]}" -D /dev/stderr "$URL/limited/file"
  assert_equal "$status" 22
  assert_equal "${stderr_lines[-1]}" 'backoff: curl: not retrying after attempt 1/8: server asked to wait 2s, more than --hint-max (1s)'
}

@test "a 429 with Retry-After: 2 means nothing without --retry-after" {
  limited
  run retrying --before-retry="$release" -- "${CURL[@]}" -D /dev/stderr "$URL/limited/file"
  assert_success
  assert_attempts 2 22
  run -0 sed -n 's/.*"verdict":"retry".*"pause_s":\([0-9.]*\)}/\1/p' "$LOG"
  assert_output --regexp '^0\.0'
}
