#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --format=json of --plan and backoff-herd.
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
  assert_output --regexp '^backoff: --format: png: expected text or json'
  run -125 herd --format=svg
  assert_output --regexp '^backoff-herd: --format: svg: expected text or json'
  run -125 "$BACKOFF" --format=json -- touch ran
  assert_output 'backoff: --format: json: expected --plan with it'
  [ ! -e ran ]
}

@test "a preview as JSON that cannot be written is 125" {
  run -125 sh -c '"$BACKOFF" --plan --log-format=json >/dev/full'
  assert_output --regexp '^backoff: standard output: write error'
  run -125 sh -c '"$HERD" --clients=1 --outage=1 --capacity=1 --log-format=json >/dev/full'
  assert_output --regexp '^backoff-herd: standard output: write error'
}
