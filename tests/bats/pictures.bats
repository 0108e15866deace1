#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --format=json and --format=svg of --plan and backoff-herd.
# shellcheck shell=bash

load helper

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export LC_ALL=C
}

plan() {
  "$BACKOFF" --plan "$@"
}

herd() {
  "$HERD" --clients=1000 --outage=1m --capacity=100 "$@"
}

# --- formats ---

@test "the plan: --format=json is that of --log-format=json, and is stronger" {
  plan --log-format=json >wanted
  plan --log-format=text --format=json >got
  cmp wanted got
  plan >wanted
  plan --log-format=json --format=text >got
  cmp wanted got
}

@test "a format that is none, or without a plan, is refused" {
  run -125 plan --format=png
  assert_output --regexp '^backoff: --format: png: expected text, json or svg'
  run -125 herd --format=png
  assert_output --regexp '^backoff-herd: --format: png: expected text, json or svg'
  run -125 "$BACKOFF" --format=svg -- touch ran
  assert_output 'backoff: --format: svg: expected --plan with it'
  [ ! -e ran ]
}

@test "the formats of a preview that cannot be written are 125" {
  for format in json svg; do
    run -125 sh -c '"$BACKOFF" --plan --format="$1" >/dev/full' sh "$format"
    assert_output --regexp '^backoff: standard output: write error'
    run -125 sh -c '"$HERD" --clients=1 --outage=1 --capacity=1 --format="$1" >/dev/full' \
      sh "$format"
    assert_output --regexp '^backoff-herd: standard output: write error'
  done
}

# --- backoff-herd as JSON ---

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

@test "the herd as JSON: keys, order and digits" {
  herd --format=json | objects \
    'len(h) == 3 and t[:3] == [x for x in t if "\"herd\"" in x]' \
    '[x["policy"] for x in h] == ["these options", "--jitter=none", "every second"]' \
    'all(list(x) == ["event", "policy", "clients", "outage_s", "capacity", "runs",
      "no_end", "retries_per_client", "peak", "later_peak", "wait_mean_s",
      "wait_p95_s", "wait_last_s", "outage_rate",
      "late_failures", "gave_up", "end_s"] for x in h)' \
    'all(list(x) == ["event", "policy", "from_s", "to_s", "attempts"] for x in l)' \
    'all(re.search(r"_s\":(null|[0-9]+\.[0-9]{9})[,}]", m)
      for x in t for m in re.findall(r"_s\":[^,}]*[,}]", x))' \
    't[2].startswith("{\"event\":\"herd\",\"policy\":\"every second\",\"clients\":1000,\"outage_s\":60.000000000,\"capacity\":100,\"runs\":1,\"no_end\":null,\"retries_per_client\":64.5,\"peak\":1000,\"later_peak\":1000,\"wait_mean_s\":4.500000000,")'
}

@test "the herd as JSON has the figures of the table, and all attempts" {
  herd --jitter=none >table
  grep '^attempts per client.* 9\.5  *9\.5  *64\.5$' table
  grep '^  95th percentile  *4m40s  *4m40s  *9s$' table
  herd --jitter=none --format=json | objects \
    '[x["retries_per_client"] for x in h] == [9.5, 9.5, 64.5]' \
    '[x["wait_p95_s"] for x in h] == [280, 280, 9]' \
    '[x["peak"] for x in h] == [1000] * 3' \
    'all(sum(y["attempts"] for y in l if y["policy"] == x["policy"])
      == 1000 * (x["retries_per_client"] + 1) for x in h)' \
    'all(a["to_s"] == b["from_s"] for a, b in zip(l, l[1:])
      if a["policy"] == b["policy"])' \
    'h[0]["end_s"] == 340 and h[2]["end_s"] == 69'
}

@test "the herd as JSON tells who gave up, what has no end, and the mean of the runs" {
  herd -n 3 --format=json | objects \
    'h[0]["gave_up"] == 1000 and h[0]["wait_mean_s"] is None' \
    'h[2]["gave_up"] == 0 and h[2]["wait_mean_s"] == 4.5'
  herd --base=0 --jitter=+1s --log-format=json | objects \
    'h[1]["no_end"] == "all pauses are 0" and h[1]["peak"] is None' \
    'h[1]["retries_per_client"] is None and h[1]["end_s"] is None' \
    'h[0]["no_end"] is None' \
    '{x["policy"] for x in l} == {"these options", "every second"}'
  herd --runs=4 --format=json | objects 'h[0]["runs"] == 4' \
    'abs(sum(x["attempts"] for x in l if x["policy"] == "these options")
      / 1000 - h[0]["retries_per_client"] - 1) < 0.001'
}

# --- the pictures ---

# picture WORDS BARS CURVES: those words, and so many pauses and curves, are in
# the picture on stdin, which is well-formed.
picture() {
  python3 -S - "$@" 3<&0 <<'PY'
import os, sys
import xml.etree.ElementTree as tree

svg = tree.parse(os.fdopen(3, "rb")).getroot()
space = "{http://www.w3.org/2000/svg}"
words = [element.text for element in svg.iter(space + "text")]
filled = [element.tag for element in svg.iter() if element.get("fill") == "#2f81c7"]
got = [filled.count(space + "rect"), filled.count(space + "path")]
if sys.argv[1] not in words or got != [int(number) for number in sys.argv[2:]]:
  sys.exit(f"{got}\n{words}")
PY
}

@test "the pictures are well-formed, and have the figures" {
  plan --format=svg | picture 'attempts 8, windows 1s 3s 9s 27s ..., cap 30s, floor 100ms' 14 0
  plan --tool=curl -n 26 --format=svg | picture 'And so on: 1 more pause.' 48 0
  plan -n 1 --format=svg | picture 'There is no pause: at most one attempt.' 0 0
  herd --format=svg | picture '1000 clients, an outage of 1m, then 100 served a second' 0 3
  herd --base=0 --jitter=+1s --format=svg | picture 'all pauses are 0' 0 2
}
