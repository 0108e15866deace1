#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# backoff-herd: its figures, compared with another simulator, and its charts.

load helper

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export LC_ALL=C
  lib=$TOP_SRCDIR/tests/lib
}

# herd OPTION...: 1000 clients, a minute down, then 100 a second.
herd() {
  "$HERD" --clients=1000 --outage=1m --capacity=100 "$@"
}

# figures COLUMN: those of the table on stdin, a line for each row; times in
# seconds.
figures() {
  awk -v column="$1" '
    function value(text, sum) {
      if (text !~ /[a-z]$/)
        return text
      while (match(text, /^[0-9.]+/)) {
        number = substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
        match(text, /^[a-z]+/)
        sum += number * unit[substr(text, 1, RLENGTH)]
        text = substr(text, RLENGTH + 1)
      }
      return sum
    }
    BEGIN {
      unit["us"] = 1e-6; unit["ms"] = 1e-3; unit["s"] = 1; unit["m"] = 60
      unit["h"] = 3600; unit["d"] = 86400
    }
    NR > 3 && NF == 0 { exit }
    NR > 3 { print value($(NF - 3 + column)) }'
}

# agrees COLUMN RETRIES PEAK MEAN 95% LAST: the table in the file "out" has
# these figures in that column, within 10 percent.
agrees() {
  local column=$1

  shift
  figures "$column" <out | sed 2d >got
  run awk -v wanted="$*" '
    BEGIN { split(wanted, want) }
    { apart = $1 - want[NR]; if (apart < 0) apart = -apart }
    apart > want[NR] / 10 { print "row " NR ": " $1 " and not " want[NR] }
    END { if (NR != 5) print NR " rows" }' got
  assert_output ''
}

# Without the floor, and doubling, as in the reference figures.
reference=(--factor=2 --cap=20s --floor=0)

@test "herd: full jitter has the reference figures, and so have the two beside it" {
  herd "${reference[@]}" --runs=20 >out
  agrees 1 10.1 34 6.8 15.7 19.5
  agrees 2 11.5 1000 101 191 191
  agrees 3 64.5 1000 4.5 9 9
}

@test "herd: equal jitter has the reference figures" {
  herd "${reference[@]}" --jitter=equal --runs=20 >out
  agrees 1 8.0 62 8.0 16.1 19.4
}

@test "herd: no jitter has the reference figures" {
  herd "${reference[@]}" --jitter=none >out
  agrees 1 11.5 1000 101 191 191
}

@test "herd: Ethernet slots have the reference figures" {
  # When the last is served varies too much to test it with a single run.
  herd --factor=2 --growth=binary --slot-time=1s --max-exponent=10 --cap=inf \
    --floor=0 --runs=400 >out
  agrees 1 6.6 182 42 113 398
}

@test "herd: the peak after 0s has that of the first retries" {
  # 1000 clients come back evenly within the second, 100 each 100ms.
  herd --cap=1s --floor=0 >out
  run awk 'NR == 2 && ($1 < 100 || $1 > 250)' <(figures 1 <out)
  assert_output ''
  run sed -n 2p <(figures 2 <out)
  assert_output 1000
}

# gate CLIENTS CAPACITY OPTION...: ten minutes down, in the file "out".
gate() {
  local clients=$1 capacity=$2

  shift 2
  "$HERD" --gate --clients="$clients" --outage=10m --capacity="$capacity" \
    --cap=1m "$@" >out
}

# figure COLUMN LABEL: the one in the row of that label.
figure() {
  grep -n -- "^ *$2  " out | cut -d: -f1 >row
  figures "$1" <out | sed -n "$(($(cat row) - 3))p"
}

# between LOW HIGH NUMBER
between() {
  run awk "BEGIN { if ($3 < $1 || $3 > $2) print \"$3 is not in $1..$2\" }"
  assert_output ''
}

# Without a gate, the reference is another simulation. With one, all are served
# no sooner than the service can, and at most 10 s and half as long again later;
# and of the failures there are the first, the probes in the outage, 0.06 for
# each client, and after it at most 0.35 for each.
@test "herd: with a gate 2000 clients have the reference figures, or better ones" {
  gate 2000 100 --runs=20
  between 0.18 0.22 "$(figure 1 'attempts per second of the outage')"
  between 1.0 1.41 "$(figure 1 'attempts per client, after the first')"
  between 20 39.6 "$(figure 1 'until the last is served')"
  between 10 24.2 "$(figure 1 'extra wait after the outage, mean')"
  between 69 85 "$(figure 2 'attempts per second of the outage')"
  between 21.6 26.4 "$(figure 2 'attempts per client, after the first')"
  between 59 73 "$(figure 2 'until the last is served')"
}

@test "herd: so they have with a service that serves only 20 a second" {
  gate 2000 20 --runs=20
  between 0.18 0.22 "$(figure 1 'attempts per second of the outage')"
  between 100 155 "$(figure 1 'until the last is served')"
  between 50 80 "$(figure 1 'extra wait after the outage, mean')"
  between 1 700 "$(figure 1 'failed attempts after the outage')"
  between 2050 2520 "$(figure 2 'failed attempts after the outage')"
}

@test "herd: so have 200 clients" {
  gate 200 20 --runs=20
  between 0.18 0.22 "$(figure 1 'attempts per second of the outage')"
  between 10 18.7 "$(figure 1 'until the last is served')"
  between 6.8 8.4 "$(figure 2 'attempts per second of the outage')"
}

# 120 probes in the outage are six for each.
@test "herd: --attempts bounds probes, too" {
  gate 20 5 --attempts=6 --runs=5
  assert_equal "$(figure 1 'clients that gave up')" 20
  assert_equal "$(figure 2 'clients that gave up')" 20
}

@test "herd: attempts that are no probes count at a gate, too, and enough of them lose no job" {
  gate 20 5 --attempts=1
  assert_equal "$(figure 1 'clients that gave up')" 20
  gate 1 5 --attempts=6
  assert_equal "$(figure 1 'clients that gave up')" 1
  gate 20 5 --attempts=30 --runs=5
  assert_equal "$(figure 1 'clients that gave up')" 0
}

@test "herd: --deadline holds at a gate" {
  gate 20 5 --deadline=9m
  assert_equal "$(figure 1 'clients that gave up')" 20
}

@test "herd: two columns tell what a gate is worth, the third what is usual" {
  gate 200 20
  run grep -c 'these options  *no gate  *every second$' out
  assert_output 1
  run grep -c '^no gate' out
  assert_output 1
}

# The gates of 20 machines let through 20 times what one of all does.
@test "herd: each machine has a gate, or the fleet has one" {
  gate 2000 100 --machines=20 --runs=5
  between 3.6 4.4 "$(figure 1 'attempts per second of the outage')"
  gate 2000 100 --machines=20 --gate=fleet --runs=5
  between 0.18 0.22 "$(figure 1 'attempts per second of the outage')"
  between 3.6 4.4 "$(figure 2 'attempts per second of the outage')"
  between 69 85 "$(figure 3 'attempts per second of the outage')"
  between 20 41 "$(figure 1 'until the last is served')"
}

@test "herd: the gate of a fleet helps machines of one client each, whose own would not" {
  gate 500 100 --machines=500 --gate=fleet
  between 0.18 0.22 "$(figure 1 'attempts per second of the outage')"
  between 15 25 "$(figure 2 'attempts per second of the outage')"
  between 22 26 "$(figure 2 'attempts per client, after the first')"
  between 22 26 "$(figure 3 'attempts per client, after the first')"
  between 1.0 2.0 "$(figure 1 'attempts per client, after the first')"
}

@test "herd: beside the gate of a fleet stand those of the machines, and no gate" {
  gate 200 20 --machines=10 --gate=fleet
  run grep -c 'these options  *--gate  *no gate$' out
  assert_output 1
  run head -n 1 out
  assert_output '200 clients on 10 machines, an outage of 10m, then 20 served a second'
  run -0 "$HERD" --gate=fleet --machines=2 --clients=2 --outage=1 --capacity=1 --format=json
  assert_line --index 0 --partial '"clients":2,"machines":2,"outage_s":1.0'
}

@test "herd: one machine is what there is without --machines" {
  gate 200 20
  mv out without
  gate 200 20 --machines=1
  cmp without out
  gate 200 20 --machines=1 --gate=machine
  cmp without out
}

@test "herd: figures of the gate stand only beside one" {
  herd >out
  run grep -c 'of the outage\|failed attempts' out
  assert_output 0
}

@test "herd: the chart shows how they come back, ever faster" {
  "$HERD" --gate --clients=1000 --capacity=1000 --outage=20s >out
  # The last row of the first chart: nobody, then more and more.
  run awk '/^these options$/ { getline; getline; getline; getline; getline
    line = substr($0, index($0, "|") + 1); print line; exit }' out
  assert_output --regexp '^[^ ].* .*#$'
}

@test "herd: an outage of a second has no rate that could be told" {
  "$HERD" --gate --clients=100 --capacity=10 --outage=1s >out
  run grep -c '^attempts per second of the outage  *-  *-  *-$' out
  assert_output 1
}

@test "herd: at a gate pauses of 0 have an end" {
  run -0 "$HERD" --gate --base=0 --clients=20 --capacity=5 --outage=10s
  assert_line 'no gate: all pauses are 0'
}

# A value to try each option with; empty: the option only prints.
sample() {
  case $1 in
    clients) echo 500 ;;
    outage) echo 30s ;;
    capacity) echo 99.5 ;;
    failures) echo 5% ;;
    runs) echo 2 ;;
    machines) echo 5 ;;
    gate) ;;
    base) echo 2s ;;
    factor) echo 2 ;;
    cap) echo 10s ;;
    floor) echo 500ms ;;
    growth) echo linear ;;
    delays) echo 1s,5s,20s ;;
    jitter) echo equal ;;
    splay) echo 5s..10s ;;
    preset) echo cenkalti ;;
    seed) echo 7 ;;
    attempts) echo 3 ;;
    deadline) echo 40s ;;
    cap-mode) echo after ;;
    max-exponent) echo 2 ;;
    steps) echo 7 ;;
    slot-time) echo 1s ;;
    log-format | format) echo json ;;
    help | version) ;;
    *) fail "there is no test of --$1" ;;
  esac
}

@test "herd: each of its options makes a difference" {
  local name value with

  sed -n 's/^OPT(\(HERD\|BOTH\), [A-Z_]*, [^,]*, "\([^"]*\)".*/\2/p' \
    "$TOP_SRCDIR/src/options/options.def" >names
  [ "$(wc -l <names)" -ge 20 ]
  while read -r name; do
    value=$(sample "$name")
    with=()
    [ "$name" != machines ] || with=(--gate)
    herd "${with[@]}" >plain
    herd "${with[@]}" "--$name${value:+=$value}" >out
    run cmp plain out
    assert_failure
  done <names
}

@test "herd: a missing required option is named" {
  run -125 "$HERD"
  assert_output 'backoff-herd: --clients: missing: expected how many clients there are'
  run -125 "$HERD" --clients=10 --capacity=1
  assert_output --regexp '^backoff-herd: --outage: missing: expected [^:]*$'
  run -125 "$HERD" --clients=10 --outage=1
  assert_output --regexp '^backoff-herd: --capacity: missing: expected [^:]*$'
}

# refuses TEXT OPTION...: with TEXT in the one line on stderr, and 125.
refuses() {
  local text=$1

  shift
  run -125 --separate-stderr herd "$@"
  assert_output ''
  # shellcheck disable=SC2154
  assert_equal "${#stderr_lines[@]}" 1
  [[ $stderr == "backoff-herd: "*"$text"* ]] || fail "$stderr"
}

@test "herd: a usage error is one line" {
  refuses 'operand: true: expected' -- true
  refuses 'operand: 10: expected' 10
  refuses '--clients: 0: expected' --clients=0
  refuses '--clients: many: expected' --clients=many
  refuses '--clients: 1000001: expected at most 1000000' --clients=1000001
  refuses '--clients: 9223372036854775807: expected at most' --clients=99999999999999999999
  refuses '--outage: -1: expected' --outage=-1
  refuses '--outage: inf: expected' --outage=inf
  refuses '--capacity: 0: expected' --capacity=0
  refuses '--capacity: nan: expected' --capacity=nan
  refuses '--runs: 0: expected' --runs=0
  refuses '--base: 1x: expected' --base=1x
  refuses '--floor: 2m: expected no more than --cap' --floor=2m
  refuses '--delays: 1s: cannot be combined with --base' --delays=1s --base=1s
  refuses '--preset: nothing: expected' --preset=nothing
  refuses '--preset: systemd: expected --base' --preset=systemd
  refuses '--client=1: expected the full name, --clients' --client=1
  refuses '--machines: 0: expected' --gate --machines=0
  refuses '--machines: 1001: expected no more than --clients' --gate --machines=1001
  refuses '--machines: 2: expected --gate with it' --machines=2
  refuses '--gate: fleet: expected --machines with it' --gate=fleet
  refuses '--gate: fleets: did you mean fleet?' --gate=fleets --machines=2
}

@test "herd: options that only backoff has are unknown" {
  for option in --timeout=1 --until=12:00 --plan --hold --quiet -q; do
    refuses "no such option: $option: backoff-herd --help lists them" "$option"
  done
}

@test "herd: without pauses and limits it refuses to run for ever" {
  refuses 'no end: all pauses are 0: expected' --base=0
  refuses 'no end: all pauses are 0: expected' --base=0 --deadline=1h
  refuses 'no end: all pauses are 0: expected' \
    --base=200ms --growth=constant --slot-time=1s --jitter=none
  refuses 'no end: it takes longer than 292 years' \
    --factor=1000 --cap=inf --clients=12 --capacity=0.000000001
  refuses 'no end: it takes longer than 292 years' \
    --factor=1000 --cap=inf --clients=12 --capacity=0.000000001 --jitter=none
  run -0 herd --base=0 --attempts=3
}

@test "herd: what would take more than 1000000000 attempts is refused with their number" {
  refuses 'too long: it takes about 120000000000000 attempts: expected at most 1000000000, by fewer' \
    -b 1ns -c 1ns
  refuses 'too long: it takes about 1000000000000000 attempts' -b 1us -g constant -j none --outage=1000000s
  refuses 'too long: it takes about ' --outage=200d --capacity=1 --clients=10000
  refuses 'too long: it takes about ' --runs=1000000000
}

@test "herd: what the service cannot serve in 1000000000 attempts is refused with their number" {
  refuses 'too long: it takes about 4950000000 attempts' -d 1s -n inf --clients=100000 --outage=1s --capacity=1
}

@test "herd: a case beside these options that takes too many attempts is left out" {
  run -0 herd --outage=30d --clients=500 --cap=1d
  assert_line --regexp '^every second: left out: with it there would be about 13[0-9]{8} attempts$'
  refute_line --partial '--jitter=none: left'
}

@test "herd: less than one a second serves those who always come in odd seconds" {
  run -0 "$HERD" --clients=3 --outage=3 --capacity=0.5 --format=json
  assert_equal "$(grep -c '"no_end":null' <<<"$output")" 3
  assert_line --regexp '"--jitter=none".*"wait_last_s":37\.0*,'
}

@test "herd: a case beside these options may have no end" {
  run -0 herd --base=0 --jitter=+1s
  assert_line '--jitter=none: all pauses are 0'
  assert_line --regexp '^attempts per client.* [0-9.]+ +- +64\.5$'
}

@test "herd: an outage of 0 is accepted" {
  run -0 herd --outage=0
  assert_line --index 0 '1000 clients, an outage of 0s, then 100 served a second'
  # 100 clients of the loop are served each second, also in the first.
  assert_line --regexp '^  until the last is served .* 9s$'
  refute_line --partial 'up again'
}

@test "herd: the same options print the same" {
  herd --splay=1s --runs=3 >first
  herd --splay=1s --runs=3 >second
  herd --splay=1s --runs=3 --seed=1 >third
  herd --splay=1s --runs=3 --seed=2 >fourth
  cmp first second
  cmp first third
  run cmp first fourth
  assert_failure
}

@test "herd: if nothing is random, one run is made" {
  run -0 herd --jitter=none --runs=1000000000
  assert_line --index 0 '1000 clients, an outage of 1m, then 100 served a second'
  run -0 herd --runs=2
  assert_line --index 0 --partial '; mean of 2 runs'
}

@test "herd: a preset stands for its options" {
  herd --preset=aws-sdk >preset
  herd --base=1s --factor=2 --cap=20s --jitter=full --floor=0 --attempts=3 \
    >options
  cmp preset options
  herd --preset=aws-sdk --attempts=inf >unlimited
  run grep -c 'gave up' unlimited
  assert_output 0
}

@test "herd: --preset=list is that of backoff" {
  "$HERD" --preset=list >ours
  "$BACKOFF" --preset=list >theirs
  cmp ours theirs
}

@test "herd: clients that gave up are shown if there is a limit" {
  run -0 herd
  refute_line --partial 'gave up'
  run -0 herd --attempts=5
  assert_line --regexp '^clients that gave up +1000 +1000 +0$'
  assert_line --regexp '^attempts per client, after the first +4\.0 +4\.0 +64\.5$'
  assert_line --regexp '^extra wait after the outage, mean +- +- +4\.5s$'
  run -0 herd --deadline=70s --jitter=equal --cap=5s
  assert_line --regexp '^clients that gave up +[0-9]+ +[1-9][0-9]+ +0$'
  run -0 herd --delays=30s,40s
  assert_line --regexp '^clients that gave up +900 +900 +0$'
}

@test "herd: the deadline makes clients give up" {
  herd --deadline=65s --cap=5s >out
  # 100 a second from 1m on, and no more than 5 seconds of them.
  run awk 'NR == 7 && ($1 < 500 || $1 > 600)' <(figures 1 <out)
  assert_output ''
}

# rows N: the rows of chart N, without the margin to their left.
rows() {
  awk -v n="$1" '
    /^(these options|--jitter=none|every second)/ { chart++; next }
    chart == n && /^ *[0-9.]*[a-zA-Z\/]* *\|/ { sub(/^[^|]*\|/, ""); print }'
}

@test "herd: clients in lockstep draw no false waves" {
  local outage

  for outage in 45s 1m 2m 3m 5m 10m 1h; do
    herd --outage="$outage" >out
    # While the service is down, they come every second.
    run rows 3 <out
    assert_equal "${#lines[@]}" 3
    assert_line --index 0 --regexp '^#{20}#*[^#]*$'
  done
}

@test "herd: the chart is as high as its label says, and the start is cut off" {
  herd >out
  # A loop of 1000 clients is 1000 a second, but at 0 and 1 in one column.
  run grep -c '^  1000/s |###' out
  assert_output 1
  # Columns of 2s: those without jitter come at 4 and 13.
  run rows 2 <out
  assert_line --index 0 --regexp '^# #   #'
  run grep -c '^   500/s |# #   # ' out
  assert_output 1
}

@test "herd: the moment when the service is back is marked on the time axis" {
  herd --cap=1m >out
  run awk '
    /^ *0s / { label = index($0, " 1m ") + 1 }
    /^ *\^ up again after 1m$/ { mark = index($0, "^") }
    END { print (label > 10 && label == mark) }' out
  assert_output 1
  # If there is no room to its right, the text is to its left.
  herd --cap=5s >out
  run grep -c '^ *up again after 1m \^$' out
  assert_output 1
}

@test "herd: the chart reaches beyond the outage where all have given up before" {
  herd --attempts=2 --outage=10m >out
  run awk '/up again after 10m/ && length <= 80 { print "marked" }' out
  assert_output marked
}

@test "herd: a case that outlasts the chart says until when it goes on" {
  run -0 herd --cap=1m
  assert_line '--jitter=none, goes on until 10m40s'
  assert_line 'every second'
}

@test "herd: in a pipe, the output has at most 35 lines of at most 80 columns" {
  for options in --runs=3 --attempts=9 --outage=100ms --outage=6h \
    '--clients=100000 --capacity=10000000 --attempts=3'; do
    # shellcheck disable=SC2086
    herd $options >out
    run awk 'length > 80 { print } END { if (NR > 35) print NR " lines" }' out
    assert_output ''
  done
}

@test "herd: the characters fit the locale" {
  LC_ALL=C herd --cap=1m >ascii
  run grep -n '[^ -~]' ascii
  assert_output ''
  [[ $(LC_ALL=C.UTF-8 locale charmap) == UTF-8 ]] || skip 'no C.UTF-8'
  LC_ALL=C.UTF-8 herd --cap=1m >unicode
  grep -q '│█.*▁' unicode
  grep -q '└┬──' unicode
  grep -q '▲ up again' unicode
  # The figures are the same, with the same decimal point.
  cmp <(sed '/^Attempts/q' ascii) <(sed '/^Attempts/q' unicode)
}

# at_terminal COLUMNS: takes the steps of tests/lib/terminal.py on stdin.
at_terminal() {
  { echo "resize 50 $1"; cat; } >steps
  run "${PYTHON[@]}" "$lib/terminal.py" <steps
  assert_success
}

@test "herd: the charts are as wide as the terminal" {
  need_answer terminal_columns
  local columns widest

  for columns in 60 80 100 140; do
    at_terminal "$columns" <<'EOS'
type "$HERD" --clients=1000 --outage=2m --capacity=100 -g constant
prompt
EOS
    widest=$(awk '/^ *\+\+--/ { print length }' <<<"$output")
    assert [ "$widest" -le "$columns" ]
    assert [ "$widest" -gt $((columns / 2)) ]
  done
}

@test "herd: the charts have 20 columns at least, and 500 at most" {
  need_answer terminal_columns
  local columns widest

  for columns in 12 900; do
    at_terminal "$columns" <<'EOS'
type "$HERD" --clients=1000 --outage=2m --capacity=100 -g constant
prompt
EOS
    widest=$(awk '/^ *\+\+--/ { print length }' <<<"$output")
    assert [ "$widest" -gt 12 ]
    assert [ "$widest" -le 511 ]
  done
  assert [ "$widest" -gt 250 ]
}

# This takes some seconds.
work=(--clients=10000 --outage=1h --capacity=1000)

@test "herd: a progress bar at a terminal is erased, and elsewhere there is none" {
  "$HERD" "${work[@]}" >out 2>err 3>&- &
  at_terminal 80 <<EOS
type "\$HERD" ${work[*]}
wait simulating #* +\d+%
wait [ ]{48}10000 clients, an outage of 1h
wait up again after 1h
prompt
EOS
  wait $!
  run cat err
  assert_output ''
  run head -n 1 out
  assert_output '10000 clients, an outage of 1h, then 1000 served a second'
}

@test "herd: many short runs have a progress bar, too" {
  at_terminal 80 <<'EOS'
type "$HERD" --clients=2 --outage=1s --capacity=2 --runs=30000000
wait simulating #* +\d+%
key C-c
prompt
EOS
}

@test "herd: Ctrl-C ends it" {
  at_terminal 80 <<'EOS'
type "$HERD" --clients=100000 --outage=1h --capacity=1000
wait simulating #* +\d+%
key C-c
prompt
type echo status $?
wait status 130
never up again
EOS
}

@test "herd: there is no progress bar if it takes no time" {
  at_terminal 80 <<'EOS'
type "$HERD" --clients=10 --outage=1m --capacity=100
wait up again
prompt
never simulating
EOS
}

@test "herd: 10,000 clients are served as fast as the capacity allows" {
  local outage

  for outage in 1m 10m; do
    run -0 "$HERD" --clients=10000 --outage="$outage" --capacity=100
    assert_line --regexp '^  until the last is served .* 1m39s$'
  done
}

@test "herd: output that cannot be written is a failure" {
  run -125 --separate-stderr sh -c '"$HERD" --clients=10 --outage=1 --capacity=1 >/dev/full'
  # shellcheck disable=SC2154
  assert_equal "${#stderr_lines[@]}" 1
  run -125 sh -c '"$HERD" --clients=10 --outage=1 --capacity=1 >&- 2>/dev/null'
}

@test "herd: no memory is a failure in one line" {
  ! has_sanitizers "$HERD" || skip 'built with sanitizers'
  run -125 sh -c 'ulimit -v 40000 && "$HERD" --clients=1000000 --outage=1 --capacity=1'
  assert_output --regexp '^backoff-herd: --clients: no memory: [^:]*$'
}
