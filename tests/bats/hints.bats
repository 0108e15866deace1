#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hints: BACKOFF_HINT, the stated waits of --retry-after, and their limits. Which words
# state a wait is in unit/waits.

load helper
load ../lib/events
load ../lib/process

unset TZ

# A COMMAND that hints its arguments, a line each, and fails; one that prints its
# argument does likewise.
hint='printf "%s\n" "$@" >"$BACKOFF_HINT"; exit 7'
prints='printf "%s\n" "$1"; exit 7'

# first_of OPTION... -- COMMAND...: the verdict and the hint_s of its first attempt.
first_of() {
  # Any wait above 0 is too long, so that nothing waits.
  "$BACKOFF" -n 2 -b 0 --hint-max=0 --log-format=json --log-file="$said" "$@" >/dev/null 2>&1 || true
  sed -n '/"attempt":1,/s/.*"verdict":"\([a-z]*\)".*"hint_s":\([^,]*\),.*/\1 \2/p' "$said"
  rm "$said"
}

# hint_of OPTION... -- COMMAND...: the hint_s alone.
hint_of() {
  first_of "$@" | cut -d' ' -f2
}

# hinted WANTED SCRIPT [ARG]: the verdict and the hint_s of an attempt that runs
# SCRIPT, and fails.
hinted() {
  assert_equal "${*:2} $(first_of -- sh -c "$2; exit 7" - "${3-}")" "${*:2} $1"
}

# states WAIT TEXT...: each TEXT is a wait of so many seconds; null: of none.
states() {
  local wanted=$1 text
  shift
  for text; do
    assert_equal "$text: $(hint_of --retry-after -- sh -c "$prints" - "$text")" "$text: $wanted"
  done
}

# near WAIT HINT: HINT is at most WAIT seconds, and hardly less: it is some
# time since the text was written.
near() {
  ((${2%.*} <= $1 && ${2%.*} > $1 - 120)) || fail "$2 s, and not $1 s"
}

# in_zone ZONE FORMAT SECONDS: that long from now, by date(1).
in_zone() {
  TZ=$1 LC_ALL=C date -d "@$(($(date +%s) + $3))" "+$2"
}

need_zones() {
  [ -e /usr/share/zoneinfo/Europe/Amsterdam ] || skip "the system has no time zones"
}

@test "in a PID namespace of its own, COMMAND writes hints to a descriptor that was opened before" {
  need_namespace --pid --fork --mount-proc
  run -3 "$BACKOFF" -b 0 -- sh -c 'exec "$@" 9>>"$BACKOFF_HINT"' sh "${namespace[@]}" \
    sh -c 'echo verdict=stop >&9; exit 3'
  assert_output --partial 'after attempt 1/8: the command asked to stop (BACKOFF_HINT)'
}

@test "after= is how long to wait, and the log says so" {
  start -- "$BACKOFF" -j none -- sh -c "$hint" - after=8s
  await_pause
  dies_by TERM
  local next='next in [89](\.[0-9])?s \(server asked for 8s\)'
  grep -qE "^backoff: sh: attempt 1/8 failed after [^:]*: exit 7; $next\$" "$err"
}

@test "verdict= decides the verdict on a timeout and a signal, too" {
  need_proc
  run -0 "${HOLD_TERM[@]}" "$BACKOFF" -t 100ms -- bash -c "echo verdict=success >\"\$BACKOFF_HINT\"; $until_term"
  run -0 "$BACKOFF" -- sh -c 'echo verdict=success >"$BACKOFF_HINT"; kill -KILL $$'
}

# Of one line after the other, none has a say.
unreadable='after=\nafter=-1\nafter=soon\nafter=1s 2s\nafter =1\nAFTER=1h\n after=1h\nverdict=\nverdict=maybe
verdict=stops\n verdict=stop\nstop\nverdict=stop,retry\nnonsense'

@test "later lines win, and lines that cannot be read are ignored" {
  while IFS='|' read -r wanted text; do
    hinted "$wanted" 'printf "$1" >"$BACKOFF_HINT"' "$text"
  done <<'TABLE'
retry 0.001234567|after=1234567ns
stop null|verdict=retry\nverdict=success\nverdict=Stop \t\r\n
throttle 0.000003000|AFTER=1h\nafter=3us\r\nverdict=THROTTLE
success 0.000000000|verdict=stop\nafter=0\nverdict=success\n
retry 0.000003000|nonsense\0\nafter=3us\nverdict=throttle\0\nverdict=retry
retry null|\0verdict=stop\nverdict=success\0
TABLE
  hinted 'retry null' 'printf "$1" >"$BACKOFF_HINT"' "$unreadable"
  hinted 'throttle 0.000003000' 'printf "verdict=throttle\nafter=3us\n$1" >"$BACKOFF_HINT"' "$unreadable"
}

@test "only -v reports lines that cannot be read, but a verdict or a time is told, once, with its text" {
  while IFS='|' read -r count options text; do
    # shellcheck disable=SC2086 # two options
    run --separate-stderr -7 "$BACKOFF" $options -- sh -c 'printf "$1" >"$BACKOFF_HINT"; exit 7' - "$text"
    assert_equal "$text: $(grep -c "line of BACKOFF_HINT" <<<"$stderr")" "$text: $count"
  done <<'TABLE'
1|-v -n 1|nonsense
0|-n 1|nonsense
0|-v -n 1|after=1s\n\nverdict=retry
TABLE
  while IFS='|' read -r kind text; do
    run --separate-stderr -7 "$BACKOFF" -n 3 -b 0 -- sh -c 'echo "$1" >"$BACKOFF_HINT"; exit 7' - "$text"
    assert_equal "$(grep -cF "BACKOFF_HINT: no $kind can be read in \"$text\"" <<<"$stderr")" 1
  done <<'TABLE'
verdict|verdict=never
time|after=soon
TABLE
  run -0 "$BACKOFF" -- sh -c 'echo verdict=never >"$BACKOFF_HINT"'
  assert_output ''
}

@test "the file is emptied before each attempt: neither an older hint counts, nor what a hook writes" {
  run logged -n 3 -b 0 --before-retry='echo verdict=stop >"$BACKOFF_HINT"' -- \
    sh -c 'cat "$BACKOFF_HINT"; [ "$BACKOFF_ATTEMPT" -ne 1 ] || echo after=5us >"$BACKOFF_HINT"; exit 7'
  assert_output ''
  assert_events 'pauses == [5*us, 0]' 'all(a.verdict == "retry" for a in attempts)'
}

@test "the command may write, append and keep the file open" {
  hinted 'retry 0.000001000' 'echo verdict=success >"$BACKOFF_HINT"; echo after=1us >>"$BACKOFF_HINT"
    echo verdict=retry >>"$BACKOFF_HINT"'
  hinted 'stop null' 'exec 9>"$BACKOFF_HINT"; echo verdict=success >&9; echo verdict=stop >"$BACKOFF_HINT"'
}

@test "only the last 1 MiB of the file counts, and not a line that is cut there" {
  hinted 'retry 0.000003000' 'truncate -s 1T "$BACKOFF_HINT" || exit 0; printf "\nafter=3us\n" >>"$BACKOFF_HINT"'
  hinted 'retry 0.000003000' '{ echo after=3us; yes verdict=retry | head -n 20000; } >"$BACKOFF_HINT"'
  # The last MiB begins behind the first byte of the verdict, at it, and before it.
  for length in 1048576 1048575 1048574; do
    hinted 'retry null' '{ echo not-verdict=stop
      head -c $(($1 - 12)) /dev/zero | tr "\0" "\n"; } >"$BACKOFF_HINT"' "$length"
  done
  # What was skipped is no line that could not be read.
  run -7 "$BACKOFF" -v -n 1 -- sh -c 'yes after=0 | head -c 2097152 >"$BACKOFF_HINT"; exit 7'
  refute_output --partial 'is neither'
  # A line that is not cut counts.
  hinted 'stop null' '{ echo nonsense; echo verdict=stop
    head -c $((1048576 - 13)) /dev/zero | tr "\0" "\n"; } >"$BACKOFF_HINT"'
}

@test "a line counts where it begins in one 4 KiB and ends in the next, but not if it is too long" {
  hinted 'stop null' '{ head -c 4090 /dev/zero | tr "\0" "\n"; echo verdict=stop; } >"$BACKOFF_HINT"'
  # Not even if what is kept of it looks like a line.
  hinted 'retry null' '{ printf verdict=stop; head -c 9000 /dev/zero | tr "\0" " "; printf verdict=stop; } >"$BACKOFF_HINT"'
}

@test "a backoff in a backoff has a file of its own" {
  run --separate-stderr -7 "$BACKOFF" -n 2 -b 0 --log-file="$said" -- sh -c 'echo "$BACKOFF_HINT"
    "$BACKOFF" -qq -n 1 -- sh -c "echo \$BACKOFF_HINT; echo verdict=stop >\$BACKOFF_HINT; exit 8"; exit 7'
  assert_equal "${#lines[@]}" 4
  [ "${lines[0]}" != "${lines[1]}" ]
  ! has_answer file_in_memory || assert_regex "${lines[0]}" '^/proc/[0-9]+/fd/[0-9]+$'
  # The hint in the inner one stopped only the inner one.
  grep -q 'giving up after 2 attempts .*: exit 7$' "$said"
}

@test "hooks find the file as well" {
  run -7 "$BACKOFF" -q -n 2 -b 0 --before-retry='[ -e "$BACKOFF_HINT" ]' \
    --at-end='[ -e "$BACKOFF_HINT" ] && echo there' -- sh -c 'exit 7'
  assert_output --partial there
}

@test "a hint with a success, a pass or a last attempt has no effect" {
  for options in -n2 --pass-on=7 -n1; do
    run "$BACKOFF" -q "$options" -- sh -c 'echo after=2h >"$BACKOFF_HINT"; [ "$1" = -n2 ] || exit 7' - "$options"
    refute_output --partial asked
  done
}

@test "--retry-after: in stdout, in stderr and in held output, for its own attempt" {
  states 8.000000000 $'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 8\r\n\r\nbody'
  states null $'Retry-\nAfter: 8'
  assert_equal "$(hint_of --retry-after -- sh -c 'printf "< retry-after:  008" >&2; exit 7')" 8.000000000
  for hold in -oall -ostdout --quiet-success; do
    assert_equal "$hold $(hint_of --retry-after "$hold" -- sh -c "$prints" - 'Retry-After: 8')" "$hold 8.000000000"
  done
  run "$BACKOFF" -n 3 -b 0 --retry-after -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 1 ] || echo "Retry-After: 0" >&2; exit 7'
  assert_equal "$(grep -c 'server asked' <<<"$output")" 1
}

@test "--retry-after: a date is GMT, whatever TZ and the locale are" {
  local asks
  asks="Retry-After: $(in_zone UTC '%a, %d %b %Y %H:%M:%S GMT' 7200)"
  near 7200 "$(TZ=Asia/Tokyo LC_ALL=C.UTF-8 hint_of --retry-after -- sh -c "$prints" - "$asks")"
  near 7200 "$(TZ=XYZ-5 hint_of --retry-after -- sh -c "$prints" - "$asks")"
}

@test "--hint-max is 1h by default" {
  run -7 "$BACKOFF" -- sh -c "$hint" - after=2h
  assert_output 'backoff: sh: not retrying after attempt 1/8: server asked to wait 2h, more than --hint-max (1h)'
}

# told COUNT LINE COMMAND...: what a run with --retry-after says COUNT times.
told() {
  run "$BACKOFF" --retry-after -n 3 -b 0 "${@:3}"
  assert_equal "$(grep -cF -- "--retry-after: $2" <<<"$output")" "$1"
}

@test "--retry-after: a throttle without a stated wait says once what is missing" {
  told 1 'no stated wait in the output; the command has to print it' --throttle-on=9 -- sh -c 'exit 9'
  told 0 '' -- sh -c 'exit 9'
}

@test "--retry-after: a failed curl or wget that prints no headers is told how to, behind env, too" {
  mkdir bin
  PATH=$PWD/bin:$PATH
  for name in curl wget; do
    printf '#!/bin/sh\neval "$SAYS"\nexit 22\n' >"bin/$name"
    chmod +x "bin/$name"
  done
  while IFS='|' read -r count words; do
    # shellcheck disable=SC2086 # words
    told "$count" 'curl prints no headers: add -D /dev/stderr' -- $words
  done <<'TABLE'
1|curl http://localhost/
1|env A=1 curl --fail --silent --show-error http://localhost/
0|curl -fsSD /dev/stderr http://localhost/
0|curl --dump-header=/dev/stderr http://localhost/
0|curl -fsSI http://localhost/
0|curl -K config
0|sh -c 'exit 22'
TABLE
  SAYS='echo "< HTTP/1.1 500 Error"' told 0 '' --throttle-on=22 -- env curl http://localhost/
  told 1 'wget prints no headers: add -S' -- wget http://localhost/
  told 0 '' -- wget -qS http://localhost/
  run -0 "$BACKOFF" --tool=wget --plan
  assert_output --partial 'For --retry-after: wget prints no headers: add -S'
}

@test "--retry-after: a 503 or 429 that --tool knows says what is missing, and a 500 does not" {
  while IFS='|' read -r count tool status message; do
    told "$count" 'no stated wait in the output' --tool="$tool" -- sh -c 'echo "$1" >&2; exit "$2"' sh "$message" "$status"
  done <<'TABLE'
1|curl|22|curl: (22) The requested URL returned error: 503
1|curl|22|curl: (22) The requested URL returned error: 429
0|curl|22|curl: (22) The requested URL returned error: 500
1|wget|8|2026-11-23 07:00:00 ERROR 503: Service Unavailable.
TABLE
}

@test "--retry-after: a header that cannot be read is told once, with its text" {
  told 1 'no time can be read in "Retry-After: soon"' -- sh -c 'echo "Retry-After: soon"; exit 9'
  told 1 'no time can be read in "Retry-After: -1"' --throttle-on=9 -- sh -c 'echo "< Retry-After: -1"; exit 9'
  refute_output --partial 'no stated wait'
}

@test "--retry-after: a wait that is stated, and an empty line, as curl -w prints it, report nothing missing" {
  for script in 'echo "Retry-After: 0"; echo "Retry-After: soon"' 'printf "Retry-After: \r\n"' \
    'echo after=0 >"$BACKOFF_HINT"'; do
    told 0 '' -v --throttle-on=9 -- sh -c "$script; exit 9"
  done
}

# where_it_has_a_name COMMAND...: as where there are no files in memory.
where_it_has_a_name() {
  if has_answer file_in_memory; then
    need_strace
    strace -qq -o trace -e trace=memfd_create -e inject=memfd_create:error=ENOSYS "$@"
  else
    "$@"
  fi
}

@test "a hint file with a name is its user's, is open in backoff alone, is had from another working directory, and is removed" {
  mkdir here
  TMPDIR=here where_it_has_a_name "$BACKOFF" -n 2 -b 0 --log-file=said -- \
    sh -c 'cd /; stat -c "%n %a" "$BACKOFF_HINT" >&9; ls -l /proc/$$/fd | grep backoff-hint- >&9
      echo verdict=stop >>"$BACKOFF_HINT"; exit 7' 9>seen 3>&9 4>&9 5>&9 6>&9 7>&9 8>&9 || true
  grep -q 'asked to stop (BACKOFF_HINT)' said || fail "$(cat said)"
  assert_regex "$(<seen)" "^$PWD/here/[^ ]* 600$"
  assert_equal "$(ls here)" ''
}

@test "a hint file that cannot be made is told once, after a failure" {
  TMPDIR=/not/there where_it_has_a_name "$BACKOFF" -n 3 -b 0 --log-file=said -- sh -c 'exit 7' || true
  assert_equal "$(grep -c 'cannot make BACKOFF_HINT in TMPDIR /not/there: No such file or directory$' said)" 1
  rm said
  TMPDIR=/not/there where_it_has_a_name "$BACKOFF" --log-file=said -- true
  [ ! -s said ] || fail "$(cat said)"
}

@test "stated waits: headers, keys and sentences are read, in the output of a failure" {
  states 7.000000000 'Retry-After: 7' '{"retry_after": 7}' 'Please retry in 7s.'
  states null 'retry 3 of 5' 'resets 3pm (Mars/Phobos)'
  # As a success counts what is repeated, and what a condition says.
  run logged --retry-after --hint-max=10s -n 3 --consecutive=2 -b 0 -- echo 'retry in 1h'
  assert_equal "$status" 0
  assert_events 'attempts[0].hint_s is None' 'pauses == [0]'
  run logged --retry-after --success-if=done -- sh -c 'echo "done; retry in 5s"; exit 7'
  assert_events 'attempts[0].hint_s is None'
}

@test "stated waits: what after= says decides, then what a REGEX points at, then all other sources" {
  local both=$'come back 2s\nRetry-After: 3' regex=--retry-after='come back'
  assert_equal "$(hint_of "$regex" -- sh -c 'echo after=1s >"$BACKOFF_HINT"; printf "%s\n" "$1"; exit 7' - "$both")" 1.000000000
  assert_equal "$(hint_of "$regex" -- sh -c "$prints" - "$both")" 2.000000000
  assert_equal "$(hint_of "$regex" --retry-after='a=(\d+)' -- sh -c "$prints" - 'a=35ms b')" 35.000000000
  assert_equal "$(hint_of "$regex" -- sh -c "$prints" - 'Retry-After: 3')" 3.000000000
}

@test "stated waits: without --retry-after nothing is read but what curl and wget print as headers" {
  local tool text=$'retry in 5s\n{"retry_after":5}'
  assert_equal "$(hint_of --stop-if=never -- sh -c "$prints" - "$text"$'\nRetry-After: 5')" null
  assert_equal "$(hint_of --tool=git -- sh -c "$prints" - 'Retry-After: 5')" null
  assert_equal "$(hint_of --tool=curl -- sh -c "$prints" - "$text")" null
  for tool in curl wget; do
    assert_equal "$(hint_of --tool=$tool -- sh -c "$prints" - 'Retry-After: 5')" 5.000000000
    assert_equal "$(hint_of --tool=$tool -- sh -c 'echo "< Retry-After: 5" >&2; exit 7')" 5.000000000
  done
}

@test "after= takes a WHEN, in local time without a zone, and inf" {
  assert_equal "$(hint_of -- sh -c "$hint" - 'after=1 hour and 30 minutes')" 5400.000000000
  assert_equal "$(hint_of -- sh -c "$hint" - 'after=3pm (Mars/Phobos)')" null
  assert_equal "$(hint_of -- sh -c "$hint" - 'after=inf')" 9223372036.854775807
  near 7200 "$(hint_of -- sh -c "$hint" - "after=$(in_zone UTC '%d %b, %H:%M:%S GMT' 7200)")"
  need_zones
  near 7200 "$(TZ=Asia/Kolkata hint_of -- sh -c "$hint" - "after=$(in_zone Asia/Kolkata '%Y-%m-%d %H:%M:%S' 7200)")"
  # The minute that has begun counts whole.
  near 7200 "$(hint_of -- sh -c "$hint" - "after=$(in_zone Asia/Kolkata %-I:%M%P 7200) (Asia/Kolkata)")"
}

@test "stated waits: a moment is told by a local clock" {
  need_zones
  at=$(in_zone UTC %s 1800)
  TZ=Asia/Kolkata start -- "$BACKOFF" -j none --retry-after -- sh -c "echo 'retry at @$at' >&2; exit 7"
  await_pause
  dies_by TERM
  clock=$(TZ=Asia/Kolkata date -d "@$at" +%H:%M:%S)
  grep -qE "; next in (29|30)m[0-9s]*, at [0-9: -]+ \(server asked for (29|30)m[0-9s]*, until (20[0-9-]* )?$clock\)\$" "$err" || fail "$(cat "$err")"
}

@test "stated waits: a moment of another day is told with its date" {
  TZ=UTC run -7 "$BACKOFF" --retry-after -- sh -c 'echo "retry at 2126-12-24T20:00:00Z"; exit 7'
  assert_output --regexp 'not retrying after attempt 1/8: server asked to wait [0-9]+d[0-9]*h?, until 2126-12-24 20:00:00, more than --hint-max \(1h\)$'
}

@test "stated waits: a REGEX without a time is told once, with at most 60 bytes, a sentence or a key is not" {
  run -7 "$BACKOFF" -v --retry-after=quota -n 3 -b 0 -- sh -c 'echo "resets soon"; echo "{\"retry_after\": null}"
    echo "quota used up, come back when you have paid what you owe us since last year"; exit 7'
  assert_equal "$(grep -c 'no time can be read in' <<<"$output")" 1
  assert_line 'backoff: sh: --retry-after: no time can be read in "used up, come back when you have paid what you owe us since "'
}

@test "stated waits: COMMAND and hooks have the TZ that we had" {
  need_zones
  local zone=America/New_York
  TZ=$zone run -7 "$BACKOFF" -n 2 -b 0 --retry-after --hint-max=inf --before-retry='echo "hook $TZ"' -- \
    sh -c 'echo "TZ $TZ"; echo "resets $1 (Asia/Tokyo)"; exit 7' - "$(in_zone Asia/Tokyo %H:%M:%S 0)"
  assert_equal "$(grep -c "^TZ $zone\$" <<<"$output")" 2
  assert_line "hook $zone"
}

@test "stated waits: --plan says what one changes, and where it ends the run" {
  local note='If the output of a failed attempt states a longer wait, the pause lasts that long'
  run -0 "$BACKOFF" --plan --retry-after --hint-max=2h
  assert_regex "${output//$'\n'/ }" "$note; a wait of more than 2h ends the run\\.\$"
  run -0 "$BACKOFF" --plan --tool --hint-max=inf wget x
  assert_regex "${output//$'\n'/ }" "$note\\.\$"
  run -0 "$BACKOFF" --plan --tool git x
  refute_output --partial 'states'
}
