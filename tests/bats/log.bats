#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The log of a run: lines of text, and events as JSON.
#
# shellcheck disable=SC2030,SC2031 # each test has a process of its own
# shellcheck disable=SC2154 # the helpers set these

load helper
load ../lib/events
load ../lib/process

setup() {
  count=$BATS_TEST_TMPDIR/count
}

# A duration in a line of text.
DUR='([0-9]+(\.[0-9])?s|[0-9]+[mun]?s|[0-9]+m([0-9]+s)?|[0-9]+h([0-9]+m)?)'

# tells ARG...: run it, under the command in $under if there is one; what it said on stderr is in $said, line by line.
tells() {
  status=0
  "${under[@]}" "$BACKOFF" "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" ||
    status=$?
  mapfile -t said <"$BATS_TEST_TMPDIR/err"
}

# said REGEX...: these lines and no others, in full; DUR is any duration.
said() {
  local line regex
  [ "${#said[@]}" -eq $# ] || fail "$# lines expected: $(printf '%s\n' "${said[@]}")"
  for line in "${said[@]}"; do
    regex="^${1//DUR/$DUR}\$"
    [[ $line =~ $regex ]] || fail "'$line' is not '$1'"
    shift
  done
}

# --- text ---

@test "a command that succeeds at once: backoff prints nothing" {
  tells true
  said
  [ "$status" -eq 0 ]
  tells -n 3 -t 1m -T 1h --splay=1ms --stop-on=7 -- sh -c 'echo out; echo err >&2'
  said err
  [ "$(cat "$BATS_TEST_TMPDIR/out")" = out ]
}

@test "a failed attempt is one line: who, which, how long, why, and when next" {
  tells -d 20ms,30ms -- sh -c "$(fails_then_succeeds 2 "$count")"
  [ "$status" -eq 0 ]
  said 'backoff: sh: attempt 1/3 failed after DUR: exit 7; next in 20ms' \
    'backoff: sh: attempt 2/3 failed after DUR: \(same as before\); next in 30ms'
}

@test "the last attempt has just its closing line" {
  tells -d 1ms,1ms -- sh -c 'exit 7'
  [ "$status" -eq 7 ]
  said 'backoff: sh: attempt 1/3 failed after DUR: exit 7; next in 1ms' \
    'backoff: sh: attempt 2/3 failed after DUR: \(same as before\); next in 1ms' \
    'backoff: sh: giving up after 3 attempts in DUR: exit 7'
}

@test "an only attempt has just its closing line" {
  tells -n 1 -- sh -c 'exit 7'
  said 'backoff: sh: giving up after 1 attempt in DUR: exit 7'
}

@test "with unlimited attempts the lines have no limit" {
  tells -n inf -b 1ms --jitter=none -- sh -c "$(fails_then_succeeds 1 "$count")"
  said 'backoff: sh: attempt 1 failed after DUR: exit 7; next in 1ms'
  tells -n inf --stop-on=7 -- sh -c 'exit 7'
  said 'backoff: sh: not retrying after attempt 1: exit 7 \(--stop-on\)'
}

@test "a stop says that it is not retried" {
  tells --base=1ms --jitter=none --stop-on=8 -- \
    sh -c '[ "$BACKOFF_ATTEMPT" -gt 1 ] && exit 8; exit 7'
  [ "$status" -eq 8 ]
  said 'backoff: sh: attempt 1/8 failed after DUR: exit 7; next in 1ms' \
    'backoff: sh: not retrying after attempt 2/8: exit 8 \(--stop-on\)'
}

@test "a pass says nothing" {
  tells --pass-on=1 -- sh -c 'exit 1'
  [ "$status" -eq 1 ]
  said
}

@test "a killed attempt names the signal" {
  tells -n 1 -- sh -c 'kill -SEGV $$'
  said 'backoff: sh: giving up after 1 attempt in DUR: killed by SEGV'
  tells -- sh -c 'kill -INT $$'
  said 'backoff: sh: not retrying after attempt 1/8: killed by INT'
}

@test "a timeout says its length" {
  tells -n 2 -d 1ms -t 50ms -- sleep 60
  [ "$status" -eq 124 ]
  said 'backoff: sleep: attempt 1/2 failed after DUR: timed out after DUR; next in 1ms' \
    'backoff: sleep: giving up after 2 attempts in DUR: timed out after DUR'
}

@test "a missing command is 'not found', with a hint if a shell can help" {
  local missed='backoff: .*: not retrying after attempt 1/8: not found'
  tells no-such-command-of-ours
  [ "$status" -eq 127 ]
  said "$missed \(a shell function or builtin\? export -f it, then: backoff bash -c 'NAME \"\\\$@\"' _ \.\.\.\)"
  tells 'curl -fsS http://localhost/'
  [ "$status" -eq 127 ]
  said "$missed \(one word with blanks: write the words apart, or sh -c '\.\.\.'\)"
  tells NO_SUCH=/bin/true true
  [ "$status" -eq 127 ]
  said "$missed \(env NAME=\.\.\. COMMAND\)"
  tells "$BATS_TEST_TMPDIR/no-such-command"
  [ "$status" -eq 127 ]
  said 'backoff: no-such-command: not retrying after attempt 1/8: not found'
}

@test "a command that cannot be run says why in the system's words" {
  tells "$BATS_TEST_TMPDIR"
  [ "$status" -eq 126 ]
  said "backoff: ${BATS_TEST_TMPDIR##*/}: not retrying after attempt 1/8: Permission denied"
}

@test "a deadline that cuts an attempt has its own line" {
  tells -T 1s -- sleep 60
  [ "$status" -eq 124 ]
  said 'backoff: sleep: deadline reached after 1 attempt in DUR: timed out after DUR'
}

@test "no time for another attempt has its own line" {
  # The first attempt takes a quarter of it: twice that is kept back.
  local limit
  for limit in 2 8 32; do
    tells -T "$limit" -b 1h --jitter=none -- \
      sh -c '[ "$BACKOFF_ATTEMPT" -gt 1 ] || sleep "$0"; exit 7' \
      "$(printf '%d.%02d' $((limit / 4)) $((limit * 25 % 100)))"
    [ "${#said[@]}" -ne 2 ] || break
  done
  [ "$status" -eq 7 ]
  said 'backoff: sh: attempt 1 failed after DUR: exit 7; next in DUR' \
    'backoff: sh: no time for another attempt after 2 in DUR: exit 7'
}

@test "an interrupted pause says by what" {
  "$BACKOFF" -d 1ms,1h -- sh -c 'exit 7' 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  pid=$!
  wait_for grep -q 'next in 1h' "$BATS_TEST_TMPDIR/err"
  kill -TERM "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 143 ]
  mapfile -t said <"$BATS_TEST_TMPDIR/err"
  said 'backoff: sh: attempt 1/3 failed after DUR: exit 7; next in 1ms' \
    'backoff: sh: attempt 2/3 failed after DUR: \(same as before\); next in 1h' \
    'backoff: sh: interrupted by TERM after 2 attempts in DUR'
}

@test "an interrupted attempt says by what" {
  mkfifo "$BATS_TEST_TMPDIR/ready"
  "$BACKOFF" -- sh -c 'echo >"$1"; exec sleep 60' sh "$BATS_TEST_TMPDIR/ready" \
    2>"$BATS_TEST_TMPDIR/err" 3>&- &
  pid=$!
  read -r _ <"$BATS_TEST_TMPDIR/ready"
  kill -HUP "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 129 ]
  mapfile -t said <"$BATS_TEST_TMPDIR/err"
  said 'backoff: sh: interrupted by HUP after 1 attempt in DUR'
}

@test "a success within a streak says how far it is" {
  tells --consecutive=3 -b 20ms --jitter=none -- true
  [ "$status" -eq 0 ]
  said 'backoff: true: attempt 1/8 succeeded, 1 of 3 in a row; next in 20ms' \
    'backoff: true: attempt 2/8 succeeded, 2 of 3 in a row; next in 20ms'
}

@test "a throttled attempt says so" {
  tells -n 2 -b 1ms --jitter=none --throttle-on=9 -- sh -c 'exit 9'
  [ "$status" -eq 9 ]
  said 'backoff: sh: attempt 1/2 throttled: exit 9; next in 5ms' \
    'backoff: sh: giving up after 2 attempts in DUR: exit 9'
}

@test "after a reset the lines give both counts" {
  # Only the second attempt is to run that long.
  local limit
  for limit in 1 6 30; do
    tells -n 2 -b 1ms --jitter=none --reset-after="${limit}s" -- \
      sh -c '[ "$BACKOFF_ATTEMPT" -ne 2 ] || sleep "$0.1"; exit 7' "$limit"
    [ "${#said[@]}" -ne 3 ] || break
  done
  said 'backoff: sh: attempt 1/2 failed after DUR: exit 7; next in 1ms' \
    'backoff: sh: attempt 2 \(1/2 since the reset\) failed after DUR: \(same as before\); next in 1ms' \
    'backoff: sh: giving up after 3 attempts in DUR: exit 7'
}

@test "durations read 850ms, 4.1s, 9s, 1m30s, 2h5m" {
  local pause
  for pause in 850ms 4.1s 9s 1m30s 2h5m; do
    "$BACKOFF" -d "$pause" -- false 2>"$BATS_TEST_TMPDIR/$pause" 3>&- &
    pid=$!
    wait_for grep -qs 'next in' "$BATS_TEST_TMPDIR/$pause"
    kill -TERM "$pid" || true # the shorter ones may be over
    wait "$pid" || true
    run -0 head -n 1 "$BATS_TEST_TMPDIR/$pause"
    assert_output --regexp "; next in $pause\$"
  done
}

@test "-q prints only the line with which backoff gives up" {
  tells -q -n 3 -b 1ms -- sh -c 'exit 7'
  said 'backoff: sh: giving up after 3 attempts in DUR: exit 7'
  tells --quiet --stop-on=7 -- sh -c 'exit 7'
  said 'backoff: sh: not retrying after attempt 1/8: exit 7 \(--stop-on\)'
  tells -q -T 1s -- sleep 60
  said 'backoff: sleep: deadline reached after 1 attempt in DUR: timed out after DUR'
  tells -q -b 1ms -- sh -c "$(fails_then_succeeds 2 "$count")"
  said
}

@test "-q twice prints nothing" {
  local option
  for option in -qq '-q -q' '--quiet --quiet' '-q --quiet -q'; do
    # shellcheck disable=SC2086 # several options
    tells $option -n 2 -b 1ms -- sh -c 'exit 7'
    [ "$status" -eq 7 ]
    said
  done
  tells -qq -- no-such-command-of-ours
  [ "$status" -eq 127 ]
  said
}

@test "-v tells of a success too" {
  tells -v -b 1ms --jitter=none -- sh -c "$(fails_then_succeeds 2 "$count")"
  [ "$status" -eq 0 ]
  last=${said[-1]}
  said=("$last")
  said 'backoff: sh: succeeded at attempt 3/8 in DUR'
}

@test "the rule that made it a stop is named, beside what a tool says" {
  local stopped='backoff: [a-z]+: not retrying after attempt 1/8'
  tells --retry-on=8 -- sh -c 'exit 7'
  said "$stopped: exit 7 \(not in --retry-on\)"
  tells --retry-on=8 -t 50ms -- sleep 60
  said "$stopped: timed out after DUR \(not in --retry-on\)"
  tells --stop-on=timeout -t 50ms -- sleep 60
  said "$stopped: timed out after DUR \(--stop-on\)"
  tells --retry-on=8 -- sh -c 'kill -SEGV $$'
  said "$stopped: killed by SEGV \(not in --retry-on\)"
  tells --retry-if=later -- sh -c 'exit 7'
  said "$stopped: exit 7 \(no line matches --retry-if\)"
  tells --tool=sysexits --stop-on=75 -- sh -c 'exit 75'
  said "$stopped: exit 75 \([a-z ]+\) \(--stop-on\)"
  tells --tool=sysexits -- sh -c 'exit 64'
  said "$stopped: exit 64 \([a-z ]+\)"
  tells -- sh -c 'kill -INT $$'
  said "$stopped: killed by INT"
}

@test "-v tells of a pass and its status" {
  tells -v --pass-on=1 -- sh -c 'exit 1'
  [ "$status" -eq 1 ]
  said "${said[0]}" 'backoff: sh: passed at attempt 1/8 in DUR \(exit 1\)'
}

# What -v adds where the processes of COMMAND cannot be seen.
unseen=()
has_answer processes || unseen=('backoff: .*: signalled only the command and, .*')

# known NAME: how a process of that name is told.
known() {
  if has_answer processes; then echo "$1 \\([0-9]+\\)"; else echo 'process [0-9]+'; fi
}

@test "-v tells what --kill-after and --grace had to kill" {
  need_proc
  local under=("${HOLD_TERM[@]}")
  tells -v -n 1 -t 50ms -k 50ms -- sleep 1000
  [ "$status" -eq 124 ]
  said "${said[0]}" \
    "backoff: sleep: --kill-after had to kill $(known sleep)" "${unseen[@]}" \
    'backoff: sleep: giving up after 1 attempt in DUR: timed out after DUR'

  mkfifo "$BATS_TEST_TMPDIR/ready"
  "$BACKOFF" -v --grace=50ms -- \
    bash -c 'trap "" TERM; echo >"$1"; while :; do :; done' _ "$BATS_TEST_TMPDIR/ready" \
    2>"$BATS_TEST_TMPDIR/err" 3>&- &
  pid=$!
  read -r _ <"$BATS_TEST_TMPDIR/ready"
  kill -TERM "$pid"
  wait "$pid" || status=$?
  run -0 cat "$BATS_TEST_TMPDIR/err"
  assert_output --regexp $'(^|\n)backoff: bash: --grace had to kill '"$(known bash)"$'\n'
}

@test "a tree that ends by itself at a timeout is not reported as killed" {
  tells -v -n 1 -t 50ms -- sleep 60
  said "${said[0]}" "${unseen[@]}" \
    'backoff: sleep: giving up after 1 attempt in DUR: timed out after DUR'
}

@test "-v notes that a code is a status and no signal, once" {
  tells -v -n 3 -b 1ms -x 9 -- sh -c 'kill -KILL $$'
  [ "$status" -eq 137 ]
  said "${said[0]}" \
    'backoff: sh: 9 in --stop-on is an exit status; the signal is KILL' \
    'backoff: sh: attempt 1/3 failed after DUR: killed by KILL; next in DUR' \
    'backoff: sh: attempt 2/3 failed after DUR: killed by KILL; next in DUR' \
    'backoff: sh: giving up after 3 attempts in DUR: killed by KILL'
}

@test "from the tenth failure with the same reason only every tenth is told" {
  tells -n 25 -b 0 -- sh -c 'exit 7'
  mapfile -t numbers < <(printf '%s\n' "${said[@]}" | sed -n 's|.*: attempt \([0-9]*\)/25 .*|\1|p')
  [ "${numbers[*]}" = '1 2 3 4 5 6 7 8 9 10 20' ]
  [[ ${said[0]} == *': exit 7; next in 0s' ]]
  for line in "${said[@]:1:10}"; do
    [[ $line == *': (same as before); next in 0s' ]] || fail "$line"
  done
  [[ ${said[11]} == 'backoff: sh: giving up after 25 attempts in '*': exit 7' ]]
}

@test "another reason restarts the count" {
  tells -n 26 -b 0 -- sh -c '[ "$BACKOFF_ATTEMPT" -gt 12 ] && exit 8; exit 7'
  mapfile -t numbers < <(printf '%s\n' "${said[@]}" |
    sed -n 's|.*: attempt \([0-9]*\)/26 .*: exit .*|\1|p')
  [ "${numbers[*]}" = '1 13' ]
  mapfile -t numbers < <(printf '%s\n' "${said[@]}" |
    sed -n 's|.*: attempt \([0-9]*\)/26 .*: (same as before).*|\1|p')
  [ "${numbers[*]}" = '2 3 4 5 6 7 8 9 10 14 15 16 17 18 19 20 21 22' ]
}

@test "-v, a log file and JSON tell all failures, each with its reason" {
  tells -v -n 25 -b 0 -- sh -c 'exit 7'
  run -0 grep -c 'attempt .*: exit 7; next in 0s$' "$BATS_TEST_TMPDIR/err"
  assert_output 24
  tells --log-file="$BATS_TEST_TMPDIR/log" -n 25 -b 0 -- sh -c 'exit 7'
  run -0 grep -c 'attempt .*: exit 7; next in 0s$' "$BATS_TEST_TMPDIR/log"
  assert_output 24
  run -7 logged -n 25 -b 0 -- sh -c 'exit 7'
  assert_events '[a.reason for a in attempts] == ["exit 7"] * 25'
}

@test "a long REGEX that matches leaves room for the rest of the line" {
  local long
  printf -v long '%4300s' ''
  tells -n 2 -b 1ms --jitter=none --retry-if="(hello|${long// /x})" -- \
    sh -c 'echo hello; exit 7'
  said "backoff: sh: attempt 1/2 failed after DUR: output matches '\(hello\|x+\.\.\.'; next in 1ms" \
    "backoff: sh: giving up after 2 attempts in DUR: output matches '\(hello\|x+\.\.\.'"
}

@test "-v with the defaults prints only the basic settings" {
  tells -v -- true
  said 'backoff: true: attempts 8, windows 1s 3s 9s 27s \.\.\., cap 30s, floor 100ms' \
    'backoff: true: succeeded at attempt 1/8 in DUR'
}

@test "-v prints all settings that are not the default, in one line" {
  tells -v -n 1 -b 2s --cap=45s -j 0.2 -t 30s -k 5s -s INT --grace=7s -T 1h \
    --hint-max=2h --spool-limit=1M --reset-after=3m --wake-on=USR1 \
    -r 1-3,timeout -x 9,KILL --stop-if='den(ied)' --success-if=done --retry-after \
    --watch=stdout -i null -oall --before-retry='echo again' --at-end=: --seed=3 \
    --throttle-base=1s --slot-time=1ms --cap-mode=after --from=start -- printf 'done\n'
  [ "${#said[@]}" -eq 2 ]
  for setting in 'attempts 1' 'windows 2s ' 'cap 45s' 'jitter 0.8..1.2' \
    'timeout 30s' 'kill-after 5s' 'signal INT' 'grace 7s' 'deadline 1h' \
    'hint-max 2h' 'spool-limit 1MiB' 'reset-after 3m' 'wake-on USR1' \
    'retry-on 1-3,timeout' 'stop-on 9,KILL' "stop-if 'den(ied)'" \
    "success-if 'done'" 'retry-after' 'watch stdout' 'stdin null' 'hold all' \
    "before-retry 'echo again'" "at-end ':'" 'seed 3' 'throttle-base 1s' \
    'slot-time 1ms' 'cap-mode after' 'from start'; do
    [[ "${said[0]}, " == *[,:]' '"$setting"* ]] || fail "no $setting: ${said[0]}"
  done
}

@test "-v tells the settings in force, each line with who we are" {
  tells -v --base=123ms --cap=45s -n 3 -- true
  [ "${#said[@]}" -ge 2 ]
  for line in "${said[@]}"; do
    [[ $line == 'backoff: true: '* ]] || fail "$line"
  done
  settings=$(printf '%s\n' "${said[@]}")
  assert_regex "$settings" 123ms
  assert_regex "$settings" 45s
}

@test "-v tells which signals we passed on, after the attempt" {
  mkfifo "$BATS_TEST_TMPDIR/ready"
  "$BACKOFF" -v -- sh -c 'trap "exit 0" USR1; echo >"$1"; while :; do sleep 0.05; done' \
    sh "$BATS_TEST_TMPDIR/ready" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  pid=$!
  read -r _ <"$BATS_TEST_TMPDIR/ready"
  kill -USR1 "$pid"
  wait "$pid"
  run -0 cat "$BATS_TEST_TMPDIR/err"
  assert_output --regexp $'(^|\n)backoff: sh: [^\n]*USR1'
}

@test "--name stands in every line" {
  tells --name='nightly backup' -n 2 -d 20ms -- sh -c 'exit 7'
  said 'backoff: nightly backup: attempt 1/2 failed after DUR: exit 7; next in 20ms' \
    'backoff: nightly backup: giving up after 2 attempts in DUR: exit 7'
}

@test "without --name it is the base name of COMMAND" {
  tells -n 1 -- "$(type -P false)"
  said 'backoff: false: giving up after 1 attempt in DUR: exit 1'
}

@test "a name with control characters stays one line without them" {
  tells --name=$'a\nb\r\t\e[31mc\x7f' -n 2 -b 1ms -- sh -c 'exit 7'
  [ "${#said[@]}" -eq 2 ]
  for line in "${said[@]}"; do
    [[ $line == 'backoff: a'*c*': '* ]] || fail "$line"
    refute_regex "$line" '[[:cntrl:]]'
  done
}

@test "a name loses its 8-bit control characters, raw and as UTF-8" {
  tells --name=$'a\x9b31mb\xc2\x9b31mc\xc2\x85d\xff' -n 1 -- sh -c 'exit 7'
  said 'backoff: a\?31mb\?31mc\?d\?: giving up after 1 attempt in DUR: exit 7'
}

@test "a name that is not UTF-8 spoils no line" {
  tells --name=$'caf\xe9 \xff' -n 2 -b 1ms -- sh -c 'exit 7'
  [ "${#said[@]}" -eq 2 ]
  [[ ${said[1]} == 'backoff: caf'*': giving up after 2 attempts in '*': exit 7' ]]
}

@test "a name in UTF-8 is unchanged" {
  tells --name=$'Gr\xc3\xbc\xc3\x9fe \xe2\x82\xac' -n 1 -- sh -c 'exit 7'
  said $'backoff: Gr\xc3\xbc\xc3\x9fe \xe2\x82\xac: giving up after 1 attempt in DUR: exit 7'
}

@test "rule 76: each line is one write" {
  need_strace
  strace -o "$BATS_TEST_TMPDIR/trace" -e trace=write,writev -s 1000 \
    "$BACKOFF" -n 3 -b 1ms -- sh -c 'exit 7' || true
  sed -i '/^write([0-9]*, "\\0", 1) *= 1$/d' "$BATS_TEST_TMPDIR/trace" # of a pipe for signals
  run -0 grep -c '^write(2, "backoff: sh: [^\\]*\\n", ' "$BATS_TEST_TMPDIR/trace"
  assert_output 3
  run -0 grep -c '^write' "$BATS_TEST_TMPDIR/trace"
  assert_output 3
}

# --- a log file ---

@test "--log-file takes the log instead of stderr" {
  tells --log-file="$BATS_TEST_TMPDIR/log" -n 2 -d 20ms -- sh -c 'exit 7'
  [ "$status" -eq 7 ]
  said
  mapfile -t said <"$BATS_TEST_TMPDIR/log"
  said '.* backoff: sh: attempt 1/2 failed after DUR: exit 7; next in 20ms' \
    '.* backoff: sh: giving up after 2 attempts in DUR: exit 7'
}

@test "--log-file puts the local time in front of text" {
  before=$(date +%s)
  TZ=XYZ-05:30 tells --log-file="$BATS_TEST_TMPDIR/log" -n 2 -d 20ms -- sh -c 'exit 7'
  after=$(date +%s)
  mapfile -t said <"$BATS_TEST_TMPDIR/log"
  time='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+0530'
  said "$time backoff: sh: attempt 1/2 failed after DUR: exit 7; next in 20ms" \
    "$time backoff: sh: giving up after 2 attempts in DUR: exit 7"
  stamp=$(date -d "${said[0]%% *}" +%s)
  [ "$before" -le "$stamp" ] && [ "$stamp" -le "$after" ]
}

@test "--log-file puts no time in front of JSON" {
  logged -n 2 -b 1ms -- false || true
  assert_events
}

@test "--log-file appends" {
  echo 'kept' >"$BATS_TEST_TMPDIR/log"
  tells --log-file="$BATS_TEST_TMPDIR/log" -n 1 -- \
    sh -c 'echo "from elsewhere" >>"$1"; exit 7' sh "$BATS_TEST_TMPDIR/log"
  tells --log-file="$BATS_TEST_TMPDIR/log" -n 1 -- sh -c 'exit 8'
  mapfile -t said <"$BATS_TEST_TMPDIR/log"
  said kept 'from elsewhere' '.*backoff: sh: giving up .*: exit 7' \
    '.*backoff: sh: giving up .*: exit 8'
}

@test "--log-file gets one write(2) per line" {
  need_strace
  local format
  for format in text json; do
    rm -f "$BATS_TEST_TMPDIR/log"
    strace -o "$BATS_TEST_TMPDIR/trace" -e trace=write,writev -s 1000 \
      "$BACKOFF" --log-file="$BATS_TEST_TMPDIR/log" --log-format="$format" \
      -n 3 -b 1ms -- false || true
    sed -i '/^write([0-9]*, "\\0", 1) *= 1$/d' "$BATS_TEST_TMPDIR/trace" # of a pipe for signals
    told=$(wc -l <"$BATS_TEST_TMPDIR/log")
    [ "$told" -ge 3 ]
    run -0 grep -c '^write([0-9]*, "\([^\\]\|\\"\)*\\n", ' "$BATS_TEST_TMPDIR/trace"
    assert_output "$told"
    run -0 grep -c '^write' "$BATS_TEST_TMPDIR/trace"
    assert_output "$told"
  done
}

@test "-q and -qq do not apply to --log-file" {
  local option
  for option in -q -qq; do
    rm -f "$BATS_TEST_TMPDIR/log"
    tells "$option" --log-file="$BATS_TEST_TMPDIR/log" -n 2 -d 20ms -- sh -c 'exit 7'
    said
    mapfile -t said <"$BATS_TEST_TMPDIR/log"
    said '.*attempt 1/2 failed after DUR: exit 7; next in 20ms' \
      '.*giving up after 2 attempts in DUR: exit 7'
  done
}

@test "--log-file=/dev/fd/N is that descriptor: a file, a pipe, a socket" {
  local log=$BATS_TEST_TMPDIR/log
  tells --log-file=/dev/fd/5 -n 1 -- sh -c 'exit 7' 5>>"$log"
  [ "$status" -eq 7 ]
  run -0 cat "$log"
  assert_output --partial 'giving up after 1 attempt'

  "$BACKOFF" --log-file=/dev/fd/5 -n 1 -- sh -c 'exit 7' 5>&1 >/dev/null |
    cat >"$log"
  run -0 cat "$log"
  assert_output --partial 'giving up after 1 attempt'

  run -0 python3 - "$BACKOFF" <<'END'
import socket, subprocess, sys
ours, theirs = socket.socketpair()
fd = theirs.fileno()
code = subprocess.run(
    [sys.argv[1], f"--log-file=/dev/fd/{fd}", "-n1", "--", "sh", "-c", "exit 7"],
    pass_fds=[fd],
).returncode
theirs.close()
print(code, ours.makefile().read())
END
  assert_output --partial '7 '
  assert_output --partial 'giving up after 1 attempt'
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

@test "--log-file is read relative to the directory we start in" {
  cd "$BATS_TEST_TMPDIR"
  tells --log-file=here -n 2 -b 1ms -- sh -c 'exit 7'
  [ "$(wc -l <here)" -eq 2 ]
}

@test "a log file that fills up changes nothing about the run" {
  tells --log-file=/dev/full -n 3 -b 1ms -- sh -c 'echo ran; exit 7'
  [ "$status" -eq 7 ]
  [ "$(cat "$BATS_TEST_TMPDIR/out")" = $'ran\nran\nran' ]
}

# A line longer than a pipe comes out in part before its reader stalls.
@test "after a line that was cut short the next one starts on a new line" {
  export go=$BATS_TEST_TMPDIR/go over=$BATS_TEST_TMPDIR/over
  local kind
  mkfifo "$go" "$over"
  for kind in pipe nonblocking; do
    reads --stdout "$kind" --both hear:"$go" read:65536 tell:"$over" end -- \
      "$BACKOFF" --name="$(head -c 70000 /dev/zero | tr '\0' x)" -b 0 -n 2 \
      --before-retry='echo >"$go"; read -r _ <"$over"' -- false
    ended 'exited 1'
    assert_equal "$(head -c 65600 "$got" | tail -n +2 | cut -c 1-14)" 'backoff: xxxxx'
  done
}

# --- JSON ---

@test "the events of a success after failures, to the letter" {
  before=$(date +%s)
  run -0 logged -b 1ms --jitter=none -- sh -c "$(fails_then_succeeds 2 "$count")"
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

@test "the events of a success at once are start, attempt and end" {
  run -0 logged true
  assert_events 'len(attempts) == 1' 'attempts[0].verdict == "success"' \
    'attempts[0].pause_s is None' 'end.result == "success"'
}

@test "JSON goes to stderr where no file is named" {
  status=0
  "$BACKOFF" --log-format=json -n 2 -b 1ms -- sh -c 'exit 7' 2>"$events" ||
    status=$?
  [ "$status" -eq 7 ]
  assert_events 'len(attempts) == 2' 'end.result == "exhausted"'
}

@test "the last failed attempt's verdict is still retry, its pause null" {
  run -7 logged -n 2 -b 1ms -- sh -c 'exit 7'
  assert_events '[a.verdict for a in attempts] == ["retry", "retry"]' \
    'attempts[1].pause_s is None' \
    'end.result == "exhausted" and end.status == 7'
}

@test "with unlimited attempts start.attempts is null" {
  run -0 logged -n inf true
  assert_events 'start.attempts is None'
  run -0 logged --deadline=1h true
  assert_events 'start.attempts is None'
}

@test "a killed attempt has a signal without SIG and no status" {
  run -137 logged -n 1 -- sh -c 'kill -KILL $$'
  assert_events 'attempts[0].outcome == "killed"' \
    'attempts[0].signal == "KILL" and attempts[0].status is None' \
    'attempts[0].reason == "killed by KILL"' 'end.status == 137'
}

@test "a timed-out attempt keeps how it ended" {
  need_proc
  run -124 logged -n 1 -t 50ms -- sleep 60
  assert_events 'attempts[0].outcome == "timed-out"' \
    'attempts[0].signal == "TERM" and attempts[0].status is None' \
    'attempts[0].reason.startswith("timed out after ")' \
    'attempts[0].duration_s >= 50*ms' 'end.status == 124'
  # The command goes on to its own end.
  # shellcheck disable=SC2034 # for logged
  under=("${HOLD_TERM[@]}")
  run -124 logged -n 1 -t 50ms -- bash -c "$until_term; exit 3"
  assert_events 'attempts[0].outcome == "timed-out"' \
    'attempts[0].status == 3 and attempts[0].signal is None'
}

@test "an attempt that was not started has status 126 or 127" {
  run -127 logged no-such-command-of-ours
  assert_events 'attempts[0].outcome == "not-started"' \
    'attempts[0].status == 127 and attempts[0].verdict == "stop"' \
    'attempts[0].reason.startswith("not found")' \
    'end.result == "stopped" and end.status == 127'
  run -126 logged "$BATS_TEST_TMPDIR"
  assert_events 'attempts[0].outcome == "not-started"' \
    'attempts[0].status == 126' 'attempts[0].reason == "Permission denied"'
}

@test "an end line is written however we end" {
  run -1 logged --pass-on=1 -- sh -c 'exit 1'
  assert_events 'end.result == "pass" and end.status == 1' \
    'attempts[0].verdict == "pass"'
  run -7 logged --stop-on=7 -- sh -c 'exit 7'
  assert_events 'end.result == "stopped" and end.status == 7' \
    'attempts[0].verdict == "stop" and attempts[0].pause_s is None'
  run -124 logged -T 1s -- sleep 60
  assert_events 'end.result == "deadline" and end.status == 124' \
    'attempts[0].outcome == "timed-out"'
  run -0 logged --success-on=7 -- sh -c 'exit 7'
  assert_events 'end.result == "success" and end.status == 0' \
    'attempts[0].verdict == "success" and attempts[0].status == 7'
}

@test "an end line is written when a signal ends a pause" {
  local signal
  for signal in HUP TERM; do
    start_logged -d 1h -- sh -c 'exit 7'
    in_pause
    kill "-$signal" "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -gt 128 ]
    assert_events "end.result == 'interrupted' and end.status == $status" \
      'attempts[0].pause_s == 3600*s'
  done
}

@test "an end line is written when a signal ends an attempt" {
  mkfifo "$BATS_TEST_TMPDIR/ready"
  start_logged sh -c 'echo >"$1"; exec sleep 60' sh "$BATS_TEST_TMPDIR/ready"
  read -r _ <"$BATS_TEST_TMPDIR/ready"
  kill -TERM "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 143 ]
  assert_events 'end.result == "interrupted" and end.status == 143' \
    'attempts[0].outcome == "killed" and attempts[0].signal == "TERM"' \
    'attempts[0].pause_s is None'
}

@test "an end line is written when a signal ends the splay" {
  start_logged --splay=1h..2h -- touch "$BATS_TEST_TMPDIR/made"
  wait_for grep -qs '"start"' "$events"
  kill -TERM "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 143 ]
  [ ! -e "$BATS_TEST_TMPDIR/made" ]
  assert_events 'attempts == []' \
    'end.result == "interrupted" and end.status == 143'
}

@test "the JSON of -v is the same events and nothing else" {
  "$BACKOFF" -v --log-format=json -n 2 -b 1ms -- false 2>"$events" || true
  assert_events 'len(attempts) == 2'
}

@test "-qq silences JSON on stderr too" {
  tells -qq --log-format=json -n 2 -b 1ms -- sh -c 'exit 7'
  said
}

@test "the end has the reason of the closing line" {
  run -7 logged --stop-on=7 -- sh -c 'exit 7'
  assert_events 'end.reason == "exit 7 (--stop-on)"' \
    'attempts[0].reason == "exit 7 (--stop-on)"'
  run -7 logged -n 2 -b 1ms -- sh -c 'exit 7'
  assert_events 'end.reason == "exit 7"'
  run -7 logged -b 1ms --before-retry='exit 3' -- sh -c 'exit 7'
  assert_events 'attempts[0].reason == "exit 7"' \
    'end.reason == "--before-retry refused (exit 3)"'
  run -0 logged --success-on=7 -- sh -c 'exit 7'
  assert_events 'attempts[0].reason == "exit 7 (--success-on)"' \
    'end.reason is None'
  run -1 logged --pass-on=1 -- sh -c 'exit 1'
  assert_events 'end.reason is None'
  run -127 logged no-such-command-of-ours
  assert_events 'attempts[0].reason == "not found"' \
    'end.reason.startswith("not found (a shell function or builtin?")'
}

@test "the id is a UUID, one for all events, another for another run" {
  run -0 logged true
  assert_events '__import__("uuid").UUID(start.id).version == 4' \
    'str(__import__("uuid").UUID(start.id)) == start.id'
  first=$(head -n 1 "$events" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  run -0 logged true
  assert_events "start.id != '$first'"
}

@test "JSON: each event has the name after the id" {
  run -1 logged --name='a "b"' -n 2 -b 0 false
  assert_equal "$(grep -c '","name":"a \\"b\\"",' "$events")" 4
  assert_events 'start.name == end.name == attempts[1].name'
}

@test "JSON: the line of output stands in line, and not in reason" {
  run -7 logged -n 1 --stop-if=never -- sh -c 'echo "no \"such\" bucket" >&2; exit 7'
  assert_events 'attempts[0].reason == end.reason == "exit 7"' \
    'attempts[0].line == end.line == "no ?such? bucket"'
  run -7 logged -n 1 -- sh -c 'echo no such bucket >&2; exit 7'
  assert_events 'attempts[0].line is None and end.line is None'
}

@test "the id is that of --id" {
  run -0 logged --id='job 42' true
  assert_events 'start.id == "job 42"'
}

@test "--name is the name, the first word alone the command" {
  run -0 logged --name='the name' -- /bin/sh -c 'exit 0' secret
  assert_events 'start.name == "the name"' 'start.command == "/bin/sh"'
  run -1 grep secret "$events"
}

@test "names and ids with quotes, newlines and control characters are valid JSON" {
  local text
  for text in $'"quoted" \\back\\slash\\' $'two\nlines\r\tand tab' \
    $'\x01\x1f\x7f\e[31m' $'Gr\xc3\xbc\xc3\x9fe \xe2\x82\xac \xf0\x9f\x98\x80' "'" ''; do
    run -0 logged --name="$text" --id="$text" -- true
    TEXT=$text assert_events \
      '__import__("os").environ["TEXT"] in ("", start.id)' \
      '__import__("os").environ["TEXT"] in ("", start.name)'
  done
}

@test "names and ids that are not UTF-8 are valid JSON" {
  local text
  for text in $'\xff' $'caf\xe9' $'cut\xe2\x82' $'\xc0\x80' $'\xe0\x80\x80' \
    $'\xed\xa0\x80' $'\xf4\x90\x80\x80' $'\xf8\x88\x80\x80\x80' $'a\x80b' $'\xe2"'; do
    run -0 logged --name="$text" --id="$text" -- true
    assert_events
  done
}

@test "a command with quotes, newlines and bytes that are not UTF-8 is valid JSON" {
  local name
  for name in $'a "quote" and \\' $'two\nlines' $'caf\xe9\xff' $'\e[31m'; do
    printf '#!/bin/sh\nexit 0\n' >"$BATS_TEST_TMPDIR/$name"
    chmod +x "$BATS_TEST_TMPDIR/$name"
    run -0 logged "$BATS_TEST_TMPDIR/$name"
    assert_events 'end.result == "success"'
  done
}

@test "a locale with a decimal comma changes nothing" {
  localedef -i de_DE -f UTF-8 "$BATS_TEST_TMPDIR/de_DE.UTF-8" ||
    skip "localedef cannot make de_DE"
  # The shell warns: it does not look at LOCPATH any more.
  export LOCPATH=$BATS_TEST_TMPDIR LC_ALL=de_DE.UTF-8 2>/dev/null
  [ "$(locale decimal_point)" = , ] || skip "libc does not load the locale"
  tells -n 2 -d 0.02s -j 0.0 -- sh -c 'exit 7'
  said 'backoff: sh: attempt 1/2 failed after DUR: exit 7; next in 20ms' \
    'backoff: sh: giving up after 2 attempts in DUR: exit 7'
  run -7 logged -n 3 -b 1.5ms -f 1.5 -j none -- sh -c 'exit 7'
  assert_events 'pauses == [1500*us, 2250*us]'
  run -125 "$BACKOFF" --base=1,5 -- true
}

@test "a limit on the size of files costs the lines, not the attempts" {
  local file=$BATS_TEST_TMPDIR/lines
  run -7 sh -c 'ulimit -f 0
    exec "$BACKOFF" -n 2 --base=0 -- sh -c "exit 7" 2>"$1"' - "$file"
  run -7 sh -c 'ulimit -f 0
    exec "$BACKOFF" -n 2 --base=0 --log-file="$1" -- sh -c "exit 7"' - "$file"
}

@test "a log file that cannot be opened is refused with the reason" {
  run -125 "$BACKOFF" --log-file="$BATS_TEST_TMPDIR/none/log" -- true
  assert_output "backoff: --log-file: $BATS_TEST_TMPDIR/none/log: No such file or directory"
}

@test "-v prints single statuses and ranges as they were given: the narrower wins" {
  run "$BACKOFF" -v -n 1 --pass-on=7 --stop-on=4,5 -r 7-7,3-9 -- true
  assert_success
  assert_output --partial 'pass-on 7, retry-on 3-9, stop-on 4,5'
}
