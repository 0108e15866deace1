#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# A pipe or a stream socket on stdin: each attempt sees the same input, and
# what no attempt has read is still there for whoever comes after us.
# (Regular files and terminals are in stdin.bats.)
# shellcheck disable=SC2086 # options are words

load helper
load ../lib/process

EVERY=(pipe fifo unix tcp)

# For most tests one that has no name and one of two ends will do.
KINDS=(pipe unix)

# Those of which exactly what was read is taken.
EXACT=("${KINDS[@]}")
has_answer peek || EXACT=(unix)

setup() {
  # Only the files kept for replay go here.
  mkdir tmp
  export TMPDIR=$PWD/tmp
  # No two pages alike, and no multiple of anything.
  seq 34567 >data
  : >empty
}

teardown() {
  if [ -e leftovers ]; then
    xargs kill -s KILL <leftovers 2>/dev/null || true
  fi
}

# b ARG...: a run with short pauses that prints nothing.
b() {
  "$BACKOFF" -qq --base=0 "$@"
}

# feed [OPTION]... KIND DATA COMMAND...: the command with such a stdin; what
# it leaves there is in ./left.
feed() {
  "${PYTHON[@]}" "$lib/feed.py" --left left "$@"
}

# fed [OPTION]... KIND ARG...: backoff with ./data on such a stdin.
fed() {
  local options=()
  while [[ $1 = --* ]]; do
    options+=("$1")
    shift
  done
  feed "${options[@]}" "$1" data "$BACKOFF" -qq --base=0 "${@:2}"
}

# assert_left N: all of data but the first N bytes.
assert_left() {
  tail -c "+$(($1 + 1))" data | cmp - left
}

# assert_saw FILE N: the first N bytes of data.
assert_saw() {
  head -c "$2" data | cmp - "$1"
}

size() {
  stat -c %s "$1"
}

# --- the same input for each attempt, from each kind of stream ---

# sees_the_same KIND [COMMAND...]: each attempt does, below COMMAND.
sees_the_same() {
  feed "$1" data "${@:2}" "$BACKOFF" -qq --base=0 -n 4 -- sh -c '
    case $BACKOFF_ATTEMPT in
    1) head -c 10 >saw.1; exit 7 ;;
    2) head -c 80000 >saw.2; exit 7 ;;
    *) cat >"saw.$BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -eq 4 ] ;;
    esac'
  assert_saw saw.1 10
  assert_saw saw.2 80000
  cmp data saw.3
  cmp data saw.4
  assert_equal "$(size left)" 0
}

@test "each attempt sees the same input, however much the earlier ones have read" {
  for kind in "${EVERY[@]}"; do
    sees_the_same "$kind"
  done
}

@test "without tee(2) a pipe is copied, and each attempt sees the same, and its end" {
  need_strace
  sees_the_same pipe strace -qq -o trace -e trace=tee,read -e inject=tee:error=ENOSYS
  # Another reader may be faster, and our stdin would block.
  ! has_answer open_again || run ! grep '^read(0,' trace
  ! has_answer peek || grep -q INJECTED trace
}

@test "an attempt that timed out on a stalled writer leaves the next one all of it" {
  need_proc
  for kind in "${KINDS[@]}"; do
    # The one that stalls gets no TERM, so it is killed for it.
    feed --late=10 "$kind" data "${HOLD_TERM[@]}" "$BACKOFF" -qq --base=0 -n 2 -t 200ms -- bash -c '
      head -c 10 >"saw.$BACKOFF_ATTEMPT"
      [ "$BACKOFF_ATTEMPT" -eq 1 ] || exit 0
      exec 4<&0
      cat <&4 >/dev/null &
      '"$until_term"'; kill -s KILL $!; exit 7' || true # the second may be slow
    assert_saw saw.1 10
    assert_saw saw.2 10
    assert_left 10
  done
}

@test "a FIFO that is opened by a second writer goes on where the first one ended" {
  mkfifo fifo
  echo one >fifo 3>&- &
  b -n 2 --before-retry='echo two >fifo' \
    -- sh -c 'cat >"saw.$BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -eq 2 ]' <fifo
  assert_equal "$(cat saw.1)" one
  assert_equal "$(cat saw.2)" $'one\ntwo'
}

# --- nothing is taken until COMMAND reads, and then what it reads ---

@test "a command that reads nothing, or is not there, leaves a stream untouched" {
  for kind in "${EXACT[@]}"; do
    fed "$kind" -- sleep 0.3
    assert_left 0
    run fed "$kind" -n 3 -- false
    assert_left 0
    run -127 fed "$kind" -n 3 -- ./no-such-command
    assert_left 0
  done
}

@test "a backoff within a backoff takes exactly what was read" {
  need_answer peek
  fed pipe -n 2 -- "$BACKOFF" -qq -n 2 --base=0 -- \
    sh -c 'head -c 10 >>saw; exit 7' || true
  assert_equal "$(size saw)" 40
  assert_left 10
}

@test "a command that enlarges its pipe reads all of its input, and else gets no more than 64 KiB beyond" {
  need_answer peek
  local script='
import fcntl, os, struct, sys, termios, time
def unread():
    return struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"1234"))[0]
def is_wide():
    return fcntl.fcntl(0, 1032) == 65536 # F_GETPIPE_SZ
assert is_wide() or os.environ["BACKOFF_ATTEMPT"] == "1"
start = b""
while len(start) < 70000:
    start += os.read(0, 70000 - len(start))
assert is_wide()
fcntl.fcntl(0, 1031, 1 << 20) # F_SETPIPE_SZ
if sys.argv[1] == "all":
    sys.stdout.buffer.write(start + sys.stdin.buffer.read())
    sys.exit()
last = 0
while unread() == 0 or unread() != last:
    last = unread()
    time.sleep(0.2)
os._exit(7)'
  seq 150000 >data
  for kind in "${KINDS[@]}"; do
    fed "$kind" -n 1 --stdin=replay -- "${PYTHON[@]}" -c "$script" all >saw
    cmp data saw
    run -7 fed --open "$kind" -n 2 -- "${PYTHON[@]}" -c "$script" some
    [ "$(size left)" -ge $(($(size data) - 70000 - 65536)) ] || fail "$kind: $(size left) left of $(size data)"
    assert_left $(($(size data) - $(size left)))
  done
}

@test "if a signal ends backoff, what was not read is left" {
  for kind in "${EXACT[@]}"; do
    rm -f parent
    fed --open "$kind" -- sh -c 'head -c 10 >saw; echo $PPID >new; mv new parent; exec sleep 1000' 3>&- &
    wait_for test -e parent
    kill -s TERM "$(cat parent)"
    wait $! || status=$?
    assert_equal "$status" 143
    assert_left 10
  done
}

# --- a writer that is slow, stalls or leaves ---

# echoes KIND: what is written reaches the command line by line, each before
# the next is written; with $before bytes in front of them.
echoes() {
  cat >writer.py <<'SCRIPT'
import os, subprocess, sys
sys.path.insert(0, os.environ["lib"])
import feed
reader, writer = feed.ends(sys.argv[1])
ahead = int(sys.argv[2])
command = subprocess.Popen(sys.argv[3:], stdin=reader, stdout=subprocess.PIPE)
feed.write_all(writer, b"x" * ahead)
assert command.stdout.readline() == b"ready\n"
for number in range(100):
    line = b"%d\n" % number
    os.write(writer, line)
    assert command.stdout.readline() == line
os.close(writer)
assert command.stdout.read() == b"end\n"
sys.exit(command.wait())
SCRIPT
  lib=$lib python3 -S writer.py "$1" "$2" "$BACKOFF" -- sh -c '
    head -c "$1" >/dev/null
    echo ready
    while read -r line; do echo "$line"; done
    echo end' sh "$2"
}

@test "each line reaches the command before the next is written, and so does the end, also after much input" {
  for kind in "${KINDS[@]}"; do
    echoes "$kind" 0
    echoes "$kind" 300000
  done
}

@test "a line reaches an attempt that has seen the earlier ones again" {
  mkfifo go
  {
    echo one
    read -r _ <go
    echo two
  } 3>&- | b -n 2 -- sh -c '
    read -r line; echo "$line"
    [ "$BACKOFF_ATTEMPT" -eq 2 ] || exit 7
    echo >go; read -r line; echo "$line"; ! read -r line' >saw
  assert_equal "$(cat saw)" $'one\none\ntwo'
}

@test "a command that reads a little of an endless stream is run again, and the writer sees the end" {
  run bash -c 'yes 2>/dev/null | "$BACKOFF" -qq --base=0 -n 3 -- sh -c "head -n 1; exit 7"; echo "${PIPESTATUS[1]}"'
  assert_output $'y\ny\ny\n7'
}

@test "a connection that breaks ends the command, is reported, and spares children that were there before" {
  mkfifo go
  run -125 "${PYTHON[@]}" "$lib/feed.py" --reset go tcp data sh -c '
    sleep 1000 >/dev/null 2>&1 3>&- & echo $! >leftovers
    exec "$BACKOFF" -n 2 -- sh -c "trap \"echo >told; exit\" TERM
      head -c \"\$(stat -c %s data)\" >/dev/null; echo >go; exec 3<&0; cat <&3 & wait"'
  assert [ -e told ]
  assert_line --regexp '^backoff: sh: failed after 1 attempt in [^ ]*: stdin could not be passed on: Connection reset by peer$'
  kill -s KILL "$(cat leftovers)"
  # A peer on this machine has sent all, though it has not read all.
  run -0 "${PYTHON[@]}" "$lib/feed.py" --reset go unix data sh -c 'exec "$BACKOFF" -n 2 -- sh -c "
    head -c \"\$(stat -c %s data)\" >saw; echo x >&3; echo >go; cat >>saw" 3<&0'
  cmp saw data
}

# --- leftover processes, and other readers of the same pipe ---

@test "a grandchild of an earlier attempt reads nothing of what a later one reads" {
  fed --open pipe -n 2 -- sh -c '
    case $BACKOFF_ATTEMPT in
    1) mkfifo go
      exec 4<&0
      { read -r _ <go; cat <&4 >late; mv late later; } >/dev/null 2>&1 3>&- &
      exit 7 ;;
    2) head -c 100000 >saw
      echo >go; until [ -e later ]; do sleep 0.02; done ;;
    esac'
  assert_saw saw 100000
  # It gets no more than its attempt had been shown.
  [ "$(size later)" -le "$(getconf PAGESIZE)" ]
}

@test "a command that makes its stdin non-blocking changes that of no later attempt" {
  run fed --open pipe -n 3 -- python3 -S -c 'import os, sys
print(os.get_blocking(0))
os.set_blocking(0, False)
sys.exit(7)'
  assert_output $'True\nTrue\nTrue'
}

@test "a process that keeps the command's pipe open for writing holds nobody up" {
  run -7 fed --open unix -n 2 -- sh -c 'exec 4<>/dev/stdin; sleep 1000 >/dev/null 2>&1 3>&- & echo $! >>leftovers
    head -c 10 >saw; exit 7'
  assert_left 10
}

@test "another reader of the same pipe does not block backoff" {
  for _ in 1 2 3 4 5; do
    seq 100000 | {
      "$BACKOFF" -- cat >saw.1 &
      cat >saw.2
      wait $!
    }
  done
}

# COMMAND reads from our pipe what its own has shown it, and then that, too. Its
# writer stays or has left, which are two errors.
@test "what another reader has taken first cannot be replayed, and is told" {
  need_proc
  need_answer peek
  seq 10 >few
  for case in '--late=20 data unavailable' 'few Broken'; do
    # shellcheck disable=SC2086 # the words
    set -- $case
    run -7 feed "${@:1:$#-2}" pipe "${@: -2:1}" "$BACKOFF" --base=0 -n 3 -- bash -c '
      until read -t 0; do sleep 0.02; done
      head -c 20 <"/proc/$PPID/fd/0" >other
      head -c 20 >saw; exit 7'
    assert_saw other 20
    assert_saw saw 20
    assert_output --partial "${@: -1}"
  done
}

# --- what is not replayed ---

# What stdin is: ours, and then that which backoff with these arguments hands on.
shows_both='readlink /proc/self/fd/0; exec "$BACKOFF" "$@" readlink /proc/self/fd/0'

# assert_passes SAME-OR-OTHER KIND ARG...: what COMMAND finds as its stdin is
# ours, or a pipe that backoff made.
assert_passes() {
  local found=other
  run -0 feed "$2" data sh -c "$shows_both" sh "${@:3}"
  [ "${lines[0]}" != "${lines[1]}" ] || found=same
  assert_equal "$*: $found" "$*: $1"
  [ "$1" = same ] || assert_regex "${lines[1]}" '^pipe:'
}

@test "a stream is inherited with -n 1 and --stdin=inherit, else the pipe is one that backoff made" {
  need_proc
  for kind in "${EVERY[@]}"; do
    assert_passes other "$kind"
    assert_passes same "$kind" --stdin=inherit
  done
  for kind in "${KINDS[@]}"; do
    assert_passes other "$kind" -n 1 --stdin=replay
    assert_passes same "$kind" -n 1
  done
}

@test "the command's pipe blocks, whatever ours does" {
  cat >nonblocking.py <<'SCRIPT'
import os, sys
os.set_blocking(0, False)
os.execvp(sys.argv[1], sys.argv[1:])
SCRIPT
  run feed pipe data python3 -S nonblocking.py "$BACKOFF" -- \
    python3 -S -c 'import os; print(os.get_blocking(0))'
  assert_output True
  feed --late=10 pipe data python3 -S nonblocking.py "$BACKOFF" -- head -c 10 >saw
  assert_saw saw 10
  assert_left 10
}

@test "--stdin=inherit: a file is not rewound" {
  run sh -c '"$BACKOFF" -qq --base=0 -n 3 --stdin=inherit -- sh -c "read -r line; echo \$line; exit 7" <data'
  assert_output $'1\n2\n3'
}

@test "--stdin=null: there is none, and ours is untouched" {
  need_proc
  for kind in "${KINDS[@]}"; do
    run -7 fed --open "$kind" -n 2 --stdin=null -- sh -c 'readlink /proc/self/fd/0; cat; exit 7'
    assert_output $'/dev/null\n/dev/null'
    assert_left 0
  done
  run -0 sh -c '{ "$BACKOFF" -i null cat; cat; } <data | cmp - data'
  run -0 sh -c '"$BACKOFF" --stdin=null readlink /proc/self/fd/0 <&-'
  assert_output /dev/null
}

@test "a socket that listens or is one of datagrams is inherited, a pipe that can only be written to, and a file that is only named" {
  need_proc
  cat >odd.py <<'SCRIPT'
import os, socket, sys
stdin = {"listening": lambda: socket.create_server(("127.0.0.1", 0)),
  "datagrams": lambda: socket.socketpair(type=socket.SOCK_DGRAM)[0],
  "naming": lambda: open(os.open("data", os.O_PATH), "rb", 0),
  "writing": lambda: os.fdopen(os.pipe()[1], "w")}[sys.argv[1]]()
os.dup2(stdin.fileno(), 0)
os.execvp(sys.argv[2], sys.argv[2:])
SCRIPT
  for kind in listening datagrams naming writing; do
    run -0 python3 -S odd.py "$kind" sh -c "$shows_both" sh
    assert_equal "$kind ${lines[0]}" "$kind ${lines[1]}"
  done
}

# --- what is kept, where, and what if it cannot be ---

# kept: the links of open files in tmp among the descriptors of our parent,
# for COMMAND to run; waits until there is one.
kept='until ls -l /proc/$PPID/fd | grep "$TMPDIR/"; do sleep 0.02; done'

@test "what was read is kept in an unnamed file in TMPDIR that only backoff can open" {
  need_proc
  need_answer file_in_memory
  need_answer unnamed_file
  need_answer peek
  # With 3 to 9 in use the file is opened where it stays, above them.
  for taken in '' '3<data 4<data 5<data 6<data 7<data 8<data 9<data'; do
    run feed --late=10 pipe data sh -c "exec \"\$@\" $taken" sh "$BACKOFF" -- sh -c "head -c 10 >/dev/null; $kept"'
      ls -A "$TMPDIR"
      for fd in /proc/$PPID/fd/*; do
        case $(readlink "$fd") in "$TMPDIR"/*) stat -L -c "%a %h %s" "$fd" ;; esac
      done
      ls -l /proc/self/fd | grep -c "$TMPDIR/" || true'
    assert_equal "${#lines[@]}" 3
    assert_line --index 0 --partial '(deleted)'
    assert_line --index 1 '600 0 10'
    assert_line --index 2 0
  done
}

@test "nothing is kept of what nobody has read, of a regular file, nor with --stdin=inherit and null" {
  need_proc
  need_answer file_in_memory
  local count='ls -l /proc/$PPID/fd | grep -c "$TMPDIR/" || true'
  run "$BACKOFF" -n 3 sh -c "cat >/dev/null; $count" <data
  assert_output 0
  for mode in inherit null; do
    run feed pipe data "$BACKOFF" -n 3 -i "$mode" sh -c "cat >/dev/null; $count"
    assert_output 0
  done
  need_answer peek
  run feed --open pipe data "$BACKOFF" -- sh -c "sleep 0.2; $count"
  assert_output 0
}

@test "a large stream does not need more memory" {
  need_proc
  hwm='sed -n "s/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$PPID/status"'
  base=$(: | "$BACKOFF" sh -c "cat >/dev/null; $hwm")
  [ "$base" -lt 4000 ] || skip "this build is large to begin with: $base kB"
  size=$((64 << 20))
  run -0 bash -c 'yes 2>/dev/null | head -c "$2" | "$BACKOFF" -qq --base=0 -n 2 sh -c "wc -c; $1; [ \$BACKOFF_ATTEMPT -eq 2 ]" sh' \
    bash "$hwm" "$size"
  assert_equal "${lines[0]} ${lines[2]}" "$size $size"
  echo "kB: $base at the start, ${lines[1]}, ${lines[3]}"
  [ "${lines[3]}" -lt 4096 ]
}

@test "--spool-limit: an attempt that fails beyond it is not retried, and we say so" {
  for kind in "${EXACT[@]}"; do
    run -7 feed "$kind" data "$BACKOFF" --base=0 -n 3 --spool-limit=1K -- sh -c 'head -c 2048 >>saw; exit 7'
    assert_output 'backoff: sh: not retrying after attempt 1/3: it read 2KiB of stdin, --spool-limit is 1KiB'
    assert_saw saw 2048
    assert_left 2048
    rm saw
  done
}

@test "--spool-limit: what counts is what the attempt that read the most has read, and exactly as much is replayed" {
  need_answer peek
  local reads='head -c "${BACKOFF_ATTEMPT}00" >/dev/null; echo "$BACKOFF_ATTEMPT"; exit 7'
  run feed --open pipe data "$BACKOFF" -qq --base=0 -n 4 --spool-limit=300 -- sh -c "$reads"
  assert_output $'1\n2\n3\n4'
  run feed --open pipe data "$BACKOFF" -q --base=0 -n 4 --spool-limit=299 -- sh -c "$reads"
  assert_output $'1\n2\n3\nbackoff: sh: not retrying after attempt 3/4: it read 300B of stdin, --spool-limit is 299B'
  assert_left 300
  # A regular file has no limit.
  run "$BACKOFF" -qq --base=0 -n 3 --spool-limit=10 -- sh -c 'wc -c; exit 7' <data
  assert_equal "${#lines[@]}" 3
}

# cannot_keep KIND REASON COMMAND...: by COMMAND, which is to run its arguments
# where nothing can be kept, attempts see all of their stdin all the same,
# and are not retried for REASON when they fail.
cannot_keep() {
  local kind=$1 reason=$2
  shift 2
  run -0 feed "$kind" data "$@" "$BACKOFF" --base=0 -n 3 -- cksum
  assert_output "$(cksum <data)"
  run -7 feed "$kind" data "$@" "$BACKOFF" --base=0 -n 3 -- sh -c 'cksum; exit 7'
  assert_line --index 0 "$(cksum <data)"
  assert_line --index 1 --regexp \
    "^backoff: sh: not retrying after attempt 1/3: cannot keep stdin in TMPDIR /[^:]*: $reason\$"
  assert_equal "${#lines[@]}" 2
  # Input that nobody reads need not be kept.
  run feed "$kind" data "$@" "$BACKOFF" -qq --base=0 -n 3 -- sh -c 'echo run; exit 7'
  assert_output $'run\nrun\nrun'
  assert_left 0
}

@test "without a TMPDIR, or beyond a limit on file sizes, the replay is lost, not the attempt" {
  need_answer peek
  cannot_keep pipe 'No such file or directory' env TMPDIR="$PWD/missing" sh -c 'exec "$0" --spool-limit=100K "$@"'
  cannot_keep unix 'File too large' bash -c 'ulimit -f 64; exec "$@"' bash
}

@test "the replay of what fitted before the disk was full is not tried" {
  need_mounts
  run -7 feed pipe data "${namespace[@]}" sh -c 'mount -t tmpfs -o size=64k tmpfs "$TMPDIR" && exec "$@"' sh \
    "$BACKOFF" -q --base=0 -n 3 -- sh -c '
      if [ "$BACKOFF_ATTEMPT" -eq 1 ]; then head -c 1000 >/dev/null; else cksum; fi; exit 7'
  assert_line --index 0 "$(cksum <data)"
  assert_line --index 1 --regexp '^backoff: sh: not retrying after attempt 2/3: cannot keep stdin in TMPDIR /[^:]*: No space left on device$'
}

# --- no busy waiting ---

# idles KIND SIZE OPTION SCRIPT [STRACE-OPTION]...: while SCRIPT does
# nothing for a fifth of a second, we do nothing either. What else there is
# to do takes a few hundred calls; busy waiting takes some thousands.
idles() {
  local kind=$1 size=$2 option=$3 script=$4
  head -c "$size" data >some
  feed $option "$kind" some strace -qq -o calls "${@:5}" \
    "$BACKOFF" -qq -n 2 --base=0 -- sh -c "$script; sleep 0.2"
  [ "$(wc -l <calls)" -lt 1000 ] || {
    tail -n 20 calls
    fail "$(wc -l <calls) calls: $kind of $size $option, $script"
  }
}

# bats test_tags=long
@test "whether a writer stalls or has left, nobody is kept busy, without tee(2) either" {
  need_strace
  while read -r kind fault; do
    for option in '' --open; do
      idles "$kind" 0 "$option" : $fault
      idles "$kind" 10000 "$option" 'head -c 10 >/dev/null; exec <&-' $fault
      idles "$kind" 131073 "$option" 'head -c 65536 >/dev/null' $fault
      idles "$kind" 180000 "$option" 'head -c 70000 >/dev/null; exec <&-' $fault
    done
    idles "$kind" 10 '' 'cat >/dev/null' $fault
    idles "$kind" 10 --open 'timeout 0.2 cat >/dev/null' $fault
  done <<<$'pipe\nunix\npipe -e inject=tee:error=ENOSYS'
}

# The pipe has room only when all in it has been read: the kernel tells.
@test "no clock is needed to see that the command has read" {
  need_strace
  seq 3 >few
  for kind in pipe unix; do
    feed --open "$kind" few strace -qq -o calls -e trace=ppoll \
      "$BACKOFF" -qq -n 1 --stdin=replay -- sh -c 'read -r line; sleep 0.3; head -n 2 >saw'
    assert_equal "$(cat saw)" $'2\n3'
    run ! grep tv_nsec calls
  done
}

# size_refused KIND FILE [OPTION] COMMAND...: with a pipe for the command that
# cannot be made to hold one page only, as in a sandbox, so that there always
# is room in it; strace writes to ./calls.
size_refused() {
  local when
  feed "$1" "$2" strace -qq -o calls -e trace=fcntl "$BACKOFF" -n 1 --stdin=replay -- true
  when=$(grep -n F_SETPIPE_SZ calls | sed 's/:.*//')
  rm calls
  feed --open "$1" "$2" strace -qq -o calls -e inject=fcntl:error=EPERM:when="$when" \
    "$BACKOFF" -qq -n 1 --stdin=replay -- "${@:3}"
}

@test "if the command's pipe cannot be made small, exactly what was read is taken, and nobody is kept busy" {
  need_answer peek
  need_strace
  while read -r kind count; do
    size_refused "$kind" data sh -c 'head -c "$1"; sleep 0.5' sh "$count" >saw
    grep -q 'F_SETPIPE_SZ.*INJECTED' calls
    assert_saw saw "$count"
    assert_left "$count"
    # Looks come less and less often: else they would be thousands.
    [ "$(wc -l <calls)" -lt 1000 ] || fail "$(wc -l <calls) calls"
  done <<<$'pipe 0\npipe 60000\nunix 4097'
}

@test "a command that does not wait for input finds what is there, or the end" {
  need_proc
  local look='read -t 0 && read -r line; echo "found $line"; exit 7'
  mkfifo "$BATS_TEST_TMPDIR/fifo"
  for _ in 1 2; do
    exec 5<>"$BATS_TEST_TMPDIR/fifo"
    echo hi >&5
    run -7 "$BACKOFF" -qq -n 2 -b 0 -- bash -c "$look" <&5
    assert_output $'found hi\nfound hi'
    exec 5<&-
    # Its last writer is gone.
    exec 5<>"$BATS_TEST_TMPDIR/fifo"
    exec 6<"$BATS_TEST_TMPDIR/fifo"
    exec 5<&-
    run -0 "$BACKOFF" -qq -n 1 -- bash -c 'read -t 0' <&6
    exec 6<&-
  done
}
