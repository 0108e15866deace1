#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What ./bootstrap says and installs, on a system that has what the test says:
# all that it would run is a stand-in that notes how it was called.

load helper

setup() {
  mkdir bin tree
  cp "$TOP_SRCDIR/bootstrap" tree
  local tool
  for tool in sh bash cat chmod dirname env find grep id mkdir mktemp rm tail touch wc; do
    ln -s "$(type -P "$tool")" bin
  done
  stands_in uname 'echo Linux'
  stands_in make 'echo "making" && touch backoff'
  stands_in autoreconf 'echo "a warning of autoreconf" && touch Makefile.in config.h.in &&
    printf "#!/bin/sh\necho checking\n" >configure && chmod +x configure'
  # For cc: a file that is to be compiled can be.
  for tool in cc apt-get bats python3 ps pkill strace autoconf automake; do
    stands_in "$tool"
  done
  [ "$(id -u)" -eq 0 ] || stands_in sudo 'exec "$@"'
}

# stands_in PROGRAM [SCRIPT]
stands_in() {
  # It may be a link to the program itself.
  rm -f "bin/$1"
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$PWD" "${2-}" >"bin/$1"
  chmod +x "bin/$1"
}

# on_a_mac: where cc finds only the headers of what brew has installed, and only
# where it is told to look.
on_a_mac() {
  prefix=$PWD/homebrew
  stands_in uname 'echo Darwin'
  stands_in xcode-select
  stands_in brew "case \$1 in
    --prefix) echo '$prefix' ;;
    install) shift; for name; do mkdir -p '$prefix/opt/'\${name##*/}; done ;;
  esac"
  stands_in cc "case \"\$*\" in
    *-I$prefix/opt/hiredis/include*) [ -d '$prefix/opt/hiredis' ] ;;
    *-I$prefix/opt/openssl@3/include*) [ -d '$prefix/opt/openssl@3' ] ;;
    *-c*) exit 1 ;;
  esac"
  stands_in autoreconf 'touch Makefile.in config.h.in &&
    printf "#!/bin/sh\nenv\n" >configure && chmod +x configure'
  for tool in timeout setsid date; do stands_in "$tool"; done
  rm bin/ps bin/pkill bin/strace
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
    "bootstrap: make: failed; its output is in $PWD/tree/bootstrap.log"
}

@test "bootstrap --no-install builds without what the tests alone need, and names what is missing to build" {
  rm bin/bats
  stands_in bash 'exit 1' # one that the tests cannot use
  bootstraps -0 --no-install
  assert_line 'bootstrap: missing to test, and not installed: bats bash'
  assert_line 'bootstrap: ./backoff is built'
  rm calls tree/configure bin/autoconf bin/automake
  bootstraps -1 --no-install
  assert_line 'bootstrap: missing to build, and not installed: autoconf automake'
  run ! grep -E '^(apt-get|autoreconf|make)' calls
}

@test "bootstrap installs what is missing to build and to test, or with --build-only to build alone" {
  rm bin/automake bin/bats
  bootstraps -0 --build-only
  assert_line 'bootstrap: installing by apt-get: automake'
  refute_output --partial bats
  rm tree/configure
  bootstraps -0
  assert_line --index 0 'bootstrap: installing by apt-get: automake'
  assert_line --index 1 'bootstrap: installing by apt-get: bats bats-assert bats-support'
  run -0 cat calls
  assert_line --regexp '^apt-get install .* automake$'
}

@test "what a release has of autoconf is not asked for" {
  rm bin/autoconf bin/automake bin/autoreconf
  touch tree/Makefile.in tree/config.h.in
  printf '#!/bin/sh\n' >tree/configure
  chmod +x tree/configure
  bootstraps -0 --no-install
  assert_output $'bootstrap: configure\nbootstrap: make\nbootstrap: ./backoff is built'
}

@test "bootstrap understands a count that is padded with blanks, as BSD's" {
  stands_in wc "printf '%8d\n' \"\$($(type -P wc) -l)\""
  stands_in autoreconf 'exit 1'
  bootstraps -1
  assert_output "bootstrap: autoreconf
bootstrap: autoreconf: failed; its output is in $PWD/tree/bootstrap.log"
}

@test "bootstrap on a Mac installs by Homebrew, and wants nothing of Linux" {
  on_a_mac
  rm bin/automake
  stands_in bats 'exit 1'
  stands_in bash 'exit 1'
  rm bin/setsid
  bootstraps -0
  assert_output "bootstrap: installing by brew: automake
bootstrap: installing by brew: bats-core bats-core/bats-core/bats-support bats-core/bats-core/bats-assert bash coreutils findutils gawk gnu-sed grep util-linux
bootstrap: installing by brew: hiredis openssl@3
bootstrap: autoreconf
bootstrap: configure
bootstrap: make
bootstrap: ./backoff is built"
  run ! grep -E '^(apt-get|sudo)' calls
}

@test "bootstrap on a Mac finds what Homebrew has, and tells configure where it is" {
  on_a_mac
  rm bin/setsid
  mkdir -p "$prefix"/opt/{hiredis,openssl@3,util-linux/bin}
  printf '#!/bin/sh\n' >"$prefix/opt/util-linux/bin/setsid"
  chmod +x "$prefix/opt/util-linux/bin/setsid"
  bootstraps -0
  refute_output --partial installing
  run -0 cat tree/bootstrap.log
  assert_line "HIREDIS_CFLAGS=-I$prefix/opt/hiredis/include"
  assert_line "HIREDIS_LIBS=-L$prefix/opt/hiredis/lib -lhiredis"
  assert_line "OPENSSL_CFLAGS=-I$prefix/opt/openssl@3/include"
  assert_line "OPENSSL_LIBS=-L$prefix/opt/openssl@3/lib -lssl -lcrypto"
  assert_line "BATS_LIB_PATH=$prefix/lib"
  assert_line --regexp "^TEST_PATH=$prefix/opt/coreutils/libexec/gnubin:.*:$prefix/opt/util-linux/bin$"
}

@test "bootstrap on a Mac leaves alone what its user has set" {
  on_a_mac
  run -0 env -i PATH="$PWD/bin" HIREDIS_CFLAGS=-I/mine OPENSSL_LIBS='-L/mine -lssl' \
    BATS_LIB_PATH=/mine TEST_PATH=/mine tree/bootstrap
  run -0 cat tree/bootstrap.log
  assert_line HIREDIS_CFLAGS=-I/mine
  assert_line 'OPENSSL_LIBS=-L/mine -lssl'
  assert_line BATS_LIB_PATH=/mine
  assert_line TEST_PATH=/mine
}

@test "bootstrap elsewhere tells configure nothing of Homebrew" {
  on_a_mac
  stands_in uname 'echo Linux'
  bootstraps -0
  run ! grep -E '^(HIREDIS|OPENSSL|BATS|TEST)_' tree/bootstrap.log
  run ! grep '^brew' calls
}

@test "bootstrap --no-install on a Mac says what would install what is missing" {
  on_a_mac
  rm bin/autoconf bin/automake bin/bats
  stands_in xcode-select 'exit 2'
  bootstraps -1 --no-install
  assert_output 'bootstrap: missing to build, and not installed: cc autoconf automake
bootstrap: cc and make are in the command line tools: xcode-select --install
bootstrap: to install: brew install autoconf automake
bootstrap: missing to test, and not installed: bats
bootstrap: to install: brew install bats-core bats-core/bats-core/bats-support bats-core/bats-core/bats-assert'
  # No cc, which would open a window.
  run ! grep -E '^(cc|make|brew install|xcode-select --install)' calls
}

@test "bootstrap on a Mac without Homebrew says where it is" {
  on_a_mac
  rm bin/brew bin/automake
  bootstraps -1
  assert_output 'bootstrap: to install automake: get Homebrew, https://brew.sh'
}
