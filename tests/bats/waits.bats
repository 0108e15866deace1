#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Stated waits: what --retry-after and after= read, and what is said of it.
#
# shellcheck disable=SC2154 # the helpers set these

load helper
load ../lib/events
load ../lib/process

setup() {
  said=$BATS_TEST_TMPDIR/said
  export BATS_TEST_TMPDIR
  unset TZ
  cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
  end_all
}

# prints TEXT: a COMMAND that prints TEXT, and fails.
prints='printf "%s\n" "$1"; exit 7'

# hint_of OPTION... -- COMMAND...: the hint_s of its first attempt.
hint_of() {
  "$BACKOFF" -n 2 -b 0 --hint-max=0 --log-format=json --log-file="$said" "$@" >/dev/null 2>&1 || true
  sed -n '/"attempt":1,/s/.*"hint_s":\([^,]*\),.*/\1/p' "$said"
  rm "$said"
}

# reads WAIT TEXT...: each TEXT is a wait of so many seconds; null: of none.
reads() {
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

# --- real ones ---

@test "stated waits: durations of real services are read" {
  reads 107650.000000000 'Retry-After: 107650'
  reads 2282.000000000 'Too Many Requests: retry after 2282' '"parameters": {"retry_after": 2282}'
  reads 3.000000000 'exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 3 seconds. Please go here: https://aka.ms'
  reads 2733.000000000 "Sorry, you've exceeded your 5 hour session limits. Please retry after 2733 seconds."
  reads 1.500000000 'x-amz-retry-after: 1500'
  reads 1.337000000 'X-RateLimit-Reset-After: 1.337'
  reads 72.500000000 '429 Too Many Requests: You have been rate limited. Try again in 1m12.5s'
  reads 34.074824224 'Please retry in 34.074824224s.'
}

@test "stated waits: dates of real services are read" {
  local text
  for text in "already issued for \"x.com\". Retry after  $(in_zone UTC %Y-%m-%dT%H:%M:%SZ 7200): see https://..." \
    "too many new crates in a short period of time. Please try again after $(in_zone UTC '%a, %d %b %Y %H:%M:%S GMT' 7200) or email help@crates.io" \
    "{\"resetsAt\": $(in_zone UTC %s 7200)}"; do
    near 7200 "$(hint_of --retry-after -- sh -c "$prints" - "$text")"
  done
}

@test "stated waits: times of day of real services are read, in their zones" {
  need_zones
  local zone
  for zone in Europe/Amsterdam America/New_York Asia/Kolkata UTC; do
    # The minute that has begun counts whole.
    near 7200 "$(hint_of --retry-after -- sh -c "$prints" - \
      "You've hit your session limit · resets $(in_zone "$zone" %-I:%M%P 7200) ($zone)")"
  done
}

@test "stated waits: a reset counts only where nothing remains" {
  local script='printf "%s\n" "$@"; exit 7' at
  at=$(in_zone UTC %s 7200)
  assert_equal "$(hint_of --retry-after -- sh -c "$script" - 'X-RateLimit-Remaining: 4999' "X-RateLimit-Reset: $at")" null
  near 7200 "$(hint_of --retry-after -- sh -c "$script" - 'X-RateLimit-Remaining: 0' "X-RateLimit-Reset: $at")"
  assert_equal "$(hint_of --retry-after -- sh -c "$script" - 'X-Ratelimit-Reset: 46' 'X-Ratelimit-Remaining: 0')" 46.000000000
}

@test "stated waits: what only looks like one is not read" {
  reads null 'I will try again in the morning' 'waiting for 3 other jobs' 'Retry after fixing the errors' 'retry 3 of 5' \
    'retry after 3 attempts' 'connection resets 3 times' 'resets 25:99 (UTC)' 'resets Monday' \
    'resets 11:00pm MSK' 'resets 3pm PT'
}

@test "stated waits: nothing is read in the output of an attempt that succeeded" {
  run logged --retry-after --hint-max=10s -n 3 --consecutive=2 -b 0 -- echo 'retry in 1h'
  assert_equal "$status" 0
  assert_events 'attempts[0].hint_s is None' 'pauses == [0]'
}

@test "stated waits: a verdict of success by a condition makes the output one of success" {
  run logged --retry-after --success-if=done -- sh -c 'echo "done; retry in soon"; exit 7'
  assert_events 'attempts[0].hint_s is None'
}

# --- where ---

@test "stated waits: the first source that can be read decides" {
  local lines=() all
  lines=('try again in 5s' '{"retry_after": 4}' 'Retry-After: 3' 'come back 2s')
  all=$(printf '%s\n' "${lines[@]}")
  assert_equal "$(hint_of --retry-after='come back' -- sh -c "$prints" - "$all")" 2.000000000
  assert_equal "$(hint_of --retry-after -- sh -c "$prints" - "$all")" 3.000000000
  assert_equal "$(hint_of --retry-after='come back' -- sh -c 'echo after=1s >"$BACKOFF_HINT"; printf "%s\n" "$1"; exit 7' - "$all")" 1.000000000
  reads 4.000000000 "$(printf '%s\n' "${lines[@]:0:2}")"
  reads 3.000000000 "$(printf '%s\n' "${lines[@]}" 'Retry-After: soon')"
}

@test "stated waits: in a source the later line wins" {
  reads 6.000000000 $'try again in 5s\ntry again in 6s\ntry again in the morning'
  reads 7.000000000 $'Retry-After: 5\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 7'
}

@test "stated waits: --retry-after=REGEX reads what follows the match, or the first group" {
  assert_equal "$(hint_of --retry-after='pause of' -- sh -c "$prints" - 'needs a pause of 5 minutes, please')" 300.000000000
  assert_equal "$(hint_of --retry-after='quota: (.*) left' -- sh -c "$prints" - 'quota: 35 left')" 35.000000000
  assert_equal "$(hint_of --retry-after='a=(\d+)' --retry-after='b=' -- sh -c "$prints" - 'b=35ms c')" 0.035000000
}

@test "stated waits: with a REGEX all other sources count too" {
  assert_equal "$(hint_of --retry-after='pause of' -- sh -c "$prints" - 'try again in 5s')" 5.000000000
}

@test "stated waits: REGEX is checked like any other" {
  local regex
  for regex in '' '(' 'a\1' '\y'; do
    run -125 "$BACKOFF" --retry-after="$regex" true
    assert_output --partial 'backoff: --retry-after: '
    assert_equal "${#lines[@]}" 1
  done
}

@test "stated waits: a REGEX that is no word of its own takes no command for its argument" {
  run -0 "$BACKOFF" --retry-after env -- true
}

@test "stated waits: without --retry-after no sentence is one, with --tool neither" {
  assert_equal "$(hint_of --stop-if=never -- sh -c "$prints" - 'retry in 5s')" null
  assert_equal "$(hint_of --tool=curl -- sh -c "$prints" - $'retry in 5s\n{"retry_after":5}')" null
}

@test "stated waits: --tool alone looks at the headers of curl and wget, and of nobody else" {
  local tool
  for tool in curl wget; do
    assert_equal "$(hint_of --tool=$tool -- sh -c "$prints" - 'Retry-After: 5')" 5.000000000
    assert_equal "$(hint_of --tool=$tool -- sh -c 'echo "< Retry-After: 5" >&2; exit 7')" 5.000000000
  done
  assert_equal "$(hint_of --tool=git -- sh -c "$prints" - 'Retry-After: 5')" null
}

@test "stated waits: --tool=curl --watch=stderr leaves standard output alone" {
  run -7 "$BACKOFF" --tool=curl --watch=stderr -n 1 -- sh -c '[ -f /dev/stdout ] && echo file >&2; exit 7' >out
  run -7 sh -c '"$BACKOFF" --tool=curl --watch=stderr -n 1 -- sh -c "[ -f /dev/stdout ] && echo file >&2; exit 7" >out'
  assert_output --partial file
}

# --- after= ---

@test "after= takes every form of WHEN" {
  local script='printf "%s\n" "$1" >"$BACKOFF_HINT"; exit 7' text wanted
  while IFS='|' read -r text wanted; do
    assert_equal "$text $(hint_of -- sh -c "$script" - "after=$text")" "$text $wanted"
  done <<'FORMS'
12s|12.000000000
1h 3m 20s|3800.000000000
6m0s|360.000000000
34.074824224s|34.074824224
90 seconds|90.000000000
2.5 min|150.000000000
1 hour and 30 minutes|5400.000000000
1 day, 2 hours|93600.000000000
250ms|0.250000000
250 milliseconds|0.250000000
35|35.000000000
34.07|34.070000000
@1000|0.000000000
2023-08-04T12:00:00Z|0.000000000
2025-03-05 07:21:31 UTC|0.000000000
Thu, 12 Dec 2024 14:24:53 GMT|0.000000000
Sun Nov  6 08:49:37 1994|0.000000000
inf|9223372036.854775807
FORMS
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone UTC %s 7200)")"
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone UTC %s 7200)123")"
  near 7200 "$(hint_of -- sh -c "$script" - "after=@$(in_zone UTC %s 7200)")"
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone UTC '%Y-%m-%d %H:%M:%S+00:00' 7200)")"
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone UTC '%H:%M:%S UTC' 7200)")"
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone UTC '%-I:%M%P Z' 7200)")"
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone UTC '%b %-d at %H:%M:%S (UTC)' 7200)")"
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone UTC '%d %b, %H:%M:%S GMT' 7200)")"
}

@test "after= without a zone is local time" {
  need_zones
  local script='printf "%s\n" "$1" >"$BACKOFF_HINT"; exit 7' zone
  for zone in Asia/Kolkata America/New_York UTC; do
    near 7200 "$(TZ=$zone hint_of -- sh -c "$script" - "after=$(in_zone $zone '%H:%M:%S' 7200)")"
    near 7200 "$(TZ=$zone hint_of -- sh -c "$script" - "after=$(in_zone $zone '%Y-%m-%d %H:%M:%S' 7200)")"
  done
}

@test "after= that cannot be read is told once, with its text" {
  run -7 "$BACKOFF" -n 3 -b 0 -- sh -c 'echo after=soon >"$BACKOFF_HINT"; exit 7'
  assert_equal "$(grep -c 'BACKOFF_HINT: no time can be read in "after=soon"$' <<<"$output")" 1
}

# --- what is said ---

@test "stated waits: a moment is told by a local clock" {
  need_zones
  local at
  at=$(in_zone UTC %s 1800)
  TZ=Asia/Kolkata start -- "$BACKOFF" -j none --retry-after -- sh -c "echo 'retry at @$at'; exit 7"
  await_pause
  signal TERM
  assert_fate 'killed TERM'
  local clock
  clock=$(TZ=Asia/Kolkata date -d "@$at" +%H:%M:%S)
  grep -qE "; next in (29|30)m[0-9s]* \(server asked for (29|30)m[0-9s]*, until (20[0-9-]* )?$clock\)\$" "$err" || fail "$(cat "$err")"
}

@test "stated waits: a moment of another day is told with its date" {
  TZ=UTC run -7 "$BACKOFF" --retry-after -- sh -c 'echo "retry at 2126-12-24T20:00:00Z"; exit 7'
  assert_output --regexp 'not retrying after attempt 1/8: server asked to wait [0-9]+d[0-9]*h?, until 2126-12-24 20:00:00, more than --hint-max \(1h\)$'
}

@test "stated waits: a duration is told without a moment" {
  run -7 "$BACKOFF" --retry-after -- sh -c 'echo "retry in 4h52m"; exit 7'
  assert_output --partial 'not retrying after attempt 1/8: server asked to wait 4h52m, more than --hint-max (1h)'
}

@test "stated waits: a REGEX without a time is told once, with at most 60 bytes" {
  run -7 "$BACKOFF" --retry-after=quota -n 3 -b 0 -- \
    sh -c 'echo "quota used up, come back when you have paid what you owe us since last year"; exit 7'
  assert_equal "$(grep -c 'no time can be read in' <<<"$output")" 1
  assert_line 'backoff: sh: --retry-after: no time can be read in "used up, come back when you have paid what you owe us since "'
}

@test "stated waits: a sentence or a key without a time is not complained of" {
  run -7 "$BACKOFF" -v --retry-after -n 2 -b 0 -- sh -c 'echo "resets soon"; echo "{\"retry_after\": null}"; exit 7'
  refute_output --partial 'no time can be read'
}

@test "stated waits: hint_s has what was asked for, and pause_s what is waited" {
  run logged --retry-after -n 2 -b 1ms -j none -- sh -c 'echo "retry in 20ms"; exit 7'
  assert_events 'attempts[0].hint_s == 20*ms' '20*ms <= pauses[0] <= 21*ms' 'attempts[1].hint_s == 20*ms'
}

@test "stated waits: --verbose tells the settings" {
  run -0 --separate-stderr "$BACKOFF" -v --retry-after --retry-after='in (.*)' true
  [[ ${stderr_lines[0]} == *", retry-after, retry-after 'in (.*)'"* ]]
}

# --- hostile lines ---

@test "stated waits: lines of any length and bytes are survived" {
  run logged --retry-after='x(9*)' -n 2 -b 0 --hint-max=1h -- sh -c '
    head -c 10000000 /dev/zero | tr "\0" 9; echo
    printf "retry after "; head -c 400 /dev/zero | tr "\0" 8; echo x
    printf "retry\0after 5\377\376s\n{\"retry_after\":\0}\n\nresets \377pm\n"; exit 7'
  assert_events 'attempts[0].hint_s is None'
  reads null 'resets 3pm (../../etc/passwd)' 'resets 3pm (/etc/passwd)' 'resets 3pm (Mars/Phobos)' \
    'retry at 2026-02-30 12:00' 'retry at 2026-13-01T00:00:00Z'
}

@test "stated waits: a number of 400 digits is a time beyond all clocks" {
  local digits
  digits=$(head -c 400 /dev/zero | tr '\0' 9)
  reads 9223372036.854775807 "retry after ${digits}s"
  [[ $(hint_of --retry-after -- sh -c "$prints" - "retry after $digits") == [5-9]*.* ]]
}

@test "stated waits: COMMAND and hooks have the TZ that we had" {
  need_zones
  local zone=America/New_York
  # shellcheck disable=SC2016
  TZ=$zone run -7 "$BACKOFF" -n 2 -b 0 --retry-after --hint-max=inf --before-retry='echo "hook $TZ"' -- \
    sh -c 'echo "TZ $TZ"; echo "resets $1 (Asia/Tokyo)"; exit 7' - "$(in_zone Asia/Tokyo %H:%M:%S 0)"
  assert_equal "$(grep -c "^TZ $zone\$" <<<"$output")" 2
  assert_line "hook $zone"
}

# --- a gate ---

@test "stated waits: a moment shuts a gate, as a Retry-After does" {
  need_answer byte_lock
  export BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/state
  run -7 "$BACKOFF" --gate=hub --retry-after -n 1 -- sh -c 'echo "retry in the evening"; exit 7'
  run -0 "$BACKOFF" --gate=list
  refute_output --partial 'shut'
  run -7 "$BACKOFF" --gate=hub --retry-after -n 1 -- sh -c 'echo "retry in 20 minutes"; exit 7'
  run -0 "$BACKOFF" --gate=list
  assert_output --partial 'shut'
}

# --- the plan ---

@test "stated waits: --plan says what one changes, and where it ends the run" {
  local note='Where the output of a failed attempt states a longer wait, the pause lasts as long'
  run -0 "$BACKOFF" --plan --retry-after --hint-max=2h
  assert_regex "${output//$'\n'/ }" "$note; a wait of more than 2h ends the run\\.\$"
  run -0 "$BACKOFF" --plan --tool --hint-max=inf wget x
  assert_regex "${output//$'\n'/ }" "$note\\.\$"
  run -0 "$BACKOFF" --plan --tool git x
  refute_output --partial 'states'
}
