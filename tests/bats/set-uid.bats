#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What backoff may not signal, as an ordinary user whose command becomes root:
# it counts as there, gets --kill-after to end by itself, and is named then.

load helper
load ../lib/tree

# become.c: becomes root in every respect, so that the user who has started
# it cannot signal it any more; makes the file of its first argument, and
# ends when somebody writes to the FIFO of the second. It is dumpable, so that
# root may read its environment in a container, too.
#
# In setup_file a skip is a failure: why_not, of what comes next, is for setup.
setup_file() {
  export why_not
  ! make_become || why_not=
}

make_become() {
  why_not='only root can make a set-user-ID program'
  [ "$(id -u)" -eq 0 ] || return
  why_not='setpriv is not installed'
  command -v setpriv >/dev/null || return
  export USERS_DIR=$BATS_FILE_TMPDIR/users
  mkdir "$USERS_DIR"
  cat >"$BATS_FILE_TMPDIR/become.c" <<'SOURCE'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	char byte;

	if (argc < 3 || setresuid(0, 0, 0) != 0 || setresgid(0, 0, 0) != 0
	    || prctl(PR_SET_DUMPABLE, 1) != 0)
		return 77;
	close(open(argv[1], O_CREAT | O_WRONLY, 0666));
	return read(open(argv[2], O_RDONLY), &byte, 1) != 1;
}
SOURCE
  why_not='no C compiler'
  "${CC:-cc}" -o "$USERS_DIR/become" "$BATS_FILE_TMPDIR/become.c" || return
  why_not="no set-user-ID programs in $BATS_FILE_TMPDIR"
  chmod 4755 "$USERS_DIR/become"
  cp "$BACKOFF" "$USERS_DIR/backoff"
  chmod 1777 "$USERS_DIR"
  chmod a+x "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$(dirname "$BATS_FILE_TMPDIR")"
  cd "$USERS_DIR" || return
  mkfifo trial
  echo go >trial 3>&- &
  as_user ./become ready trial
}

user=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# as_user COMMAND...: runs it as an ordinary user.
as_user() {
  "${user[@]}" "$@"
}

# environs OPTION... TEXT: as that of tree.bash, which this root may not see of
# the user's processes in a container.
environs() {
  {
    grep -lsFz "$@" /proc/[0-9]*/environ
    as_user grep -lsFz "$@" /proc/[0-9]*/environ
  } | command cut -d/ -f3 | sort -u
}

setup() {
  [ -z "$why_not" ] || skip "$why_not"
  cd "$USERS_DIR" || return
  rm -rf run
  mkdir -m 1777 run
  cd run || return
  mkfifo -m 666 go # to be opened by root and the user
  events=$PWD/events
  export TMPDIR=$PWD # for the user, too
  BACKOFF=../backoff
  # shellcheck disable=SC2034 # for cut_when_ready
  under=("${user[@]}") limits=(300ms 2s 8s 30s)
}

# cut OPTION... -- COMMAND...: by a timeout or, with CUT=-T, the deadline.
cut() {
  cut_when_ready "${CUT:--t}" "$@"
}

# What names a process beside its id, where that can be seen.
its_name=' (become)'
has_answer processes || its_name=

# What the line says then; JSON does not.
way_out='; run it as: sudo backoff \.\.\. \(or sudo timeout\)'

# assert_named [REASON]: the one attempt has timed out, and the closing reason
# names the process, which is alive and is the only one that is left.
assert_named() {
  local left
  left=$(bearers tree)
  [ "$(cat "/proc/$left/comm")" = become ] || fail "left behind: $left"
  assert_events 'len(attempts) == 1 and attempts[0].outcome == "timed-out"' \
    'attempts[0].verdict == "stop" and attempts[0].pause_s is None' \
    "attempts[0].reason.startswith('timed out after ')" \
    "attempts[0].reason.endswith('s; cannot end process $left$its_name')" "$@"
}

@test "a command that cannot be signalled gets --kill-after, then backoff gives up and names it" {
  need_proc
  for signal in TERM KILL; do
    cut -n 2 -s "$signal" -k 300ms -- ../become ready go
    assert_named 'end.result == "stopped" and end.status == 124' \
      'attempts[0].status is None and attempts[0].signal is None' \
      'end.elapsed_s >= 600*ms'
  done
}

@test "no attempt starts beside such a process below the command, and those that can be signalled are ended" {
  need_proc
  need_answer processes
  cut -n 2 -k 300ms -- sh -c '
    setsid sh -c "trap \"\" TERM; while :; do sleep 1000; done" & ../become ready go; exit 5'
  assert_named 'end.result == "stopped"' 'attempts[0].signal == "TERM"'
}

@test "where /proc hides it, no attempt starts beside it either, and the rest is ended" {
  need_answer orphans
  need_mounts
  need_users
  local hidepid its_name=
  # shellcheck disable=SC2034 # for cut_when_ready
  for hidepid in 1 2; do
    under=("${namespace[@]}" sh -c 'mount -t proc -o "hidepid=$0" proc /proc && exec "$@"'
      "$hidepid" "${user[@]}")
    cut -n 2 -k 300ms -- sh -c '
      (setsid sh -c "trap \"\" TERM; while :; do sleep 1000; done" &)
      sleep 1000 & ../become ready go; exit 5'
    assert_named
  done
}

@test "a deadline gives up in the same way, and --success-on=timeout is no success while such a process runs" {
  need_proc
  CUT=-T cut -n 2 -k 300ms -- ../become ready go
  assert_named 'end.result == "deadline" and end.status == 124'
  cut -n 2 -k 300ms --success-on=timeout -- ../become ready go
  assert_named 'end.result == "stopped"'
}

# leaves_behind KILL-AFTER CHILD: an attempt that ends after a TERM, but not by it, and
# leaves this child, a line of bash with ../become in it.
leaves_behind() {
  rm -f ready
  TEST_MARK=$MARKS/tree start --block TERM -- "${user[@]}" \
    "$BACKOFF" -qq -n inf --base=0 -t 100ms -k "$1" -- bash -c '
      echo "attempt $BACKOFF_ATTEMPT $$"
      [ "$BACKOFF_ATTEMPT" -eq 1 ] || exit 0
      bash -c "$1" &
      until [ -e ready ]; do sleep 0.02; done
      '"$until_term"'; exit 5' bash "$2"
  await "$out" 'attempt 1'
  wait_for gone "$(sed -n 's/^attempt 1 //p' "$out")"
}

@test "if it ends by itself within --kill-after, or with -k inf, the next attempt follows" {
  need_proc
  need_answer processes
  for after in 1h inf; do
    leaves_behind "$after" 'exec ../become ready go'
    # Longer than it takes to begin an attempt.
    sleep 0.3
    # run.py, backoff and it.
    assert_alive tree 3
    refute grep -q 'attempt 2' "$out"
    echo go >go
    assert_fate 'exited 0'
    assert_none tree
  done
}

@test "with -k inf the end of a process below an unwaited one is noticed" {
  need_proc
  leaves_behind inf '../become ready go; while :; do sleep 1000; done'
  echo go >go
  assert_fate 'exited 0'
}

@test "--grace: what cannot be ended is named, and the status is 124" {
  TEST_MARK=$MARKS/tree start -- "${user[@]}" \
    "$BACKOFF" --grace=300ms -n 2 -t 1h -- ../become ready go
  wait_for test -e ready
  signal TERM
  assert_fate 'exited 124'
  left=$(bearers tree)
  grep -Eq "^backoff: become: interrupted by TERM after 1 attempt in [^:]*: cannot end process $left${its_name:+ \(become\)}$way_out$" "$err" ||
    fail "$(cat "$err")"
}

@test "--grace: a process below the command that cannot be ended is named, the status is the command's" {
  need_answer processes
  TEST_MARK=$MARKS/tree start -- "${user[@]}" \
    "$BACKOFF" --grace=300ms -n 2 -- sh -c 'trap "exit 3" TERM; ../become ready go & wait'
  wait_for test -e ready
  signal TERM
  assert_fate 'exited 3'
  grep -Eq "interrupted by TERM after 1 attempt in [^:]*: cannot end process $(bearers tree) \(become\)$way_out$" "$err" ||
    fail "$(cat "$err")"
}

@test "a hook that cannot be ended at the deadline is named" {
  ENDS=1 CUT=-T cut -n 2 --log-format=text -k 300ms --before-retry='exec ../become ready go' -- false
  output=$(cat "$events")
  assert_output --regexp "deadline reached after 1 attempt in [^:]*: exit 1; cannot end process [0-9]+${its_name:+ \(become\)}$way_out$"
}

# Root has as many as it likes. Another user's processes would be counted, too.
@test "a command that waits for one process fewer of the user (RLIMIT_NPROC) is started then" {
  local uid=$((60000 + $$ % 5000))
  start -- setpriv --reuid="$uid" --regid="$uid" --clear-groups bash -c '
    sleep 1000 &
    ulimit -u 2 && exec "$@"' bash "$BACKOFF" -d 20ms -n inf -- sh -c 'exit 0'
  await "$err" 'attempt 2 failed after .*: Resource temporarily unavailable; next in 20ms'
  signal KILL "$(child_of "$pid")"
  assert_fate 'exited 0'
}
