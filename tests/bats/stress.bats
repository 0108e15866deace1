#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Many signals at random instants; `make stress` has more scenarios and more
# of each. STRESS_RUNS=20000 for a long evening.

load helper

export BATS_TEST_TIMEOUT=900

# stress OPTION...: what it prints is a comment of ours.
stress() {
  run "$BATS_TEST_DIRNAME/../stress" "$@"
  printf '# %s\n' "${lines[@]}" >&3
  assert_success
}

@test "rules 18, 41 and 42: 600 signals at random instants, none lost, no process left" {
  stress --scenario=mixed --count="${STRESS_RUNS:-600}"
}
