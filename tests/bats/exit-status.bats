#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The exit status of backoff, and the signals that it dies by.
# shellcheck disable=SC2154 # what process.bash and events.bash set

load helper
load ../lib/events
load ../lib/process

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  count=$BATS_TEST_TMPDIR/count
}

teardown() {
  end_all
}

# ends FATE RESULT ARG...: a run with these arguments ends so, as waitpid(2)
# and the log say. (The signal state of run.py matters here: a shell in the
# background ignores INT and QUIT.)
ends() {
  local fate=$1 result=$2
  shift 2
  runs "$@"
  has_ended "$fate" "$result" "$*"
}

# runs ARG...: only runs it.
runs() {
  rm -f "$events" "$count"
  "${PYTHON[@]}" "$lib/run.py" --fate fate -- "${under[@]}" "$BACKOFF" --base=0 \
    --log-format=json --log-file="$events" "$@" </dev/null 3>&-
}

# has_ended FATE RESULT [ARGS]: checks how it ended.
has_ended() {
  local fate=$1 result=$2 status
  assert_equal "$(cat fate): ${3:-}" "$fate: ${3:-}"
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

# without_log FATE ARG...: the same for a run that ends before it has a log.
without_log() {
  local fate=$1
  shift
  "${PYTHON[@]}" "$lib/run.py" --fate fate -- "$@" </dev/null 3>&-
  assert_equal "$(cat fate): $*" "$fate: $*"
}

# A shell command that dies by the signal.
dies() {
  echo "kill -s $1 \$\$; sleep 1000"
}

# --- success and pass ---

@test "rule 39: --success-on turns a status, a signal, a timeout and a failed start into 0" {
  ends 'exited 0' success --success-on=3 -- sh -c 'exit 3'
  attempts 1
  ends 'exited 4' exhausted -n 2 --success-on=3 -- sh -c 'exit 4'
  ends 'exited 0' success --success-on=KILL -- sh -c "$(dies KILL)"
  ends 'exited 0' success --success-on=timeout -t 100ms -- sleep 1000
  ends 'exited 0' success --success-on=start -- ./none
}

@test "a pass ends at once, and keeps the status, the signal or 124 for a timeout" {
  ends 'exited 0' pass --pass-on=0 -- true
  ends 'exited 1' pass -n 4 --pass-on=1 -- sh -c '[ "$BACKOFF_ATTEMPT" -ge 3 ] && exit 1; exit 2'
  attempts 3
  ends 'killed TERM' pass --pass-on=TERM -- sh -c "$(dies TERM)"
  ends 'exited 124' pass --pass-on=timeout -t 100ms -- sleep 1000
}

# --- giving up ---

@test "rule 35: out of attempts, the status is that of the last" {
  local status
  for status in 1 124 125 127 143 255; do
    ends "exited $status" exhausted -n 2 -- sh -c "exit $status"
    attempts 2
  done
}

@test "rule 35: it is the last attempt that counts, not one before" {
  ends 'exited 9' exhausted -n 2 -- sh -c \
    '[ "$BACKOFF_ATTEMPT" -gt 1 ] && exit 9; '"$(dies KILL)"
  ends 'killed KILL' exhausted -n 2 -- sh -c \
    '[ "$BACKOFF_ATTEMPT" -gt 1 ] || exit 9; '"$(dies KILL)"
  # The second attempt is to end in time.
  local limit
  for limit in 300ms 2s 10s; do
    runs -n 2 -t "$limit" -- sh -c '[ "$BACKOFF_ATTEMPT" -gt 1 ] && exit 9; exec sleep 1000'
    ! log_holds 'attempts[1].outcome == "exited"' || break
  done
  has_ended 'exited 9' exhausted
}

@test "giving up for --stop-on, or because --before-retry refuses, keeps the status" {
  ends 'exited 7' stopped --stop-on=7 -- sh -c 'exit 7'
  attempts 1
  ends 'killed KILL' stopped --before-retry='exit 3' -- sh -c "$(dies KILL)"
}

@test "rule 39: a last status of 0 that is no success becomes 1" {
  ends 'exited 1' stopped --stop-on=0 -- true
  ends 'exited 1' exhausted -n 2 --retry-on=0 -- true
  attempts 2
  ends 'exited 1' exhausted --consecutive=3 -n 3 -- sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ]'
  attempts 3
  ends 'exited 7' exhausted --consecutive=2 -n 2 -- sh -c \
    '[ "$BACKOFF_ATTEMPT" -eq 1 ] || exit 7'
}

# --- failures of our own ---

@test "rule 35: 125 for failures of our own, such as help that cannot be written" {
  without_log 'exited 125' "$BACKOFF" 2>/dev/null
  without_log 'exited 125' "$BACKOFF" --no-such-option -- true 2>/dev/null
  without_log 'exited 125' "$BACKOFF" --log-file=none/log -- true 2>/dev/null
  need_writable /dev/full
  without_log 'exited 125' sh -c '"$BACKOFF" --help >/dev/full 2>/dev/null'
  without_log 'exited 125' sh -c '"$BACKOFF" --version >/dev/full 2>/dev/null'
}

# --- dying by a signal ---

@test "rule 36: we die by the signal that killed the last attempt" {
  local signal
  for signal in HUP TERM KILL SEGV ABRT PIPE; do
    ends "killed $signal" exhausted -n 2 -- sh -c "$(dies "$signal")"
    attempts 2
  done
}

@test "rule 28: killed by INT or QUIT, we die by it after one attempt" {
  ends 'killed INT' stopped -n 2 -- sh -c "$(dies INT)"
  attempts 1
  ends 'killed QUIT' stopped -n 2 -- sh -c "$(dies QUIT)"
  attempts 1
}

@test "rule 36: we die by real-time signals too" {
  need_real_time
  "${PYTHON[@]}" "$lib/run.py" --fate fate -- "$BACKOFF" -n 1 -q -- \
    python3 -S -c 'import os; os.kill(os.getpid(), 40)' 3>&-
  assert_equal "$(cat fate)" "killed 40"
}

# dies_from OPTION...: backoff, which starts in such a signal state, dies by the
# TERM of its COMMAND, which has set that right.
dies_from() {
  "${PYTHON[@]}" "$lib/run.py" "$@" --fate fate -- "$BACKOFF" -n 1 -q -- python3 -S -c '
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
os.kill(os.getpid(), signal.SIGTERM)' 3>&-
  assert_equal "$(cat fate)" "killed TERM"
}

@test "rule 36: backoff dies even by a signal that was ignored or blocked at its start" {
  dies_from --ignore TERM
  dies_from --block all
}

@test "rule 42: told to end in a pause, we die by that signal" {
  local signal
  for signal in HUP INT QUIT TERM; do
    start -- "$BACKOFF" --base=1h --floor=1h --cap=1h -- sh -c 'exit 7'
    await_pause
    signal "$signal"
    assert_fate "killed $signal"
  done
}

# told_to_end FATE TRAP OPTION...: a TERM finds an attempt that does TRAP.
told_to_end() {
  local fate=$1 trap=$2
  shift 2
  start -- "$BACKOFF" --base=0 "$@" -- sh -c \
    "trap '$trap' TERM; echo ready; while :; do sleep 0.05; done"
  await "$out" ready
  signal TERM
  assert_fate "$fate"
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
  without_log 'exited 143' "${namespace[@]}" "$BACKOFF" -n 1 -q -- sh -c "$(dies TERM)"
  without_log 'exited 139' "${namespace[@]}" "$BACKOFF" -n 1 -q -- sh -c "$(dies SEGV)"
}

# piped N RESULT OPTION... -- COMMAND...: with a reader that takes one line of
# stdout and goes, N attempts are made.
piped() {
  local count=$1 result=$2
  shift 2
  rm -f "$events" fate
  { "${PYTHON[@]}" "$lib/run.py" --fate fate -- "$BACKOFF" --base=0 \
    --log-format=json --log-file="$events" "$@" </dev/null 3>&-; } | head -n 1 >taken
  assert_equal "$(cat taken)" y
  assert_equal "$(cat fate)" 'killed PIPE'
  assert_events "end.result == '$result' and end.attempts == $count" \
    "end.reason.startswith('killed by PIPE')"
}

@test "a command that PIPE kills, as nobody reads its output any more, is not run again" {
  piped 1 stopped --retry-on=any yes
  # Watched output, too: COMMAND's own pipe is one of ours there.
  piped 1 stopped --stop-if=never yes
  rm -f "$events"
  { "$BACKOFF" --base=0 --log-format=json --log-file="$events" -- \
    sh -c 'exec yes >&2' 3>&- || true; } 2>&1 >/dev/null | head -n 1 >taken
  assert_events 'end.result == "stopped" and end.attempts == 1'
}

@test "PIPE by name, or a REGEX, takes precedence over that, and so does a PIPE of the command's own" {
  piped 3 exhausted -n 3 --retry-on=PIPE yes
  rm -f "$events"
  { "$BACKOFF" --base=0 -n 2 --retry-if=y --log-format=json --log-file="$events" yes || true; } |
    head -n 1
  assert_events 'end.result == "exhausted" and end.attempts == 2'
  ends 'killed PIPE' exhausted -n 3 -- sh -c 'kill -PIPE $$'
  attempts 3
}
