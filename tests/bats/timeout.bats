#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Time limits of attempts, and the end of whole process trees.

load helper
load ../lib/tree

# --- one process ---

@test "a timeout ends the attempt, which is retried, and the status is 124" {
  run -124 logged -n 3 --base=0 -t 100ms -- sleep 1000
  assert_events 'len(attempts) == 3' \
    'all(a.outcome == "timed-out" and a.signal == "TERM" and a.status is None for a in attempts)' \
    'all(a.verdict == "retry" and a.reason == "timed out after 100ms" for a in attempts)' \
    'end.elapsed_s >= 300*ms'
}

@test "rule 37: a command has the time of --kill-after to react, and how it does so does not matter" {
  cut_when_ready -t -n 1 -k 1h -- sh -c \
    'trap "sleep 0.3; echo clean >>ends; exit 0" TERM; : >ready; while :; do sleep 0.05; done'
  assert_equal "$(tail -n 1 ends)" clean
  assert_events 'attempts[0].outcome == "timed-out"' \
    'attempts[0].status == 0 and attempts[0].signal is None' \
    'attempts[0].verdict == "retry"'
}

@test "rule 47: what ignores TERM is KILLed after --kill-after, and not before" {
  cut_when_ready -t -n 1 -k 300ms -- sh -c \
    'trap "" TERM; : >ready; while :; do sleep 1000; done'
  assert_events 'attempts[0].outcome == "timed-out" and attempts[0].signal == "KILL"' \
    "end.elapsed_s >= ${limit%%[ms]*} * ${limit##*[0-9]} + 300*ms"
}

# A wrong program waits until COMMAND ends by itself.
@test "rule 47: the --grace of a signal that comes later makes that time shorter, but not longer" {
  need_proc
  for after in '1h --grace=1ms' {1s,5s,25s}' --grace=1h'; do
    rm -f "$events"
    # shellcheck disable=SC2086 # two words
    start --block TERM -- "$BACKOFF" --log-format=json --log-file="$events" -n 1 -t 100ms \
      -k $after -- bash -c "$until_term"'; echo told; sleep 60; exit 3'
    wait_for told_or_over
    signal TERM 2>/dev/null || continue
    assert_fate 'exited 124'
    assert_events 'attempts[0].signal == "KILL"'
    [[ $after = 1h* ]] || return 0
  done
  fail "not told in time"
}

told_or_over() {
  grep -q told "$out" || [ -e "$BATS_TEST_TMPDIR/fate" ]
}

@test "--signal is what a timeout and a deadline send" {
  for option in -t -T; do
    cut_when_ready "$option" -n 1 -s USR1 -- sh -c \
      'for s in USR1 USR2 TERM; do trap "echo $s >got; exit 3" "$s"; done
       : >ready; while :; do sleep 0.05; done'
    assert_equal "$option $(cat got)" "$option USR1"
  done
}

@test "rule 7: a command that has stopped itself gets the TERM, and a stopped process below it, too" {
  cut_when_ready -t -n 1 -k 1h -- sh -c \
    'trap "echo TERM >got; exit 3" TERM; : >ready; kill -s STOP $$'
  assert_equal "$(cat got)" TERM
  need_answer processes
  cut_when_ready -t -n 1 -k 1h -- sh -c '
    setsid sh -c "trap \"echo TERM >got; exit 3\" TERM; : >ready; kill -s STOP \$\$" &
    wait'
  assert_equal "$(cat got)" TERM
}

@test "what a command starts when it gets the signal is not signalled" {
  cut_when_ready -t -n 1 -k 1h -- sh -c \
    'trap "sleep 0.3 && echo clean >got; exit 3" TERM; : >ready; sleep 1000 & wait'
  assert_equal "$(cat got)" clean
}

@test "a storm of signals holds up no limit" {
  need_real_time
  need_answer signalfd
  # What all processes of a user have queued is limited, and other tests need some.
  under=(bash -c 'ulimit -i 9999; exec "$@"' -)
  logged -n 1 -t 500ms -- "${PYTHON[@]}" -c 'import os, signal
signal.signal(signal.SIGRTMAX, signal.SIG_IGN) # as it is passed on
whom = os.getppid()
os.fork(), os.fork()
while True: os.kill(whom, signal.SIGRTMAX)' || true
  assert_events 'attempts[0].outcome == "timed-out"' 'attempts[0].duration_s < 9000*ms'
}

@test "--signal=KILL needs no --kill-after" {
  run -124 "$BACKOFF" -q -n 1 -t 300ms --signal=KILL -k inf sleep 1000
}

# --- the race of the timeout with the end of the command ---

# both_while_stopped LIMIT-OPTION END [OPTION]...: the command stops us and
# ends, and then the time is up; with ever longer limits until the command
# comes to that before it is cut. Our status is in $status.
both_while_stopped() {
  local limit option=$1 end=$2
  shift 2
  for limit in 0.4 5 25; do
    start_logged "$option" "$limit" "$@" -- sh -c 'kill -s STOP "$PPID"; '"$end" </dev/null
    wait_for stopped_and_dead_or_over
    sleep "$limit"
    kill -s CONT "$pid" 2>/dev/null || true
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 124 ] || return 0
  done
}

stopped_and_dead_or_over() {
  grep -qs '"end"' "$events" || stopped_and_dead
}

@test "rule 51: a command that has ended when the timeout or the deadline is noticed keeps its status" {
  both_while_stopped -t 'exit 7' -n 1
  assert_equal "$status" 7
  assert_events 'attempts[0].outcome == "exited" and attempts[0].status == 7'
  both_while_stopped -T 'exit 0'
  assert_equal "$status" 0
  assert_events 'end.result == "success"'
}

# The call of strace that shows the end of the time lasts for a while, and the
# command ends meanwhile; ever longer, for the command is to be faster.
@test "rule 51: a command that ends between the timeout and the check keeps its status" {
  need_strace
  for delay_us in 700000 8000000 30000000; do
    status=0
    strace -qq -o /dev/null -e trace='?poll,ppoll' \
      -e inject="?poll,ppoll:delay_exit=$delay_us:when=1" \
      "$BACKOFF" -qq -n 1 -t 50ms -- sh -c 'sleep 0.2; exit 7' </dev/null || status=$?
    [ "$status" -eq 124 ] || break
  done
  assert_equal "$status" 7
}

# --- the whole tree ---

@test "rule 48: a timeout ends the whole tree: sessions, daemons, what ignores TERM" {
  need_answer processes
  # Each process of the tree holds the lock; an attempt that starts before all
  # are gone (rule 52) fails.
  need flock
  cut_when_ready -t -n 2 -k 300ms -- sh -c \
    "exec 9>lock; flock -n 9 || echo \"\$BACKOFF_ATTEMPT\" >>overlap; $hydra"
  assert_none tree
  assert_events 'len(attempts) == 2 and all(a.outcome == "timed-out" for a in attempts)'
  [ ! -e overlap ] || fail "attempts overlapped: $(cat overlap)"
}

# Else the attempt would not end before the KILL.
@test "rule 48: the TERM reaches every process of the tree, in its own session and orphaned too" {
  need_answer orphans
  cut_when_ready -t -n 1 -k 1h -- sh -c '
    sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &); : >ready; wait'
  assert_none tree
}

# This holds where its processes cannot be seen, too.
@test "rule 48: a timeout ends a process group that the command leads" {
  cut_when_ready -t -n 1 -k 300ms -- setsid sh -c '
    (trap "" TERM; exec sleep 1000) & (sh -c "sleep 1000 & wait" &)
    trap "exit 3" TERM; : >ready; while :; do sleep 0.05; done'
  assert_events 'attempts[0].status == 3'
  assert_none tree
}

@test "rule 48: a process that forks all the time is ended with what it forked last" {
  need_answer orphans
  # It keeps twenty children, the oldest of which it replaces without end.
  cat >fork.py <<'SCRIPT'
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
children = []
while True:
    child = os.fork()
    if child == 0:
        os.setsid()
        while True:
            signal.pause()
    children.append(child)
    if len(children) > 20:
        open("ready", "w").close()
        oldest = children.pop(0)
        os.kill(oldest, signal.SIGKILL)
        os.waitpid(oldest, 0)
SCRIPT
  cut_when_ready -t -n 1 -k 200ms -- "${PYTHON[@]}" fork.py
  assert_none tree
}

@test "rule 48: the attempt ends when the last of its tree has" {
  need_answer processes
  # The command dies of the TERM at once, its child takes a while.
  cut_when_ready -t -n 2 -k 1h -- sh -c '
    case $BACKOFF_ATTEMPT in
    1) next=halfway; rm -f order halfway ;;
    2) [ -e halfway ] && next=ready ;;
    esac
    export next
    echo "attempt $BACKOFF_ATTEMPT" >>order
    setsid sh -c "trap \"sleep 0.2; echo clean >>order; exit 0\" TERM
      : >\$next; while :; do sleep 0.05; done" &
    wait'
  assert_equal "$(cat order)" $'attempt 1\nclean\nattempt 2\nclean'
}

# --- what is left alone ---

@test "rules 49 and 75: we end with the command, and what it has left running stays" {
  local status=0
  "$BACKOFF" -q -n 2 --base=0 -t 1h -T 2h -- sh -c \
    'TEST_MARK=$MARKS/helper sleep 1000 & TEST_MARK=$MARKS/helper setsid sleep 1000 & exit 7' \
    >output 2>&1 </dev/null 3>&- || status=$?
  assert_equal "$status" 7
  wait_for alive helper 4
  "$BACKOFF" -- sh -c 'TEST_MARK=$MARKS/other sleep 1000 &' >output 2>&1 </dev/null 3>&-
  wait_for alive other
}

@test "rule 48: the caller, its group and its other children are not touched" {
  cat >caller.sh <<'SCRIPT'
trap 'echo TERM >>hit' TERM
trap 'echo CONT >>hit' CONT
TEST_MARK=$MARKS/bystander sleep 1000 &
"$@"
exit "$?"
SCRIPT
  # shellcheck disable=SC2034 # that of events.bash
  under=(setsid --wait sh caller.sh)
  cut_when_ready -t -n 2 -k 300ms -- sh -c "$hydra"
  [ ! -e hit ] || fail "the caller was hit by $(cat hit)"
  assert_ended tree
  assert_alive bystander
}

@test "-k inf and -k 0 wait for the command only, and kill nothing, not even the command" {
  need_proc
  mkfifo released
  for after in inf 0; do
    end_marked
    rm -f ready "$events"
    env TEST_MARK="$MARKS/tree" "${HOLD_TERM[@]}" "$BACKOFF" --log-format=json \
      --log-file="$events" -n 1 -t 100ms -k "$after" -- bash -c '
        TEST_MARK=$MARKS/helper sleep 1000 & '"$until_term"'
        : >ready; read -r _ <released; exit 3' >output 2>&1 </dev/null 3>&- &
    pid=$! status=0
    wait_for test -e ready
    sleep 0.3 # for the KILL of a wrong program
    echo go >released
    wait "$pid" || status=$?
    assert_equal "$status" 124
    assert_events 'attempts[0].outcome == "timed-out" and attempts[0].status == 3'
    wait_for alive helper # it may have been forked just now
  done
}

@test "-k inf kills nothing else, not even when we are told to end at the end of the command" {
  need_proc
  # The command answers the timeout by stopping us, and has ended before we
  # go on and see either that or the TERM.
  TEST_MARK=$MARKS/tree start --block TERM -- "$BACKOFF" -q -t 100ms -k inf -- bash -c \
    'TEST_MARK=$MARKS/helper sleep 1000 &
     '"$until_term"'; kill -s STOP $PPID; exit 3'
  wait_for stopped_and_dead
  signal TERM
  signal CONT
  assert_fate 'killed TERM'
  wait_for alive helper # it may have been forked just now
}

# --- --grace ---

@test "--grace KILLs the whole tree after we were told to end" {
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" --grace=300ms -- sh -c "trap '' TERM; $hydra"
  wait_for test -e ready
  signal TERM
  assert_fate 'killed KILL'
  assert_ended tree
}

@test "a limit that passes while the rest of the tree has its grace makes no timeout of COMMAND's end" {
  need_answer processes
  # COMMAND is to end before it.
  for limit in 500ms 5s 25s; do
    TEST_MARK=$MARKS/tree start -- "$BACKOFF" -t "$limit" -k 100ms --grace=1h -- \
      sh -c 'sleep 1000 & trap "exit 3" TERM; echo ready; while :; do sleep 0.02; done'
    await "$out" ready
    signal TERM 2>/dev/null || continue
    wait "$runner" || true
    [ "$(cat "$BATS_TEST_TMPDIR/fate")" = 'exited 124' ] || break
  done
  assert_fate 'exited 3'
  assert_none tree
}

# --- reaping and waiting ---

# has_zombies N: as many children of backoff are dead, and not reaped.
has_zombies() {
  ps -o stat= --ppid "$pid" | awk -v wanted="$1" '/^Z/ { n++ } END { exit n + 0 != wanted }'
}

# Two that end while backoff is stopped cause a single CHLD.
@test "rule 74: orphans that end together are all reaped" {
  need_proc
  need_answer orphans
  mkfifo gate over
  exec 4<>gate
  start -- "$BACKOFF" -q -n 1 -t 1h -- sh -c '
    for _ in 1 2; do (setsid sh -c "echo ready; read -r _ <gate" &) done; read -r _ <over'
  wait_for assert_ready 2
  stop
  printf '\n\n' >&4
  wait_for has_zombies 2
  signal CONT
  wait_for has_zombies 0
  echo >over
  assert_fate 'exited 0'
}

@test "the limit of an attempt is that of its output too, where nobody reads it" {
  # It writes all that it has, and ends; a part of that then waits for room.
  for limit in 500ms 2s 8s 30s; do
    rm -f ended stalled
    mkfifo stalled
    exec 9<>stalled
    run -124 bash -c '"$BACKOFF" -n 1 -t "$1" --stop-if=never \
      sh -c "head -c 100000 /dev/zero; : >ended" 2>&1 >stalled' - "$limit"
    [ ! -e ended ] || break
  done
  assert [ -e ended ]
  assert_output --partial "timed out after $limit"
}
