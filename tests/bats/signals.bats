#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Signals: what we inherit and hand on, what we forward, what ends us and
# with which status.

load helper
load ../lib/process

# over_probe ARG...: starts the program over the probe; nothing is retried soon.
over_probe() {
  need_real_time
  start -- "$BACKOFF" -d 1h -- "${PYTHON[@]}" "$PROBE" "$@"
  await "$out" '^ready'
}

# over_sleeper [OPTION...]: likewise, over what dies by the first signal.
over_sleeper() {
  start -- "$BACKOFF" -d 1h "$@" -- sh -c "$sleeper"
  await "$out" '^ready'
}

# got_and_ended NAME FATE: the probe gets the signal, and then the barrier.
got_and_ended() {
  signal "$1"
  await "$out" "^got $1 from user"
  barrier
  assert_fate "$2"
  assert_ready 1
}

# mask_has_any MASK PROCESS SIGNAL...: whether the mask of that name in
# /proc/PROCESS/status holds any of them.
mask_has_any() {
  local mask name number
  mask=$(sed -n "s/^$1:[[:blank:]]*//p" "/proc/$2/status")
  for name in "${@:3}"; do
    number=$name # kill -l would give the name of one
    [[ $name = *[!0-9]* ]] && number=$(kill -l "$name")
    [ $(((16#$mask >> (number - 1)) & 1)) = 0 ] || return 0
  done
  return 1
}

# --- Set-up and inheritance ---

never_touched=(SEGV BUS ILL FPE ABRT TRAP SYS TSTP TTIN TTOU PIPE XFSZ XCPU)

assert_never_touched() {
  local mask
  for mask in SigBlk SigCgt SigIgn; do
    ! mask_has_any "$mask" "$pid" "${never_touched[@]}" || fail "some of them are in $mask"
  done
}

@test "rules 5 and 12: job control and synchronous signals are at their default" {
  need_proc
  over_sleeper
  assert_never_touched
  end_all
  start -- "$BACKOFF" -d 1h -- false
  await_pause
  wait_for in_state "$pid" S
  assert_never_touched
}

# CONT is among them where the pause is a ppoll, which a stop would stretch.
@test "rule 11: the handlers of a pause are those of the signals that end it, and in an attempt there is none" {
  need_proc
  need_answer signalfd
  local others ending='HUP|INT|QUIT|TERM'
  [ "${PAUSE_BY:-nanosleep}" != ppoll ] || ending+='|CONT'
  start -- "$BACKOFF" -d 1h --wake-on=USR1 -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ] || exit 1; '"$sleeper"
  await_pause
  wait_for in_state "$pid" S
  others=$(kill -l | tr -s '\t ' '\n' | sed -n 's/^SIG//p' | grep -vxE "$ending|USR1")
  # shellcheck disable=SC2086 # one word for each
  ! mask_has_any SigCgt "$pid" $others || fail "another handler"
  signal USR1
  await "$out" '^ready'
  run -0 grep '^SigCgt' "/proc/$pid/status"
  assert_output --regexp '^SigCgt:[[:blank:]]0+$'
}

# Two attempts, with a pause between, see what COMMAND sees without us.
@test "rules 14 to 16 and 20: COMMAND finds the dispositions and the mask that backoff was given, and its status arrives" {
  need_real_time
  need_proc
  local look=(grep -shE '^(Sig(Blk|Ign|Cgt):|[0-9]+$)' /proc/self/status /proc/self/timerslack_ns /none)
  for state in '' '--ignore all' '--block all' \
    '--ignore HUP,CHLD,PIPE,TSTP,40 --block HUP,TERM,CHLD,ALRM,45'; do
    # shellcheck disable=SC2086 # some words
    start $state -- "${look[@]}"
    assert_fate "exited 2"
    plain=$(cat "$out")
    # shellcheck disable=SC2086 # some words
    start $state -- "$BACKOFF" -q -n 2 -d 10ms -- "${look[@]}"
    assert_fate "exited 2"
    assert_equal "$state $(cat "$out")" "$state $plain"$'\n'"$plain"
  done
}

# Each attempt finds it ignored, and no pause ends by it.
@test "rules 13 and 15: what --wake-on names stays ignored if it was" {
  need_proc
  for name in HUP 37; do
    start --ignore "$name" -- "$BACKOFF" -d 1ms,1h --wake-on="$name" -- \
      sh -c 'grep ^SigIgn /proc/self/status; [ "$BACKOFF_ATTEMPT" = 1 ] || echo ready; exit 7'
    await "$err" 'next in 1h'
    mask_has_any SigIgn "$pid" "$name" || fail "$name is not ignored"
    assert_equal "$(grep -c ^SigIgn "$out")" 2
    assert_equal "$(grep ^SigIgn "$out" | uniq | wc -l)" 1
    signal "$name"
    dies_by TERM
    assert_ready 1
  done
}

# Had we dequeued the ignored ones, the probe would have counted them: that
# it ignores them as well does not hide what it awaits.
@test "rule 13: signals ignored at our start are neither forwarded nor end the loop" {
  need_real_time
  start --ignore HUP,INT,QUIT,TERM,USR1,WINCH -- \
    "$BACKOFF" -n 2 -d 1ms -- "${PYTHON[@]}" "$PROBE" --exit 7
  await "$out" '^ready'
  for name in HUP INT QUIT TERM USR1 WINCH; do
    signal "$name"
  done
  barrier
  await "$out" '^seen nothing$'
  wait_for assert_ready 2 # exit 7 is retried: we were told nothing
  barrier
  assert_fate "exited 7"
}

@test "rule 17: if everything is blocked at the start, INT ends a pause, TERM is forwarded and statuses arrive" {
  need_real_time
  start --block all -- "$BACKOFF" -d 1h -- false
  await_pause
  dies_by INT
  start --block all -- "$BACKOFF" -n 2 -d 1ms -- sh -c \
    '[ "$BACKOFF_ATTEMPT" = 2 ] || exit 1; exec python3 -S "$PROBE" --exit 3'
  await "$out" '^ready'
  got_and_ended TERM "exited 3"
}

# --- What ends the loop ---

@test "rules 21, 22 and 26: an END signal is forwarded once, COMMAND has its time, and that was the last attempt" {
  for name in HUP INT QUIT TERM; do
    over_probe --exit 3
    got_and_ended "$name" "exited 3"
    [[ $name = [IQ]* ]] && cont='' || cont='CONT=1 '
    assert_equal "$(grep seen "$out")" "seen $cont$name=1"
  done
}

# 35 is the first real-time signal that no libc keeps for itself.
@test "rules 8, 9 and 21: each PASS signal is forwarded once, and only to COMMAND" {
  over_probe
  for name in USR1 USR2 ALRM VTALRM PROF URG IO PWR WINCH CONT 35 RTMAX; do
    signal "$name"
    await "$out" "^got $name from user"
  done
  barrier
  assert_fate "exited 0"
  run -0 grep '^seen' "$out"
  assert_output --regexp '^seen( [A-Z0-9]+=1){12}$'
}

@test "rule 21: what the kernel sends to us alone is forwarded" {
  mkfifo news
  # SIGIO comes when there is something to read.
  start -- "${PYTHON[@]}" -c '
import fcntl, os, sys
news = os.open("news", os.O_RDWR)
os.set_inheritable(news, True)
fcntl.fcntl(news, fcntl.F_SETOWN, os.getpid())
fcntl.fcntl(news, fcntl.F_SETFL, os.O_ASYNC)
os.execv(sys.argv[1], sys.argv[1:])' "$BACKOFF" -n 1 -- "${PYTHON[@]}" "$PROBE"
  await "$out" '^ready'
  echo >news
  await "$out" '^got IO from user'
  signal TERM
  barrier
}

@test "rule 22: what COMMAND sends us is not sent back to it, but TERM ends the loop" {
  over_probe --tell-parent USR1
  barrier
  await "$out" '^seen nothing$'
  assert_fate "exited 0"
  over_probe --tell-parent TERM --exit 3
  barrier
  await "$out" '^seen nothing$'
  assert_fate "exited 3"
  assert_ready 1
}

@test "rule 23: a kill from a script in our own process group is forwarded" {
  need_real_time
  start -- sh -c '"$BACKOFF" -d 1h -- python3 -S "$PROBE" --exit 3 &
    until grep -q ready "$0"; do sleep 0.02; done
    kill -TERM $!; until grep -q got "$0"; do sleep 0.02; done
    kill -40 $!; wait $!' "$BATS_TEST_TMPDIR/out"
  assert_fate "exited 3"
  run -0 cat "$out"
  assert_line 'seen CONT=1 TERM=1'
}

@test "rule 24: a kill of the whole group reaches COMMAND, and we report its fate" {
  over_probe --exit 3
  kill -s TERM -- "-$pid"
  await "$out" '^got TERM'
  barrier
  assert_fate "exited 3"
  run -0 cat "$out"
  assert_line --regexp '^seen CONT=1 TERM=[12]$'
}

# A kill after the reaping could hit a stranger who has the id by then. The
# first attempt ends by one; how many more meet the others is chance.
@test "rule 25: there is no kill before the spawn or after the wait that returned the child" {
  need_strace
  start -- strace -o "$BATS_TEST_TMPDIR/trace" \
    -e trace=fork,vfork,clone,clone3,kill,tgkill,tkill,pidfd_send_signal,wait4,waitid \
    "$BACKOFF" -qq --base=0 -n 40 -- sh -c 'echo run
      [ "$BACKOFF_ATTEMPT" -gt 1 ] || {
        trap "exit 7" WINCH
        while :; do sleep 0.02; done
      }
      exit 7'
  await "$out" run
  signal_forever WINCH "$(child_of "$pid")"
  assert_fate "exited 7"
  run -0 awk '
    / = [0-9]+$/ && /^(vfork|fork|clone)/ { alive[$NF] = 1 }
    /^wait4/ && $NF > 0 { delete alive[$NF] }
    /^waitid/ && !/WNOWAIT/ && match($0, /si_pid=[0-9]+/) {
      delete alive[substr($0, RSTART + 7, RLENGTH - 7)]
    }
    /^(kill|tgkill|tkill|pidfd_send_signal)/ {
      kills++
      match($0, /[0-9]+/)
      if (!(substr($0, RSTART, RLENGTH) in alive)) print "not alive:", NR, $0
    }
    END { print (kills ? "killed" : "never killed") }
  ' "$BATS_TEST_TMPDIR/trace"
  assert_output killed
}

signal_forever() { # SIGNAL PROCESS: until it has gone
  while kill -s "$1" "$2" 2>/dev/null; do :; done
}

@test "rule 29: COMMAND killed by a signal that we forwarded ends the loop" {
  need_real_time
  for name in USR1 RTMAX; do
    over_sleeper -d 1ms
    dies_by "$name"
    assert_ready 1
  done
}

@test "rule 29: a signal forwarded to one attempt says nothing about the death of the next" {
  need_real_time
  start -- "$BACKOFF" -d 1ms,1ms -- sh -c \
    'case $BACKOFF_ATTEMPT in
     1) exec python3 -S "$PROBE" --exit 7 ;;
     2) kill -USR1 $$ ;;
     esac'
  await "$out" '^ready'
  got_and_ended USR1 "exited 0"
}

# COMMAND ends while we are stopped, then a TERM comes for us. What systemd
# does is such a case: first COMMAND gets the signal, then we.
@test "rule 30: a TERM that finds COMMAND dead ends us, unless COMMAND has succeeded" {
  mkfifo "$BATS_TEST_TMPDIR/gate"
  while read -r name end fate; do
    start -- "$BACKOFF" -d 1ms -n 9 -- sh -c \
      '[ "$BACKOFF_ATTEMPT" = 1 ] || exit 0; echo "ready $$ $PPID"; read -r _ <"$0"; '"${end/_/ }" "$BATS_TEST_TMPDIR/gate"
    await "$out" '^ready'
    stop
    echo >"$BATS_TEST_TMPDIR/gate"
    wait_for in_state "$(the_probe)" Z
    signal "$name"
    signal CONT
    assert_fate "$fate"
    assert_ready 1
  done <<'END'
TERM kill_$$ killed TERM
TERM exit_7 killed TERM
TERM exit_0 exited 0
USR1 exit_7 exited 0
END
}

@test "rule 30: so does one that comes when COMMAND has been waited for, or cannot be started" {
  for command in false /none; do
    injected wait4:signal=TERM:when=2 -n 1 -- "$command"
    assert_fate "killed TERM"
  done
}

@test "rule 31: a stderr that is broken, closed, full or stalls changes nothing about the loop" {
  while read -r kind end; do
    start --stderr "$kind" -- "$BACKOFF" -v -n 2 -d 1ms -- sh -c \
      'echo ready; [ "$BACKOFF_ATTEMPT" = 2 ] || exit 7; exit "$0"' "$end"
    assert_fate "exited $end"
    assert_ready 2
  done <<'END'
broken 7
broken 0
closed 7
full 7
stalled 0
END
}

# injected CALL:signal=NAME:when=N ARG...: the signal is pending as soon as
# we make that call of ours; of the writes, those to $err.
injected() {
  need_strace
  local only=()
  [[ $1 != write:* ]] || only=(-P "$BATS_TEST_TMPDIR/err")
  start ${stderr_kind:+--stderr "$stderr_kind"} -- strace -qq -o "$BATS_TEST_TMPDIR/trace" \
    -e "trace=${1%%:*}" -e inject="$1" "${only[@]}" "$BACKOFF" "${@:2}"
}

# injected_for_room NAME ARG...: likewise, while the first line waits for room,
# after one attempt.
injected_for_room() {
  local call=ppoll:signal=$1:when=1
  # Whether there is room is asked by poll as well.
  has_answer signalfd || call=poll:signal=$1:when=3
  stderr_kind=stalled injected "$call" "${@:2}"
}

# timed_out [REGEX]: how many waits have, of those in the trace. To ask without
# waiting is none.
timed_out() {
  grep -E "^p?poll(_time64)?\(${1-}.*Timeout" "$BATS_TEST_TMPDIR/trace" | grep -vc ', 0) '
}

@test "a TERM that is there when a line is written: the line, the last held output and the end" {
  injected write:signal=TERM:when=1 -o -b 1h -j none -- sh -c 'echo last; exit 7'
  assert_fate "killed TERM"
  run -0 cat "$err"
  assert_line --index 0 --regexp '^backoff: sh: attempt 1/8 failed .*; next in 1h, at [0-9: -]+$'
  assert_line --index 1 last
  assert_line --index 2 --regexp '^backoff: sh: interrupted by TERM after 1 attempt in .*'
}

@test "a TERM that comes while a line waits for room ends us at once, without a pause too" {
  injected_for_room TERM -b 0 -n inf -- sh -c 'echo ready; exit 7'
  assert_fate "killed TERM"
  assert_ready 1
  run -1 timed_out
  assert_output 0
}

@test "a signal that does not end backoff does not shorten the wait for room" {
  injected_for_room USR1 -b 0 -n 1 -- sh -c 'exit 7'
  assert_fate "exited 7"
  run -0 timed_out '\[\{fd=[^}]*\}, \{fd=2,'
  assert_output 1
}

# The second that a line waits is spent once, not at every line.
@test "a reader of the log that stalls is waited for once" {
  need_strace
  start --stderr stalled -- strace -qq -o "$BATS_TEST_TMPDIR/trace" -e 'trace=/^p?poll' \
    "$BACKOFF" -b 0 -n 5 -- false
  assert_fate "exited 1"
  run -0 timed_out
  assert_output 1
}

@test "rule 32: signals that we forward in an attempt are discarded in a pause" {
  need_real_time
  # Had one of them ended the pause, the probe would see those that follow.
  start -- "$BACKOFF" -d 1h --wake-on=39 -- sh -c \
    '[ "$BACKOFF_ATTEMPT" = 2 ] || exit 7; exec python3 -S "$PROBE"'
  await_pause
  for name in USR1 USR2 ALRM VTALRM PROF IO PWR 35 RTMAX 39; do
    signal "$name"
  done
  await "$out" '^ready' # alive, then
  barrier
  await "$out" '^seen nothing$'
  assert_fate "exited 0"
}

@test "rule 33: each END signal by kill(2) is forwarded, the second is no KILL, and the first is told" {
  over_probe --exit 3
  signal INT
  await "$out" '^got INT'
  signal INT
  wait_for eval '[ "$(grep -c "^got INT" "$out")" = 2 ]'
  got_and_ended HUP "exited 3"
  run -0 grep '^seen' "$out"
  assert_output 'seen CONT=1 HUP=1 INT=2'
  run -0 tail -n 1 "$err"
  assert_output --partial 'interrupted by INT after 1 attempt'
}

@test "rule 34: if backoff is killed by KILL, COMMAND gets a TERM" {
  need_answer parent
  over_probe
  dies_by KILL
  wait_for grep -q '^got TERM' "$out"
  signal 40 "$(the_probe)"
}

# The child is held up before it asks to be told of our end, and we end by then.
@test "rule 34: if backoff is killed before that, COMMAND is not started" {
  need_answer parent
  need_strace
  local delay_us trace=$BATS_TEST_TMPDIR/trace
  for delay_us in 1000000 8000000 30000000; do
    rm -f "$trace"
    start -- strace -f -o "$trace" -e trace=prctl -e inject=prctl:delay_enter="$delay_us" \
      "$BACKOFF" -n 1 -- sh -c 'echo ran'
    wait_for grep -qs 'prctl(PR_SET_PDEATHSIG' "$trace"
    kill -s KILL "$(child_of "$pid")"
    wait "$runner" || true
    runner=
    ! grep -q 'exited with 125' "$trace" || break
  done
  grep -q 'exited with 125' "$trace" || fail "$(cat "$trace")"
  run ! grep ran "$out"
}

@test "rule 36: no second core is written after COMMAND's" {
  ulimit -S -c hard
  start -- sh -c 'kill -SEGV $$'
  wait "$runner"
  [ "$(cat fate)" = "killed SEGV, core" ] || skip "no core files here: $(cat fate)"
  rm -f core*
  start -- "$BACKOFF" -n 1 -- sh -c 'kill -SEGV $$'
  assert_fate "killed SEGV"
}

# --- Options about signals ---

# Its handler comes first.
@test "--wake-on: a TERM that comes with its signal ends us" {
  start -- "$BACKOFF" -d 1h --wake-on=USR1 -- sh -c 'echo ready; exit 7'
  await_pause
  wait_for in_state "$pid" S
  stop
  signal USR1
  signal TERM
  signal CONT
  assert_fate "killed TERM"
  assert_ready 1
}

@test "--wake-on=HUP: a HUP that comes while a line is written, or waits for room, wakes the pause" {
  local command=(sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]')
  injected write:signal=HUP:when=1 --wake-on=HUP -d 1h -- "${command[@]}"
  assert_fate "exited 0"
  injected_for_room HUP --wake-on=HUP -d 1h -- "${command[@]}"
  assert_fate "exited 0"
}

@test "--wake-on: in an attempt its signal is forwarded, and a death by it is a failed attempt" {
  start -- "$BACKOFF" -n 2 -d 1ms --wake-on=USR1 -- sh -c \
    '[ "$BACKOFF_ATTEMPT" = 2 ] || { '"$sleeper"'; }'
  await "$out" '^ready'
  signal USR1
  assert_fate "exited 0"
}

# What does not see the TERM is told to end, and then cut. (A limit before the
# TERM is none that we want to see.)
@test "the limits go on after TERM: --timeout ends what ignores it" {
  for seconds in 0.5 5 25; do
    start --block TERM -- "$BACKOFF" -v -d 1h -t "$seconds" -k 100ms -- sleep 1000
    wait_for begun
    signal TERM 2>/dev/null || continue
    wait "$runner" || true
    # One that comes after the limit ends the pause.
    [ "$(<"$BATS_TEST_TMPDIR/fate")" != 'killed TERM' ] || continue
    ! grep -q 'TERM' "$err" || break
  done
  assert_fate 'exited 124'
  run -0 grep TERM "$err"
}

@test "-v notes what was forwarded, after the attempt, and without it nothing is said" {
  over_probe
  got_and_ended USR1 "exited 0"
  assert_equal "$(cat "$err")" ''
  start -- "$BACKOFF" -v -d 1h -- "${PYTHON[@]}" "$PROBE"
  await "$out" '^ready'
  signal USR1
  await "$out" '^got USR1'
  run ! grep -q USR1 "$err"
  barrier
  assert_fate "exited 0"
  run -0 cat "$err"
  assert_line --regexp '^backoff: python3: .*USR1'
}

# --- Only COMMAND stopped ---

@test "rule 7: TERM and HUP for a stopped COMMAND are followed by a CONT" {
  for name in TERM HUP; do
    over_sleeper
    signal STOP "$(the_probe)"
    wait_for in_state "$(the_probe)" T
    dies_by "$name"
    assert_ready 1
  done
}

@test "rule 7: CONT follows neither KILL nor CONT" {
  need_strace
  for name in KILL CONT; do
    start -- strace -o "$BATS_TEST_TMPDIR/trace" -e trace=kill,tgkill,tkill,pidfd_send_signal \
      "$BACKOFF" -n 1 -t 50ms -k 50ms -s "$name" -- sleep 1000
    assert_fate "exited 124"
    run -0 awk '/SIGCONT/ { n++ } END { print n + 0 }' "$BATS_TEST_TMPDIR/trace"
    if [ "$name" = KILL ]; then assert_output 0; else assert_output 1; fi
  done
}

@test "a key that stops the job between fork and exec stops all of it" {
  preloads stop <<'EOC'
/* The child asks for it. */
pid_t getppid(void)
{ if (access("stopped", F_OK) != 0 && close(creat("stopped", 0600)) == 0) kill(0, SIGTSTP);
  return (pid_t)syscall(SYS_getppid); }
EOC
  set -m
  env LD_PRELOAD="$PWD/stop.so" "$BACKOFF" -n 1 -- sh -c 'exit 3' 3>&- &
  set +m
  pid=$!
  wait_for in_state "$pid" T
  kill -s CONT -- -"$pid"
  status=0
  wait "$pid" || status=$?
  assert_equal "$status" 3
}

# --- As PID 1 ---

# as_pid_1 COMMAND...: starts it as the init of a new pid namespace.
as_pid_1() {
  need_namespace --pid --fork --mount-proc
  start -- "${namespace[@]}" "$@"
}

@test "rules 38 and 73: as PID 1, TERM ends us with 143 in a pause, and with COMMAND's answer in an attempt" {
  need_real_time
  as_pid_1 "$BACKOFF" -d 1h -- sh -c 'echo "ready $$ $PPID"; exit 7'
  await_pause
  signal TERM "$(child_of "$pid")"
  assert_fate "exited 143"
  assert_equal "$(the_parent)" 1
  as_pid_1 "$BACKOFF" -d 1h -- "${PYTHON[@]}" "$PROBE" --exit 3
  await "$out" '^ready'
  signal TERM "$(child_of "$pid")"
  await "$out" '^got TERM'
  signal 40 "$(child_of "$pid")"
  assert_fate "exited 3"
}

# kill -0 finds a zombie alive: only reaping makes it fail.
@test "rule 74: as PID 1, orphans are reaped while COMMAND runs" {
  as_pid_1 "$BACKOFF" -n 1 -- sh -c '
    orphan=$(sh -c "true & echo \$!")
    for _ in $(seq 600); do
      kill -0 "$orphan" 2>/dev/null || exit 42
      sleep 0.1
    done'
  assert_fate "exited 42"
}

@test "as PID 1, a timeout spares what others have started in the namespace" {
  need_root
  as_pid_1 "$BACKOFF" -d 1h -t 3s -k 100ms -- sh -c 'echo ready; sleep 1000'
  await "$out" ready
  local inside=(nsenter --target "$(child_of "$pid")" --pid --mount)
  "${inside[@]}" sh -c 'setsid sleep 1000 >/dev/null 2>&1 3>&- & echo $!' >other
  await "$err" 'timed out'
  "${inside[@]}" kill -0 "$(<other)"
}

@test "rule 74: a child that we had before the spawn is reaped and sets no status" {
  need_proc
  mkfifo its-gate gate
  start -- sh -c 'sh -c "read -r _ <its-gate; exit 0" & echo "before $!"
    exec "$BACKOFF" -n 1 -- sh -c "echo ready; read -r _ <gate; exit 7"'
  await "$out" '^ready'
  echo >its-gate
  wait_for test ! -e "/proc/$(sed -n 's/^before //p' "$out")"
  echo >gate
  assert_fate "exited 7"
}
