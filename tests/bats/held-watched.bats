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
  go=$BATS_TEST_TMPDIR/go
  export go BATS_TEST_TMPDIR
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

# came_out LINE...: these, in this order where that is known.
came_out() {
  local -a order=(cat)
  has_answer written_order || order=(sort)
  assert_equal "$("${order[@]}" "$got")" "$(printf '%s\n' "$@" | "${order[@]}")"
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

# watched WHAT SCRIPT END OPTION: what the option looks for ends it so, where
# SCRIPT writes that and --watch=WHAT looks at it.
watched() {
  agrees --watch="$1" "$4" -- sh -c "$2; exit 7"
  assert_equal "$*: $end" "$*: $3"
}

@test "--stop-if looks at the stream that --watch names, held or not" {
  local out='echo warn; echo plain >&2' err='echo warn >&2; echo plain'
  watched stderr "$err" 'stopped 1' --stop-if=warn
  watched stderr "$out" 'exhausted 2' --stop-if=warn
  watched stdout "$out" 'stopped 1' --stop-if=warn
  watched stdout "$err" 'exhausted 2' --stop-if=warn
  watched both "$out" 'stopped 1' --stop-if=warn
}

@test "--retry-after looks at the stream that --watch names, held or not" {
  watched stderr 'echo "Retry-After: 7200" >&2' 'stopped 1' --retry-after
  watched stdout 'echo "Retry-After: 7200" >&2' 'exhausted 2' --retry-after
}

@test "a tool's messages on stderr are seen whatever --watch names, held or not" {
  local message='curl: (22) The requested URL returned error: 404' what
  for what in stdout stderr both; do
    agrees --tool=curl --watch="$what" --stop-if=never -- sh -c 'echo "$0" >&2; exit 22' "$message"
    assert_equal "$end" 'stopped 1'
  done
}

@test "a tool's messages on stdout count where both are one, held or not" {
  local message='curl: (22) The requested URL returned error: 404'
  agrees --tool=curl -- sh -c 'echo "$0"; exit 22' "$message"
  assert_equal "$end" 'stopped 1'
  agrees --tool=curl --watch=stderr --stop-if=never -- sh -c 'echo "$0"; exit 22' "$message"
  assert_equal "$end" 'exhausted 2'
}

@test "a line of held stderr is quoted where the output itself does not come out" {
  local job='echo out; printf "no such bucket\n50%%\r42\n" >&2; exit 7' option
  for option in -oall --quiet-success --log-format=github; do
    run --separate-stderr -7 "$BACKOFF" -oall $option --name=x -n 2 -d 1ms -- sh -c "$job"
    assert_equal "$output" out
    assert_equal "$(sed 's/ in [0-9.]*m*s:/:/; s/after [0-9.]*m*s: /: /' <<<"${stderr%%$'\n'::*}")" \
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

@test "lines of the two streams, of one process and of others, keep their order" {
  need_answer written_order
  local options
  for options in '--watch=stderr -oall' '--watch=stdout --quiet-success'; do
    # shellcheck disable=SC2086 # two options
    "$BACKOFF" -n 1 $options --stop-if=never -- bash -c '
      for i in {1..300}; do
        echo "out $i"
        echo "err $i" >&2
        (( i % 3 )) || echo "err again $i" >&2
        (( i % 50 )) || { sh -c "echo other \$0 >&2" "$i"; sh -c "echo other \$0" "$i"; }
      done; exit 7' >"$got" 2>&1 || true
    sed -i '$d' "$got" # the log
    cmp "$got" <(for i in {1..300}; do
      echo "out $i"
      echo "err $i"
      ((i % 3)) || echo "err again $i"
      ((i % 50)) || printf 'other %s\n' "$i" "$i"
    done)
  done
}

@test "parts of lines, and writes of more than a page, keep their order too" {
  need_answer written_order
  "$BACKOFF" -oall --watch=stderr --stop-if=never -- "${PYTHON[@]}" - >"$got" 2>&1 <<'PYTHON'
import os, random
chance = random.Random(3)
with open(os.environ["BATS_TEST_TMPDIR"] + "/wanted", "wb") as wanted:
    for i in range(300):
        size = chance.choice((1, 7, 4095, 4096, 4097, 8192, 70000))
        data = b"%d:" % i + bytes((97 + i % 26,)) * size
        wanted.write(data)
        fd = chance.choice((1, 2))
        while data:
            data = data[os.write(fd, data):]
PYTHON
  cmp "$got" "$BATS_TEST_TMPDIR/wanted"
}

@test "nothing is lost if the command enlarges the pipes that it writes to" {
  "$BACKOFF" -oall --watch=stderr --stop-if=never -- "${PYTHON[@]}" - >"$got" 2>&1 <<'PYTHON'
import fcntl, os
for fd in 1, 2:
    fcntl.fcntl(fd, 1031, 65536) # F_SETPIPE_SZ
for i in range(2000):
    os.write(1 + i % 2, b'line %d\n' % i)
PYTHON
  cmp <(sort "$got") <(for i in {0..1999}; do echo "line $i"; done | sort)
}

@test "nothing comes out before the verdict, and a success comes out once" {
  as_one -oall --watch=stderr --stop-if=never -- sh -c '
    cat "$BATS_TEST_TMPDIR/got"; echo "$BACKOFF_ATTEMPT"; echo err >&2; [ "$BACKOFF_ATTEMPT" = 2 ]'
  came_out 2 err
}

@test "what a leftover tee still writes is in its place among the held lines" {
  # On a slow machine it may be too late, but not each time.
  as_one -n 100 -oall --watch=stderr --success-if='^late$' -- bash -c '
    echo out; exec 2> >(cat >&2; echo late >&2); echo err >&2; exit 7'
  assert_equal "${end% *}" success
  came_out out err late
}

@test "a leftover process that keeps both open is not waited for" {
  mkfifo "$go"
  as_one -oall --watch=stderr --stop-if=never -- sh -c 'echo out; echo err >&2; read -r go <"$go" &'
  came_out out err
  echo >"$go"
}

@test "a file that may not grow is the attempt's failure, and is retried" {
  status=0
  bash -c 'ulimit -f 2; exec "$BACKOFF" -n 2 -b 0 -oall --watch=stderr --stop-if=never \
    --log-file="$BATS_TEST_TMPDIR/log" -- sh -c "[ \$BACKOFF_ATTEMPT -eq 2 ] ||
      head -c 1000000 /dev/zero >&2 || exit 7; echo fine"' >"$got" 2>&1 || status=$?
  assert_equal "$(cat "$got")" fine
  assert_equal "$status" 0
  grep -q 'attempt 1/2 failed after .*: exit 7' "$BATS_TEST_TMPDIR/log"
}

@test "a success whose output a file cannot hold is none" {
  status=0
  bash -c 'ulimit -f 2; exec "$BACKOFF" -n 2 -b 0 -oall --watch=stderr --stop-if=never \
    --log-file="$BATS_TEST_TMPDIR/log" -- sh -c "head -c 1000000 /dev/zero >&2; exit 0"' >"$got" 2>&1 || status=$?
  assert_equal "$status" 125
  grep -q 'output could not be passed on: File too large' "$BATS_TEST_TMPDIR/log"
}
