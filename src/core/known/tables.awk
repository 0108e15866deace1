# SPDX-License-Identifier: MIT
#
# Prints the tables of tools*.tbl and presets.tbl, which say how a row is written,
# as C for known.c. Every awk of POSIX can run it.

function refuse(why) {
  printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"
  failed = 1
  exit 1
}

function first_word(text) {
  sub(/ .*/, "", text)
  return text
}

function other_words(text) {
  return substr(text, length(first_word(text)) + 2)
}

# Where TEXT is among the texts, which has each once.
function offset(text,    quoted) {
  if (!(text in offsets)) {
    offsets[text] = size
    size += length(text) + 1
    quoted = text
    gsub(/["\\]/, "\\\\&", quoted)
    print "    \"" quoted "\\0\""
  }
  return offsets[text]
}

# REGEX with the patterns that it has by name.
function expand(regex,    name) {
  while (match(regex, /[{][A-Z_]*[}]/)) {
    name = substr(regex, RSTART + 1, RLENGTH - 2)
    if (!(name in patterns))
      refuse("no pattern {" name "}")
    regex = substr(regex, 1, RSTART - 1) patterns[name] substr(regex, RSTART + RLENGTH)
  }
  return regex
}

# A row of the tool; WORDS are the verdict and the meaning.
function add_row(status, words, regex, on_stdout,    range, n) {
  n = split(status, range, "-")
  if (status !~ /^[0-9]+(-[0-9]+)?$/ || range[1] + 0 > range[n] + 0 || range[n] + 0 > 255 \
      || (regex == "" && range[1] + 0 == 0))
    refuse("no exit statuses: " status)
  if (regex == "" && value[blocks, "messages"] < rows)
    refuse("a code below a message")
  value[blocks, "end"] = ++rows
  if (regex == "")
    value[blocks, "messages"] = rows
  table = table sprintf("\t{ %d, %d, VERDICT_%s, %d, %d, %d },\n", range[1], range[n], \
    toupper(first_word(words)), on_stdout, offset(expand(regex)), offset(other_words(words)))
}

# The blocks of one kind, with FIELDS in the order of the struct, and one of zeros.
function print_table(kind, fields,    i, j, n, field) {
  n = split(fields, field, " ")
  print "\n" (kind == "wrapper" ? "static " : "") "const struct " kind " known_" kind "s[] = {"
  for (i = 1; i <= blocks; i++) {
    if (kinds[i] != kind)
      continue
    printf "\t{"
    for (j = 1; j <= n; j++)
      printf " %d,", value[i, field[j]]
    print " },"
  }
  print "\t{ 0 },\n};"
}

BEGIN {
  verdict = "^(stop|pass|success|throttle|retry)$"
  size = 0
  print "static const char texts[] ="
  offset("")
}

# A line that ends in a backslash goes on in the next one.
/^(#|$)/ {
  next
}
{
  sub(/^ +/, "")
  whole = whole $0
}
sub(/\\$/, "", whole) {
  next
}
{
  regex = ""
  if (match(whole, / \/.+\/( on stdout)?$/)) {
    regex = substr(whole, RSTART + 2)
    whole = substr(whole, 1, RSTART - 1)
  }
  on_stdout = sub(/\/ on stdout$/, "/", regex)
  sub(/\/$/, "", regex)
  $0 = whole
  rest = other_words(whole)
  whole = ""
}

$1 ~ /^(tool|wrapper|preset|approximate)$/ {
  if (!match(rest, $1 == "wrapper" ? ":( |$)" : ": ."))
    refuse("nothing behind a colon")
  kind = kinds[++blocks] = $1 == "approximate" ? "preset" : $1
  names = substr(rest, 1, RSTART - 1)
  value[blocks, "name"] = offset(first_word(names))
  value[blocks, kind == "wrapper" ? "options" : "source"] = offset(substr(rest, RSTART + 2))
  if (kind == "tool") {
    value[blocks, "aliases"] = offset(other_words(names))
    value[blocks, "codes"] = value[blocks, "messages"] = value[blocks, "end"] = rows
  } else if (kind == "wrapper") {
    value[blocks, "assignments"] = names ~ /=/
    value[blocks, "operands"] = split(names, word, " ") - 1 - value[blocks, "assignments"]
  } else {
    value[blocks, "approximate"] = $1 == "approximate"
  }
  next
}
kind " " $1 ~ /^(tool (beware|headers|no-headers|silent)|wrapper takes|preset note)$/ {
  value[blocks, $1] = offset(rest)
  next
}
kind == "tool" && $2 ~ verdict && NF > 2 && rest !~ / \// {
  add_row($1, rest, regex, on_stdout)
  next
}
kind == "tool" && ($2 in shared) && (regex == "" || index(regex, "{}")) {
  for (at = 2; at <= NF; at++) {
    if (!($at in shared))
      refuse("no shared rows: " $at)
    for (i = 1; i <= shared[$at]; i++) {
      patterns[""] = regexes[$at, i]
      add_row($1, words[$at, i], regex == "" ? "{}" : regex, on_stdout)
    }
  }
  delete patterns[""]
  next
}
kind == "preset" && /^--/ {
  value[blocks, "fields"] = match($0, / [a-z]/) ? offset(substr($0, RSTART + 1)) : 0
  sub(/ [a-z].*/, "")
  value[blocks, "options"] = offset($0)
  next
}

/^pattern [A-Z_]+$/ && regex != "" {
  patterns[$2] = expand(regex)
  next
}
/^shared [A-Z_]+$/ {
  kind = $2
  shared[kind] = 0
  next
}
(kind in shared) && $1 ~ verdict && NF > 1 && regex != "" {
  words[kind, ++shared[kind]] = $0
  regexes[kind, shared[kind]] = regex
  next
}
{
  refuse("no row of a table: " $0)
}

END {
  if (whole != "" && !failed)
    refuse("no end of the row")
  if (failed)
    exit 1
  print "    \"\";\n\nconst struct tool_row known_rows[] = {\n" table "};"
  print_table("tool", "name aliases source beware headers no-headers silent codes messages end")
  print_table("wrapper", "name options takes operands assignments")
  print_table("preset", "name source options fields note approximate")
  for (i = 1; i <= blocks; i++)
    if (value[i, "end"] - value[i, "messages"] > most)
      most = value[i, "end"] - value[i, "messages"]
  print "\n#define MOST_MESSAGES " most
}
