#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The log of a run: lines of text, and events as JSON.

load helper
load ../lib/events
load ../lib/process

# A duration in a line of text.
DUR='([0-9]+(\.[0-9])?s|[0-9]+[mun]?s|[0-9]+m([0-9]+s)?|[0-9]+h([0-9]+m)?)'

# tells STATUS ARG...: runs it, under the command in $under if there is one, and it
# ends so; what it said on stderr is in the array heard, line by line.
tells() {
  local ended=0
  "${under[@]}" "$BACKOFF" "${@:2}" >out 2>err || ended=$?
  assert_equal "$ended: $*" "$1: $*"
  mapfile -t heard <err
}

# said REGEX...: these lines and no others, in full; DUR is any duration.
said() {
  local line regex
  [ "${#heard[@]}" -eq $# ] || fail "$# lines expected: $(printf '%s\n' "${heard[@]}")"
  for line in "${heard[@]}"; do
    regex="^${1//DUR/$DUR}\$"
    [[ $line =~ $regex ]] || fail "'$line' is not '$1'"
    shift
  done
}

# --- text ---

@test "a command that succeeds at once, or passes: backoff prints nothing" {
  tells 0 true
  said
  tells 0 -n 3 -t 1m -T 1h --splay=1ms --stop-on=7 -- sh -c 'echo out; echo err >&2'
  said err
  assert_equal "$(<out)" out
  tells 1 --pass-on=1 -- sh -c 'exit 1'
  said
}

@test "a failed attempt is one line: who, which, how long, why, and when next" {
  tells 0 -d 20ms,30ms -- sh -c "$(fails_then_succeeds 2 count)"
  said 'backoff: sh: attempt 1/3 failed after DUR: exit 7; next in 20ms' \
    'backoff: sh: attempt 2/3 failed after DUR: exit 7; next in 30ms'
  # The last one has just the closing line.
  tells 7 -n 2 -d 1ms -- sh -c 'exit 7'
  said 'backoff: sh: attempt 1/2 failed after DUR: exit 7; next in 1ms' \
    'backoff: sh: giving up after 2 attempts in DUR: exit 7'
}

@test "-q prints only the line with which backoff gives up, and twice nothing, as text or JSON" {
  tells 7 -q -n 3 -b 1ms -- sh -c 'exit 7'
  said 'backoff: sh: giving up after 3 attempts in DUR: exit 7'
  tells 124 --quiet -T 1s -- sleep 60
  said 'backoff: sleep: deadline reached after 1 attempt in DUR: timed out after DUR'
  tells 0 -q -b 1ms -- sh -c "$(fails_then_succeeds 2 count)"
  said
  for option in -qq '-q --quiet' '-qq --log-format=json'; do
    # shellcheck disable=SC2086 # several options
    tells 7 $option -n 2 -b 1ms -- sh -c 'exit 7'
    said
  done
}

@test "-v tells of a success, and of a pass and its status" {
  tells 0 -v -b 1ms --jitter=none -- sh -c "$(fails_then_succeeds 2 count)"
  [[ ${heard[-1]} == 'backoff: sh: succeeded at attempt 3/8 in '* ]]
  tells 1 -v --pass-on=1 -- sh -c 'exit 1'
  said "${heard[0]}" 'backoff: sh: passed at attempt 1/8 in DUR \(exit 1\)'
}

# What -v adds where the processes of COMMAND cannot be seen, and how it tells of one.
unseen=() killed='sleep \([0-9]+\)'
has_answer processes ||
  unseen=('backoff: .*: signalled only the command and, .*') killed='process [0-9]+'

@test "-v tells what --kill-after had to kill, if anything" {
  need_proc
  local over='backoff: sleep: giving up after 1 attempt in DUR: timed out after DUR'
  tells 124 -v -n 1 -t 50ms -- sleep 60
  said "${heard[0]}" "${unseen[@]}" "$over"
  local under=("${HOLD_TERM[@]}")
  tells 124 -v -n 1 -t 50ms -k 50ms -- sleep 1000
  said "${heard[0]}" \
    "backoff: sleep: --kill-after had to kill $killed" "${unseen[@]}" "$over"
  has_answer processes || return 0
  # Not if bash is too slow, and so killed as well.
  for after in 50ms 2s 8s; do
    tells 124 -v -n 1 -t 50ms -k "$after" -- bash -c "sleep 1000 & $until_term"
    [[ ${heard[1]} != *"kill sleep ("* ]] || return 0
  done
  fail "${heard[1]}"
}

# unit/words/message has the counting.
@test "from the tenth failure with the same reason only every tenth is told; -v, a log file and JSON tell all" {
  local all='attempt .*: exit 7; next in 0s$'
  tells 7 -n 25 -b 0 -- sh -c 'exit 7'
  assert_equal "$(grep -c "$all" "$BATS_TEST_TMPDIR/err")" 10
  assert_regex "${heard[10]}" "^backoff: sh: attempts 11 to 20 failed, the last after $DUR: exit 7; next in 0s\$"
  tells 7 -v -n 12 -b 0 -- sh -c 'exit 7'
  assert_equal "$(grep -c "$all" "$BATS_TEST_TMPDIR/err")" 11
  tells 7 --log-file="$BATS_TEST_TMPDIR/log" -n 12 -b 0 -- sh -c 'exit 7'
  assert_equal "$(grep -c "$all" "$BATS_TEST_TMPDIR/log")" 11
  run -7 logged -n 12 -b 0 -- sh -c 'exit 7'
  assert_events '[a.reason for a in attempts] == ["exit 7"] * 12'
}

@test "a quote that is the one of the line before is left out, but the closing line is read alone" {
  tells 7 -oall --log-file="$BATS_TEST_TMPDIR/log" -n 3 -d 1ms -- sh -c 'echo boom >&2; exit 7'
  mapfile -t heard < <(cut -d ' ' -f 2- "$BATS_TEST_TMPDIR/log")
  said 'backoff: sh: attempt 1/3 failed after DUR: exit 7 "boom"; next in 1ms' \
    'backoff: sh: attempt 2/3 failed after DUR: exit 7; next in 1ms' \
    'backoff: sh: giving up after 3 attempts in DUR: exit 7 "boom"'
}

@test "a pause of a minute or more is told with its end by the local clock, on another day with its date" {
  local over='backoff: sh: interrupted by TERM after 1 attempt in DUR'
  local first='backoff: sh: attempt 1/3 failed after DUR: exit 7; next in '
  pauses_for() {
    TZ=XYZ-05:30 start -- "$BACKOFF" -d "$1" -- sh -c 'exit 7'
    await_pause
    dies_by TERM
    mapfile -t heard <"$err"
  }
  pauses_for 59s,1s
  said "${first}59s" "$over"
  pauses_for 90m,1s
  said "${first}1h30m, at [0-9: -]+" "$over"
  [ $(((86400 + $(date +%s) + 5401 - $(TZ=XYZ-05:30 date -d "${heard[0]##* at }" +%s)) % 86400)) -lt 100 ]
  pauses_for 48h,1s
  said "${first}2d, at [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}" "$over"
}

@test "-v prints the options as they were written, and where the others come from" {
  tells 0 -v -n 1 -b 2s --stop-if='den(ied)' --stop-if=x -oall --at-end=': "$HOME"' -i null -- printf 'done\n'
  assert_equal "${heard[0]}" "backoff: printf: options: --verbose --attempts=1 --base=2s --stop-if='den(ied)' \
--stop-if=x --hold=all --at-end=': \"\$HOME\"' --stdin=null; default: --factor=3 --cap=30s --floor=200ms --jitter=full"
  tells 0 -v --preset=ethernet --base=5.12us -n 1 -- true
  assert_equal "${heard[0]}" "backoff: true: options: --verbose --preset=ethernet --base=5.12us --attempts=1; \
preset ethernet: --factor=2 --growth=binary --cap=inf --jitter=full --floor=0 max-exponent=10 slot-time=base"
}

@test "--name stands in every line, without its control characters, else the base name of COMMAND does" {
  tells 7 --name=$'nightly\nb\xc3\xa4ckup' -n 2 -d 20ms -- sh -c 'exit 7'
  said $'backoff: nightly\\?b\xc3\xa4ckup: attempt 1/2 failed after DUR: exit 7; next in 20ms' \
    $'backoff: nightly\\?b\xc3\xa4ckup: giving up after 2 attempts in DUR: exit 7'
  tells 1 -n 1 -- "$(type -P false)"
  said 'backoff: false: giving up after 1 attempt in DUR: exit 1'
}

@test "rule 76: each line is one write, in a log file, too" {
  need_strace
  local arguments told trace=$BATS_TEST_TMPDIR/trace log=$BATS_TEST_TMPDIR/log
  for arguments in '' "--log-file=$log" "--log-file=$log --log-format=json"; do
    rm -f "$log"
    # shellcheck disable=SC2086 # several options
    strace -o "$trace" -e trace=write,writev -s 1000 \
      "$BACKOFF" $arguments -n 3 -b 1ms -- false 2>"$BATS_TEST_TMPDIR/err" || true
    sed -i '/^write([0-9]*, "\\0", 1) *= 1$/d' "$trace" # of a pipe for signals
    [ -e "$log" ] || mv "$BATS_TEST_TMPDIR/err" "$log"
    told=$(wc -l <"$log")
    [ "$told" -ge 3 ]
    assert_equal "$(grep -c '^write([0-9]*, "\([^\\]\|\\"\)*\\n", ' "$trace")" "$told"
    assert_equal "$(grep -c '^write' "$trace")" "$told"
  done
}

# leaves NOTE ARG...: the lines of that run, in which the NOTE follows the reason.
leaves() {
  tells 7 "${@:2}"
  assert_equal "$(sed 's/.*: exit 7//; s/; next in 1ms$//' err | paste -sd '|')" "$1"
}

@test "output that a failed attempt leaves in stdout's file is told of once, with the way out" {
  local note=" (its 4096 bytes stay in stdout's file; -o keeps only what succeeds)"
  local writes='head -c 4096 /dev/zero; exit 7' second='[ "$BACKOFF_ATTEMPT" -eq 1 ] || head -c 4096 /dev/zero; exit 7'
  leaves "$note||" -n 3 -d 1ms -- sh -c "$writes"
  leaves "|$note|" -n 3 -d 1ms -- sh -c "$second"
  # Nothing comes behind that of the last attempt.
  leaves '|' -n 2 -d 1ms -- sh -c "$second"
  leaves '||' -n 2 -d 1ms -o -- sh -c 'echo "held: exit 7"; exit 7'
  # A file that holds more already.
  head -c 9999 /dev/zero >page
  "$BACKOFF" -n 2 -d 1ms -- sh -c "$writes" 1<>page 2>said || [ $? -eq 7 ]
  assert_equal "$(sed 's/.*: exit 7//; s/; next in 1ms$//; 2d' said)" "$note"
  # Where the line is left out, it stands in the next one that is not.
  "$BACKOFF" -n 21 -b 0 -- sh -c '[ "$BACKOFF_ATTEMPT" -lt 12 ] || head -c 4096 /dev/zero; exit 7' >page 2>said ||
    [ $? -eq 7 ]
  run -0 grep -c 'attempts 11 to 20 .*4096 bytes stay' said
  # Not of a file in which stderr is, too, nor of a pipe.
  "$BACKOFF" -n 2 -d 1ms -- sh -c 'echo one; exit 7' >>both 2>&1 || [ $? -eq 7 ]
  run -1 grep stay both
  "$BACKOFF" -n 2 -d 1ms -- sh -c 'echo one; exit 7' 2>said | cat || :
  run -1 grep stay said
  logged -n 3 -b 0 -- sh -c "$writes" >page || [ $? -eq 7 ]
  assert_events "[(n.what, f' ({n.reason})') for n in news] == [('stdout', \"$note\")]"
}

# --- a log file ---

@test "--log-file takes the log instead of stderr, with the local time, and all of it" {
  local time='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+0530'
  before=$(date +%s)
  for option in --verbose --quiet -qq; do
    rm -f "$BATS_TEST_TMPDIR/log"
    TZ=XYZ-05:30 tells 7 $option --log-file="$BATS_TEST_TMPDIR/log" -n 2 -d 20ms -- sh -c 'exit 7'
    said
    mapfile -t heard < <(grep -v ': options: ' "$BATS_TEST_TMPDIR/log")
    said "$time backoff: sh: attempt 1/2 failed after DUR: exit 7; next in 20ms" \
      "$time backoff: sh: giving up after 2 attempts in DUR: exit 7"
  done
  stamp=$(date -d "${heard[0]%% *}" +%s)
  [ "$before" -le "$stamp" ] && [ "$stamp" -le "$(date +%s)" ]
}

@test "--log-file appends" {
  echo 'kept' >"$BATS_TEST_TMPDIR/log"
  tells 7 --log-file="$BATS_TEST_TMPDIR/log" -n 1 -- \
    sh -c 'echo "from elsewhere" >>"$1"; exit 7' sh "$BATS_TEST_TMPDIR/log"
  tells 8 --log-file="$BATS_TEST_TMPDIR/log" -n 1 -- sh -c 'exit 8'
  mapfile -t heard <"$BATS_TEST_TMPDIR/log"
  said kept 'from elsewhere' '.*backoff: sh: giving up .*: exit 7' \
    '.*backoff: sh: giving up .*: exit 8'
}

@test "--log-file=/dev/fd/N is that descriptor: a file, a socket" {
  local log=$BATS_TEST_TMPDIR/log
  tells 7 --log-file=/dev/fd/5 -n 1 -- sh -c 'exit 7' 5>>"$log"
  run -0 cat "$log"
  assert_output --partial 'giving up after 1 attempt'
  reads 'exited 7' --stdout socket -- "$BACKOFF" --log-file=/dev/fd/1 -n 1 -- sh -c 'exit 7'
  grep -q 'giving up after 1 attempt' "$got"
}

@test "--log-file=/dev/stdout and /dev/stderr are those, even in a file that has them both" {
  local log=$BATS_TEST_TMPDIR/log name
  for name in stdout stderr; do
    "$BACKOFF" --log-file=/dev/$name -n 2 -b 1ms -- sh -c 'echo one; echo two >&2; exit 7' \
      >"$log" 2>&1 || [ $? -eq 7 ]
    run -0 cat "$log"
    assert_line --index 2 --partial 'attempt 1/2 failed'
    assert_line --index 3 one
    assert_line --index 4 two
    assert_line --index 5 --partial 'giving up after 2 attempts'
  done
}

@test "a log file that cannot be written is told of once on stderr, but not with -q" {
  need_writable /dev/full
  local lost='backoff: false: cannot write the log \(/dev/full: No space left on device\)' format
  for format in text json; do
    tells 1 --log-format=$format --log-file=/dev/full -n 3 -b 0 -- false
    said "$lost"
    tells 1 -q --log-format=$format --log-file=/dev/full -n 3 -b 0 -- false
    said
  done
  # Held back for cron, as the rest is.
  tells 0 --log-file=/dev/full --quiet-success -v -- true
  said
  tells 1 --log-file=/dev/full --quiet-success -n 2 -b 0 -- false
  said "$lost"
}

@test "a limit on the size of files costs the lines, not the attempts" {
  local file=$BATS_TEST_TMPDIR/lines
  run -7 sh -c 'ulimit -f 0
    exec "$BACKOFF" -n 2 --base=0 -- sh -c "exit 7" 2>"$1"' - "$file"
  run -7 sh -c 'ulimit -f 0
    exec "$BACKOFF" -n 2 --base=0 --log-file="$1" -- sh -c "exit 7"' - "$file"
}

# A line longer than a pipe comes out in part before its reader stalls.
@test "after a line that was cut short the next one starts on a new line" {
  export go=$BATS_TEST_TMPDIR/go over=$BATS_TEST_TMPDIR/over
  mkfifo "$go" "$over"
  for kind in pipe nonblocking; do
    reads 'exited 1' --stdout "$kind" --both hear:"$go" read:65536 tell:"$over" end -- \
      "$BACKOFF" --name="$(head -c 70000 /dev/zero | tr '\0' x)" -b 0 -n 2 \
      --before-retry='echo >"$go"; read -r _ <"$over"' -- false
    assert_equal "$(head -c 65600 "$got" | tail -n +2 | cut -c 1-14)" 'backoff: xxxxx'
  done
}

# --- JSON ---

@test "the events of a success after failures, to the letter" {
  before=$(date +%s)
  run -0 logged -b 1ms --jitter=none -- sh -c "$(fails_then_succeeds 2 count)"
  assert_output ''
  assert_events \
    'start.attempts == 8 and start.name == "sh" and start.command == "sh"' \
    'len(attempts) == 3' \
    '[a.outcome for a in attempts] == ["exited"] * 3' \
    '[a.status for a in attempts] == [7, 7, 0]' \
    '[a.verdict for a in attempts] == ["retry", "retry", "success"]' \
    '[a.reason for a in attempts] == ["exit 7", "exit 7", "exit 0"]' \
    '[a.pause_s for a in attempts] == [1*ms, 3*ms, None]' \
    'all(a.duration_s > 0 for a in attempts)' \
    'end.result == "success" and end.status == 0 and end.attempts == 3' \
    'end.elapsed_s >= 4*ms + sum(a.duration_s for a in attempts)'
  stamp=$(sed -n '1s/^{"time":"\([^"]*\)".*/\1/p' "$events")
  stamp=$(date -d "$stamp" +%s)
  [ "$before" -le "$stamp" ] && [ "$stamp" -le "$(date +%s)" ]
}

@test "JSON goes to stderr where no file is named, with -v, too, and is all there is" {
  for option in --name=x -v; do
    tells 7 "$option" --log-format=json -n 2 -b 1ms -- sh -c 'exit 7'
    cp err "$events"
    assert_events 'len(attempts) == 2' 'attempts[1].pause_s is None' \
      'end.result == "exhausted"' 'end.reason == "exit 7"'
  done
}

@test "an event begins on a new line where what is watched or held has ended within one" {
  # writes OPTION... -- COMMAND...: fails; is_whole: that log is, without what COMMAND wrote.
  writes() {
    "$BACKOFF" --log-format=json -n 2 -b 0 "$@" || [ $? -eq 7 ]
  }
  is_whole() {
    sed -i '/^50%$/d' "$events"
    assert_events 'len(attempts) == 2'
  }
  for option in --stop-if=never -oall '-o --stop-if=never' '--quiet-success --stop-if=never'; do
    # shellcheck disable=SC2086 # several options
    writes $option -- sh -c 'printf 50%% >&2; exit 7' 2>"$events"
    is_whole
  done
  # One file for both.
  for option in -o --stop-if=never; do
    writes $option -- sh -c 'printf 50%%; exit 7' >"$events" 2>&1
    is_whole
  done
}

# assert_interrupted SIGNAL: ends the run in the background; sets status.
assert_interrupted() {
  kill "-$1" "$pid"
  status=0
  wait "$pid" || status=$?
  [ "$status" -gt 128 ]
  assert_events "end.result == 'interrupted' and end.status == $status"
}

@test "an end line is written when a signal ends an attempt, a pause or the splay" {
  start_logged sh -c 'echo >"$1"; exec sleep 60' sh "$BATS_TEST_TMPDIR/ready"
  wait_for test -s "$BATS_TEST_TMPDIR/ready"
  assert_interrupted TERM
  assert_events 'attempts[0].outcome == "killed" and attempts[0].signal == "TERM"' \
    'attempts[0].pause_s is None'
  start_logged -d 1h -- sh -c 'exit 7'
  in_pause
  assert_interrupted HUP
  assert_events 'attempts[0].pause_s == 3600*s'
  start_logged --splay=1h..2h -n inf -- true
  wait_for grep -qs '"start"' "$events"
  assert_interrupted TERM
  assert_events 'attempts == [] and start.attempts is None'
}

@test "what goes wrong after the verdict is an event, in its order, before the end" {
  need_strace
  need_writable /dev/full
  local told='[(n.what, n.reason) for n in news]' call='?vfork,?fork,clone,?clone3'
  under=(strace -qq -o /dev/null -e trace="$call" -e inject="$call:error=EAGAIN:when=2")
  logged -n 1 -o --at-end=: -- sh -c 'echo lost; exit 3' 2>/dev/full || [ $? -eq 3 ]
  under=()
  assert_events "$told == [('output', 'No space left on device'),
    ('--at-end', 'Resource temporarily unavailable')]" 'end.status == 3'
  logged -o -- echo lost >/dev/full || [ $? -eq 125 ]
  assert_events "$told == [('output', 'No space left on device')]" \
    'end.result == "error" and end.status == 125'
  run -7 logged -n 2 -b 0 -- sh -c 'echo after=soon >"$BACKOFF_HINT"; exit 7'
  assert_events "$told == [('BACKOFF_HINT', 'no time can be read in \"after=soon\"')]"
}

# The name is so long that a second line does not fit into a page.
@test "a disk that fills up costs lines of the log, which says so when there is room again" {
  need_mounts
  mkdir small
  for where in --log-file=log --quiet-success; do
    for format in text json; do
      in_mounts '
        mount -t tmpfs -o size=64k none small && cd small && : >log
        TMPDIR=. "$BACKOFF" '"$where --log-format=$format"' -v -b 0 -n 4 --name="$(printf %03000d 0)" -- sh -c "
          case \$BACKOFF_ATTEMPT in 1) head -c 1M /dev/zero >filler;; 3) rm filler;; esac 2>/dev/null
          exit 7" 2>said || cat log said' >lines
      "${PYTHON[@]}" - "$format" lines <<'END'
import json, re, sys
def whole(line):
    if sys.argv[1] == "text":
        return re.match(r"(\S+ )?backoff: 0{3000}: .*(default: |exit 7|device)", line)
    try:
        return json.loads(line)
    except ValueError:
        return False
lines = open(sys.argv[2]).read().splitlines()
torn = [n for n, line in enumerate(lines) if not whole(line)]
lost = [n for n, line in enumerate(lines) if "No space left on device" in line]
assert torn == [1] and lost == [2] and len(lines) == 5 + (sys.argv[1] == "json"), (torn, lost, [line[-120:] for line in lines])
END
    done
  done
}

@test "the id is a UUID, one for all events, and another one in every run, also with the same --seed" {
  local ids=() seed
  for seed in 1 1 2; do
    run -0 logged --seed="$seed" -- true
    assert_events '__import__("uuid").UUID(start.id).version == 4'
    ids+=("$(grep -o '"id":"[^"]*"' "$events" | sort -u)")
  done
  assert_equal "$(printf '%s\n' "${ids[@]}" | sort -u | wc -l)" 3
}

@test "--name is the name in each event, the first word alone the command" {
  run -1 logged --name='a "b"' -n 2 -b 0 -- /bin/sh -c 'exit 1' secret
  assert_equal "$(grep -c '","name":"a \\"b\\"",' "$events")" 4
  assert_events 'start.command == "/bin/sh"'
  run -1 grep secret "$events"
}

@test "a locale with a decimal comma changes nothing" {
  localedef -i de_DE -f UTF-8 "$BATS_TEST_TMPDIR/de_DE.UTF-8" ||
    skip "localedef cannot make de_DE"
  # The shell warns: it does not look at LOCPATH any more.
  export LOCPATH=$BATS_TEST_TMPDIR LC_ALL=de_DE.UTF-8 2>/dev/null
  [ "$(locale decimal_point)" = , ] || skip "libc does not load the locale"
  run -7 logged -n 3 -b 1.5ms -f 1.5 -j 0.0 -- sh -c 'exit 7'
  assert_events 'pauses == [1500*us, 2250*us]'
  run -125 "$BACKOFF" --base=1,5 -- true
}
