#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The recipes of docs/recipes.md, run as they stand there: against servers on
# loopback, in namespaces, and where there is no such service, with a
# stand-in for its program. cron.bats and action.bats have the rest of them.
# shellcheck shell=bash disable=SC2154 # the helpers set these

load helper
load ../lib/server
load ../lib/recipes
load ../lib/redis

setup() {
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here" || return
  backoff_in_path
}

teardown() {
  stop_redis
  server_teardown
}

# hurries N: the clock of backoff has N seconds in what is one. A recipe's own
# limits are to stay so long that what it runs has the time.
hurries() {
  need_faketime
  export LD_PRELOAD=$preload FAKETIME="+0 x$1" FAKETIME_ONLY_CMDS=backoff
}

# by_lines NAME COMMAND...: runs the recipe by that command, which reads it
# from a file; what it says on stderr is in err.
by_lines() {
  local name=$1
  shift
  recipe "$name" >"$BATS_TEST_TMPDIR/$name"
  "$@" "$BATS_TEST_TMPDIR/$name" 2>err </dev/null 3>&-
}

# paused: what runs in the background has announced a pause.
paused() {
  grep -q 'next in' err
}

# waits_for NAME COMMAND...: the recipe is in a pause, then the command makes
# true what it waits for, and it succeeds.
waits_for() {
  local name=$1
  shift
  : >err
  by_lines "$name" bash -e &
  wait_for paused
  "$@"
  wait "$!"
}

# fails_at_first N TOOL: a stand-in that fails N times, with 7, and then
# succeeds; it notes its arguments in TOOL.called.
fails_at_first() {
  local n=$1 tool=$2
  {
    printf 'echo "$*" >>"%s.called"\n' "$PWD/${tool##*/}"
    fails_then_succeeds "$n" "$PWD/${tool##*/}.count"
  } | stand_in "$tool"
}

# ends STATUS PROCESS: it does, with that status.
ends() {
  local got=0
  wait "$2" || got=$?
  assert_equal "$got" "$1"
}

called() {
  assert_equal "$(cat "${1##*/}.called")" "$(printf '%s\n' "${@:2}")"
}

# --- the page ---

@test "recipes: each block of the page has a name, and a test" {
  awk '/^<!-- test: / { named = 1; print $3 > "names"; next }
    /^```/ { inside = !inside; if (inside && !named) print "unnamed: line " NR }
    { named = 0 }' "$recipes" >unnamed
  assert_equal "$(<unnamed)" ''
  assert_equal "$(sort names | uniq -d)" ''
  while read -r name; do
    grep -Eq "(recipe|by_lines|waits_for|yaml_of|job|sync_runs|told [a-z]+) $name( |\$|\))" \
      "$TOP_SRCDIR"/tests/bats/{recipes,cron,action}.bats || fail "no test of $name"
  done <names
}

@test "recipes: links lead to headings and files that exist" {
  sed -n 's/^#* //p' "$recipes" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z\n-' >anchors
  grep -o '](#[^)]*)' "$recipes" | tr -d ']()#' | sort -u >links
  run grep -vxF -f anchors links
  assert_output ''
  grep -o '`tests/[^`]*`' "$recipes" | tr -d '`' | while read -r file; do
    [ -e "$TOP_SRCDIR/$file" ] || fail "$file does not exist"
  done
}

@test "recipes: the YAML is YAML, and yamllint has no complaint" {
  need_yaml
  awk '/^<!-- test: / { name = $3 } /^```/ { inside = 0 }
    inside { print > (name ".yml") } /^```yaml/ { inside = 1 }' "$recipes"
  for file in *.yml; do
    yaml_value "$file" >/dev/null
  done
  need yamllint
  yamllint --strict -d \
    '{extends: default, rules: {document-start: disable, truthy: {check-keys: false}}}' ./*.yml
}

@test "recipes: the workflows follow GitHub's own schema" {
  need action-validator
  mkdir -p .github/workflows
  for name in github action; do
    # A name that ends in action.yml is that of an action to it.
    recipe "$name" >".github/workflows/$name-workflow.yml"
    action-validator ".github/workflows/$name-workflow.yml"
  done
}

@test "recipes: shellcheck has no complaint about the scripts" {
  need shellcheck
  awk '/^<!-- test: / { name = $3 } /^```/ { inside = 0 }
    inside { print > (name ".sh") } /^```sh/ { inside = 1 }' "$recipes"
  # Variables that are yours.
  shellcheck --norc -s bash -e SC2154,SC2016 ./*.sh
}

# --- CI ---

# yaml_of NAME KEY...: a value of that recipe.
yaml_of() {
  local name=$1
  shift
  need_yaml
  recipe "$name" >"$name.yml"
  yaml_value "$name.yml" "$@"
}

@test "recipe: a step of GitHub Actions" {
  need_yaml
  hurries 30
  yaml_of github jobs publish steps 1 run >step.sh
  # The build succeeds; of the three pushes, the first two do not.
  stand_in docker <<SH
echo "\$*" >>docker.called
[ "\$1" = push ] || exit 0
$(fails_then_succeeds 2 "$PWD/count")
SH
  IMAGE=app run -0 env CI=true GITHUB_ACTIONS=true \
    bash --noprofile --norc -e -o pipefail step.sh
  called docker 'build -t app .' 'push app' 'push app' 'push app'
}

@test "recipe: a step of GitHub Actions that is cancelled tells the command to end" {
  need_yaml
  yaml_of github jobs publish steps 1 run >step.sh
  mkfifo ready
  stand_in docker <<'SH'
[ "$1" = push ] || exit 0
trap 'echo told >>told; exit 3' INT
echo >ready
while :; do sleep 0.1; done
SH
  # The runner's signal goes to the process that it has started, and to no
  # other; INT is not to be ignored, as it is in a job of this shell.
  IMAGE=app env --default-signal=INT CI=true GITHUB_ACTIONS=true \
    bash --noprofile --norc -e -o pipefail step.sh >out 2>&1 3>&- &
  read -r <ready
  kill -INT "$!"
  ends 3 "$!"
  assert_equal "$(<told)" told
}

@test "recipe: a job of GitLab" {
  need_yaml
  need curl
  server_setup
  hurries 10
  yaml_of gitlab upload script >job.sh
  stand_in make <<<'echo "whole" >app.tar.gz'
  answers_ready
  URL=http://127.0.0.1:$PORT
  : >err
  # It is not up at first; then it is busy; then it takes the file.
  UPLOAD_URL=$URL/503/200/app.tar.gz bash -e -o pipefail job.sh 2>err </dev/null 3>&- &
  wait_for paused
  "$START"
  wait "$!"
  cmp app.tar.gz "$BATS_TEST_TMPDIR/served/app.tar.gz"
  # What can only go wrong again is not tried again, and GitLab lets it pass.
  UPLOAD_URL=$URL/400/app.tar.gz run "-$(yaml_of gitlab upload allow_failure exit_codes)" \
    bash -e -o pipefail job.sh
  assert_output --partial 'not retrying after attempt 1:'
}

@test "recipe: a step of Buildkite" {
  need_yaml
  hurries 100
  yaml_of buildkite steps 0 command >step.sh
  fails_at_first 1 ./integration-test
  run -0 bash -e step.sh
  assert_line --partial 'attempt 1/3 failed'
  rm integration-test.count
  fails_at_first 3 ./integration-test
  run -7 bash -e step.sh
}

# --- containers and services ---

# as_process_1 COMMAND...: in the background, as in a container of its own.
as_process_1() {
  need_namespace --pid --fork --kill-child --mount-proc
  "${namespace[@]}" "$@" >out 2>err </dev/null 3>&- &
  container=$!
}

# stop_container: its process 1 is the child of unshare.
stop_container() {
  kill -TERM "$(cat "/proc/$container/task/$container/children")"
}

# entrypoint: sets that of the Dockerfile, and its CMD.
entrypoint() {
  recipe docker >Dockerfile
  mapfile -t entry < <(python3 -S -c '
import json, re
for word in ("ENTRYPOINT", "CMD"):
  print(*json.loads(re.search("^%s (.*)$" % word, open("Dockerfile").read(), re.M)[1]), sep="\n")')
}

@test "recipe: an ENTRYPOINT of Docker passes the TERM of docker stop on" {
  need_proc
  entrypoint
  stand_in worker <<'SH'
trap 'echo told; exit 5' TERM
echo "ready $PPID"
while :; do sleep 0.1; done
SH
  : >out
  as_process_1 "${entry[@]}"
  wait_for grep -q ready out
  stop_container
  ends 5 "$container"
  assert_equal "$(<out)" $'ready 1\ntold'
}

@test "recipe: an ENTRYPOINT of Docker ends in a pause with 143" {
  need_proc
  entrypoint
  stand_in worker <<<'exit 7'
  : >err
  as_process_1 "${entry[@]}"
  wait_for paused
  stop_container
  ends 143 "$container"
}

@test "recipe: an ENTRYPOINT of Docker reaps what others leave behind" {
  need_proc
  entrypoint
  mkfifo go
  # The shell that ends leaves an orphan, which process 1 gets.
  stand_in worker <<'SH'
(sh -c 'echo $$ >orphan' &)
read -r _ <go
echo $$ >worker
exec sleep 1000
SH
  as_process_1 "${entry[@]}"
  wait_for test -s orphan
  echo >go
  wait_for test -s worker
  # By its number in there, which /proc of the namespace knows.
  pid_1=$(cat "/proc/$container/task/$container/children")
  no_orphan() {
    ! nsenter -t "${pid_1% }" -p -m ls "/proc/$(<orphan)" 2>/dev/null
  }
  nsenter -t "${pid_1% }" -p -m true 2>/dev/null || {
    kill -KILL "$container"
    skip "the namespace cannot be entered"
  }
  wait_for no_orphan
  stop_container
  ends 143 "$container"
}

@test "recipe: a Job of Kubernetes" {
  need_yaml
  hurries 10
  container_of=(spec template spec containers 0)
  {
    yaml_of kubernetes "${container_of[@]}" command
    yaml_of kubernetes "${container_of[@]}" args
  } >words
  mapfile -t words <words
  fails_at_first 1 ./migrate
  run -0 "${words[@]}"
  called ./migrate --to=latest --to=latest
  # Its own limits are the narrower ones.
  assert_equal "${words[*]:0:6}" 'backoff -T 12m -t 3m --grace=20s'
  run cat kubernetes.yml
  assert_line --regexp '^ *restartPolicy: Never$'
  [ "$(sed -n 's/.*terminationGracePeriodSeconds: //p' kubernetes.yml)" -gt 20 ]
  [ "$(sed -n 's/.*activeDeadlineSeconds: //p' kubernetes.yml)" -gt $((12 * 60)) ]
}

# in_a_system COMMAND...: where /usr/local/bin has backoff and upload; after
# need_mounts.
in_a_system() {
  "${namespace[@]}" sh -c 'mount --bind "$0" /usr/local/bin && exec "$@"' \
    "$BATS_TEST_TMPDIR/bin" "$@"
}

@test "recipe: a service and a timer of systemd" {
  need_mounts
  fails_at_first 0 upload
  recipe systemd-service >upload.service
  recipe systemd-timer >upload.timer
  run -0 in_a_system sh -c "$(sed -n 's/^ExecStart=//p' upload.service)"
  called upload ''
  need systemd-analyze
  # A key that it does not know is a warning alone.
  run -0 in_a_system systemd-analyze verify ./upload.service ./upload.timer
  assert_output ''
  run -0 systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' upload.timer)"
}

# --- many jobs ---

@test "recipe: make hands its jobserver on" {
  need make
  hurries 100
  mkdir vendor
  cat >vendor/Makefile <<'MAKE'
all: a b
a b:
	echo "$(MAKEFLAGS)" >>../flags
	test -e ../again || { touch ../again; exit 1; }
MAKE
  fails_at_first 1 curl
  printf 'all: data.json vendor\n.PHONY: vendor\n' >Makefile
  recipe make >>Makefile
  URL=$URL/data.json run -0 env -u MAKEFLAGS -u MAKELEVEL make -j2
  refute_output --partial 'jobserver unavailable'
  assert_output --partial 'attempt 1/2 failed'
  assert_output --partial 'attempt 1/5 failed'
  grep -q -e '--jobserver-auth' flags
  called curl "-fsS -o data.json /data.json" "-fsS -o data.json /data.json"
}

@test "recipe: xargs goes on after a host whose ssh fails with 255" {
  hurries 100
  seq -f 'web%g' 9 >hosts
  stand_in ssh <<'SH'
[ "$1" = -n ] || exit 9
echo "$2" >>asked
case $2 in web[12]) exit 255 ;; web3) kill -TERM $$ ;; esac
SH
  run -123 by_lines xargs sh
  sort asked | uniq -c | awk '{ print $2 "*" $1 }' >counted
  assert_equal "$(xargs <counted)" 'web1*3 web2*3 web3*3 web4*1 web5*1 web6*1 web7*1 web8*1 web9*1'
  # It stops where nothing makes the 255 a 1.
  rm asked
  run -124 xargs -P 1 -I{} backoff -n 1 -- ssh -n {} uptime <hosts
  assert_equal "$(<asked)" web1
}

@test "recipe: CI runners, which share a gate and slots" {
  need_answer byte_lock
  need_redis
  start_redis
  stand_in docker <<<'echo "$*" "$BACKOFF_SLOTS" >>pushed; exit 1'
  export BACKOFF_FLEET=unix:$REDIS_SOCKET IMAGE=app
  # Two runners that fail shut the gate for the third one.
  recipe fleet | sed 's/ -t / -n 1 -t /' >once
  BACKOFF_STATE_DIR=$PWD/one run -1 bash once
  BACKOFF_STATE_DIR=$PWD/one run -1 bash once
  # A row lasts for a second.
  sleep 1
  BACKOFF_STATE_DIR=$PWD/two run -1 bash once
  assert_output --partial 'gate fleet:registry shut'
  assert_equal "$(grep -c '^push app fleet:registry:' pushed)" 3
  stand_in docker <<<'echo "$BACKOFF_GATE" >>pushed'
  BACKOFF_STATE_DIR=$PWD/three by_lines fleet bash
  run cat pushed
  assert_line --index 3 --regexp 'probing|ramp'
  run cat err
  assert_line --partial 'gate fleet:registry open after'
}

@test "recipe: GNU parallel, with backoff inside" {
  parallel --version 2>/dev/null | grep -q GNU || skip "GNU parallel is not installed"
  need curl
  server_setup
  hurries 100
  HOME=$PWD
  export HOME
  mkdir -p .parallel
  touch .parallel/will-cite
  answers_ready
  "$START"
  for n in 1 2 3 4 5; do
    echo "$n" >"$BATS_TEST_TMPDIR/served/$n"
  done
  printf "http://127.0.0.1:$PORT/%s\n" 503/200/1 2 404/none 3 503/503/200/4 5 >urls
  run -1 by_lines parallel bash
  cat 1 2 3 4 5 >got
  assert_equal "$(xargs <got)" '1 2 3 4 5'
  # The column of the statuses: one of the six has failed, and says how.
  assert_equal "$(cut -f 7 jobs.log | sort | xargs)" '0 0 0 0 0 22 Exitval'
}

@test "recipe: a Slurm array job" {
  fails_at_first 0 srun
  export SLURM_ARRAY_TASK_ID=17
  # The lines that Slurm reads are comments before the first command.
  recipe slurm >job
  assert_equal "$(head -n 1 job)" '#!/bin/bash'
  assert_equal "$(sed -n '2,4p' job | grep -c '^#SBATCH --[a-z]*=[^ ]*$')" 3
  chmod +x job
  hurries 100
  run -0 ./job
  called srun './simulate 17'
}

# --- told to wait ---

# told TOOL RECIPE STATUS WORDS: a stand-in for TOOL prints WORDS and fails with STATUS, and
# succeeds at the second attempt; the recipe has waited for what they say, a second.
told() {
  printf '%s\n' "$4" >words
  printf '[ "$BACKOFF_ATTEMPT" -gt 1 ] || { cat words >&2; exit %d; }\n' "$3" | stand_in "$1"
  run -0 by_lines "$2" bash
  run -0 cat err
  assert_output --partial 'server asked for 1s'
}

@test "recipes: services say when to come back, and are waited for" {
  export API=http://127.0.0.1 CHAT=1 TEXT=hello TOKEN=secret
  echo hello >prompt
  hurries 100
  told cargo crates 101 'You have published too many new crates. Please try again after 1 second or email help@crates.io'
  told certbot certbot 1 'too many failed authorizations recently: retry after 1s: see https://letsencrypt.org/docs/rate-limits/'
  told curl github-api 22 $'X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1\ncurl: (22) The requested URL returned error: 429'
  told claude model 1 "You've hit your session limit, resets in 1s"
  told curl telegram 22 '{"ok":false,"error_code":429,"parameters":{"retry_after":1}}'
}

# --- waiting ---

@test "recipe: waiting for a port, and the way by bash alone" {
  need nc
  server_setup
  hurries 5
  answers_ready
  export HOST=127.0.0.1 PORT
  line=$(grep -o "bash -c ': <[^\`]*" "$recipes")
  run -1 bash -c "$line"
  waits_for port "$START"
  run -0 bash -c "$line"
}

@test "recipe: waiting for a database" {
  need pg_isready
  server_setup
  hurries 5
  start_script "$(type -P python3)" -S "$TOP_SRCDIR/tests/lib/postgres.py" "$PORT" starting ready
  export HOST=127.0.0.1 PORT
  waits_for database "$START"
  # For a wrong option there is no waiting.
  PGSSLMODE=none-such run -3 by_lines database bash
  run cat err
  assert_output --partial 'exit 3 (no attempt was made) (--stop-on)'
}

@test "recipe: waiting for a file" {
  hurries 10
  # It is not to be six in the morning.
  FAKETIME='@2026-01-01 00:00:00 x10'
  mkdir incoming
  waits_for file sh -c 'echo >incoming/today.csv'
}

@test "recipe: waiting for an HTTP 200" {
  need curl
  server_setup
  answers_ready
  echo here >"$BATS_TEST_TMPDIR/served/page"
  export URL=http://127.0.0.1:$PORT/503/404/200/page
  waits_for http "$START"
  assert_equal "$(<page.html)" here
  assert_equal "$(grep -c 'curl: (22)' err)" 2
}

@test "recipe: polling until JSON says done" {
  need jq
  need curl
  server_setup
  hurries 10
  cd "$BATS_TEST_TMPDIR/served" || return
  echo '{"state": "running"}' >job
  answers_ready
  "$START"
  export URL=http://127.0.0.1:$PORT/job
  finish() {
    echo '{"state": "done"}' >job.new
    mv job.new job
  }
  waits_for json finish
  assert_equal "$(grep -c 'exit 1;' err)" 1
  echo '{"state": "failed"}' >job
  run -3 by_lines json bash
  run cat err
  assert_line 'it has failed'
  assert_line --partial 'not retrying after attempt 1: exit 3 (--stop-on)'
}

# --- flaky tests ---

@test "recipe: a flaky test until it fails" {
  stand_in ./flaky-test <<'SH'
echo "run" >>runs
echo "this is run $BACKOFF_ATTEMPT"
[ "$BACKOFF_ATTEMPT" -lt 50 ] || exit 3
SH
  recipe until-it-fails >line
  run -3 --separate-stderr sh line
  assert_output 'this is run 50'
  assert_equal "$(wc -l <runs)" 50
}

@test "recipe: a flaky test until three in a row pass" {
  stand_in ./flaky-test <<'SH'
case $BACKOFF_ATTEMPT in 1 | 4 | 6) exit 1 ;; esac
echo "$BACKOFF_ATTEMPT" >>passed
SH
  recipe three-in-a-row >line
  run -0 sh line
  assert_equal "$(xargs <passed)" '2 3 5 7 8 9'
  stand_in ./flaky-test <<'SH'
echo >>runs
[ $((BACKOFF_ATTEMPT % 3)) -ne 0 ]
SH
  run -1 sh line
  assert_equal "$(wc -l <runs)" 20
}

@test "recipe once: a job that still runs is not started again" {
  need_answer byte_lock
  mkfifo started go
  stand_in ./sync.sh <<<'echo run >>ran; echo >started; read -r line <go'
  # Without the five fields that say when.
  recipe once | cut -d' ' -f6- >line
  bash line 3>&- &
  read -r _ <started
  run -75 bash line
  assert_output ''
  echo >go
  wait $!
  assert_equal "$(wc -l <ran)" 1
}
