#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --log-format=github: text, an annotation, and no command by others' bytes.

load helper
load ../lib/process

# annotates ARG...: what stderr has is in $output.
annotates() {
  run --separate-stderr "$BACKOFF" --log-format=github -n 2 -d 1ms "$@"
  output=$stderr
  lines=("${stderr_lines[@]}")
}

# injects_nothing: of the lines in $output, the runner obeys one at most, and
# that is our annotation, the last. What COMMAND itself wrote has a mark.
injects_nothing() {
  local ours commands
  ours=$(grep -av '^COMMAND' <<<"$output")
  commands=$(LC_ALL=C tr '\r' '\n' <<<"$ours" | LC_ALL=C grep -aE '^[[:space:]]*::|##\[') || true
  assert_equal "$(grep -c . <<<"$commands")" 1
  assert_regex "$commands" '^::(error|warning) title=backoff%3A [^:,]*::'
  assert_equal "${ours##*$'\n'}" "$commands"
}

fails_once='[ "$BACKOFF_ATTEMPT" -ge 2 ] || exit 7'

@test "github: a success after a retry is text and one warning; at once, in a streak, and a pass are nothing" {
  annotates sh -c "$fails_once"
  assert_success
  assert_equal "${#lines[@]}" 2
  assert_line --index 0 --regexp '^backoff: sh: attempt 1/2 failed after .*: exit 7; next in 1ms$'
  assert_line --index 1 --regexp '^::warning title=backoff%3A sh::succeeded at attempt 2/2 in [0-9.mu]+s; attempt 1: exit 7$'
  annotates true
  assert_output ''
  annotates -n 3 --consecutive=2 true
  assert_equal "$(grep -c '^::' <<<"$output")" 0
  annotates --pass-on=1 sh -c 'exit 1'
  assert_failure 1
  assert_output ''
}

@test "github: an interruption is an error" {
  start -- "$BACKOFF" --log-format=github -d 1h -- false
  await_pause
  dies_by TERM
  run -0 tail -n 1 "$err"
  assert_output --regexp '^::error title=backoff%3A false::interrupted by TERM after 1 attempt in '
}

# unit/words/message has what could.
@test "github: a name injects nothing, whether it is given or that of COMMAND" {
  local name=$'a%0A::error::x,file=y\e[31m\xc2\x9b\xff###[x]\n ::error::x\r##[add-mask]x'
  annotates --name="$name" false
  injects_nothing
  annotates -v --name="$name" sh -c "$fails_once"
  injects_nothing
  cp "$(type -P false)" "$BATS_TEST_TMPDIR/$name"
  annotates -- "$BATS_TEST_TMPDIR/$name"
  injects_nothing
  annotates -- "$name"
  injects_nothing
}

@test "github: nor does it in a line that --quiet-repeats lets through" {
  need_answer byte_lock
  export BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/state
  for each in false true; do
    annotates --quiet-repeats --defer=job:1ns..1ns --name='##[x]' -n 1 $each
  done
  assert_output --regexp '^backoff: #\?\[x\]: succeeded, after 1 run had given up since [0-9:]+$'
}

@test "github: what COMMAND writes injects nothing through the line that is quoted" {
  for text in 'x%0A::error::x ##[error]x' '\r::error::x' '\033]0;::error::x\007'; do
    annotates --throttle-if='MARK' sh -c "printf 'COMMAND MARK $text\\n' >&2; exit 7"
    injects_nothing
    annotates --stop-if='MARK' -oall sh -c "printf 'COMMAND MARK $text\\n' >&2; exit 7"
    injects_nothing
  done
}

@test "github: options that are told of inject nothing" {
  annotates -v --stop-if='##[error]x' --before-retry='# ##[error]
::error::x' sh -c "$fails_once"
  injects_nothing
  annotates --stop-if='a##\[error\]|COMMAND' sh -c 'echo COMMAND; exit 7'
  assert_equal "$(grep -c '##\[' <<<"$output")" 0
}

@test "github: an annotation begins a line, whatever COMMAND left" {
  annotates -n 1 -oall sh -c 'printf "COMMAND half a line" >&2; exit 7'
  assert_line --regexp '^::error title='
  annotates sh -c "printf 'COMMAND {}' >&2; $fails_once"
  assert_line --regexp '^::warning title='
  run -1 "$BACKOFF" --log-format=github --log-file="$BATS_TEST_TMPDIR/log" -n 1 \
    sh -c 'printf "COMMAND {}"; exit 1'
  assert_line --regexp '^::error title='
}

@test "github: a usage error injects nothing" {
  run -125 "$BACKOFF" --log-format=github --base='##[error]x' false
  refute_output --partial '##['
  TMPDIR='/nope##[error]' run -125 "$BACKOFF" --log-format=github -o false
  refute_output --partial '##['
}

@test "github: -q leaves the line that gives up, and its annotation, and -qq nothing" {
  annotates -q -n 2 false
  assert_equal "${#lines[@]}" 2
  assert_line --index 0 --partial 'giving up'
  assert_line --index 1 --partial '::error'
  annotates -q sh -c "$fails_once"
  assert_output ''
  annotates -qq -n 2 false
  assert_output ''
}

@test "github: with --log-file the text is there, and the annotation on stderr" {
  annotates --log-file="$BATS_TEST_TMPDIR/log" -n 2 false
  assert_equal "${#lines[@]}" 1
  assert_line --index 0 --regexp '^::error title=backoff%3A false::giving up'
  run -0 cat "$BATS_TEST_TMPDIR/log"
  assert_equal "${#lines[@]}" 2
  refute_output --partial '::error'
}

@test "github: --quiet-success says nothing of a success, and all of a failure" {
  annotates --quiet-success sh -c "$fails_once"
  assert_output ''
  annotates --quiet-success -n 2 sh -c 'echo COMMAND >&2; exit 7'
  assert_line --index 0 --partial 'attempt 1/2'
  assert_line --index 1 'COMMAND'
  assert_line --index 2 --partial 'giving up'
  assert_line --index 3 --partial '::error title='
}

@test "github: it is the default in GitHub Actions, where stderr is the log" {
  export GITHUB_ACTIONS=true
  run --separate-stderr "$BACKOFF" -n 1 false
  assert_equal "${stderr_lines[1]%%::g*}" '::error title=backoff%3A false'
  run --separate-stderr "$BACKOFF" -n 1 --log-format=text false
  assert_equal "${#stderr_lines[@]}" 1
  run --separate-stderr "$BACKOFF" -n 1 --log-format=json false
  assert_equal "$(grep -c '::error' <<<"$stderr")" 0
  run --separate-stderr "$BACKOFF" -n 1 --log-file="$BATS_TEST_TMPDIR/log" false
  assert_equal "$stderr" ''
  GITHUB_ACTIONS=1 run --separate-stderr "$BACKOFF" -n 1 false
  assert_equal "${#stderr_lines[@]}" 1
}

# Neither a failure nor a success.
@test "github: a run that is put off is not pointed at" {
  need_answer byte_lock
  export GITHUB_ACTIONS=true BACKOFF_STATE_DIR=$BATS_TEST_TMPDIR/state
  run "$BACKOFF" -n 1 --defer=job false
  assert_line --partial '::error'
  run -75 --separate-stderr "$BACKOFF" -n 1 --defer=job false
  assert_equal "${#stderr_lines[@]}" 1
  assert_regex "$stderr" ': skipped until '
}
