# SPDX-License-Identifier: MIT
# Process trees that can be told from all others.  shellcheck shell=bash
#
# A mark is a variable in the environment: whatever a marked process starts
# bears it too, wherever it moves, unless it is given another mark. It is set by
# TEST_MARK=$MARKS/NAME, in front of a command or by env.

load ../lib/events
load ../lib/process

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

# cut_when_ready LIMIT-OPTION [OPTION]... -- COMMAND...: runs the program marked
# "tree", logged as of events.bash and below its ${under[@]}, with ever longer
# limits until ./ready is made before the time is up, and it ends with 124, or with
# $ENDS. Sets limit. Output goes to a file, for what is left behind would hold a
# pipe open.
# shellcheck disable=SC2034,SC2154 # limit, for the tests; events and under, of them
cut_when_ready() {
  local option=$1 status
  shift
  for limit in "${limits[@]}"; do
    end_marked
    rm -rf "$events" ready tree got
    status=0
    TEST_MARK=$MARKS/tree "${under[@]}" "$BACKOFF" --log-format=json --log-file="$events" --base=0 \
      "$option" "$limit" "$@" >output 2>&1 </dev/null 3>&- || status=$?
    [ ! -e ready ] || break
  done
  [ -e ready ] || fail "not ready in time"
  assert_equal "$status" "${ENDS:-124}"
}
limits=(500ms 2s 8s 30s)

# The hydra in ./tree, which makes ./ready as well. Orphans of it are found by
# who adopts them.
has_answer orphans || export HYDRA_STAYS=1
# shellcheck disable=SC2034 # for the tests
hydra='rm -rf tree ready; mkdir tree; ln -s tree/ready ready; exec sh "$HYDRA" tree'

# stopped_and_dead: the program is stopped, its only child a zombie.
# shellcheck disable=SC2154 # pid, which process.bash sets
stopped_and_dead() {
  in_state "$pid" T && in_state "$(child_of "$pid")" Z
}

# end_marked: kills whatever bears a mark of this test.
end_marked() {
  local left
  while left=$(environs -- "TEST_MARK=$MARKS/") && [ -n "$left" ]; do
    # shellcheck disable=SC2086 # one word for each process
    kill -s KILL $left 2>/dev/null || true
    sleep 0.02
  done
}

# Where a file has no other.
teardown() {
  end_all
  end_marked
}
