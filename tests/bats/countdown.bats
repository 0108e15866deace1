#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The countdown at a terminal, as it looks: in a tmux of our own, from an
# interactive bash. What is waited for is what the screen shows.

load helper
load ../lib/shared
load ../lib/redis

setup() {
  need tmux
  socket=$BATS_TEST_TMPDIR/tmux
  ln -s "$BACKOFF" backoff
  # What it runs, so that lines are short and the same each time.
  mkfifo go
  cat >fails <<'EOS'
echo $PPID >>pids
[ ! -e output ] || cat output
exit 7
EOS
}

teardown() {
  screen 2>/dev/null || true # for the log, if the test failed
  tmux -S "$socket" kill-server 2>/dev/null || true
  stop_redis
}

# at_screen WIDTH [VARIABLE=VALUE]...: an empty one, 20 rows high.
at_screen() {
  env -u TMUX -u CI tmux -S "$socket" -f /dev/null new-session -d -x "$1" -y 20 \
    env "${@:2}" PS1='$ ' PATH="$PWD:$PATH" bash --norc --noprofile --noediting -i 3>&-
  shows '^\$$'
  tmux -S "$socket" pipe-pane 'exec cat >>drawn'
}

types() {
  tmux -S "$socket" send-keys -l "$1"
  tmux -S "$socket" send-keys Enter
}

key() {
  tmux -S "$socket" send-keys "$1"
}

# shellcheck disable=SC2120 # more often without
screen() { # [OPTION of capture-pane]
  tmux -S "$socket" capture-pane -p "$@" | sed 's/ *$//; /^$/d'
}

has() {
  screen | grep -Eq -- "$1"
}

# shows REGEX: until a row of it matches.
shows() {
  wait_for has "$1"
}

# is_shown ROW...: these REGEXes and no other rows, the last of them a prompt.
is_shown() {
  local rows i=0
  wait_for ends_with_prompt
  mapfile -t rows < <(screen)
  [ "${#rows[@]}" -eq $(($# + 1)) ] || fail "$# rows expected: $(screen)"
  for row; do
    [[ ${rows[i]} =~ ^$row$ ]] || fail "'${rows[i]}' is not '$row': $(screen)"
    i=$((i + 1))
  done
}

ends_with_prompt() {
  [ "$(screen | tail -n 1)" = '$' ]
}

# rows: what was drawn on a row of its own, one after the other.
rows() {
  grep -aoE $'\r\033\\[K(next in|shut for)[^\r\033]+' drawn | cut -c 5- | paste -sd ,
}

@test "countdown: below the line a row runs down, in whole seconds, and is erased" {
  need_answer terminal_columns
  at_screen 80
  types 'backoff --name=x -n 2 -d 3s sh fails'
  shows '^next in [12]s$'
  is_shown '\$ backoff .*' \
    'backoff: x: attempt 1/2 failed after [0-9.mu]+s: exit 7; next in 3s' \
    'backoff: x: giving up after 2 attempts in .*: exit 7'
  assert_equal "$(rows)" 'next in 2s,next in 1s'
}

@test "countdown: the scrollback is the log, with output that was not ended" {
  at_screen 80
  printf 'half a line, ' >output
  types 'seq 30; backoff --name=x -d 2s,2s sh fails 2>&1; seq 30'
  shows '^30$'
  wait_for ends_with_prompt
  run screen -S -
  assert_equal "$(grep -c '^half a line, backoff: x: attempt .*next in 2s$' <<<"$output")" 2
  assert_equal "$(grep -c 'next in' <<<"$output")" 2
}

differs_from() { [ "$(screen)" != "$1" ]; }

# is_redrawn: until the time has changed once more.
is_redrawn() {
  wait_for differs_from "$(screen)"
}

@test "countdown: the row is cut to the width of a terminal that gets narrower, and wide again" {
  need_answer terminal_columns
  at_screen 80
  types 'backoff --name=x -d 1h sh fails'
  shows '^next in 59m[0-9]+s$'
  tmux -S "$socket" resize-window -x 20 -y 20
  is_redrawn
  tmux -S "$socket" resize-window -x 14 -y 20
  shows '^next in 59m[0-9]$'
  tmux -S "$socket" resize-window -x 90 -y 20
  shows '^next in 59m[0-9]+s$'
  run screen
  assert_equal "$(grep -c 'next in 59m' <<<"$output")" 1
  key C-c
  is_shown '\$ backoff .*' \
    'backoff: x: attempt 1/8 failed after [0-9.mu]+s: exit 7; next in 1h, at [0-9: -]+' \
    'backoff: x: interrupted by INT after 1 attempt in .*'
}

@test "countdown: in the background nothing runs down, also with tostop, and in the foreground it does again" {
  need_answer terminal_columns
  at_screen 80
  types 'stty tostop; backoff --name=x -d 1h sh fails'
  shows 'next in 59m'
  key C-z
  shows 'Stopped'
  wait_for ends_with_prompt
  types 'clear; bg'
  shows '^\[1\]\+ backoff'
  wait_for in_state "$(head -n 1 pids)" S
  types 'sleep 2.5; jobs; echo slept'
  shows '^slept'
  assert has 'Running'
  run ! has 'next in'
  types fg
  shows '^next in 59m[0-9]+s$'
  key C-c
  shows 'interrupted by INT'
}

@test "countdown: Ctrl-S does not hold a signal up" {
  need_answer terminal_columns
  at_screen 80
  types 'backoff --name=x -d 1h sh fails'
  shows '^next in 59m'
  key C-s
  sleep 2.2 # for frames that find no room
  kill -s TERM "$(head -n 1 pids)"
  wait_for gone "$(head -n 1 pids)"
  key C-q
  wait_for ends_with_prompt
  run screen
  assert_equal "$(grep -c 'next in 59m' <<<"$output")" 1
}

@test "countdown: one signal is enough, and the next attempt comes in time" {
  need_answer terminal_columns
  at_screen 80
  types 'backoff --name=x -d 2s,1h --wake-on=USR1 sh fails'
  shows '^next in 59m'
  kill -s USR1 "$(head -n 1 pids)"
  shows 'giving up after 3 attempts'
}

@test "countdown: failures that are not told have the row alone" {
  need_answer terminal_columns
  at_screen 100
  types 'backoff --name=x -n 12 -d 1ms,1ms,1ms,1ms,1ms,1ms,1ms,1ms,1ms,1ms,1h sh fails'
  shows '^next in 59m'
  key C-c
  wait_for ends_with_prompt
  run -0 screen
  refute_line --partial 'attempt 11/12'
  assert_line --partial 'attempt 10/12'
  assert_line --partial 'interrupted by INT after 11 attempts'
  refute_output --partial '^C'
}

@test "countdown: the row stands below all that is said of the attempt" {
  need_answer terminal_columns
  at_screen 120
  types 'backoff --name=x --retry-after --throttle-on=7 -j none -b 600ms -n 2 sh fails'
  shows '^next in [12]s$'
  shows 'giving up'
  is_shown '\$ backoff .*' 'backoff: x: attempt 1/2 throttled: exit 7; next in 3s' \
    'backoff: x: --retry-after: no stated wait .*' 'backoff: x: giving up after 2 attempts .*'
  assert_equal "$(rows)" 'next in 2s,next in 1s'
}

# stands_still COMMAND: the line is there, and no row below it.
stands_still() {
  types "clear; $1"
  shows 'next in 1h, at [0-9: -]+$'
  sleep 1.5
  run ! has 'next in 59m'
  key C-c
  shows 'interrupted by'
  wait_for ends_with_prompt
}

@test "countdown: none where TERM=dumb, where CI is set, and on a terminal of no width" {
  need_answer terminal_columns
  at_screen 80
  stands_still 'TERM=dumb backoff --name=x -d 1h sh fails'
  stands_still 'CI=true backoff --name=x -d 1h sh fails'
  stands_still 'stty cols 0; backoff --name=x -d 1h sh fails'
  types 'stty cols 80; CI=false backoff --name=x -d 1h sh fails'
  shows 'next in 59m'
}

# asks FILE ARG...: in FILE, how often this run asks for the terminal's foreground,
# before it asks for its size. (isatty(3) of musl is a question for that, too.)
asks() {
  types "clear; strace -qq -o trace -e trace=ioctl backoff ${*:2} sh fails; echo end $1"
  shows "^end $1\$"
  grep -c TIOCGPGRP trace >"$1" || :
}

@test "countdown: none in a pause of less than a second, nor with -q, JSON and --quiet-success" {
  at_screen 80
  for options in '-d 999ms' '-q -d 1100ms' '--log-format=json -d 1100ms' '--quiet-success -d 1100ms'; do
    asks with "$options" -n 2
    asks without -q -n 1
    cmp with without
  done
}

@test "countdown: at a gate the row tells for how long it has been shut" {
  need_answer terminal_columns byte_lock
  export BACKOFF_STATE_DIR=$PWD/state
  mkdir -m 700 state
  shut_for 30m
  at_screen 80 BACKOFF_STATE_DIR="$BACKOFF_STATE_DIR"
  types 'backoff --name=x --gate=hub true'
  shows '^backoff: x: waiting at gate hub, shut for [0-9.mu]+s: exit 7$'
  shows '^shut for [0-9]+s$'
  is_redrawn
  run -0 screen
  assert_equal "$(grep -c 'waiting at' <<<"$output")" 1
  assert_equal "$(grep -c '^shut for' <<<"$output")" 1
  key C-c
  is_shown '\$ backoff .*' \
    'backoff: x: waiting at gate hub, shut for [0-9.mu]+s: exit 7' \
    'backoff: x: interrupted by INT after [0-9.]*[mu]*s'
}

# bats test_tags=long
@test "countdown: at a gate that another machine has shut one row counts in whole seconds" {
  need_answer byte_lock
  need_redis
  start_redis
  export BACKOFF_FLEET_HELPER=$FLEET_HELPER BACKOFF_FLEET=unix:$REDIS_SOCKET
  printf 'echo after=1h >"$BACKOFF_HINT"; exit 1' >asks
  for run in '1 -n 19 -b 0 sh fails' '2 -n 1 -b 1ms sh fails' '2 -n 1 -b 1ms sh asks'; do
    # shellcheck disable=SC2086 # several words
    BACKOFF_STATE_DIR=$PWD/${run%% *} "$BACKOFF" -qq --gate=fleet:hub ${run#* } 3>&- || :
  done
  at_screen 80 "BACKOFF_STATE_DIR=$PWD/3"
  types 'backoff --gate=fleet:hub true'
  # Twice the time after which the wait is noted for others on this machine.
  wait_for grep -aEq 'shut for [1-5]s.*shut for 1[1-5]s' drawn
  key C-c
  wait_for ends_with_prompt
  run -0 screen
  assert_equal "$(grep -c 'shut for' <<<"$output")" 1
  run -1 grep -E '(ms|[.])' <<<"$(rows)"
}
