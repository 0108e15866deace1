#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --gate: runs that share the news that a service is down.

load helper
load ../lib/shared

setup() {
  need_answer byte_lock
  # A service: it is up while the file "up" is there. Each request is a line.
  cat >job <<'EOF'
#!/bin/sh
echo "$BACKOFF_GATE" >>requests
[ -e up ] || exit 7
EOF
  chmod +x job
  mkdir -m 700 state
}

# slot_is_held: until somebody writes to the FIFO "free".
slot_is_held() {
  mkfifo free
  beside --slots=hub:1 -- sh -c 'echo held >held; read -r _ <free'
  wait_for test -s held
}

# anew: nobody has used the gate, nor asked for anything.
anew() {
  rm -f state/hub
  : >requests
}

# behind_gate: what was started waits there.
behind_gate() {
  await "$err" 'waiting at gate hub'
  wait_for in_state "$pid" S
}

calls() { # REGEX: how many lines of the trace have it
  grep -Ec "$1" trace || true
}

@test "an open gate lets an attempt start, which BACKOFF_GATE tells, and without --gate there is neither" {
  touch up
  BACKOFF_GATE=shut run -0 "$BACKOFF" -- sh -c '[ -z "${BACKOFF_GATE+set}" ]'
  assert_equal "$(ls state)" ""
  run -0 "$BACKOFF" --gate=hub -- ./job
  assert_output ""
  assert_equal "$(cat requests)" open
}

@test "three failures in a row shut it, unless they are of one run, and the log tells why, after the attempt" {
  run -7 "$BACKOFF" --gate=hub -n 3 -d 600ms -- ./job
  refute_output --partial "gate hub"
  assert_equal "$(sort -u requests)" open
  run -7 "$BACKOFF" --gate=hub --gate-wait=0 -n 6 -- ./job
  assert_line --index 0 --partial 'attempt 1/6 failed'
  assert_line --index 1 --regexp '^backoff: job: gate hub shut: exit 7, [34] failures in a row$'
}

@test "a success forgets the failures, and what must not be retried is none" {
  run -7 "$BACKOFF" -qq --gate=hub -n 2 -d 1s -- ./job
  run -5 "$BACKOFF" --gate=hub -n 1 -x 5 -- sh -c 'exit 5'
  run -127 "$BACKOFF" --gate=hub -n 1 -- ./none
  run -143 "$BACKOFF" --gate=hub -- sh -c '(kill -TERM $PPID); exec sleep 1000'
  run -138 "$BACKOFF" --gate=hub -- sh -c '(kill -USR1 $PPID); exec sleep 1000'
  assert_equal "$(field state)" 0
  run -3 "$BACKOFF" --gate=hub --pass-on=3 -- sh -c 'exit 3'
  run -7 "$BACKOFF" --gate=hub -n 1 -- ./job
  refute_output --partial 'gate hub shut'
  assert_equal "$(field state)" 0
}

@test "at a shut gate one tries when that is due, and a success opens it for all" {
  shut_gate
  record due=+1 >/dev/null
  touch up
  run -0 "$BACKOFF" --gate=hub -- ./job
  assert_line --regexp '^backoff: job: waiting at gate hub, shut for [0-9.]+[mu]?s: exit 7$'
  assert_line --regexp '^backoff: job: gate hub open after [0-9.]+[mu]?s, 1 probe$'
  run -0 "$BACKOFF" -v --gate=hub --consecutive=2 -b 0 \
    --before-retry="'$PYTHON' -S '$lib/shared_record.py' state/hub state=0 >/dev/null" -- ./job
  assert_line 'backoff: job: gate hub fully open'
  assert_equal "$(cat requests)" "$(printf 'probing\npaced\nopen')"
}

@test "--gate-wait=0 ends a run at a shut gate with 75 before any attempt" {
  shut_gate
  cp state/hub before
  run -75 "$BACKOFF" --gate=hub --gate-wait=0 --at-end='echo "end $BACKOFF_RESULT"' -- ./job
  cmp before state/hub
  assert_line --regexp '^backoff: job: gave up at gate hub after 0.*: exit 7$'
  assert_line "end deferred"
  record due=+9 >/dev/null
  run -75 "$BACKOFF" --gate=hub --gate-wait=100ms -- ./job
  assert [ ! -e requests ]
}

@test "--gate-wait=0 makes the probe where nobody has come for it in half a minute" {
  shut_gate
  touch up
  record due=-31 >/dev/null
  run -0 "$BACKOFF" --gate=hub --gate-wait=0 -- ./job
  assert_equal "$(cat requests)" probing
  # The gate is paced now, and lets it start when its time has come.
  run -0 "$BACKOFF" --gate=hub --gate-wait=0 -- ./job
}

@test "--gate-wait bounds the waits of a run in all, and keeps the last status" {
  shut_gate
  run -7 "$BACKOFF" --gate=hub --gate-wait=300ms -b 1ms -- ./job
  assert_line --regexp '^backoff: job: gave up at gate hub after [0-9.mu]+s: exit 7$'
  assert_equal "$(sort -u requests)" probing
  assert_equal "$(grep -c 'waiting at gate' <<<"$output")" 1
  anew # What the service has asked for does not count.
  shut_for 1s
  run -0 "$BACKOFF" -v --gate=hub --gate-wait=300ms -b 1ms -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
  refute_output --partial 'another run took over'
}

# Each waits as it was told, and is put off for that; the others go on, paced.
@test "a service that refuses many is paced; who is told to wait again and again shuts the gate until then" {
  local told='echo after=30m >"$BACKOFF_HINT"; exit 7' left
  run -7 "$BACKOFF" --gate=hub -n 1 -- sh -c "$told"
  refute_output --partial "gate hub"
  quietly --gate=hub -n 1 -- sh -c "$told"
  run -7 "$BACKOFF" --gate=hub -n 1 -- sh -c "$told"
  assert_line 'backoff: sh: gate hub paced: 2/s (told to slow down)'
  run -0 "$BACKOFF" --gate=list
  assert_line --index 1 --regexp '^hub +paced +[0-9-]{10} [0-9:]{8} +2/s +- +- +- +- +exit 7$'
  record limit=20400000 >/dev/null
  run -0 "$BACKOFF" --gate=list
  assert_line --index 1 --regexp ' 2/s +20/s '
  : >told-lines
  until grep -q 'gate hub shut' told-lines; do
    "$BACKOFF" --gate=hub -n 1 -- sh -c "$told" 2>>told-lines || :
  done
  run -0 grep 'gate hub' told-lines
  assert_output --regexp '^backoff: sh: gate hub shut until ([0-9-]{10} )?[0-9:]{8} \(server asked for 30m\)$'
  left=${output#*until }
  left=$(($(date -d "${left% (*}" +%s) - $(date +%s)))
  assert [ "$left" -gt 0 -a "$left" -le 1900 ]
  run -75 "$BACKOFF" --gate=hub --gate-wait=0 -- ./job
  assert [ ! -e requests ]
}

@test "--deadline and --until end a wait before any attempt with 124" {
  shut_for 30m
  run -124 "$BACKOFF" --gate=hub -T 1s -- ./job
  assert_line --regexp '^backoff: job: deadline reached in [^:]*, waiting for gate hub: exit 7$'
  run -124 "$BACKOFF" -q --gate=hub --until="@$(($(date +%s) + 2))" -- ./job
  assert_equal "${#lines[@]}" 1
  refute_output --partial 'waiting at'
  # Behind another one that waits, too.
  beside --gate=hub -- true
  wait_for grep -q 'waiting at gate' beside
  run -124 "$BACKOFF" --gate=hub -T 300ms -- ./job
  assert [ ! -e requests ]
}

# each_signal_ends: what waits at the gate.
each_signal_ends() {
  local name
  for name in HUP INT QUIT TERM; do
    start -- "$BACKOFF" --gate=hub -- ./job
    behind_gate
    dies_by "$name"
  done
}

@test "each END signal ends a wait, of the first in line and of who stands behind it" {
  shut_for 30m
  each_signal_ends
  beside --gate=hub -- true
  wait_for grep -q 'waiting at gate' beside
  each_signal_ends
  assert [ ! -e requests ]
}

@test "--wake-on lets an attempt through at once, whose failure leaves the gate shut, and whose success opens it" {
  shut_for 30m
  start -- "$BACKOFF" --gate=hub --slots=hub:1 --wake-on=USR1 -T 1000s -- ./job
  behind_gate
  signal USR1
  await "$err" 'probe 1 at gate hub failed after [^:]*: exit 7 .not counted'
  dies_by TERM
  run -75 "$BACKOFF" --gate=hub --gate-wait=0 -- ./job
  anew
  shut_gate
  beside -v --gate=hub -- sleep 1000
  wait_for grep -q 'probing at gate' beside
  touch up
  start -- "$BACKOFF" --gate=hub --wake-on=USR1 -- ./job
  behind_gate
  signal USR1
  assert_fate "exited 0"
  assert_equal "$(cat requests)" probing
  assert grep -q 'gate hub open after' "$err"
}

# has_looked TIMES: at the state file, by the trace.
has_looked() {
  [ "$(calls pread64)" -ge "$1" ]
}

@test "a signal that neither ends nor wakes a run at a shut gate costs it a few calls" {
  need_strace
  shut_gate
  beside -v --gate=hub -- sleep 1000
  wait_for grep -q 'probing at gate' beside
  start -- strace -qq -o trace -e trace=ppoll,rt_sigtimedwait,pread64 "$BACKOFF" --gate=hub -- ./job
  await "$err" 'waiting at gate hub'
  signal USR2 "$(child_of "$pid")"
  wait_for has_looked $(($(calls pread64) + 3))
  assert [ "$(calls 'ppoll|timedwait')" -lt 50 ]
}

@test "kill -9 of the prober: the next one probes" {
  shut_gate
  # Beside a prober that lives the next one would come after 200 seconds.
  record longest=100000000000 >/dev/null
  start -- "$BACKOFF" -qq --gate=hub -- sh -c 'echo "ready $$"; exec sleep 1000'
  wait_for grep -q ready "$out"
  touch up
  beside --gate=hub --gate-wait=20s -- ./job
  wait_for grep -q 'waiting at gate' beside
  signal KILL
  wait "${others[0]}"
  assert_equal "$(cat requests)" probing
  assert_fate "killed KILL"
}

@test "who has waited for a slot, and finds the gate open, is no prober when it shuts" {
  mkfifo end
  slot_is_held
  start -- "$BACKOFF" --gate=other --slots=hub:1 -b 1h -- sh -c 'echo ready; read -r _ <end; exit 7'
  await "$err" 'waiting for the slot'
  echo >free
  await "$out" ready
  "$BACKOFF" -qq --gate=other -n 19 -b 0 -- false || :
  "$BACKOFF" -qq --gate=other -n 1 -- false || :
  echo >end
  await "$err" 'attempt 1/8 failed'
}

@test "who has waited for a slot, and finds the gate paced, starts in its turn" {
  touch up
  slot_is_held
  for _ in 1 2; do
    beside --gate=hub --slots=hub:1 -- ./job
    wait_for grep -q 'waiting for the slot' beside
  done
  for _ in 1 2 3; do quietly --gate=hub -n 1 --throttle-on=7 -- sh -c 'exit 7'; done
  record rate=200000 >/dev/null
  echo >free
  wait_for test -s requests
  sleep 1
  assert_equal "$(<requests)" paced
}

@test "who probes, waits for a slot, and finds the gate opened by hand, is told that it is paced" {
  slot_is_held
  shut_gate
  record due=+0 >/dev/null
  touch up
  start -- "$BACKOFF" --gate=hub --slots=hub:1 -b 1h -- ./job
  await "$err" 'waiting for the slot'
  "$BACKOFF" --gate=open:hub
  echo >free
  assert_fate "exited 0"
  assert_equal "$(cat requests)" paced
}

@test "who probes, waits for a slot, and finds the gate shut anew, waits at it" {
  slot_is_held
  shut_gate
  record due=+0 >/dev/null
  start -- "$BACKOFF" --gate=hub --slots=hub:1 -b 1h -- ./job
  await "$err" 'waiting for the slot'
  "$BACKOFF" --gate=open:hub
  shut_for 1h
  echo >free
  behind_gate
  assert [ ! -s requests ]
}

@test "a probe that comes to nothing is given back before the hook, which sees no state" {
  mkfifo end
  slot_is_held
  shut_gate
  # Beside a prober that lives the next one would come after 200 seconds.
  record due=+0 longest=100000000000 >/dev/null
  start -- "$BACKOFF" --gate=hub --slots=hub:1 --slots-wait=100ms \
    --at-end='echo "hook [${BACKOFF_GATE-none}]"; read -r _ <end' -- ./job
  await "$err" '^hook \[none\]'
  touch up
  run -0 "$BACKOFF" --gate=hub --gate-wait=20s --at-end='echo "hook [${BACKOFF_GATE-none}]" >hook' -- ./job
  assert_equal "$(<requests) $(<hook)" 'probing hook [none]'
  echo >end
}

@test "a run whose place in the queue cannot be locked goes on without the gate" {
  need_strace
  shut_gate
  strace -qq -o trace -e trace=fcntl "$BACKOFF" -qq --gate=hub --gate-wait=20s -n 1 -- ./job || :
  place=$(grep -n 'F_OFD_SETLK, {l_type=F_WRLCK' trace | grep -v l_start=4294967296, | head -n 1)
  run -7 strace -qq -o trace -e trace=fcntl -e inject="fcntl:error=ENOLCK:when=${place%%:*}" \
    "$BACKOFF" --gate=hub --gate-wait=20s -n 1 -- ./job
  assert_line --regexp 'cannot use gate hub \(.*: No locks available\); going on without$'
}

# state-file.bats has the other reasons.
@test "a run that cannot use its gate goes on without, and says so once" {
  : >state/hub
  chmod 644 state/hub
  run -0 "$BACKOFF" --gate=hub -n 3 -b 1ms -- sh -c '[ "${BACKOFF_GATE-$BACKOFF_ATTEMPT}" = 3 ]'
  assert_equal "$(grep -c 'cannot use gate hub' <<<"$output")" 1
  # Also where the file becomes another program's in a wait.
  anew
  shut_for 1s
  start -- "$BACKOFF" --gate=hub -b 1ms -- ./job
  behind_gate
  echo 'export PATH=/bin' >state/hub
  await "$err" 'cannot use gate hub .*; going on without$'
}

# shut_out ARG...: run with these, the gate is shut.
shut_out() {
  run -75 "$@" "$BACKOFF" --gate=hub --gate-wait=0 -- ./job
  assert_equal "$(cat requests)" ''
}

@test "a gate of another boot is as new" {
  touch up
  : >requests
  shut_for 30m
  shut_out env
  record boot=42 >/dev/null
  run -0 "$BACKOFF" --gate=hub --gate-wait=0 -- ./job
  assert_equal "$(cat requests)" open
}

# A suspended machine is one whose CLOCK_BOOTTIME goes on without the others,
# as in a time namespace.
@test "the time of a suspended machine counts at a gate" {
  need_namespace --time
  local -a later=("${namespace[@]}" --boottime)
  touch up
  : >requests
  shut_for 30m
  shut_out "${later[@]}" 600
  run -0 "${later[@]}" 2000 "$BACKOFF" --gate=hub -- ./job
  assert_equal "$(cat requests)" probing
}

@test "a clock that is set changes nothing at a gate" {
  need_faketime
  export DONT_FAKE_MONOTONIC=1
  faketime '2010-01-01 00:00:00' "$BACKOFF" -q true ||
    skip 'faketime does not work with this program'
  touch up
  : >requests
  shut_for 30m
  shut_out faketime '2010-01-01 00:00:00'
  shut_out faketime '2040-01-01 00:00:00'
}

# unit/words/gate_message has the members.
@test "JSON tells of each step at the gate" {
  shut_gate
  record due=+1 >/dev/null
  touch up
  run -0 "$BACKOFF" --log-format=json --gate=hub -- ./job
  assert_line --regexp '"state":"wait",.*"next_s":[01](\.[0-9]+)?[,}]'
  run -0 sed -n 's/.*"event":"gate",.*"gate":"hub","state":"\([a-z]*\)",.*"reason":"exit 7",.*/\1/p' <<<"$output"
  assert_output $'wait\nprobe\npaced'
}

@test "an open gate costs one look before each attempt and one after, and no write" {
  need_strace
  strace -o trace -e trace=openat,fstat,newfstatat,pread64,pwrite64,fcntl \
    "$BACKOFF" --gate=hub --consecutive=3 -b 1ms -- true 2>/dev/null
  assert_equal "$(calls '^openat\(.*"hub"')" 2 # the first time it makes it
  strace -o trace -e trace=openat,pread64,pwrite64,fcntl,timer_create \
    "$BACKOFF" --gate=hub --consecutive=3 -b 1ms -- true 2>/dev/null
  assert_equal "$(calls '^openat\(.*"hub"')" 1
  assert_equal "$(calls '^pread64\(.*, 1024, 0\)')" 6
  assert_equal "$(calls '^pwrite64|OFD|timer_create|boot_id')" 0
}

@test "--gate=list prints the gates, since when and why they are shut, and who waits" {
  shut_for 30m
  "$BACKOFF" -qq --defer=sync:1h..1h -n 1 -- false || true
  touch up
  "$BACKOFF" -qq --gate=a-name-that-is-long -- ./job
  echo 'export PATH=/bin' >state/profile
  chmod 600 state/profile
  beside --gate=hub -- true
  wait_for grep -q 'waiting at gate' beside
  start -- "$BACKOFF" --gate=hub -- true
  behind_gate
  # One file is open at a time, from 10 on.
  run -0 bash -c 'exec 10>&- 11>&- 12>&-; ulimit -n 13; "$BACKOFF" --gate=list'
  local day='[0-9-]{10} [0-9:]{8}' never='-                  '
  assert_output --regexp "^NAME                 GATE   SINCE                  RATE   LIMIT  WAITING  SLOTS  DEFERRED UNTIL       REASON
a-name-that-is-long  open   $never       -       -        -      -  $never  -
hub                  shut   $day       -       -        2      -  $never  exit 7
profile              -      $never       -       -        -      -  $never  cannot be used: not a state file of backoff
sync                 open   $never       -       -        -      -  $day  exit 1\$"
}

@test "a run whose probe fails waits at the end of the line, and only there" {
  shut_for 30m
  beside --gate=hub -- true
  wait_for grep -q 'waiting at gate' beside
  kill -STOP "${others[0]}" # or it would be the first to see that a probe is due
  start -- "$BACKOFF" --gate=hub -j none -b 10s -- ./job
  behind_gate
  record due=+1 >/dev/null
  until [ "$(field probes)" = 2 ]; do sleep 0.05; done
  run -0 "$BACKOFF" --gate=list
  assert_line --index 1 --regexp '^hub +shut .* 2 +- +- +exit 7$'
}

@test "a probe that gets no slot gives its turn to the next, and has tried nothing" {
  shut_gate
  start -- "$BACKOFF" --slots=hub:1 -- sh -c "$sleeper"
  await "$out" '^ready'
  run -75 "$BACKOFF" -v --gate=hub --slots=hub:1 --slots-wait=0 -- ./job
  assert_output --partial 'gate hub'
  assert_equal "$(field state) $(field probes)" '1 0'
  touch up
  run -0 "$BACKOFF" -v --gate=hub -- ./job
  assert_equal "$(cat requests)" probing
}

@test "--gate=open reaches all who wait, also who probed and was told to wait: they come back by the pace" {
  shut_gate
  for _ in 1 2 3 4; do
    beside --gate=hub -- sh -c './job && exit; echo after=30m >"$BACKOFF_HINT"; exit 7'
    wait_for grep -q 'waiting at gate' beside
  done
  wait_for grep -q probing requests
  run -0 "$BACKOFF" --gate=open:hub
  assert_output 'gate hub was shut: exit 7; it opens gradually now'
  touch up
  wait "${others[@]}"
  assert_equal "$(sort requests | uniq -c | tr -s ' \n' ' ')" ' 4 paced 1 probing '
}

@test "--gate=open of a gate that is open, or was never used, has nothing to do" {
  run -0 "$BACKOFF" --state-dir=missing --gate=open:hub
  assert_output 'gate hub is open'
  touch up
  "$BACKOFF" --gate=hub -- ./job
  run -0 "$BACKOFF" --gate=open:hub
  assert_output 'gate hub is open'
}

@test "--gate=open and list of a state that cannot be used are an error, and a missing one is empty" {
  shut_for 30m
  chmod 644 state/hub
  run -125 "$BACKOFF" --gate=open:hub
  assert_output 'backoff: --gate=open: hub: its mode is not 0600'
  run -125 "$BACKOFF" --state-dir=job --gate=open:hub
  run -125 "$BACKOFF" --state-dir=job --gate=list
  assert_regex "$output" '^backoff: --gate=list: job: '
  run -0 "$BACKOFF" --state-dir=missing/one --gate=list
  assert_output --regexp '^NAME .* REASON$'
  assert [ ! -e missing ]
}

@test "--plan says what the gate does" {
  run -0 "$BACKOFF" --gate=hub --gate-wait=5m --plan
  assert_line --partial "while gate hub is open"
  assert_line --partial "--gate-wait=5m"
  run -0 "$BACKOFF" --gate=fleet:hub --plan
  assert_line --partial "while gate fleet:hub is open"
  assert_equal "$(ls state)" ""
}

# bats test_tags=long
# The second comes when the first has gone: it must find a record
# that it can go on from, or one that counts as new.
@test "kill -9 of the prober at any of its system calls keeps nobody else waiting" {
  local total=0 call count fate
  need_strace
  touch up
  for call in fcntl pwrite64 vfork clone wait4; do
    count=0 fate=137
    while [ "$fate" = 137 ]; do
      count=$((count + 1)) fate=0
      anew
      shut_gate
      strace -qq -o /dev/null -e trace="$call" \
        -e inject="$call":signal=KILL:when="$count" \
        "$BACKOFF" -qq --gate=hub -- ./job || fate=$?
      run -0 "$BACKOFF" --gate=hub --gate-wait=60s -- ./job
      refute_output --partial "cannot use"
    done
    assert_equal "$fate" 0
    total=$((total + count - 1))
  done
  assert [ "$total" -gt 8 ]
}

# Whoever came between would decide by a record that is about to change.
@test "the record is written before its lock is given back" {
  need_strace
  strace -qq -o trace -e trace=fcntl,pwrite64 "$BACKOFF" -qq --gate=hub -n 1 -- ./job || true
  run -0 sed -nE 's/^fcntl.*(F_WRLCK|F_UNLCK).*/\1/p; s/^pwrite64\(.*, 1024, 0\).*/written/p' trace
  assert_output --partial $'F_WRLCK\nwritten\nF_UNLCK'
}

# No pause follows, in which it would be seen.
@test "a TERM that comes while the failure of the last attempt is written ends us" {
  need_strace
  run -143 strace -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:signal=TERM:when=1 \
    "$BACKOFF" --gate=hub -n 1 -- ./job
  assert_output --partial 'interrupted by TERM after 1 attempt'
}

@test "at an open gate nothing takes USR1 from COMMAND, nor the wake signal from the pause" {
  need_strace
  run -138 strace -qq -o /dev/null -P "$PWD/state/hub" -e trace=pread64 -e inject=pread64:signal=USR1:when=1 \
    "$BACKOFF" --gate=hub -n 1 -- sleep 1000
  run -7 strace -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:signal=USR1:when=1 \
    "$BACKOFF" --gate=hub --wake-on=USR1 -n 2 -d 1000s -- ./job
}
