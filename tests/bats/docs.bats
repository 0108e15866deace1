#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The words: --help, the man pages and the README say what the programs do, and
# src/options/options.def is the one list of options.

load helper
load ../lib/option_table

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  lib=$TOP_SRCDIR/tests/lib
  look_at backoff
}

# for_pages COMMAND...: once for each man page, in a directory of its own.
for_pages() {
  for man in "$TOP_SRCDIR"/man/*.[1-8]; do
    mkdir "$BATS_TEST_TMPDIR/${man##*/}"
    cd "$BATS_TEST_TMPDIR/${man##*/}" || return
    "$@"
  done
}

# The option that prints all options of the program.
whole_help() {
  [ "$program" = backoff-herd ] && echo --help || echo --help=all
}

# The options of --help, in the form of options(): --hold[=WHAT] is one whose
# argument may be missing.
help_options() {
  "$binary" "$(whole_help)" |
    sed 's/\[=\([A-Za-z]*\]\)/=[\1/' |
    sed -n 's/^ \{2,6\}\(-\(.\), \)\{0,1\}--\([a-z-]*\)\(=\([^ ]*\)\)\{0,1\}\( .*\)\{0,1\}$/\2 \3 \5/p' |
    sed 's/^ /- /; s/ $/ -/' |
    sort
}

# The options of the man page, in the form of options(); an option whose
# letter takes another argument than its name comes out as an odd line.
man_options() {
  section OPTIONS | sed -n 's/^\.It Fl //p' |
    sed 's/ Ns | Ns Cm /|/; s/ Ns | Ns Ar /|/
         s/ Ns Oo [AC][rm] \([A-Za-z]*\) Oc/ Ar [\1]/
         s/ Ns Oo = Ns [AC][rm] \([A-Za-z]*\) Oc/ Ns = Ns Ar [\1]/' |
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

help_has_all() {
  options >table
  help_options >help
  assert_same table help
}

@test "docs: the whole help has the options of the table and no other" {
  for_both help_has_all
}

help_is_narrow() {
  local option
  {
    "$binary" "$(whole_help)"
    "$binary" --help
    for option in --preset=list --tool=list; do
      [ "$program$option" = backoff-herd--tool=list ] || "$binary" $option
    done
  } >printed
  run awk 'length > 80' printed
  assert_output ''
}

@test "docs: no line of --help and of the lists is longer than 80 columns" {
  for_both help_is_narrow
}

fits() {
  local columns

  for columns in 40 60 80; do
    printf '%s\n' "resize 50 $columns" "type '$binary' $(whole_help)" prompt |
      "${PYTHON[@]}" "$lib/terminal.py" | sed 's/<prompt>//' >shown
    grep -q -- --version shown
    # The examples are to be copied, and stay whole.
    run awk -v columns="$columns" \
      'length > columns && !/^  backoff/' shown
    assert_output ''
  done
}

@test "docs: --help fits terminals of 40 to 80 columns" {
  need_answer terminal_columns
  for_both fits
}

@test "docs: --help is one screen, of usual options, and says how to see all" {
  # Without the lines that a text is continued in, and what stands behind ";".
  usual() { sed -n 's/;.*//; s/ *$//; /^ \{2,6\}-/p' | sort; }
  "$BACKOFF" --help >help
  [ "$(wc -l <help)" -le 24 ]
  usual <help >brief
  "$BACKOFF" --help=all | usual >whole
  [ "$(wc -l <brief)" -ge 12 ]
  run comm -23 brief whole
  assert_output ''
  for option in attempts timeout deadline hold success-if plan; do
    grep -q -- " --$option" help
  done
  [ "$("$BACKOFF" --help=all | wc -l)" -le 110 ]
  grep -q 'backoff --help=all' help
  # Its examples have options of the table.
  options | awk '{ print "--" $2; print "-" $1 }' | sort -u >known
  sed -n 's/^  backoff \(.*\) -- .*/\1/p' help | tr ' ' '\n' | sed -n 's/=.*//; /^-/p' >named
  [ -s named ]
  run grep -vxF -f known named
  assert_output ''
}

@test "docs: the whole help has examples, the manual, and the default of its program" {
  run "$BACKOFF" --help=all
  assert_equal "$(grep -c '^  backoff ' <<<"$output")" 4
  assert_line --regexp 'man backoff$'
  assert_line --regexp '^  -n, --attempts=.*including the first \(8\)$'
  run "$HERD" --help
  assert_line --regexp '^  -n, --attempts=.*including the first \(inf\)$'
  assert_line --regexp '^ *5% \(0\)$'
}

# The names of options in the page, wherever they stand.
named_options() {
  sed -n '/^\.\(It \)\{0,1\}Fl /p' "$man" | grep -oE ' -[a-z][a-z-]+' | tr -d ' ' | sed 's/^/-/' | sort -u
}

# Each option is the entry of one page: those that both programs have, in that
# of backoff.
page_has_all() {
  options | awk '{ print "--" $2 }' | sort >known
  named_options >named
  assert_same known named
  case $program in
    backoff) options ;;
    *) rows=HERD options ;;
  esac >table
  man_options >page
  assert_same table page
}

@test "docs: backoff(1) and backoff-herd(1) have the options of the table, and name no other" {
  for_both page_has_all
}

@test "docs: the other pages name options of the table, and describe none" {
  look_at backoff
  options | awk '{ print "--" $2 }' | sort >known
  for man in "$TOP_SRCDIR"/man/*.[57]; do
    run grep '^\.It Fl' "$man"
    assert_output ''
    named_options >named
    [ -s named ]
    run comm -13 known named
    assert_output ''
  done
}

@test "docs: the man pages have every exit status" {
  section 'EXIT STATUS' >statuses
  for status in 0 1 75 124 125 126 127 128+N; do
    grep -qx "\.It $status" statuses || fail "no $status"
  done
  grep -q '^\.It Ar COMMAND' statuses
  grep -q 'killed by signal N' statuses
  look_at backoff-herd
  run sed -n 's/^\.It //p' <<<"$(section 'EXIT STATUS')"
  assert_output $'0\n125'
}

@test "docs: the man page has every variable" {
  need_answer byte_lock
  "$BACKOFF" --state-dir="$PWD/state" --gate=docs --slots=docs:1 --at-end='env >>seen' -- sh -c 'env >seen'
  section 'ENVIRONMENT VARIABLES' | sed -n 's/^\.It Ev //p' | sort >documented
  sed -n 's/^\(BACKOFF_[A-Z]*\)=.*/\1/p' seen | sort -u >seen.names
  assert_same documented seen.names
}

@test "docs: groff has no complaint about the man pages" {
  need groff
  for man in "$TOP_SRCDIR"/man/*.[1-8]; do
    run groff -mandoc -Tutf8 -ww -z "$man"
    assert_success
    assert_output ''
  done
}

# A bare - or ' may come out of the formatter as a typographic one.
@test "docs: the examples of the man pages can be copied from any reader" {
  run awk '
    /^\.Sh / { here = /EXAMPLES/ }
    /^\.Ed/ { shown = 0 }
    here && shown && !/^- run:/ { gsub(/\\-/, ""); if (/[-\047`]/) print FILENAME ": " $0 }
    /^\.Bd/ { shown = 1 }' "$TOP_SRCDIR"/man/*.[1-8]
  assert_output ''
}

# Cuts the displays of the page that are examples into files: N.spec has what
# the comment "test:" above example N says, N.sh has the example. Those of a
# section EXAMPLES need the comment; elsewhere, it makes them examples.
cut_examples() {
  awk '
    /^\.Sh / { here = /EXAMPLES/ }
    /^\.\\" test: / { spec = $0; sub(/^[^:]*: /, "", spec) }
    /^\.Bd / && (here || spec != "") {
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
    }' "$man"
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
echo >>"$PWD/$tool.calls"
eval "word=\\\${\$(wc -l <"$PWD/$tool.calls"):-99}"
case \$word in
  *=*) echo "\${word#*=}" | tr _ ' ' >&2 ;;
esac
exit "\${word%%=*}"
END
  chmod +x "$tool"
  : >"$tool.calls"
  printf '%s %d\n' "$tool" $# >>tools.expected
}

# Runs example N in a directory of its own, which is its HOME, under the
# clock that is given as a command; prints what is wrong with it.
try_example() {
  local n=$1 spec wanted how got tool calls

  shift
  mkdir -p "$n/tools"
  cd "$n" || return
  ln -s "$BACKOFF" "$HERD" tools
  touch tools.expected
  printf '%s\n' 1 2 3 >items
  spec=$(<"../$n.spec")
  while [[ $spec == *';'* ]]; do
    # shellcheck disable=SC2086
    stand_in ${spec##*;}
    spec=${spec%;*}
  done
  read -r wanted how <<<"$spec"
  case $how in
    *crontab*) sed 's/^\([^ ]* \)\{5\}//' "../$n.sh" >run ;;
    *steps*) sed '/run: |$/d; s/^ *//' "../$n.sh" >run ;;
    *dockerfile*) sed 's/^RUN //' "../$n.sh" >run ;;
    *) cp "../$n.sh" run ;;
  esac
  got=0
  HOME=$PWD PATH=$PWD/tools:$PATH "$@" bash run >out 2>err </dev/null || got=$?
  [[ $got == "$wanted" ]] || echo "exits with $got and not $wanted"
  while read -r tool calls; do
    [[ $(wc -l <"$tool.calls") == "$calls" ]] ||
      echo "$tool was called $(wc -l <"$tool.calls") times and not $calls"
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
    [ -e "$spec" ] || break # no example
    n=${spec%.spec}
    if [[ ! $(<"$spec") =~ ^[0-9] ]]; then
      echo "this example has no comment 'test:': $(<"$n.sh")"
      failed=1
      continue
    fi
    case $which-$(<"$spec") in
      with-*fast*) ;;
      with-* | without-*fast*) continue ;;
    esac
    # Without it these are refused.
    has_answer byte_lock || ! grep -q -- --slots "$n.sh" || continue
    [ -x "${BACKOFF%/*}/backoff-fleet" ] || ! grep -q fleet: "$n.sh" || continue
    wrong=$(try_example "$n" "${@:-env}")
    [[ -n $wrong ]] || continue
    printf '%s\n%s\n' "$(<"$n.sh")" "$wrong"
    cat "$n/err"
    failed=1
  done
  return "$failed"
}

examples_run() {
  run try_examples without
  assert_success
}

@test "docs: the examples of the man pages run as printed" {
  for_pages examples_run
}

long_examples_run() {
  # A clock that starts at a fixed time, for --until, and hurries: an example with
  # a short limit is run without it, as a machine that stands still would use it up.
  run try_examples with faketime -f '@2026-01-01 00:00:00 x100'
  assert_success
}

@test "docs: the examples of the man pages that take long run as printed" {
  need_faketime
  for_pages long_examples_run
}

# The keys of JSON that the page has, one a line: .It Cm KEY , KEY ...
page_keys() {
  section "$1" | sed -n 's/^\.It Cm //p' | sed 's/ , /\n/g' | sort
}

@test "docs: backoff-log(5) has every key of the JSON log, and no other" {
  man=$TOP_SRCDIR/man/backoff-log.5
  { # The first two of every event are no members of json_member_...().
    printf 'time\nevent\n'
    cat "$TOP_SRCDIR"/src/core/words/*.c "$TOP_SRCDIR"/src/log/*.c "$TOP_SRCDIR"/src/doors/*.c |
      tr -d '\n\t' | grep -oE '_member(_[a-z]+)?\([^,;]+, "[a-z_]+"' | sed 's/.*"\(.*\)"/\1/'
  } | sort -u >written
  [ "$(wc -l <written)" -gt 20 ]
  page_keys JSON >page
  assert_same written page
}

@test "docs: backoff(1) has every tool" {
  "$BACKOFF" --tool=list | sed -n 's/^\([a-z][a-z0-9_-]*\).*/\1/p' | sort >printed
  sed -n 's/^There are tables for \(.*\)\.$/\1/p' "$TOP_SRCDIR/man/backoff.1" |
    sed 's/, \| and /\n/g' | sort >page
  assert_same printed page
}

# Readers have no time; whoever adds a line may take one away.
@test "docs: the man pages are short" {
  need groff
  while read -r page lines; do # as man has it in 80 columns
    assert [ "$(groff -mandoc -Tutf8 -rLL=78n "$TOP_SRCDIR/man/$page" | wc -l)" -le "$lines" ]
  done <<END
backoff.1 900
backoff-pauses.7 190
backoff-log.5 230
backoff-gate.7 260
backoff-herd.1 180
END
}

# The displays of the page, as one line.
displays() {
  sed -n '/^\.Bd/,/^\.Ed/{/^\.[BE]d/!p}' "$man" | tr -s '\n ' ' '
}

# messages FILE...: the literals of the log's sentences, one a line: two words or
# more, up to a colon.
messages() {
  cat "$@" | tr -s '\n\t ' ' ' | sed 's,/\*[^*]*\(\*[^/][^*]*\)*\*/,,g; s/'"'"'\\\{0,1\}"'"'"'//g' |
    grep -oE '"([^"\\]|\\.)*"( "([^"\\]|\\.)*")*' |
    sed 's/" "//g; s/^"//; s/"$//; s/\\"/"/g; s/^[^A-Za-z-]*//; s/:.*//; s/ (*$//' |
    grep -E '[A-Za-z_]{2,}[^a-z]* [^a-z]*[a-z]{2,}' | sort -u
}

@test "docs: backoff-log(5) has every sentence of the log, and no other page lists one" {
  local words missing=0 src=$TOP_SRCDIR/src
  messages "$src"/core/words/{message,remarks}.c "$src"/doors/{defer,gate,slots}.c \
    "$src"/log/log.c | grep -v '^alias ' >sentences # of shells
  [ "$(wc -l <sentences)" -gt 50 ]
  man=$TOP_SRCDIR/man/backoff-log.5
  displays >log
  for man in "$TOP_SRCDIR"/man/*.[17]; do displays; done >others
  while IFS= read -r words; do
    if ! grep -qF -- "$words" log; then
      echo "backoff-log(5) does not have: $words"
      missing=1
    elif [[ $words == *' '*' '* ]] && grep -qF -- "$words" others; then
      echo "another page has: $words"
      missing=1
    fi
  done <sentences
  [ "$missing" -eq 0 ]
}

@test "docs: backoff-pauses(7) has every key of --plan, every preset, and a plan as it is printed" {
  man=$TOP_SRCDIR/man/backoff-pauses.7
  "$BACKOFF" --plan -n 2 --log-format=json | grep -o '"[a-z_]*":' | tr -d '":' | sort >printed
  page_keys PLAN >page
  assert_same printed page
  "$BACKOFF" --preset=list | sed -n 's/^\([a-z][a-z0-9-]*\).*/\1/p' | sort >printed
  section PRESETS | sed -n '/^\.It protocols/,/^\.El/{s/^\.Cm //;s/ , /\n/g;/^\./!p}' | sort >page
  assert_same printed page
  sed -n '/^\$ backoff/,/^\.Ed/p' "$man" | sed '1d; $d' >page
  LC_ALL=C "$BACKOFF" --plan -n 4 -b 1s >printed
  assert_same printed page
}

@test "docs: backoff-herd(1) has every key of its JSON" {
  look_at backoff-herd
  "$HERD" --log-format=json --clients=4 --outage=1s --limit=9,2 --failures=5% --gate \
    --machines=2 --refusals=1% --retry-after=1s --late=1ms |
    grep -o '"[a-z0-9_]*":' | tr -d '":' | sort -u >printed
  page_keys JSON | sort -u >page
  assert_same printed page
}

@test "docs: make html makes pages that link to each other" {
  need mandoc
  build=$(dirname "$BACKOFF")
  [ -f "$build/Makefile" ] || skip "no build tree beside $BACKOFF"
  env -u MAKEFLAGS -u MAKELEVEL make -s -C "$build" html HTML="$PWD/html"
  grep -ho 'href="[^"#:]*"' html/*.html | sed 's/.*"\(.*\)"/\1/' | sort -u >links
  (cd html && printf '%s\n' *.html) | sort >made
  [ "$(wc -l <made)" -eq 5 ]
  assert_same made links
}

@test "docs: the demonstration in the README fails twice and then succeeds" {
  demonstration=$(sed -n 's/^ *\.\/bootstrap && \.\/backoff /"$BACKOFF" /p' "$TOP_SRCDIR/README.md")
  assert [ -n "$demonstration" ]
  # It can be repeated, and leaves nothing behind.
  for _ in 1 2; do
    run bash -c "$demonstration"
    assert_success
    assert_equal "$(grep -c ' failed after .*; next in ' <<<"$output")" 2
  done
  assert_equal "$(ls -A)" ''
}

@test "docs: the README has the two commands, and links to files that exist" {
  local readme=$TOP_SRCDIR/README.md

  assert_equal "$(grep -c '^ *\./bootstrap && ' "$readme")" 2
  run -0 grep -E '^ *\./bootstrap && make check$' "$readme"
  assert [ "$(wc -l <"$readme")" -le 150 ]
  assert [ "$(wc -l <"$TOP_SRCDIR/CONTRIBUTING.md")" -le 120 ]
  sed -n 's/.*](\([^):]*\)).*/\1/p' "$readme" "$TOP_SRCDIR/CONTRIBUTING.md" >links
  while read -r link; do
    assert [ -e "$TOP_SRCDIR/$link" ]
  done <links
  # No line of a block is wider than a terminal.
  awk '/^```/ { inside = !inside } inside' "$readme" >blocks
  LC_ALL=C.UTF-8 run -1 grep -nE '^.{81}' blocks
}

@test "docs: the README compares as docs/compared.md does" {
  # The rows of four tools.
  grep -h '^|.*|.*|.*|.*|.*|$' "$TOP_SRCDIR/README.md" >rows
  assert [ "$(wc -l <rows)" -eq 12 ]
  run -1 grep -vxF -f "$TOP_SRCDIR/docs/compared.md" rows
}

@test "docs: the pictures in the README are what the programs print" {
  # The command behind "$ ", and what follows it up to the end of the block.
  sed -n '/^\$ backoff/,/^```/p' "$TOP_SRCDIR/README.md" >pictures
  assert_equal "$(grep -c '^\$ ' pictures)" 1
  while read -r _ program line; do
    sed -n "/^\\$ $program $line\$/,/^\`\`\`/p" pictures | sed '1d; $d' >wanted
    [[ $program == backoff ]] && program=$BACKOFF || program=$HERD
    # shellcheck disable=SC2086 # several words
    LC_ALL=C.UTF-8 "$program" $line | head -n "$(wc -l <wanted)" >got
    assert_same wanted got
  done < <(grep '^\$ ' pictures)
}

@test "docs: CONTRIBUTING.md has the rooms of Makefile.am, in their order" {
  awk '/^data_files/ { next } /^[a-z]*_files = \\$/ { first = 1; next }
    first { sub(/\/[^\/]*$/, "/", $1); print $1; first = 0 }
    $1 == "src/" { exit }' "$TOP_SRCDIR/Makefile.am" | uniq >rooms
  assert [ "$(wc -l <rooms)" -gt 15 ]
  sed -n '/^- `src/{s/:.*//;s/^- //;s/, /\n/g;s/`//g;/main\.c/d;p}' \
    "$TOP_SRCDIR/CONTRIBUTING.md" >told
  assert_same rooms told
}

is_the_version_of_news() {
  run "$binary" --version
  assert_success
  assert_line --index 0 "$program $(awk 'NF { print $1; exit }' "$TOP_SRCDIR/NEWS")"
  # Where processes are not seen, backoff says what that means.
  if [ "$program" = backoff ] && ! has_answer processes; then
    assert_line --index 1 --partial 'a timeout ends COMMAND'
    assert_equal "${#lines[@]}" 2
  else
    assert_equal "${#lines[@]}" 1
  fi
}

# rows_of PAGE HEADING: the cells of the rows of that table, "|" between them.
rows_of() {
  sed -n "/^| $2 |/,/^\$/{/^| \`/{s/^| *//;s/ *|\$//;s/ *| */|/g;p}}" "$1"
}

portability_questions() {
  rows_of "$TOP_SRCDIR/docs/portability.md" question | tr -d '`'
}

@test "docs: docs/portability.md has all questions of src/system, and what answers them" {
  cd "$TOP_SRCDIR/src/system"
  sed -n 's,^/\* \([a-z_]*: .*\) \*/$,\1,p' system.h >"$BATS_TEST_TMPDIR/headings"
  portability_questions | cut -d'|' -f1 >"$BATS_TEST_TMPDIR/rows"
  assert_same "$BATS_TEST_TMPDIR/headings" "$BATS_TEST_TMPDIR/rows"
  while IFS='|' read -r question _ _ darwin; do
    name="/* ${question%%:*} */"
    grep -qxF "$name" linux.c
    grep -qxF "$name" posix.c || grep -qxF "$name" posix_shared.c
    if [ "$darwin" = 'as posix' ]; then
      ! grep -xF "$name" posix.c darwin.c || fail "$question is not answered alike"
    else
      grep -qxF "$name" darwin.c
    fi
  done < <(portability_questions)
}

@test "docs: the calls that docs/portability.md says answer a question are in that file" {
  local system call count=0 column=2
  cd "$TOP_SRCDIR/src/system"
  for system in linux posix darwin; do
    while read -r call; do
      grep -qF -- "$call" "$system"*.c fd.c clock.c || fail "no $call in $system"
      count=$((count + 1))
    done < <(rows_of "$TOP_SRCDIR/docs/portability.md" question |
      cut -d'|' -f$column | grep -o '`[^`]*`' | tr -d '`')
    column=$((column + 1))
  done
  assert [ "$count" -gt 35 ]
}

# NAME|SYSTEM, ...|CALL, as configure has them: what is not here, where, and the
# call of Linux without which it is not.
not_here() {
  {
    awk '/^  \[(posix|darwin)\],$/ { gsub(/[^a-z]/, ""); system_name = $0; next }
      system_name != "" && sub(/.*not_here=/, "") {
        gsub(/[^a-z_ ]/, "")
        for (i = 1; i <= NF; i++) print $i, system_name
        system_name = ""
      }' "$TOP_SRCDIR/m4/backoff.m4"
    sed -n 's/^BACKOFF_NOT_HERE(\[\(.*\)\], \[\([a-z_]*\)\]).*/\2 - \1/p' \
      "$TOP_SRCDIR/configure.ac"
  } | awk '{ names[$1] }
    $2 == "-" { call[$1] = $3; next }
    { systems[$1] = systems[$1] (systems[$1] == "" ? "" : ", ") $2 }
    END { for (name in names) print name "|" systems[name] "|" call[name] }' | sort
}

@test "docs: docs/portability.md has what configure says is not here, and the calls of Linux" {
  not_here >configured
  rows_of "$TOP_SRCDIR/docs/portability.md" 'not here' | tr -d '`' |
    awk -F'|' '{ print $1 "|" $2 "|" $4 }' | sort >page
  assert [ "$(wc -l <page)" -gt 10 ]
  assert_same configured page
  # A pidfd is of no use without the other call.
  sed -n 's/^AC_CHECK_DECLS(\[\([^]]*\)\].*/\1/p' "$TOP_SRCDIR/configure.ac" |
    tr -d ' ' | tr ',' '\n' | grep -vx SYS_pidfd_send_signal | sort >probed
  cut -d'|' -f3 page | grep . | sort >named
  assert_same probed named
}

@test "docs: the top entry of NEWS is this version" {
  for_both is_the_version_of_news
}

@test "docs: backoff-gate(7) has the columns of --gate=list" {
  need_answer byte_lock
  run "$BACKOFF" --gate=list --state-dir="$PWD/state"
  assert_line --index 0 --regexp '^NAME .* REASON$'
  grep -qxF "${lines[0]}" "$TOP_SRCDIR/man/backoff-gate.7"
}

# In the helper, but for those of a password and a database.
@test "docs: the user of backoff-gate(7) may do what the helper does, and no more" {
  sed -n '/^user backoff on /,/^\.Ed/p' "$TOP_SRCDIR/man/backoff-gate.7" |
    grep -o '[+][a-z]*' | sort >may
  cat "$TOP_SRCDIR"/src/fleet/*.c | tr -d '\n\t ' |
    grep -o 'server_add("[A-Z]*' | sed 's/.*"/+/' |
    tr '[:upper:]' '[:lower:]' | grep -vx '+auth\|+select' | sort -u >does
  assert [ -s does ]
  assert_same does may
}

@test "docs: README, NEWS and LICENSE are installed" {
  build=$(dirname "$BACKOFF")
  [ -f "$build/Makefile" ] || skip "no build tree beside $BACKOFF"
  env -u MAKEFLAGS -u MAKELEVEL make -s -C "$build" install-dist_docDATA \
    DESTDIR="$BATS_TEST_TMPDIR" docdir=/doc
  assert_equal "$(cd "$BATS_TEST_TMPDIR/doc" && echo *)" 'LICENSE NEWS README.md'
}
