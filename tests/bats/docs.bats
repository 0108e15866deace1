#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The words: --help, the man page, the completions and the README say what
# the program does, and src/options.def is the one list of options.
# shellcheck shell=bash

load helper

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  man=$TOP_SRCDIR/man/backoff.1
  lib=$TOP_SRCDIR/tests/lib
}

# The options of options.def, one a line: LETTER|- NAME ARGUMENT|-
options() {
  sed -n 's/^OPT([A-Z_]*, \([^,]*\), "\([^"]*\)", \([^"]*NULL\|"[^"]*"\),.*/\1 \2 \3/p' \
    "$TOP_SRCDIR/src/options.def" |
    sed "s/^0 /- /; s/^'\(.\)' /\1 /; s/NULL\$/-/; s/\"//g" |
    sort
}

# The same as a completion has them: each name on a line of its own, with
# "=" behind it if it takes an argument, "=?" if that may be missing.
option_names() {
  local letter name argument

  options | while read -r letter name argument; do
    case $argument in
      -) argument= ;;
      \[*) argument='=?' ;;
      *) argument='=' ;;
    esac
    [[ $letter == - ]] || printf '%s\n' "-$letter$argument"
    printf '%s\n' "--$name$argument"
  done | sort
}

# The options of --help, in the form of options(): --hold[=WHAT] is one whose
# argument may be missing.
help_options() {
  "$BACKOFF" --help |
    sed 's/\[=\([A-Z]*\]\)/=[\1/' |
    sed -n 's/^ *\(-\(.\), \)\{0,1\}--\([a-z-]*\)\(=\([^ ]*\)\)\{0,1\}\( .*\)\{0,1\}$/\2 \3 \5/p' |
    sed 's/^ /- /; s/ $/ -/' |
    sort
}

# The options of the man page, in the form of options(); an option whose
# letter takes another argument than its name comes out as an odd line.
man_options() {
  sed -n '/^\.Sh OPTIONS/,/^\.Sh PAUSES/s/^\.It Fl //p' "$man" |
    sed 's/ Ns | Ns Cm /|/; s/ Ns | Ns Ar /|/
         s/ Ns Oo Ar \([A-Z]*\) Oc/ Ar [\1]/
         s/ Ns Oo = Ns Ar \([A-Z]*\) Oc/ Ns = Ns Ar [\1]/' |
    while read -r line; do
      case $line in
        -*) letter=- one= ;;
        *)
          letter=${line%% *}
          one=${line#"$letter"}
          one=${one%% , Fl *}
          one=${one# Ar }
          line=${line#*, Fl }
          ;;
      esac
      name=${line%% *}
      argument=${line#"$name"}
      argument=${argument# Ns = Ns Ar }
      # "-n N, --attempts=N|inf": the letter has the short form.
      [[ $letter == - || ${argument%%|*} == "$one" ]] || letter="$letter?"
      printf '%s %s %s\n' "$letter" "${name#-}" "${argument:--}"
    done | sort
}

# section NAME: the source of that section of the man page.
section() {
  sed -n "/^\.Sh $1\$/,/^\.Sh /p" "$man" | sed '1d; $d'
}

# complete_by SHELL LINE: what SHELL offers after LINE, one a line.
complete_by() {
  case $1 in
    bash)
      bash "$lib/bash-complete" "$TOP_SRCDIR/completions/backoff.bash" "$2"
      ;;
    zsh)
      zsh -f "$lib/zsh-complete" "$TOP_SRCDIR/completions" "$PWD/offered" "$2"
      cat offered
      ;;
    fish)
      # What it offers has a description behind a tab.
      HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD fish -c '
        source $argv[1]; complete -C $argv[2]
      ' "$TOP_SRCDIR/completions/backoff.fish" "$2" | cut -f 1
      ;;
  esac
}

need() {
  command -v "$1" >/dev/null || skip "$1 is not installed"
}

need_bash_completion() {
  [[ -r /usr/share/bash-completion/bash_completion ]] ||
    skip 'the package bash-completion is not installed'
}

# assert_same WANTED GOT: two files, with the difference where there is one.
assert_same() {
  run diff -u "$1" "$2"
  assert_success
}

@test "docs: these tests read every line of the option table" {
  options >table
  assert_equal "$(wc -l <table)" "$(grep -c '^OPT(' "$TOP_SRCDIR/src/options.def")"
}

@test "docs: --help has the options of the table and no other" {
  options >table
  help_options >help
  assert_same table help
}

@test "docs: no line of --help is longer than 80 columns" {
  "$BACKOFF" --help >help
  run awk 'length > 80' help
  assert_output ''
}

@test "docs: the man page has the options of the table and no other" {
  options >table
  man_options >page
  assert_same table page
}

@test "docs: the man page names only options that exist" {
  options | awk '{ print "--" $2 }' >known
  sed -n 's/^\.Fl -\([a-z][a-z-]*\).*/--\1/p' "$man" | sort -u >named
  run grep -vxF -f known named
  assert_output ''
}

@test "docs: the bash completion has the options of the table and no other" {
  option_names >table
  # The function offers "-b" without "=", so that a blank follows.
  NO_BASH_COMPLETION=1 complete_by bash 'backoff -' | sort >offered
  sed '/^-[^-]/s/=$//; s/=?$//' table | sort >wanted
  assert_same wanted offered
  # shellcheck source=/dev/null
  source "$TOP_SRCDIR/completions/backoff.bash"
  # shellcheck disable=SC2154,SC2086
  {
    printf '%s=\n' $_backoff_with_argument
    printf '%s\n' $_backoff_without_argument
    printf '%s=?\n' $_backoff_with_joined_argument
  } | sort >listed
  assert_same table listed
}

@test "docs: the zsh completion has the options of the table and no other" {
  option_names >table
  sed -n '/^ *local -a options=/,/^ *)$/p' "$TOP_SRCDIR/completions/_backoff" |
    sed -n "s/^ *'[^']*'{\(-.\)\([-+]\{0,1\}\),\(--[^}]*\)}.*/\1\2\n\3/p
            s/^ *'\**\(--[^[]*\)\[.*/\1/p" |
    sed 's/+$/=/; s/=\{0,1\}-$/=?/' | sort >listed
  assert_same table listed
}

@test "docs: the fish completion has the options of the table and no other" {
  local file=$TOP_SRCDIR/completions/backoff.fish

  option_names >table
  sed -n 's/^complete -c backoff -n __backoff_own \(-s \(.\) \)\{0,1\}-l \([a-z-]*\) \(-[xra] \)\{0,1\}.*/\2 \3 \4/p' "$file" |
    sed -n 's/ -[xr] $/=/; s/ -a $/=?/; s/ *$//; /^ /!s/^\(.\) [^ =]*\(=\{0,1\}?\{0,1\}\)$/-\1\2\n&/; p' |
    sed 's/^\(.\{0,1\}\) \([a-z]\)/--\2/' | sort >completed
  assert_same table completed
  # What it takes for the options when it looks for the command.
  sed -n 's/^ *set -[la] options //p' "$file" | tr ' ' '\n' | tr -d "+'" |
    sed 's|^\(.\)/\([a-z-]*\)\(=\{0,1\}?\{0,1\}\)$|-\1\3\n--\2\3|; t; s/^/--/' |
    sort >parsed
  assert_same table parsed
}

@test "docs: the man page has every exit status and every variable" {
  section 'EXIT STATUS' >statuses
  for status in 0 1 124 125 126 127 128+N; do
    run grep -x "\.It $status" statuses
    assert_success
  done
  grep -q '^\.It Ar COMMAND' statuses
  grep -q 'dies by signal N' statuses

  "$BACKOFF" --at-end='env >>seen' -- sh -c 'env >seen'
  section ENVIRONMENT | sed -n 's/^\.It Ev //p' | sort >documented
  sed -n 's/^\(BACKOFF_[A-Z]*\)=.*/\1/p' seen | sort -u >seen.names
  assert_same documented seen.names
}

@test "docs: mandoc has no complaint about the man page" {
  need mandoc
  run mandoc -Tlint -Wwarning "$man"
  assert_success
  assert_output ''
}

@test "docs: groff has no complaint about the man page" {
  need groff
  run --separate-stderr groff -mandoc -Tutf8 -ww -z "$man"
  assert_success
  # shellcheck disable=SC2154
  assert_equal "$stderr" ''
}

@test "docs: the examples of the man page can be copied from any reader" {
  # A bare - or ' may come out of the formatter as a typographic one.
  run awk '
    /^\.Sh / { here = /EXAMPLES/ }
    /^\.Ed/ { shown = 0 }
    here && shown && !/^- name:/ { gsub(/\\-/, ""); if (/[-\047`]/) print }
    /^\.Bd/ { shown = 1 }' "$man"
  assert_output ''
}

# Cuts the EXAMPLES of the man page into files: N.spec has what the comment
# "test:" above example N says, N.sh has the example.
cut_examples() {
  section EXAMPLES | awk '
    /^\.\\" test: / { spec = $0; sub(/^[^:]*: /, "", spec) }
    /^\.Bd / {
      n++
      print spec >(n ".spec")
      printf "" >(n ".sh")
      spec = ""
      shown = 1
      next
    }
    /^\.Ed/ { shown = 0 }
    shown {
      gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047"); gsub(/\\&/, ""); gsub(/\\e/, "\\")
      print >(n ".sh")
    }'
}

# stand_in TOOL STATUS[=TEXT]...: a TOOL that exits with each STATUS in turn,
# and has said TEXT. Names without a slash are found through PATH.
stand_in() {
  local tool=$1

  [[ $tool == */* ]] || tool=tools/$tool
  mkdir -p "${tool%/*}"
  shift
  cat >"$tool" <<END
#!/bin/sh
set -- $(printf "'%s' " "$@")
calls=\$(cat "$PWD/$tool.calls")
echo \$((calls + 1)) >"$PWD/$tool.calls"
eval "word=\\\${\$((calls + 1)):-99}"
case \$word in
  *=*) echo "\${word#*=}" | tr _ ' ' >&2 ;;
esac
exit "\${word%%=*}"
END
  chmod +x "$tool"
  echo 0 >"$tool.calls"
  printf '%s %d\n' "$tool" $# >>tools.expected
}

# Runs example N in a directory of its own, which is its HOME, under the
# clock that is given as a command; prints what is wrong with it.
try_example() {
  local n=$1 spec wanted how got tool calls

  shift
  mkdir -p "$n/tools"
  cd "$n" || return
  ln -s "$BACKOFF" tools/backoff
  touch tools.expected
  spec=$(<"../$n.spec")
  while [[ $spec == *';'* ]]; do
    # shellcheck disable=SC2086
    stand_in ${spec##*;}
    spec=${spec%;*}
  done
  read -r wanted how <<<"$spec"
  case $how in
    *crontab*) sed 's/^\([^ ]* \)\{5\}//' "../$n.sh" >run ;;
    *steps*) sed '1,/run: |/d; s/^ *//' "../$n.sh" >run ;;
    *) cp "../$n.sh" run ;;
  esac
  got=0
  HOME=$PWD PATH=$PWD/tools:$PATH "$@" bash run >out 2>err </dev/null || got=$?
  [[ $got == "$wanted" ]] || echo "exits with $got and not $wanted"
  while read -r tool calls; do
    [[ $(<"$tool.calls") == "$calls" ]] ||
      echo "$tool was called $(<"$tool.calls") times and not $calls"
  done <tools.expected
  cd ..
}

# try_examples with|without [CLOCK]: those whose comment has or lacks the
# word fast, under that clock.
try_examples() {
  local which=$1 spec n wrong failed=0

  shift
  cut_examples
  for spec in *.spec; do
    n=${spec%.spec}
    [[ -s $spec && $(<"$spec") =~ ^[0-9] ]] ||
      fail "this example has no comment 'test:': $(<"$n.sh")"
    case $which-$(<"$spec") in
      with-*fast*) ;;
      with-* | without-*fast*) continue ;;
    esac
    wrong=$(try_example "$n" "${@:-env}")
    [[ -n $wrong ]] || continue
    printf '%s\n%s\n' "$(<"$n.sh")" "$wrong"
    cat "$n/err"
    failed=1
  done
  return "$failed"
}

@test "docs: the examples of the man page run as printed" {
  run try_examples without
  assert_success
}

@test "docs: the examples of the man page that take long run as printed" {
  need faketime
  # A clock that starts at a fixed time, for --until, and hurries.
  local -a clock=(faketime -f '@2026-01-01 00:00:00 x100')

  ldd "$BACKOFF" 2>/dev/null | grep -q libc ||
    skip 'faketime has no say in a static program'
  "${clock[@]}" "$BACKOFF" true ||
    skip 'faketime does not work with this program'
  run try_examples with "${clock[@]}"
  assert_success
}

@test "docs: the demonstration in the README fails twice and then succeeds" {
  local demonstration

  demonstration=$(sed -n 's/^ *\.\/bootstrap && \.\/backoff /"$BACKOFF" /p' "$TOP_SRCDIR/README.md")
  assert [ -n "$demonstration" ]
  # It can be repeated, and leaves nothing behind.
  mkdir there
  cd there
  for _ in 1 2; do
    run bash -c "$demonstration"
    assert_success
    assert_equal "$(grep -c ' failed after .*; next in ' <<<"$output")" 2
  done
  assert_equal "$(ls -A)" ''
}

@test "docs: the README has the two commands, and links to files that exist" {
  local readme=$TOP_SRCDIR/README.md

  run grep -c '^ *\./bootstrap && ' "$readme"
  assert_output 2
  run grep -E '^ *\./bootstrap && make check$' "$readme"
  assert_success
  assert [ "$(wc -l <"$readme")" -le 150 ]
  assert [ "$(wc -l <"$TOP_SRCDIR/CONTRIBUTING.md")" -le 60 ]
  sed -n 's/.*](\([^):]*\)).*/\1/p' "$readme" "$TOP_SRCDIR/CONTRIBUTING.md" >links
  while read -r link; do
    assert [ -e "$TOP_SRCDIR/$link" ]
  done <links
}

@test "docs: the rooms of CONTRIBUTING.md exist" {
  sed -n 's/^- `src\/\(.*\)`:.*/\1/p' "$TOP_SRCDIR/CONTRIBUTING.md" |
    sed 's/`, `/\n/g' >rooms
  assert [ -s rooms ]
  while read -r room; do
    assert [ -e "$TOP_SRCDIR/src/$room" ]
  done <rooms
}

@test "docs: the top entry of NEWS is this version" {
  run "$BACKOFF" --version
  assert_success
  assert_output "backoff $(awk 'NF { print $1; exit }' "$TOP_SRCDIR/NEWS")"
}

@test "docs: the words that bash offers for an argument are accepted" {
  local option word

  export NO_BASH_COMPLETION=1
  for option in growth jitter log-format cap-mode from attempts kill-after \
    grace signal wake-on retry-on stdin hold hint-max; do
    complete_by bash "backoff --$option=" >words
    assert [ -s words ]
    while read -r word; do
      run "$BACKOFF" -qq "--$option=$word" true
      assert_success
      assert_output ''
    done < <(grep -v -e '^RT.*[0-9]' words)
  done
}

# offers SHELL: the options, and an argument of each kind.
offers() {
  local shell=$1

  run complete_by "$shell" 'backoff --at'
  assert_line --regexp '^--attempts=?$'
  assert_line --regexp '^--at-end=?$'
  run complete_by "$shell" 'backoff -n 3 --tim'
  assert_output --regexp '^--timeout=?$'
  run complete_by "$shell" 'backoff -g qu'
  assert_output quadratic
  run complete_by "$shell" 'backoff --growth=fib'
  assert_output --regexp '^(--growth=)?fibonacci$'
  run complete_by "$shell" 'backoff --jitter dec'
  assert_output decorrelated
  run complete_by "$shell" 'backoff --log-format j'
  assert_output json
  run complete_by "$shell" 'backoff --cap-mode=b'
  assert_output --regexp '^(--cap-mode=)?before$'
  run complete_by "$shell" 'backoff --from s'
  assert_output start
  run complete_by "$shell" 'backoff --wake-on=USR'
  assert_line --regexp '^(--wake-on=)?USR1$'
  run complete_by "$shell" 'backoff -qs KI'
  assert_output KILL
  run complete_by "$shell" 'backoff -r timeout,temp'
  assert_output --regexp '^(timeout,)?tempfail$'
  run complete_by "$shell" 'backoff --stdin=inh'
  assert_output --regexp '^(--stdin=)?inherit$'
  run complete_by "$shell" 'backoff --hold=a'
  assert_output --regexp '^(--hold=)?all$'
  run complete_by "$shell" 'backoff -oa'
  assert_output --regexp '^(-o)?all$'
  touch some.log
  run complete_by "$shell" 'backoff --log-file some'
  assert_output some.log
}

# offers_command SHELL: the wrapped command is completed, and by its own
# rules: those of timeout(1), which all three shells bring along.
offers_command() {
  local shell=$1 line

  mkdir bin
  touch bin/zwrapped
  chmod +x bin/zwrapped
  PATH=$PWD/bin:$PATH
  for line in 'backoff' 'backoff --' 'backoff -n 3' 'backoff -qn3 --' \
    'backoff --until=06:00 -T 5m' 'backoff -r 5 --retry-on=7,timeout --' \
    'backoff -o' 'backoff --hold' 'backoff -qo -i null'; do
    run complete_by "$shell" "$line zwrap"
    assert_line zwrapped
    run complete_by "$shell" "$line timeout --kill-af"
    assert_line --regexp '^--kill-after=?$'
    run complete_by "$shell" "$line timeout --grow"
    assert_output ''
  done
}

@test "docs: bash completes options and their arguments" {
  need_bash_completion
  offers bash
}

@test "docs: bash completes options without bash-completion too" {
  export NO_BASH_COMPLETION=1
  offers bash
  mkdir bin
  touch bin/zwrapped zfile
  chmod +x bin/zwrapped
  PATH=$PWD/bin:$PATH
  run complete_by bash 'backoff -n 3 zwrap'
  assert_output zwrapped
  run complete_by bash 'backoff -- zwrapped zf'
  assert_output zfile
}

@test "docs: bash completes the wrapped command" {
  need_bash_completion
  offers_command bash
}

@test "docs: zsh completes options and their arguments" {
  need zsh
  offers zsh
}

@test "docs: zsh completes the wrapped command" {
  need zsh
  offers_command zsh
}

@test "docs: fish completes options and their arguments" {
  need fish
  offers fish
}

@test "docs: fish completes the wrapped command" {
  need fish
  offers_command fish
}
