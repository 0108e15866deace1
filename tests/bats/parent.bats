#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --die-with-parent: who started us ends, and so do we, as by TERM.

# shellcheck disable=SC2154 # what process.bash sets
load helper
load ../lib/process

setup() {
  need_answer parent
}

teardown() {
  end_all
}

# below_parent ARG...: starts a parent that starts backoff with these arguments.
below_parent() {
  # shellcheck disable=SC2016 # for sh
  start -- sh -c '"$BACKOFF" "$@" & echo "child $!"; wait' sh "$@"
}

# end_parent [REGEX]: ends it, and waits for that line in the log.
end_parent() {
  signal KILL
  assert_fate 'killed KILL'
  [ -z "${1-}" ] || wait_for grep -q "$1" "$err"
}

@test "--die-with-parent: the parent's end is a TERM to us in a pause, and to COMMAND in an attempt" {
  below_parent --die-with-parent -d 1h -- false
  await_pause
  end_parent '^backoff: false: interrupted, as the parent has ended, after 1 attempt in '
  below_parent --die-with-parent --log-format=json -d 1h -- \
    sh -c 'trap "echo told; exit 3" TERM; echo ready; while :; do sleep 0.05; done'
  await "$out" ready
  end_parent '"result":"interrupted","attempts":1,"status":3,"reason":"the parent has ended",'
  grep -q told "$out"
}

@test "without --die-with-parent we go on" {
  below_parent -d 1h -- false
  await_pause
  end_parent
  signal TERM "$(sed -n 's/^child //p' "$out")"
  wait_for grep -q 'interrupted by TERM after 1 attempt' "$err"
}
