#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Conditions on the output: --success-if, --retry-if, --throttle-if and
# --stop-if, and that watching the output does not change it.
#
# shellcheck disable=SC2154 # the helpers set these

load helper
load ../lib/events
load ../lib/process
load ../lib/tree

setup() {
  got=$BATS_TEST_TMPDIR/got
  said=$BATS_TEST_TMPDIR/said
  go=$BATS_TEST_TMPDIR/go
  full=$BATS_TEST_TMPDIR/full
  export go full BATS_TEST_TMPDIR
}

teardown() {
  end_all
  end_marked
}

# verdict WANTED OPTION... -- COMMAND...: checks the first attempt's verdict.
verdict() {
  local wanted=$1
  shift
  logged -n 2 -b 0 "$@" >"$got" 2>"$said" || true
  assert_events "attempts[0].verdict == '$wanted'"
}

# finds REGEX COMMAND...: checks that a line of COMMAND's output matches.
finds() {
  local regex=$1
  shift
  status=0
  "$BACKOFF" -qq -n 1 --stop-if="$regex" -- "$@" >"$got" 2>"$said" || status=$?
  [ "$status" -eq 1 ] || fail "not found: '$regex' in the output of: $* ($status)"
}

# misses REGEX COMMAND...: checks that no line matches, and the output arrives.
misses() {
  local regex=$1
  shift
  status=0
  "$BACKOFF" -qq -n 1 --stop-if="$regex" -- "$@" >"$got" 2>"$said" || status=$?
  [ "$status" -eq 0 ] || fail "found: '$regex' in the output of: $* ($status)"
}

# reason REGEX: the log's closing line gives this reason, to the letter.
reason() {
  local line
  line=$(tail -n 1 "$said")
  [[ $line =~ backoff:\ .*\ (after|in)\ [^:]*:\ (.*)$ ]] || fail "no reason: $line"
  assert_equal "${BASH_REMATCH[2]}" "$1"
}

# gives REASON OPTION... -- COMMAND...: what we say when we end after it.
gives() {
  local wanted=$1
  shift
  # In a log of its own, where no line of stderr has been read before.
  rm -f "$said"
  "$BACKOFF" -n 1 --log-file="$said" "$@" >"$got" 2>"$BATS_TEST_TMPDIR/stderr" || true
  reason "$wanted"
}

# A COMMAND under HOLD_TERM that fills its stdout, and when it has heard by
# $full that this is so, says by $go that it was told to end. (What fills it
# has no part in bats, which waits for whoever has its fd 3.)
chatter='yes 3>&- & read -r _ <"$full"; '$until_term'; kill -KILL $!; echo >"$go"; exit 3'

# --- the four options ---

@test "--stop-if does not retry" {
  verdict stop --stop-if=fatal -- sh -c 'echo a fatal error; exit 7'
  verdict retry --stop-if=fatal -- sh -c 'echo a fine day; exit 7'
  run --separate-stderr -7 "$BACKOFF" --stop-if=fatal -- sh -c 'echo fatal; exit 7'
  assert_output fatal
  assert_equal "${#stderr_lines[@]}" 1
}

@test "--stop-if stops even an exit 0, and backoff then exits with 1" {
  verdict stop --stop-if=fatal -- echo fatal
  run -1 "$BACKOFF" -q --stop-if=fatal -- echo fatal
}

@test "--success-if: a match is a success whatever the status is" {
  verdict success --success-if=ready -- sh -c 'echo ready; exit 7'
  run -0 --separate-stderr "$BACKOFF" --success-if=ready -- sh -c 'echo ready; exit 7'
  assert_output ready
  assert_equal "$stderr" ''
  verdict success --success-if=ready -- sh -c 'echo ready; kill -KILL $$'
}

@test "--success-if: exit 0 without a match is retried" {
  verdict retry --success-if=ready -- echo wait
  verdict retry --success-if=ready -- true
  run --separate-stderr -0 "$BACKOFF" -b 0 --success-if='is 3' -- sh -c 'echo "it is $BACKOFF_ATTEMPT"'
  assert_output "$(printf 'it is %d\n' 1 2 3)"
  run --separate-stderr -1 "$BACKOFF" -b 0 -n 2 --success-if=ready -- echo wait
}

@test "--success-if: an explicit --success-on=0 needs no match" {
  verdict success --success-if=ready --success-on=0 -- echo wait
}

@test "--retry-if retries a match, even after an exit 0" {
  verdict retry --retry-if='try again' -- sh -c 'echo please try again; exit 7'
  verdict retry --retry-if='try again' -- echo please try again
}

@test "--retry-if: an attempt without a match is not retried" {
  verdict stop --retry-if='try again' -- sh -c 'echo no; exit 7'
  verdict success --retry-if='try again' -- echo yes
  verdict retry --retry-if='try again' -r 7 -- sh -c 'echo no; exit 7'
  verdict stop --retry-if='try again' -r 7 -- sh -c 'echo no; exit 8'
}

@test "--throttle-if: the longer pause" {
  run logged -n 3 -b 1us -j none --throttle-if='429|slow down' -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ] || echo slow down; exit 7'
  assert_events '[a.verdict for a in attempts] == ["retry", "throttle", "retry"]' \
    'pauses == [1*us, 15*us]'
}

@test "each may be given several times" {
  local option verdict
  for verdict in stop success throttle retry; do
    option=--$verdict-if
    verdict "$verdict" "$option=one" "$option=two" "$option=three" -- sh -c 'echo one; exit 7'
    verdict "$verdict" "$option=one" "$option=two" "$option=three" -- sh -c 'echo two; exit 7'
    verdict "$verdict" "$option=one" "$option=two" "$option=three" -- sh -c 'echo three; exit 7'
  done
}

@test "stop decides first, then success, throttle and retry, in any order of the options" {
  local all=(--retry-if=line --throttle-if=line --success-if=line --stop-if=line)
  verdict stop "${all[@]}" -- sh -c 'echo line; exit 7'
  verdict success "${all[@]:0:3}" -- sh -c 'echo line; exit 7'
  verdict throttle "${all[@]:0:2}" -- sh -c 'echo line; exit 7'
  verdict retry "${all[@]:0:1}" -- sh -c 'echo line; exit 7'
  verdict stop --stop-if=line --retry-if=line -- echo line
}

@test "the order of the lines does not matter" {
  verdict stop --stop-if=fatal --success-if=ready -- printf '%s\n' ready fatal
  verdict stop --stop-if=fatal --success-if=ready -- printf '%s\n' fatal ready
}

@test "a match decides before CODES" {
  verdict retry --retry-if=line -x 7 -- sh -c 'echo line; exit 7'
  verdict stop --stop-if=line --success-on=7 -- sh -c 'echo line; exit 7'
  verdict success --success-if=line --pass-on=7 -- sh -c 'echo line; exit 7'
  verdict throttle --throttle-if=line --stop-on=any -- sh -c 'echo line; exit 7'
}

@test "without a match CODES decide" {
  verdict pass --stop-if=line --pass-on=7 -- sh -c 'exit 7'
  verdict stop --throttle-if=line -x 7 -- sh -c 'exit 7'
  verdict success --throttle-if=line -- true
}

@test "a match decides the verdict on a timeout" {
  need_proc
  # shellcheck disable=SC2034 # for logged
  under=("${HOLD_TERM[@]}")
  verdict stop -t 50ms --stop-if=line -- bash -c "echo line; $until_term"
  verdict retry -t 50ms --stop-if=line -- bash -c "echo other; $until_term"
  verdict success -t 50ms --success-if=line -- bash -c "echo line; $until_term"
}

@test "a match does not cut a running attempt short" {
  run -0 "$BACKOFF" -q --success-if=ready -- sh -c 'echo ready; echo after'
  assert_output "$(printf 'ready\nafter')"
}

@test "both streams are looked at" {
  verdict stop --stop-if=line -- sh -c 'echo line; exit 7'
  verdict stop --stop-if=line -- sh -c 'echo line >&2; exit 7'
  verdict stop --stop-if=one --stop-if=two -- sh -c 'echo two; echo three >&2; exit 7'
}

@test "parts of a line on two streams do not make one line" {
  verdict retry --stop-if=abcd -- sh -c 'printf ab; printf cd >&2; exit 7'
}

@test "parts of a line of two attempts do not make one line" {
  run logged -n 2 -b 0 --stop-if=abcd -- \
    sh -c 'if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then printf ab; else printf cd; fi; exit 7'
  assert_events '[a.verdict for a in attempts] == ["retry", "retry"]'
}

@test "a match counts for its own attempt only" {
  run logged -n 2 -b 0 --throttle-if=line -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -ne 1 ] || echo line; exit 7'
  assert_events '[a.verdict for a in attempts] == ["throttle", "retry"]'
}

@test "without a condition nothing is watched" {
  need_proc
  "$BACKOFF" -- sh -c 'readlink "/proc/$$/fd/1" "/proc/$$/fd/2"' >"$got" 2>"$said"
  assert_equal "$(cat "$got")" "$(printf '%s\n' "$got" "$said")"
}

# --- regular expressions ---

@test "a bad regular expression is refused in one line, and nothing starts" {
  local option regex
  for regex in '(' '[' '[a' 'a{2' "\\" 'a{2,1}' '[z-a]' '[[:none:]]' ''; do
    for option in --success-if --retry-if --throttle-if --stop-if; do
      run --separate-stderr -125 "$BACKOFF" "$option=$regex" -- touch "$BATS_TEST_TMPDIR/started"
      assert_output ''
      assert_equal "${#stderr_lines[@]}" 1
      [[ $stderr == "backoff: $option: $regex: expected "* ]] || fail "$stderr"
      [ ! -e "$BATS_TEST_TMPDIR/started" ]
    done
  done
  run --separate-stderr -125 "$BACKOFF" --stop-if $'(\n' -- true
  assert_equal "${#stderr_lines[@]}" 1
}

@test "the verdict is that of grep -E for regular expressions of every shape" {
  local regex line compared=0
  local regexes=(
    abc '^abc' 'abc$' '^abc$' 'a.c' 'a\.c' 'ab*c' 'ab+c' 'ab?c' 'ab{2}c' 'ab{0}c'
    'ab{0,1}c' 'ab{2,}c' '(ab)*c' '(ab)+c' '(ab)?c' '(ab){2}c' 'a(bc)' 'a(b|x)c' 'abc|xyz'
    '(abc|xyz)d' 'a|b|c$' '(^|x)abc' 'abc(d|$)' 'a[bx]c' 'a[^b]c' 'a[]b]c' 'a[^]b]c'
    'a[b-d]c' 'a[[:alpha:]]c' 'a[[:alpha:]|]c' 'a[|]c' 'a[(]c' 'a[*]c' 'a[\]c' 'a[[]c'
    'a\|c' 'a\*c' 'a\+c' 'a\?c' 'a\(b\)c' 'a\\c' 'a\[c' 'a\{c' 'a\^c' 'a\$c' '(abc)?d'
    'x(a+)?y' 'xa+?y' 'xa+*y' 'xa*+y' 'xya+{0}' 'xa{1,2}?y' 'a**c' '.' '^$' '$' '.*'
    '((a)(b|(x|z)c))d?' 'abcabcabcabcabcabcabcabcabcabcabcabc'
    'abcabcabcabcabcabcabcabcabcabca?b' 'abcabcabcabcabcabcabcabcabcabcab*c' '[[:space:]]'
    ' ' '"' "'" 'ab(c|d)*e' '(ab|cd)(ef|gh)' 'a(b[)]c|d)' 'ab[^|]*xyz|none')
  cat >"$BATS_TEST_TMPDIR/lines" <<'LINES'
abc
abbc
ac
aabcc
xyz
abcd
 abc
a.c
axc
a|c
a(c
a*c
a+c
a?c
a\c
a[c
a{c
a^c
a$c
a(b)c
a]c
xy
xay
xaay
xya
ababc
abe
abcde
cdgh
ab)c

"a' c
abcabcabcabcabcabcabcabcabcabcabcabc
abcabcabcabcabcabcabcabcabcabcb
d
LINES
  for regex in "${regexes[@]}"; do
    # Some libc has no meaning for some of them, and says so.
    "$BACKOFF" -qq -n 1 --stop-if="$regex" -- true 2>/dev/null || [ $? -ne 125 ] || continue
    mapfile -t matching < <(LC_ALL=C grep -E -e "$regex" "$BATS_TEST_TMPDIR/lines")
    for line in "${matching[@]}"; do
      finds "$regex" echo "$line"
    done
    LC_ALL=C grep -vE -e "$regex" "$BATS_TEST_TMPDIR/lines" >"$BATS_TEST_TMPDIR/rest" || true
    misses "$regex" cat "$BATS_TEST_TMPDIR/rest"
    compared=$((compared + 1))
  done
  [ "$compared" -ge 50 ]
}

@test "the C locale decides: a character is a byte" {
  export LC_ALL=C.UTF-8
  finds '^..$' printf '\303\251\n'
  misses '^.$' printf '\303\251\n'
  finds $'\377' printf 'a\377b\n'
  finds '[^[:alpha:]]' printf '\303\n'
}

@test "case matters" {
  misses Fatal echo fatal
}

# --- lines ---

@test "a line is matched without its newline, and the last one needs none" {
  finds '^end$' printf 'begin\nend\n'
  finds '^end$' printf 'begin\nend'
  misses 'begin.end' printf 'begin\nend\n'
  finds '^$' printf 'a\n\nb\n'
  misses '^$' printf 'a\n'
  misses '^$' true
}

@test "a carriage return belongs to the line" {
  finds $'^end\r$' printf 'end\r\n'
  misses '^end$' printf 'end\r\n'
}

@test "NUL is matched as \\001, and what follows it is matched too" {
  finds $'a\001b' printf 'a\0b\n'
  finds '^a.b$' printf 'a\0b\n'
  finds b printf 'a\0b\n'
  misses 'a$' printf 'a\0b\n'
  misses '^b' printf 'a\0b\n'
  finds '^...$' printf '\0\0\0\n'
}

@test "every byte is passed on unchanged" {
  python3 -c 'import sys
for i in range(256):
  sys.stdout.buffer.write(bytes(range(256)) + bytes([i]) * 3)' >"$BATS_TEST_TMPDIR/bytes"
  misses 'never to be found' cat "$BATS_TEST_TMPDIR/bytes"
  cmp "$got" "$BATS_TEST_TMPDIR/bytes"
  misses 'never to be found' sh -c 'cat "$BATS_TEST_TMPDIR/bytes" >&2'
  cmp "$said" "$BATS_TEST_TMPDIR/bytes"
}

@test "only the first 4 KiB of a line count" {
  local x
  x=$(head -c 4090 /dev/zero | tr '\0' x)
  echo "${x}needle" >"$BATS_TEST_TMPDIR/just" # its last byte is byte 4096
  echo "${x}xneedle" >"$BATS_TEST_TMPDIR/beyond"
  finds needle cat "$BATS_TEST_TMPDIR/just"
  finds 'needle$' cat "$BATS_TEST_TMPDIR/just"
  misses needle cat "$BATS_TEST_TMPDIR/beyond"
  cmp "$got" "$BATS_TEST_TMPDIR/beyond"
  finds '^xx*need' cat "$BATS_TEST_TMPDIR/beyond"
  echo "$x$x${x}needle" >"$BATS_TEST_TMPDIR/far"
  misses needle cat "$BATS_TEST_TMPDIR/far"
  cmp "$got" "$BATS_TEST_TMPDIR/far"
}

@test "the line after one that is too long counts" {
  { head -c 1000000 /dev/zero | tr '\0' x; printf '\nneedle\n'; } >"$BATS_TEST_TMPDIR/long"
  finds '^needle$' cat "$BATS_TEST_TMPDIR/long"
  cmp "$got" "$BATS_TEST_TMPDIR/long"
  { head -c 4096 /dev/zero | tr '\0' x; printf '\nneedle'; } >"$BATS_TEST_TMPDIR/exact"
  finds '^needle$' cat "$BATS_TEST_TMPDIR/exact"
  misses 'xneedle' cat "$BATS_TEST_TMPDIR/exact"
}

@test "lines in random pieces: the bytes arrive, and the verdict is that of grep -E (60 seeds)" {
  "${PYTHON[@]}" "$lib/lines.py" 1 60
}

@test "memory does not grow with the output" {
  need_proc
  # kB of the most that was ever resident, before and after 64 MiB.
  "$BACKOFF" -qq --stop-if='never [t]o be found' -- sh -c '
    most() { sed -n "s/^VmHWM:[^0-9]*//p" "/proc/$PPID/status"; }
    head -c 1000000 /dev/zero; head -c 1000000 /dev/zero | tr "\0" "\n"; most >&2
    head -c 32M /dev/zero; seq 4000000; most >&2' 2>"$said" >/dev/null
  local before after
  { read -r before _; read -r after _; } <"$said"
  [ $((after - before)) -le 1024 ] || fail "from $before to $after kB"
}

# --- the output itself ---

@test "output is seen while the command runs, even half a line" {
  mkfifo "$go"
  # The command goes on only when what it wrote has been read.
  reads read:4 tell:"$go" -- "$BACKOFF" --stop-if=never -- \
    sh -c 'echo one; read -r go <"$go"; echo two'
  ended 'exited 0'
  assert_equal "$(cat "$got")" "$(printf 'one\ntwo')"
  reads read:4 tell:"$go" -- "$BACKOFF" --stop-if=never -- \
    sh -c 'printf "one "; read -r go <"$go"; echo two'
  ended 'exited 0'
  reads read:4 tell:"$go" -- sh -c 'exec "$BACKOFF" --stop-if=never -- \
    sh -c "echo one >&2; read -r go <\"\$go\"; echo two >&2" 2>&1'
  ended 'exited 0'
  assert_equal "$(cat "$got")" "$(printf 'one\ntwo')"
}

@test "stdout and stderr that are one keep their order" {
  "$BACKOFF" --stop-if=never -- bash -c 'for i in {1..300}; do echo "out $i"; echo "err $i" >&2; done' \
    >"$got" 2>&1
  cmp "$got" <(for i in {1..300}; do echo "out $i"; echo "err $i"; done)
}

@test "lines of the log come after what the command wrote" {
  "$BACKOFF" -b 0 -n 2 --stop-if=never -- sh -c 'echo "out $BACKOFF_ATTEMPT"; echo "err $BACKOFF_ATTEMPT" >&2
    exit 7' >"$got" 2>&1 || true
  mapfile -t lines <"$got"
  assert_equal "${#lines[@]}" 6
  assert_equal "${lines[*]:0:2} ${lines[*]:3:2}" 'out 1 err 1 out 2 err 2'
  [[ ${lines[2]} == 'backoff: '* && ${lines[5]} == 'backoff: '* ]]
}

@test "the command sees no terminal on what is watched" {
  local look='for fd in 0 1 2; do
    if [ -t $fd ]; then printf "%d tty " $fd; else printf "%d no " $fd; fi
  done'
  reads --stdout terminal --both -- "$BACKOFF" -- sh -c "$look"
  assert_equal "$(cat "$got")" '0 no 1 tty 2 tty '
  reads --stdout terminal --both -- "$BACKOFF" --stop-if=never -- sh -c "$look"
  assert_equal "$(cat "$got")" '0 no 1 no 2 no '
}

@test "what is in the pipe when the command ends is passed on, and looked at" {
  mkfifo "$go"
  # More than our stdout takes, which nobody reads before the command has
  # ended; its last line is what decides.
  reads full hear:"$go" read -- "$BACKOFF" -qq --stop-if='^the end$' -- sh -c '
    { while kill -0 $$; do sleep 0.02; done; echo >"$go"; } >/dev/null 2>&1 3>&- &
    head -c 110000 /dev/zero | tr "\0" "\n"; printf "the end"'
  ended 'exited 1'
  cmp "$got" <(head -c 110000 /dev/zero | tr '\0' '\n'; printf 'the end')
}

@test "a grandchild that keeps the pipe open does not delay backoff" {
  TEST_MARK=$MARKS/mine finds '^the end$' sh -c 'TEST_MARK=$MARKS/left sleep 1000 3>&- & printf "the end"'
  wait_for alive left
  assert_equal "$(cat "$got")" 'the end'
}

@test "what a grandchild of an earlier attempt writes does not count for a later one" {
  mkfifo "$go" "$BATS_TEST_TMPDIR/done"
  TEST_MARK=$MARKS/mine run logged -n 2 -b 0 --stop-if=stale -- sh -c 'if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then
      { trap "" PIPE; read -r go <"$go"; echo stale; echo >"$BATS_TEST_TMPDIR/done"; } 2>/dev/null 3>&- &
      exit 7
    fi
    echo >"$go"; read -r done <"$BATS_TEST_TMPDIR/done"; exit 8'
  assert_events '[a.verdict for a in attempts] == ["retry", "retry"]'
  refute_output --partial stale
}

@test "if the reader goes away, the command gets PIPE, as without backoff" {
  local watch
  for watch in '' "$BACKOFF -qq -n1 --stop-if=never --"; do
    # shellcheck disable=SC2086 # several words
    reads read:2 close -- $watch yes
    ended 'killed PIPE'
    # shellcheck disable=SC2086
    reads --ignore PIPE read:2 close -- $watch yes
    ended 'exited 1'
  done
}

@test "a line that cannot be written because there is no reader is no success" {
  local watch
  for watch in '' "$BACKOFF -qq -n1 --stop-if=never --"; do
    # shellcheck disable=SC2086 # several words
    reads close -- $watch /bin/echo lost
    ended 'killed PIPE'
    # shellcheck disable=SC2086
    reads close -- $watch sh -c 'echo lost; sleep 0.1'
    ended 'killed PIPE'
  done
  reads --ignore PIPE close -- "$BACKOFF" -qq -n1 --stop-if=never -- /bin/echo lost
  run ! grep -x 'exited 0' "$BATS_TEST_TMPDIR/fate"
}

@test "a stdout without a reader does not affect stderr" {
  reads close -- "$BACKOFF" -qq -n1 --stop-if=never -- \
    sh -c 'trap "" PIPE; seq 100000; echo words >&2; exit 7'
  grep -qx words "$said"
}

@test "output for a closed stdout is not lost silently" {
  run -125 bash -c '"$BACKOFF" --stop-if=never -- echo lost 2>"$1" >&-' - "$said"
  assert_equal "$(wc -l <"$said")" 1
  grep -q 'output could not be passed on: Bad file descriptor$' "$said"
  run -0 bash -c '"$BACKOFF" --stop-if=never -- true 2>"$1" >&-' - "$said"
  run -0 bash -c '"$BACKOFF" --stop-if=never -- true 2>&-'
}

@test "output for a full disk is not lost silently" {
  run -125 bash -c '"$BACKOFF" --stop-if=never -- echo lost 2>"$1" >/dev/full' - "$said"
  assert_equal "$(wc -l <"$said")" 1
  grep -q 'output could not be passed on: No space left on device$' "$said"
}

@test "a full disk is reported and not retried if there is more to write" {
  run -125 bash -c '"$BACKOFF" -b 0 --stop-if=never -- seq 100000 2>"$1" >/dev/full' - "$said"
  assert_equal "$(wc -l <"$said")" 1
  grep -q '1 attempt .*output could not be passed on: No space left on device$' "$said"
}

# The leftover process that has the output is running when COMMAND ends.
export leaves='exec 3> >(: >"$go"; read -r line; env true; echo "$line")
  until [ -e "$go" ]; do sleep 0.01; done
  echo hello >&3'

# leaves_hello [OPTION]...: it is waited for, but for 100 ms alone, which may be
# over on a busy machine.
leaves_hello() {
  for _ in {1..20}; do
    rm -f "$go"
    run "$BACKOFF" -q -n 1 "$@" --success-if=hello -- bash -c "$leaves"
    [ "$status" -ne 0 ] || break
  done
  assert_success
  assert_output hello
}

@test "what a leftover tee still writes is the command's output" {
  leaves_hello
  leaves_hello -o
}

@test "a leftover process that keeps the output open is not waited for" {
  local hold
  for hold in -q -o; do
    run -0 "$BACKOFF" "$hold" -n 1 --stop-if=never -- \
      sh -c 'sleep 1000 & echo $! >"$go"; echo hello'
    assert_output hello
    kill "$(<"$go")"
  done
}

# After the command no more is taken than a pipe can have held at its end.
@test "a leftover process that writes for ever is not listened to for ever" {
  need_strace
  # So that the pipe is full again at each read.
  run -0 bash -c 'strace -qq -o "$BATS_TEST_TMPDIR/trace" -e trace=read,wait4 \
    -e inject=read:delay_enter=5000 "$BACKOFF" -q -n 1 --stop-if=never -- \
    sh -c "yes & sleep 0.1; kill -s TERM \$PPID; exit 3" 3>&- | cat >/dev/null'
  run -0 awk '/^wait4.* = [1-9]/ { ended = 1 }
    ended && /^read/ && $NF > 0 { count += $NF }
    END { print ended && count <= 1048576 ? "ended" : count }' "$BATS_TEST_TMPDIR/trace"
  assert_output ended
}

@test "a slow reader does not stop a timeout" {
  need_proc
  mkfifo "$go" "$full"
  reads full tell:"$full" hear:"$go" read -- "${HOLD_TERM[@]}" \
    "$BACKOFF" -n 1 -t 300ms -k 1h --stop-if=never -- bash -c "$chatter"
  ended 'exited 124'
  grep -q 'timed out after 300ms' "$said"
}

@test "a slow reader does not stop a signal" {
  need_proc
  mkfifo "$go" "$full"
  reads full tell:"$full" kill:TERM hear:"$go" read -- "${HOLD_TERM[@]}" \
    "$BACKOFF" --stop-if=never -- bash -c "$chatter"
  ended 'exited 3'
  grep -q 'interrupted by TERM' "$said"
}

@test "a slow reader, when the command has ended, does not stop a signal either" {
  mkfifo "$go"
  reads full hear:"$go" kill:TERM end -- "$BACKOFF" --stop-if=never -- sh -c '
    { while kill -0 $$; do sleep 0.02; done; echo >"$go"; } >/dev/null 2>&1 3>&- &
    head -c 100000 /dev/zero'
  ended 'killed TERM'
}

@test "a slow reader of stdout does not keep stderr back" {
  mkfifo "$go" "$BATS_TEST_TMPDIR/seen"
  # The reader goes on only when the command has seen its words arrive.
  reads full tell:"$go" hear:"$BATS_TEST_TMPDIR/seen" read -- "$BACKOFF" --stop-if=never -- sh -c '
    yes 2>/dev/null 3>&- &
    read -r go <"$go"
    echo words >&2
    until grep -qx words "$BATS_TEST_TMPDIR/said"; do sleep 0.02; done
    kill $!
    echo >"$BATS_TEST_TMPDIR/seen"'
  ended 'exited 0'
}

@test "a shared description is never made non-blocking" {
  need_proc
  local kind
  for kind in pipe terminal socket; do
    reads --stdout "$kind" --both -- sh -c '"$BACKOFF" -qq --stop-if=never -- sh -c "echo some
        sed -n \"s/^flags:[ 	]*//p\" /proc/\$PPID/fdinfo/1 /proc/\$PPID/fdinfo/2 \
          >\"\$BATS_TEST_TMPDIR/flags\""
      sed -n "s/^flags:[ 	]*//p" /proc/self/fdinfo/1 >>"$BATS_TEST_TMPDIR/flags"'
    ended 'exited 0'
    mapfile -t flags <"$BATS_TEST_TMPDIR/flags"
    assert_equal "${#flags[@]}" 3
    for flags in "${flags[@]}"; do
      [ $((0$flags & 04000)) -eq 0 ] || fail "$kind: $flags"
    done
  done
}

@test "output that is watched reaches the terminal whose master we have" {
  # To open a master again would make another terminal.
  "${PYTHON[@]}" - >"$got" <<'PYTHON'
import os, pty, subprocess, tty
master, slave = pty.openpty()
tty.setraw(slave)
command = ("sh", "-c", "echo one; echo two >&2")
subprocess.run((os.environ["BACKOFF"], "-n1", "--stop-if=never") + command,
               stdin=subprocess.DEVNULL, stdout=master, stderr=master, check=True)
os.set_blocking(slave, False)
print(os.read(slave, 100))
PYTHON
  assert_equal "$(cat "$got")" "b'one\ntwo\n'"
}

@test "a description that is non-blocking gets all there is" {
  seq 100000 >"$BATS_TEST_TMPDIR/big"
  reads --stdout nonblocking full read -- "$BACKOFF" --stop-if=never -- cat "$BATS_TEST_TMPDIR/big"
  ended 'exited 0'
  cmp "$got" "$BATS_TEST_TMPDIR/big"
  reads --stdout socket -- "$BACKOFF" --stop-if=never -- cat "$BATS_TEST_TMPDIR/big"
  ended 'exited 0'
  cmp "$got" "$BATS_TEST_TMPDIR/big"
}

# --- together with --hold ---

@test "held output is looked at in its file" {
  "$BACKOFF" -oall -b 0 --success-if='now 2' -- sh -c 'echo "now $BACKOFF_ATTEMPT"
    [ -f /dev/stdout ] && [ -f /dev/stderr ]' >"$got" 2>"$said"
  assert_equal "$(cat "$got")" 'now 2'
  run logged -oall -b 0 --stop-if='now 2' -- sh -c 'echo "now $BACKOFF_ATTEMPT" >&2; exit 7'
  assert_events 'len(attempts) == 2'
}

@test "held lines are lines as well: long ones, NUL, and the last" {
  status=0
  local x
  x=$(head -c 4090 /dev/zero | tr '\0' x)
  printf '%sxneedle\n%s' "$x" "$x" >"$BATS_TEST_TMPDIR/beyond"
  run -0 "$BACKOFF" -qq -n 1 -o --stop-if=needle -- cat "$BATS_TEST_TMPDIR/beyond"
  run -1 "$BACKOFF" -qq -n 1 -o --stop-if='^a.b$' -- printf 'a\0b'
}

@test "with --hold, stderr that is not held is watched, and seen live" {
  mkfifo "$go"
  reads read:4 tell:"$go" -- sh -c 'exec "$BACKOFF" -q -o --stop-if="^fatal$" -- \
    sh -c "echo out; echo one >&2; read -r go <\"\$go\"; echo fatal >&2; exit 7" 2>&1 >/dev/null'
  ended 'exited 7'
  [ "$(grep -c fatal "$got")" -ge 1 ]
  grep -q 'not retrying' "$got"
}

# --- reasons and quotes in the log ---

@test "the reason is the regular expression that decided" {
  gives "output matches 'fa[t]al'" --stop-if='fa[t]al' -- sh -c 'echo fatal; exit 7'
  gives "output matches 'two'" --stop-if=one --stop-if=two --retry-if=three -- printf '%s\n' three two
  logged -n 2 -b 0 --retry-if='x"\(' -- printf 'x"(\n' >/dev/null || true
  assert_events 'attempts[0].reason == "output matches \x27x\x22\x5c(\x27"' 'attempts[0].status == 0'
}

@test "the reason of an exit 0 without the match that it needs says so" {
  gives 'exit 0 (no line matches --success-if)' --success-if=ready -- echo wait
  gives 'exit 7' --success-if=ready -- sh -c 'echo wait; exit 7'
}

@test "output for a closed stderr is dropped, and that is no failure" {
  run -0 sh -c '"$BACKOFF" --stop-if=never -- sh -c "echo seen; echo unseen >&2" 2>&-'
  assert_output seen
  run -7 sh -c '"$BACKOFF" -n 1 --stop-if=seen -- sh -c "echo seen >&2; exit 7" 2>&- >&-'
  assert_output ''
}

@test "what is written at a timeout arrives whole, in a file and in a pipe" {
  need_proc
  local i command='
import os, signal, sys, time
def last(*_):
    os.write(1, b"x" * 60000)
    os._exit(3)
signal.signal(signal.SIGTERM, last)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
time.sleep(1000)'
  for i in 1 2 3 4 5; do
    "${HOLD_TERM[@]}" "$BACKOFF" -qq -n 1 -t 200ms -k 1h --stop-if=never -- python3 -c "$command" >"$got" || true
    assert_equal "$(stat -c %s "$got")" 60000
    "${HOLD_TERM[@]}" "$BACKOFF" -qq -n 1 -t 200ms -k 1h --stop-if=never -- python3 -c "$command" | cat >"$got"
    assert_equal "$(stat -c %s "$got")" 60000
  done
}

@test "if the reader has gone when the rest is written, the log still has its end" {
  # Stopped while COMMAND writes and ends, we find both at once.
  cd "$BATS_TEST_TMPDIR" || return
  mkfifo pipe
  exec 8<>pipe
  exec 9>pipe
  "$BACKOFF" -n 1 -i inherit --log-format=json --log-file=log --stop-if=never -- \
    sh -c 'echo >started; while [ ! -e go ]; do sleep 0.05; done; echo x' >&9 8<&- 3>&- &
  pid=$!
  wait_for test -e started
  kill -STOP "$pid"
  touch go
  wait_for eval '! pgrep -P "$pid" >/dev/null || [ "$(ps -o stat= --ppid "$pid" | cut -c1)" = Z ]'
  exec 8<&- 9>&-
  kill -CONT "$pid"
  wait "$pid" || true
  run tail -n 1 log
  assert_output --partial '"event":"end"'
}

@test "a full pipe of another user does not keep backoff from ending" {
  need_root
  need setpriv
  cd "$BATS_TEST_TMPDIR" || return
  cp "$BACKOFF" backoff
  chmod 755 . backoff
  setpriv --reuid=65534 --clear-groups ./backoff true 2>/dev/null ||
    skip "another user may not come here"
  mkfifo pipe
  # A reader that reads nothing.
  exec 8<>pipe
  exec 9>pipe
  setpriv --reuid=65534 --clear-groups ./backoff -q -n 1 --stop-if=never -- \
    sh -c 'head -c 300000 /dev/zero' >&9 8<&- 3>&- &
  pid=$!
  exec 9>&-
  # It has written all that there is room for.
  wait_for full
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  assert_equal "$status" 143
  exec 8<&-
}

# full: whether a write to the pipe at fd 8 would block.
full() {
  python3 -c '
import select, sys
poll = select.poll()
poll.register(8, select.POLLOUT)
sys.exit(bool(poll.poll(0)))'
}

@test "a REGEX of two lines could never match, and is refused" {
  run -125 "$BACKOFF" --stop-if=$'a\nb' -- true
  assert_output 'backoff: --stop-if: a?b: expected a regular expression for one line'
}

@test "a reference to a group is refused: its match could take for ever" {
  run -125 "$BACKOFF" --stop-if='(a)\1' -- true
  assert_output 'backoff: --stop-if: (a)\1: expected an extended regular expression without \1 (\\ is a backslash)'
  run -7 "$BACKOFF" -qn 1 --stop-if='[\1]\\1' -- sh -c 'exit 7'
}

@test "escapes such as \\d have the meaning that people expect" {
  finds '^\d+$' echo 42
  misses '\d' echo d
  finds '\D' echo d
  finds 'a\tb' printf 'a\tb\n'
  misses 'a\tb' echo atb
  finds '[\d]' printf '\\\n'
}

@test "an escape without a meaning is refused, and the message says what to write" {
  run -125 "$BACKOFF" --retry-if='a\qb' -- true
  assert_output 'backoff: --retry-if: a\qb: expected an extended regular expression without \q (\\ is a backslash)'
  run -125 "$BACKOFF" --success-if='\n' -- true
  assert_output 'backoff: --success-if: \n: expected an extended regular expression without \n (\\ is a backslash)'
}

# watched WHAT SCRIPT: whether the condition sees what SCRIPT writes.
watched() {
  run "$BACKOFF" -n 1 --watch="$1" --stop-if=timeout -- sh -c "$2"
  assert_equal "$status" 7
  [[ $output == *"output matches 'timeout'"* ]]
}

@test "--watch: the conditions look at one stream only, also where both are one" {
  local out='echo timeout=30; exit 7' err='echo timeout=30 >&2; exit 7'
  watched stdout "$out"
  watched stderr "$err"
  watched both "$out"
  watched both "$err"
  run ! watched stderr "$out"
  run ! watched stdout "$err"
}

@test "--watch: --retry-after looks at one stream only" {
  local script='echo "Retry-After: 7200" >&2; exit 7'
  logged -n 2 -b 0 --retry-after --watch=stderr -- sh -c "$script" || true
  assert_events "end.result == 'stopped' and end.attempts == 1"
  logged -n 2 -b 0 --retry-after --watch=stdout -- sh -c "$script" || true
  assert_events "end.result == 'exhausted' and end.attempts == 2"
}

@test "--watch: the other stream is inherited" {
  local what
  for what in stdout stderr both; do
    "$BACKOFF" -n 1 --watch="$what" --stop-if=never -- sh -c '
      { for fd in 4 5; do [ -p "/dev/fd/$fd" ] && echo pipe || echo file; done; } \
        4>&1 5>&2 >"$BATS_TEST_TMPDIR/$0"' "$what" >"$got" 2>"$said"
  done
  assert_equal "$(paste -sd' ' "$BATS_TEST_TMPDIR/stdout")" 'pipe file'
  assert_equal "$(paste -sd' ' "$BATS_TEST_TMPDIR/stderr")" 'file pipe'
  assert_equal "$(paste -sd' ' "$BATS_TEST_TMPDIR/both")" 'pipe pipe'
}

@test "--watch: a bad value is answered with the good ones" {
  run -125 "$BACKOFF" --watch=stdin -- true
  assert_output 'backoff: --watch: stdin: expected both, stdout or stderr'
}

@test "the last line of stderr follows in quotes if stderr is watched" {
  gives 'exit 7 "second"' --stop-if=never -- sh -c 'echo out; echo first >&2; echo second >&2; exit 7'
  gives "output matches 'out' \"err\"" --stop-if=out -- sh -c 'echo err >&2; echo out; exit 7'
  gives 'exit 7' --stop-if=never -- sh -c 'echo out; exit 7'
  "$BACKOFF" -n 1 -- sh -c 'echo err >&2; exit 7' 2>"$said" || true
  reason 'exit 7'
}

@test "the last line of stderr is that of the last attempt" {
  run -7 "$BACKOFF" -n 2 -b 0 --stop-if=never --log-file="$said" -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -eq 2 ] || echo one >&2; exit 7'
  [[ $(sed -n 1p "$said") == *': exit 7 "one"; next in '* ]]
  [[ $(sed -n 2p "$said") == *': exit 7' ]]
}

@test "a line of stderr is not repeated on the same stderr" {
  local log
  for log in '' --log-file=/dev/stderr --log-file=/dev/fd/2 "--log-file=$said"; do
    : >"$said"
    "$BACKOFF" -n 2 -b 0 --stop-if=never ${log:+"$log"} -- \
      sh -c 'echo why >&2; exit 7' 2>>"$said" || true
    assert_equal "$(grep -c why "$said")" 2
    assert_equal "$(grep -c ': exit 7' "$said")" 2
  done
}

@test "JSON on the same stderr quotes it nevertheless" {
  "$BACKOFF" -n 1 --stop-if=never --log-format=json -- \
    sh -c 'echo why >&2; exit 7' 2>"$said" || true
  assert_equal "$(grep -c '"reason":"exit 7","line":"why"' "$said")" 2
}

@test "a held line that is dropped is quoted, one that is released is not" {
  "$BACKOFF" -oall -n 2 -b 0 --stop-if=never -- \
    sh -c 'echo "why $BACKOFF_ATTEMPT" >&2; exit 7' 2>"$said" || true
  assert_equal "$(sed 's/ after [0-9.]*[mu]*s:/ after T:/; s/ in [0-9.]*[mu]*s:/ in T:/' "$said")" \
    'backoff: sh: attempt 1/2 failed after T: exit 7 "why 1"; next in 0s
why 2
backoff: sh: giving up after 2 attempts in T: exit 7'
}

@test "the last line of stderr is one with something in it" {
  gives 'exit 7 "words"' --stop-if=never -- sh -c 'printf "words \r\n\n  \n" >&2; exit 7'
  gives 'exit 7 "LINE 1: FROM"' --stop-if=never -- \
    sh -c 'printf "LINE 1: FROM\n        ^\n" >&2; exit 7'
  gives 'exit 7 "100 of 100 bytes"' --stop-if=never -- \
    sh -c 'printf "  0 of 100 bytes\r100 of 100 bytes\r\n" >&2; exit 7'
  gives 'exit 7 "half"' --stop-if=never -- sh -c 'printf "whole\nhalf" >&2; exit 7'
}

@test "control characters and quotes in it are replaced" {
  gives 'exit 7 "a?b?c?[31md?e?f"' --stop-if=never -- \
    sh -c 'printf "a\001b\tc\033[31md\177e\"f\n" >&2; exit 7'
  gives 'exit 7 "a?b"' --stop-if=never -- sh -c 'printf "a\0b\n" >&2; exit 7'
}

@test "at most 120 bytes of it are quoted" {
  local x
  x=$(head -c 119 /dev/zero | tr '\0' x)
  gives "exit 7 \"${x}y\"" --stop-if=never -- sh -c 'echo "$0yz" >&2; exit 7' "$x"
  gives "exit 7 \"${x}y\"" --stop-if=never -- sh -c 'echo "$0y" >&2; exit 7' "$x"
  gives "exit 7 \"${x:9}\"" --stop-if=never -- sh -c 'echo "$0" >&2; exit 7' "${x:9}"
}

@test "stdout that is held is not taken for stderr, though both are one" {
  mkfifo "$go"
  export events
  # Its line of stderr has been seen before stdout is looked at.
  reads read:4 tell:"$go" -- sh -c 'exec "$BACKOFF" -o -n 1 --stop-if=never \
    --log-format=json --log-file="$events" -- sh -c "echo err >&2; read -r go <\"\$go\"; echo out; exit 7" 2>&1'
  ended 'exited 7'
  [[ $(tail -n 1 "$events") == *'"reason":"exit 7","line":"err"'* ]] || fail "$(tail -n 1 "$events")"
}

@test "the last line of held stderr is shown as well" {
  gives 'exit 7 "words"' -oall --stop-if=never -- sh -c 'echo words >&2; echo out; exit 7'
}
