# SPDX-License-Identifier: MIT
# The blocks of docs/recipes.md, for the tests that run them as they stand on
# the page.  shellcheck shell=bash

recipes=$TOP_SRCDIR/docs/recipes.md

# recipe NAME[/WORD]: the lines of the block below "<!-- test: NAME ... -->", or of its
# paragraph that has that word.
recipe() {
  awk -v name="${1%%/*}" '
    /^<!-- test: / { here = $3 == name; next }
    /^```/ { inside = here && !inside; if (!inside) here = 0; next }
    inside { print }' "$recipes" |
    awk -v word="${1#"${1%%/*}"}" 'BEGIN { if (word != "") RS = "" }
      word == "" || index($0, substr(word, 2)) { print; found++ } END { exit !found }'
}

# stand_in TOOL: a program of that name, in front of PATH, that does what
# stdin says, as a script of sh; with a slash in it, in that place.
stand_in() {
  local file=$1
  if [[ $file != */* ]]; then
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    PATH=$BATS_TEST_TMPDIR/bin:${PATH#"$BATS_TEST_TMPDIR/bin:"}
    file=$BATS_TEST_TMPDIR/bin/$file
  fi
  mkdir -p "${file%/*}"
  # It may be a link to the program under test.
  rm -f "$file"
  {
    echo '#!/bin/sh'
    cat
  } >"$file"
  chmod +x "$file"
}

# backoff_in_path: so that the lines find the one under test.
backoff_in_path() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  ln -sf "$(realpath "$BACKOFF")" "$BATS_TEST_TMPDIR/bin/backoff"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}
