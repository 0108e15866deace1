#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The system calls that carry stdin fail, in ways of which tests/faults, with
# all calls and errors, does not know enough. Whatever fails, what COMMAND sees
# is right, and where that cannot be, we end otherwise than by 0 and say why.

# shellcheck disable=SC2154 # what process.bash sets
# shellcheck disable=SC2086 # sizes are two words
load helper
load ../lib/process

setup() {
  need_strace
  name_open
  mkdir tmp
  export TMPDIR=$PWD/tmp
  seq 34567 >data
  SIZES=("5000 9000" "100000 $(stat -c %s data)")
}

# The first attempt reads so many bytes and fails, the second is the success
# and reads so many. Within what is exact, and beyond.
attempts='
  case $BACKOFF_ATTEMPT in
  1) head -c "$1" >saw.1; exit 7 ;;
  *) head -c "$2" >"saw.$BACKOFF_ATTEMPT" ;;
  esac'

# traced KIND FIRST SECOND STRACE-OPTION...: such a run; a run that hangs is
# killed. Where something fails, COMMAND has plenty of time before we can
# kill it: more than it needs to take a torn input for the whole.
traced() {
  local kind=$1 first=$2 second=$3
  shift 3
  rm -f saw.*
  status=0
  timeout -s KILL 60 "${PYTHON[@]}" "$lib/feed.py" --left left "$kind" data \
    strace -qq -o trace -e signal=none "$@" \
    "$BACKOFF" --base=0 -n 3 -- sh -c "$attempts" sh "$first" "$second" 2>said || status=$?
}

# which CALL REGEX KIND FIRST SECOND: the first and the last of these calls of
# a run without a fault, counted among all those of this name.
which() {
  traced "$3" "$4" "$5" -e trace="$1"
  [ "$status" -eq 0 ] || fail "without a fault: $status, $(cat said)"
  grep -nE -- "$2" trace | sed 's/:.*//' | sed -n '1p;$p' | uniq
}

# left_is KIND READ: the rest is exact. Without tee, up to 64 KiB more may be
# gone from a pipe.
left_is() {
  local more
  more=$(($(stat -c %s data) - $2 - $(stat -c %s left)))
  tail -c "$(stat -c %s left)" data | cmp -s - left || return
  if [ "$1" = pipe ] && ! has_answer peek; then
    [ "$more" -ge 0 ] && [ "$more" -le 65536 ]
  else
    [ "$more" -eq 0 ]
  fi
}

# judge KIND FIRST SECOND [also-left]: what is wrong with the last run, if
# anything is.
judge() {
  local saw last
  for saw in saw.[123]; do
    [ -e "$saw" ] || continue
    head -c "$(stat -c %s "$saw")" data | cmp -s - "$saw" || echo "$saw is not what was written"
  done
  if [ "$status" -ne 0 ]; then
    tail -n 1 said | grep -Eq '^backoff: (signals: no descriptor|sh: (giving up|not retrying|failed|cannot start)( after .*)?): .' ||
      echo "$status without saying why"
    return
  fi
  last=$(find . -name 'saw.[23]' | sort | tail -n 1)
  [ -n "$last" ] || {
    echo "0 without a success"
    return
  }
  [ "$(stat -c %s "$last")" -eq "$3" ] || echo "0, but it read $(stat -c %s "$last") of $3 bytes"
  [ "${4-}" != also-left ] || left_is "$1" "$3" ||
    echo "0, but $(stat -c %s left) bytes are left"
}

# Those that bring what data has, not those of who loads the program, nor random
# bytes, of which the first is a digit at times.
read_of_stdin='^read\([0-9]+, "([0-9]|\\n){8}'
read_of_kept='^pread64\([0-9]+, "([0-9]|\\n){8}'

# Without it what is left is not exact, and what the command sees is.
@test "tee fails" {
  need_answer peek
  local sizes when verdict injected=
  for sizes in "${SIZES[@]}"; do
    for when in $(which tee '^tee\(0,' pipe $sizes); do
      traced pipe $sizes -e trace=tee -e inject=tee:error=EIO:when="$when"
      # How many there are is not always the same.
      ! grep -q INJECTED trace || injected=yes
      verdict=$(judge pipe $sizes)
      [ -z "$verdict" ] || fail "$sizes, number $when: $verdict ($(tail -n 1 said))"
    done
  done
  [ "$injected" = yes ]
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
}

# All is there before we begin, so that a run with a fault makes the same calls
# as one without until then.
@test "the read that takes from a stream finds nothing again: that is said" {
  need_answer peek
  cat >filled.py <<'SCRIPT'
import os, socket, subprocess, sys
reader, writer = os.pipe() if sys.argv[1] == "pipe" else (s.detach() for s in socket.socketpair())
os.write(writer, b"0" * 5000)
os.close(writer)
sys.exit(subprocess.call(sys.argv[2:], stdin=reader))
SCRIPT
  local call first
  while read -r kind call regex; do
    filled=(python3 -S filled.py "$kind" strace -qq -o trace -e trace="$call")
    "${filled[@]}" "$BACKOFF" -- sh -c 'head -c 5000 >/dev/null'
    first=$(grep -nE "$regex" trace | sed 's/:.*//' | head -n 1)
    run "${filled[@]}" -e inject="$call:error=EAGAIN:when=$first..$((first + 1))" \
      "$BACKOFF" -- sh -c 'head -c 5000 >/dev/null; sleep 100'
    assert_equal "$kind: $status" "$kind: 125"
    assert_output --regexp 'stdin could not be passed on: Resource temporarily unavailable$'
  done <<'STREAMS'
pipe read ^read.*"0
unix recvfrom ,.MSG_DONTWAIT,
STREAMS
}

# unknown KIND CALLS REGEX ERROR: the call that tells what stdin is fails; the
# command is not started, and all is left.
unknown() {
  local when
  rm -f saw.*
  "${PYTHON[@]}" "$lib/feed.py" "$1" data strace -qq -o trace -e trace="$2" "$BACKOFF" -- true
  when=$(grep -nE -- "$3" trace | sed 's/:.*//' | head -n 1)
  [ -n "$when" ] || fail "no such call: $3"
  traced "$1" 10 10 -e trace="$2" -e inject="$2:error=$4:when=$when"
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

@test "an interrupted system call is repeated" {
  need_answer peek
  local call kind regex sizes=${SIZES[1]}
  for call in tee recvfrom read preadv2 splice write pwrite64 pread64 poll ppoll; do
    kind=unix
    [[ $call != @(tee|preadv2|splice) ]] || kind=pipe
    case $call in
    read) regex=$read_of_stdin ;;
    pread64) regex=$read_of_kept ;;
    *) regex="^$call\(" ;;
    esac
    for when in $(which "$call" "$regex" "$kind" $sizes); do
      traced "$kind" $sizes -e trace="$call" -e inject="$call:error=EINTR:when=$when"
      run judge "$kind" $sizes also-left
      assert_output ''
      assert_equal "$call $when: $status, $(grep -c . said)" "$call $when: 0, 1"
    done
  done
}

# --- failures of other kinds ---

# With 3 to 9 in use the file is opened where it stays, above them.
@test "COMMAND does not inherit what is kept, which without O_TMPFILE has a name for a moment" {
  need_answer unnamed_file
  local script='head -c 5000 >"saw.$BACKOFF_ATTEMPT"
    ls -A "$TMPDIR"; ls -l /proc/self/fd | grep -F "$TMPDIR/"; [ "$BACKOFF_ATTEMPT" -eq 2 ]'
  for when in 1+ 100; do
    "${PYTHON[@]}" "$lib/feed.py" pipe data sh -c 'exec "$@" 3<data 4<data 5<data 6<data 7<data 8<data 9<data' sh \
      strace -qq -o trace -e trace="$open" -P "$TMPDIR" -e inject="$open:error=EOPNOTSUPP:when=$when" \
      "$BACKOFF" -qq --base=0 -- sh -c "$script" >listed
    [ "$when" = 100 ] || grep -q INJECTED trace
    head -c 5000 data | cmp - saw.2
    assert_equal "$when: $(cat listed)" "$when: "
    assert_equal "$(ls -A "$TMPDIR")" ""
  done
}

@test "--stdin=null: if /dev/null cannot be opened, nothing else takes its place" {
  run "${PYTHON[@]}" "$lib/feed.py" --left left pipe data \
    strace -qq -o trace -e trace="$open" -P /dev/null -e inject="$open:error=EMFILE" \
    "$BACKOFF" -q --base=0 -n 2 --stdin=null -- wc -c
  assert_not_equal "$status" 0
  assert_output 'backoff: stdin: cannot be passed on: Too many open files'
  cmp data left
}

@test "a file that cannot be rewound is not taken for one that has ended" {
  # The one before the first attempt, and the one before the second.
  local lseek='^lseek\(0, 0, SEEK_SET'
  strace -qq -o trace -e trace=lseek "$BACKOFF" -qq --base=0 -n 2 -- false <data || true
  mapfile -t numbers < <(sed -nE "/$lseek/=" trace)
  for when in "${numbers[@]}"; do
    run strace -qq -o /dev/null -e trace=lseek -e inject=lseek:error=EIO:when="$when" \
      "$BACKOFF" -q --base=0 -n 2 -- sh -c 'cat >saw; [ "$BACKOFF_ATTEMPT" -eq 2 ]' <data
    if [ "$status" -eq 0 ]; then
      cmp data saw
    else
      assert_output --regexp '^backoff: sh: '
    fi
  done
}

@test "with few free descriptors, the input is right or the reason is printed" {
  for limit in {5..13}; do
    rm -f saw.*
    status=0
    # strace or python3 may need more than that: the limit is for us alone.
    "${PYTHON[@]}" "$lib/feed.py" --left left pipe data sh -c 'ulimit -n "$1"; shift; exec "$@"' sh "$limit" \
      "$BACKOFF" --base=0 -n 3 -- sh -c "$attempts" sh 5000 9000 2>said || status=$?
    assert_equal "$limit: $(judge pipe 5000 9000 also-left)" "$limit: "
  done
}
