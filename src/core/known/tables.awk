# SPDX-License-Identifier: MIT
#
# Prints the tables of tools*.tbl and presets.tbl, which say how a row is written,
# as C for tables.c. Every awk of POSIX can run it.

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

# WORDS are the verdict and the meaning.
function add_row(status, words, regex, on_stdout,    range, n) {
  n = split(status, range, "-")
  if (status !~ /^[0-9]+(-[0-9]+)?$/ || range[1] + 0 > range[n] + 0 || range[n] + 0 > 255 \
      || (regex == "" && range[1] + 0 == 0))
    refuse("no exit statuses: " status)
  if (regex == "" && messages[tools] > 0)
    refuse("a code below a message")
  if (regex == "")
    codes[tools]++
  else
    messages[tools]++
  rows++
  table = table sprintf("\t{ %d, %d, VERDICT_%s, %d, %d, %d },\n", range[1], range[n], \
    toupper(first_word(words)), on_stdout, offset(expand(regex)), offset(other_words(words)))
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

$1 ~ /^(tool|preset|approximate)$/ {
  if (!match(rest, /: ./))
    refuse("no source")
  block = $1 == "tool" ? "tool" : "preset"
  names = substr(rest, 1, RSTART - 1)
  source = offset(substr(rest, RSTART + 2))
}
$1 == "tool" {
  head[++tools] = offset(first_word(names)) ", " offset(other_words(names)) ", " source
  above[tools] = rows
  next
}
block == "tool" && $1 ~ /^(beware|headers|no-headers|silent)$/ {
  remark[tools, $1] = offset(rest)
  next
}
block == "tool" && $2 ~ verdict && NF > 2 {
  add_row($1, rest, regex, on_stdout)
  next
}
block == "tool" && (rest in shared) && (regex == "" || index(regex, "{}")) {
  for (i = 1; i <= shared[rest]; i++) {
    patterns[""] = regexes[rest, i]
    add_row($1, words[rest, i], regex == "" ? "{}" : regex, on_stdout)
  }
  delete patterns[""]
  next
}

/^pattern [A-Z_]+$/ && regex != "" {
  patterns[$2] = expand(regex)
  next
}
/^shared [A-Z_]+$/ {
  block = $2
  shared[block] = 0
  next
}
(block in shared) && $1 ~ verdict && NF > 1 && regex != "" {
  words[block, ++shared[block]] = $0
  regexes[block, shared[block]] = regex
  next
}

$1 ~ /^(preset|approximate)$/ {
  preset[++presets] = offset(names) ", " source
  approximate[presets] = $1 == "approximate"
  next
}
block == "preset" && /^--/ {
  fields[presets] = match($0, / [a-z]/) ? offset(substr($0, RSTART + 1)) : 0
  sub(/ [a-z].*/, "")
  options[presets] = offset($0)
  next
}
block == "preset" && $1 == "note" {
  note[presets] = offset(rest)
  next
}
{
  refuse("no row of a table: " $0)
}

END {
  if (failed)
    exit 1
  print "    \"\";\n\nstatic const struct tool_row rows[] = {\n" table "};\n"
  print "static const struct tool tools[] = {"
  for (i = 1; i <= tools; i++) {
    printf "\t{ %s, %d, %d, %d, %d, %d, %d, %d },\n", head[i], remark[i, "beware"], \
      remark[i, "headers"], remark[i, "no-headers"], remark[i, "silent"], \
      above[i], codes[i], messages[i]
    most = messages[i] > most ? messages[i] : most
  }
  print "};\n#define MOST_MESSAGES " most "\n\nstatic const struct preset presets[] = {"
  for (i = 1; i <= presets; i++)
    printf "\t{ %s, %d, %d, %d, %d },\n", preset[i], options[i], fields[i], note[i], approximate[i]
  print "};"
}
