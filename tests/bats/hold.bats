#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Held output: what an attempt writes is released after its verdict, once.

load helper
load ../lib/tree

setup() {
  go=$BATS_TEST_TMPDIR/go
  over=$BATS_TEST_TMPDIR/over
  big=$BATS_TEST_TMPDIR/big
  # More than any pipe holds.
  seq 100000 >"$big"
  export go over big BATS_TEST_TMPDIR
}

# writes STATUS ARG...: runs it, below the ${under[@]} of events.bash, and it ends
# so; its stdout is in $got, its stderr in $said.
writes() {
  local ended=0
  "${under[@]}" "$BACKOFF" "${@:2}" >"$got" 2>"$said" || ended=$?
  assert_equal "$ended: $*" "$1: $*"
}

# holds FILE LINE...: checks that FILE consists of these lines.
holds() {
  local file=$1
  shift
  if [ $# -eq 0 ]; then
    assert_equal "$(cat "$file")" ''
  else
    assert_equal "$(cat "$file")" "$(printf '%s\n' "$@")"
  fi
}

# tells REGEX...: checks that stderr consists of lines that match these in full.
tells() {
  local line
  mapfile -t lines <"$said"
  [ ${#lines[@]} -eq $# ] || fail "$# lines expected: $(cat "$said")"
  for line in "${lines[@]}"; do
    [[ $line =~ ^$1$ ]] || fail "'$line' is not '$1'"
    shift
  done
}

TIME='[0-9]+[0-9hm.]*(m?s|us|ns)?'

# --- what comes out ---

@test "nothing comes out before the verdict" {
  writes 0 -n 1 -oall -- sh -c 'echo out; echo err >&2
    ! [ -s "$BATS_TEST_TMPDIR/got" ] && ! [ -s "$BATS_TEST_TMPDIR/said" ]'
  holds "$got" out
  holds "$said" err
}

@test "-o and --hold hold stdout, or with =all both, each for its own stream; what follows is the command" {
  local option attempts='echo "out $BACKOFF_ATTEMPT"; echo "err $BACKOFF_ATTEMPT" >&2; [ "$BACKOFF_ATTEMPT" -eq 2 ]'
  for option in -o --hold -ostdout --hold=stdout -oall --hold=all; do
    writes 0 -b 0 -q "$option" -- sh -c "$attempts"
    holds "$got" 'out 2'
    if [[ $option == *all ]]; then
      holds "$said" 'err 2'
    else
      holds "$said" 'err 1' 'err 2'
    fi
  done
  writes 0 -o echo all
  holds "$got" all
  writes 0 --hold echo stdout
  holds "$got" stdout
}

@test "--consecutive releases only the completing run's output" {
  writes 0 -o -b 0 --consecutive=3 -- sh -c 'echo "attempt $BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -ne 2 ]'
  holds "$got" 'attempt 5'
  # A streak that the attempts do not complete is a failure.
  writes 1 -o -q -b 0 -n 3 --consecutive=3 -- sh -c 'echo "attempt $BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -ne 1 ]'
  holds "$got"
  tells 'attempt 3' '.*: giving up after 3 attempts .*'
}

@test "a release leaves nothing open" {
  need_proc
  need_answer open_again # else a start may have its pipe at that moment
  counted=(--at-end='ls /proc/$PPID/fd | wc -l >count' echo all)
  "$BACKOFF" "${counted[@]}" >file
  not_held=$(<count)
  "$BACKOFF" -o "${counted[@]}" | cat
  assert_equal "$(<count)" "$not_held"
}

# --- output after a failure ---

@test "giving up: the last attempt's stdout is on stderr, before the closing line" {
  writes 7 -o -b 0 -n 2 -- sh -c 'echo "out $BACKOFF_ATTEMPT"; echo "err $BACKOFF_ATTEMPT" >&2; exit 7'
  holds "$got"
  tells 'err 1' '.*: attempt 1/2 failed .*' 'err 2' 'out 2' \
    '.*: giving up after 2 attempts in .*: exit 7'
}

@test "released or watched output that has no newline at its end has the closing line below it" {
  writes 7 -o -n 1 -- sh -c 'printf out; exit 7'
  tells out '.*: giving up after 1 attempt in .*: exit 7'
  for option in -oall --stop-if=never; do
    writes 7 "$option" -n 1 -- sh -c 'printf err >&2; exit 7'
    tells err '.*: giving up after 1 attempt in .*: exit 7'
  done
  writes 7 --stop-if=never -n 1 -- sh -c 'printf out; exit 7'
  tells '.*: giving up after 1 attempt in .*: exit 7'
}

# unit/loop has all ends that release it.
@test "a stop, a timeout and a death release the output too" {
  need_proc
  writes 7 -o -x 7 -- sh -c 'echo stopped; exit 7'
  tells stopped '.*: not retrying .*'
  run -134 bash -c '"$BACKOFF" -o -n 1 -- sh -c "echo dead; kill -ABRT \$\$" >"$1" 2>"$2"' \
    - "$got" "$said"
  tells dead '.*: killed by ABRT'
  under=("${HOLD_TERM[@]}")
  writes 124 -o -n 1 -t 50ms -- bash -c "echo late; $until_term"
  tells late '.*: timed out .*'
}

@test "interrupted in an attempt: what it had written is released" {
  mkfifo "$go"
  start -- "$BACKOFF" -o -- sh -c 'echo half; echo >"$go"; exec sleep 1000'
  read -r <"$go"
  dies_by TERM
  holds "$out"
  said=$err
  tells half '.*: interrupted by TERM after 1 attempt .*'
}

@test "a broken stdout does not hide what a failure wrote to stderr" {
  got=/dev/full writes 7 -oall -n 1 -- sh -c 'echo out; echo why >&2; exit 7'
  tells why '.*: held output could not be written: No space left on device' \
    '.*: giving up .*'
}

@test "output of a failure that cannot be written: the status stays, and the log says so" {
  need_writable /dev/full
  run -7 bash -c '"$BACKOFF" -o -n 1 --log-file="$1" -- sh -c "echo out; exit 7" 2>/dev/full' - "$said"
  run -0 sed 's/^[^ ]* //' "$said"
  assert_line --index 0 'backoff: sh: held output could not be written: No space left on device'
  assert_line --index 1 --regexp '^backoff: sh: giving up after 1 attempt in .*: exit 7$'
}

# --- where the command writes ---

@test "rule 68: the command writes into a file without a name, which nobody else may open; what is not held is inherited" {
  need_proc
  writes 0 -oall -- sh -c 'stat -Lc "%f %h" /proc/self/fd/1 /proc/self/fd/2'
  # A regular file of mode 0600, with no links.
  holds "$got" '8180 0' '8180 0'
  writes 0 -o -- sh -c 'readlink "/proc/$PPID/fd/2" /proc/$$/fd/2'
  holds "$got" "$said" "$said"
}

@test "the file is in TMPDIR, and vanishes; where that is empty or missing, it is in /var/tmp" {
  need_proc
  need_answer file_in_memory # else there is another one
  mkdir "$BATS_TEST_TMPDIR/tmp"
  TMPDIR=$BATS_TEST_TMPDIR/tmp writes 0 -o -- sh -c 'readlink /proc/self/fd/1; ls -A "$TMPDIR"'
  [[ $(<"$got") == "$(readlink -f "$BATS_TEST_TMPDIR")"/tmp/*' (deleted)' ]]
  [ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
  need_writable /var/tmp
  TMPDIR='' writes 0 -o -- readlink /proc/self/fd/1
  [[ $(<"$got") == "$(readlink -f /var/tmp)"/* ]]
  unset TMPDIR
  writes 0 -o -- readlink /proc/self/fd/1
  [[ $(<"$got") == "$(readlink -f /var/tmp)"/* ]]
}

@test "if nothing can be held, backoff fails with 125 and names the option, and the command is not started" {
  for option in --hold --quiet-success; do
    for directory in "$BATS_TEST_TMPDIR/none" /proc; do
      TMPDIR=$directory run -125 "$BACKOFF" "$option" -b 0 -- touch "$BATS_TEST_TMPDIR/started"
      assert_output --regexp "^backoff: $option: TMPDIR $directory: [A-Z][^:]*\$"
      [ ! -e "$BATS_TEST_TMPDIR/started" ]
    done
  done
}

@test "if the next attempt's output cannot be held, the last one's is released, with the reason" {
  local TMPDIR=$BATS_TEST_TMPDIR/tmp option
  export TMPDIR
  for option in -o -oall --quiet-success; do
    mkdir "$TMPDIR"
    writes 125 "$option" -q -b 0 -- sh -c 'echo out; rm -r "$TMPDIR"; exit 7'
    # The output, once, and then why there is no more.
    assert_equal "$option: $(cat "$got" "$said" | sed 's/ in [0-9.]*[mu]*s:/ in T:/; /next in/d')" "$option: out
backoff: sh: cannot start attempt 2/8: held output: No such file or directory"
  done
}

@test "rule 68: what an earlier attempt left running cannot write into a later one's output" {
  mkfifo "$go" "$over"
  TEST_MARK=$MARKS/mine writes 0 -o -b 0 -- sh -c 'if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then
      { read -r word <"$go"; echo stale; echo >"$over"; } &
      exit 1
    fi
    echo before; echo >"$go"; read -r word <"$over"; echo after'
  holds "$got" before after
}

@test "a grandchild that keeps the held streams open does not delay backoff" {
  TEST_MARK=$MARKS/mine writes 0 -oall -- sh -c 'TEST_MARK=$MARKS/left sleep 1000 3>&- & echo err >&2'
  wait_for alive left
  holds "$said" err
}

@test "what a grandchild writes while its output is released is not waited for" {
  mkfifo "$go" "$over"
  TEST_MARK=$MARKS/mine reads 'exited 0' read:1 tell:"$go" hear:"$over" -- "$BACKOFF" -o -- sh -c '
    { read -r word <"$go"; echo late; echo >"$over"; } 3>&- &
    exec cat "$big"'
  cmp "$got" "$big"
}

@test "a disk that is full of held output is named as the place of it" {
  need_mounts
  export small=$BATS_TEST_TMPDIR/small
  mkdir "$small"
  local little=("${namespace[@]}" sh -c 'mount -t tmpfs -o size=64k none "$small" &&
    TMPDIR=$small exec "$BACKOFF" -o -n 1 -- sh -c "head -c 1M /dev/zero 2>/dev/null; exit $0" 2>&1 >/dev/null')
  run -3 "${little[@]}" 3
  assert_line --regexp 'giving up after 1 attempt in .*: exit 3 \(output is held in '"$small"', which is full\)$'
  # A success, too, may have lost what it wrote.
  run -0 "${little[@]}" 0
  assert_output "backoff: sh: output may be cut short: it is held in $small, which is full"
  run -3 "$BACKOFF" -o -n 1 -- sh -c 'echo out; exit 3'
  refute_output --partial 'is full'
}

@test "rule 68: a second opening of /dev/stdout appends, and makes no holes" {
  writes 0 -o -- bash -c 'echo first; echo second >>/dev/stdout; echo third; echo fourth >>/dev/stdout'
  holds "$got" first second third fourth
  # This one truncates what was there, as it asks for that.
  writes 0 -o -- bash -c 'echo first; echo second >/dev/stdout; echo third'
  holds "$got" second third
}

@test "rule 69: a limit on file sizes is the command's failure, and is retried" {
  # (python3, and so what it starts, may ignore XFSZ.)
  start -- bash -c 'ulimit -f 16; exec "$BACKOFF" --log-file="$1" -o -b 0 -n 2 -- \
    sh -c "[ \$BACKOFF_ATTEMPT -eq 2 ] || exec head -c 1000000 /dev/zero; echo fine"' \
    - "$BATS_TEST_TMPDIR/log"
  assert_fate 'exited 0'
  holds "$out" fine
  grep -q 'attempt 1/2 failed after .*: killed by XFSZ; next' "$BATS_TEST_TMPDIR/log"
  # What was held, and does not fit where stdout is, is no signal of ours either.
  head -c 16384 /dev/zero >"$got"
  run -125 bash -c 'ulimit -f 16; exec "$BACKOFF" -o -n 1 echo fine >>"$1"' - "$got"
}

@test "with --hold=all stdout and stderr that are one keep their order, to stdout" {
  "$BACKOFF" -oall -- bash -c 'for i in {1..200}; do echo "out $i"; echo "err $i" >&2; done' >"$got" 2>&1
  cmp "$got" <(for i in {1..200}; do echo "out $i"; echo "err $i"; done)
  run -7 bash -c '"$BACKOFF" -q -oall -n 1 -- bash -c "echo 1 >&2; echo 2; echo 3 >&2; exit 7" >"$1" 2>&1' \
    - "$got"
  holds <(head -n 3 "$got") 1 2 3
  [[ $(tail -n 1 "$got") == *': giving up '* ]]
  [ "$(wc -l <"$got")" -eq 4 ]
}

# --- the release ---

@test "rule 70: a release appends to a file opened for appending, else starts at the offset of stdout, and advances it" {
  echo before >"$got"
  "$BACKOFF" -o -- cat "$big" >>"$got"
  cmp "$got" <(echo before; seq 100000)
  { echo before; "$BACKOFF" -o -- echo held; echo after; } >"$got"
  holds "$got" before held after
}

@test "rule 70: a release survives short writes, and waits for room in a pipe that somebody made non-blocking" {
  for kind in socket terminal 'nonblocking full'; do
    # shellcheck disable=SC2086 # the words
    reads 'exited 0' --stdout $kind -- "$BACKOFF" -o -- cat "$big"
    tr -d '\r' <"$got" | cmp - "$big"
  done
}

@test "rule 70: a release does not make a shared description non-blocking" {
  need_proc
  {
    "$BACKOFF" -o -- cat "$big"
    sed -n 's/^flags:[ 	]*//p' /proc/self/fdinfo/1 >"$said"
  } | cat >"$got"
  cmp "$got" "$big"
  [ $((0$(cat "$said") & 04000)) -eq 0 ]
}

@test "the file of the next attempt may take the place of the last one's" {
  need_answer file_in_memory
  need_mounts
  run -0 "${namespace[@]}" sh -c 'mkdir small && mount -t tmpfs -o nr_inodes=2 none small &&
    TMPDIR=$PWD/small exec "$BACKOFF" -q -o -b 0 -- sh -c "echo \$BACKOFF_ATTEMPT; [ \$BACKOFF_ATTEMPT = 3 ]"'
  assert_output 3
}

@test "rule 70: a full disk is 125, and the reason is printed even with -qq and --quiet-success, and for a pass" {
  local got=/dev/full
  writes 125 -qq -o -- echo lost
  tells "backoff: echo: failed after 1 attempt in $TIME: output could not be passed on: No space left on device"
  writes 125 --quiet-success --pass-on=1 -- sh -c 'echo lost; exit 1'
  tells '.*: output could not be passed on: No space left on device'
}

@test "a closed stdout is 125, unless there is nothing to write" {
  run -125 bash -c '"$BACKOFF" -o -- echo lost 2>"$1" >&-' - "$said"
  tells '.*: output could not be passed on: Bad file descriptor'
  run -0 bash -c '"$BACKOFF" -o -- true 2>"$1" >&-' - "$said"
  holds "$said"
  got=/dev/full writes 0 -o -- true
  holds "$said"
}

@test "a reader that goes away before the release, in it, or with a full pipe: we die by PIPE" {
  reads 'killed PIPE' close -- "$BACKOFF" -o -- echo lost
  reads 'killed PIPE' read:5 close -- "$BACKOFF" -o -- cat "$big"
  assert_equal "$(wc -c <"$got")" 5
  reads 'killed PIPE' full close -- "$BACKOFF" -o -- cat "$big"
  reads 'killed PIPE' --stdout nonblocking full close -- "$BACKOFF" -o -- cat "$big"
}

@test "rule 31: where PIPE is ignored, a reader that has gone away is 125" {
  reads 'exited 125' --ignore PIPE close -- "$BACKOFF" -o -- echo lost
  tells '.*: output could not be passed on: Broken pipe'
  reads 'exited 125' --ignore PIPE full close -- "$BACKOFF" -o -- cat "$big"
  tells '.*: output could not be passed on: Broken pipe'
}

@test "giving up to a stderr without a reader changes nothing of how we end" {
  reads 'exited 7' --both --ignore PIPE close -- "$BACKOFF" -o -n 1 -- sh -c 'echo lost; exit 7'
}

@test "rule 71: a signal ends a release that is stuck on a full pipe, at once, and it is not repeated" {
  local name runs=0
  for name in HUP TERM; do
    reads "killed $name" full kill:"$name" end -- "$BACKOFF" -o -b 0 -- sh -c 'echo run >>runs; cat "$big"'
    assert_equal "$(wc -l <runs)" $((++runs))
    # What came out is the beginning of the output.
    cmp -n "$(wc -c <"$got")" "$got" "$big"
  done
  reads 'killed TERM' --stdout nonblocking full kill:TERM end -- "$BACKOFF" -o -- cat "$big"
}

@test "rule 71: a signal ends a stuck release of a failure, too" {
  reads 'killed TERM' full kill:TERM end -- sh -c 'exec "$BACKOFF" -q -o -n 1 -- sh -c "cat \"\$big\"; exit 7" 2>&1'
}

# A COMMAND that writes much and succeeds when it is told to end.
answers=(sh -c 'trap "cat \"\$big\"; exit 0" TERM; echo >"$go"; while :; do sleep 0.02; done')

@test "rule 71: told to end in an attempt that then succeeds, one signal ends a release that stalls" {
  mkfifo "$go"
  TEST_MARK=$MARKS/mine reads 'killed TERM' hear:"$go" kill:TERM end -- "$BACKOFF" -o -n 1 -- "${answers[@]}"
  tells '.*: interrupted by TERM after 1 attempt in .*'
  # As much has come out as there was room for.
  [ "$(stat -c %s "$got")" -ge 65536 ]
  cmp -n "$(stat -c %s "$got")" "$got" "$big"
}

@test "told to end in an attempt that then succeeds, a release that need not wait is whole" {
  mkfifo "$go"
  start -- "$BACKOFF" -o -n 1 -- "${answers[@]}"
  read -r <"$go"
  signal TERM
  assert_fate 'exited 0'
  cmp "$out" "$big"
}

@test "rule 71: a signal ends a release of --quiet-success that is stuck at its log" {
  reads 'killed TERM' --both full kill:TERM end -- "$BACKOFF" --quiet-success -b 0 -n 2 \
    --name="$(head -c 70000 /dev/zero | tr '\0' x)" -- false
}

@test "rule 13: a signal that was ignored when we started does not end a release, nor does one of --wake-on" {
  reads 'exited 0' --ignore HUP full kill:HUP read -- "$BACKOFF" -o -- cat "$big"
  cmp "$got" "$big"
  reads 'exited 0' full kill:HUP read -- "$BACKOFF" --wake-on=HUP -o -- cat "$big"
  cmp "$got" "$big"
}

# --- --quiet-success ---

@test "--quiet-success prints nothing on a success after failures, of hooks neither, but in a --log-file" {
  local hooks=(--before-retry='echo before; echo err >&2' --at-end='echo end')
  writes 0 --quiet-success -v -b 0 "${hooks[@]}" -- sh -c 'echo out; echo err >&2; [ "$BACKOFF_ATTEMPT" -eq 2 ]'
  holds "$got"
  holds "$said"
  writes 0 --quiet-success --log-file=log -b 0 -- sh -c '[ "$BACKOFF_ATTEMPT" -eq 2 ]'
  holds "$said"
  grep -q 'attempt 1/8 failed' log
  writes 1 --quiet-success -b 0 -n 2 "${hooks[@]}" -- false
  run cut -d : -f 3- "$said"
  assert_output --regexp ' attempt 1/2 failed .*
before
err
 giving up .*
end'
}

@test "--quiet-success says nothing until it gives up: the log, the last attempt's output and the closing line" {
  writes 7 --quiet-success -b 0 -n 3 --before-retry='! [ -s "$BATS_TEST_TMPDIR/said" ]' -- \
    sh -c 'echo "out $BACKOFF_ATTEMPT"; echo "err $BACKOFF_ATTEMPT" >&2; exit 7'
  holds "$got" 'out 3'
  tells '.*: attempt 1/3 failed .*' '.*: attempt 2/3 failed .*' 'err 3' '.*: giving up after 3 attempts .*'
}

@test "--quiet-success interrupted in a pause shows the log and the last output" {
  start -- "$BACKOFF" --quiet-success --log-format=json -b 1h -j none -- sh -c 'echo out; : >"$over"; exit 7'
  # Nothing announces the pause: it comes when the command is gone.
  wait_for test -e "$over"
  wait_for eval '[ -z "$(child_of "$pid")" ]'
  dies_by TERM
  holds "$out" out
  cp "$err" "$events"
  assert_events 'len(attempts) == 1' 'end.result == "interrupted"'
}

@test "--quiet-success releases the output of a pass, and says nothing of it" {
  writes 1 --quiet-success -b 0 --pass-on=1 -- \
    sh -c 'echo "out $BACKOFF_ATTEMPT"; echo "err $BACKOFF_ATTEMPT" >&2; exit $((3 - BACKOFF_ATTEMPT))'
  holds "$got" 'out 2'
  holds "$said" 'err 2'
}

# As for another user's pipe, which cannot be opened again either.
@test "without /proc, output waits for a reader that is slow, and is whole, and a signal ends the wait" {
  ! has_sanitizers "$BACKOFF" || skip 'the sanitizers need /proc'
  need_mounts
  local without=("${namespace[@]}" sh -c '
    mount -t tmpfs none /proc && exec "$BACKOFF" -o -- sh -c "yes | head -c 300000"')
  reads "exited 0" full read -- "${without[@]}"
  assert_equal "$(wc -c <"$got")" 300000
  reads "killed TERM" full kill:TERM end -- "${without[@]}"
  reads "killed TERM" --stdout terminal full kill:TERM end -- "${without[@]}"
}
