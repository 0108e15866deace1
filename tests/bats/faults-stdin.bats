#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The system calls that carry stdin fail, in ways of which tests/faults, with
# all calls and errors, does not know enough. Whatever fails, what COMMAND sees
# is right, and where that cannot be, we end otherwise than by 0 and say why.

load helper
load ../lib/process

setup() {
  need_strace
  name_open
  mkdir tmp
  export TMPDIR=$PWD/tmp
  seq 34567 >data
}

# The first attempt reads some of it and fails, the second is the success and reads all.
attempts='
  case $BACKOFF_ATTEMPT in
  1) head -c 100000 >saw.1; exit 7 ;;
  *) cat >"saw.$BACKOFF_ATTEMPT" ;;
  esac'

# traced KIND STRACE-OPTION...: such a run; a run that hangs is killed.
traced() {
  rm -f saw.*
  status=0
  timeout -s KILL 60 "${PYTHON[@]}" "$lib/feed.py" --left left "$1" data \
    strace -qq -o trace -e signal=none "${@:2}" \
    "$BACKOFF" --base=0 -n 3 -- sh -c "$attempts" 2>said || status=$?
}

# Those that bring what data has, not those of who loads the program, nor random
# bytes, of which the first is a digit at times.
read_of_stdin='^read\([0-9]+, "([0-9]|\\n){8}'
read_of_kept='^pread64\([0-9]+, "([0-9]|\\n){8}'

# filled.py KIND COMMAND...: its stdin has 5,000 bytes before it begins.
write_filled() {
  cat >filled.py <<'SCRIPT'
import os, socket, subprocess, sys
reader, writer = os.pipe() if sys.argv[1] == "pipe" else (s.detach() for s in socket.socketpair())
os.write(writer, b"0" * 5000)
os.close(writer)
sys.exit(subprocess.call(sys.argv[2:], stdin=reader))
SCRIPT
}

@test "a tee that finds nothing, as another reader was faster, has not found the end" {
  need_strace
  need_answer peek
  run -0 bash -c '{ echo one; until [ -e go ]; do sleep 0.02; done; echo two; } |
    strace -qq -o trace -e trace=tee -e inject=tee:retval=0:when=1 "$BACKOFF" -- sh -c ": >go; cat"'
  assert_output $'one\ntwo'
}

@test "without tee, an attempt whose input cannot be kept has all of it" {
  head -c 1000000 /dev/zero | tr '\0' x >big
  # It reads more slowly than it is given.
  cat >slow.py <<'SCRIPT'
import os, time
while chunk := os.read(0, 65536):
  os.write(1, chunk)
  time.sleep(0.0002)
SCRIPT
  without_tee=(strace -f -qq -o trace -e trace=tee -e inject=tee:error=ENOSYS "$BACKOFF" -n 2 -b 0)
  run -0 bash -c '"$@" <&0 >saw' bash "${without_tee[@]}" --spool-limit=100K -- python3 -S slow.py < <(cat big)
  cmp big saw
  (
    ulimit -f 2000
    TMPDIR=$PWD/missing "${without_tee[@]}" -- python3 -S slow.py < <(cat big) >saw
  )
  cmp big saw
  # What is there before COMMAND is given, and kept, first: a file that is full.
  write_filled
  run -0 bash -c 'ulimit -f 1; exec "$@"' bash python3 -S filled.py pipe \
    strace -f -qq -o /dev/null -e trace=tee -e inject=tee:error=ENOSYS "$BACKOFF" -- cat
  assert_equal "${#output}" 5000
}

# All is there before we begin, so that a run with a fault makes the same calls
# as one without until then.
@test "the read that takes from a stream finds nothing again: that costs the replay alone, and is said" {
  need_answer peek
  write_filled
  while read -r kind call regex; do
    filled=(python3 -S filled.py "$kind" strace -qq -o trace -e trace="$call")
    "${filled[@]}" "$BACKOFF" -- sh -c 'head -c 5000 >/dev/null'
    first=$(grep -nE "$regex" trace | sed 's/:.*//' | head -n 1)
    run "${filled[@]}" -e inject="$call:error=EAGAIN:when=$first..$((first + 1))" \
      "$BACKOFF" -- sh -c 'head -c 5000 >/dev/null; exit 7'
    assert_equal "$kind: $status" "$kind: 7"
    assert_output --regexp 'not retrying .*: cannot keep stdin in .*: Resource temporarily unavailable$'
  done <<'STREAMS'
pipe read ^read.*"0
unix recvfrom ,.MSG_DONTWAIT,
STREAMS
  # Once is not again. (Only a socket's bytes have a call of their own.)
  run -0 "${filled[@]}" -e inject="recvfrom:error=EAGAIN:when=$first" \
    "$BACKOFF" -qq -n 2 -b 0 -- sh -c 'cat; [ "$BACKOFF_ATTEMPT" = 2 ]'
  grep -q INJECTED trace
  assert_equal "${#output}" 10000
}

# unknown KIND CALLS REGEX ERROR: the call that tells what stdin is fails; the
# command is not started, and all is left.
unknown() {
  local when
  "${PYTHON[@]}" "$lib/feed.py" "$1" data strace -qq -o trace -e trace="$2" "$BACKOFF" -- true
  when=$(grep -nE -- "$3" trace | sed 's/:.*//' | head -n 1)
  [ -n "$when" ] || fail "no such call: $3"
  traced "$1" -e trace="$2" -e inject="$2:error=$4:when=$when"
  grep -q INJECTED trace
  assert_equal "$1 $2 $4: $status $(sed 's/: [^:]*$//' said)" "$1 $2 $4: 125 backoff: stdin: cannot be passed on"
  [ ! -e saw.1 ] || fail "the command was started"
  cmp data left
}

@test "if it is unknown whether stdin is a stream, nothing else is assumed" {
  unknown pipe '?fstat,?newfstatat,?statx' '^(fstat|newfstatat|statx)\(0,' EIO
  unknown unix getsockopt '^getsockopt\(0,' ENOMEM
  unknown tcp getpeername '^getpeername\(0,' EIO
  unknown pipe fcntl '^fcntl\(0, F_GETFL' EIO
}

@test "if the offset of a file is unknown, the command is not started" {
  strace -qq -o trace -e trace=lseek "$BACKOFF" -- true <data
  when=$(grep -nE '^lseek\(0, 0, SEEK_CUR' trace | sed 's/:.*//')
  run -125 strace -qq -o /dev/null -e trace=lseek -e inject=lseek:error=EIO:when="$when" \
    "$BACKOFF" -- sh -c 'echo started' <data
  # In the words of glibc, or of musl.
  assert_output --regexp '^backoff: stdin: cannot be passed on: I(nput/output|/O) error$'
}

# The first and the last of these calls, counted among all those of this name.
@test "an interrupted system call is repeated" {
  need_answer peek
  for call in tee recvfrom read preadv2 splice write pread64 poll ppoll; do
    kind=unix
    [[ $call != @(tee|preadv2|splice) ]] || kind=pipe
    case $call in
    read) regex=$read_of_stdin ;;
    pread64) regex=$read_of_kept ;;
    *) regex="^$call\(" ;;
    esac
    traced "$kind" -e trace="$call"
    for when in $(grep -nE -- "$regex" trace | sed 's/:.*//' | sed -n '1p;$p' | uniq); do
      traced "$kind" -e trace="$call" -e inject="$call:error=EINTR:when=$when"
      assert_equal "$call $when: $status, $(grep -c . said)" "$call $when: 0, 1"
      cmp data saw.2
      [ ! -s left ]
    done
  done
}

@test "--stdin=null: if /dev/null cannot be opened, nothing else takes its place" {
  run "${PYTHON[@]}" "$lib/feed.py" --left left pipe data \
    strace -qq -o trace -e trace="$open" -P /dev/null -e inject="$open:error=EMFILE" \
    "$BACKOFF" -q --base=0 -n 2 --stdin=null -- wc -c
  assert_not_equal "$status" 0
  assert_output --regexp '^backoff: stdin: cannot be passed on: (Too many open files|No file descriptors available)$'
  cmp data left
}

@test "with few free descriptors, the input is right or the reason is printed" {
  for limit in {5..13}; do
    rm -f saw.*
    status=0
    # strace or python3 may need more than that: the limit is for us alone.
    "${PYTHON[@]}" "$lib/feed.py" pipe data sh -c 'ulimit -n "$1"; shift; exec "$@"' sh "$limit" \
      "$BACKOFF" --base=0 -n 3 -- sh -c "$attempts" 2>said || status=$?
    if [ "$status" -eq 0 ]; then
      cmp data "$(find saw.[23] | tail -n 1)"
    else
      tail -n 1 said | grep -E '^backoff: (signals: no descriptor|sh: (giving up|not retrying|failed|cannot start)( after .*)?): .'
    fi
  done
}

# The one before the first attempt, and the one before the second.
@test "a file that cannot be rewound is not taken for one that has ended" {
  strace -qq -o trace -e trace=lseek "$BACKOFF" -qq --base=0 -n 2 -- false <data || true
  mapfile -t rewinds < <(grep -n '^lseek(0, 0, SEEK_SET' trace | cut -d: -f1)
  for when in "${rewinds[@]}"; do
    run strace -qq -o /dev/null -e trace=lseek -e inject=lseek:error=EIO:when="$when" \
      "$BACKOFF" -q --base=0 -n 2 -- sh -c 'cat >saw; [ "$BACKOFF_ATTEMPT" -eq 2 ]' <data
    [ "$status" -eq 0 ] || assert_output --regexp '^backoff: sh: '
    [ "$status" -ne 0 ] || cmp data saw
  done
}
