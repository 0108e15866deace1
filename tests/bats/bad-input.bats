#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad command lines are refused in one line before COMMAND starts.

load helper

made=$BATS_TEST_TMPDIR/made out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err

# refused WORD...: the last run ended with 125 and exactly one line on
# stderr, which begins "backoff: " and holds every WORD; nothing on stdout.
refused() {
  local word said
  [ "$status" -eq 125 ] || fail "status $status instead of 125: $tried"
  [ ! -s "$out" ] || fail "something on stdout: $tried"
  mapfile said <"$err"
  if [ "${#said[@]}" -ne 1 ] || [[ ${said[0]} != 'backoff: '*$'\n' ]]; then
    fail "not one line of ours: $tried: ${said[*]}"
  fi
  for word; do
    [[ ${said[0]} == *"$word"* ]] || fail "no '$word': $tried: ${said[0]}"
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
  refuses '' "${@:2}"
  refused "$1"
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

@test "these command lines start COMMAND if their values are good" {
  try -n 2 -b 1ms --cap=1s --floor=1ms --jitter=equal -- touch "$made"
  [ "$status" -eq 0 ]
  [ -e "$made" ]
}

@test "a bad value is refused by every option, in each form of the word" {
  # Each line of the table has been read.
  assert_equal "$( (valued && flags && joined) | wc -l)" \
    "$(grep -c '^OPT(B' "$TOP_SRCDIR/src/options/options.def")"
  while read -r letter name; do
    # These take any text.
    [[ ! $name =~ ^(name|before-retry|at-end|log-file|state-dir)$ ]] || continue
    refuses "--$name [a" "--$name=[a"
    refuses "--$name [a" "--$name" '[a'
    [ "$letter" != 0 ] || continue
    refuses "--$name [a" "-$letter" '[a'
    refuses "--$name [a" "-${letter}[a"
  done < <(valued)
  while read -r letter name; do
    refuses "--$name [a" "--$name=[a"
    [ "$letter" != 0 ] || continue
    refuses "--$name [a" "-${letter}[a"
    refuses "--$name q" "-q${letter}q"
  done < <(joined)
}

# What each kind of value may be is in tests/unit/options/values.c.
@test "each option refuses what only its kind of value may not be" {
  long=$(printf %065d 0)
  for word in base=inf floor=inf splay=inf delays=1s,inf \
    cap=0 reset-after=0s factor=0.5 attempts=0 consecutive=0 \
    seed=-1 until=24:00 signal=0 wake-on=KILL flaky-status=256 spool-limit=1KB \
    growth=window from=before jitter=1.5 stdin=all hold=stderr \
    log-format=svg success-on=256 pass-on=7-4 retry-on=1,,2 throttle-on=SIG \
    stop-on=4-KILL hint-max=1s..2s timeout=1s,2s deadline=1..2 idle-timeout=never \
    kill-after=1.2.3 grace=1e3 gate-wait=x slots-wait=-1 \
    gate=a/b gate=.hidden gate="$long" gate=open: defer=list defer='a b' defer=hub:2..1 \
    defer=hub:1s..inf defer="$long" defer=fleet:hub \
    slots=hub slots=hub:0 slots=hub:1025 slots=hub:x slots=list:1; do
    says "backoff: --${word%%=*}: ${word#*=}: expected " "--$word"
  done
  # The longest name, and one that begins as a word of ours.
  ! has_answer byte_lock || starts --defer=listing --slots="${long:1}:1024" touch "$made"
}

@test "a bad item of a long list is named" {
  refuses '--stop-on 4-x' --stop-on=1,2,4-x,9
  refuses '--delays 2y' --delays=1s,2y,3s
  # Of two REGEX, the bad one.
  refuses '--stop-if (b' --stop-if=a '--stop-if=(b'
}

@test "an empty value is named, and refused by every option but the scripts" {
  while read -r letter name; do
    [[ $name =~ ^(before-retry|at-end)$ ]] || says "backoff: --$name: '': " "--$name="
  done < <(valued && joined)
}

# starts ARG...: COMMAND, which makes the file, is started.
starts() {
  try "$@"
  [ "$status" -eq 0 ] || fail "$tried: $(cat "$err")"
  rm "$made"
}

@test "the word after an option with an optional argument is COMMAND" {
  while read -r letter name; do
    # It runs nothing.
    [ "$name" != help ] || continue
    starts "--$name" touch "$made"
    [ "$letter" != 0 ] || continue
    starts "-$letter" touch "$made"
    starts "-q$letter" -- touch "$made"
  done < <(joined)
}

@test "-- after an option that needs a value is its value" {
  try -n -- touch "$made"
  refused '--'
  [ ! -e "$made" ]
}

@test "a bad value stays one line of valid UTF-8, whatever bytes it has" {
  for value in $'a\nb' $'a\rb' $'\xff\xfe' "$(head -c 100000 /dev/zero | tr '\0' x)"; do
    refuses --base --base="$value"
    refute_regex "$(cat "$err")" $'[\e\r]'
  done
  says 'backoff: --base: ?[31m ? ?31m ?café: expected a finite duration' \
    $'--base=\e[31m \233 \302\23331m \ncaf\303\251'
}

@test "the option with the nearest name is named" {
  says 'did you mean --deadline?' --deadlien 3
  says 'did you mean --quiet?' --quite
  says 'backoff --help=all lists them' --nothing-like-it
  says '--tool=list prints all' --tool=k8s
  says '--preset=list prints all' --preset=nothing
}

@test "options of other tools are answered with ours" {
  refuses '--retries --attempts first' --retries=3
  refuses '--tries --attempts first' --tries 3
  says 'use --base for the first pause, or --delays for a list' --deley 3
  refuses '--max-time --timeout' --max-time=3
}

@test "options that earlier versions had say what to do instead" {
  says 'no such option: --max-exponent=1: use --cap' --max-exponent=1
  says "no such option: --watch=1: both streams are watched; sh -c 'exec COMMAND 2>&3' 3>&2 leaves stderr out" --watch=1
}

@test "an optional argument in a word of its own is refused, unless it is COMMAND" {
  mkdir bin
  printf '#!/bin/sh\ntouch "%s"\n' "$made" >bin/all
  chmod +x bin/all
  PATH=$PWD/bin:$PATH
  refuses '--tool rsync --tool=rsync' -q --tool rsync
  refuses '--hold all --hold=all' --hold all
  try --tool curl curl "$made"
  refused '--tool=curl'
  starts --tool touch touch "$made"
  starts -o all
  starts -o -- all all
}

@test "contradictions are reported with both options, in any order" {
  says '--delays: 1s: cannot be combined with --factor' --factor=2 --delays=1s
  says '--delays: 1s: cannot be combined with --jitter=smooth' --delays=1s -j smooth
  says '7 is in both --retry-on and --stop-on' --retry-on=4-7 --stop-on=7-9
  says '--floor: 31s: expected no more than --cap' --floor=31s
  says '--consecutive: 9: expected no more than --attempts' --consecutive=9
}

@test "what cannot work in a fleet is refused" {
  need_answer byte_lock
  refuses '--gate fleet:' --gate=fleet:
  refuses '--gate fleet:list' --gate=fleet:list
  refuses '--slots fleet:hub' --slots=fleet:hub
  export BACKOFF_FLEET_HELPER=/nonexistent/backoff-fleet
  says 'backoff: --gate: fleet:hub: backoff-fleet is not installed' --gate=fleet:hub
  says 'backoff: --slots: fleet:hub: backoff-fleet is not installed' --slots=fleet:hub:2
  [ -x "$FLEET_HELPER" ] || return 0
  # unit/fleet/url has all that is wrong.
  BACKOFF_FLEET_HELPER=$FLEET_HELPER BACKOFF_FLEET=http://u:secret@host \
    says 'backoff: --gate: fleet:hub: BACKOFF_FLEET: expected ' --gate=fleet:hub
  refute_regex "$(cat "$err")" secret
}

@test "a helper that cannot be started is not ended" {
  need_answer byte_lock
  need_strace
  BACKOFF_FLEET_HELPER=/nonexistent/backoff-fleet run -125 \
    strace -qq -o trace -e trace=kill "$BACKOFF" --gate=fleet:hub true
  refute_regex "$(<trace)" 'kill\('
}

@test "an option that needs another says which" {
  says 'backoff: --quiet-repeats: needs --defer=NAME' --quiet-repeats
  says 'backoff: --gate-wait: 3s: needs --gate=NAME' --gate-wait=3s
  says 'backoff: --slots-wait: 3s: needs --slots=NAME:N' --slots-wait=3s
}

@test "an unknown option is refused and named" {
  refuses '--nope' --nope=3
  refuses '-Z' -qZ
  # musl returns letters of Unicode.
  for word in -é -€ $'-\xff' -vĀ; do
    says 'no such option: -' "$word"
  done
  refuses '--Base' --Base=1s
}

@test "an abbreviated option is refused, and all that it could mean named" {
  while read -r letter name; do
    short=${name%?}
    ! grep -q "\"$short\"" "$TOP_SRCDIR/src/options/options.def" || continue
    refuses "--$short --$name" "--$short=1"
  done < <(valued && flags && joined)
  refuses '--success-on --success-if' --success=1
  refuses --re --re=7
}

@test "a flag that is given a value is refused" {
  refuses '--quiet yes' --quiet=yes
  refuses '--quiet-success' --quiet-success=
}

@test "an option that lacks its value at the end of the line is refused" {
  while read -r letter name; do
    try "--$name"
    refused "--$name"
    [ "$letter" != 0 ] || continue
    try "-$letter"
    refused
    grep -qE -e "(--$name|-$letter)\b|'$letter'" "$err" || fail "$(cat "$err")"
  done < <(valued)
}

@test "no COMMAND is refused, nor is an empty word one" {
  while read -r letter name; do
    [ "$name" != help ] || continue
    try "--$name"
    refused 'no command given; try backoff --help'
  done < <(joined)
  try
  refused 'no command given; try backoff --help'
  try -n 3 -b 1ms --
  refused 'no command given; try backoff --help'
  try -qq '' x
  refused 'backoff: COMMAND is an empty word'
}

@test "the first error is reported on stderr, whatever the log, and nothing is run" {
  refuses '--base abc' -qq --base=abc --cap=def
  refuses '--base abc' --log-format=json --log-file="$BATS_TEST_TMPDIR/log" --base=abc
  refuses '--base abc' --at-end="touch '$made'" --base=abc
}

@test "a log file that cannot be opened is refused before COMMAND starts" {
  refuses "--log-file $BATS_TEST_TMPDIR" --at-end="touch '$made'" --log-file="$BATS_TEST_TMPDIR"
  refuses "--log-file $BATS_TEST_TMPDIR/no/log" --log-file="$BATS_TEST_TMPDIR/no/log"
  refuses '--log-file /dev/fd/77' --log-file=/dev/fd/77
  mkfifo "$BATS_TEST_TMPDIR/unread"
  refuses "--log-file $BATS_TEST_TMPDIR/unread" --log-file="$BATS_TEST_TMPDIR/unread"
}

@test "the status is 125 even if the usage error cannot be written" {
  run -125 sh -c '"$BACKOFF" --base=abc -- touch "$1" 2>/dev/full' sh "$made"
  run -125 sh -c '"$BACKOFF" --base=abc -- touch "$1" 2>&-' sh "$made"
  [ ! -e "$made" ]
}

@test "options of COMMAND are passed to it" {
  run -0 "$BACKOFF" echo --base=abc --nope -n
  assert_output -- '--base=abc --nope -n'
  run -0 "$BACKOFF" -n 2 -- echo -- --help
  assert_output -- '-- --help'
}

@test "what is to be printed goes to stdout and ends with 0, or with 125 if it cannot be written" {
  for words in --help -hall --version -V --plan --preset=list --tool=list '--tool=curl --plan'; do
    # shellcheck disable=SC2086 # several words
    set -- $words
    try "$@"
    [ "$status" -eq 0 ]
    [ -s "$out" ]
    [ ! -s "$err" ]
    : >"$out"
    tried="backoff $words >/dev/full" status=0
    "$BACKOFF" "$@" >/dev/full 2>"$err" || status=$?
    refused 'standard output: write error:'
    tried="backoff $words >&-" status=0
    "$BACKOFF" "$@" >&- 2>"$err" || status=$?
    refused 'standard output: write error:'
  done
}
