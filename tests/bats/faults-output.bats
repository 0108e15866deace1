#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# System calls fail while output is held, released or watched, in ways of which
# tests/faults, with all calls and errors, does not know enough. Either all of
# the output comes out, or backoff fails and says why; output is never lost
# silently, and no byte comes out twice.

load helper
load ../lib/process

setup() {
  need_strace
  trace=$BATS_TEST_TMPDIR/trace
  big=$BATS_TEST_TMPDIR/big
  name_open
  seq 60000 >"$big"
  export TMPDIR=$BATS_TEST_TMPDIR/tmp
  mkdir "$TMPDIR"
}

# traced STRACE_OPTION... -- ARG...: runs it; traced is it alone, not the
# command.
traced() {
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  strace -qq -y -o "$trace" "${options[@]}" "$BACKOFF" "${@:2}" 2>"$said" </dev/null
}

# to_file, to_pipe STATUS STRACE_OPTION... -- ARG...: likewise, with a stdout of that
# kind, and it ends so (a REGEX). What came out is in $got.
to_file() {
  local ended=0
  : >"$got"
  traced "${@:2}" >>"$got" || ended=$?
  assert_regex "$ended" "^$1\$"
}

to_pipe() {
  echo 0 >ended
  { traced "${@:2}" || echo $? >ended; } | cat >"$got"
  assert_regex "$(<ended)" "^$1\$"
}

# calls SYSCALL REGEX: of the calls that $trace has, the numbers of the first,
# the second and the last that match.
calls() {
  grep "^$1(" "$trace" | grep -nE -- "$2" | cut -d: -f1 | sed -n '1p; 2p; $p' | sort -nu
}

@test "a write or read of a release, or of watched output, that is interrupted, or finds no room for now, is repeated" {
  for error in EINTR EAGAIN; do
    to_file 0 -e trace=write -e inject="write:error=$error:when=1..5" -- -o -- cat "$big"
    cmp "$got" "$big"
    to_pipe 0 -e trace=write -e inject="write:error=$error:when=1..5" -- --stop-if=never -n 1 -- cat "$big"
    cmp "$got" "$big"
  done
  to_file 0 -e trace=pread64,write -- -o -- cat "$big"
  # A file takes it in large pieces.
  [ "$(grep -c '^write(' "$trace")" -lt 20 ]
  for number in $(calls pread64 "$TMPDIR"); do
    to_file 0 -e trace=pread64 -e inject="pread64:error=EINTR:when=$number" -- -o -- cat "$big"
    cmp "$got" "$big"
  done
}

@test "without O_TMPFILE the file's name is removed at once" {
  need_answer unnamed_file
  # Without it the hint file has a name there.
  need_answer file_in_memory
  to_file 0 -e trace="$open" -- -o -- cat "$big"
  numbers=$(calls "$open" O_TMPFILE)
  # One at the start, to see whether there is room at all, and one to use.
  assert_equal "$(wc -w <<<"$numbers")" 2
  for number in $numbers; do
    error=EOPNOTSUPP
    [ "$number" = "${numbers%%[!0-9]*}" ] || error=EISDIR
    to_file 0 -e trace="$open" -e inject="$open:error=$error:when=$number" -- -o -- \
      sh -c 'ls -A "$TMPDIR" >&2; stat -Lc "%f %h" /proc/self/fd/9 9>&1 >&2
        sed 5q "$1"; sed -n 6,10p "$1" >>/dev/stdout; tail -n +11 "$1"' - "$big"
    cmp "$got" "$big"
    assert_equal "$(cat "$said")" '8180 0'
  done
}

@test "watched output that cannot be passed on is 125, and no attempt follows" {
  to_file 125 -P "$got" -e trace=write -e inject=write:error=ENOSPC:when=1 -- --stop-if=never -b 0 -- \
    sh -c 'echo "attempt $BACKOFF_ATTEMPT"; : >"$TMPDIR/run-$BACKOFF_ATTEMPT"'
  assert_equal "$(wc -l <"$said")" 1
  grep -q 'output could not be passed on: No space left on device$' "$said"
  assert_equal "$(ls "$TMPDIR")" run-1
}

@test "output whose end is unknown, or of which nothing is read or written, is 125" {
  while read -r call regex fault options; do
    # shellcheck disable=SC2086 # several words
    to_file 0 -e trace="$call" -- -n 1 $options -- echo hello
    # shellcheck disable=SC2086
    to_file 125 -e trace="$call" -e inject="$call:$fault:when=$(calls "$call" "$regex" | head -n 1)" -- -n 1 $options -- echo hello
    grep -qE 'output could not be passed on: (Input/output|I/O) error$' "$said" || fail "$call $options: $(cat "$said")"
  done <<'TABLE'
write hello retval=0 --stop-if=never
lseek tmp/(#|backoff-.{6}>).*SEEK_END error=EIO -o
pread64 hello retval=0 -o
pread64 hello retval=0 -o --stop-if=never
TABLE
}

@test "held output that cannot be read to look for a match is no success, an interrupted read is made again" {
  echo needle >>"$big"
  to_file 0 -e trace=pread64 -- -o -n 1 --success-if=needle -- cat "$big"
  numbers=$(calls pread64 "$TMPDIR")
  # A signal ends the search.
  to_file 143 -e trace=pread64 -e inject="pread64:signal=TERM:when=${numbers%%[!0-9]*}" -- \
    -o -n 1 --success-if=needle -- cat "$big"
  for number in $numbers; do
    to_file '[1-9].*' -e trace=pread64 -e inject="pread64:error=EIO:when=$number" -- \
      -o -n 1 --stop-if=needle -- cat "$big"
    grep -q INJECTED "$trace"
    to_file 0 -e trace=pread64 -e inject="pread64:error=EINTR:when=$number" -- \
      -o -n 1 --success-if=needle -- cat "$big"
    cmp "$got" "$big"
  done
}

@test "without a memfd everything else works" {
  for error in EMFILE ENOSYS; do
    to_file 0 -e trace=memfd_create -e inject="memfd_create:error=$error" -- -o --stop-if=never -- cat "$big"
    cmp "$got" "$big"
    [ ! -s "$said" ]
  done
}

@test "a hint file with a name is removed, whatever signal kills backoff" {
  local fails only=()
  # Without signalfd there are other writes; but no memfd either, which -P would spare.
  has_answer signalfd || only=(-P "$said")
  # Our own line, and our own release into a pipe.
  for fails in 1 0; do
    to_pipe '[0-9]+' "${only[@]}" -e trace=memfd_create,write -e inject=memfd_create:error=ENOSYS \
      -e inject=write:signal=TERM:when=1 -- -o -b 1h -n 2 -- \
      sh -c 'ls -A "$TMPDIR" >"$TMPDIR.seen"; cat "$1"; exit "$2"' - "$big" "$fails"
    grep -q 'killed by SIGTERM' "$trace" || [ "$fails" = 0 ]
    # (It was there.)
    grep -q '^backoff-hint-' "$TMPDIR.seen"
    assert_equal "$(ls -A "$TMPDIR")" ''
  done
}

@test "with hardly any descriptors nobody is waited for who is not there" {
  for limit in {8..13}; do
    seq 3 | strace -qq -o "$trace" -e trace=fcntl bash -c 'exec 3>&-; ulimit -n "$0"; exec "$@"' "$limit" \
      "$BACKOFF" -qq -oall -n 2 -b 0 -- sh -c 'exit 7' || true
    # The lease says that somebody writes: only backoff itself can.
    ! grep 'F_SETLEASE.*EAGAIN' "$trace" || fail "$limit descriptors"
  done
}
