# SPDX-License-Identifier: MIT
# What the tests of the event stream share.  shellcheck shell=bash

# The JSON log has a file of its own, so that stderr can be tested separately.
events=$BATS_TEST_TMPDIR/events

# A command to run the program under; a test may set it.
under=()

# logged ARG...: one run of backoff with a JSON log of its own.
logged() {
  rm -f "$events"
  "${under[@]}" "$BACKOFF" --log-format=json --log-file="$events" "$@"
}

# start_logged ARG...: the same in the background, as process $pid.
start_logged() {
  rm -f "$events"
  "$BACKOFF" --log-format=json --log-file="$events" "$@" 3>&- &
  # shellcheck disable=SC2034
  pid=$!
}

# assert_events [EXPRESSION]...: the log is one to the letter, and these
# hold of it (see events.py).
assert_events() {
  "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/events.py" "$events" "$@" ||
    fail "the events are not as expected"
}

# log_holds EXPRESSION...: whether they hold of it, without a word. A test
# that needs a limit, and some work done within it, repeats its run with ever
# longer limits until the log says that the work was done in time: a busy
# machine makes it longer, and not fail.
log_holds() {
  "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/events.py" "$events" "$@" 2>/dev/null
}

# in_pause [N]: the background run waits after its attempt N (1).
in_pause() {
  wait_for grep -qs "\"attempt\":${1:-1},.*\"pause_s\":[0-9]" "$events"
}

# judged: sets verdict and reason to those of the last attempt in the log; the
# line of output stands behind the reason, in quotes.
judged() {
  local line
  line=$(grep '"event":"attempt"' "$events" | tail -n 1)
  [[ $line =~ \"verdict\":\"([a-z]*)\",\"reason\":\"(.*)\",\"line\":(.*),\"duration_s\": ]] ||
    fail "no attempt: $line"
  # shellcheck disable=SC2034
  verdict=${BASH_REMATCH[1]} reason=${BASH_REMATCH[2]//\\\"/\"}
  [ "${BASH_REMATCH[3]}" = null ] || reason+=" ${BASH_REMATCH[3]}"
}
