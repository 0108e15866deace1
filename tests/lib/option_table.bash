# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # for who loads this
#
# The options of src/options/options.def, as the pages and the completions of
# both programs are to have them.

# look_at PROGRAM: what follows is about this one of the two.
look_at() {
  program=$1
  man=$TOP_SRCDIR/man/$program.1
  case $program in
    backoff) binary=$BACKOFF rows='BACKOFF\|BOTH' ;;
    backoff-herd) binary=$HERD rows='HERD\|BOTH' ;;
  esac
}

# for_both COMMAND...: once for each program, in a directory of its own.
for_both() {
  local each

  for each in backoff backoff-herd; do
    look_at "$each"
    mkdir "$BATS_TEST_TMPDIR/$each"
    cd "$BATS_TEST_TMPDIR/$each" || return
    "$@"
  done
}

# The options of options.def, one a line: LETTER|- NAME ARGUMENT|-
options() {
  sed -n "s/^OPT(\($rows\), [A-Z_]*, \([^,]*\), \"\([^\"]*\)\", \"\([^\"]*\)\",.*/\2 \3 \4/p" \
    "$TOP_SRCDIR/src/options/options.def" |
    sed "s/^0 /- /; s/^'\(.\)' /\1 /; s/ \$/ -/" |
    sort
}

# assert_same WANTED GOT: two files, with the difference where there is one.
assert_same() {
  run diff -u "$1" "$2"
  assert_success
}
