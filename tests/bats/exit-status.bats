#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The exit status of backoff, and the signals that it dies by.

load helper
load ../lib/events
load ../lib/process

# shellcheck disable=SC2034 # for logged
under=("${PYTHON[@]}" "$lib/run.py" --fate fate --)

# ends FATE RESULT ARG...: a run with these arguments ends so, as waitpid(2)
# and the log say. (The signal state of run.py matters here: a shell in the
# background ignores INT and QUIT.)
ends() {
  local fate=$1 result=$2 status
  shift 2
  logged --base=0 "$@" </dev/null 3>&-
  assert_equal "$(cat fate): $*" "$fate: $*"
  case $fate in
  exited*) status=${fate#exited } ;;
  killed*) status=$((128 + $(kill -l "${fate#killed }"))) ;;
  esac
  end=$(tail -n 1 "$events")
  assert_regex "$end" ",\"event\":\"end\",.*,\"result\":\"$result\",.*,\"status\":$status,"
}

# attempts N: checks that the run that has ended so made N attempts.
attempts() {
  assert_regex "$end" ",\"attempts\":$1,"
}

# without_log FATE [STATE...] -- COMMAND...: it ends so, from the signal state that run.py
# is told.
without_log() {
  "${PYTHON[@]}" "$lib/run.py" --fate fate "${@:2}" </dev/null 3>&-
  assert_equal "$(cat fate): ${*:2}" "$1: ${*:2}"
}

# A shell command that dies by the signal.
dies() {
  echo "kill -s $1 \$\$; sleep 1000"
}

@test "a pass ends at once, and keeps the status, the signal or 124 for a timeout" {
  ends 'exited 0' pass --pass-on=0 -- true
  ends 'exited 1' pass -n 4 --pass-on=1 -- sh -c '[ "$BACKOFF_ATTEMPT" -ge 3 ] && exit 1; exit 2'
  attempts 3
  ends 'killed TERM' pass --pass-on=TERM -- sh -c "$(dies TERM)"
  ends 'exited 124' pass --pass-on=timeout -t 100ms -- sleep 1000
}

@test "rule 36: we die by the signal that killed the last attempt" {
  for signal in HUP TERM KILL SEGV ABRT PIPE; do
    ends "killed $signal" exhausted -n 2 -- sh -c "$(dies "$signal")"
    attempts 2
  done
}

# dies_from OPTION...: backoff, which starts in such a signal state, dies by the
# TERM of its COMMAND, which has set that right.
dies_from() {
  without_log 'killed TERM' "$@" -- "$BACKOFF" -n 1 -q -- python3 -S -c '
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
os.kill(os.getpid(), signal.SIGTERM)'
}

@test "rule 36: backoff dies even by a signal that was ignored or blocked at its start" {
  dies_from --ignore TERM
  dies_from --block all
}

# told_to_end FATE TRAP OPTION...: a TERM finds an attempt that does TRAP.
told_to_end() {
  start -- "$BACKOFF" --base=0 "${@:3}" -- sh -c \
    "trap '$2' TERM; echo ready; while :; do sleep 0.05; done"
  await "$out" ready
  signal TERM
  assert_fate "$1"
  assert_ready 1
}

@test "rule 27: told to end in an attempt, we report its fate, and exit with 0 only after a success" {
  told_to_end 'exited 3' 'exit 3'
  told_to_end 'exited 0' 'exit 0'
  told_to_end 'killed TERM' -
  told_to_end 'killed KILL' 'kill -KILL $$'
  told_to_end 'exited 0' 'exit 3' --success-on=3
  told_to_end 'exited 1' 'exit 0' --retry-on=0
}

@test "rule 38: as process 1, which no signal of its own can kill, we exit 128+N" {
  need_namespace --pid --fork --kill-child
  without_log 'exited 143' -- "${namespace[@]}" "$BACKOFF" -n 1 -q -- sh -c "$(dies TERM)"
  without_log 'exited 139' -- "${namespace[@]}" "$BACKOFF" -n 1 -q -- sh -c "$(dies SEGV)"
}

# piped OPTION... COMMAND...: with a reader that takes one line of stdout and goes,
# one attempt is made.
piped() {
  rm -f fate
  logged --base=0 "$@" </dev/null 3>&- | head -n 1 >taken
  assert_equal "$(cat taken)" y
  assert_equal "$(cat fate)" 'killed PIPE'
  assert_events 'end.result == "stopped" and end.attempts == 1' \
    'end.reason.startswith("killed by PIPE")'
}

# unit/judge/outcome has what takes precedence over that.
@test "a command that PIPE kills, as nobody reads its output any more, is not run again" {
  piped --retry-on=any yes
  # Watched output, too: COMMAND's own pipe is one of ours there.
  piped --stop-if=never yes
  logged --base=0 -- sh -c 'exec yes >&2' 3>&- 2>&1 >/dev/null | head -n 1 >taken
  assert_events 'end.result == "stopped" and end.attempts == 1'
  rm "$events"
  reads 'killed PIPE' --stdout socket read:2 close end -- "$BACKOFF" --log-format=json --log-file="$events" -b 0 yes
  assert_events 'end.attempts == 1'
  # One of its own, with readers there.
  ends 'killed PIPE' exhausted -n 3 -- sh -c 'kill -PIPE $$'
  attempts 3
}
