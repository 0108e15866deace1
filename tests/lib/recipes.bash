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

# a_python_with_yaml: that of Debian has its packages, and the first in PATH
# may be another.
a_python_with_yaml() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import yaml' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

# need_yaml: skips where no YAML can be read.
need_yaml() {
  [ -n "${YAML_PYTHON-}" ] || YAML_PYTHON=$(a_python_with_yaml) || skip "python3-yaml is not installed"
}

# yaml_value FILE KEY...: the value there; a list, one a line.
yaml_value() {
  "$YAML_PYTHON" "$TOP_SRCDIR/tests/lib/yaml_value.py" "$@"
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
