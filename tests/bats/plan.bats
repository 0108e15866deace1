#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --plan, which shows what options mean. unit/charts has its figures, docs.bats a whole one.

load helper

export LC_ALL=C

# at_width COLUMNS ARG...: what backoff shows on a terminal so wide.
at_width() {
  printf '%s\n' "resize 24 $1" "type \"\$BACKOFF\" ${*:2}" prompt |
    "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/terminal.py" | sed 's/<prompt>//; ${ /^$/d; }'
}

@test "the plan needs no command, and runs none" {
  run -0 "$BACKOFF" --plan
  run -0 "$BACKOFF" --plan -- touch made
  [ ! -e made ]
}

@test "the plan as JSON: keys, order and digits" {
  run -0 "$BACKOFF" --plan --log-format=json -n 3 -b 1s
  assert_output '{"event":"plan","after_attempt":1,"low_s":0.100000000,"high_s":1.000000000,"mean_s":0.550000000,"earliest_s":0.100000000,"mean_total_s":0.550000000,"latest_s":1.000000000}
{"event":"plan","after_attempt":2,"low_s":0.100000000,"high_s":3.000000000,"mean_s":1.550000000,"earliest_s":0.200000000,"mean_total_s":2.100000000,"latest_s":4.000000000}'
}

@test "an endless plan has 10,000 rows as JSON, and few as a table" {
  "$BACKOFF" --plan --log-format=json -n inf >got
  assert_equal "$(wc -l <got)" 10000
  run -0 "$BACKOFF" --plan -n inf
  [ "${#lines[@]}" -lt 20 ]
  assert_line 'And so on.'
}

@test "the plan says how many attempts fit into a limit" {
  run -0 "$BACKOFF" --plan -T 10 -j none
  assert_line 'At most 4 attempts before the time is up.'
  run -0 "$BACKOFF" --plan -T 20m
  assert_line 'And so on, for at most 20m in all.'
  run -0 "$BACKOFF" --plan -n 2 -T 20m -j none
  assert_line '2 attempts, the last one 1s after the start.'
  run -0 "$BACKOFF" --plan --until=@1
  assert_output 'No attempt: the time is up.'
  run -0 "$BACKOFF" --plan -n 1 --splay=1h
  assert_output 'One attempt, no pause.'
  run -0 "$BACKOFF" --plan -n 1 --log-format=json
  assert_output ''
}

@test "long times do not run into the next column" {
  run -0 "$BACKOFF" --plan -c inf -n 30
  refute_output --regexp '[dhms][0-9]+[dh][0-9]+[hm]?[0-9]'
  run -0 awk '/^ +[0-9]/ && NF != 8' <<<"$output"
  assert_output ''
}

@test "the plan prints no chance that it does not know, and rounds none to certainty" {
  # 10,000 rows are 10ms of it, and most of 10m is behind them.
  "$BACKOFF" --plan -n 20000 -b 1us -g constant -j none >got
  grep -qx 'And so on.' got
  run -1 grep Chance got
  run -0 "$BACKOFF" --plan -n inf
  assert_line 'Chance that it outlasts an outage of 10s: 100%, 1m: 100%, 10m: 100%.'
  run -0 "$BACKOFF" --plan
  assert_line --partial 'of 10s: above 99%'
  run -0 "$BACKOFF" --plan -n 2 -b 10050ms
  assert_line --partial 'an outage of 10s: below 1%'
}

@test "a long plan is simulated fewer times" {
  # Of 4,096 it took 7 s; so many rows are no more work than these.
  TIMEFORMAT=%U
  short=$({ time "$BACKOFF" --plan -T 106751d >/dev/null; } 2>&1)
  run awk -v took="$short" 'BEGIN { exit (took > 3) }'
  assert_success
}

@test "the chart has the width of the terminal, or 80 columns where there is none, and is ASCII without UTF-8" {
  need_answer terminal_columns
  run -0 "$BACKOFF" --plan
  assert_output --partial '####'
  assert_equal "$(wc -L <<<"$output")" 80
  run -0 at_width 120 --plan
  assert_equal "$(wc -L <<<"$output")" 120
  run -0 env LC_ALL=C.UTF-8 "$BACKOFF" --plan
  assert_output --partial '███'
  refute_output --partial '#'
}

@test "on a narrow terminal the plan leaves out the chart, then columns" {
  need_answer terminal_columns
  run -0 at_width 31 --plan -T 10m
  [ "$(wc -L <<<"$output")" -le 31 ]
  assert_line --regexp '^ +1 +100ms '
  run -0 at_width 58 --plan -n 2 -b 1s
  assert_output '  after           pause           next attempt starts at
attempt     from    mean      to  earliest    mean  latest
      1    100ms   550ms      1s     100ms   550ms      1s

2 attempts, the last one 550ms after the start (100ms to
1s).
Chance that it outlasts an outage of 10s: 0%, 1m: 0%, 10m:
0%.'
  run -0 at_width 40 --plan -n 3 -b 1s
  assert_line --index 0 '            pause       next at'
  assert_line --index 3 '    2    100ms      3s     2.1s  #######'
}
