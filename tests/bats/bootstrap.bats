#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What ./bootstrap says and installs, on a system that has what the test says:
# all that it would run is a stand-in that notes how it was called.
#
# shellcheck disable=SC2016 # scripts for other shells

load helper

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir bin tree
  cp "$TOP_SRCDIR/bootstrap" tree
  local tool
  for tool in sh cat chmod dirname env find grep id mktemp rm tail touch wc; do
    ln -s "$(type -P "$tool")" bin
  done
  stands_in uname 'echo Linux'
  # For the compiler: a file that is to be compiled can be.
  stands_in cc
  stands_in make 'echo "making" && touch backoff'
  stands_in autoreconf 'echo "a warning of autoreconf" && touch Makefile.in config.h.in &&
    printf "#!/bin/sh\necho checking\n" >configure && chmod +x configure'
  stands_in apt-get
  stands_in bats
  stands_in python3
  stands_in ps
  stands_in pkill
  stands_in strace
  stands_in autoconf
  stands_in automake
  [ "$(id -u)" -eq 0 ] || stands_in sudo 'exec "$@"'
}

# stands_in PROGRAM [SCRIPT]
stands_in() {
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$PWD" "${2-}" >"bin/$1"
  chmod +x "bin/$1"
}

# bootstraps -STATUS [OPTION]...
bootstraps() {
  run "$1" env -i PATH="$PWD/bin" tree/bootstrap "${@:2}"
}

@test "bootstrap prints a line for each step, and the log has the rest" {
  bootstraps -0
  assert_output "bootstrap: autoreconf
bootstrap: configure
bootstrap: make
bootstrap: ./backoff is built"
  assert_equal "$(cat tree/bootstrap.log)" $'a warning of autoreconf\nchecking\nmaking'
}

@test "bootstrap shows the last lines of a step that fails, and names the log" {
  stands_in make 'n=0; while [ $n -lt 30 ]; do n=$((n + 1)); echo "line $n"; done; exit 2'
  bootstraps -1
  refute_line 'line 10'
  refute_line checking
  assert_line 'line 11'
  assert_line 'line 30'
  assert_line --index $((${#lines[@]} - 1)) \
    "bootstrap: make: failed; all that it said is in $PWD/tree/bootstrap.log"
}

@test "bootstrap --no-install names what is missing to build, and ends with 1" {
  rm bin/autoconf bin/automake
  bootstraps -1 --no-install
  assert_output 'bootstrap: missing to build, and not installed: autoconf automake'
  run -0 cat calls
  refute_line --regexp '^(apt-get|autoreconf|make)'
}

@test "bootstrap --no-install builds without what the tests alone need" {
  rm bin/bats
  bootstraps -0 --no-install
  assert_line 'bootstrap: missing to test, and not installed: bats'
  assert_line 'bootstrap: ./backoff is built'
}

@test "bootstrap installs what is missing to build and to test" {
  rm bin/automake bin/bats
  bootstraps -0
  assert_line --index 0 'bootstrap: installing by apt-get: automake'
  assert_line --index 1 'bootstrap: installing by apt-get: bats bats-assert bats-support'
  run -0 cat calls
  assert_line --regexp '^apt-get install .* automake$'
}

@test "bootstrap --build-only installs nothing for the tests" {
  rm bin/automake bin/bats
  bootstraps -0 --build-only
  assert_line 'bootstrap: installing by apt-get: automake'
  refute_output --partial bats
}

@test "what a release has of autoconf is not asked for" {
  rm bin/autoconf bin/automake bin/autoreconf
  touch tree/Makefile.in tree/config.h.in
  printf '#!/bin/sh\n' >tree/configure
  chmod +x tree/configure
  bootstraps -0 --no-install
  assert_output $'bootstrap: configure\nbootstrap: make\nbootstrap: ./backoff is built'
}
