#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --log-format=json of --plan and backoff-herd.
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

@test "a preview as JSON that cannot be written is 125" {
  run -125 sh -c '"$BACKOFF" --plan --log-format=json >/dev/full'
  assert_output --regexp '^backoff: standard output: write error'
  run -125 sh -c '"$HERD" --clients=1 --outage=1 --capacity=1 --log-format=json >/dev/full'
  assert_output --regexp '^backoff-herd: standard output: write error'
}
