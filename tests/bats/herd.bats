#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# backoff-herd: its options, and the figures that it prints. What they are is for
# tests/unit/simulation, which compares more of them with another simulator.

load helper

export LC_ALL=C

# herd OPTION...: 1000 clients, a minute down, then 100 a second.
herd() {
  "$HERD" --clients=1000 --outage=1m --capacity=100 "$@"
}

# With the reference figures of tests/unit/simulation, of another simulator.
@test "herd: the table has the figures of these options, and of the two cases beside them" {
  run -0 herd --factor=2 --cap=20s --floor=0 --runs=20
  assert_line --index 0 --regexp '^1000 clients, .*; mean of 20 runs$'
  assert_line --regexp '^attempts per client, after the first +(9|10|11)\.[0-9] +11\.5 +64\.5$'
  assert_line --regexp '^  after 5s +3[0-7] +1000 +1000$'
  assert_line --regexp '^extra wait after the outage, mean +[67]\.[0-9]s +1m41s +4\.5s$'
  assert_line --regexp '^  95th percentile +1[4-7](\.[0-9])?s +3m11s +9s$'
  assert_line --regexp '^  until the last is served +(18|19|20|21)(\.[0-9])?s +3m11s +9s$'
}

# gate CLIENTS CAPACITY OPTION...: ten minutes down, in the file "out".
gate() {
  "$HERD" --gate --clients="$1" --outage=10m --capacity="$2" --cap=1m "${@:3}" >out
}

@test "herd: two columns tell what a gate is worth, the third what is usual" {
  gate 200 20
  grep 'these options  *no gate  *every second$' out
  grep '^no gate' out
  herd >out
  run ! grep 'of the outage\|failed attempts' out
}

@test "herd: beside the gate of a fleet stand those of the machines, and no gate" {
  gate 200 20 --machines=10 --gate=fleet
  grep 'these options  *--gate  *no gate$' out
  assert_equal "$(head -n 1 out)" '200 clients on 10 machines, an outage of 10m, then 20 served a second'
  run -0 "$HERD" --gate=fleet --machines=2 --clients=2 --outage=1 --capacity=1 --log-format=json
  assert_line --index 0 --partial '"clients":2,"machines":2,"outage_s":1.0'
}

@test "herd: a service that limits its rate may have no other capacity" {
  run -0 "$HERD" --gate --clients=200 --outage=1m --limit=20,5 --late=4ms --refusals=1%
  assert_line --index 0 \
    '200 clients, an outage of 1m, then a limit of 20 a second and bursts of 5, 1% refused'
  assert_line --regexp '^  until the last is served +[12][0-9](\.[0-9])?s '
  assert_line --regexp '^failed attempts after the outage +[1-9][0-9]? '
  run -0 "$HERD" --clients=9 --outage=0 --capacity=100 --limit=20 --retry-after=2s --log-format=json
  assert_line --index 0 --partial \
    '"capacity":100,"limit":20,"burst":0,"retry_after_s":2.000000000,"runs":1,'
}

@test "herd: at a gate pauses of 0 have an end" {
  run -0 "$HERD" --gate --base=0 --clients=20 --capacity=5 --outage=10s
  assert_line 'no gate: all pauses are 0'
}

# Options, with a value to try each with.
samples=(--clients=500 --outage=30s --capacity=99.5 --failures=5% --refusals=5% "--limit=90,5" --retry-after=7s
  --late=4ms --runs=2 --machines=5 --gate --base=2s --factor=2 --cap=10s --floor=500ms --growth=linear
  "--delays=1s,5s,20s" --jitter=equal --splay=5s..10s --preset=cenkalti --seed=7 --attempts=3 --deadline=40s
  --log-format=json --help --version)

@test "herd: each of its options makes a difference" {
  sed -n 's/^OPT(\(HERD\|BOTH\), [A-Z_]*, [^,]*, "\([^"]*\)".*/--\2/p' \
    "$TOP_SRCDIR/src/options/options.def" | sort >names
  printf '%s\n' "${samples[@]%%=*}" | sort | diff names -
  for option in "${samples[@]}"; do
    case $option in
      --machines=* | --late=*) with=(--gate) ;;
      --retry-after=*) with=(--limit=90) ;;
      *) with=() ;;
    esac
    herd "${with[@]}" >plain
    herd "${with[@]}" "$option" >out
    run ! cmp plain out
  done
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
  run -125 --separate-stderr herd "${@:2}"
  assert_output ''
  assert_equal "${#stderr_lines[@]}" 1
  [[ $stderr == "backoff-herd: "*"$1"* ]] || fail "$stderr"
}

# What the values may be is in unit/options/values.
@test "herd: a usage error is one line" {
  refuses 'operand: true: expected' -- true
  refuses '--clients: 1000001: expected at most 1000000' --clients=1000001
  refuses '--floor: 2m: expected no more than --cap' --floor=2m
  refuses '--client=1: expected the full name, --clients' --client=1
  refuses '--machines: 1001: expected no more than --clients' --gate --machines=1001
  refuses '--machines: 2: needs --gate' --machines=2
  refuses '--gate: fleet: needs --machines' --gate=fleet
  refuses '--gate: fleets: expected machine or fleet' --gate=fleets --machines=2
  refuses '--log-format: github: expected text or json' --log-format=github
}

@test "herd: options that only backoff has are unknown" {
  for option in --timeout=1 --until=12:00 --plan --hold --quiet -q; do
    refuses "no such option: $option: backoff-herd --help lists them" "$option"
  done
}

@test "herd: without pauses and limits it refuses to run for ever" {
  refuses 'no end: all pauses are 0: expected' --base=0 --deadline=1h
  refuses 'no end: all pauses are 0: expected' --base=0 --splay=10s
  refuses 'no end: all pauses are 0: expected' --base=0 --splay=10s --outage=0
  refuses 'no end: all pauses are 0: expected' --base=0 --outage=0
  refuses 'no end: it takes longer than 292 years' \
    --factor=1000 --cap=inf --clients=12 --capacity=0.000000001
  run -0 herd --base=0 --attempts=3
}

@test "herd: what would take more than 1000000000 attempts is refused with their number" {
  refuses 'too long: it takes about 120000000000000 attempts: expected at most 1000000000, by fewer' \
    -b 1ns -c 1ns
  refuses 'too long: it takes about ' --runs=1000000000
}

@test "herd: a case beside these options that takes too many attempts is left out" {
  run -0 herd --outage=30d --clients=500 --cap=1d
  assert_line --regexp '^every second: left out: with it there would be about 13[0-9]{8} attempts$'
  refute_line --partial '--jitter=none: left'
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
  herd --splay=1s --runs=3 --seed=1 >second
  herd --splay=1s --runs=3 --seed=2 >other
  cmp first second
  run cmp first other
  assert_failure
}

@test "herd: if nothing is random, one run is made" {
  run -0 herd --jitter=none --runs=1000000000
  assert_line --index 0 '1000 clients, an outage of 1m, then 100 served a second'
}

@test "herd: a preset stands for its options" {
  herd --preset=aws-sdk >preset
  herd --base=1s --factor=2 --cap=20s --jitter=full --floor=0 --attempts=3 \
    >options
  cmp preset options
  herd --preset=aws-sdk --attempts=inf >unlimited
  run ! grep 'gave up' unlimited
  cmp <("$HERD" --preset=list) <("$BACKOFF" --preset=list)
}

@test "herd: clients that gave up are shown if there is a limit" {
  run -0 herd
  refute_line --partial 'gave up'
  run -0 herd --attempts=5
  assert_line --regexp '^clients that gave up +1000 +1000 +0$'
  assert_line --regexp '^extra wait after the outage, mean +- +- +4\.5s$'
  run -0 herd --deadline=70s --jitter=equal --cap=5s
  assert_line --regexp '^clients that gave up +[0-9]+ +[1-9][0-9]+ +0$'
}

@test "herd: the output has at most 80 columns in a pipe, in characters of the locale" {
  for options in --runs=3 --attempts=9 --outage=100ms; do
    herd "$options" >out
    run ! grep -nE '.{81}|[^ -~]' out
  done
}

@test "herd: output that cannot be written is a failure" {
  run -125 sh -c '"$HERD" --clients=1 --outage=1 --capacity=1 --log-format=json >/dev/full'
  assert_output 'backoff-herd: standard output: write error: No space left on device'
}

@test "herd: no memory is a failure in one line" {
  ! has_sanitizers "$HERD" || skip 'built with sanitizers'
  run -125 sh -c 'ulimit -v 40000 && "$HERD" --clients=1000000 --outage=1 --capacity=1'
  assert_output --regexp '^backoff-herd: --clients: no memory: [^:]*$'
}

# objects EXPRESSION...: these hold of the objects on stdin: h has the herds,
# l the loads, t the lines.
objects() {
  python3 -S - "$@" 3<&0 <<'PY'
import json, os, re, sys
t = os.fdopen(3).read().splitlines()
o = [json.loads(line) for line in t]
h = [x for x in o if x["event"] == "herd"]
l = [x for x in o if x["event"] == "load"]
for expression in sys.argv[1:]:
    if not eval(expression):
        sys.exit(f"not so: {expression}\n{h}")
PY
}

@test "herd: the JSON: keys, order and digits" {
  herd --log-format=json | objects \
    'len(h) == 3 and t[:3] == [x for x in t if "\"herd\"" in x]' \
    '[x["policy"] for x in h] == ["these options", "--jitter=none", "every second"]' \
    'list(h[0])[-8:] == ["later_peak", "wait_mean_s", "wait_p95_s", "wait_last_s", "outage_rate",
      "late_failures", "gave_up", "end_s"]' \
    'all(list(x) == ["event", "policy", "from_s", "to_s", "attempts"] for x in l)' \
    'all(re.search(r"_s\":(null|[0-9]+\.[0-9]{9})[,}]", m)
      for x in t for m in re.findall(r"_s\":[^,}]*[,}]", x))' \
    't[2].startswith("{\"event\":\"herd\",\"policy\":\"every second\",\"clients\":1000,\"outage_s\":60.000000000,\"capacity\":100,\"runs\":1,\"no_end\":null,\"retries_per_client\":64.5,\"peak\":1000,\"later_peak\":1000,\"wait_mean_s\":4.500000000,")'
}

@test "herd: in GitHub Actions the JSON is JSON, too" {
  export GITHUB_ACTIONS=true
  herd --log-format=json | objects 'len(h) == 3'
}

@test "herd: the JSON has the figures of the table, and all attempts" {
  herd --jitter=none >table
  grep '^attempts per client.* 9\.5  *9\.5  *64\.5$' table
  herd --jitter=none --log-format=json | objects \
    '[x["retries_per_client"] for x in h] == [9.5, 9.5, 64.5]' \
    '[x["wait_p95_s"] for x in h] == [280, 280, 9]' \
    'all(sum(y["attempts"] for y in l if y["policy"] == x["policy"])
      == 1000 * (x["retries_per_client"] + 1) for x in h)' \
    'all(a["to_s"] == b["from_s"] for a, b in zip(l, l[1:])
      if a["policy"] == b["policy"])' \
    'h[0]["end_s"] == 340 and h[2]["end_s"] == 69'
}

@test "herd: the JSON tells who gave up, what has no end, and the mean of the runs" {
  herd -n 3 --log-format=json | objects \
    'h[0]["gave_up"] == 1000 and h[0]["wait_mean_s"] is None' \
    'h[2]["gave_up"] == 0 and h[2]["wait_mean_s"] == 4.5'
  herd --base=0 --jitter=+1s --log-format=json | objects \
    'h[1]["no_end"] == "all pauses are 0" and h[1]["peak"] is None' \
    'h[0]["no_end"] is None' \
    '{x["policy"] for x in l} == {"these options", "every second"}'
  herd --runs=4 --log-format=json | objects 'h[0]["runs"] == 4' \
    'abs(sum(x["attempts"] for x in l if x["policy"] == "these options")
      / 1000 - h[0]["retries_per_client"] - 1) < 0.001'
}
