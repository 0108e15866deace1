#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Real servers that go away and come back, on loopback: nginx, rsync and
# sshd as the distribution ships them, with settings of our own. Nothing
# here waits for a time to pass: the --before-retry hook brings a server
# back, and a server is cut off when half a file has been seen to arrive.
#
# Variables in single quotes here are for another shell to expand.
# shellcheck disable=SC2016

load helper
load ../lib/server

setup() {
  server_setup 1000000 # more than the kernel takes for a receiver
}

# assert_two_retries: whatever they ended with.
assert_two_retries() {
  run -0 sed -n 's/.*"attempt":\([12]\),.*"verdict":"retry".*/\1/p' "$LOG"
  assert_output "$(printf '1\n2')"
  run -0 grep '"event":"end"' "$LOG"
  assert_output --partial '"result":"success","attempts":3,"status":0,'
}

# --- nginx -----------------------------------------------------------

@test "rule 64: a redirected file arrives whole at an nginx that was stopped half-way through it" {
  nginx_ready
  "$START"
  # The first attempt is too slow to end before it is cut off.
  retrying --before-retry="$(at_attempt 3)" -- sh -c '
    if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then set -- "$@" --limit-rate 200k; fi
    exec "$@"' sh "${CURL[@]}" --upload-file - "$URL/file" <upload 3>&- &
  wait_for body_arrives
  stop_nginx
  wait $!
  assert_two_retries
  cmp upload "$BATS_TEST_TMPDIR/served/file"
}

# --- rsync -----------------------------------------------------------

part_arrives() {
  [ -n "$(find "$BATS_TEST_TMPDIR/served" -type f -size +0 2>/dev/null)" ]
}

@test "rsync's file arrives whole at a daemon that was stopped half-way through it" {
  rsyncd_ready
  "$START"
  retrying --before-retry="$(at_attempt 3)" -- sh -c '
    if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then set -- "$@" --bwlimit=200; fi
    exec "$@"' sh rsync --whole-file upload "$URL" 3>&- &
  wait_for part_arrives
  stop_rsyncd
  wait $!
  assert_two_retries
  cmp upload "$BATS_TEST_TMPDIR/served/upload"
}

# --- ssh -------------------------------------------------------------

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
  local attempt leader
  read -r attempt leader <seen
  wait_for gone "$attempt"
  wait_for gone "$leader"
}
