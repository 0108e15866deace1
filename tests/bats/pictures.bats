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

# picture EXPRESSION...: these hold of the picture on stdin, in Python:
#   svg         its root
#   bars, words, lines(stroke)   elements, as dicts of their attributes
#   number(s)   of seconds or the like
#   at(box_left, time)   where that time is on the axis that begins there
picture() {
  python3 - "$@" 3<&0 <<'PY'
import os, re, sys
import xml.etree.ElementTree as tree

svg = tree.parse(os.fdopen(3, "rb")).getroot()
space = "{http://www.w3.org/2000/svg}"
CURVE, SHADE, LIMIT, END = "#2f81c7", "#fbe7e4", "#1a7f37", "#b3261e"
MARK = "#0b2f55"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600,
         "d": 86400}


def items(name):
  found = []
  for element in svg.iter(space + name):
    item = {}
    for key, value in element.items():
      try:
        item[key] = float(value)
      except ValueError:
        item[key] = value
    item["words"] = element.text
    found.append(item)
  return found


def seconds(words):
  parts = re.findall(r"([0-9.]+)(ns|us|ms|s|m|h|d)", words)
  return sum(float(number) * UNITS[unit] for number, unit in parts)


words = items("text")
texts = [item["words"] for item in words]
boxes = items("rect")
bars = [box for box in boxes if box.get("fill") == CURVE]
width, height = float(svg.get("width")), float(svg.get("height"))


def lines(stroke):
  return [line for line in items("line") if line.get("stroke") == stroke]


def at(left, time):
  """From two labels of the axis that begins at LEFT."""
  labels = [w for w in words if w.get("text-anchor") == "middle"
            and re.fullmatch(r"([0-9.]+(ns|us|ms|s|m|h|d))+", w["words"])]
  first = min(labels, key=lambda w: abs(w["x"] - left))
  same = [w for w in labels if w["y"] == first["y"]
          and first["x"] <= w["x"] < first["x"] + (720 if left < 80 else 260)]
  last = max(same, key=lambda w: w["x"])
  return first["x"] + (last["x"] - first["x"]) * time / seconds(last["words"])


def inside():
  """All that is drawn is in the picture, as far as a test can tell."""
  for box in boxes:
    if not (box["x"] >= 0 and box["y"] >= 0 and box["width"] > 0
            and box["x"] + box["width"] <= width + .01
            and box["y"] + box["height"] <= height + .01):
      return False
  for line in items("line"):
    if not (0 <= line["x1"] <= line["x2"] <= width
            and 0 <= line["y1"] <= line["y2"] <= height):
      return False
  # A character is 7 pixels wide, or less.
  for word in words:
    wide = 6.6 * len(word["words"])
    wide *= {"middle": .5, "end": 0}.get(word.get("text-anchor"), 1)
    if not (0 < word["x"] <= width and 0 < word["y"] <= height
            and word["x"] + wide <= width + 20):
      return False
  return True


for expression in sys.argv[1:]:
  if not eval(expression):
    sys.exit(f"not so: {expression}\n{texts}\n{bars}")
PY
}

# --- formats ---

@test "the plan: --format=json is that of --log-format=json, and is stronger" {
  plan --log-format=json >wanted
  plan --format=json >got
  cmp wanted got
  plan --log-format=text --format=json >got
  cmp wanted got
  plan >wanted
  plan --log-format=json --format=text >got
  cmp wanted got
}

@test "a format that is none is refused" {
  run -125 plan --format=png
  assert_output --regexp '^backoff: --format: png: expected text, json or svg'
  run -125 herd --format=png
  assert_output --regexp '^backoff-herd: --format: png: expected text, json or svg'
}

@test "a format without a plan is refused" {
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

@test "the picture of a plan for a tool has no table in it" {
  plan --tool=curl --format=svg >got
  run head -c 4 got
  assert_output '<svg'
  picture 'len(bars) == 14' <got
}

# --- backoff-herd as JSON ---

# objects EXPRESSION...: these hold of the objects on stdin: h has the herds,
# l the loads, t the lines.
objects() {
  python3 - "$@" 3<&0 <<'PY'
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

@test "the herd as JSON tells who gave up, and what has no end" {
  herd -n 3 --format=json | objects \
    'h[0]["gave_up"] == 1000 and h[0]["wait_mean_s"] is None' \
    'h[2]["gave_up"] == 0 and h[2]["wait_mean_s"] == 4.5'
  herd --base=0 --jitter=+1s --log-format=json | objects \
    'h[1]["no_end"] == "all pauses are 0" and h[1]["peak"] is None' \
    'h[1]["retries_per_client"] is None and h[1]["end_s"] is None' \
    'h[0]["no_end"] is None' \
    '{x["policy"] for x in l} == {"these options", "every second"}'
}

@test "the herd as JSON has the mean of the runs" {
  herd --runs=4 --format=json | objects 'h[0]["runs"] == 4' \
    'abs(sum(x["attempts"] for x in l if x["policy"] == "these options")
      / 1000 - h[0]["retries_per_client"] - 1) < 0.001'
}

# --- the pictures ---

@test "the picture of a plan has the ranges and the means of the JSON" {
  plan --format=json >rows
  plan --format=svg | picture \
    'inside()' \
    'len(bars) == 14 and len(lines(MARK)) == 14' \
    '[w for w in texts if re.fullmatch("[1-9]", w)] == list("1234567")' \
    '"length" in texts and "time since the start" in texts' \
    '"attempts 8, windows 1s 3s 9s 27s ..., cap 30s, floor 100ms" in texts' \
    '(lambda rows: all(
      abs(bar["x"] - at(left, row[low])) < .3
      and abs(bar["x"] + bar["width"] - max(at(left, row[high]), bar["x"] + 1)) < .3
      and abs(mark["x1"] - at(left, row[mean])) < .3
      and mark["y1"] < bar["y"] < bar["y"] + bar["height"] < mark["y2"]
      for part, left, low, mean, high in (
        (0, 85, "low_s", "mean_s", "high_s"),
        (1, 450, "earliest_s", "mean_total_s", "latest_s"))
      for row, bar, mark in zip(rows, bars[part::2], lines(MARK)[part::2])))(
      [__import__("json").loads(row) for row in open("rows")])'
}

@test "the picture of a long plan has 24 pauses, and says what it has not" {
  plan -n 25 --format=svg | picture 'inside()' 'len(bars) == 48' \
    'not any("so on" in w for w in texts)'
  plan -n 26 --format=svg | picture 'inside()' 'len(bars) == 48' \
    '"And so on: 1 more pause." in texts'
  plan -n 100 --format=svg | picture 'inside()' '"And so on: 75 more pauses." in texts'
  plan -n inf --format=svg | picture 'inside()' '"And so on." in texts'
}

@test "the picture of no pause says so" {
  plan -n 1 --format=svg | picture 'inside()' \
    '"There is no pause: at most one attempt." in texts' 'not bars'
  plan --until=@1 --format=svg | picture 'inside()' 'not bars'
}

@test "the picture of a herd has the curve, the outage and the capacity" {
  herd --format=svg | picture \
    'inside()' \
    '"1000 clients, an outage of 1m, then 100 served a second" in texts' \
    '{"these options", "--jitter=none", "every second"} <= set(texts)' \
    '"Requests a second, in columns of 1s; the first is cut off if higher" in texts' \
    '"time since the start" in texts and "up again after 1m" in texts' \
    'len([p for p in items("path") if p["fill"] == CURVE]) == 3' \
    'len([b for b in boxes if b.get("fill") == SHADE]) == 3' \
    'all(abs(b["x"] + b["width"] - at(70, 60)) < .3 and abs(b["x"] - at(70, 0)) < .3
      for b in boxes if b.get("fill") == SHADE)' \
    'all(abs(e["x1"] - at(70, 60)) < .3 for e in lines(END)) and len(lines(END)) == 3' \
    'texts.count("capacity 100/s") == 3' \
    '(lambda y: abs(lines(LIMIT)[0]["y1"] - (y["0"] + y["200"]) / 2) < .3)(
      {w["words"]: w["y"] - 4 for w in words if w["y"] < 300})'
}

@test "the curve of a herd is as high as its figures say" {
  # 1000 a second up to the outage and 100 less in each second from there on.
  herd --format=svg | picture '(lambda d, top, ground, y1000: all(
      abs(float(h) - (ground - (ground - y1000) * n / 1000)) < .3
      for h, n in zip(re.findall("V([0-9.]+)", d)[60:70],
        [1000, 900, 800, 700, 600, 500, 400, 300, 200, 100])))(
    items("path")[2]["d"], None,
    [w["y"] - 4 for w in words if w["words"] == "0"][2],
    [w["y"] - 4 for w in words if w["words"] == "1000"][1])'
}

@test "the picture of a herd says what is beyond it" {
  herd -n 8 --format=svg | picture 'inside()' \
    'any(w.endswith(" gave up") for w in texts)'
  herd --format=svg | picture 'any(w.endswith("; goes on until 5m40s") for w in texts)'
  herd --base=0 --jitter=+1s --format=svg | picture 'inside()' \
    '"all pauses are 0" in texts' 'len(items("path")) == 2'
  "$HERD" --clients=10 --outage=1m --capacity=10000000 --format=svg |
    picture 'inside()' '"capacity 10000000/s, beyond the scale" in texts' \
      'not lines(LIMIT)'
}

# extremes: a picture of each, plans first.
extremes() {
  local i=0 options

  while read -r options; do
    # shellcheck disable=SC2086
    plan --format=svg $options >"plan.$i.svg"
    i=$((i + 1))
  done <<'EOS'
-n inf -c inf
-n inf -c inf -j none
-n 2 -b 0
-p ethernet
-d 1h,2h,100000d
-n inf -b 3h -f 10
--splay=10s..20s -T 1h
-b 1500us -n 3 -c 2ms --floor=1us
-p wechat-pay
-d 1s,2s,3s,4s,5s,6s,7s,8s,9s,10s,11s,12s,13s,14s,15s,16s,17s,18s,19s,20s
EOS
  while read -r options; do
    # shellcheck disable=SC2086
    "$HERD" --format=svg $options >"herd.$i.svg"
    i=$((i + 1))
  done <<'EOS'
--clients=1 --outage=0 --capacity=1
--clients=1 --outage=1ns --capacity=0.001
--clients=1 --outage=1d --capacity=1
--clients=100000 --outage=10s --capacity=10000 -n 7
--clients=10 --outage=1d --capacity=1 -n 3
--clients=1000 --outage=300ms --capacity=1000000 -b 1ms
--clients=3 --outage=3 --capacity=1 --jitter=smooth
--clients=1000 --outage=10m --capacity=0.5 -n 6
EOS
}

@test "the pictures of extremes are whole" {
  extremes
  set -- ./*.svg
  assert_equal $# 18
  for file in *.svg; do
    picture 'inside()' '0 < height < 1000 and width == 800' <"$file" || fail "$file"
  done
}

@test "the pictures are well-formed, and need nothing from elsewhere" {
  need xmllint
  plan --format=svg >plan.svg
  herd --format=svg >herd.svg
  extremes
  xmllint --noout --nonet ./*.svg
  run grep -liE '<script|<style|href|url\(|@import|on[a-z]+=|<!' ./*.svg
  assert_output ''
}

@test "the same options make the same picture, in every locale" {
  herd --format=svg >first
  LC_ALL=C.UTF-8 herd --seed=1 --format=svg >second
  cmp first second
  herd --seed=2 --format=svg >third
  run cmp first third
  assert_failure
}

# --- in a browser ---

# screenshot FILE.svg: FILE.bmp, of a page of its own size.
screenshot() {
  XDG_RUNTIME_DIR=$PWD QT_QPA_PLATFORM=offscreen HOME=$PWD \
    wkhtmltoimage --quiet --width 800 --disable-smart-width --format bmp \
    "file://$PWD/$1" "${1%.svg}.bmp" 2>browser.err ||
    fail "$(cat browser.err)"
}

# pixels FILE.bmp COLOUR X Y WIDTH HEIGHT: how many of that box have it.
pixels() {
  python3 - "$@" <<'PY'
import struct, sys
data = open(sys.argv[1], "rb").read()
wanted = bytes.fromhex(sys.argv[2][4:6] + sys.argv[2][2:4] + sys.argv[2][:2])
x, y, wide, high = map(int, sys.argv[3:])
start, = struct.unpack_from("<I", data, 10)
width, height = struct.unpack_from("<ii", data, 18)
bits, = struct.unpack_from("<H", data, 28)
step = bits // 8
stride = (width * step + 3) // 4 * 4
found = 0
for row in range(y, y + high):
    line = row if height < 0 else height - 1 - row
    for column in range(x, x + wide):
        at = start + line * stride + column * step
        found += data[at:at + 3] == wanted
print(found)
PY
}

# shows FILE.bmp COLOUR X Y WIDTH HEIGHT LEAST MOST
shows() {
  local found

  found=$(pixels "${@:1:6}")
  if ((found < $7 || found > $8)); then
    fail "$found pixels of $2 in $3 $4 $5 $6, and not $7 to $8"
  fi
}

@test "a browser shows the picture of a plan" {
  need wkhtmltoimage
  plan --format=svg >plan.svg
  screenshot plan.svg
  # The fifth pause is as wide as the axis, the first hardly a pixel or two.
  shows plan.bmp 2f81c7 85 209 255 26 2800 3600
  shows plan.bmp 2f81c7 100 105 260 26 0 0
  # The background, and nothing but it between the two.
  shows plan.bmp ffffff 0 0 10 10 100 100
  shows plan.bmp ffffff 440 105 5 130 650 650
  # Words, in whichever font: dark on white.
  shows plan.bmp 24292f 20 15 300 30 100 9000
}

@test "a browser shows the picture of a herd" {
  need wkhtmltoimage
  herd --format=svg >herd.svg
  screenshot herd.svg
  # Every second 1000: all of the chart to the end of the outage.
  shows herd.bmp 2f81c7 80 460 340 50 14000 17000
  shows herd.bmp 2f81c7 650 460 120 50 0 0
  # These options: the curve, the shade of the outage, and white behind it.
  shows herd.bmp 2f81c7 70 125 364 150 4000 30000
  shows herd.bmp fbe7e4 70 125 364 150 10000 54600
  shows herd.bmp fbe7e4 560 125 210 150 0 0
  # The dashes of the capacity.
  shows herd.bmp 1a7f37 450 235 200 10 100 300
}
