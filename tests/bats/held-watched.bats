#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Output that is held and watched, where stdout and stderr are one open file:
# each verdict is the one that comes without --hold, and the lines keep their
# order.
#
# shellcheck disable=SC2154 # the helpers set these

load helper
load ../lib/events

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  got=$BATS_TEST_TMPDIR/got
}

# as_one OPTION... -- COMMAND: runs it with both outputs in one pipe. Sets
# end to how many attempts it made, and how it ended.
as_one() {
  "$BACKOFF" --log-format=json --log-file="$BATS_TEST_TMPDIR/log" -n 2 -b 0 "$@" 2>&1 | cat >"$got"
  end=$(sed -n 's/.*"event":"end".*"result":"\([a-z]*\)","attempts":\([0-9]*\),.*/\1 \2/p' \
    "$BATS_TEST_TMPDIR/log")
  [ -n "$end" ] || fail 'no end in the log'
  rm "$BATS_TEST_TMPDIR/log"
}

# agrees OPTION... -- COMMAND: with each kind of holding the end is as without.
agrees() {
  local hold plain
  as_one "$@"
  plain=$end
  for hold in -o -oall --quiet-success; do
    as_one "$hold" "$@"
    assert_equal "$hold $*: $end" "$hold $*: $plain"
  done
  end=$plain
}

@test "what is looked for is found on both streams, held or not" {
  local fd
  for fd in 1 2; do
    agrees --stop-if=warn -- sh -c "echo plain; echo plain >&2; echo warn >&$fd; exit 7"
    assert_equal "$fd: $end" "$fd: stopped 1"
    agrees --retry-after -- sh -c "echo 'Retry-After: 7200' >&$fd; exit 7"
    assert_equal "$fd: $end" "$fd: stopped 1"
  done
}

@test "a tool's messages are seen on stderr, and on stdout where both are one, held or not" {
  local message='curl: (22) The requested URL returned error: 404' fd
  for fd in 1 2; do
    agrees --tool=curl -- sh -c "echo '$message' >&$fd; exit 22"
    assert_equal "$fd: $end" "$fd: stopped 1"
  done
}

@test "a line of held stderr is quoted where the output itself does not come out" {
  local job='echo out; printf "no such bucket\n50%%\r42\n" >&2; exit 7' option
  for option in -oall --quiet-success --log-format=github; do
    run --separate-stderr -7 "$BACKOFF" -oall $option --name=x -n 2 -d 1ms -- sh -c "$job"
    assert_equal "$output" out
    assert_equal "$(sed 's/ in [0-9.]*[mu]*s:/:/; s/after [0-9.]*[mu]*s: /: /' <<<"${stderr%%$'\n'::*}")" \
      'backoff: x: attempt 1/2 failed : exit 7 "no such bucket"; next in 1ms
no such bucket'$'\n50%\r42\nbackoff: x: giving up after 2 attempts: exit 7'
  done
  [[ $stderr == *'::error title=backoff%3A x::'*': exit 7 "no such bucket"' ]]
  run -7 logged -oall -n 2 -b 0 -- sh -c "$job"
  assert_events '[a.line for a in attempts] == ["no such bucket"] * 2' 'end.line == "no such bucket"'
  # Both may be one file, and a long one.
  logged -oall -n 1 -- sh -c 'seq 99999 >&2; echo last; exit 7' >got 2>&1 || [ $? -eq 7 ]
  assert_events 'end.line == "last"'
  assert_equal "$(tail -n 2 got | xargs)" '99999 last'
}

@test "what a leftover tee still writes is in its place among the held lines" {
  # On a slow machine it may be too late, but not each time.
  as_one -n 100 -oall --success-if='^late$' -- bash -c '
    echo out; exec 2> >(cat >&2; echo late >&2); echo err >&2; exit 7'
  assert_equal "${end% *}" success
  assert_equal "$(<"$got")" $'out\nerr\nlate'
}
