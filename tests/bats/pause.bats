#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Sleeping and waiting: backoff does nothing while nothing happens, and nothing
# that happens is missed.

# shellcheck disable=SC2034 # what other files use
load helper
load ../lib/events
load ../lib/process

# traced ARG...: runs the program with these arguments under strace, and its
# options in $strace_options.
traced() {
  need_strace
  trace=$BATS_TEST_TMPDIR/trace
  start -- strace -o "$trace" "${strace_options[@]}" "$BACKOFF" "$@"
}

# assert_idle: a second goes by without a system call of the process that
# strace shows, and without the kernel having let it run. Whoever wakes up
# now and then never has such a second, however often it is tried; on a busy
# machine the first one may still have the end of what went before.
assert_idle() {
  local traced_pid before
  traced_pid=$(child_of "$pid")
  for _ in {1..20}; do
    before=$(activity "$traced_pid")
    sleep 1.1
    [ "$(activity "$traced_pid")" != "$before" ] || return 0
  done
  fail "never idle: $(tail "$trace")"
}

activity() {
  wc -c <"$trace"
  grep switches "/proc/$1/status"
}

@test "rule 40: in an attempt, with a timeout ahead too, and in a pause we make no system call" {
  need_proc
  traced -d 1h -- sh -c "$sleeper"
  await "$out" '^ready'
  assert_idle
  end_all
  traced -d 1h -t 1h -T 2h -- sh -c "$sleeper"
  await "$out" '^ready'
  assert_idle
  end_all
  traced -d 1h -- false
  await_pause
  assert_idle
}

@test "rule 40: told to end, and after its limits, we make no system call while COMMAND takes its time" {
  need_proc
  need_strace
  trace=$BATS_TEST_TMPDIR/trace
  start --block TERM -- strace -o "$trace" "$BACKOFF" -d 1h -k 1h --grace=1h -t 300ms \
    --idle-timeout=100ms -- bash -c "$until_term"'; echo told; exec sleep 1000'
  await "$out" told
  signal TERM "$(child_of "$pid")"
  assert_idle
}

# A timeout ahead of us is a matter of the one wait, not of a timer.
@test "rule 40: a timeout, a deadline and a grace need no timer and no ALRM" {
  traced -n 2 -d 1ms -t 200ms -T 1h --grace=1h -k 1h -- sleep 1000
  assert_fate "exited 124"
  run ! grep -E '^(setitimer|alarm|timer_create|timerfd_create|timer_settime)|^--- SIGALRM' "$trace"
}

only_with_nanosleep() {
  [ "${PAUSE_BY:-nanosleep}" = nanosleep ] || skip "built to pause by $PAUSE_BY"
  [ "$(od -An -tu1 -j4 -N1 "$BACKOFF" | tr -d ' ')" = 2 ] ||
    skip "not a 64-bit program: its libc may copy the request"
}

@test "rule 40: a pause is one clock_nanosleep to an absolute instant" {
  only_with_nanosleep
  # None of them lasts: a short one is no call at all where it is over before.
  local strace_options=(-e inject=clock_nanosleep:retval=0)
  traced -d 1h,2h,3h -- false
  assert_fate "exited 1"
  run -0 grep -E 'nanosleep|ppoll\(NULL' "$trace"
  assert_equal "${#lines[@]}" 3
  for line in "${lines[@]}"; do
    assert_regex "$line" '^clock_nanosleep\(CLOCK_MONOTONIC, TIMER_ABSTIME, \{.*\) = 0 \(INJECTED\)$'
  done
}

@test "rule 40: a pause that was stopped and continued keeps its end" {
  only_with_nanosleep
  local calls='clock_nanosleep\(CLOCK_MONOTONIC, TIMER_ABSTIME, \{[^}]*\}'
  traced -d 1h -- false
  wait_for grep -Eqs "$calls" "$trace"
  signal STOP "$(child_of "$pid")"
  wait_for grep -q 'stopped by SIGSTOP' "$trace"
  signal CONT "$(child_of "$pid")"
  wait_for in_state "$(child_of "$pid")" S
  signal TERM "$(child_of "$pid")"
  assert_fate "killed TERM"
  # The call was made again, and the instant was the same.
  run -0 grep -Eo "$calls" "$trace"
  assert [ "${#lines[@]}" -ge 2 ]
  assert_equal "$(printf '%s\n' "${lines[@]}" | sort -u | wc -l)" 1
}

@test "rule 45: a pause of 0 makes no system call" {
  traced -qq --base=0 -n 5 -- false
  assert_fate "exited 1"
  local calls='^(clock_)?nanosleep|^p?select|^ppoll\(NULL'
  # Else the signals have handlers all the time.
  ! has_answer signalfd || calls+='|^rt_sigaction\(SIG(HUP|INT|QUIT|TERM), \{sa_handler=0x'
  run ! grep -E "$calls" "$trace"
}

@test "rule 45: a pause longer than 64 bits of nanoseconds neither ends at once nor ignores TERM" {
  start -- "$BACKOFF" -b 999999999d -c inf -j none -- sh -c 'echo ready; exit 7'
  await_pause
  wait_for in_state "$pid" S
  sleep 0.3
  dies_by TERM
  assert_ready 1
}

@test "rule 45: a pause never ends early, and the shortest ends" {
  run -1 logged -d 50ms,50ms,1ns,50ms -- false
  assert_events 'sum(pauses) == 150*ms + 1' 'end.elapsed_s >= sum(pauses) + sum(a.duration_s for a in attempts)'
}

# Were the pause part of the attempt that follows it, the parts would be
# more than the whole.
@test "rule 46: the time of an attempt begins with the attempt" {
  run -7 logged -n 2 -d 1s -- sh -c 'sleep 0.2; exit 7'
  assert_events 'all(a.duration_s >= 200*ms for a in attempts)' \
    'end.elapsed_s >= 1*s + sum(a.duration_s for a in attempts)'
}

@test "rule 44: nothing is timed by a clock that can be set" {
  traced -n 2 -d 10ms -t 1h -T 1h -- sh -c 'sleep 0.1; exit 7'
  assert_fate "exited 7"
  run ! grep -E '^(clock_gettime|clock_nanosleep|timer_create|timerfd_create).*CLOCK_(REALTIME|BOOTTIME|TAI)' "$trace"
}

# A wrong program waits two seconds more, every time, however often it is
# tried; a busy machine may do that now and then, or cut the attempt early.
# Only we are stopped: COMMAND's stop would be told to us, and wake us.
stopped_time_counts() { # STATE...
  local took
  for _ in {1..20}; do
    start "$@" -- "$BACKOFF" --log-format=json -n 1 -t 2s -- sh -c "$sleeper"
    wait_for begun
    signal STOP 2>/dev/null || continue
    sleep 2.1
    signal CONT
    assert_fate "exited 124"
    took=$(sed -n 's/.*"duration_s":\([0-9]*\)\..*/\1/p' "$err")
    if [ "$took" -lt 4 ]; then
      return 0
    fi
  done
  fail "an attempt of $took s, with a timeout of 2 s"
}

@test "rules 6 and 13: stopped time counts for --timeout, even if CONT was ignored at the start" {
  stopped_time_counts
  stopped_time_counts --ignore CONT
}

# The attempt took more than half of the time there is, so there is no room
# for another after any pause.
@test "rule 43: if the deadline leaves no room for an attempt backoff gives up without a pause" {
  for limit in 1 6 30; do
    traced -b 1h -c 1h -j none -T "$limit" -- sh -c 'echo ready; sleep "$0.6"; exit 7' $((limit / 2))
    wait "$runner" || true
    [ "$(cat "$BATS_TEST_TMPDIR/fate")" = 'exited 124' ] || break
  done
  assert_fate "exited 7"
  assert_ready 1
  run ! grep -E '^clock_nanosleep|^ppoll\(NULL' "$trace"
}

# A sandbox may refuse it, and a server that is down must not be hammered.
@test "rule 40: a pause is kept if the call that sleeps is refused" {
  need_strace
  for error in EPERM ENOSYS; do
    under=(strace -qq -o calls -e trace=clock_nanosleep -e inject=clock_nanosleep:error="$error")
    run -1 logged -d 200ms,300ms -- false
    assert_events 'pauses == [200*ms, 300*ms]' 'end.elapsed_s >= 500*ms'
    [ "${PAUSE_BY:-nanosleep}" != nanosleep ] || run -0 grep -c INJECTED calls
  done
}

# The clock is read between the question whether a signal came and the wait that
# takes the place of the refused one: TERM comes right there.
@test "rule 41: if the call that sleeps is refused, no signal is lost before the one that waits instead" {
  only_with_nanosleep
  preloads refuse <<'EOC'
static int refused;
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{ (void)clock; (void)flags; (void)until; (void)left; refused = 1; return EPERM; }
int clock_gettime(clockid_t clock, struct timespec *now)
{ if (refused) { refused = 0; kill(getpid(), SIGTERM); }
  return (int)syscall(SYS_clock_gettime, clock, now); }
EOC
  under=(env LD_PRELOAD="$PWD/refuse.so")
  run -143 logged -n 2 -d 20s -- false
  assert_events "end.result == 'interrupted'" 'end.elapsed_s < 20000*ms'
}

@test "rule 42: each END signal ends a pause, whatever the last status was" {
  for name in HUP INT QUIT TERM; do
    start -- "$BACKOFF" -d 1h -- sh -c 'echo ready; exit 7'
    await_pause
    dies_by "$name"
    assert_ready 1
  done
}

# stepped HOW...: see stepper.py. What a lost signal costs there is a pause
# of 20 seconds, at the end of which the second attempt succeeds.
stepped() {
  run "${PYTHON[@]}" "$lib/stepper.py" "$@"
  [ "$status" != 77 ] || skip "processes cannot be stepped here"
  echo "# $output" >&3
  assert_success
}

@test "rule 41: a TERM at any system call from our start to the first attempt ends us" {
  stepped start "$BACKOFF" -qq -n 1 -- sleep 20
}

@test "rule 41: a TERM at any system call from an attempt to the pause after it ends us" {
  stepped pause "$BACKOFF" -d 20s -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
}

@test "rule 41: a TERM at any instruction just before the pause ends us" {
  stepped entry "$BACKOFF" -d 20s -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
}

# A ppoll that ends too soon is waited for again: nothing ends that pause.
@test "rule 41: a TERM at any instant from the end of a pause to the next attempt ends us" {
  only_with_nanosleep
  stepped return "$BACKOFF" -d 1h -- sh -c \
    '[ "$BACKOFF_ATTEMPT" = 2 ] || exit 1; exec sleep 20'
}

# strace delivers it inside the call, the one instant that stepping cannot
# reach from outside.
@test "rule 41: a TERM in the call that sleeps ends us" {
  only_with_nanosleep
  need_strace
  start -- strace -qq -o /dev/null -e trace=clock_nanosleep \
    -e inject=clock_nanosleep:signal=TERM:when=1 \
    "$BACKOFF" -d 20s -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ]'
  assert_fate "killed TERM"
}
