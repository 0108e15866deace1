# bash completion for backoff-herd(1)                     -*- shell-script -*-
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# The options that take an argument, and those that do not.
_backoff_herd_with_argument='--clients --outage --capacity --failures --limit --refusals
  --retry-after --late --runs --machines -b --base -f --factor -c --cap --floor -g --growth -d --delays -j --jitter --splay
  -p --preset --seed -n --attempts -T --deadline
  --log-format --format'
_backoff_herd_without_argument='-h --help -V --version'

# Those whose argument may be missing, and must be joined to them.
_backoff_herd_with_joined_argument='--gate'

# What can be the argument of the option $1, by the program $2.
_backoff_herd_words() {
  case $1 in
    -g | --growth)
      echo exponential binary linear quadratic cubic fibonacci constant
      ;;
    -j | --jitter)
      echo none full equal decorrelated smooth
      ;;
    -c | --cap | -n | --attempts)
      echo inf
      ;;
    -p | --preset)
      echo list
      "$2" --preset=list 2>/dev/null | sed -n 's/^\([^ ][^ ]*\).*/\1/p'
      ;;
    --gate)
      echo machine fleet
      ;;
    --log-format)
      echo text json
      ;;
    --format)
      echo text json svg
      ;;
  esac
}

# The options that begin with $1; those with a name and an argument end in "=".
_backoff_herd_options() {
  local word

  for word in $_backoff_herd_with_argument; do
    [[ $word == --* ]] && word+='='
    printf '%s\n' "$word"
  done
  [[ $1 == --gate ]] && echo --gate=
  echo "$_backoff_herd_without_argument $_backoff_herd_with_joined_argument"
}

_backoff_herd() {
  local now=$2 before=$3 joined='' words cut=no

  # bash cuts words at "=", which is a word of its own then, if it is told to.
  if [[ $now == '=' ]]; then
    now='' cut=yes
  elif [[ $before == '=' ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]} cut=yes
  elif [[ $now == --*=* ]]; then
    before=${now%%=*}
    joined=$before=
    now=${now#*=} cut=yes
  fi
  words=$_backoff_herd_with_argument
  [[ $cut == yes ]] && words+=" $_backoff_herd_with_joined_argument"
  case " ${words//$'\n'/ } " in
    *" $before "*) words=$(_backoff_herd_words "$before" "$1") ;;
    *) words=$(_backoff_herd_options "$now") ;;
  esac
  mapfile -t COMPREPLY < <(compgen -P "$joined" -W "$words" -- "$now")
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}

complete -F _backoff_herd backoff-herd
