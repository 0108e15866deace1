#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What action.yml runs. Its inputs are in INPUT_*, its outputs go to the file
# that GITHUB_OUTPUT names; backoff takes the place of this script. On a Mac, bash
# is 3.2, and the tools are those of BSD.

set -euo pipefail

# fail WHAT: an annotation, and the status of a usage error. No input may
# stand in it as it is: it could end the line and begin another annotation.
fail() {
  printf '::error title=backoff::%s\n' "$1" >&2
  exit 125
}

# words TEXT: its words, each with a NUL behind it. Quotes and backslashes
# count, and nothing is expanded.
words() {
  # Some xargs run it for no word too.
  # shellcheck disable=SC2016 # for the other shell
  printf '%s\n' "$1" |
    xargs sh -c 'for word; do printf "%s\0" "$word"; done' sh 2>/dev/null
}

# build: once a job, from the files of the action.
build() {
  local room=${RUNNER_TEMP:?}/backoff-action

  if [[ ! -x $room/backoff ]]; then
    echo '::group::Build backoff'
    rm -rf "$room"
    cp -R "${GITHUB_ACTION_PATH:?}" "$room"
    built=yes
    (cd "$room" && ./bootstrap --no-install) </dev/null || built=no
    # What stands in a group that is left open is folded away.
    echo '::endgroup::'
    [[ $built = yes ]] || fail 'it is not in PATH, and could not be built here'
  fi
  program=$room/backoff
}

# The last of several outputs of one name counts: this one stands where
# an input is wrong, backoff is used wrongly, or told to end.
: "${GITHUB_OUTPUT:?}"
echo 'result=error' >>"$GITHUB_OUTPUT"

[[ -n ${INPUT_COMMAND-} ]] || fail 'the input command is missing'

words "${INPUT_OPTIONS-}" >/dev/null || fail 'options: a quote has no end'
# "$@" are the options: bash 3.2 takes an empty array for an unset one.
set --
while IFS= read -r -d '' word; do
  set -- "$@" "$word"
done < <(words "${INPUT_OPTIONS-}")
for option; do
  [[ $option != --at-end* ]] ||
    fail 'options: --at-end is what the action takes its outputs from'
done

program=$(type -P backoff) || build

# Behind a word that is no option, the command would be another one.
if seen=$("$program" --plan "$@" --version 2>/dev/null); then
  [[ $seen == 'backoff '* ]] ||
    fail 'options: a word is not an option, or runs nothing'
fi

# In reverse, as each is put in front.
[[ -z ${INPUT_DEADLINE-} ]] || set -- --deadline="$INPUT_DEADLINE" "$@"
[[ -z ${INPUT_TIMEOUT-} ]] || set -- --timeout="$INPUT_TIMEOUT" "$@"
[[ -z ${INPUT_ATTEMPTS-} ]] || set -- --attempts="$INPUT_ATTEMPTS" "$@"

# What backoff quotes of an input has no control character.
if ! said=$("$program" --plan "$@" -- 2>&1 >/dev/null); then
  said=${said##*$'\n'}
  said=${said#backoff: }
  fail "${said//%/%25}"
fi

# Numbers and words of backoff's own; the command may have left a line there
# without its end.
readonly outputs='
  [ -z "$(tail -c 1 "$GITHUB_OUTPUT")" ] || echo >>"$GITHUB_OUTPUT"
  printf "%s\n" "attempts=$BACKOFF_ATTEMPT" "status=$BACKOFF_STATUS" \
    "result=$BACKOFF_RESULT" >>"$GITHUB_OUTPUT"'

# The command finds the environment of its step.
command=$INPUT_COMMAND
unset INPUT_COMMAND INPUT_ATTEMPTS INPUT_TIMEOUT INPUT_DEADLINE INPUT_OPTIONS

# All steps would be bash. Not empty: a command of blanks alone is still one.
name=${command#"${command%%[![:space:]]*}"}
name=${name%%$'\n'*}
name=${name:0:60}

exec "$program" --at-end="$outputs" --name="${name:-bash}" "$@" -- \
  bash --noprofile --norc -e -o pipefail -c -- "$command"
