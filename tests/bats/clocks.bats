#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# A calendar that somebody sets while backoff runs: libfaketime stands between them.

# shellcheck disable=SC2034 # what other files use and set
load helper
load ../lib/events

setup() {
  need_faketime
}

# calendar OFFSET: what the calendar shows from now on, beside the true one.
calendar() {
  echo "$1" >calendar
}

# set_by OFFSET... : a command that fails, and sets it so in its attempts.
set_by() {
  echo '#!/bin/sh' >sets
  printf 'set -- %s\nshift $((BACKOFF_ATTEMPT - 1))\n' "$*" >>sets
  echo '[ $# -eq 0 ] || echo "$1" >calendar; exit 7' >>sets
  chmod +x sets
}

# The calendar alone is false, and looked at anew each time.
under_calendar() {
  under=(env LD_PRELOAD="$preload" FAKETIME_TIMESTAMP_FILE="$PWD/calendar"
    FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1)
  calendar +0
}

@test "rule 40: a clock that runs faster speeds up the limits of an attempt, too" {
  LD_PRELOAD=$preload FAKETIME='+0 x1000' FAKETIME_ONLY_CMDS=backoff \
    run -124 "$BACKOFF" -n 1 -t 3000s -- sleep 150
  assert_output --partial 'timed out after 50m'
}

@test "clocks: a calendar that is set back or forth changes no pause and no limit" {
  under_calendar
  set_by -2h +3h -400d +0
  run -7 logged -b 20ms --factor=2 -c inf -j none -n 5 -T 30m -t 20m \
    --reset-after=10m -- ./sets
  assert_events 'pauses == [20*ms, 40*ms, 80*ms, 160*ms]' \
    'all(0 < a.duration_s < 600*s for a in attempts)' \
    '[a.outcome for a in attempts] == ["exited"] * 5' \
    'sum(pauses) <= end.elapsed_s < 600*s' 'end.result == "exhausted"'
  # They are seen: the calendar's hours are in the lines' times.
  assert_events 'at[1] - at[0] < -7000' 'at[2] - at[1] > 17000' 'at[3] - at[2] < -400 * 86400'
}

@test "clocks: --until goes by the calendar, also by one that is set" {
  local until=$(($(date +%s) + 7200))
  under_calendar
  set_by +0 +1h +3h
  run -7 logged --until=@"$until" -b 10ms -j none -- ./sets
  assert_events 'len(attempts) == 3' 'end.result == "deadline" and end.elapsed_s < 7200*s'

  # Set back, there is more of it.
  calendar +3h
  run -124 logged --until=@"$until" -n 2 -b 10ms -j none -- ./sets
  calendar -1h
  set_by -1h
  run -7 logged --until=@"$until" -n 2 -b 10ms -j none -- ./sets
  assert_events 'len(attempts) == 2' 'end.result == "exhausted"'
}

@test "clocks: the date of a Retry-After is one of the calendar" {
  at=$(LC_ALL=C date -u -d "+2 hours" '+%a, %d %b %Y %H:%M:%S GMT')
  under_calendar
  # An hour before it, by the calendar, and then two hours after it.
  printf '#!/bin/sh\necho "$OFFSET" >calendar; echo "Retry-After: %s" >&2; exit 7\n' "$at" >asks
  chmod +x asks
  OFFSET=+1h run -7 logged --retry-after -n 2 -b 10ms -j none -T 30m -- ./asks
  assert_events 'len(attempts) == 1' 'end.result == "deadline"' \
    're.fullmatch(r"server asked to wait (59m|1h).*, more than is left", end.reason)'
  OFFSET=+4h run -7 logged --retry-after -n 2 -b 10ms -j none -T 30m -- ./asks
  assert_events 'len(attempts) == 2' 'pauses == [10*ms]'
}
