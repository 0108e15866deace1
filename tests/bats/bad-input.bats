#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad command lines are refused in one line before COMMAND starts.

load helper

setup() {
  made=$BATS_TEST_TMPDIR/made
  out=$BATS_TEST_TMPDIR/out
  err=$BATS_TEST_TMPDIR/err
}

# refused WORD...: the last run ended with 125 and exactly one line on
# stderr, which begins "backoff: " and holds every WORD; nothing on stdout.
refused() {
  local word
  [ "$status" -eq 125 ] || fail "status $status instead of 125: $tried"
  [ ! -s "$out" ] || fail "something on stdout: $tried"
  if [ "$(wc -l <"$err")" -ne 1 ] || ! grep -q '^backoff: ' "$err"; then
    fail "not one line of ours: $tried: $(cat "$err")"
  fi
  for word; do
    grep -qF -e "$word" "$err" || fail "no '$word': $tried: $(cat "$err")"
  done
}

# try ARG...: runs backoff with exactly these arguments.
try() {
  tried="backoff $*" status=0
  "$BACKOFF" "$@" >"$out" 2>"$err" || status=$?
}

# refuses 'WORD...' ARG...: with these options COMMAND does not start, and
# the line holds every WORD.
refuses() {
  local words
  read -r -a words <<<"$1"
  shift
  try "$@" -- touch "$made"
  refused "${words[@]}"
  [ ! -e "$made" ] || fail "COMMAND was started: $tried"
}

# says PHRASE ARG...: likewise, the line holds the PHRASE.
says() {
  local phrase=$1
  shift
  refuses '' "$@"
  refused "$phrase"
}

# refuses_values OPTION VALUE...: tries each value by itself.
refuses_values() {
  local option=$1 value
  shift
  for value; do
    try "$option=$value" -- touch "$made"
    refused "$option" "$value"
    [ ! -e "$made" ] || fail "COMMAND was started: $tried"
  done
}

# The options of BACKOFF or BOTH, as "LETTER NAME": with an argument, without
# one, and with one that may be missing, which is then joined to the option.
options() {
  sed -n "s/^OPT(B[A-Z]*, [A-Z_]*, '\{0,1\}\([^',]*\)'\{0,1\}, \"\([^\"]*\)\", $1.*/\1 \2/p" \
    "$TOP_SRCDIR/src/options/options.def"
}
valued() { options '"[^["]'; }
flags() { options '""'; }
joined() { options '"\['; }

# Bad durations for every option.
no_durations=(abc s 1x 1S 1M - -1 -1s 1.2.3 . "1,5" 0x10 1e3 nan 1m-30s 1m30 10% "1s " infs)

@test "these command lines start COMMAND if their values are good" {
  try -n 2 -b 1ms --cap=1s --floor=1ms --jitter=equal -- touch "$made"
  [ "$status" -eq 0 ]
  [ -e "$made" ]
}

@test "the one line is 'backoff: OPTION: TEXT: what is expected'" {
  try --base=abc -- touch "$made"
  refused
  assert_regex "$(cat "$err")" '^backoff: --base: abc: .+'
}

@test "these tests read every line of the table of options" {
  valued | grep -qx 'b base'
  valued | grep -qx '0 floor'
  flags | grep -qx 'q quiet'
  joined | grep -qx 'o hold'
  [ "$( (valued && flags && joined) | wc -l)" -eq \
    "$(grep -c '^OPT(B' "$TOP_SRCDIR/src/options/options.def")" ]
}

@test "a bad duration is refused by every option that takes one" {
  local option
  for option in --base --cap --floor --reset-after --throttle-base \
    --timeout --idle-timeout --deadline --kill-after --grace --slot-time --hint-max; do
    refuses_values "$option" "${no_durations[@]}" 1s..2s 1s,2s
  done
}

@test "options that cannot be inf refuse it" {
  local option
  for option in --base --floor --throttle-base --splay --slot-time; do
    refuses_values "$option" inf
  done
  refuses_values --delays inf 1s,inf
}

@test "a bad value of --factor is refused" {
  refuses_values --factor abc 0 0.5 0.999999 -2 1,5 0x2 2x nan inf . 1e3 '2 '
}

@test "a bad value of --growth is refused" {
  refuses_values --growth abc expo Linear linear, 2
}

@test "a bad value of --delays is refused" {
  refuses_values --delays , 1s, ,1s 1s,,2s abc 1s,abc -1s '1s;2s' '1s 2s' 1..2
}

@test "a bad value of --jitter is refused" {
  refuses_values --jitter abc fully Full 1.5 2 -0.1 -1s 50% + +abc +-1s \
    0.5.. ..1.5 0.5..abc -1..1 0.5..1.5..2 1s..2s 0,5 nan inf
}

@test "a bad value of --splay is refused" {
  refuses_values --splay "${no_durations[@]}" 1s.. ..1s a..b 1s..b 1s..2s..3s \
    -1s..1s 1s,2s
}

@test "a bad value of --seed is refused" {
  refuses_values --seed abc -1 1.5 0x10 1,2 '1 ' nan
}

@test "a bad value of --attempts, such as 0, is refused" {
  refuses_values --attempts abc 0 00 -1 1.5 6x 0x6 infinite INF 1,2 '6 ' nan
}

@test "a bad value of --until is refused" {
  refuses_values --until abc 24:00 25:00 12:60 12:00:61 12 12: :30 1:2:3:4 \
    -1:00 12:00pm 2026-01-01 @ @abc @1e9 12:00: 12.30
}

@test "a bad value of --signal is refused" {
  refuses_values --signal abc SIGFOO SIG 0 65 -9 TERM,INT TERM+1 1.5 RTMIN+99
}

@test "a bad value of --wake-on is refused, and signals that cannot be waited for" {
  refuses_values --wake-on abc SIGFOO SIG 0 65 -9 USR1,USR2 KILL SIGSTOP
}

@test "a bad value of --consecutive is refused" {
  refuses_values --consecutive abc 0 -1 1.5 inf 2x nan
}

@test "bad CODES are refused by every option that takes them" {
  local option
  for option in --success-on --pass-on --retry-on --throttle-on --stop-on; do
    refuses_values "$option" abc 256 1000 -1 7-4 4- -4 4-300 4-7-9 \
      1.5 0x10 inf SIG SIGFOO EX_ EX_FOO 4-KILL KILL-SEGV '1 2' 7x
  done
}

@test "an empty item among CODES is refused, and the list shown" {
  refuses_values --stop-on 1,,2 1, ,1
}

@test "a bad item of a long list is named" {
  refuses '--stop-on 4-x' --stop-on=1,2,4-x,9
  refuses '--delays 2y' --delays=1s,2y,3s
}

@test "a bad value of --flaky-status is refused" {
  refuses_values --flaky-status abc 256 -1 1.5 inf ''
}

@test "a bad value of --log-format is refused" {
  refuses_values --log-format abc JSON js txt yaml text,json
}

@test "a bad value of --cap-mode, --from, --max-exponent and --steps is refused" {
  refuses_values --cap-mode abc Window before,after wind
  refuses_values --from middle End 1s
  refuses_values --max-exponent abc -1 1.5 2x
  refuses_values --steps abc 0 -1 1.5 inf 2x
}

@test "a bad value of --stdin is refused" {
  refuses_values --stdin abc Replay replay, spool file - 0 /dev/null
}

@test "a bad value of --spool-limit is refused" {
  refuses_values --spool-limit abc -1 1.5G 1,5 0x10 1e9 K GiB 1GB 1KB 1k 1g \
    1Gi 1GIB 1P 1KK '1 G' 'G1' inf nan 50%
}

@test "a bad value of --hold is refused" {
  refuses_values --hold abc Stdout stderr stdout,all stdout, none 0 yes
}

@test "a bad value of --hint-max is refused" {
  refuses_values --hint-max never 1h.. 1s..2s 1s,2s
}

@test "a bad REGEX is refused by every option that takes one" {
  local option
  for option in --success-if --retry-if --throttle-if --stop-if; do
    refuses_values "$option" '[a' 'a[[:foo:]]' '(a' 'a{2,1}' 'a{1' '[z-a]' \
      "\\"
    # Of two, the bad one is named.
    refuses "$option (b" "$option=a" "$option=(b"
  done
}

@test "more conditions than there is room for are refused" {
  local -a many=()
  local n
  for n in {1..64}; do
    many+=(--stop-if="never $n")
  done
  try "${many[@]}" -- true
  [ "$status" -eq 0 ]
  refuses '--stop-if at most 64 conditions' "${many[@]}" --stop-if=again
}

@test "an empty value is refused by every option but the free texts" {
  local letter name
  while read -r letter name; do
    case $name in
      name | id | before-retry | at-end) continue ;;
    esac
    refuses "--$name" "--$name="
    refuses "--$name" "--$name" ''
  done < <(valued)
  while read -r letter name; do
    refuses "--$name" "--$name="
  done < <(joined)
}

@test "a bad value in a word of its own is refused too" {
  refuses '--base abc' --base abc
  refuses '--attempts 0' --attempts 0
  refuses '--stop-on 4-' --stop-on 4-
}

@test "a bad value of a short option is refused, joined to it or not" {
  local letter name
  while read -r letter name; do
    [ "$letter" != 0 ] || continue
    refuses 'no-such-value' "-$letter" no-such-value
    refuses 'no-such-value' "-${letter}no-such-value"
    grep -qE -e "(--$name|-$letter)\b" "$err" || fail "not named: $(cat "$err")"
  done < <(valued)
}

@test "a bad value joined to an option with an optional argument is refused" {
  local letter name
  while read -r letter name; do
    # Any text but the empty one is a REGEX.
    [ "$name" != retry-after ] || continue
    refuses "--$name no-such-value" "--$name=no-such-value"
    [ "$letter" != 0 ] || continue
    refuses "--$name no-such-value" "-${letter}no-such-value"
    refuses "--$name q" "-q${letter}q"
  done < <(joined)
}

@test "the word after an option with an optional argument is COMMAND" {
  local letter name
  while read -r letter name; do
    # It runs nothing.
    [ "$name" != help ] || continue
    try "--$name" touch "$made"
    [ "$status" -eq 0 ]
    rm "$made"
    [ "$letter" != 0 ] || continue
    try "-$letter" touch "$made"
    [ "$status" -eq 0 ]
    rm "$made"
    try "-q$letter" -- touch "$made"
    [ "$status" -eq 0 ]
    rm "$made"
  done < <(joined)
}

@test "-- after an option that needs a value is its value" {
  try -n -- touch "$made"
  refused '--'
  [ ! -e "$made" ]
}

@test "a bad value stays one line whatever bytes it has" {
  local value
  for value in $'a\nb' $'a\rb' $'\e[31mred' $'\xff\xfe' $'a\n'; do
    try --base="$value" -- touch "$made"
    refused --base
    refute_regex "$(cat "$err")" $'[\e\r]'
    [ ! -e "$made" ]
  done
}

@test "a bad value of 100,000 bytes is refused too" {
  try --base="$(head -c 100000 /dev/zero | tr '\0' x)" -- touch "$made"
  refused --base
  [ ! -e "$made" ]
}

@test "blanks may follow the commas of a list and the parts of a duration" {
  local -a good
  for good in "-r=1, 2" "--stop-on=4-7,  KILL, timeout" "-T=1m 30s" \
    "--timeout=1h 1m 1s" "--delays=1ms, 2ms,3ms" "--delays=1s 1ms, 2ms"; do
    try "${good%%=*}" "${good#*=}" -- true
    [ "$status" -eq 0 ] || fail "$tried: $(cat "$err")"
  done
}

@test "blanks anywhere else are refused" {
  refuses_values --timeout '1 m' '1m30 s' ' 1m' '1m ' '1m 30' '30s 1m'
  refuses_values --delays '1s ,2s' ' 1s' '1s,2s ' '1 s,2s' '1s, '
  refuses '--retry-on 1' --retry-on='1 ,2'
  refuses '--retry-on' --retry-on='1, '
  refuses_values --retry-on ' 1' '4 - 7'
}

@test "the nearest option is named" {
  says 'did you mean --attempts?' --atempts=3
  says 'did you mean --deadline?' --deadlien 3
  says 'did you mean --quiet?' --quite
  says 'backoff --help=all lists them' --nothing-like-it
}

# asks QUESTION ARG...: checks that the line ends with QUESTION.
asks() {
  local question=$1
  shift
  refuses '' "$@"
  grep -q ": did you mean $question?\$" "$err" || fail "$(cat "$err")"
}

@test "a misspelt option of another tool names ours" {
  says 'use --attempts, which counts the first run too' --retires=3
  says 'use --base for the first pause, or --delays for a list' --deley 3
}

@test "the nearest word is named" {
  asks linear --growth=lineer
  asks exponential -g expo
  asks decorrelated --jitter=decorelated
  asks before --cap-mode=befor
  asks start --from=strat
  asks inherit --stdin=inherti
  asks stdout --hold=stdou
  asks json --log-format=jsn
  asks TERM --signal=TREM
  asks timeout --retry-on=7,timout
  asks TEMPFAIL --stop-on=EX_TMPFAIL
  asks curl --tool=crul
  asks resilience4j --preset=resiliense4j
}

@test "without a near word the expected ones are named" {
  says 'expected window, before or after' --cap-mode=nowhere
  says '--tool=list prints all' --tool=nothing
  says '--preset=list prints all' --preset=nothing
}

@test "an unknown preset or tool is answered with related names" {
  asks 'kubernetes or kubernetes-job' --preset=k8s
  asks 'aws-full, aws-equal, aws-decorrelated, aws-sdk, aws-sdk-2026 or aws-dynamodb-2026' --preset=aws
  asks kubectl --tool=k8s
  asks 'psql, pg_isready or pg_dump' --tool=postgres
}

@test "an optional argument in a word of its own is refused" {
  cd "$BATS_TEST_TMPDIR" || return
  refuses '--tool curl --tool=curl' --tool curl
  refuses '--tool rsync --tool=rsync' -q --tool rsync
  refuses '--hold all --hold=all' -o all
  refuses '--hold stdout --hold=stdout' -qo stdout
  refuses '--hold all --hold=all' --hold all
  try --tool touch touch "$made"
  [ "$status" -eq 0 ]
  try -o -- touch "$made"
  [ "$status" -eq 0 ]
  try --tool curl curl "$made"
  refused '--tool=curl'
}

@test "COMMAND is run although it could be a value of the option before it" {
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\ntouch "%s"\n' "$made" >"$BATS_TEST_TMPDIR/bin/all"
  chmod +x "$BATS_TEST_TMPDIR/bin/all"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH try -o all
  [ "$status" -eq 0 ]
  rm "$made"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH try -o -- all all
  [ "$status" -eq 0 ]
  rm "$made"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH try -o all something
  [ "$status" -eq 0 ]
  rm "$made"
}

@test "an abbreviation is answered with all options that it could mean" {
  refuses '--success-on --success-if' --success=1
}

@test "contradictions are reported with the option and its value" {
  says 'cannot be combined with --base' --delays=1s --base=1s
  says 'cannot be combined with --factor' --steps=3 --factor=2
  says '5 is in both --retry-on and --stop-on' --retry-on=5 --stop-on=1,5
  says '7 is in both --retry-on and --stop-on' --retry-on=4-7 --stop-on=7-9
  says 'KILL is in both --retry-on and --stop-on' --retry-on=KILL --stop-on=KILL
}

@test "--floor above --cap is refused, both named" {
  refuses '--floor --cap' --floor=2s --cap=1s
  refuses '--floor --cap' --cap=1s --floor=2s
  refuses '--floor --cap' --floor=61s
}

@test "--cap=0 is refused" {
  refuses '--cap 0' --cap=0
  refuses '--cap 0s' --cap=0s
}

@test "LOW above HIGH is refused in a splay and in a jitter" {
  refuses '--splay 2s..1s' --splay=2s..1s
  refuses '--jitter 1.5..0.5' --jitter=1.5..0.5
}

@test "--slot-time above --cap is refused, both named" {
  refuses '--slot-time --cap' --slot-time=2s --cap=1s
  refuses '--slot-time --cap' --slot-time=31s
}

@test "--steps with --factor is refused, both named" {
  refuses '--steps --factor' --steps=3 --factor=2
  refuses '--steps --factor' --factor=2 --steps=3
}

@test "--steps with another growth than exponential is refused, both named" {
  refuses '--steps --growth' --steps=3 --growth=linear
}

@test "--delays with --base, --factor, --growth or --steps is refused, both named" {
  refuses '--delays --base' --delays=1s,2s --base=1s
  refuses '--delays --base' --base=1s --delays=1s,2s
  refuses '--delays --factor' --delays=1s,2s --factor=2
  refuses '--delays --growth' --delays=1s,2s --growth=linear
  refuses '--delays --steps' --delays=1s,2s --steps=3
}

@test "--consecutive above --attempts is refused, both named" {
  refuses '--consecutive --attempts' --consecutive=4 --attempts=3
  refuses '--consecutive --attempts' --attempts=3 --consecutive=4
}

@test "--consecutive above the default of --attempts is refused, both named" {
  refuses '--consecutive --attempts' --consecutive=9
  refuses '--consecutive --attempts' --consecutive=4 --delays=1ms,1ms
}

@test "the same code under two options is refused, both named" {
  refuses '--retry-on --stop-on 7' --retry-on=7 --stop-on=7
  refuses '--success-on --pass-on 7' --success-on=7 --pass-on=1,7
  refuses '--throttle-on --retry-on KILL' --throttle-on=KILL --retry-on=SIGKILL
  refuses '--retry-on --stop-on' --retry-on=75 --stop-on=EX_TEMPFAIL
  refuses '--retry-on --stop-on timeout' --retry-on=timeout --stop-on=timeout
  refuses '--retry-on --stop-on start' --retry-on=start --stop-on=start
}

@test "codes of the same width that overlap under two options are refused, both named" {
  refuses '--retry-on --stop-on' --retry-on=4-7 --stop-on=7-9
  refuses '--pass-on --stop-on' --pass-on=1-100 --stop-on=20-30
  refuses '--success-on --stop-on nonzero' --success-on=nonzero --stop-on=nonzero
  refuses '--throttle-on --stop-on signal' --throttle-on=signal --stop-on=signal
  refuses '--pass-on --retry-on any' --pass-on=any --retry-on=any
}

@test "--outage without --plan is refused, both named" {
  refuses '--outage --plan' --outage=7
}

@test "an unknown option is refused and named" {
  refuses '--nope' --nope
  refuses '--nope' --nope=3
  refuses '-Z' -Z
  refuses '-Z' -qZ
  refuses '--Base' --Base=1s
}

@test "options of other tools for the number of runs name --attempts, which counts the first" {
  local option
  for option in --retries --tries; do
    refuses "$option --attempts first" "$option=3"
    refuses "$option --attempts first" "$option" 3
  done
}

@test "options of other tools for the pause are answered with ours" {
  local option
  for option in --delay=3 --delay; do
    refuses '--delay' $option
    grep -qE -e '--(base|delays)\b' "$err" || fail "$(cat "$err")"
  done
}

@test "options of other tools for a time limit are answered with ours" {
  refuses '--max-time' --max-time=3
  grep -qE -e '--(timeout|deadline)\b' "$err" || fail "$(cat "$err")"
}

@test "an abbreviated option is refused, and the full one named" {
  local letter name short
  while read -r letter name; do
    short=${name%?}
    ! grep -q "\"$short\"" "$TOP_SRCDIR/src/options/options.def" || continue
    refuses "--$short --$name" "--$short"
    refuses "--$short --$name" "--$short=1"
  done < <(valued && flags && joined)
}

@test "an abbreviation that could be several options is refused" {
  refuses --re --re=7
  refuses --st --st=7
}

@test "a flag that is given a value is refused" {
  refuses '--quiet yes' --quiet=yes
  refuses '--verbose 2' --verbose=2
  refuses '--help me' --help=me
  refuses '--version 1' --version=1
  refuses '--quiet' --quiet=
  refuses '--quiet-success yes' --quiet-success=yes
  refuses '--quiet-success' --quiet-success=
}

@test "an option that lacks its value at the end of the line is refused" {
  local letter name
  while read -r letter name; do
    try "--$name"
    refused "--$name"
    [ "$letter" != 0 ] || continue
    try "-$letter"
    refused
    grep -qE -e "(--$name|-$letter)\b|'$letter'" "$err" || fail "$(cat "$err")"
  done < <(valued)
}

@test "an optional argument may be missing at the end of the line" {
  local letter name
  while read -r letter name; do
    [ "$name" != help ] || continue
    try "--$name"
    refused 'no command given; try backoff --help'
    [ "$letter" != 0 ] || continue
    try "-$letter"
    refused 'no command given; try backoff --help'
  done < <(joined)
}

@test "no COMMAND is refused" {
  try
  refused 'no command given; try backoff --help'
  try --
  refused 'no command given; try backoff --help'
  try -n 3 -b 1ms --
  refused 'no command given; try backoff --help'
}

@test "a COMMAND that is an empty word is refused" {
  try '' x
  assert_equal "$(cat "$err")" 'backoff: COMMAND is an empty word'
  refused
  try -qq -n 3 -- ''
  refused 'COMMAND is an empty word'
}

@test "the first error is reported, even with -q and -qq" {
  refuses '--base abc' -q --base=abc
  refuses '--base abc' -qq --base=abc
  refuses '--base abc' --base=abc --cap=def
}

@test "a usage error is the same line with --log-format=json and --log-file" {
  refuses '--base abc' --log-format=json --base=abc
  refuses '--base abc' --log-file="$BATS_TEST_TMPDIR/log" --base=abc
}

@test "a log file that cannot be opened is refused before COMMAND starts" {
  refuses "--log-file $BATS_TEST_TMPDIR" --log-file="$BATS_TEST_TMPDIR"
  refuses "--log-file $BATS_TEST_TMPDIR/no/log" --log-file="$BATS_TEST_TMPDIR/no/log"
  refuses '--log-file /dev/fd/77' --log-file=/dev/fd/77
  mkfifo "$BATS_TEST_TMPDIR/unread"
  refuses "--log-file $BATS_TEST_TMPDIR/unread" --log-file="$BATS_TEST_TMPDIR/unread"
}

@test "--at-end is not run when the command line is refused" {
  refuses '--base abc' --at-end="touch '$made'" --base=abc
  [ ! -e "$made" ]
}

@test "the status is 125 even if the usage error cannot be written" {
  try_status=0
  "$BACKOFF" --base=abc -- touch "$made" 2>/dev/full || try_status=$?
  [ "$try_status" -eq 125 ]
  try_status=0
  "$BACKOFF" --base=abc -- touch "$made" 2>&- || try_status=$?
  [ "$try_status" -eq 125 ]
  [ ! -e "$made" ]
}

@test "options of COMMAND are passed to it" {
  run -0 "$BACKOFF" echo --base=abc --nope -n
  assert_output -- '--base=abc --nope -n'
  run -0 "$BACKOFF" -n 2 -- echo -- --help
  assert_output -- '-- --help'
}

@test "--help and --version go to stdout and end with 0" {
  local option
  for option in --help -h --help=all -hall --version -V; do
    try "$option"
    [ "$status" -eq 0 ]
    [ -s "$out" ]
    [ ! -s "$err" ]
  done
}

@test "--help and --version that cannot be written are 125" {
  local option
  for option in --help -h --help=all -hall --version -V; do
    tried="backoff $option >/dev/full" status=0
    "$BACKOFF" "$option" >/dev/full 2>"$err" || status=$?
    : >"$out"
    refused
    tried="backoff $option >&-" status=0
    "$BACKOFF" "$option" >&- 2>"$err" || status=$?
    refused
  done
}

@test "what a usage error quotes controls no terminal and is valid UTF-8" {
  run "$BACKOFF" $'--base=\e[31m \233 \302\23331m \ncaf\303\251'
  assert_failure 125
  assert_output --partial 'backoff: --base: ?[31m ? ?31m ?café: expected a duration'
}
