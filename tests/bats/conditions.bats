#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Conditions on the output: --success-if, --retry-if, --throttle-if and
# --stop-if, and that watching the output does not change it.

load helper
load ../lib/tree

setup() {
  go=$BATS_TEST_TMPDIR/go
  full=$BATS_TEST_TMPDIR/full
  export go full BATS_TEST_TMPDIR
}

# verdict WANTED OPTION... -- COMMAND...: checks the verdict of its attempt; sets reason.
verdict() {
  local wanted=$1 verdict
  shift
  logged -n 1 "$@" >"$got" 2>"$said" || true
  judged
  assert_equal "$*: $verdict" "$*: $wanted"
}

# A COMMAND under HOLD_TERM that fills its stdout, and when it has heard by
# $full that this is so, says by $go that it was told to end. (What fills it
# has no part in bats, which waits for whoever has its fd 3.)
chatter='yes 3>&- & read -r _ <"$full"; '$until_term'; kill -KILL $!; echo >"$go"; exit 3'

# --- the verdict ---

# unit/judge/outcome.c has what decides where there is none.
@test "a match decides the verdict, whatever the status is, and before CODES" {
  verdict stop --stop-if=line -- sh -c 'echo line'
  verdict success --success-if=line -- sh -c 'echo line >&2; kill -KILL $$'
  verdict throttle --throttle-if=line --stop-on=any -- sh -c 'echo line; exit 7'
  verdict retry --retry-if=line -x 7 -- sh -c 'echo line; exit 7'
  verdict retry --success-if=line -- echo other
}

@test "a match decides the verdict on a timeout" {
  need_proc
  # shellcheck disable=SC2034 # for logged
  under=("${HOLD_TERM[@]}")
  verdict stop -t 50ms --stop-if=line -- bash -c "echo line; $until_term"
}

@test "a match counts for its own attempt only, and so does half a line" {
  run logged -n 2 -b 0 --throttle-if=line --stop-if=abcd -- \
    sh -c 'if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then echo line; printf ab; else printf cd; fi; exit 7'
  assert_events '[a.verdict for a in attempts] == ["throttle", "retry"]'
  verdict retry --stop-if=abcd -- sh -c 'printf ab; printf cd >&2; exit 7'
}

@test "only what is looked at is a pipe, the rest is inherited" {
  local kinds='{ for fd in 4 5; do [ -p "/dev/fd/$fd" ] && echo pipe || echo file; done; } \
    4>&1 5>&2 >"$BATS_TEST_TMPDIR/kinds"' option wanted
  while read -r option wanted; do
    "$BACKOFF" -n 1 "$option" -- sh -c "$kinds" >"$got" 2>"$said"
    assert_equal "$option $(paste -sd' ' "$BATS_TEST_TMPDIR/kinds")" "$option $wanted"
  done <<'TABLE'
--stop-if=never pipe pipe
--tool=rsync file pipe
--verbose file file
TABLE
}

@test "a stream that goes round by another descriptor is not looked at, and comes out" {
  verdict retry --stop-if=line -- sh -c 'exec sh -c "echo line >&2; exit 7" 2>&3' 3>"$got"
  assert_equal "$(<"$got")" line
}

# --- lines ---

@test "memory does not grow with the output" {
  need_proc
  # kB of the most that was ever resident, before and after 64 MiB.
  "$BACKOFF" -qq --stop-if='never [t]o be found' -- sh -c '
    most() { sed -n "s/^VmHWM:[^0-9]*//p" "/proc/$PPID/status"; }
    head -c 1000000 /dev/zero; head -c 1000000 /dev/zero | tr "\0" "\n"; most >&2
    head -c 32M /dev/zero; seq 4000000; most >&2' 2>"$said" >/dev/null
  { read -r before _; read -r after _; } <"$said"
  [ $((after - before)) -le 1024 ] || fail "from $before to $after kB"
}

# --- the output itself ---

@test "output is seen while the command runs, even half a line" {
  mkfifo "$go"
  # The command goes on only when what it wrote has been read.
  for written in 'echo one; read -r go <"$go"; echo two' 'printf "one "; read -r go <"$go"; echo two' \
    'exec >&2; echo one; read -r go <"$go"; echo two'; do
    reads 'exited 0' --both read:4 tell:"$go" -- "$BACKOFF" --stop-if=never -- sh -c "$written"
    assert_equal "$(xargs <"$got")" 'one two'
  done
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

@test "what is in the pipe when the command ends is passed on, and looked at" {
  need_proc
  mkfifo "$go"
  # More than our stdout takes, which nobody reads before the command has
  # ended; its last line is what decides. Whom it has left behind may read what
  # there was for it on stdin, a page, but no more.
  reads 'exited 1' full hear:"$go" read -- sh -c 'seq 20000 | "$BACKOFF" "$@"' sh -qq --stop-if='^the end$' -- sh -c '
    exec 4<&0
    { while grep -q "PPid:.$PPID\$" /proc/$$/status; do sleep 0.02; done; cat <&4 >late; echo >"$go"; } \
      >/dev/null 2>&1 3>&- &
    head -c 110000 /dev/zero | tr "\0" "\n"; printf "the end"'
  [ "$(stat -c %s late)" -le "$(getconf PAGESIZE)" ]
  cmp "$got" <(head -c 110000 /dev/zero | tr '\0' '\n'; printf 'the end')
}

@test "a grandchild that keeps the pipe open does not delay backoff" {
  TEST_MARK=$MARKS/mine run -1 --separate-stderr "$BACKOFF" -qq -n 1 --stop-if='^the end$' -- \
    sh -c 'TEST_MARK=$MARKS/left sleep 1000 3>&- & printf "the end"'
  wait_for alive left
  assert_output 'the end'
}

@test "what a grandchild of an earlier attempt writes does not count for a later one" {
  mkfifo "$go" "$BATS_TEST_TMPDIR/done"
  TEST_MARK=$MARKS/mine run logged -n 2 -b 0 --stop-if=stale -- sh -c 'if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then
      { trap "" PIPE; read -r go <"$go"; echo stale || echo refused >refused; echo >"$BATS_TEST_TMPDIR/done"; } 2>/dev/null 3>&- &
      exit 7
    fi
    echo >"$go"; read -r done <"$BATS_TEST_TMPDIR/done"; exit 8'
  assert_events '[a.verdict for a in attempts] == ["retry", "retry"]'
  refute_output --partial stale
  assert_equal "$(<refused)" refused
}

@test "if the reader goes away, or is not there, the command gets PIPE, as without backoff" {
  for watch in '' "$BACKOFF -qq -n1 --stop-if=never --"; do
    # shellcheck disable=SC2086 # several words
    reads 'killed PIPE' read:2 close -- $watch yes
    # shellcheck disable=SC2086
    reads 'exited 1' --ignore PIPE read:2 close -- $watch yes
    # What cannot be written is no success, though COMMAND has ended well.
    # shellcheck disable=SC2086
    reads 'killed PIPE' close -- $watch sh -c 'echo lost; sleep 0.1'
  done
  reads '(exited [1-9].*|killed .*)' --ignore PIPE close -- "$BACKOFF" -qq -n1 --stop-if=never -- /bin/echo lost
}

@test "a stdout without a reader does not affect stderr" {
  reads 'exited 7' close -- "$BACKOFF" -qq -n1 --stop-if=never -- \
    sh -c 'trap "" PIPE; seq 100000; echo words >&2; exit 7'
  grep -qx words "$said"
}

@test "output for a closed stdout is not lost silently, that for a closed stderr is dropped, and that is no failure" {
  run -125 bash -c '"$BACKOFF" --stop-if=never -- echo lost 2>"$1" >&-' - "$said"
  assert_equal "$(wc -l <"$said")" 1
  grep -q 'output could not be passed on: Bad file descriptor$' "$said"
  run -0 bash -c '"$BACKOFF" --stop-if=never -- true 2>"$1" >&-' - "$said"
  run -0 sh -c '"$BACKOFF" --stop-if=never -- sh -c "echo seen; echo unseen >&2" 2>&-'
  assert_output seen
  run -7 sh -c '"$BACKOFF" -n 1 --stop-if=seen -- sh -c "echo seen >&2; exit 7" 2>&- >&-'
  assert_output ''
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

# After the command no more is taken than a pipe can have held at its end.
@test "a leftover process that writes for ever is not listened to for ever" {
  need_strace
  # So that the pipe is full again at each read.
  strace -qq -o "$BATS_TEST_TMPDIR/trace" -e trace=read,wait4 -e inject=read:delay_enter=5000 \
    "$BACKOFF" -qq -n 1 --stop-if=never -- \
    sh -c 'yes 3>&- & sleep 0.1; kill -s TERM $PPID; exit 3' >/dev/null || true
  run -0 awk -v most="$(has_answer peek && echo 65536 || echo 1048576)" '/^wait4.* = [1-9]/ { ended = 1 }
    ended && /^read/ && sub(/.* = /, "") && $1 > 0 { count += $1 }
    END { print ended && count <= most ? "ended" : count }' "$BATS_TEST_TMPDIR/trace"
  assert_output ended
}

@test "a slow reader does not stop a timeout, nor a signal" {
  need_proc
  mkfifo "$go" "$full"
  reads 'exited 124' full tell:"$full" hear:"$go" read -- "${HOLD_TERM[@]}" \
    "$BACKOFF" -n 1 -t 300ms -k 1h --stop-if=never -- bash -c "$chatter"
  grep -q 'timed out after 300ms' "$said"
  reads 'exited 3' full tell:"$full" kill:TERM hear:"$go" read -- "${HOLD_TERM[@]}" \
    "$BACKOFF" --stop-if=never -- bash -c "$chatter"
  grep -q 'interrupted by TERM' "$said"
}

@test "a slow reader, when the command has ended, does not stop a signal either" {
  need_proc
  mkfifo "$go"
  reads 'killed TERM' full hear:"$go" kill:TERM end -- "$BACKOFF" --stop-if=never -- sh -c '
    { while grep -q "PPid:.$PPID\$" /proc/$$/status; do sleep 0.02; done; echo >"$go"; } >/dev/null 2>&1 3>&- &
    head -c 100000 /dev/zero'
}

@test "a slow reader of stdout does not keep stderr back" {
  mkfifo "$go" "$BATS_TEST_TMPDIR/seen"
  # The reader goes on only when the command has seen its words arrive.
  reads 'exited 0' full tell:"$go" hear:"$BATS_TEST_TMPDIR/seen" read -- "$BACKOFF" --stop-if=never -- sh -c '
    yes 2>/dev/null 3>&- &
    read -r go <"$go"
    echo words >&2
    until grep -qx words "$BATS_TEST_TMPDIR/said"; do sleep 0.02; done
    kill $!
    echo >"$BATS_TEST_TMPDIR/seen"'
}

@test "a shared description is never made non-blocking" {
  need_proc
  for kind in pipe terminal socket; do
    reads 'exited 0' --stdout "$kind" --both -- sh -c '"$BACKOFF" -qq --stop-if=never -- sh -c "echo some
        sed -n \"s/^flags:[ 	]*//p\" /proc/\$PPID/fdinfo/1 /proc/\$PPID/fdinfo/2 \
          >\"\$BATS_TEST_TMPDIR/flags\""
      sed -n "s/^flags:[ 	]*//p" /proc/self/fdinfo/1 >>"$BATS_TEST_TMPDIR/flags"'
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
lines = open(slave, "rb")
print(lines.readline() + lines.readline())
PYTHON
  assert_equal "$(cat "$got")" "b'one\ntwo\n'"
}

@test "a description that is non-blocking gets all there is" {
  seq 100000 >"$BATS_TEST_TMPDIR/big"
  reads 'exited 0' --stdout nonblocking full read -- "$BACKOFF" --stop-if=never -- cat "$BATS_TEST_TMPDIR/big"
  cmp "$got" "$BATS_TEST_TMPDIR/big"
  reads 'exited 0' --stdout socket -- "$BACKOFF" --stop-if=never -- cat "$BATS_TEST_TMPDIR/big"
  cmp "$got" "$BATS_TEST_TMPDIR/big"
}

# --- together with --hold ---

@test "what is written at a timeout arrives whole, in a file and in a pipe" {
  need_proc
  local command='
import os, signal, sys, time
def last(*_):
    os.write(1, b"x" * 60000)
    os._exit(3)
signal.signal(signal.SIGTERM, last)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
time.sleep(1000)'
  local cut=("${HOLD_TERM[@]}" "$BACKOFF" -qq -n 1 -t 200ms -k 1h --stop-if=never -- python3 -S -c "$command")
  "${cut[@]}" >"$got" || true
  assert_equal "$(stat -c %s "$got")" 60000
  "${cut[@]}" | cat >"$got"
  assert_equal "$(stat -c %s "$got")" 60000
}

@test "if the reader has gone when the rest is written, the log still has its end" {
  # Stopped while COMMAND writes and ends, we find both at once.
  mkfifo pipe
  exec 8<>pipe
  exec 9>pipe
  start_logged -n 1 -i inherit --stop-if=never -- \
    sh -c 'echo >started; while [ ! -e go ]; do sleep 0.05; done; echo x' >&9 8<&-
  wait_for test -e started
  stop
  touch go
  wait_for stopped_and_dead
  exec 8<&- 9>&-
  signal CONT
  wait "$pid" || true
  run tail -n 1 "$events"
  assert_output --partial '"event":"end"'
}

# --- output that is held, where stdout and stderr are one open file ---

# as_one OPTION... -- COMMAND: runs it with both outputs in one pipe. Sets
# end to how many attempts it made, and how it ended.
as_one() {
  logged -n 2 -b 0 "$@" 2>&1 | cat >"$got"
  end=$(sed -n 's/.*"event":"end".*"result":"\([a-z]*\)","attempts":\([0-9]*\),.*/\1 \2/p' "$events")
  [ -n "$end" ] || fail 'no end in the log'
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

@test "what a leftover tee still writes is in its place among the held lines" {
  need_answer file_writers
  # On a slow machine it may be too late, but not each time.
  as_one -n 100 -oall --success-if='^late$' -- bash -c '
    echo out; exec 2> >(cat >&2; echo late >&2); echo err >&2; exit 7'
  assert_equal "${end% *}" success
  assert_equal "$(<"$got")" $'out\nerr\nlate'
}

# --- reasons and quotes in the log ---

@test "the last line of the last attempt's stderr is quoted, if it is watched or held" {
  verdict stop --stop-if=one --stop-if=two --retry-if=out -- sh -c 'echo first >&2; echo err >&2; echo out; echo two; exit 7'
  assert_equal "$reason" "output matches 'two' \"err\""
  verdict retry -oall -- sh -c 'echo words >&2; echo out; exit 7'
  assert_equal "$reason" 'exit 7 "words"'
  verdict retry -- sh -c 'echo err >&2; exit 7'
  assert_equal "$reason" 'exit 7'
  run -7 logged -n 2 -b 0 --stop-if=never -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 2 ] || echo one >&2; exit 7'
  assert_events '[a.line for a in attempts] == ["one", None]'
}

@test "a line of stderr is not repeated on the same stderr, but in JSON" {
  for log in '' --log-file=/dev/stderr --log-file=/dev/fd/2 "--log-file=$said"; do
    : >"$said"
    "$BACKOFF" -n 2 -b 0 --stop-if=never ${log:+"$log"} -- \
      sh -c 'echo why >&2; exit 7' 2>>"$said" || true
    assert_equal "$(grep -c why "$said")" 2
    assert_equal "$(grep -c ': exit 7' "$said")" 2
  done
  "$BACKOFF" -n 1 --stop-if=never --log-format=json -- sh -c 'echo why >&2; exit 7' 2>"$said" || true
  assert_equal "$(grep -c '"reason":"exit 7","line":"why"' "$said")" 2
}

@test "a held line that is dropped is quoted, one that is released is not, but in JSON" {
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
  logged -oall -n 1 -- sh -c 'seq 99999 >&2; echo last; exit 7' >"$got" 2>&1 || [ $? -eq 7 ]
  assert_events 'end.line == "last"'
  assert_equal "$(tail -n 2 "$got" | xargs)" '99999 last'
}

@test "stdout that is held is not taken for stderr, though both are one" {
  mkfifo "$go"
  export events
  # Its line of stderr has been seen before stdout is looked at.
  reads 'exited 7' read:4 tell:"$go" -- sh -c 'exec "$BACKOFF" -o -n 1 --stop-if=never \
    --log-format=json --log-file="$events" -- sh -c "echo err >&2; read -r go <\"\$go\"; echo out; exit 7" 2>&1'
  [[ $(tail -n 1 "$events") == *'"reason":"exit 7","line":"err"'* ]] || fail "$(tail -n 1 "$events")"
}
