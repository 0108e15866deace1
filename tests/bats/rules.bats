#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# docs/behaviour.md has each rule that comments and tests cite.

load helper

setup() {
  cd "$TOP_SRCDIR" || return
}

# rules_of FILE: the numbers of the rules that the page has.
rules_of() {
  sed -n 's/^\([0-9]*\)\. .*/\1/p' "$1"
}

# cited FILE...: the numbers of the rules that they cite: "rule 7",
# "rules 5, 6 and 12", "rules 40 to 42". What an earlier make check has said is
# beside the tests.
cited() {
  grep -rIhoiE --exclude='*.log' '\brules? [0-9]+((, | and | to |-)[0-9]+)*' "$@" |
    grep -oE '[0-9]+' | sort -nu
}

@test "each rule that a comment or a test cites is in docs/behaviour.md" {
  local missing
  [ "$(cited src tests | wc -l)" -gt 40 ]
  missing=$(comm -23 <(cited src tests | sort) <(rules_of docs/behaviour.md | sort))
  [ -z "$missing" ] || fail "no such rule: $missing"
}

@test "the rules of docs/behaviour.md are numbered without a gap" {
  diff <(rules_of docs/behaviour.md) <(seq "$(rules_of docs/behaviour.md | wc -l)")
}
