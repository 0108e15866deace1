# SPDX-License-Identifier: MIT
# What runs share, for the tests.  shellcheck shell=bash
# shellcheck disable=SC2034,SC2119,SC2120,SC2154 # for the tests

load ../lib/process

state=$BACKOFF_STATE_DIR

# record [KEY=NUMBER]...: that of hub, with these changes; see there.
record() {
  mkdir -p "$state"
  chmod 700 "$state"
  "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/shared_record.py" "$state/hub" "$@"
}

# field KEY: one of its values.
field() {
  record | sed -n "s/^$1=//p"
}

# damage OFFSET: makes that byte of the record another one, whatever it was.
damage() {
  "${PYTHON[@]}" - "$state/hub" "$1" <<'EOS'
import sys
with open(sys.argv[1], "r+b") as file:
  file.seek(int(sys.argv[2]))
  byte = file.read(1)[0]
  file.seek(-1, 1)
  file.write(bytes([byte ^ 0xff]))
EOS
}

# As in shared.h: who changes the record, and who asks a fleet's server, locks it.
record_byte=$((1 << 32))
sync_byte=$((record_byte + 1))

# hold_bytes FILE FIRST COUNT: another process has locked them; with COUNT 0, all
# from there on.
hold_bytes() {
  mkfifo locked
  "${PYTHON[@]}" -c '
import fcntl, signal, sys
with open(sys.argv[1], "r+b") as file:
  fcntl.lockf(file, fcntl.LOCK_EX, int(sys.argv[3]), int(sys.argv[2]))
  print(flush=True)
  signal.pause()' "$@" >locked 3>&- 7>&- &
  others+=($!)
  read -r _ <locked
}

# beside ARG...: the program with these arguments in the background, as process $!.
# Its stderr is in the file "beside".
beside() {
  "$BACKOFF" "$@" 2>beside 3>&- 7>&- &
  others+=($!)
}

# end_others: what a test has started beside what start() has.
end_others() {
  kill -s KILL "${others[@]}" 2>/dev/null || :
}
others=()

# quietly ARG...: run backoff without a log, whatever comes of it.
quietly() {
  "$BACKOFF" -qq "$@" || :
}

# shut_gate: gate hub, by failures in a row; the next probe is due at once.
shut_gate() {
  quietly --gate=hub -n 19 -b 0 -- sh -c 'exit 7'
  quietly --gate=hub -n 1 -b 1ms -- sh -c 'exit 7'
}

# shut_for TIME: the same by a probe that is asked to wait for so long.
shut_for() {
  shut_gate
  quietly --gate=hub -n 1 -b 1ms -- sh -c 'echo after='"$1"' >"$BACKOFF_HINT"; exit 7'
}

# Where a file has no other.
setup() {
  need_answer byte_lock
}

teardown() {
  end_all
  end_others
}
