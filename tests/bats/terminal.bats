#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# At a terminal, through an interactive bash: Ctrl-C, Ctrl-Z, fg, and that
# we leave process groups and the terminal to the shell. The steps are those
# of tests/lib/terminal.py.

load helper
load ../lib/process

@test "rule 1: COMMAND is in our process group and session, in the foreground" {
  at_terminal <<'EOS'
type "$BACKOFF" -n 1 -- sh -c 'ps -o pgid=,sid=,tpgid= -p $$ | sed s/^/child:/; ps -o pgid=,sid=,tpgid= -p $PPID | sed s/^/parent:/'
wait parent:
prompt
EOS
  child=$(sed -n 's/.*child: *//p' <<<"$output")
  parent=$(sed -n 's/.*parent: *//p' <<<"$output")
  assert_equal "$child" "$parent"
  read -r pgid _ tpgid <<<"$child"
  assert_equal "$pgid" "$tpgid"
}

@test "rule 1: we neither make groups and sessions nor touch the terminal" {
  need_strace
  at_terminal <<'EOS'
type strace -qq -o trace "$BACKOFF" -n 2 -d 1ms -t 1h -- sh -c 'exit 7'
prompt
EOS
  run ! grep -E '^(setpgid|setsid|ioctl\(.*(TIOCSPGRP|TCSET|TIOCSCTTY|TIOCNOTTY|TIOCSETD))' \
    "$BATS_TEST_TMPDIR/trace"
}

@test "rule 2: COMMAND may read the terminal where we are in a script" {
  at_terminal <<'EOS'
type sh -c '"$BACKOFF" cat'
type hello there
wait hello there
key C-d
status 0
EOS
}

# sends_nothing STEP... of terminal.py: COMMAND gets what the terminal sends to
# both of us, and nothing from us. strace alone can tell: a second signal
# coalesces with the first. (After a hangup nothing can be read from the terminal.)
sends_nothing() {
  need_strace
  {
    cat <<'EOS'
type strace -o trace -e trace=kill,tkill,tgkill,pidfd_send_signal "$BACKOFF" -n 1 -- python3 -S "$PROBE" --exit 3 >seen
file seen ready (\d+) (\d+)
EOS
    printf '%s\n' "$@" 'kill 40 2' 'file trace exited with 3'
  } >"$BATS_TEST_TMPDIR/steps"
  at_terminal <"$BATS_TEST_TMPDIR/steps"
  run -0 grep -c '^.*kill(\|^pidfd_send' "$BATS_TEST_TMPDIR/trace"
  assert_output 1 # the barrier
}

@test "rules 9, 22 and 33: a new size, Ctrl-C twice and Ctrl-\\ reach COMMAND, and nothing of them is sent by us" {
  need_real_time
  # shellcheck disable=SC1003 # it is the key
  sends_nothing 'resize 30 90' 'file seen got WINCH from kernel' \
    'key C-c' 'file seen got INT from kernel' 'key C-c' 'file seen (?s)got INT.*got INT from kernel' \
    'key C-\' 'file seen got QUIT from kernel'
  assert_equal "$(tail -n 1 "$BATS_TEST_TMPDIR/seen")" 'seen INT=2 QUIT=1 WINCH=1'
}

@test "rule 22: nothing is sent by us when the terminal hangs up" {
  sends_nothing hangup 'file seen got HUP from kernel'
}

# A terminal that hangs up tells the leader of its session alone; who ignores the
# HUP gets the CONT.
@test "rule 22: where backoff leads the session, the HUP and the CONT of a hangup are passed on" {
  need_real_time
  while read -r name prefix; do
    # shellcheck disable=SC2086 # several words, or none
    at_terminal $prefix "$BACKOFF" -n 1 -- sh -c 'exec python3 -S "$PROBE" --exit 3 >seen' <<EOS
file seen ready (\d+) (\d+)
unplug
file seen got $name from user
kill 40 2
file seen seen.* $name=1
fate exited 3
EOS
    rm seen
  done <<<$'HUP\nCONT env --ignore-signal=HUP'
}

@test "rule 42: where backoff leads the session, a hangup in a pause is a death by HUP" {
  at_terminal "$BACKOFF" -d 1h -- false <<'EOS'
wait next in
unplug
fate killed HUP
EOS
}

@test "where backoff leads the session, a hangup ends --before-retry" {
  at_terminal "$BACKOFF" -b 0 --before-retry='echo ready $$ >seen; exec sleep 1000' -- false <<'EOS'
file seen ready (\d+)
unplug
fate killed HUP
state 1 X
EOS
}

@test "rule 22: Ctrl-C is forwarded where COMMAND has moved to a group of its own" {
  need_real_time
  at_terminal <<'EOS'
type "$BACKOFF" -d 1h -- python3 -S "$PROBE" --own-group --exit 3
wait ready (\d+) (\d+)
key C-c
wait got INT from user
kill 40 2
wait seen INT=1\n
status 3
EOS
}

@test "rules 36 and 42: Ctrl-C in an attempt or a pause is a death by INT, and ends the loop of a script" {
  at_terminal <<'EOS'
type bash -c 'for i in 1 2 3; do echo round $i; "$BACKOFF" -t 1h -- sh -c "$sleeper"; done; echo not reached'
wait round 1
wait ready (\d+) (\d+)
key C-c
state 1 XZ
state 2 XZ
status 130
type bash -c 'for i in 1 2 3; do echo round $i; "$BACKOFF" -d 1h -- false; done; echo not reached'
wait round 1
wait next in 1h
key C-c
wait interrupted by INT after 1 attempt
status 130
never round 2|not reached
EOS
}

@test "rule 27: the loop of a script goes on where COMMAND has answered Ctrl-C by itself" {
  need_real_time
  at_terminal <<'EOS'
type bash -c 'for i in 1 2; do echo round $i; "$BACKOFF" -n 1 -- python3 -S "$PROBE" --exit 3; done; echo reached'
wait round 1
wait ready (\d+) (\d+)
key C-c
wait got INT
kill 40 2
wait round 2
wait ready (\d+) (\d+)
kill 40 2
wait reached
EOS
}

@test "rule 5: Ctrl-Z, fg and bg in an attempt" {
  need_real_time
  at_terminal <<'EOS'
type "$BACKOFF" -n 1 -- python3 -S "$PROBE" --exit 3
wait ready (\d+) (\d+)
key C-z
wait Stopped
prompt
state 1 T
state 2 T
type fg
wait got CONT
key C-z
wait Stopped
prompt
type bg
wait got CONT
kill 40 2
wait seen CONT
type wait %1; echo status $?
wait status 3\n
never (?s)ready.*ready
EOS
}

# Should either key come between two pauses, that is well, too: the status is 130
# or COMMAND's.
@test "rule 5: Ctrl-Z and fg in a pause, which then goes on to the next attempt" {
  at_terminal <<'EOS'
type "$BACKOFF" -n inf -d 1s -- sh -c 'echo "ready $$ $PPID"; exit 7'
wait ready (\d+) (\d+)
wait next in 1s
key C-z
wait Stopped
prompt
state 2 T
type fg
wait ready \d+
key C-c
wait interrupted by INT
prompt
EOS
}

@test "rule 10: in the background, a read of the terminal stops us both, and fg goes on" {
  at_terminal <<'EOS'
type "$BACKOFF" -n 1 -- sh -c 'echo "ready $$ $PPID"; read -r line; echo "line=$line"' &
wait ready (\d+) (\d+)
state 1 T
state 2 T
type fg
state 1 S
type hello
wait line=hello
status 0
EOS
}

# Without job control the shell ignores INT for what it starts with &.
@test "rule 10: in the background of a script Ctrl-C does not end us" {
  at_terminal <<'EOS'
type sh -c '"$BACKOFF" -d 1h -- sh -c "echo ready \$\$ \$PPID; exit 7" & wait'
wait ready (\d+) (\d+)
wait next in 1h
state 2 S
key C-c
prompt
kill TERM 2
wait interrupted by TERM
EOS
}

# Output that Ctrl-S holds is a write that does not end. TERM does.
@test "a terminal stopped with Ctrl-S does not keep TERM from ending backoff" {
  at_terminal <<'EOS'
type "$BACKOFF" -d 1h -- sh -c 'echo "ready $$ $PPID"; read -r line; exit 7'
wait ready (\d+) (\d+)
output off
type go
state 1 X
state 2 S
kill TERM 2
state 2 XZ
output on
status 143
EOS
}

# The second attempt is silent: its words would be held for good.
@test "a terminal stopped with Ctrl-S does not stop the loop" {
  at_terminal <<'EOS'
type "$BACKOFF" -n 2 -d 1ms -- sh -c '[ "$BACKOFF_ATTEMPT" = 2 ] || { echo "ready $$ $PPID"; read -r line; }; exit 7'
wait ready (\d+) (\d+)
output off
type go
state 2 XZ
output on
status 7
EOS
}
