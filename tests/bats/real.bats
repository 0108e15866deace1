#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Real servers that go away and come back, on loopback: rsync and sshd as the
# distribution ships them, with settings of our own (real-streams.bats has
# nginx). Nothing here waits for a time to pass: the --before-retry hook brings
# a server back, and a server is cut off when half a file has been seen to arrive.

load helper
load ../lib/server

setup() {
  server_setup 1000000 # more than the kernel takes for a receiver
}

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
  run -0 grep '"event":"end"' "$LOG"
  assert_output --partial '"result":"success","attempts":3,"status":0,'
  cmp upload "$BATS_TEST_TMPDIR/served/upload"
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
  local attempt leader
  read -r attempt leader <seen
  wait_for gone "$attempt"
  wait_for gone "$leader"
}
