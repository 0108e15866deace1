#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The house plan and the house style, as far as a machine can see them.

load helper

setup() {
  : "${LIBCORE:=$(dirname "$BACKOFF")/libcore.a}" "${NM:=nm}" "${SIZE:=size}"
  cd "$TOP_SRCDIR" || return
}

needs_core() {
  [ -f "$LIBCORE" ] || skip "no libcore.a beside $BACKOFF"
  need "$1"
}

# What the core may call: it computes, from values, without a system call.
allowed='bsearch gmtime_r memchr memcmp memcpy memmove memset sigismember strcasecmp strchr strcmp strcspn
  strerror strlen strncasecmp strncmp strnlen strrchr strspn strstr strtol strtoull
  __libc_current_sigrtmax __libc_current_sigrtmin'

# What the compiler calls by itself: checks, sanitizers, 64-bit arithmetic
# on 32 bits, position-independent code, long conditions of clang.
by_the_compiler() {
  grep -Ev -e '^__(mem|str)[a-z]*_chk$' -e '^__stack_chk_(fail|fail_local|guard)$' \
    -e '^__(asan|ubsan|sanitizer|gcov)_' -e '^__[a-z]+[dsxt][fi][23]?$' \
    -e '^__(u?div|u?mod|u?divmod|mul|ashl|ashr|lshr)[dt]i[34]$' \
    -e '^__x86\.get_pc_thunk\.' -e '^_GLOBAL_OFFSET_TABLE_$'
}

# sources .c .h: in "files", those of src with these endings.
sources() {
  local endings=() ending
  for ending in "$@"; do
    endings+=(-o -name "*$ending")
  done
  mapfile -t files < <(find src "${endings[@]:1}")
}

@test "the core calls nothing that acts, reads a clock or allocates" {
  needs_core "$NM"
  "$NM" -g -P "$LIBCORE" | awk 'NF > 1 && $2 != "U" { print $1 }' \
    >"$BATS_TEST_TMPDIR/defined"
  xargs -n 1 <<<"$allowed" >>"$BATS_TEST_TMPDIR/defined"
  called=$("$NM" -u -P "$LIBCORE" | awk 'NF > 1 { print $1 }' | sort -u)
  [ -n "$called" ]
  run grep -vxF -f "$BATS_TEST_TMPDIR/defined" <<<"$called"
  run by_the_compiler <<<"$output"
  assert_output ''
}

@test "the core has no variables of its own" {
  needs_core "$SIZE"
  "$SIZE" -A "$LIBCORE" >"$BATS_TEST_TMPDIR/sizes" 2>/dev/null \
    || skip "$SIZE has no -A"
  ! "$NM" -u "$LIBCORE" | grep -q __asan_ || skip "built with sanitizers"
  grep -q '^\.text' "$BATS_TEST_TMPDIR/sizes"
  run awk '/:$/ { object = $1 }
    /^\.(data|bss|tdata|tbss)[ .]/ && !/^\.data\.rel\.ro/ && $2 > 0 {
      print object, $1, $2
    }' "$BATS_TEST_TMPDIR/sizes"
  assert_output ''
}

@test "no function has more than 70 lines" {
  sources .c
  run awk 'FNR == 1 { start = 0 }
    /^[a-z_]+\(/ { name = $0; sub(/\(.*/, "", name) }
    /^{/ { start = FNR }
    /^}/ && start {
      if (FNR - start + 1 > 70)
        print FILENAME ": " name ": " FNR - start + 1 " lines"
      start = 0
      functions++
    }
    END { if (functions < 50) print "only " functions " functions found" }' \
    "${files[@]}"
  assert_output ''
}

# with_line LINT LINE FILE: LINT on a copy of the sources, in $there, with LINE added to FILE.
with_line() {
  there=$BATS_TEST_TMPDIR/there
  if mkdir "$there" 2>/dev/null; then
    cp -R Makefile.am src "$there"
    # A copy of a read-only tree could not be changed, or removed.
    chmod -R u+w "$there"
  fi
  cp "$there/$3" "$BATS_TEST_TMPDIR/before"
  echo "$2" >>"$there/$3"
  run "tests/$1" "$there"
  cp "$BATS_TEST_TMPDIR/before" "$there/$3"
}

# refuses_include LINE FILE REGEX: lint-rooms says that of the LINE in FILE.
refuses_include() {
  with_line lint-rooms "$1" "$2"
  assert_failure
  assert_line --regexp "^$3"
}

@test "lint-rooms says which include goes up to a later room, closes a circle, or is in no room, and which file" {
  refuses_include '#include "log/log.h"' src/core/base/text.c \
    'src/core/base/text.c:[0-9]+: log/log.h is in the room log, which comes after base$'
  refuses_include '#include "core/loop/loop.h"' src/core/judge/outcome.h \
    'tsort: src/core/judge/outcome$'
  refuses_include '#include "core/made_up.h"' src/main.c \
    'src/main.c:[0-9]+: core/made_up.h is in no room$'
  # A file that stands in another folder than its room.
  sed 's,^log_files = ,&src/streams/a.h ,' Makefile.am >"$there/Makefile.am"
  run -1 tests/lint-rooms "$there"
  assert_line --partial 'src/log/log.c is not in src/streams, as the room log is'
}

# foreign LINE FILE WHAT: lint-systems says that of the LINE, if it is in FILE.
foreign() {
  with_line lint-systems "$1" "$2"
  assert_failure
  assert_output --regexp "^$2:[0-9]+: $3[^"$'\n'"]*$"
}

@test "lint-systems finds a header of Linux, a file of /proc, and a question for the system" {
  foreign '#include <sys/epoll.h>' src/streams/files.c '<sys/epoll.h> is not in POSIX'
  foreign $'#\tinclude <sys/inotify.h>' src/system/posix_shared.c '<sys/inotify.h> is not in POSIX'
  foreign 'static const char self[] = "/proc/self/exe";' src/main.c '/proc is asked'
  foreign '#elif TARGET_OS_OSX' src/process/spawn.c 'which system it is'
  for file in linux.c darwin.c; do
    with_line lint-systems '#include <sys/event.h>' "src/system/$file"
    assert_success
  done
}

@test "configure refuses a system that it does not know" {
  [ -x configure ] || skip 'no configure in the source tree'
  cd "$BATS_TEST_TMPDIR"
  run -1 "$TOP_SRCDIR/configure" --with-system=plan9
  assert_line --partial '--with-system=plan9: expected linux, posix or darwin'
}

# NSIG is in POSIX since 2024, and getopt.h declares whatever is asked for.
@test "what is not of linux or darwin compiles with what POSIX (2008) declares" {
  needs_compiler
  local strict=$BATS_TEST_TMPDIR/strict
  mkdir "$strict"
  grep -E '^#define (PACKAGE|PAUSE)' "$(dirname "$BACKOFF")/config.h" >"$strict/config.h"
  cp "$(dirname "$BACKOFF")/tables.h" "$strict"
  # shellcheck disable=SC2086 # CC may be several words
  find src -name '*.c' ! -path 'src/system/linux*' ! -path 'src/system/darwin*' ! -path 'src/fleet/*' |
    xargs $CC -std=c11 -D_XOPEN_SOURCE=700 -DNSIG=65 -DLIBEXECDIR='""' \
      -Werror=implicit-function-declaration -fsyntax-only -I src -I "$strict"
}

needs_compiler() {
  : "${CC:=cc}"
  [ -f "$(dirname "$BACKOFF")/config.h" ] || skip "no config.h"
  command -v "${CC%% *}" >/dev/null || skip "no compiler"
}

# compiles FILE: whether it does, with what is in $BATS_TEST_TMPDIR before the sources.
compiles() {
  # shellcheck disable=SC2086 # CC may be several words
  run $CC -fsyntax-only -I "$BATS_TEST_TMPDIR" -I src -I "$(dirname "$BACKOFF")" "$1"
}

# with_tables ROW...: what is known, as tables.awk makes it of these.
with_tables() {
  printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/novel.tbl"
  awk -f src/core/known/tables.awk "$BATS_TEST_TMPDIR/novel.tbl" >"$BATS_TEST_TMPDIR/tables.h"
}

@test "a message of a tool that a scan has no room for does not compile" {
  needs_compiler
  local rows=('preset novel: source' --base=1s 'tool novel: source')
  mapfile -t -O 3 rows < <(printf '%d stop x /x/\n' {1..48})
  with_tables "${rows[@]}"
  compiles src/core/known/known.c
  assert_success
  with_tables "${rows[@]}" '49 stop x /x/'
  compiles src/core/known/known.c
  assert_failure
  assert_output --partial 'too many'
}

@test "a row that is not written as the table says is refused, with its file and line" {
  local row
  for row in '1 stop' '1 halt x' '1-256 stop x' '7-4 stop x' '0 stop x' 'x stop x' 'tool x:' '1 stop x /x' \
    '1 retry x /x/\n2 stop x' '1 NOVEL' '1 stop x /{NOVEL}/' 'pattern X x' 'shared X\nstop x' \
    'note x' '--base=1s' 'pattern X /x/\nx' 'shared X\nstop x /x/\ntool x: x\nx X' \
    'shared X\nstop x /x/\ntool x: x\n1 X /x/' "1 stop x\\\\"; do
    run -1 with_tables 'tool novel: source' "1 stop x\\" '  y' '' "$(printf '%b' "$row")"
    assert_output --regexp "^$BATS_TEST_TMPDIR/novel.tbl:[5-8]: "
  done
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

@test "docs/behaviour.md has each rule that a comment or a test cites, and numbers them without a gap" {
  [ "$(cited src tests | wc -l)" -gt 40 ]
  run comm -23 <(cited src tests | sort) <(rules_of docs/behaviour.md | sort)
  assert_output ''
  diff <(rules_of docs/behaviour.md) <(seq "$(rules_of docs/behaviour.md | wc -l)")
}

@test "each header is guarded by its own name" {
  sources .h
  run awk 'FNR == 1 {
      guard = FILENAME
      sub(/^src\//, "", guard)
      sub(/\.h$/, "", guard)
      gsub(/\//, "_", guard)
      guard = "BACKOFF_" toupper(guard) "_H"
      wanted = wanted FILENAME "\n"
    }
    $0 == "#ifndef " guard { getline; if ($0 == "#define " guard) guarded = guarded FILENAME "\n" }
    END { if (wanted != guarded) print "wanted:\n" wanted "guarded:\n" guarded }' "${files[@]}"
  assert_output ''
}

@test "each source file includes config.h before all else" {
  sources .c
  run awk 'FNR == 1 { seen = 0 }
    /^#include/ && !seen++ && $2 != "<config.h>" { print FILENAME }' \
    "${files[@]}" tests/unit/*/*.c
  assert_output ''
}

# What the program was configured with; an installed one has the defaults.
configured() {
  local makefile=${BACKOFF%/*}/Makefile
  [ ! -f "$makefile" ] || grep -q -e "$1" "$makefile"
}

@test "backoff is linked with libc alone, and not with what its helper for a fleet needs" {
  need readelf
  run -0 readelf -d "$BACKOFF"
  refute_output --regexp 'NEEDED.*(hiredis|ssl|crypto)'
}

@test "the programs are hardened" {
  need readelf
  configured '^HARDENING_LDFLAGS = .*-z,now' || skip "built without hardening"
  for program in "$BACKOFF" "$HERD"; do
    readelf -hldW "$program" >"$BATS_TEST_TMPDIR/elf"
    grep -q INTERP "$BATS_TEST_TMPDIR/elf" || skip "a static program"
    readelf -sW "$program" >"$BATS_TEST_TMPDIR/symbols"
    # A position-independent executable, at another address in each run.
    grep -Eq '^ *Type: +DYN' "$BATS_TEST_TMPDIR/elf" || fail "$program: no PIE"
    # Tables that are read-only from the start.
    grep -q GNU_RELRO "$BATS_TEST_TMPDIR/elf" || fail "$program: no RELRO"
    grep -Eq 'BIND_NOW|Flags: NOW' "$BATS_TEST_TMPDIR/elf" || fail "$program: binds late"
    grep -Eq 'GNU_STACK.* RW ' "$BATS_TEST_TMPDIR/elf" || fail "$program: executable stack"
    grep -q __stack_chk_fail "$BATS_TEST_TMPDIR/symbols" || fail "$program: no stack protector"
    # Only where there is optimisation, and a libc that has it.
    ! configured '^HARDENING_CPPFLAGS = .*FORTIFY' ||
      ! getconf GNU_LIBC_VERSION >/dev/null 2>&1 ||
      grep -q '_chk@' "$BATS_TEST_TMPDIR/symbols" || fail "$program: not fortified"
  done
}
