#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Stated waits: what --retry-after and after= read, and what is said of it.

load helper
load ../lib/events
load ../lib/process

setup() {
  said=$BATS_TEST_TMPDIR/said
  export BATS_TEST_TMPDIR
  unset TZ
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

@test "stated waits: headers, keys and sentences are read, in the output of a failure" {
  reads 7.000000000 'Retry-After: 7' '{"retry_after": 7}' 'Please retry in 7s.'
  reads null 'retry 3 of 5'
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
  local script='printf "%s\n" "$1" >"$BACKOFF_HINT"; exit 7'
  assert_equal "$(hint_of -- sh -c "$script" - 'after=1 hour and 30 minutes')" 5400.000000000
  assert_equal "$(hint_of -- sh -c "$script" - 'after=3pm (Mars/Phobos)')" null
  assert_equal "$(hint_of -- sh -c "$script" - 'after=inf')" 9223372036.854775807
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone UTC '%d %b, %H:%M:%S GMT' 7200)")"
  need_zones
  near 7200 "$(TZ=Asia/Kolkata hint_of -- sh -c "$script" - "after=$(in_zone Asia/Kolkata '%Y-%m-%d %H:%M:%S' 7200)")"
  # The minute that has begun counts whole.
  near 7200 "$(hint_of -- sh -c "$script" - "after=$(in_zone Asia/Kolkata %-I:%M%P 7200) (Asia/Kolkata)")"
}

@test "stated waits: a moment is told by a local clock" {
  need_zones
  local at
  at=$(in_zone UTC %s 1800)
  TZ=Asia/Kolkata start -- "$BACKOFF" -j none --retry-after -- sh -c "echo 'retry at @$at' >&2; exit 7"
  await_pause
  dies_by TERM
  local clock
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

@test "stated waits: lines of any length and bytes are survived" {
  run logged --retry-after='x(9*)' -n 2 -b 0 --hint-max=1h -- sh -c '
    head -c 1000000 /dev/zero | tr "\0" 9; echo
    printf "retry after "; head -c 400 /dev/zero | tr "\0" 8; echo x
    printf "retry\0after 5\377\376s\n{\"retry_after\":\0}\n\nresets \377pm\n"; exit 7'
  assert_events 'attempts[0].hint_s is None'
  reads null 'resets 3pm (Mars/Phobos)' 'retry at 2026-02-30 12:00'
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
