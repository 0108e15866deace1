#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# docs/choosing.md: its figures and pictures are what the programs print.
# shellcheck shell=bash

# Some 90 simulations.
export BATS_TEST_TIMEOUT=900

load helper

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export LC_ALL=C
}

@test "choosing: the figures and the pictures are what the programs print" {
  run "$TOP_SRCDIR/tests/choosing" "$TOP_SRCDIR/docs/choosing.md"
  assert_output '43 rows, 2 pictures'
  assert_success
}

@test "choosing: a wrong figure and another picture are noticed" {
  cat >page.md <<'EOS'
![](p.svg)
That is `backoff --plan --format=svg`.
```
backoff-herd --clients=10 --outage=10s --capacity=10 OPTIONS
```

| options | peak | gives up |
|---|---|---|
| `-n 3` | 7 | 90 % |
| `-n 30` | 7 | 90 % |

```
backoff --plan -j none OPTIONS
```

| options | outlasts, 30s | mean time to give up |
|---|---|---|
| `-n 4` | 7 % | 1 s |
EOS
  echo '<svg/>' >p.svg
  "$TOP_SRCDIR/tests/choosing" --write page.md
  run -0 "$TOP_SRCDIR/tests/choosing" page.md
  assert_output '3 rows, 1 pictures'
  # Without jitter the last of 4 attempts starts after 1 + 3 + 9 seconds.
  run -0 grep -F '| `-n 4` | 0 % | 13 s |' page.md
  sed -i 's/ 0 %/ 50 %/' page.md
  echo >>p.svg
  run -1 "$TOP_SRCDIR/tests/choosing" page.md
  assert_line 'p.svg: not that of backoff --plan --format=svg'
  assert_line --regexp '^backoff-herd .*, `-n 30`, gives up: 50 % is 0 %$'
  assert_line --regexp '^backoff --plan .*, outlasts, 30s: 50 % is 0 %$'
}
