#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hints: BACKOFF_HINT, --retry-after, and their limits.
#
# shellcheck disable=SC2154 # the helpers set these

load helper
load ../lib/events
load ../lib/process

setup() {
  said=$BATS_TEST_TMPDIR/said
  export BATS_TEST_TMPDIR
}

teardown() {
  end_all
}

# A COMMAND that hints its arguments, a line each, and fails.
hint='printf "%s\n" "$@" >"$BACKOFF_HINT"; exit 7'

# hinted WANTED_VERDICT LINE...: checks the verdict on an attempt with these hints.
hinted() {
  local wanted=$1
  shift
  run logged -n 2 -b 0 -- sh -c "$hint" - "$@"
  assert_events "attempts[0].verdict == '$wanted'"
}

# asked DURATION COMMAND...: what we say that its output asks for; no
# duration: for none.
asked() {
  local wanted=$1
  shift
  # Any wait above 0 is too long here, so that the test does not wait.
  "$BACKOFF" -n 2 -b 0 --retry-after --hint-max=1ns --log-file="$said" -- "$@" >/dev/null 2>&1 || true
  if [ -n "$wanted" ]; then
    [[ $(tail -n 1 "$said") =~ ': server asked to wait '($wanted)(, until [0-9: -]+)?', more than --hint-max (1ns)'$ ]]
  else
    run ! grep 'server asked' "$said"
  fi || fail "$*: $(cat "$said")"
  rm "$said"
}

# in_two_hours FORMAT: the time two hours from now, in GMT, by date(1).
in_two_hours() {
  LC_ALL=C date -ud '+2 hours' "+$1"
}

# prints TEXT: a COMMAND that prints TEXT with printf, and fails.
prints='printf "$1"; exit 7'

# --- BACKOFF_HINT ---

@test "every attempt finds an empty file in BACKOFF_HINT, and may write there" {
  need_proc
  run -0 --separate-stderr "$BACKOFF" -b 0 -- sh -c '
    [ -e "$BACKOFF_HINT" ] && [ ! -s "$BACKOFF_HINT" ] || exit 9
    echo after=0 >>"$BACKOFF_HINT" || exit 9
    echo "$BACKOFF_HINT"; [ "$BACKOFF_ATTEMPT" -eq 3 ]'
  ! has_answer file_in_memory || [[ ${lines[0]} =~ ^/proc/[0-9]+/fd/[0-9]+$ ]]
}

@test "BACKOFF_HINT is never inherited" {
  export BACKOFF_HINT=$BATS_TEST_TMPDIR/theirs
  run -7 --separate-stderr "$BACKOFF" -- sh -c "$hint" - verdict=stop
  [[ $stderr == *': the command asked to stop (BACKOFF_HINT)' ]]
  [ ! -e "$BATS_TEST_TMPDIR/theirs" ]
}

@test "after= is how long to wait, and the log says so" {
  start -- "$BACKOFF" -j none -- sh -c "$hint" - after=8s
  await_pause
  signal TERM
  assert_fate 'killed TERM'
  local next='next in [89](\.[0-9])?s \(server asked for 8s\)'
  grep -qE "^backoff: sh: attempt 1/8 failed after [^:]*: exit 7; $next\$" "$err"
}

@test "after= takes durations of every form" {
  local text
  while read -r text wanted; do
    "$BACKOFF" -n 2 --hint-max=1ns --log-file="$said" -- sh -c "$hint" - "after=$text" || true
    [[ $(tail -n 1 "$said") == *": server asked to wait $wanted, more than --hint-max (1ns)" ]] || fail "$text: $(cat "$said")"
  done <<'FORMS'
8 8s
1.5s 1.5s
250ms 250ms
2m 2m
1m30s 1m30s
3h 3h
FORMS
}

@test "a hint is a lower bound, with up to the base on top" {
  run logged -n 41 -b 4ms -c 4ms -- sh -c "$hint" - after=10ms
  assert_events 'len(pauses) == 40' 'min(pauses) >= 10*ms' 'max(pauses) <= 14*ms' \
    'min(pauses) < 11*ms' 'max(pauses) > 13*ms' 'len(set(pauses)) > 30'
}

@test "the jitter on top of a hint is there with --jitter=none, too" {
  run logged -n 41 -b 4ms -c 4ms -j none -- sh -c "$hint" - after=10ms
  assert_events 'min(pauses) >= 10*ms' 'max(pauses) <= 14*ms' 'len(set(pauses)) > 30'
}

@test "a hint may exceed the cap" {
  run logged -n 2 -b 1ms -c 1ms -- sh -c "$hint" - after=60ms
  assert_events 'pauses[0] >= 60*ms' 'end.elapsed_s >= 60*ms'
}

@test "a pause that is longer than the hint is kept" {
  run logged -n 3 -b 20ms -f 1 -j none -- sh -c "$hint" - after=1ns
  assert_events 'all(20*ms <= p <= 20*ms + 1 for p in pauses)'
}

@test "with base 0 a hint is obeyed to the nanosecond" {
  run logged -n 2 -b 0 -- sh -c "$hint" - after=1234567ns
  assert_events 'pauses == [1234567]'
}

@test "after=0 asks for nothing" {
  run logged -n 2 -b 0 -- sh -c "$hint" - after=0
  assert_events 'pauses == [0]'
}

@test "verdict= is the verdict: stop" {
  hinted stop verdict=stop
  run -7 --separate-stderr "$BACKOFF" -- sh -c "$hint" - verdict=stop
  [[ $stderr == 'backoff: sh: not retrying after attempt 1/8: the command asked to stop (BACKOFF_HINT)' ]]
}

@test "verdict= is the verdict: retry, even after an exit 0" {
  hinted retry verdict=retry
  run -1 --separate-stderr "$BACKOFF" -n 2 -b 0 -- sh -c 'echo verdict=retry >"$BACKOFF_HINT"'
  [[ ${stderr_lines[0]} == *': the command asked to retry (BACKOFF_HINT); next in 0s' ]]
  [[ ${stderr_lines[1]} == *': giving up after 2 attempts in '*': the command asked to retry (BACKOFF_HINT)' ]]
}

@test "verdict= is the verdict: throttle, with the longer pause" {
  run logged -n 3 -b 1us -j none -- sh -c "$hint" - verdict=throttle
  assert_events '[a.verdict for a in attempts] == ["throttle"] * 3' 'pauses == [5*us, 15*us]'
  run logged -n 3 -b 1us -j none --throttle-base=20us -- sh -c "$hint" - verdict=throttle
  assert_events 'pauses == [20*us, 60*us]'
}

@test "a throttle draws from half its window up" {
  run logged -n 101 -b 10us -g constant -- sh -c "$hint" - verdict=throttle
  assert_events 'min(pauses) >= 25*us' 'max(pauses) <= 50*us' 'max(pauses) - min(pauses) > 15*us'
}

@test "a throttled attempt says so, and what the server asked for" {
  start -- "$BACKOFF" --throttle-base=1s -- sh -c "$hint" - verdict=throttle after=8s
  await_pause
  signal TERM
  assert_fate 'killed TERM'
  local next='next in [89](\.[0-9])?s \(server asked for 8s\)'
  grep -qE "^backoff: sh: attempt 1/8 throttled: the command asked to slow down \(BACKOFF_HINT\); $next\$" "$err"
}

@test "verdict= is the verdict: success" {
  hinted success verdict=success
  run -0 --separate-stderr "$BACKOFF" -- sh -c "$hint" - verdict=success
  assert_equal "$stderr" ''
}

@test "verdict= is the verdict: pass, with its status" {
  hinted pass verdict=pass
  run -7 --separate-stderr "$BACKOFF" -- sh -c "$hint" - verdict=pass
  assert_equal "$stderr" ''
}

@test "verdict= decides before --*-if, and before CODES" {
  local verdict
  for verdict in stop retry throttle success pass; do
    run logged -n 2 -b 0 --stop-if=line --success-if=other -x 7 -- \
      sh -c 'echo line; echo "verdict=$1" >"$BACKOFF_HINT"; exit 7' - "$verdict"
    assert_events "attempts[0].verdict == '$verdict'" \
      "attempts[0].reason.startswith('the command ')" \
      "'(BACKOFF_HINT)' in attempts[0].reason"
    run logged -n 2 -b 0 --success-on=7 -- sh -c "$hint" - "verdict=$verdict"
    assert_events "attempts[0].verdict == '$verdict'"
  done
}

@test "verdict= decides the verdict on a timeout and a signal, too" {
  run -0 "$BACKOFF" -t 100ms -- sh -c 'echo verdict=success >"$BACKOFF_HINT"; exec sleep 1000'
  run -0 "$BACKOFF" -- sh -c 'echo verdict=success >"$BACKOFF_HINT"; kill -KILL $$'
}

@test "after= does not change the verdict, nor verdict= the pause" {
  hinted retry after=1ns
  run logged -n 2 -b 7us -j none -- sh -c "$hint" - verdict=retry
  assert_events 'pauses == [7*us]'
}

@test "later lines win" {
  hinted stop verdict=retry verdict=success verdict=stop
  hinted success verdict=stop after=0 verdict=success
  run logged -n 2 -b 0 -- sh -c "$hint" - after=1h verdict=throttle after=5us verdict=retry
  assert_events 'pauses == [5*us]' 'attempts[0].verdict == "retry"'
}

@test "the last line needs no newline" {
  run logged -n 2 -b 0 -- sh -c 'printf "verdict=retry\nverdict=stop" >"$BACKOFF_HINT"; exit 7'
  assert_events 'attempts[0].verdict == "stop"'
}

@test "lines that cannot be read are ignored" {
  local line
  for line in after= after=-1 after=soon after=1x 'after=1s 2s' 'after =1' AFTER=1h ' after=1h' verdict= \
    verdict=maybe verdict=STOP 'verdict=stop ' ' verdict=stop' stop 'verdict=stop,retry' nonsense; do
    run logged -n 2 -b 3us -j none -- sh -c "$hint" - "$line"
    assert_events 'pauses == [3*us]' 'attempts[0].verdict == "retry"'
  done
  hinted stop nonsense verdict=stop after=
}

@test "only -v reports lines that cannot be read" {
  run --separate-stderr -7 "$BACKOFF" -v -n 1 -- sh -c "$hint" - nonsense
  [ "$(grep -c "line of BACKOFF_HINT" <<<"$stderr")" -eq 1 ]
  run --separate-stderr -7 "$BACKOFF" -n 1 -- sh -c "$hint" - nonsense
  [ "$(grep -c "line of BACKOFF_HINT" <<<"$stderr")" -eq 0 ]
  run --separate-stderr -7 "$BACKOFF" -v -n 1 -- sh -c "$hint" - after=1s '' verdict=retry
  [ "$(grep -c "line of BACKOFF_HINT" <<<"$stderr")" -eq 0 ]
}

@test "a hint counts for its own attempt only" {
  run logged -n 3 -b 0 -- sh -c '[ "$BACKOFF_ATTEMPT" -ne 1 ] || echo after=5us >"$BACKOFF_HINT"; exit 7'
  assert_events 'pauses == [5*us, 0]'
}

@test "the file is emptied before each attempt, so what a hook writes there never counts" {
  run logged -n 2 -b 0 --before-retry='echo verdict=stop >"$BACKOFF_HINT"' -- \
    sh -c 'cat "$BACKOFF_HINT"; [ "$BACKOFF_ATTEMPT" -eq 2 ]'
  assert_output ''
  assert_events 'attempts[1].verdict == "success"'
}

@test "the command may write, append and truncate as it likes" {
  run logged -n 2 -b 0 -- sh -c 'echo verdict=success >"$BACKOFF_HINT"; echo after=1us >>"$BACKOFF_HINT"
    echo verdict=retry >>"$BACKOFF_HINT"; exit 7'
  assert_events 'attempts[0].verdict == "retry"' 'pauses == [1*us]'
  run logged -n 2 -b 0 -- sh -c 'echo verdict=success >"$BACKOFF_HINT"; : >"$BACKOFF_HINT"; exit 7'
  assert_events 'attempts[0].verdict == "retry"'
  run logged -n 2 -b 0 -- sh -c 'exec 9>"$BACKOFF_HINT"; echo verdict=success >&9
    echo verdict=stop >"$BACKOFF_HINT"; exit 7'
  assert_events 'attempts[0].verdict == "stop"'
}

@test "a NUL spoils only its own line" {
  run logged -n 2 -b 0 -- sh -c 'printf "nonsense\\0\nafter=3us\nverdict=throttle\\0\nverdict=retry" >"$BACKOFF_HINT"; exit 7'
  assert_events 'pauses == [3*us]' 'attempts[0].verdict == "retry"'
  run logged -n 2 -b 0 -- sh -c 'printf "\\0verdict=stop\nverdict=success\\0" >"$BACKOFF_HINT"; exit 7'
  assert_events 'attempts[0].verdict == "retry"'
  run --separate-stderr -7 "$BACKOFF" -v -n 1 -- sh -c 'printf "verdict=retry\\0" >"$BACKOFF_HINT"; exit 7'
  [ "$(grep -c BACKOFF_HINT <<<"$stderr")" -eq 1 ]
}

@test "the first line counts, however much is written after it" {
  local lines
  for lines in 1 1000 20000; do
    run logged -n 2 -b 0 -- sh -c 'echo after=3us >"$BACKOFF_HINT"
      yes verdict=retry | head -n "$1" >>"$BACKOFF_HINT"; exit 7' - "$lines"
    assert_events 'pauses == [3*us]' 'attempts[0].verdict == "retry"'
  done
}

@test "only the last 1 MiB of the file counts, and not a line that is cut there" {
  run logged -n 2 -b 0 -- sh -c 'truncate -s 1T "$BACKOFF_HINT" || exit 0
    printf "\nafter=3us\n" >>"$BACKOFF_HINT"; exit 7'
  assert_events 'pauses == [3*us]'
  # The last MiB begins before, at and after the verdict of this line.
  local length
  for length in 1048562 1048563 1048564 1048574 1048575 1048576; do
    run logged -n 2 -b 0 -- sh -c '{ echo after=1us; echo not-verdict=stop
      head -c $(($1 - 12)) /dev/zero | tr "\0" "\n"; } >"$BACKOFF_HINT"; exit 7' - "$length"
    assert_events 'attempts[0].verdict == "retry"'
  done
  # A line that is not cut counts.
  run logged -n 2 -b 0 -- sh -c '{ echo nonsense; echo verdict=stop
    head -c $((1048576 - 13)) /dev/zero | tr "\0" "\n"; } >"$BACKOFF_HINT"; exit 7'
  assert_events 'attempts[0].verdict == "stop"'
}

@test "a line that is too long cannot be read" {
  run logged -n 2 -b 0 -- sh -c 'echo after=3us >"$BACKOFF_HINT"
    head -c 900000 /dev/zero | tr "\0" x >>"$BACKOFF_HINT"; printf "\nverdict=retry" >>"$BACKOFF_HINT"; exit 7'
  assert_events 'pauses == [3*us]' 'attempts[0].verdict == "retry"'
  run --separate-stderr -7 "$BACKOFF" -v -n 1 -- sh -c 'head -c 900000 /dev/zero | tr "\0" x >"$BACKOFF_HINT"; exit 7'
  [ "$(grep -c BACKOFF_HINT <<<"$stderr")" -eq 1 ]
  # Not even if what is left of it looks like a line.
  run logged -n 2 -b 0 -- sh -c '{ printf verdict=stop; head -c 9000 /dev/zero | tr "\0" " "; } >"$BACKOFF_HINT"; exit 7'
  assert_events 'attempts[0].verdict == "retry"'
}

@test "of more than 4 KiB the last lines count" {
  run logged -n 2 -b 0 -- sh -c 'for i in $(seq 1000); do echo after=1h; done >"$BACKOFF_HINT"
    echo after=3us >>"$BACKOFF_HINT"; exit 7'
  assert_events 'pauses == [3*us]'
  run logged -n 2 -b 0 -- sh -c 'seq 100000 >"$BACKOFF_HINT"; echo verdict=stop >>"$BACKOFF_HINT"; exit 7'
  assert_events 'attempts[0].verdict == "stop"'
}

@test "the rest of a line that was cut is no line, wherever a long text is cut" {
  local length
  # The word stands so many bytes before the end, within a line.
  for length in 4083 4084 4094 4095 4096; do
    run logged -n 2 -b 0 -- sh -c '{ head -c 5000 /dev/zero | tr "\0" "\n"; echo "not-verdict=stop"
      head -c $(($1 - 13)) /dev/zero | tr "\0" "\n"; } >"$BACKOFF_HINT"; exit 7' - "$length"
    assert_events 'attempts[0].verdict == "retry"'
  done
}

@test "a backoff in a backoff has a file of its own" {
  run --separate-stderr -7 "$BACKOFF" -n 2 -b 0 --log-file="$said" -- sh -c 'echo "$BACKOFF_HINT"
    "$BACKOFF" -qq -n 1 -- sh -c "echo \$BACKOFF_HINT; echo verdict=stop >\$BACKOFF_HINT; exit 8"; exit 7'
  assert_equal "${#lines[@]}" 4
  [ "${lines[0]}" != "${lines[1]}" ]
  # The hint in the inner one stopped only the inner one.
  grep -q 'giving up after 2 attempts .*: exit 7$' "$said"
}

@test "hooks find the file as well" {
  run -7 "$BACKOFF" -q -n 2 -b 0 --before-retry='[ -e "$BACKOFF_HINT" ]' \
    --at-end='[ -e "$BACKOFF_HINT" ] && echo there' -- sh -c 'exit 7'
  assert_output --partial there
}

@test "a hint with a success, a pass or a last attempt has no effect" {
  run -0 "$BACKOFF" -- sh -c 'echo after=2h >"$BACKOFF_HINT"'
  assert_output ''
  run -7 "$BACKOFF" --pass-on=7 -- sh -c "$hint" - after=2h
  assert_output ''
  run -7 "$BACKOFF" -n 1 -- sh -c "$hint" - after=2h
  [[ $output == *': giving up after 1 attempt in '*': exit 7' ]]
}

@test "without memfd the file is in TMPDIR, and is removed" {
  need_strace
  mkdir "$BATS_TEST_TMPDIR/tmp"
  TMPDIR=$BATS_TEST_TMPDIR/tmp run --separate-stderr -7 strace -qq -o /dev/null -e trace=memfd_create \
    -e inject=memfd_create:error=ENOSYS "$BACKOFF" -n 2 -b 0 -- \
    sh -c 'echo "$BACKOFF_HINT"; stat -c %a "$BACKOFF_HINT"; cat "$BACKOFF_HINT"
      echo verdict=stop >"$BACKOFF_HINT"; exit 7'
  assert_equal "${#lines[@]}" 2
  [[ ${lines[0]} == "$BATS_TEST_TMPDIR"/tmp/* ]]
  assert_equal "${lines[1]}" 600
  [[ $stderr == *'the command asked to stop (BACKOFF_HINT)' ]]
  [ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
}

@test "that file is removed also if a signal ends backoff" {
  need_strace
  mkdir "$BATS_TEST_TMPDIR/tmp"
  TMPDIR=$BATS_TEST_TMPDIR/tmp start -- strace -f -qq -o /dev/null -e trace=memfd_create \
    -e inject=memfd_create:error=ENOSYS "$BACKOFF" -b 1h -j none -- sh -c 'echo "$PPID"; exit 7'
  await_pause
  [ -n "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
  signal TERM "$(<"$out")"
  wait "$runner" || true
  runner=
  [ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
}

# --- --retry-after ---

@test "--retry-after: seconds" {
  asked 8s sh -c "$prints" - 'Retry-After: 8\n'
  asked 2m sh -c "$prints" - 'Retry-After: 120\n'
  asked 8s sh -c "$prints" - 'Retry-After: 008\n'
}

@test "--retry-after is said to be what the server asked for" {
  start -- "$BACKOFF" -j none --retry-after -- sh -c 'echo "Retry-After: 8"; exit 22'
  await_pause
  signal TERM
  assert_fate 'killed TERM'
  grep -qE ': exit 22; next in [89](\.[0-9])?s \(server asked for 8s\)$' "$err"
}

@test "--retry-after: any case, with or without blanks" {
  asked 8s sh -c "$prints" - 'retry-after: 8\n'
  asked 8s sh -c "$prints" - 'RETRY-AFTER: 8\n'
  asked 8s sh -c "$prints" - 'rEtry-aFter:8\n'
  asked 8s sh -c "$prints" - 'Retry-After: \t 8 \t \n'
}

@test "--retry-after: after blanks, '< ' and '> '" {
  asked 8s sh -c "$prints" - '  \t Retry-After: 8\n'
  asked 8s sh -c "$prints" - '< Retry-After: 8\n'
  asked 8s sh -c "$prints" - '> retry-after: 8\n'
  asked 8s sh -c "$prints" - '  < Retry-After: 8\n'
  asked '' sh -c "$prints" - '<< Retry-After: 8\n'
  asked '' sh -c "$prints" - '* Retry-After: 8\n'
}

@test "--retry-after: with CRLF, and as the last line without a newline" {
  asked 8s sh -c "$prints" - 'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 8\r\n\r\nbody\n'
  asked 8s sh -c "$prints" - '< Retry-After: 8\r\n'
  asked 8s sh -c "$prints" - 'Retry-After: 8'
}

@test "--retry-after: lines that are no such header" {
  local line
  for line in 'Retry-After 8' 'Retry-After' 'Retry-After:' 'Retry-After : 8' 'X-Retry-After: 8' \
    'Retry-Afters: 8' 'not Retry-After: 8' 'Retry-After: -8' 'Retry-After: +8' 'Retry-After: 8s' \
    'Retry-After: 8.5' 'Retry-After: 8 9' 'Retry-After: soon' 'Retry-After: 0x8' \
    'Retry-After: Fri, 99 Nov 2999 08:49:37 GMT' 'Retry-After: Sun, 06 Nov 2994 08:49:37 GMT and more' \
    'Retry-After: Sun, 06 Nov 2994 08:49:37' 'Retry-After: 2994-11-06'; do
    asked '' sh -c "$prints" - "$line"'\n'
  done
  asked '' sh -c "$prints" - 'Retry-\nAfter: 8\n'
}

@test "--retry-after: in stdout, in stderr and in held output" {
  asked 8s sh -c 'echo "Retry-After: 8" >&2; exit 7'
  local option
  for option in -oall -ostdout --quiet-success; do
    "$BACKOFF" "$option" --retry-after --hint-max=1s --log-file="$said" -- \
      sh -c 'echo "Retry-After: 8"; exit 7' >/dev/null 2>&1 || true
    grep -q 'server asked to wait 8s, more than' "$said"
    rm "$said"
  done
}

@test "--retry-after: the last such line counts" {
  asked 9s sh -c "$prints" - 'Retry-After: 8\nRetry-After: 9\nRetry-After: never\n'
}

@test "--retry-after: without it no header is looked at" {
  run logged -n 2 -b 0 -- sh -c 'echo "Retry-After: 8"; exit 7'
  assert_events 'pauses == [0]'
  run logged -n 2 -b 0 --stop-if=never -- sh -c 'echo "Retry-After: 8"; exit 7'
  assert_events 'pauses == [0]'
}

@test "--retry-after: a header of one attempt is not that of the next" {
  run logged -n 3 -b 0 --hint-max=10s --retry-after -- \
    sh -c 'if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then echo "Retry-After: 0"; else echo; fi; exit 7'
  assert_events 'pauses == [0, 0]'
  run "$BACKOFF" -n 3 -b 0 --retry-after -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 1 ] || echo "Retry-After: 0" >&2; exit 7'
  [ "$(grep -c 'server asked' <<<"$output")" -eq 1 ]
}

@test "--retry-after: the output arrives unchanged" {
  run --separate-stderr -0 "$BACKOFF" --retry-after -- printf 'Retry-After: 8\r\nbody\0\n'
  assert_equal "$stderr" ''
  "$BACKOFF" --retry-after -- printf 'Retry-After: 8\r\nbody\0\n' |
    cmp - <(printf 'Retry-After: 8\r\nbody\0\n')
}

@test "--retry-after: the HTTP-date of today" {
  asked '1h5[0-9]m|2h' sh -c "$prints" - "Retry-After: $(in_two_hours '%a, %d %b %Y %H:%M:%S GMT')\r\n"
}

@test "--retry-after: the HTTP-date of RFC 850" {
  asked '1h5[0-9]m|2h' sh -c "$prints" - "Retry-After: $(in_two_hours '%A, %d-%b-%y %H:%M:%S GMT')\r\n"
}

@test "--retry-after: the HTTP-date of asctime" {
  asked '1h5[0-9]m|2h' sh -c "$prints" - "< retry-after: $(in_two_hours '%a %b %e %H:%M:%S %Y')\n"
}

@test "--retry-after: dates are GMT, whatever TZ and the locale are" {
  local tz
  for tz in Asia/Tokyo America/New_York UTC+9 XYZ-5; do
    TZ=$tz LC_ALL=C.UTF-8 asked '1h5[0-9]m|2h' sh -c "$prints" - \
      "Retry-After: $(in_two_hours '%a, %d %b %Y %H:%M:%S GMT')\n"
  done
}

@test "--retry-after: a date in the past is 0" {
  local date
  for date in 'Sun, 06 Nov 1994 08:49:37 GMT' 'Sunday, 06-Nov-94 08:49:37 GMT' 'Sun Nov  6 08:49:37 1994' \
    'Thu, 01 Jan 1970 00:00:00 GMT'; do
    run -7 "$BACKOFF" -n 2 -b 0 --retry-after -- sh -c 'echo "Retry-After: $1"; exit 7' - "$date"
    [[ ${lines[1]} == *'; next in 0s (server asked for 0s)' ]] || fail "$date: $output"
  done
}

@test "--retry-after: a time that no clock can hold is too long, and no overflow" {
  local number
  for number in 4294967295 4294967296 9223372036 9223372037 9223372036854775807 9223372036854775808 \
    18446744073709551616 99999999999999999999999999999; do
    asked '.+' sh -c "$prints" - "Retry-After: $number\n"
    run -7 "$BACKOFF" --retry-after -- sh -c 'echo "Retry-After: $1"; exit 7' - "$number"
    [[ $output == *': not retrying after attempt 1/8: server asked to wait '* ]]
  done
  asked '.+' sh -c "$prints" - 'Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\n'
}

# --- the limits of hints ---

@test "--hint-max is 1h by default" {
  run -7 "$BACKOFF" -- sh -c "$hint" - after=2h
  assert_equal "$output" 'backoff: sh: not retrying after attempt 1/8: server asked to wait 2h, more than --hint-max (1h)'
  start_logged -- sh -c "$hint" - after=1h
  in_pause
  kill -TERM "$pid"
  wait "$pid" || true
  assert_events '3600*s <= pauses[0] <= 3601*s'
}

@test "beyond --hint-max we give up, with the last attempt's status" {
  run logged --hint-max=10s -- sh -c "$hint" - after=10001ms
  assert_equal "$status" 7
  assert_events 'end.result == "stopped"' 'end.status == 7' 'len(attempts) == 1' \
    'attempts[0].verdict == "retry"'
  run logged --hint-max=10s -- sh -c 'echo after=11s >"$BACKOFF_HINT"; echo verdict=retry >>"$BACKOFF_HINT"'
  assert_equal "$status" 1
}

@test "--hint-max=inf is no limit" {
  start_logged --hint-max=inf -- sh -c "$hint" - after=1000h
  in_pause
  kill -TERM "$pid"
  wait "$pid" || true
  assert_events 'pauses[0] >= 1000 * 3600*s'
}

@test "past the deadline we give up, and say that it was the hint" {
  run logged -T 1m -- sh -c "$hint" - after=2m
  assert_equal "$status" 7
  assert_events 'end.result == "deadline"' 'len(attempts) == 1'
  run -7 "$BACKOFF" -T 1m -- sh -c "$hint" - after=2m
  [[ $output =~ ^'backoff: sh: no time for another attempt after 1 in '[^:]*': server asked to wait 2m, more than is left'$ ]]
}

@test "past --until we give up, and say that it was the hint" {
  run -7 "$BACKOFF" --until="@$(($(date +%s) + 60))" -- sh -c "$hint" - after=2m
  [[ $output =~ ^'backoff: sh: no time for another attempt after 1 in '[^:]*': server asked to wait 2m, more than is left'$ ]]
}

@test "the output of an attempt whose server asks for too long is not lost" {
  run --separate-stderr -7 "$BACKOFF" -o -- sh -c "echo words; $hint" - after=2h
  assert_output ''
  assert_equal "${stderr_lines[0]}" words
}

@test "--retry-after: a throttle without a stated wait says once what is missing" {
  run -9 "$BACKOFF" --retry-after --throttle-on=9 -n 3 -b 0 -- sh -c 'exit 9'
  assert_equal "$(grep -c 'no stated wait' <<<"$output")" 1
  assert_line --index 1 'backoff: sh: --retry-after: no stated wait in the output; the command has to print it'
}

@test "--retry-after: what curl needs to print the headers is told, behind env, too" {
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\nexit 22\n' >"$BATS_TEST_TMPDIR/bin/curl"
  chmod +x "$BATS_TEST_TMPDIR/bin/curl"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH run -22 "$BACKOFF" --retry-after --throttle-on=22 \
    -n 2 -b 0 -- env curl http://localhost/
  assert_line --index 1 "backoff: curl: --retry-after: no stated wait in the output; \
to print the headers the command needs -w '%{stderr}Retry-After: %header{retry-after}\\n' or -D /dev/stderr"
  run -0 "$BACKOFF" --tool=curl --plan
  assert_output --partial "-w '%{stderr}Retry-After: %header{retry-after}\\n' or -D /dev/stderr"
}

@test "--retry-after: a 503 that --tool knows says what is missing, and a 500 does not" {
  local code
  for code in 503 429; do
    run -22 "$BACKOFF" --tool=curl --retry-after -n 3 -b 0 -- \
      sh -c 'echo "curl: (22) The requested URL returned error: $1" >&2; exit 22' sh "$code"
    assert_equal "$(grep -c 'no stated wait in the output' <<<"$output")" 1
  done
  run -8 "$BACKOFF" --tool=wget --retry-after -n 2 -b 0 -- \
    sh -c 'echo "2026-11-23 07:00:00 ERROR 503: Service Unavailable." >&2; exit 8'
  assert_equal "$(grep -c 'no stated wait in the output' <<<"$output")" 1
  run -22 "$BACKOFF" --tool=curl --retry-after -n 2 -b 0 -- \
    sh -c 'echo "curl: (22) The requested URL returned error: 500" >&2; exit 22'
  refute_output --partial 'no stated wait'
}

@test "--retry-after: a header that cannot be read is told once, with its text" {
  local said='backoff: sh: --retry-after: no time can be read in "Retry-After: 1.5"'
  run -9 "$BACKOFF" --retry-after -n 3 -b 0 -- sh -c 'echo "< Retry-After:  1.5"; exit 9'
  assert_equal "$(grep -c 'no time can be read' <<<"$output")" 1
  run -9 "$BACKOFF" --retry-after --throttle-on=9 -n 3 -b 0 -- sh -c 'echo "< Retry-After: 1.5"; exit 9'
  assert_equal "$(grep -cxF "$said" <<<"$output")" 1
  refute_output --partial 'no stated wait'
}

@test "--retry-after: beside a header that can be read, one that cannot is not told" {
  run -9 "$BACKOFF" -v --retry-after --throttle-on=9 -n 2 -b 0 -- \
    sh -c 'echo "Retry-After: 0"; echo "Retry-After: soon"; exit 9'
  refute_output --partial 'no time can be read'
}

@test "--retry-after: an empty line, as curl -w prints it, reports nothing missing" {
  run -9 "$BACKOFF" -v --retry-after --throttle-on=9 -n 2 -b 0 -- \
    sh -c 'printf "Retry-After: \r\n"; exit 9'
  refute_output --partial -- --retry-after:
}

@test "--retry-after: a throttle with the line reports nothing missing" {
  run -9 "$BACKOFF" --retry-after --throttle-on=9 -n 2 -b 0 -- \
    sh -c 'echo "Retry-After: 0"; exit 9'
  refute_output --partial 'no stated wait'
  run -9 "$BACKOFF" --retry-after --throttle-on=9 -n 2 -b 0 -- \
    sh -c 'echo after=0 >"$BACKOFF_HINT"; exit 9'
  refute_output --partial 'no stated wait'
  run -9 "$BACKOFF" --retry-after -n 2 -b 0 -- sh -c 'exit 9'
  refute_output --partial 'no stated wait'
}

# --- BACKOFF_HINT as a file with a name ---

# where_it_has_a_name COMMAND...: as where there are no files in memory.
where_it_has_a_name() {
  if has_answer file_in_memory; then
    need_strace
    strace -qq -o trace -e trace=memfd_create -e inject=memfd_create:error=ENOSYS "$@"
  else
    "$@"
  fi
}

@test "a hint is had from another working directory, though TMPDIR is a relative path" {
  cd "$BATS_TEST_TMPDIR"
  mkdir here
  TMPDIR=here where_it_has_a_name "$BACKOFF" -n 2 -b 0 --log-file=said -- \
    sh -c 'cd /; echo verdict=stop >>"$BACKOFF_HINT"; exit 7' || true
  grep -q 'asked to stop (BACKOFF_HINT)' said || fail "$(cat said)"
  assert_equal "$(ls here)" ''
}

@test "a hint file that cannot be made is told once, after a failure" {
  cd "$BATS_TEST_TMPDIR"
  TMPDIR=/not/there where_it_has_a_name "$BACKOFF" -n 3 -b 0 --log-file=said -- sh -c 'exit 7' || true
  assert_equal "$(grep -c 'cannot make BACKOFF_HINT in TMPDIR /not/there: No such file or directory$' said)" 1
  rm said
  TMPDIR=/not/there where_it_has_a_name "$BACKOFF" --log-file=said -- true
  [ ! -s said ] || fail "$(cat said)"
}
