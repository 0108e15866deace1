#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What attempts find on their stdin.

load helper
load ../lib/events
load ../lib/process

setup() {
  printf '%s\n' header one two three >input
}

# b ARG...: a run with short pauses that prints nothing.
b() {
  "$BACKOFF" -qq --base=0 "$@"
}

@test "rule 64: each attempt finds the file where we found it, whatever the one before has read" {
  {
    read -r _
    b -n 3 -- sh -c 'case $BACKOFF_ATTEMPT in
      2) head -c 4 >saw.2; exit 7 ;;
      *) cat >"saw.$BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -eq 3 ] ;;
      esac'
  } <input
  assert_equal "$(cat saw.1 saw.2 saw.3)" $'one\ntwo\nthree\none\none\ntwo\nthree'
}

@test "rule 64: after the last attempt, a pass or a refusal of the hook there is no rewinding" {
  for options in '-n 1' --pass-on=7 --stop-on=7 --before-retry=false; do
    run sh -c '"$BACKOFF" -qq --base=0 $0 -- sh -c "dd bs=1 count=7 2>/dev/null; exit 7"
      echo "rest:"; cat' "$options" <input
    assert_output $'header\nrest:\none\ntwo\nthree'
  done
}

@test "rule 64: the file is rewound after a timeout and after a death, too" {
  need_proc
  "${HOLD_TERM[@]}" "$BACKOFF" -qq --base=0 -n 3 -t 200ms -- bash -c '
    cat >"saw.$BACKOFF_ATTEMPT"
    case $BACKOFF_ATTEMPT in
    1) '"$until_term"'; exit 7 ;;
    2) kill -s KILL $$; sleep 1000 ;;
    esac' <input || true # the third may be slow
  cmp input saw.2
  cmp input saw.3
}

@test "rule 64: the next attempt reads what was added to the file, although it was removed" {
  cp input expected
  echo four >>expected
  b -n 2 -- sh -c 'cat >"saw.$BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -eq 2 ] || { echo four >>input; rm input; exit 7; }' <input
  cmp expected saw.2
}

@test "rule 64: an offset beyond 4 GiB is restored, though an attempt moved back or ahead" {
  truncate -s 5G big 2>/dev/null || skip "no sparse files here"
  echo last >>big
  cat >start.py <<'SCRIPT'
import os, sys
os.lseek(0, 5 << 30, os.SEEK_SET)
os.execvp(sys.argv[1], sys.argv[1:])
SCRIPT
  cat >seek.py <<'SCRIPT'
import os, sys
attempt = int(os.environ["BACKOFF_ATTEMPT"])
print(os.lseek(0, 0, os.SEEK_CUR) >> 30, os.read(0, 9))
os.lseek(0, 0 if attempt % 2 else 10 << 30, os.SEEK_SET)
sys.exit(7)
SCRIPT
  run python3 -S start.py "$BACKOFF" -qq -n 3 --base=0 -- python3 -S seek.py <big
  assert_output "$(printf '5 %s\n' "b'last\n'" "b'last\n'" "b'last\n'")"
}

@test "rule 64: nothing but stdin is rewound" {
  run sh -c 'exec "$BACKOFF" -qq -n 2 --base=0 -- sh -c "cat <&4; echo end; exit 7"' \
    4<input </dev/null
  assert_output $'header\none\ntwo\nthree\nend\nend'
}

@test "a closed stdin is closed at each attempt, and changes nothing else" {
  need_proc
  run -7 sh -c 'exec "$BACKOFF" -qq -n 2 --base=0 -- sh -c "
    [ -e /proc/\$\$/fd/0 ] || echo closed; exit 7" <&-'
  assert_output $'closed\nclosed'
}

@test "a stdin that is a directory, or only open for writing, changes nothing" {
  local run_twice='exec "$BACKOFF" -qq -n 2 --base=0 -- sh -c "echo run; exit 7"'
  run -7 sh -c "$run_twice 0>written"
  assert_output $'run\nrun'
  run -7 sh -c "$run_twice" <"$PWD"
  assert_output $'run\nrun'
}

@test "the flags of stdin are not touched" {
  need_proc
  flags='sed -n "s/^flags:[[:space:]]*//p" /proc/self/fdinfo/0'
  run sh -c "$flags; exec \"\$BACKOFF\" -qq -n 2 --base=0 -- sh -c '$flags; exit 7'" <>input
  assert_equal "$(printf '%s\n' "${lines[@]}" | sort -u | wc -l)" 1
  # Of a pipe COMMAND gets one of ours; that which we were given stays.
  mkfifo fifo
  run sh -c "$flags; \"\$BACKOFF\" -qq -n 2 --base=0 -- false; $flags" <>fifo
  assert_equal "$(printf '%s\n' "${lines[@]}" | sort -u | wc -l)" 1
}

@test "rule 66: at a terminal each attempt reads a line or an end of file of its own" {
  at_terminal <<SCRIPT
type "\$BACKOFF" -qq -n 3 --base=0 -- sh -c 'test -t 0 && echo "ready \$BACKOFF_ATTEMPT"; read -r line; echo "got <\$line>"; exit 7'
wait ready 1
type one
wait got <one>
wait ready 2
key C-d
wait got <>
wait ready 3
type three
wait got <three>
prompt
type echo still "here"
wait still here
SCRIPT
}
