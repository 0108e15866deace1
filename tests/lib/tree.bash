# SPDX-License-Identifier: MIT
# Process trees that can be told from all others.  shellcheck shell=bash
#
# A mark is a variable in the environment: whatever a marked process starts
# bears it too, wherever it moves, unless it is given another mark. It is set by
# TEST_MARK=$MARKS/NAME, in front of a command or by env.

export MARKS=$BATS_TEST_TMPDIR
export HYDRA=$BATS_TEST_DIRNAME/../lib/hydra.sh

# environs OPTION... TEXT: the processes that have it in their environment.
environs() {
  grep -lsFz "$@" /proc/[0-9]*/environ | command cut -d/ -f3
}

# bearers NAME: the processes that bear the mark, zombies aside.
bearers() {
  environs -x -- "TEST_MARK=$MARKS/$1"
}

# assert_none NAME: checks that no process bears the mark.
assert_none() {
  local left
  need_proc
  left=$(bearers "$1")
  # shellcheck disable=SC2086 # one word for each process
  [ -z "$left" ] || fail "left behind: $(ps -o pid,ppid,stat,args -p ${left//$'\n'/,})"
}

# assert_ended NAME: the same, if the program can see to that.
assert_ended() {
  ! has_answer processes || assert_none "$1"
}

# alive NAME [N]: so many processes (1) bear the mark.
alive() {
  [ "$(bearers "$1" | wc -l)" -eq "${2:-1}" ]
}

assert_alive() {
  alive "$@" || fail "of ${2:-1} processes, alive are: $(bearers "$1")"
}

# end_marked: kills whatever bears a mark of this test; for teardown().
end_marked() {
  local left
  while left=$(environs -- "TEST_MARK=$MARKS/") && [ -n "$left" ]; do
    # shellcheck disable=SC2086 # one word for each process
    kill -s KILL $left 2>/dev/null || true
    sleep 0.02
  done
}
