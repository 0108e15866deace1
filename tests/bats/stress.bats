#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Many TERMs at random instants. STRESS_RUNS=20000 for a long evening.

# shellcheck disable=SC2154 # what process.bash sets
load helper
load ../lib/process

export BATS_TEST_TIMEOUT=900

@test "rules 18, 41 and 42: 2,000 TERMs at random instants, none lost, no process left" {
  run python3 "$lib/stress.py" "$BACKOFF" "${STRESS_RUNS:-2000}" "$BATS_TEST_TMPDIR"
  printf '# %s\n' "${lines[@]}" >&3
  assert_success
}
