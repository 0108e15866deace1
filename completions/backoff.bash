# bash completion for backoff(1)                          -*- shell-script -*-
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Works with bash-completion 2.11 and later, and without it, where the
# wrapped command has only names and files to complete.

# The options that take an argument, those that do not, and those whose
# argument is joined to them, if there is one.
_backoff_with_argument='-b --base -f --factor -c --cap --floor -g --growth
  -d --delays -j --jitter --splay --reset-after --from -p --preset --seed
  -n --attempts -t --timeout -T --deadline --until -s --signal
  --idle-timeout -k --kill-after --grace --consecutive --flaky-status --wake-on --success-on --pass-on
  -r --retry-on --throttle-on -x --stop-on --success-if --retry-if
  --throttle-if --stop-if --watch --hint-max --gate --gate-wait --slots --slots-wait --defer
  --state-dir -i --stdin --spool-limit --name --log-format --log-file
  --format --before-retry --at-end'
_backoff_without_argument='--die-with-parent --quiet-success --quiet-repeats --plan
  -q --quiet -v --verbose -V --version'
_backoff_with_joined_argument='-o --hold --tool --retry-after -h --help'

# What --preset=list and --tool=list print.
_backoff_presets='list ethernet sip-invite sip-request tcp dhcp apue jpillora
  celery aws-full aws-equal aws-decorrelated aws-sdk aws-sdk-2026
  aws-dynamodb-2026 grpc-connect grpc-retry
  google cenkalti resilience4j tenacity polly envoy curl kubernetes
  kubernetes-job systemd smtp polling wechat-pay alipay sre'
_backoff_tools='list sysexits curl wget http aria2c msmtp rsync ssh scp git
  apt-get pip npm svn hg gh cargo go gem docker skopeo podman kubectl aws gcloud
  rclone restic borg psql pg_isready pg_dump mysql ping ansible-playbook'

# Is $1 an option that takes an argument? Then _backoff_option is its name.
_backoff_takes() {
  local word

  for word in $_backoff_with_argument; do
    if [[ $1 == "$word" ]]; then
      _backoff_option=$1
      return 0
    fi
  done
  return 1
}

# Does the word $1 leave its argument to the next word? -qn3 and -on do not,
# -qn does. Then _backoff_option is the option.
_backoff_wants_next() {
  local letters=${1#-}

  if [[ $1 == --* ]]; then
    _backoff_takes "$1"
    return
  fi
  while [[ -n $letters ]]; do
    if _backoff_takes "-${letters:0:1}"; then
      [[ ${#letters} -eq 1 ]]
      return
    fi
    [[ ${letters:0:1} == o ]] && return 1
    letters=${letters:1}
  done
  return 1
}

_backoff_signals() {
  local -a names

  # Without SIG it would list DEBUG, EXIT, ERR and RETURN too; JUNK is what
  # bash calls the signals that libc keeps for itself.
  mapfile -t names < <(compgen -A signal -X 'SIGJUNK*' SIG)
  printf '%s\n' "${names[@]#SIG}"
}

# What can be the argument of the option $1, of which $2 is there, into
# COMPREPLY.
_backoff_argument() {
  local words='' before='' now=$2

  case $1 in
    -g | --growth)
      words='exponential binary linear quadratic cubic fibonacci constant'
      ;;
    -j | --jitter)
      words='none full equal decorrelated smooth'
      ;;
    -p | --preset)
      words=$_backoff_presets
      ;;
    --tool)
      words=$_backoff_tools
      ;;
    --format)
      echo text json svg
      ;;
    --log-format)
      words='text json github'
      ;;
    --from)
      words='end start'
      ;;
    -i | --stdin)
      words='replay inherit null'
      ;;
    --hold)
      words='stdout all'
      ;;
    --help)
      words='all'
      ;;
    --gate)
      words='list open: fleet:'
      ;;
    --slots)
      words='fleet:'
      ;;
    --gate-wait | --slots-wait)
      words='0 inf'
      ;;
    -n | --attempts | -c | --cap | -k | --kill-after | --grace | --hint-max)
      words='inf'
      ;;
    -s | --signal | --wake-on)
      words=$(_backoff_signals)
      [[ $1 == --wake-on ]] && words='HUP USR1 USR2 ALRM WINCH IO'
      now=${now#SIG}
      [[ $now == "$2" ]] || before=SIG
      ;;
    --success-on | --pass-on | -r | --retry-on | --throttle-on | -x | --stop-on)
      words="nonzero any signal timeout start usage dataerr noinput nouser
        nohost unavailable software oserr osfile cantcreat ioerr tempfail
        protocol noperm config $(_backoff_signals)"
      now=${now##*,}
      before=${2%"$now"}
      ;;
    --log-file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$now")
      return
      ;;
    --state-dir)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$now")
      return
      ;;
    --before-retry | --at-end)
      mapfile -t COMPREPLY < <(compgen -c -- "$now")
      return
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "$now")
  [[ ${COMPREPLY[0]-} == *: ]] && compopt -o nospace 2>/dev/null
  return 0
}

# The options that begin with $1; those with an argument end in "=".
_backoff_options() {
  local word
  local -a words

  for word in $_backoff_with_argument; do
    [[ $word == --* ]] && word+='='
    words+=("$word")
  done
  [[ $1 == --hold || $1 == --help ]] && words+=("$1=")
  [[ $1 == -o* ]] && words+=(-ostdout -oall)
  words+=("$_backoff_without_argument" "$_backoff_with_joined_argument")
  mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$1")
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}

# The command that begins at word $1, as if nothing stood before it.
_backoff_command() {
  if declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "$1"
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}

_backoff() {
  local _backoff_option='' line=$COMP_LINE between token='' last=''
  local -i i
  local expects=no

  COMPREPLY=()
  # bash cuts words at "=" and ":"; a token is what has no blank in it.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    between=${line%%"${COMP_WORDS[i]}"*}
    line=${line#"$between${COMP_WORDS[i]}"}
    if [[ -z $between ]] && ((i > 1)) && [[ -n ${COMP_WORDS[i]} ]]; then
      token+=${COMP_WORDS[i]}
      continue
    fi
    # A token has ended at word i - 1, and the next one begins.
    if ((i > 1)); then
      if [[ $expects == yes ]]; then
        expects=no
      elif [[ $token == -- ]]; then
        _backoff_command "$i"
        return
      elif [[ $token == --*=* ]]; then
        :
      elif _backoff_wants_next "$token"; then
        expects=yes
      fi
    fi
    token=${COMP_WORDS[i]}
    # A command has begun where neither an option nor its argument does.
    if ((i > 0)) && [[ $expects == no && -n $token && $token != -* ]]; then
      _backoff_command "$i"
      return
    fi
  done

  # What readline replaces is the last piece of the token.
  last=${COMP_WORDS[COMP_CWORD]}
  [[ $last == [=:] ]] && last=''
  if [[ $expects == yes ]]; then
    _backoff_argument "$_backoff_option" "$token"
  elif [[ $token == --*=* ]]; then
    _backoff_argument "${token%%=*}" "${token#*=}"
    token=${token#*=}
  elif [[ $token == -* ]]; then
    _backoff_options "$token"
  else
    _backoff_command "$COMP_CWORD"
    return
  fi
  COMPREPLY=("${COMPREPLY[@]#"${token%"$last"}"}")
}

complete -F _backoff backoff
