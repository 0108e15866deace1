#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Random input to commands that read random amounts of it and fail at random
# points. REPLAY_CASES=20000 for a long evening; a seed that failed is tried
# again by REPLAY_SEED=N REPLAY_CASES=1.

load helper
load ../lib/process

export BATS_TEST_TIMEOUT=900

setup() {
  # Else more is taken than was read.
  need_answer peek
  mkdir tmp cases
  export TMPDIR=$PWD/tmp
}

# replay PROGRAM CASES
replay() {
  run "${PYTHON[@]}" "$lib/replay.py" "$1" "${REPLAY_CASES:-$2}" cases ${REPLAY_SEED:+"$REPLAY_SEED"}
  printf '# %s\n' "${lines[@]}" >&3
  assert_success
}

@test "100 random streams: each attempt sees the right input, and the right rest is left" {
  replay "$BACKOFF" 100
}

# bats test_tags=long
@test "100 random streams with slow system calls, so that races show" {
  need_strace
  cat >slow <<'SCRIPT'
#!/bin/sh
calls=ioctl,tee,read,recvfrom,?pread64,write,fcntl,close,?poll,?ppoll
exec strace -qq -o /dev/null -e trace="$calls" -e inject="$calls:delay_$WHERE=$DELAY" "$BACKOFF" "$@"
SCRIPT
  chmod +x slow
  for WHERE in enter exit; do
    for DELAY in 300 2000; do
      export WHERE DELAY
      replay ./slow 25
    done
  done
}
