#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which processes are ended, and how, in the difficult cases: --grace, pids
# that are reused, another namespace's /proc, processes that may not be signalled.
# shellcheck disable=SC2154 # what process.bash and events.bash set

load helper
load ../lib/events
load ../lib/process
load ../lib/tree

setup() {
  cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
  end_all
  end_marked
}

# stopped_and_dead: the process is stopped, its only child a zombie.
stopped_and_dead() {
  in_state "$1" T && in_state "$(child_of "$1")" Z
}

# stop: stops the program, until signal CONT.
stop() {
  signal STOP
  wait_for in_state "$pid" T
}

# --- --grace ---

@test "--grace KILLs what is left of the tree of a command that has died of the signal itself" {
  need_answer processes
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=300ms -n 1 -- sh -c '
    sleep 1000 & setsid sh -c "trap \"\" TERM; echo ready; while :; do sleep 1000; done" & wait'
  await "$out" ready
  signal TERM
  assert_fate 'killed TERM'
  assert_none tree
}

@test "--grace KILLs what is left of the tree of a command that has answered the signal" {
  need_answer orphans
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=300ms -n 1 -- sh -c '
    trap "exit 3" TERM; (setsid sleep 1000 &); echo ready; while :; do sleep 0.05; done'
  await "$out" ready
  signal TERM
  assert_fate 'exited 3'
  assert_none tree
}

@test "--grace gives the whole tree time, and backoff waits for all of it" {
  need_answer orphans
  mkfifo go
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=1h -n 1 -- sh -c '
    (setsid sh -c "echo ready; read -r _ <go; echo clean >>ends" &)
    echo "command $$"; exec sleep 1000'
  await "$out" ready
  await "$out" command
  signal TERM
  wait_for gone "$(sed -n 's/^command //p' "$out")"
  sleep 0.5
  [ ! -e "$BATS_TEST_TMPDIR/fate" ] || fail "ended before its tree"
  echo go >go
  assert_fate 'killed TERM'
  assert_equal "$(cat ends)" clean
}

@test "--grace: a second signal, when only the rest of the tree is left, ends it" {
  need_answer orphans
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=1h -n 1 -- sh -c '
    (setsid sh -c "trap \"\" TERM; echo ready; while :; do sleep 1000; done" &)
    echo "command $$"; exec sleep 1000'
  await "$out" ready
  await "$out" command
  signal TERM
  wait_for gone "$(sed -n 's/^command //p' "$out")"
  signal TERM
  assert_fate 'killed TERM'
  assert_none tree
}

@test "--grace: a command that got the signal too, and is dead when backoff sees it, leaves nothing" {
  need_answer orphans
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=300ms -n 1 -- sh -c '
    (setsid sleep 1000 &); echo "ready $$ $PPID"; exec sleep 1000'
  await "$out" ready
  stop
  signal TERM "-$pid"
  wait_for stopped_and_dead "$pid"
  signal CONT
  assert_fate 'killed TERM'
  assert_none tree
}

@test "--grace: leftovers of an attempt that ended by itself are not killed" {
  TEST_MARK=$MARKS/tree start -- "$BACKOFF" -qq --grace=1ms -n 1 -- sh -c '
    TEST_MARK=$MARKS/helper setsid sleep 1000 & kill -s STOP $PPID; exit 7'
  wait_for stopped_and_dead "$pid"
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

# Its group is there as long as one of it has not been waited for.
@test "a timeout ends the attempt where the parent of orphans never waits for them" {
  need_proc
  cat >parent.py <<'SCRIPT'
import ctypes, subprocess, sys
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
sys.exit(subprocess.call(sys.argv[1:]))
SCRIPT
  run -124 "${PYTHON[@]}" parent.py "$BACKOFF" -qq -n 1 -t 100ms -k 100ms -- setsid --wait \
    "${PYTHON[@]}" -c 'import signal, os; os.fork(); signal.pause()' 3>&-
}

# --- /proc of another PID namespace ---

@test "in a PID namespace with the /proc of another, the command alone is ended" {
  need_pids
  # In the outer namespace, process 500 has the children 501 to 540. In the
  # inner one 500 is backoff, and 501 to 540 are those that it would hit.
  cat >outer.sh <<'SCRIPT'
echo 499 >/proc/sys/kernel/ns_last_pid
python3 many.py &
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

@test "if /proc shows our PID namespace, no note is printed" {
  need_answer processes
  run "$BACKOFF" -v -n 1 -t 100ms -- sleep 1000
  assert_equal "$status" 124
  refute_output --partial /proc
}

# --- pids ---

# reuses_pid: in a PID namespace of its own, the command's child ends between
# the reading of /proc and the signal, and another gets its pid. Prints what
# became of that: "alive" or "hit". $@ are options of strace. After need_pids
# and need_strace.
reuses_pid() {
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
    [os.environ["BACKOFF"], "-q", "-n", "1", "-t", "3s", "-k", "inf", "--",
     "sh", "-c", "echo $PPID >backoff.new; mv backoff.new backoff; python3 parent.py & wait"])
wait_for(lambda: os.path.exists("backoff") and os.path.exists("victim"))
backoff, victim = number("backoff"), number("victim")
wait_for(lambda: state(backoff) in "tT" and os.path.exists("trace") and "SIGSTOP" in open("trace").read())
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
  TEST_MARK=$MARKS/tree "${namespace[@]}" python3 reuse.py "$@" 2>errors </dev/null 3>&- || cat errors
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

@test "without pidfds, by the kernel or a sandbox, the whole tree is ended" {
  need_answer handles
  need_answer orphans
  need_strace
  local error limit
  for error in pidfd_open:error=ENOSYS pidfd_open:error=EPERM pidfd_send_signal:error=EPERM; do
    for limit in 1s 3s 10s 30s; do
      rm -rf tree
      status=0
      env TEST_MARK="$MARKS/tree" strace -qq -o trace -e trace=kill,pidfd_open,pidfd_send_signal \
        -e "inject=$error" "$BACKOFF" -q -n 1 -t "$limit" -k 300ms -- sh -c 'exec sh "$HYDRA" tree' \
        >output 2>&1 </dev/null 3>&- || status=$?
      [ ! -e tree/ready ] || break
    done
    assert_equal "$status" 124
    assert_none tree
    grep -q "${error%:*}.*INJECTED" trace || fail "$(cat trace)"
  done
}

@test "with pidfds, only the command itself is signalled by its pid" {
  need_answer handles
  need_answer orphans
  need_strace
  local limit
  for limit in 1s 3s 10s 30s; do
    rm -rf tree
    env TEST_MARK="$MARKS/tree" strace -qq -o trace -e trace=kill,pidfd_open,pidfd_send_signal \
      "$BACKOFF" -q -n 1 -t "$limit" -k 300ms -- sh -c 'echo $$ >command; exec sh "$HYDRA" tree' \
      >output 2>&1 </dev/null 3>&- || true
    [ ! -e tree/ready ] || break
  done
  assert_none tree
  if grep -q 'pidfd_.* = -1 E\(NOSYS\|PERM\)' trace; then skip "no pidfds here"; fi
  run grep -v -e '^pidfd_' -e '^+++' -e '^---' -e "^kill($(cat command)," trace
  assert_output ''
}

# --- a system call that is interrupted ---

@test "a wait4 or waitid that is interrupted is made again" {
  need_strace
  local inject
  for inject in wait4:error=EINTR:when=1 wait4:error=EINTR:when=2 wait4:error=EINTR:when=1..3 \
    waitid:error=EINTR:when=1; do
    status=0
    TEST_MARK=$MARKS/tree strace -qq -o trace -e trace=wait4,waitid -e "inject=$inject" \
      "$BACKOFF" -q -n 1 -- sh -c 'exit 7' >output 2>&1 3>&- || status=$?
    assert_equal "$inject $status" "$inject 7"
    grep -q 'EINTR.*INJECTED' trace || fail "$(cat trace)"
  done
}

@test "an interrupted waitid does not hide earlier children" {
  need_strace
  local limit
  for limit in 1s 3s 10s; do
    end_marked
    rm -f ready
    sh -c 'TEST_MARK=$MARKS/helper sleep 1000 & exec "$@"' sh \
      strace -D -qq -o trace -e trace=waitid -e inject=waitid:error=EINTR:when=1 \
      "$BACKOFF" -q -n 1 -t "$limit" -- sh -c ': >ready; exec sleep 1000' \
      >output 2>&1 </dev/null 3>&- || true
    [ ! -e ready ] || break
  done
  assert_alive helper
}

@test "a command that cannot be executed leaves no zombie where wait4 is interrupted" {
  need_strace
  echo "#!$PWD/none" >script
  chmod +x script
  local status=0
  strace -qq -o trace -e trace=wait4 -e inject=wait4:error=EINTR:when=1 \
    "$BACKOFF" -q -n 1 -- ./script || status=$?
  assert_equal "$status" 127
  assert_equal "$(grep -c '^wait4([0-9]' trace)" 2
}

# --- orphans of others ---

# with_helper HELPER COMMAND: backoff takes over from a shell that has run
# HELPER in the background. Each finds limits ever longer until ./ready is
# there before the timeout; -k 300ms.
with_helper() {
  cat >start.sh <<'SCRIPT'
sh -c "$1" &
shift
exec "$@"
SCRIPT
  local limit
  for limit in 1s 3s 10s 30s; do
    end_marked
    rm -f standing orphaned ready
    status=0
    env TEST_MARK="$MARKS/tree" sh start.sh "export TEST_MARK=\$MARKS/helper; $1" \
      "$BACKOFF" -q -n 1 -t "$limit" -k 300ms -- sh -c "$2" >output 2>&1 </dev/null 3>&- || status=$?
    [ ! -e ready ] || return 0
  done
  fail "not ready in time"
}

# A command that ignores TERM, once there is an orphan beside it.
beside_orphan='trap "" TERM; : >standing
  until [ -e orphaned ]; do sleep 0.02; done; : >ready; while :; do sleep 1000; done'

@test "rule 48: an orphan of an earlier child is spared" {
  with_helper 'until [ -e standing ]; do sleep 0.02; done; sleep 1000 & : >orphaned' "$beside_orphan"
  assert_equal "$status" 124
  assert_ended tree
  assert_alive helper
}

@test "rule 48: an orphan of a descendant of an earlier child is spared, with its own descendants" {
  with_helper 'until [ -e standing ]; do sleep 0.02; done
    (setsid sh -c "sleep 1000 & : >orphaned; wait" &)
    exec sleep 1000' "$beside_orphan"
  assert_equal "$status" 124
  assert_ended tree
  assert_alive helper 3
}

@test "rule 48: beside an earlier child, orphans of the command are ended" {
  need_answer orphans
  with_helper 'exec sleep 1000' '
    (setsid sh -c "trap \"\" TERM; : >ready; while :; do sleep 1000; done" &)
    exec sleep 1000'
  assert_equal "$status" 124
  assert_none tree
  assert_alive helper
}

@test "rule 48: so are those with an environment of 200 KB" {
  need_answer orphans
  with_helper 'exec sleep 1000' '
    big=$(head -c 100000 /dev/zero | tr "\0" x)
    (A=$big Z=$big setsid sh -c "trap \"\" TERM; : >ready; while :; do sleep 1000; done" &)
    exec sleep 1000'
  assert_equal "$status" 124
  assert_none tree
  assert_alive helper
}

@test "rule 48: so is one with an environment of its own if the timeout orphans it" {
  need_answer processes
  with_helper 'exec sleep 1000' '
    env -i TEST_MARK="$MARKS/tree" setsid sh -c "trap \"\" TERM; : >ready; while :; do sleep 1000; done" &
    wait'
  assert_equal "$status" 124
  assert_none tree
  assert_alive helper
}

@test "rule 49: an orphan of what an earlier attempt has left behind is spared" {
  local limit
  for limit in 1s 3s 10s 30s; do
    end_marked
    rm -f standing orphaned ready
    status=0
    env TEST_MARK="$MARKS/tree" "$BACKOFF" -q -n 2 --base=0 -t "$limit" -k 300ms -- sh -c "
      if [ \"\$BACKOFF_ATTEMPT\" -eq 1 ]; then
        TEST_MARK=\$MARKS/helper setsid sh -c '
          until [ -e standing ]; do sleep 0.02; done; sleep 1000 & : >orphaned' &
        exit 7
      fi
      $beside_orphan" >output 2>&1 </dev/null 3>&- || status=$?
    [ ! -e ready ] || break
  done
  assert_equal "$status" 124
  assert_ended tree
  assert_alive helper
}
