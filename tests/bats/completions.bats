#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The completions of bash, zsh and fish, which are made of src/options/options.def:
# what each shell offers.

load helper
load ../lib/option_table

setup() {
  lib=$TOP_SRCDIR/tests/lib
  completions=$(dirname "$BACKOFF")/completions
  [[ -e $completions/_backoff ]] || completions=$TOP_SRCDIR/completions
  PATH=$(dirname "$HERD"):$PATH
  look_at backoff
}

# offered_by SHELL: what it offers after each LINE of stdin: the LINE, a tab and a
# candidate, one a line.
offered_by() {
  case $1 in
    bash) bash "$lib/bash-complete" "$completions" ;;
    zsh) zsh -f "$lib/zsh-complete" "$completions" "$PWD/candidates" ;;
    fish)
      # What it offers has a description behind a tab.
      HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD fish -c '
        for file in $argv/*.fish; source $file; end
        while read -l line
          for offered in (complete -C $line)
            printf "%s\t%s\n" $line (string split -- \t $offered)[1]
          end
        end' "$completions"
      ;;
  esac
}

# "--base=", but "-b", so that a blank follows, and "--hold", whose argument may be missing.
offers_all_options() {
  options | awk '$1 != "-" { print "-" $1 }
    { print "--" $2 ($3 ~ /^[[-]/ ? "" : "=") }' | sort >wanted
  NO_BASH_COMPLETION=1 offered_by bash <<<"$program -" | cut -f2 | sort >offered
  assert_same wanted offered
}

@test "completions: they offer the options of the table and no other" {
  for_both offers_all_options
}

@test "completions: they offer all presets and tools" {
  for list in preset tool; do
    "$BACKOFF" "--$list=list" | sed -n 's/^\([^ ]\{1,\}\).*/\1/p' | sort >wanted
    NO_BASH_COMPLETION=1 offered_by bash <<<"backoff --$list=" | cut -f2 |
      sed 's/.*=//; /^list$/d' | sort >offered
    assert_same wanted offered
  done
}

# accepts WORD: the program takes it for the option, and says nothing of it.
accepts() {
  local -a needed=(-qq true)
  [ "$program" = backoff ] || needed=(--clients=1 --outage=1 --capacity=1)
  "$binary" "$1" "${needed[@]}" >said 2>&1 || fail "$program $1: $(cat said)"
  [ "$program" = backoff-herd ] || [ ! -s said ] || fail "$program $1: $(cat said)"
}

@test "completions: the words that bash offers for an argument are accepted" {
  export NO_BASH_COMPLETION=1
  {
    printf 'backoff --%s=\n' growth jitter log-format from attempts kill-after \
      grace signal wake-on retry-on stdin hold hint-max
    printf 'backoff-herd --%s=\n' growth jitter cap attempts preset
  } | sort >lines
  offered_by bash <lines | grep -v $'\tRT.*[0-9]' >words
  cut -f1 words | sort -u | diff lines -
  while IFS=$'\t' read -r line word; do
    look_at "${line%% *}"
    accepts "${line#* }$word"
  done <words
}

# offers SHELL: what stdin says: at each LINE, something that the REGEX matches, and
# nothing else, unless there is a "+" before it. A tab is between them.
offers() {
  local line regex

  mkdir bin
  touch bin/zwrapped zfile some.log
  chmod +x bin/zwrapped
  PATH=$PWD/bin:$PATH
  cat >table
  cut -f1 table | offered_by "$1" >offered
  while IFS=$'\t' read -r line regex; do
    run awk -F'\t' -v line="$line" '$1 == line { print $2 }' offered
    case $regex in
      '') assert_output '' ;;
      +*) assert_line --regexp "^${regex#+}\$" ;;
      *) assert_output --regexp "^$regex\$" ;;
    esac || fail "$line"
  done <table
}

# The options of both programs, and an argument of each kind.
own_options() {
  cat <<'END'
backoff --at	+--attempts=?
backoff -n 3 --tim	--timeout=?
backoff --growth=fib	(--growth=)?fibonacci
backoff --log-format j	json
backoff --wake-on=USR	+(--wake-on=)?USR1
backoff -qs KI	KILL
backoff -r timeout,temp	(timeout,)?tempfail
backoff --retry-on=5,ti	((--retry-on=)?5,)?timeout
backoff -x 4-7,KILL,sig	(4-7,KILL,)?signal
backoff --gate=fl	(--gate=)?fleet:
backoff --slots=f	(--slots=)?fleet:
backoff --hold=a	(--hold=)?all
backoff -oa	(-o)?all
backoff --log-file some	some.log
backoff-herd --cl	--clients=?
backoff-herd --clients=3 -b 2s --out	--outage=?
backoff-herd --preset=kubernetes-	(--preset=)?kubernetes-job
backoff-herd --gate=fl	(--gate=)?fleet
backoff-herd --gate --mach	--machines=?
backoff-herd -b 2s some
END
}

# The wrapped command is completed, and by its own rules: those of timeout(1),
# which all three shells bring along. bin/zwrapped is such a program.
wrapped_command() {
  local line

  for line in 'backoff' 'backoff --until=06:00 -T 5m' \
    'backoff -r 5 --retry-on=7,timeout --' 'backoff -qo -i null'; do
    printf '%s zwrap\t+zwrapped\n%s timeout --kill-af\t+--kill-after=?\n' "$line" "$line"
  done
  printf 'backoff timeout --grow\t\n'
}

@test "completions: bash completes options, their arguments and the wrapped command" {
  [[ -r /usr/share/bash-completion/bash_completion ]] ||
    skip 'the package bash-completion is not installed'
  { own_options && wrapped_command; } | offers bash
}

@test "completions: bash does so without bash-completion too, but for options of the command" {
  export NO_BASH_COMPLETION=1
  {
    own_options
    printf 'backoff -n 3 zwrap\tzwrapped\nbackoff -- zwrapped zf\tzfile\n'
  } | offers bash
}

@test "completions: zsh completes options, their arguments and the wrapped command" {
  need zsh
  { own_options && wrapped_command; } | offers zsh
}

@test "completions: fish completes options, their arguments and the wrapped command" {
  need fish
  { own_options && wrapped_command; } | offers fish
}
