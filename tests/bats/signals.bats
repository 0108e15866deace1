#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Signals: what we inherit and hand on, what we forward, what ends us and
# with which status.

# shellcheck disable=SC2154 # what process.bash sets
load helper
load ../lib/process

teardown() {
  end_all
}

# probe ARG...: starts the program over the probe; nothing is retried soon.
over_probe() {
  need_real_time
  start -- "$BACKOFF" -d 1h -- python3 "$PROBE" "$@"
  await "$out" '^ready'
}

# mask_has MASK SIGNAL PROCESS: whether the mask of that name in
# /proc/PROCESS/status holds it.
mask_has() {
  local mask number
  mask=$(sed -n "s/^$1:[[:blank:]]*//p" "/proc/$3/status")
  number=$2 # kill -l would give the name of one
  [[ $2 = *[!0-9]* ]] && number=$(kill -l "$2")
  [ $(((16#$mask >> (number - 1)) & 1)) = 1 ]
}

assert_untouched() { # SIGNAL PROCESS
  local mask
  for mask in SigBlk SigCgt SigIgn; do
    if mask_has "$mask" "$1" "$2"; then
      fail "$1 is in $mask"
    fi
  done
}

# --- Set-up and inheritance ---

assert_never_touched() { # PROCESS
  local name
  for name in SEGV BUS ILL FPE ABRT TRAP SYS TSTP TTIN TTOU PIPE XFSZ XCPU; do
    assert_untouched "$name" "$1"
  done
}

@test "rules 5 and 12: in an attempt, job control and synchronous signals are at their default" {
  need_proc
  over_probe
  assert_never_touched "$pid"
}

@test "rules 5 and 12: in a pause, job control and synchronous signals are at their default" {
  need_proc
  start -- "$BACKOFF" -d 1h -- false
  await_pause
  wait_for in_state "$pid" S
  assert_never_touched "$pid"
}

@test "rule 11: there is no handler in an attempt, the one after a pause included" {
  need_proc
  need_answer signalfd
  start -- "$BACKOFF" -n 2 -d 1ms -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ] || exit 1; '"$sleeper"
  await "$out" '^ready'
  run -0 grep '^SigCgt' "/proc/$pid/status"
  assert_output --regexp '^SigCgt:[[:blank:]]0+$'
}

# CONT is among them where the pause is a ppoll, which a stop would stretch.
@test "rule 11: the handlers of a pause are those of the signals that end it" {
  need_proc
  need_answer signalfd
  start -- "$BACKOFF" -d 1h -- false
  await_pause
  wait_for in_state "$pid" S
  for name in $(kill -l | tr -s '\t ' '\n' | sed -n 's/^SIG//p'); do
    case $name,${PAUSE_BY:-nanosleep} in
      HUP,* | INT,* | QUIT,* | TERM,* | CONT,ppoll) ;;
      *) ! mask_has SigCgt "$name" "$pid" || fail "a handler for $name" ;;
    esac
  done
}

# dispositions_survive STATE...: two attempts, with a pause between, see what
# the command sees without us.
dispositions_survive() {
  local look=(grep -hE '^(Sig(Blk|Ign|Cgt):|[0-9]+$)' /proc/self/status /proc/self/timerslack_ns) plain
  start "$@" -- "${look[@]}"
  assert_fate "exited 0"
  plain=$(cat "$out")
  start "$@" -- "$BACKOFF" -q -n 2 -d 10ms --retry-on=0 -- "${look[@]}"
  assert_fate "exited 1"
  assert_equal "$(cat "$out")" "$plain"$'\n'"$plain"
}

@test "rules 14, 15 and 20: COMMAND gets default dispositions and an empty mask if backoff did" {
  need_proc
  dispositions_survive
}

@test "rules 14 and 15: COMMAND finds ignored signals ignored" {
  need_real_time
  need_proc
  dispositions_survive --ignore HUP,INT,QUIT,TERM,PIPE,USR1,ALRM,WINCH,TSTP,TTIN,XFSZ,40
}

@test "rules 13 and 15: what --wake-on names stays ignored if it was" {
  need_proc
  local name
  for name in HUP USR1 USR2 ALRM WINCH IO 37; do
    ignored_to_wake "$name"
  done
}

# ignored_to_wake SIGNAL: each attempt finds it ignored, and no pause ends by it.
ignored_to_wake() {
  start --ignore "$1" -- "$BACKOFF" -d 1ms,1h --wake-on="$1" -- \
    sh -c 'grep ^SigIgn /proc/self/status; [ "$BACKOFF_ATTEMPT" = 1 ] || echo ready; exit 7'
  await "$err" 'next in 1h'
  mask_has SigIgn "$1" "$pid" || fail "$1 is not ignored"
  assert_equal "$(grep -c ^SigIgn "$out")" 2
  assert_equal "$(grep ^SigIgn "$out" | uniq | wc -l)" 1
  signal "$1"
  signal TERM
  assert_fate "killed TERM"
  assert_ready 1
}

@test "rules 14 and 15: COMMAND finds every signal ignored that can be" {
  need_proc
  dispositions_survive --ignore all
}

@test "rule 14: COMMAND gets the mask that backoff was given" {
  need_proc
  dispositions_survive --block HUP,TERM,USR1,CHLD,ALRM,TSTP,45
}

@test "rule 14: COMMAND gets all signals blocked if backoff did" {
  need_proc
  dispositions_survive --block all
}

@test "rules 14 and 15: COMMAND finds signals ignored and blocked at once" {
  need_proc
  dispositions_survive --ignore HUP,CHLD,PIPE --block HUP,TERM,CHLD
}

@test "rule 16: an ignored CHLD loses no status" {
  start --ignore CHLD -- "$BACKOFF" -n 1 -- sh -c 'exit 7'
  assert_fate "exited 7"
}

@test "rule 16: an ignored CHLD is given back to COMMAND" {
  need_proc
  dispositions_survive --ignore CHLD
}

@test "rule 13: a HUP ignored at our start does not end the pause (nohup)" {
  need_proc
  start -- nohup "$BACKOFF" -d 1ms,1h -- false
  await "$err" 'next in 1h'
  # After the first pause: a HUP that is soon followed by TERM might not be seen.
  mask_has SigIgn HUP "$pid" || fail "HUP is not ignored"
  signal HUP
  signal TERM
  assert_fate "killed TERM"
}

# Had we dequeued the ignored ones, the probe would have counted them: that
# it ignores them as well does not hide what it awaits.
@test "rule 13: signals ignored at our start are neither forwarded nor end the loop" {
  need_real_time
  start --ignore HUP,INT,QUIT,TERM,USR1,WINCH -- \
    "$BACKOFF" -n 2 -d 1ms -- python3 "$PROBE" --exit 7
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

for_each_end_signal_in_a_pause() { # STATE...
  local name
  for name in HUP INT QUIT TERM; do
    start "$@" -- "$BACKOFF" -d 1h -- sh -c 'echo ready; exit 7'
    await_pause
    signal "$name"
    assert_fate "killed $name"
    assert_ready 1
  done
}

@test "rule 17: if everything is blocked at the start, each END signal still ends a pause" {
  for_each_end_signal_in_a_pause --block all
}

@test "rule 17: if everything is blocked at the start, TERM is still forwarded and statuses arrive" {
  need_real_time
  start --block all -- "$BACKOFF" -n 2 -d 1ms -- sh -c \
    '[ "$BACKOFF_ATTEMPT" = 2 ] || exit 1; exec python3 "$PROBE" --exit 3'
  await "$out" '^ready'
  signal TERM
  await "$out" '^got TERM'
  barrier
  assert_fate "exited 3"
}

# --- What ends the loop ---

@test "rule 21: after each END signal in an attempt there is no other attempt" {
  local name
  for name in HUP INT QUIT TERM; do
    over_probe --exit 3
    signal "$name"
    await "$out" "^got $name from user"
    barrier
    assert_fate "exited 3"
    assert_ready 1
  done
}

# 35 is the first real-time signal that no libc keeps for itself.
@test "rule 21: each PASS signal is forwarded, and only to COMMAND" {
  over_probe
  for name in USR1 USR2 ALRM VTALRM PROF URG IO PWR WINCH CONT 35 RTMAX; do
    signal "$name"
    await "$out" "^got $name from user"
  done
  barrier
  assert_fate "exited 0"
}

@test "rule 9: a WINCH by kill(2) is forwarded once" {
  over_probe
  signal WINCH
  barrier
  await "$out" '^seen WINCH=1$'
}

@test "rule 22: a TERM by kill(2) is forwarded exactly once" {
  over_probe
  signal TERM
  await "$out" '^got TERM'
  barrier
  await "$out" '^seen CONT=1 TERM=1$'
}

@test "rule 22: what COMMAND sends us is not sent back to it" {
  over_probe --tell-parent USR1
  barrier
  await "$out" '^seen nothing$'
}

@test "rule 22: a TERM from COMMAND itself ends the loop, with COMMAND's status" {
  over_probe --tell-parent TERM --exit 3
  barrier
  await "$out" '^seen nothing$'
  assert_fate "exited 3"
  assert_ready 1
}

@test "rule 23: a kill from a script in our own process group is forwarded" {
  need_real_time
  start -- sh -c '"$BACKOFF" -d 1h -- python3 "$PROBE" --exit 3 &
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
    "$BACKOFF" -qq --base=0 -n 100 -- sh -c 'echo run
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

@test "rule 26: told to end, backoff waits until COMMAND has cleaned up" {
  start -- "$BACKOFF" -d 1h -- sh -c \
    'trap "echo cleaning; sleep 0.3; echo cleaned; exit 5" TERM
     echo "ready $$ $PPID"; while :; do sleep 0.05; done'
  await "$out" '^ready'
  signal TERM
  assert_fate "exited 5"
  run -0 cat "$out"
  assert_line cleaned
}

@test "rule 27: COMMAND that ends with 0 when told to is a success" {
  over_probe --exit 0
  signal TERM
  await "$out" '^got TERM'
  barrier
  assert_fate "exited 0"
}

@test "rule 27: a 0 that is no success is not reported as one" {
  need_real_time
  start -- "$BACKOFF" -d 1h --retry-on=0 -- python3 "$PROBE" --exit 0
  await "$out" '^ready'
  signal TERM
  await "$out" '^got TERM'
  barrier
  assert_fate "exited 1"
  assert_ready 1
}

@test "rules 27 and 36: when COMMAND dies by each forwarded END signal, so do we" {
  local name
  for name in HUP INT QUIT TERM; do
    start -- "$BACKOFF" -d 1h -- sh -c "$sleeper"
    await "$out" '^ready'
    signal "$name"
    assert_fate "killed $name"
    assert_ready 1
  done
}

@test "rule 28: COMMAND that dies by INT or QUIT by itself ends the loop, and backoff dies too" {
  local name
  for name in INT QUIT; do
    start -- "$BACKOFF" -n 2 -d 1ms -- sh -c 'echo ready; kill -s "$0" $$' "$name"
    assert_fate "killed $name"
    assert_ready 1
  done
}

@test "rule 28: exit 130 is an ordinary failure" {
  start -- "$BACKOFF" -n 2 -d 1ms -- sh -c 'echo ready; exit 130'
  assert_fate "exited 130"
  assert_ready 2
}

@test "rule 29: COMMAND killed by a signal that we forwarded ends the loop" {
  need_real_time
  local name
  for name in USR1 USR2 ALRM RTMAX; do
    start -- "$BACKOFF" -d 1ms -n 9 -- sh -c "$sleeper"
    await "$out" '^ready'
    signal "$name"
    assert_fate "killed $name"
    assert_ready 1
  done
}

@test "rule 29: COMMAND killed by anyone else is a failed attempt" {
  local name
  for name in TERM HUP KILL SEGV ABRT USR1; do
    start -- "$BACKOFF" -n 2 -d 1ms -- sh -c \
      'echo ready; [ "$BACKOFF_ATTEMPT" = 2 ] || kill -s "$0" $$' "$name"
    assert_fate "exited 0"
    assert_ready 2
  done
}

@test "rule 29: a signal forwarded to one attempt says nothing about the death of the next" {
  need_real_time
  start -- "$BACKOFF" -d 1ms,1ms -- sh -c \
    'case $BACKOFF_ATTEMPT in
     1) exec python3 "$PROBE" --exit 7 ;;
     2) kill -USR1 $$ ;;
     esac'
  await "$out" '^ready'
  signal USR1
  await "$out" '^got USR1'
  barrier
  assert_fate "exited 0"
}

# What systemd does: first COMMAND gets the signal, then we. Stopped
# meanwhile, we find both at once.
@test "rule 30: a TERM that follows COMMAND's death by TERM ends us" {
  start -- "$BACKOFF" -d 1ms -n 9 -- sh -c "$sleeper"
  await "$out" '^ready'
  signal STOP
  wait_for in_state "$pid" T
  signal TERM "$(the_probe)"
  wait_for in_state "$(the_probe)" Z
  signal TERM
  signal CONT
  assert_fate "killed TERM"
  assert_ready 1
}

# ended_while_stopped STATUS: COMMAND exits so while we are stopped, then a
# TERM comes for us.
ended_while_stopped() {
  mkfifo "$BATS_TEST_TMPDIR/gate"
  start -- "$BACKOFF" -d 1ms -n 9 -- sh -c \
    'echo "ready $$ $PPID"; read -r _ <"$0"; exit "$1"' "$BATS_TEST_TMPDIR/gate" "$1"
  await "$out" '^ready'
  signal STOP
  wait_for in_state "$pid" T
  echo >"$BATS_TEST_TMPDIR/gate"
  wait_for in_state "$(the_probe)" Z
  signal TERM
  signal CONT
}

@test "rule 30: a TERM that finds COMMAND already failed counts as arriving in a pause" {
  ended_while_stopped 7
  assert_fate "killed TERM"
  assert_ready 1
}

@test "rule 30: a TERM that finds COMMAND already succeeded changes nothing" {
  ended_while_stopped 0
  assert_fate "exited 0"
}

@test "rule 31: a broken pipe on stderr changes nothing about the loop" {
  start --stderr broken -- "$BACKOFF" -d 1ms,1ms -- sh -c 'echo ready; exit 7'
  assert_fate "exited 7"
  assert_ready 3
}

@test "a closed stderr changes nothing about the loop" {
  start --stderr closed -- "$BACKOFF" -d 1ms,1ms -- sh -c 'echo ready; exit 7'
  assert_fate "exited 7"
  assert_ready 3
}

@test "a stderr on a full disk changes nothing about the loop" {
  start --stderr full -- "$BACKOFF" -d 1ms,1ms -- sh -c 'echo ready; exit 7'
  assert_fate "exited 7"
  assert_ready 3
}

@test "a full pipe on stderr that nobody reads changes nothing about the loop" {
  start --stderr stalled -- "$BACKOFF" -n 2 -d 1ms -- sh -c 'echo ready; exit 7'
  assert_fate "exited 7"
  assert_ready 2
}

@test "a success is a success whatever stderr is" {
  local kind
  for kind in broken closed full stalled; do
    start --stderr "$kind" -- "$BACKOFF" -v -n 2 -d 1ms -- sh -c \
      'echo ready; [ "$BACKOFF_ATTEMPT" = 2 ]'
    assert_fate "exited 0"
    assert_ready 2
  done
}

# A line waits a second for room. Who sits that out when TERM comes never
# ends in less than half a second, however often it is tried.
@test "a full pipe on stderr does not hold us against TERM" {
  local since quick=
  for _ in {1..20}; do
    start --stderr stalled -- "$BACKOFF" -d 1h -- sh -c 'echo ready; exit 7'
    await "$out" '^ready'
    wait_for stalled_after_its_child
    since=$(date +%s%N)
    signal TERM
    assert_fate "killed TERM"
    if [ $(($(date +%s%N) - since)) -lt 500000000 ]; then
      quick=yes
      break
    fi
  done
  assert_equal "$quick" yes
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
  local call=ppoll:signal=$1:when=2
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
  assert_line --index 0 --regexp '^backoff: sh: attempt 1/8 failed .*; next in 1h$'
  assert_line --index 1 last
  assert_line --index 2 --regexp '^backoff: sh: interrupted by TERM after 1 attempt in .*'
}

@test "a TERM that comes while a line waits for room ends us before another attempt, without a pause too" {
  injected_for_room TERM -b 0 -n inf -- sh -c 'echo ready; exit 7'
  assert_fate "killed TERM"
  assert_ready 1
}

@test "a signal that does not end backoff does not shorten the wait for room" {
  injected_for_room USR1 -b 0 -n 1 -- sh -c 'exit 7'
  assert_fate "exited 7"
  run -0 timed_out '\[\{fd=2'
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

stalled_after_its_child() {
  [ -z "$(child_of "$pid")" ] && in_state "$pid" S
}

@test "rule 32: signals that we forward in an attempt are discarded in a pause" {
  need_real_time
  # Had one of them ended the pause, the probe would see those that follow.
  start -- "$BACKOFF" -d 1h --wake-on=39 -- sh -c \
    '[ "$BACKOFF_ATTEMPT" = 2 ] || exit 7; exec python3 "$PROBE"'
  await_pause
  for name in USR1 USR2 ALRM VTALRM PROF IO PWR 35 RTMAX 39; do
    signal "$name"
  done
  await "$out" '^ready' # alive, then
  barrier
  await "$out" '^seen nothing$'
  assert_fate "exited 0"
}

@test "rule 33: each INT by kill(2) is forwarded, and the second is no KILL" {
  over_probe --exit 3
  signal INT
  await "$out" '^got INT'
  signal INT
  wait_for got_twice
  barrier
  await "$out" '^seen INT=2$'
  assert_fate "exited 3"
}

got_twice() {
  [ "$(grep -c '^got INT' "$out")" = 2 ]
}

@test "rule 34: if backoff is killed by KILL, COMMAND gets a TERM" {
  need_answer parent
  over_probe
  signal KILL
  assert_fate "killed KILL"
  wait_for grep -q '^got TERM' "$out"
  signal 40 "$(the_probe)"
}

@test "rule 36: no second core is written after COMMAND's" {
  cd "$BATS_TEST_TMPDIR"
  start --cores -- sh -c 'kill -SEGV $$'
  wait "$runner"
  [ "$(cat fate)" = "killed SEGV, core" ] || skip "no core files here: $(cat fate)"
  rm -f core*
  start --cores -- "$BACKOFF" -n 1 -- sh -c 'kill -SEGV $$'
  assert_fate "killed SEGV"
}

# --- Options about signals ---

@test "--wake-on: its signal ends the pause" {
  start -- "$BACKOFF" -d 1h --wake-on=USR1 -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
  await_pause
  signal USR1
  assert_fate "exited 0"
}

@test "--wake-on: other signals do not end the pause, and the END signals still end us" {
  start -- "$BACKOFF" -d 1h --wake-on=USR1 -- sh -c 'echo ready; exit 7'
  await_pause
  signal USR2
  signal TERM
  assert_fate "killed TERM"
  assert_ready 1
}

@test "--wake-on=HUP: a HUP that is there when a line is written wakes the pause" {
  injected write:signal=HUP:when=1 --wake-on=HUP -d 1h -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
  assert_fate "exited 0"
}

@test "--wake-on=HUP: a HUP that comes while a line waits for room wakes the pause" {
  injected_for_room HUP --wake-on=HUP -d 1h -- \
    sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
  assert_fate "exited 0"
}

@test "--wake-on=HUP: a HUP does not end a release" {
  mkfifo "$BATS_TEST_TMPDIR/slow"
  exec 5<>"$BATS_TEST_TMPDIR/slow"
  start -- sh -c 'exec "$BACKOFF" --wake-on=HUP -o -- head -c 300000 /dev/zero >"$0"' "$BATS_TEST_TMPDIR/slow"
  wait_for is_full 5
  wait_for in_state "$pid" S
  signal HUP
  head -c 300000 <&5 | wc -c >"$BATS_TEST_TMPDIR/count"
  assert_fate "exited 0"
  exec 5>&-
}

@test "--wake-on: in an attempt its signal is forwarded" {
  need_real_time
  start -- "$BACKOFF" -d 1h --wake-on=USR1 -- python3 "$PROBE"
  await "$out" '^ready'
  signal USR1
  barrier
  await "$out" '^seen USR1=1$'
}

@test "--wake-on: an attempt that its signal killed is a failed attempt" {
  start -- "$BACKOFF" -n 2 -d 1ms --wake-on=USR1 -- sh -c \
    '[ "$BACKOFF_ATTEMPT" = 2 ] || { '"$sleeper"'; }'
  await "$out" '^ready'
  signal USR1
  assert_fate "exited 0"
}

@test "--grace: what ignores TERM is killed, and we die as it did" {
  start -- "$BACKOFF" -d 1h --grace=100ms -- sh -c 'trap "" TERM; '"$sleeper"
  await "$out" '^ready'
  signal TERM
  assert_fate "killed KILL"
}

@test "--grace: so are its descendants" {
  need_answer processes
  start -- "$BACKOFF" -d 1h --grace=100ms -- sh -c \
    'trap "" TERM; sh -c "echo inner \$\$; exec sleep 1000" & '"$sleeper"
  await "$out" '^ready'
  await "$out" '^inner'
  signal TERM
  assert_fate "killed KILL"
  wait_for gone "$(sed -n 's/^inner //p' "$out")"
}

@test "--grace: COMMAND that ends in time is not killed" {
  need_real_time
  start -- "$BACKOFF" -d 1h --grace=1h -- python3 "$PROBE" --exit 3
  await "$out" '^ready'
  signal TERM
  await "$out" '^got TERM'
  barrier
  assert_fate "exited 3"
}

# cut_after_term LIMIT-OPTION: what does not see the TERM is told to end, and
# then cut. (A limit before the TERM is none that we want to see.)
cut_after_term() {
  local seconds
  for seconds in 1 5 25; do
    start --block TERM -- "$BACKOFF" -v -d 1h "$1" "$seconds" -k 100ms -- sleep 1000
    wait_for begun
    signal TERM 2>/dev/null || continue
    assert_fate "exited 124"
    ! grep -q 'TERM' "$err" || return 0
  done
  fail "TERM was not passed on: $(cat "$err")"
}

@test "the limits go on after TERM: --timeout ends what ignores it" {
  cut_after_term -t
}

@test "the limits go on after TERM: --deadline ends what ignores it" {
  cut_after_term -T
}

@test "-v notes what was forwarded, after the attempt" {
  need_real_time
  start -- "$BACKOFF" -v -d 1h -- python3 "$PROBE"
  await "$out" '^ready'
  signal USR1
  await "$out" '^got USR1'
  run ! grep -q USR1 "$err"
  barrier
  assert_fate "exited 0"
  run -0 cat "$err"
  assert_line --regexp '^backoff: python3: .*USR1'
}

@test "without -v nothing is said about what was forwarded" {
  over_probe
  signal USR1
  await "$out" '^got USR1'
  barrier
  assert_fate "exited 0"
  run -0 cat "$err"
  assert_output ''
}

# A signal that comes while a line is being written acts as if we were not
# there, so we wait until the line is out.
@test "the log says what interrupted us, in a pause" {
  start -- "$BACKOFF" -d 1h -- false
  await_pause
  wait_for in_state "$pid" S
  signal TERM
  assert_fate "killed TERM"
  run -0 tail -n 1 "$err"
  assert_output --regexp '^backoff: false: interrupted by TERM after 1 attempt in [0-9.mu]+s$'
}

@test "the log says what interrupted us, in an attempt" {
  start -- "$BACKOFF" -d 1h -- sh -c "$sleeper"
  await "$out" '^ready'
  signal HUP
  assert_fate "killed HUP"
  run -0 cat "$err"
  assert_output --regexp '^backoff: sh: interrupted by HUP after 1 attempt in [0-9.mu]+s$'
}

@test "TERM in the splay ends us before COMMAND was ever started" {
  start -- "$BACKOFF" --splay=1h..2h -- sh -c 'echo ready'
  wait_for in_state "$pid" S
  signal TERM
  assert_fate "killed TERM"
  assert_ready 0
}

@test "TERM in a --before-retry hook reaches the hook, and we die by it" {
  start -- "$BACKOFF" -n 2 -d 1ms --before-retry='echo hook $$; exec sleep 1000' -- \
    sh -c 'echo ready; exit 7'
  await "$err" '^hook'
  signal TERM
  assert_fate "killed TERM"
  assert_ready 1
  wait_for gone "$(sed -n 's/^hook //p' "$err")"
}

@test "--at-end is not run where a signal ended us in a pause" {
  start -- "$BACKOFF" -d 1h --at-end='echo at-end' -- false
  await_pause
  signal TERM
  assert_fate "killed TERM"
  run ! grep -q at-end "$err"
}

# --- Only COMMAND stopped ---

@test "rule 7: TERM and HUP for a stopped COMMAND are followed by a CONT" {
  local name
  for name in TERM HUP; do
    start -- "$BACKOFF" -d 1h -- sh -c "$sleeper"
    await "$out" '^ready'
    signal STOP "$(the_probe)"
    wait_for in_state "$(the_probe)" T
    signal "$name"
    assert_fate "killed $name"
  done
}

@test "rule 7: a timeout ends a COMMAND that is stopped" {
  start -- "$BACKOFF" -n 1 -t 500ms -k inf -- sh -c 'kill -STOP $$; exec sleep 1000'
  assert_fate "exited 124"
}

@test "rule 7: CONT follows neither KILL nor CONT" {
  need_strace
  local name
  for name in KILL CONT; do
    start -- strace -o "$BATS_TEST_TMPDIR/trace" -e trace=kill,tgkill,tkill,pidfd_send_signal \
      "$BACKOFF" -n 1 -t 100ms -k 200ms -s "$name" -- sleep 1000
    assert_fate "exited 124"
    run -0 awk '/SIGCONT/ { n++ } END { print n + 0 }' "$BATS_TEST_TMPDIR/trace"
    if [ "$name" = KILL ]; then assert_output 0; else assert_output 1; fi
  done
}

@test "rule 8: a CONT for us alone is forwarded" {
  over_probe
  signal CONT
  barrier
  await "$out" '^seen CONT=1$'
}

# --- As PID 1 ---

# as_pid_1 COMMAND...: starts it as the init of a new pid namespace. Sets
# init to its process id out here.
as_pid_1() {
  need_namespace --pid --fork --mount-proc
  start -- "${namespace[@]}" "$@"
}

@test "rules 38 and 73: as PID 1, TERM in a pause ends us with 143" {
  as_pid_1 "$BACKOFF" -d 1h -- sh -c 'echo "ready $$ $PPID"; exit 7'
  await_pause
  signal TERM "$(child_of "$pid")"
  assert_fate "exited 143"
  assert_equal "$(the_parent)" 1
}

@test "rules 38 and 73: as PID 1, TERM in an attempt is forwarded and ends us with 143" {
  as_pid_1 "$BACKOFF" -d 1h -- sh -c "$sleeper"
  await "$out" '^ready'
  signal TERM "$(child_of "$pid")"
  assert_fate "exited 143"
  assert_equal "$(the_parent)" 1
}

@test "rules 38 and 71: as PID 1, TERM in a release to a reader that stalls ends us with 143" {
  mkfifo "$BATS_TEST_TMPDIR/slow"
  exec 5<>"$BATS_TEST_TMPDIR/slow"
  as_pid_1 sh -c 'exec "$BACKOFF" -o -n 1 -- head -c 300000 /dev/zero >"$0"' "$BATS_TEST_TMPDIR/slow"
  wait_for is_full 5
  wait_for in_state "$(child_of "$pid")" S
  signal TERM "$(child_of "$pid")"
  assert_fate "exited 143"
  exec 5>&-
}

# is_full FD: a pipe of the usual size is.
is_full() {
  python3 -c '
import array, fcntl, sys, termios
count = array.array("i", [0])
fcntl.ioctl(int(sys.argv[1]), termios.FIONREAD, count)
sys.exit(count[0] < 61440)' "$1"
}

@test "rule 73: as PID 1, COMMAND's own answer to TERM is our status" {
  need_real_time
  as_pid_1 "$BACKOFF" -d 1h -- python3 "$PROBE" --exit 3
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

@test "rule 74: a child that we had before the spawn is reaped and sets no status" {
  need_proc
  cd "$BATS_TEST_TMPDIR"
  mkfifo its-gate gate
  start -- sh -c 'sh -c "read -r _ <its-gate; exit 0" & echo "before $!"
    exec "$BACKOFF" -n 1 -- sh -c "echo ready; read -r _ <gate; exit 7"'
  await "$out" '^ready'
  echo >its-gate
  wait_for test ! -e "/proc/$(sed -n 's/^before //p' "$out")"
  echo >gate
  assert_fate "exited 7"
}

@test "rule 74: a child that had ended before the spawn is reaped by then" {
  need_proc
  # A shell would reap it; this leaves it a zombie.
  start -- python3 -c '
import os, sys
pid = os.fork() or os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print("before", pid, flush=True)
os.execv(sys.argv[1], sys.argv[1:])' "$BACKOFF" -n 1 -- sh -c "$sleeper"
  await "$out" '^ready'
  wait_for test ! -e "/proc/$(sed -n 's/^before //p' "$out")"
}

@test "rule 75: we do not wait for a child that we had before the spawn" {
  start -- sh -c 'sleep 1000 & echo "$!"; exec "$BACKOFF" -n 1 -- sh -c "exit 7"'
  assert_fate "exited 7"
  kill "$(cat "$out")"
}
