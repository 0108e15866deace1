#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which processes are ended, and how, in the difficult cases: --grace, pids
# that are reused, another namespace's /proc, processes that may not be signalled.
# shellcheck disable=SC2034 # under, for events.bash

load helper
load ../lib/tree

# --- --grace ---

@test "--grace does not begin with a signal that does not end backoff" {
  start -- "$BACKOFF" -qq --grace=50ms -n 1 -- sh -c '
    trap "echo answered" USR1; echo ready
    while ! [ -e over ]; do sleep 0.02; done'
  await "$out" ready
  signal USR1
  await "$out" answered
  sleep 0.2
  touch over
  assert_fate "exited 0"
}

@test "--grace KILLs what is left of the tree of a command that has died of the signal, or answered it" {
  need_answer orphans
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=300ms -n 1 -- sh -c '
    sleep 1000 & setsid sh -c "trap \"\" TERM; echo ready; while :; do sleep 1000; done" & wait'
  await "$out" ready
  dies_by TERM
  assert_none tree
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=300ms -n 1 -- sh -c '
    trap "exit 3" TERM; (setsid sleep 1000 &); echo ready; while :; do sleep 0.05; done'
  await "$out" ready
  signal TERM
  assert_fate 'exited 3'
  assert_none tree
}

@test "--grace gives the whole tree time, and backoff waits for all of it, or for a second signal" {
  need_answer orphans
  mkfifo go
  export rest
  for rest in 'read -r _ <go; echo clean >>ends' 'while :; do sleep 1000; done'; do
    TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=1h -n 1 -- sh -c '
      (setsid sh -c "trap \"\" TERM; echo ready; $rest" &)
      echo "command $$"; exec sleep 1000'
    await "$out" ready
    await "$out" command
    signal TERM
    wait_for gone "$(sed -n 's/^command //p' "$out")"
    sleep 0.3 # for a wrong program
    [ ! -e "$BATS_TEST_TMPDIR/fate" ] || fail "ended before its tree"
    if [ -e ends ]; then signal TERM; else echo go >go; fi
    assert_fate 'killed TERM'
    assert_none tree
  done
  assert_equal "$(cat ends)" clean
}

# dies_unseen SCRIPT: it gets TERM with its group while backoff is stopped, which goes on
# when it is dead.
dies_unseen() {
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=300ms -n 1 -- sh -c "$1"
  await "$out" ready
  stop
  signal TERM "-$pid"
  wait_for stopped_and_dead
  signal CONT
  assert_fate 'killed TERM'
}

@test "--grace: a command that got the signal too, and is dead when backoff sees it, leaves nothing" {
  need_answer orphans
  dies_unseen '(setsid sleep 1000 &); echo "ready $$ $PPID"; exec sleep 1000'
  assert_none tree
}

@test "--grace: a command that exits with the number of the signal has not died by it" {
  need_answer orphans
  mkfifo up # a child that is still a shell would lose a TERM that comes with its fork
  dies_unseen 'trap "exit 15" TERM
    (setsid sh -c "echo >up; exec sleep 1000" &); read -r _ <up
    sh -c "echo >up; exec sleep 1000" & read -r _ <up
    echo "ready $$ $PPID"; wait'
  assert_alive tree
}

@test "--grace: leftovers of an attempt that ended by itself are not killed" {
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=1ms -n 1 -- sh -c '
    TEST_MARK=$MARKS/helper setsid sleep 1000 & kill -s STOP $PPID; exit 7'
  wait_for stopped_and_dead
  signal TERM
  signal CONT
  assert_fate 'killed TERM'
  wait_for alive helper
}

# --- With a subreaper, or without one ---

@test "an orphan is ended; where it is not adopted, if it has the environment of the attempt" {
  need_answer processes
  need_namespace --pid --fork --mount-proc
  cat >orphan.sh <<'SCRIPT'
trap "" TERM
echo ready >"$1"
exec sleep 1000
SCRIPT
  cat >inner.sh <<'SCRIPT'
"$BACKOFF" -qq --grace=10ms -n 1 -- sh -c '
  (TEST_MARK=$MARKS/tree setsid sh orphan.sh marked &)
  (env -i TEST_MARK=$MARKS/helper setsid sh orphan.sh bare &)
  sleep 1000' &
until [ -s marked ] && [ -s bare ]; do sleep 0.02; done
kill -s TERM "$!"
wait "$!"
echo "status $?" >status
read -r _ <go
SCRIPT
  mkfifo go
  export MARKS
  TEST_MARK=$MARKS/inner "${namespace[@]}" sh inner.sh 3>&- &
  await status 'status 143'
  assert_none tree
  if has_answer orphans; then assert_none helper; else assert_alive helper; fi
  echo >go
  wait "$!" || :
}

# never_waits COMMAND...: below a parent of orphans that does not wait for them,
# backoff runs below COMMAND. A group is there until all of it are waited for.
never_waits() {
  rm -f ready
  cat >parent.py <<'SCRIPT'
import ctypes, subprocess, sys
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
sys.exit(subprocess.call(sys.argv[1:]))
SCRIPT
  under=("${PYTHON[@]}" parent.py "$@")
  for limit in 100ms 2s 8s 30s; do # until it forks in time
    run -124 logged -n 1 -t "$limit" -k 100ms -- setsid --wait \
      "${PYTHON[@]}" -c 'import signal, os; os.fork(); open("ready", "w"); signal.pause()' 3>&-
    [ ! -e ready ] || return 0
  done
}

@test "a timeout ends the attempt where the parent of orphans never waits for them" {
  need_proc
  never_waits
}

@test "so it does where processes are not seen, a second after the KILL, and it ends the command alone" {
  need_strace
  local blind=(strace -qq -o trace -e trace='prctl,?readlink,readlinkat' -e inject=prctl:error=EINVAL
    -e inject='?readlink,readlinkat:error=ENOENT')
  never_waits "${blind[@]}"
  assert_events 'end.elapsed_s >= 1200*ms'
  under=("${blind[@]}")
  run -124 logged -n 1 -t 100ms -- sleep 1000
  assert_events 'attempts[0].signal == "TERM"'
}

# --- /proc of another PID namespace ---

@test "in a PID namespace with the /proc of another, the command alone is ended" {
  need_pids
  # In the outer namespace, process 500 has the children 501 to 540. In the
  # inner one 500 is backoff, and 501 to 540 are those that it would hit.
  cat >outer.sh <<'SCRIPT'
echo 499 >/proc/sys/kernel/ns_last_pid
python3 -S many.py &
until [ -e outer ]; do sleep 0.02; done
exec unshare --pid --fork sh inner.sh
SCRIPT
  cat >many.py <<'SCRIPT'
import os, signal
with open("/proc/sys/kernel/ns_last_pid", "w") as last:
    last.write("500")
for _ in range(40):
    if os.fork() == 0:
        signal.pause()
os.rename("python", "outer")
signal.pause()
SCRIPT
  : >python
  cat >inner.sh <<'SCRIPT'
echo 499 >/proc/sys/kernel/ns_last_pid
TEST_MARK=$MARKS/tree "$BACKOFF" --log-file=log -v -n 1 -t 1s -k 300ms -- sleep 1000 &
backoff=$!
bystanders=
for _ in 1 2 3; do
  sleep 1000 &
  bystanders="$bystanders $!"
done
wait "$backoff"
echo "$backoff $?" >status
for pid in $bystanders; do
  kill -0 "$pid" && echo alive
done >alive
SCRIPT
  "${namespace[@]}" sh outer.sh >output 2>&1 </dev/null 3>&- || true
  assert_equal "$(cat status)" '500 124'
  assert_equal "$(cat alive)" $'alive\nalive\nalive'
  grep -q 'signalled only the command' log || fail "$(cat log)"
}

# --- pids ---

# reuses_pid: in a PID namespace of its own, the command's child ends between
# the reading of /proc and the signal, and another gets its pid. Prints what
# became of that: "alive" or "hit"; the child is to be there before the timeout.
# $@ are options of strace. After need_pids and need_strace.
reuses_pid() {
  local limit
  cat >reuse.py <<'SCRIPT'
import os, signal, subprocess, sys, time
def wait_for(condition):
    while not condition():
        time.sleep(0.02)
def state(pid):
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rpartition(")")[2].split()[0]
def number(file):
    with open(file) as text:
        return int(text.read())
# The second call finds the end of /proc: all has been read then.
tracer = subprocess.Popen(["strace", "-qq", "-o", "trace",
    "-e", "trace=getdents64,kill,pidfd_open,pidfd_send_signal",
    "-e", "inject=getdents64:signal=SIGSTOP:when=2"] + sys.argv[1:] +
    [os.environ["BACKOFF"], "-q", "-n", "1", "-t", os.environ["LIMIT"], "-k", "inf", "--",
     "sh", "-c", "echo $PPID >backoff.new; mv backoff.new backoff; python3 -S parent.py & wait"])
wait_for(lambda: os.path.exists("trace") and "SIGSTOP" in open("trace").read())
if not os.path.exists("backoff") or not os.path.exists("victim"):
    sys.exit("late")
backoff, victim = number("backoff"), number("victim")
wait_for(lambda: state(backoff) in "tT")
os.kill(victim, signal.SIGKILL)
wait_for(lambda: not os.path.exists("/proc/%d" % victim))
with open("/proc/sys/kernel/ns_last_pid", "w") as last:
    last.write(str(victim - 1))
other = os.fork()
if other == 0:
    signal.pause()
assert other == victim, (other, victim)
os.kill(backoff, signal.SIGCONT)
tracer.wait()
print("hit" if os.waitpid(other, os.WNOHANG)[0] else "alive", tracer.returncode)
SCRIPT
  # It reaps its child at once, and does not end by TERM.
  cat >parent.py <<'SCRIPT'
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    signal.pause()
with open("victim.new", "w") as file:
    file.write(str(child))
os.rename("victim.new", "victim")
os.waitpid(child, 0)
SCRIPT
  for limit in 700ms 3s 10s 30s; do
    rm -f backoff victim trace
    TEST_MARK=$MARKS/tree LIMIT=$limit \
      "${namespace[@]}" "${PYTHON[@]}" reuse.py "$@" 2>errors </dev/null 3>&- && return
    grep -qx late errors || break
  done
  cat errors
}

@test "a process with a reused pid of the tree is not signalled" {
  need_answer handles
  need_pids
  need_strace
  run reuses_pid
  assert_output 'alive 124'
  grep -q pidfd_send_signal trace || fail "$(cat trace)"
}

@test "without pidfds, a pid is checked again before it is signalled" {
  need_answer processes
  need_pids
  need_strace
  run reuses_pid -e inject=pidfd_open:error=ENOSYS
  assert_output 'alive 124'
}

# traced_until_ready OPTION...: the end of a hydra, with the calls in ./trace.
traced_until_ready() {
  under=(strace -qq -o trace -e "trace=kill,pidfd_open,pidfd_send_signal" "$@")
  cut_when_ready -t -n 1 -k 300ms -- sh -c 'echo $$ >command; '"$hydra"
  assert_none tree
}

@test "without pidfds, by the kernel or a sandbox, the whole tree is ended" {
  need_answer handles
  need_answer orphans
  need_strace
  for error in pidfd_open:error=ENOSYS pidfd_send_signal:error=EPERM; do
    traced_until_ready -e "inject=$error"
    grep -q "${error%:*}.*INJECTED" trace || fail "$(cat trace)"
  done
}

@test "with pidfds, only the command itself is signalled by its pid" {
  need_answer handles
  need_answer orphans
  need_strace
  traced_until_ready
  if grep -q 'pidfd_.* = -1 E\(NOSYS\|PERM\)' trace; then skip "no pidfds here"; fi
  run grep -v -e '^pidfd_' -e '^+++' -e '^---' -e "^kill($(cat command)," trace
  assert_output ''
}

@test "a command that a policy (EACCES) lets nobody signal is waited for, before the next attempt" {
  need_strace
  mkfifo go
  strace -qq -o trace -e trace=kill -e inject=kill:error=EACCES "$BACKOFF" -qq -n 2 -b 0 -t 100ms -k 100ms -- \
    sh -c '[ "$BACKOFF_ATTEMPT" = 2 ] || read -r _ <go; echo "$BACKOFF_ATTEMPT"' >output 3>&- &
  wait_for grep -q SIGKILL trace
  echo >go
  wait $! || :
  assert_equal "$(<output)" $'1\n2'
}

# --- a system call that is interrupted ---

@test "a wait4 or waitid that is interrupted is made again, and where nobody is left to wait for that is 125" {
  need_strace
  # USR1 makes backoff look whether the command lives.
  while read -r ends inject; do
    status=0
    TEST_MARK=$MARKS/tree strace -qq -o trace -e trace=wait4,waitid -e "inject=$inject" \
      "$BACKOFF" -q -n 1 -- sh -c 'kill -s USR1 "$PPID"
        until grep -q waitid trace; do sleep 0.02; done; exit 7' >output 2>&1 </dev/null 3>&- || status=$?
    assert_equal "$inject $status" "$inject $ends"
    grep -q INJECTED trace || fail "$(cat trace)"
  done <<<$'7 wait4:error=EINTR:when=2..4\n7 waitid:error=EINTR:when=1\n125 wait4:error=ECHILD:when=2+'
}

@test "a command that cannot be executed leaves no zombie where wait4 is interrupted" {
  need_strace
  echo "#!$PWD/none" >script
  chmod +x script
  run -127 strace -qq -o trace -e trace=wait4 -e inject=wait4:error=EINTR:when=2 \
    "$BACKOFF" -q -n 1 -- ./script
  assert_equal "$(grep -c '^wait4([0-9]' trace)" 2
}

# --- orphans of others ---

# with_helper HELPER COMMAND: backoff takes over from a shell that has run
# HELPER in the background.
with_helper() {
  under=(sh -c 'rm -f standing orphaned; sh -c "$0" & exec "$@"' "export TEST_MARK=\$MARKS/helper; $1")
  cut_when_ready -t -n 1 -k 300ms -- sh -c "$2"
  assert_ended tree
}

# A command that ignores TERM, once there is an orphan beside it.
beside_orphan='trap "" TERM; : >standing
  until [ -e orphaned ]; do sleep 0.02; done; : >ready; while :; do sleep 1000; done'

# What ignores TERM, and says that it is there.
deaf='trap \"\" TERM; : >ready; while :; do sleep 1000; done'

@test "rule 48: an orphan of a descendant of an earlier child is spared, with its own descendants" {
  with_helper 'until [ -e standing ]; do sleep 0.02; done
    (setsid sh -c "sleep 1000 & : >orphaned; wait" &)
    exec sleep 1000' "$beside_orphan"
  assert_alive helper 3
}

@test "rule 48: beside an earlier child, orphans of the command are ended, with 200 KB of environment too" {
  need_answer orphans
  with_helper 'exec sleep 1000' "
    (setsid sh -c \"trap '' TERM; while :; do sleep 1000; done\" &)
    big=\$(head -c 100000 /dev/zero | tr '\0' x)
    (A=\$big Z=\$big setsid sh -c \"$deaf\" &)
    exec sleep 1000"
  assert_alive helper
}

@test "rule 48: so is one with an environment of its own if the timeout, or the signal to us, orphans it" {
  need_answer processes
  local command="env -i TEST_MARK=\"\$MARKS/tree\" setsid sh -c \"$deaf\" & wait"
  with_helper 'exec sleep 1000' "$command"
  assert_alive helper
  rm ready
  TEST_MARK=$MARKS/tree start -- sh -c 'TEST_MARK=$MARKS/helper sleep 1000 & exec "$@"' sh \
    "$BACKOFF" -qq --grace=100ms -n 1 -- sh -c "$command"
  wait_for test -e ready
  dies_by TERM
  assert_none tree
}

# --- what attempts leave behind ---

# Each line starts the process "$@", as COMMAND may: the last parent of it dies
# by the TERM, by the KILL, or when the next attempt has begun.
ways='"$@" &
setsid "$@" &
("$@" &)
(setsid "$@" &)
sh -c "\"\$@\" & exec sleep 1000" sh "$@" &
sh -c "trap \"\" TERM; \"\$@\" & exec sleep 1000" sh "$@" &
sh -c "\"\$@\" & until [ -e tree/began.$next ]; do sleep 0.02; done" sh "$@" &'

# The same without BACKOFF_ID; among orphans of an earlier child nothing tells
# these apart.
bare_ways=${ways//sh -c/'env -i "TEST_MARK=$TEST_MARK" sh -c'}
bare_ways=${bare_ways//'"$@" &'/'env -i "TEST_MARK=$TEST_MARK" "$@" &'}

# leaves END WAYS: makes ./job, which leaves a process in each of the WAYS, and
# one that ignores TERM; then it ENDs, but attempt 3 hangs, and so do all without
# END. When all stand, attempt 3 makes ./ready. What lives of an attempt that was
# cut is noted in ./beside.
leaves() {
  cat >leaf.sh <<'SCRIPT'
[ "$2" = obedient ] || trap '' TERM
echo "$$" >>"tree/left.$1"
exec sleep 1000
SCRIPT
  printf '%s\n' "$2" >ways
  cat >job <<SCRIPT
n=\$BACKOFF_ATTEMPT next=\$((BACKOFF_ATTEMPT + 1))
mkdir -p tree
: >"tree/began.\$n"
for pid in \$(cat tree/left.* 2>/dev/null); do
  ${1:+:} kill -0 "\$pid" 2>/dev/null && echo "attempt \$n: \$pid" >>beside
done
for kind in obedient deaf; do
  while read -r way; do
    set -- sh leaf.sh "\$n" "\$kind"
    eval "\$way"
  done <ways
done
[ "\$n" -eq 3 ] || ${1:-:}
until [ "\$(cat tree/left.* | wc -l)" -eq \$((n * 2 * \$(wc -l <ways))) ]; do sleep 0.02; done
[ "\$n" -ne 3 ] || : >ready
echo ready
exec sleep 1000
SCRIPT
}

@test "rule 48: no process of an attempt that was cut lives, however it was left" {
  need_answer orphans
  leaves '' "$ways
$bare_ways"
  for limit in -t --idle-timeout; do
    cut_when_ready "$limit" -n 3 -k 100ms -- sh job
    assert_none tree
    assert_events 'len(attempts) == 3'
    [ ! -e beside ] || fail "$limit: $(cat beside)"
  done
}

# told_in_attempt_3 COMMAND...: TERM to backoff below COMMAND, with a --grace.
told_in_attempt_3() {
  rm -rf tree
  TEST_MARK=$MARKS/tree start -- "$@" "$BACKOFF" -qq --base=0 -n 3 --grace=100ms -- sh job
  await "$out" ready
  dies_by TERM
  assert_none tree
}

@test "rule 48: what attempts that ended by themselves have left is ended with the one that is cut" {
  need_answer orphans
  local limits=(1s 3s 9s 30s)
  leaves 'exit 7' "$ways
$bare_ways"
  cut_when_ready -T -n 3 -k 100ms -- sh job
  assert_none tree
  # A child that has ended before backoff begins is none.
  told_in_attempt_3 "${PYTHON[@]}" -c 'import os, sys
pid = os.spawnlp(os.P_NOWAIT, "true", "true")
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
os.execvp(sys.argv[1], sys.argv[1:])'
  # Another one stays.
  leaves 'exit 7' "$ways"
  told_in_attempt_3 sh -c 'TEST_MARK=$MARKS/helper sleep 1000 & exec "$@"' sh
  assert_alive helper
}
