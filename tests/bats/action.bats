#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# action.yml and packaging/action.sh, as a runner of GitHub Actions runs
# them: the inputs in the environment, bash -e -o pipefail, a file for the
# outputs, and no input. And the workflow of this repository.

load helper
load ../lib/server
load ../lib/recipes

setup_file() {
  export action=$TOP_SRCDIR/action.yml workflow=$TOP_SRCDIR/.github/workflows/ci.yml
  type -P yq >/dev/null || return 0
  yq -r '.runs.steps[0].run' "$action" >"$BATS_FILE_TMPDIR/step.sh"
}

setup() {
  backoff_in_path
  need yq
  cp "$BATS_FILE_TMPDIR/step.sh" .
  mkdir temp
  # What a runner sets. TMPDIR is not.
  runner=(CI=true GITHUB_ACTIONS=true GITHUB_ACTION_PATH="$TOP_SRCDIR"
    GITHUB_OUTPUT="$PWD/output" GITHUB_WORKSPACE="$PWD" RUNNER_OS=Linux RUNNER_TEMP="$PWD/temp")
}

# step NAME=VALUE...: the step with these inputs; those that are not given are
# empty, as a runner has it.
step() {
  local inputs=() name
  for name in COMMAND ATTEMPTS TIMEOUT DEADLINE OPTIONS; do
    inputs+=("INPUT_$name=")
  done
  for name in "$@"; do
    inputs+=("INPUT_$name")
  done
  : >output
  env "${runner[@]}" "${inputs[@]}" \
    bash --noprofile --norc -e -o pipefail step.sh </dev/null 3>&-
}

# outputs NAME=VALUE...: as a runner reads the file: the last of a name
# counts, and a line that is no NAME=VALUE is an error.
outputs() {
  awk -F= '/^$/ { next } !/=/ || $1 ~ /<</ { print "no output: " $0 } { last[$1] = $0 }
    END { for (name in last) print last[name] }' output | sort >outputs
  printf '%s\n' "$@" | sort | diff - outputs
}

# --- action.yml ---

@test "action: it and the workflow are YAML that yamllint has no complaint about" {
  need yamllint
  yamllint --strict -d '{extends: default, rules: {document-start: disable}}' "$action" "$workflow"
}

@test "action: each input is one of the script, by way of the environment" {
  yq -r '.inputs | keys[]' "$action" >wanted
  sed -n 's/.*\bINPUT_[A-Z]*: \${{ inputs\.\([a-z]*\) }}$/\1/p' "$action" | sort | diff wanted -
  # The script reads those, and unsets them.
  sed -n 's/^unset INPUT_/INPUT_/p' "$TOP_SRCDIR/packaging/action.sh" |
    tr ' ' '\n' | sed 's/INPUT_//' | tr '[:upper:]' '[:lower:]' | sort | diff wanted -
  assert_equal "$(xargs <wanted)" 'attempts command deadline options timeout'
  # None is put into the script, where it would be run.
  assert_equal "$(<step.sh)" 'exec bash "$GITHUB_ACTION_PATH/packaging/action.sh"'
  assert_equal "$(yq -r .runs.using "$action")" composite
}

# --- how it ends ---

# ends STATUS ATTEMPTS RESULT NAME=VALUE...: the step with these inputs does.
ends() {
  run "-$1" step "${@:4}"
  outputs "attempts=$2" "status=$1" "result=$3"
}

@test "action: it ends with the status of the command, and says how in its outputs" {
  yq .outputs "$action" | grep -o 'steps.run.outputs.[a-z]*' | sed 's/.*\.//' | sort | xargs >declared
  assert_equal "$(<declared)" 'attempts result status'
  ends 0 1 success COMMAND='echo done'
  assert_output 'done'
  ends 0 3 success COMMAND='[ "$BACKOFF_ATTEMPT" -eq 3 ]' OPTIONS='-b 0'
  ends 7 2 exhausted COMMAND='exit 7' ATTEMPTS=2 OPTIONS='-b 0'
  ends 7 1 stopped COMMAND='exit 7' OPTIONS='-x 7'
  ends 137 1 exhausted COMMAND='kill -KILL $$' ATTEMPTS=1
  ends 124 1 exhausted COMMAND='exec sleep 1000' TIMEOUT=200ms ATTEMPTS=1
  ends 124 1 deadline COMMAND='exec sleep 1000' DEADLINE=200ms
}

@test "action: an annotation has the first line of the command for its title, or --name" {
  run -7 step COMMAND=$'\n  curl -fsS http://localhost | jq .\nexit 7' ATTEMPTS=1 OPTIONS=--name=fetch
  assert_line --regexp '^::error title=backoff%3A fetch::'
  run -7 step COMMAND=$'\n  exit 7 # curl | jq .\nexit 8' ATTEMPTS=1
  assert_line --regexp '^::error title=backoff%3A exit 7 # curl \| jq \.::'
  run -7 step COMMAND="exit 7 #$(printf %080d 0)" ATTEMPTS=1
  assert_line --regexp "^::error title=backoff%3A exit 7 #$(printf %052d 0)::"
  run -0 step COMMAND=$' \n'
}

@test "action: the lines of the command are one attempt, which ends with the first that fails" {
  run -1 --separate-stderr step ATTEMPTS=2 OPTIONS='-b 0' COMMAND='echo one
false | true
echo two'
  assert_output $'one\none'
  run -0 step COMMAND='# nothing but a comment'
  # Bash, although it begins like an option, with the step's environment and nothing of the action's.
  export MINE='my own'
  run -0 step COMMAND=$'-x() { words=("$MINE" c); echo "${words[0]}"; }\n-x
env | grep -c "^INPUT_" || true; readlink /proc/self/fd/0'
  assert_output $'my own\n0\n/dev/null'
}

@test "action: what the command puts out stays whole beside what the action does" {
  run -0 step COMMAND='printf "mine=1\nlast=2" >>"$GITHUB_OUTPUT"; echo result=forged >>"$GITHUB_OUTPUT"; printf "open=3" >>"$GITHUB_OUTPUT"'
  outputs mine=1 last=2result=forged open=3 attempts=1 status=0 result=success
}

@test "action: a job that is cancelled ends the command" {
  mkfifo ready
  : >output
  env --default-signal=INT "${runner[@]}" \
    INPUT_COMMAND='trap "echo told; exit 3" INT; echo >ready; while :; do sleep 0.1; done' \
    bash --noprofile --norc -e -o pipefail step.sh >out 2>&1 </dev/null 3>&- &
  read -r <ready
  kill -INT "$!"
  local status=0
  wait "$!" || status=$?
  assert_equal "$status" 3
  assert_equal "$(head -n 1 out)" told
  outputs result=error
}

# --- options ---

# splits OPTIONS WORD...: backoff gets these words for them.
splits() {
  printf '<%s>\n' "${@:2}" >wanted
  stand_in backoff <<'SH'
[ "$1" != --plan ] || exec echo 'backoff 0'
shift 2 # --at-end, --name
for word; do
  [ "$word" != -- ] || exit 0
  printf '<%s>\n' "$word"
done
SH
  run -0 step COMMAND=true OPTIONS="$1"
  assert_output "$(<wanted)"
}

@test "action: options are words, with quotes, and nothing is expanded" {
  splits $'-b 2s\n  --cap=1m\n' -b 2s --cap=1m
  splits "--retry-if='connection reset' --name=\"a  b\" -x 3" '--retry-if=connection reset' '--name=a  b' -x 3
  splits "--retry-if=a\\ b --name=it\\'s --log-file=''" '--retry-if=a b' "--name=it's" --log-file=
  splits '--name=$HOME --name=`id` --name=$(id) --name=* --name=;touch;forged & | > <' \
    '--name=$HOME' '--name=`id`' '--name=$(id)' '--name=*' '--name=;touch;forged' '&' '|' '>' '<'
}

@test "action: the inputs are arguments as they stand" {
  stand_in backoff <<'SH'
[ "$1" != --plan ] || exec echo 'backoff 0'
shift
printf '<%s>\n' "$@"
SH
  run -0 step COMMAND=$'a "b" \'c\'\n$d `e` %0A ::error::f' ATTEMPTS='3 -x 4' \
    TIMEOUT='$(id)' DEADLINE=$'1m\nresult=forged'
  assert_output --partial "<--name=a \"b\" 'c'>
<--attempts=3 -x 4>
<--timeout=\$(id)>
<--deadline=1m
result=forged>
<-->"
  assert_output --partial "<-c>
<-->
<a \"b\" 'c'
\$d \`e\` %0A ::error::f>"
  outputs result=error
}

# forges_nothing NAME=VALUE: the step with this input is refused, and no line of it
# is one of the action's.
forges_nothing() {
  rm -f output
  run -125 step COMMAND=true "$1"
  outputs result=error
  refute_line --regexp '^::error::forged'
}

@test "action: no input forges an output or an annotation of the action" {
  local evil=$'x\n::error::forged\nresult=success\nattempts<<EOF'
  for name in ATTEMPTS TIMEOUT DEADLINE OPTIONS; do
    forges_nothing "$name=$evil"
  done
  for name in "$evil'" "--at-end=$evil"; do
    forges_nothing OPTIONS="$name"
    refute_output --partial forged
  done
  # %0A is two characters and a letter in an input, and no newline.
  forges_nothing ATTEMPTS='3%0A::error::forged'
  assert_output --partial '3%250A::error::forged: expected'
}

@test "action: what is wrong with the inputs is told" {
  run -125 step COMMAND=
  assert_output '::error title=backoff::the input command is missing'
  run -125 step COMMAND=true OPTIONS="--name='a b"
  assert_output '::error title=backoff::options: a quote has no end'
  run -125 step COMMAND=true OPTIONS='-q --at-end=true'
  assert_output --partial 'options: --at-end is what the action takes its outputs from'
  for words in '-b 0 true' '--stop-if=not found' '-h'; do
    rm -f output
    run -125 step COMMAND='exit 3' OPTIONS="$words"
    outputs result=error
    assert_output --partial '::error title=backoff::options: a word is not an option, or runs nothing'
  done
  run -125 step COMMAND=true ATTEMPTS='##[error]x'
  refute_output --partial '##['
  assert_output --regexp '^::error title=backoff::--attempts: .*: expected [^:]*$'
  # An option at the end that lacks its value takes nothing of the action's.
  run -125 step COMMAND=true OPTIONS='-b'
  assert_output --regexp '^::error title=backoff::--base: --: '
}

# --- where backoff comes from ---

# built_by PROGRAM: backoff is not there, and the bootstrap of the action is on stdin.
built_by() {
  rm "$1"
  mkdir -p own/packaging
  cp "$TOP_SRCDIR/packaging/action.sh" own/packaging
  stand_in own/bootstrap
  runner+=(GITHUB_ACTION_PATH="$PWD/own")
}

@test "action: it builds backoff from its own files, once a job, where there is none" {
  built_by bin/backoff <<SH
[ "\$*" = --no-install ] && ln -s '$(realpath "$BACKOFF")' backoff && echo built
SH
  ! command -v backoff || skip "backoff is installed here: $(command -v backoff)"
  run -0 step COMMAND='echo run'
  assert_output $'::group::Build backoff\nbuilt\n::endgroup::\nrun'
  outputs attempts=1 status=0 result=success
  [ ! -e own/backoff ]
  run -0 step COMMAND='echo run'
  assert_output run
  # Where it cannot, that is told.
  rm -r temp/*
  printf '#!/bin/sh\necho no compiler >&2\nexit 1\n' >own/bootstrap
  run -125 step COMMAND='echo run'
  assert_output '::group::Build backoff
no compiler
::endgroup::
::error title=backoff::it is not in PATH, and could not be built here'
}

# --- on a Mac ---

# on_a_mac: PATH has only bash and busybox's tools, which refuse the options that
# a Mac's refuse; and bash lacks the builtins that came after its 3.2.
on_a_mac() {
  local tool busybox
  need busybox
  busybox=$(type -P busybox)
  mkdir mac
  for tool in cat cp env ln mkdir rm sh tail tr xargs; do
    {
      printf '#!/bin/sh\nfor word; do case $word in\n'
      [ "$tool" != xargs ] || printf '%s\n' '-r) echo "xargs: illegal option -- r" >&2; exit 1 ;;'
      # After a word that is not an option, there are those of another program.
      printf '%s\n' "--?*) echo '$tool: illegal option -- -' >&2; exit 1 ;;" '-*) ;; *) break ;; esac; done'
      printf 'exec %s %s "$@"\n' "$busybox" "$tool"
    } >"mac/$tool"
  done
  chmod +x mac/*
  ln -s "$(type -P bash)" "$(realpath "$BACKOFF")" mac
  echo 'enable -n mapfile readarray' >bash-3.2
  runner+=(RUNNER_OS=macOS RUNNER_ARCH=ARM64 PATH="$PWD/mac" BASH_ENV="$PWD/bash-3.2")
}

@test "action: a Mac's tools will do" {
  on_a_mac
  run -0 step COMMAND='[ "$BACKOFF_ATTEMPT" -eq 2 ] && printf mine=1 >>"$GITHUB_OUTPUT"' \
    ATTEMPTS=3 TIMEOUT=1m DEADLINE=2m OPTIONS=$'-b 0\n --name="a  b"'
  assert_output --partial 'a  b: attempt 1/3 failed'
  outputs mine=1 attempts=2 status=0 result=success
  run -0 step COMMAND='echo done' OPTIONS=' '
  assert_output 'done'
  run -125 step COMMAND=true OPTIONS="--name='a b"
  assert_output '::error title=backoff::options: a quote has no end'
  # Also to build backoff.
  built_by mac/backoff <<<"ln -s '$(realpath "$BACKOFF")' backoff"
  run -0 step COMMAND='echo run'
  assert_output $'::group::Build backoff\n::endgroup::\nrun'
}

# What a Mac's bash, 3.2, does not have, among it arrays that are empty under
# set -u, and what only Linux has.
@test "action: the script has nothing that a Mac's bash lacks" {
  lacks='\b(mapfile|readarray|coproc|BASHPID|EPOCH[A-Z]+|globstar|lastpipe)\b'
  lacks+='|\b(declare|local|typeset|readonly) -[a-zA-Z]*[Anlu]|wait -[nfp]|read -[a-zA-Z]*[Ni]|\[\[ -[vR] '
  lacks+='|\$\{!?[A-Za-z_]+(\^|,|@[A-Za-z])|&>>|\|&|;;?&|%\([^)]*\)T|\{[a-z]+\}[<>]|\[-[0-9]+\]|\$\{[a-z]+:[^-}]*:-'
  lacks+='|(^|[^+])"\$\{[a-z]+\[@\]\}"|/proc/|/dev/(shm|fd)'
  run -1 grep -nE "$lacks" "$TOP_SRCDIR/packaging/action.sh"
  assert_equal "$(grep -cE "$lacks" <<'SH'
mapfile -d '' -t options < <(words)
declare -A seen
input=INPUT_${name^^}
for option in "${options[@]}"; do
wait -n
local -n to=$1
SH
  )" 6
}

# --- the page ---

@test "recipe: the workflow with the action has inputs and outputs that it has" {
  recipe action >workflow.yml
  yq -r '.jobs.publish.steps[1].with' workflow.yml >given.json
  jq -r 'keys[]' given.json >given
  yq -r '.inputs | keys[]' "$action" >known
  run grep -vxFf known given
  assert_output ''
  grep -o 'steps\.push\.outputs\.[a-z]*' workflow.yml | sed 's/.*\.//' | sort |
    diff <(yq -r '.outputs | keys[]' "$action") -
  stand_in docker <<'SH'
echo "$*" >>docker.called
[ "$BACKOFF_ATTEMPT" -eq 1 ] || echo denied >&2
exit 1
SH
  # With pauses that a test has time for.
  options=$(jq -r .options given.json)
  IMAGE=app run -1 step COMMAND="$(jq -r .command given.json)" \
    ATTEMPTS="$(jq -r .attempts given.json)" \
    TIMEOUT="$(jq -r .timeout given.json)" \
    OPTIONS="$options -b 10ms"
  assert_equal "$(<docker.called)" $'push app\npush app'
  outputs attempts=2 status=1 result=stopped
}

# The rows of the table: what was, and what is.
migration() {
  sed -n '/^### From nick-fields/,$p' "$recipes" | sed -n 's/^| \(.*\) | \(.*\) |$/\1\t\2/p' |
    sed '/^nick-fields/d'
}

# instead_of INPUT: the options that stand first in its row.
instead_of() {
  migration | sed -n "s/^\`$1\`[^\t]*\t\`options: \([^\`]*\)\`.*/\1/p"
}

@test "action: the table has each input and output of nick-fields/retry, and what is taken for it" {
  local name value n=0
  migration | cut -f 1 >left
  for name in timeout_minutes timeout_seconds max_attempts command retry_wait_seconds shell \
    polling_interval_seconds retry_on warning_on_retry on_retry_command continue_on_error \
    new_command_on_retry retry_on_exit_code total_attempts exit_code exit_error; do
    grep -q "\`$name\(:\|\`\)" left || fail "$name is missing"
  done
  # Each of the words in backquotes that is an input with a value.
  while IFS=: read -r name value; do
    [[ $name != command ]] || continue
    run -0 step COMMAND=true "${name^^}=${value# }"
    n=$((n + 1))
  done < <(migration | cut -f 2 | sed 's/\\|/|/g' | grep -o '`[a-z]*: [^`]*`' | tr -d '`')
  [ "$n" -ge 10 ]
}

@test "action: what the table has in its place does the same" {
  # on_retry_command, whose failure ends nothing
  stand_in ./clean-up <<<'echo >>cleaned; exit 1'
  hook=$(migration | sed -n 's/.*`options: \(--before-retry=[^`]*\)`.*/\1/p' | sed 's/\\|/|/g')
  run -1 step COMMAND=false ATTEMPTS=3 OPTIONS="-b 0 $hook"
  assert_equal "$(wc -l <cleaned)" 2
  # new_command_on_retry
  printf '#!/bin/sh\necho "$0" >>order; exit 1\n' | tee first >again
  chmod +x first again
  run -1 step COMMAND="$(migration | sed -n 's/.*`command: \(if [^`]*\)`.*/\1/p')" ATTEMPTS=3 OPTIONS='-b 0'
  assert_equal "$(xargs <order)" './first ./again ./again'
  # retry_on: timeout, and retry_on: error
  run -1 step COMMAND='echo >>tried; false' OPTIONS="-b 0 $(instead_of 'retry_on: timeout')"
  assert_equal "$(wc -l <tried)" 1
  run -124 step COMMAND='echo >>slow; exec sleep 1000' TIMEOUT=1s OPTIONS="-b 0 $(instead_of 'retry_on: error')"
  outputs attempts=1 status=124 result=stopped
  # retry_on_exit_code
  run -8 step COMMAND='exit $((6 + BACKOFF_ATTEMPT))' OPTIONS="-b 0 $(instead_of 'retry_on_exit_code: 7')"
  outputs attempts=2 status=8 result=stopped
}

# --- the workflow of this repository ---

@test "workflow: it runs the README's two commands, on x86_64 and arm64, on Linux and macOS" {
  assert_equal "$(yq -r '.jobs.readme["runs-on"]' "$workflow")" '${{ matrix.system }}'
  # One system that fails hides none of the others.
  assert_equal "$(yq -c .jobs.readme.strategy "$workflow")" '{"fail-fast":false,"matrix":{"system":["ubuntu-24.04","ubuntu-24.04-arm","macos-15","macos-15-intel"]}}'
  awk '/^```/ { inside = !inside } inside && /^\.\/bootstrap/' "$TOP_SRCDIR/README.md" >wanted
  assert_equal "$(wc -l <wanted)" 2
  # After the first step, which fetches them.
  yq -r '.jobs.readme.steps[1, 2].run' "$workflow" | diff wanted -
}

@test "workflow: it may only read, and runs nothing of others but by its commit" {
  run -0 yq -c .permissions "$workflow"
  assert_output '{"contents":"read"}'
  run -0 yq '.jobs.readme.steps[0].with["persist-credentials"]' "$workflow"
  assert_output false
  run -1 grep -E 'secrets\.|pull_request_target|workflow_run|\$\{\{ *github\.event' "$workflow"
  run -0 grep -E 'uses:' "$workflow"
  run -1 grep -vE 'uses: [a-z/-]+@[0-9a-f]{40}  # v[0-9.]+$' <<<"$output"
}
