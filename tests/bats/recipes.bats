#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The recipes of docs/recipes.md, run as they stand there: against servers on
# loopback, in namespaces, and where there is no such service, with a
# stand-in for its program. cron.bats and action.bats have the rest of them.

load helper
load ../lib/server
load ../lib/process
load ../lib/recipes
load ../lib/redis

setup() {
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here" || return
  backoff_in_path
}

teardown() {
  end_all
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
  local lines=$BATS_TEST_TMPDIR/lines
  recipe "$1" >"$lines"
  shift
  "$@" "$lines" 2>err </dev/null 3>&-
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
    grep -Eoh "(recipe|by_lines|waits_for|yaml_of|line_of|job|sync_runs|told [a-z]+) $name(/[^ )]*| |\$|\))" \
      "$TOP_SRCDIR"/tests/bats/{recipes,cron,action}.bats | sort -u >tests
    [ -s tests ] || fail "no test of $name"
    # Of each paragraph, where it is tested by paragraphs.
    if grep -q / tests; then
      assert_equal "$name $(sed 's,.*/,,' tests | sort -u | wc -l)" \
        "$name $(recipe "$name" | awk 'BEGIN { RS = "" } END { print NR }')"
    fi
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
  awk '/^<!-- test: / { name = $3 } /^```/ { inside = 0 }
    inside { print > (name ".yml") } /^```yaml/ { inside = 1 }' "$recipes"
  need yamllint
  yamllint --strict -d \
    '{extends: default, rules: {document-start: disable, truthy: {check-keys: false}}}' ./*.yml
}

@test "recipes: shellcheck has no complaint about the scripts" {
  need shellcheck
  awk '/^<!-- test: / { name = $3 } /^```/ { inside = 0 }
    inside { print > (name ".sh") } /^```sh/ { inside = 1 }' "$recipes"
  # Variables that are yours.
  shellcheck --norc -s bash -e SC2154,SC2016 ./*.sh
}

# --- the README ---

# readme WORD STATUS COMMAND...: runs the README's example with that word, which ends so.
readme() {
  local got=0
  recipes=$TOP_SRCDIR/README.md by_lines "readme/$1" "${@:3}" || got=$?
  assert_equal "$got" "$2"
  echo >>run
}

@test "README: each example runs as it stands there" {
  hurries 10
  export HOME=$PWD url=u job_url=j api=a
  fails_at_first 1 rsync
  readme rsync 0 bash
  called rsync '-a photos/ backup:photos/' '-a photos/ backup:photos/'
  FAKETIME='+0 x100'
  stand_in curl <<<'[ "$BACKOFF_ATTEMPT" -gt 1 ] || { echo "Retry-After: 1" >&2; exit 22; }'
  readme Honour 0 bash
  grep -q 'server asked for 1s' err
  stand_in ssh <<<'[ "$BACKOFF_ATTEMPT" -gt 1 ] || exit 255; exit 1'
  readme ssh 1 bash
  grep -q 'attempt 1/8 failed' err
  stand_in curl <<<'[ "$BACKOFF_ATTEMPT" -gt 2 ] && state=done; echo "{\"state\": \"${state:-running}\"}"'
  readme Poll 0 bash
  assert_equal "$(grep -c 'next in 5s' err)" 2
  stand_in ./print-version <<<'[ "$BACKOFF_ATTEMPT" -gt 1 ] || { echo 1; exit 1; }; echo 1.2'
  readme version 0 bash -c '. "$0"; echo "$version" >version'
  assert_equal "$(<version)" 1.2
  stand_in pg_dump <<<'echo "$*" >>dumped; seq 20000'
  stand_in curl <<<'cmp - <(seq 20000) && [ "$BACKOFF_ATTEMPT" -gt 1 ]'
  sed -i '1s/sh$/bash/' "$(type -P curl)"
  readme pg_dump 0 bash
  assert_equal "$(<dumped)" '-Fc app'
  stand_in bin/feed <<<'echo said; [ "$BACKOFF_ATTEMPT" -gt 1 ]'
  readme crontab 0 bash -c 'eval "$(sed "/^#/d; s,.* /usr/local/bin/,," "$0")"'
  assert_equal "$(<err)" ''
  stand_in seq <<<"exec '$(type -P seq)' 20"
  stand_in curl <<<'[ "$BACKOFF_ATTEMPT" -gt 1 ] || exit 7; echo "$2" >>fetched'
  readme gate=api 0 bash
  assert_equal "$(sort -u fetched | wc -l)" 20
  fails_at_first 1 ./integration-tests
  readme exec 0 bash
  assert_equal "$(wc -l <run)" "$(recipes=$TOP_SRCDIR/README.md recipe readme | awk 'BEGIN { RS = "" } END { print NR }')"
}

@test "README: its first line does not retry a 404, but an outage" {
  hurries 100
  sed -n '/^```sh/{n; p; q}' "$TOP_SRCDIR/README.md" >line
  stand_in curl <<<'echo >>asked; echo "curl: ($code) $said" >&2; exit "$code"'
  code=22 said='The requested URL returned error: 404' run -22 bash line
  assert_equal "$(wc -l <asked)" 1
  code=7 said='Failed to connect' run -7 bash line
  [ "$(wc -l <asked)" -gt 10 ]
}

# drawn: of lines, all but what differs from run to run.
drawn() {
  sed -E 's/(after|next in|port) [0-9.]+( ?m?s\>)?/\1 #/g'
}

@test "README: the drawing of backoff at work shows what a run prints" {
  need curl
  server_setup
  answers_ready
  echo '{"status":"up"}' >"$BATS_TEST_TMPDIR/served/health"
  # The server is there from the second attempt on.
  stand_in curl <<SH
[ "\$BACKOFF_ATTEMPT" != 2 ] || "$START"
exec $(type -P curl) --disable --noproxy '*' "\$@"
SH
  sed -n 's,^<text [^>]*>\(.*\)</text>$,\1,p' "$TOP_SRCDIR/docs/at-work.svg" | drawn >wanted
  # shellcheck disable=SC2034 # for the line
  url=http://127.0.0.1:$PORT/503/200/health
  line=$(sed -n '1s/^\$ //p' wanted)
  { echo "\$ $line" && eval "$line" && printf '$ echo $?\n%d\n' $?; } 2>&1 | drawn >got
  run diff wanted got
  assert_success
}

# --- CI ---

# yaml_of NAME FILTER: what yq(1) finds in that recipe.
yaml_of() {
  recipe "$1" >"$1.yml"
  yq -r "$2" "$1.yml"
}

@test "recipe: a step of GitHub Actions" {
  need yq
  hurries 30
  yaml_of github '.jobs.publish.steps[1].run' >step.sh
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

@test "recipe: a job of GitLab" {
  need yq
  hurries 20
  yaml_of gitlab '.upload.script[]' >job.sh
  stand_in make <<<'echo whole >app.tar.gz'
  # It is busy at first, and then it takes the file.
  stand_in curl <<'SH'
[ "${code:-503} $BACKOFF_ATTEMPT" != '503 3' ] || exec cp "$3" "$4"
echo "curl: (22) The requested URL returned error: ${code:-503}" >&2
exit 22
SH
  UPLOAD_URL=uploaded run -0 bash -e -o pipefail job.sh
  cmp app.tar.gz uploaded
  # What can only go wrong again is not tried again, and GitLab lets it pass.
  code=400 UPLOAD_URL=uploaded run "-$(yaml_of gitlab .upload.allow_failure.exit_codes)" bash -e -o pipefail job.sh
  assert_output --partial 'not retrying after attempt 1:'
}

@test "recipe: a step of Buildkite" {
  need yq
  hurries 100
  yaml_of buildkite '.steps[0].command' >step.sh
  fails_at_first 1 ./integration-test
  run -0 bash -e step.sh
  assert_line --partial 'attempt 1/3 failed'
  rm integration-test.count
  fails_at_first 3 ./integration-test
  run -7 bash -e step.sh
}

@test "recipe: a log folded by attempt" {
  stand_in ./integration-test <<<'echo "this is $BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -eq 2 ]'
  hurries 100
  recipe folded >line
  GITHUB_ACTIONS=true run -0 bash -e line
  # Without the empty line in front of the annotation.
  assert_equal "$(sed '/^$/d; s/ failed after .*//; s/ in [0-9.m]*s;.*//' <<<"$output")" '::group::attempt 1
this is 1
backoff: integration-test: attempt 1/3
::endgroup::
::group::attempt 2
this is 2
::warning title=backoff%3A integration-test::succeeded at attempt 2/3
::endgroup::'
}

@test "recipe: one signal each, where the whole group is signalled" {
  need_real_time
  stand_in terraform <<<'exec python3 -S "$PROBE" --exit 3'
  recipe one-signal >deploy
  start -- bash -e deploy
  await "$out" '^ready'
  stop
  signal TERM "-$pid"
  sleep 0.2 # for a command in the group
  signal CONT
  await "$out" '^got TERM'
  barrier
  assert_fate 'exited 3'
  run -0 grep '^seen' "$out"
  assert_output --regexp '^seen CONT=[0-9] TERM=1$'
}

@test "recipe: sudo and -t" {
  hurries 100
  stand_in sudo <<<'[ "$1" = -n ] && shift && exec "$@"'
  stand_in timeout <<<'[ "$*" = "-k 10s 10m apt-get -y upgrade" ] && shift 3 && exec "$@"'
  fails_at_first 2 apt-get
  by_lines sudo/-t bash -e
  called apt-get '-y upgrade' '-y upgrade' '-y upgrade'
  rm apt-get.c*
  by_lines sudo/timeout bash -e
  called apt-get '-y upgrade' '-y upgrade' '-y upgrade'
}

# --- containers and services ---

# real-tools.bats has what a real apt-get makes of that option.
@test "recipe: apt-get in a Dockerfile, each line of it until it succeeds" {
  hurries 10
  fails_at_first 1 apt-get
  recipe run | sed -n '/^RUN .*apt-get/,/[^\\]$/{s/^RUN //;p}' >line
  run -0 bash -e line
  called apt-get '-o APT::Update::Error-Mode=any update' '-o APT::Update::Error-Mode=any update' \
    'install -y --no-install-recommends ca-certificates curl'
}

@test "recipe: a pipeline in a Dockerfile is retried as a whole" {
  hurries 10
  stand_in curl <<<'[ "$BACKOFF_ATTEMPT" -gt 2 ] && exec cat app.tar; head -c 1000 app.tar; exit 18'
  seq 10000 >app
  tar -cf app.tar app
  mv app wanted
  run -0 sh -c "$(recipe run | sed -n 's/^RUN \(.*pipefail\)/\1/p')"
  assert_line --partial 'attempt 2 failed'
  cmp app wanted
}

# For whoever has no right to /var.
in_here() {
  mkdir -p log lock
  sed "s,/var,$PWD,"
}

@test "recipe: a daemon in the background, of which there is one" {
  need flock
  recipe daemon/setsid | in_here >line
  stand_in ./worker <<<'echo "$PPID" >>parents; exec sleep 1000'
  run -0 bash line
  wait_for test -s parents
  run -75 bash line
  assert_equal "$(wc -l <parents)" 1
  # Of another session than this test is.
  [ "$(ps -o sid= "$(<parents)")" != "$(ps -o sid= $$)" ]
  kill "$(<parents)"
  wait_for flock -n lock/worker true
}

@test "recipe: a daemon that is started again after an exit with 0 too, and its log" {
  mkfifo go
  recipe daemon/whenever | in_here >line
  stand_in ./worker <<'SH'
case $BACKOFF_ATTEMPT in
  1 | 3) exit 0 ;;
  2) exit 7 ;;
esac
echo up
read -r _ <go
exit 4
SH
  hurries 100
  bash -c "exec $(<line)" >out 3>&- &
  wait_for grep -q up out
  # logrotate copies the file and empties it; what comes then is all that it has.
  recipe logrotate | sed "s,/var,$PWD," >conf
  type -P logrotate >/dev/null || stand_in logrotate <<'SH'
grep -q copytruncate conf && cp log/worker.log log/worker.log.1 && : >log/worker.log
SH
  logrotate -f -s "$PWD/state" conf
  echo >go
  wait_for grep -q 'attempt 4 ' log/worker.log
  assert_equal "$(cut -d' ' -f 3- log/worker.log | sed 's/ after .*: / /; s/;.*//; s/ (its .*//')" 'worker: attempt 4 failed exit 4'
  assert_equal "$(cut -d' ' -f 3- log/worker.log.1 | sed 's/ after .*: / /; s/;.*//')" 'worker: attempt 1 failed exit 0
worker: attempt 2 failed exit 7
worker: attempt 3 failed exit 0'
  kill "$!"
  ends 143 "$!"
}

# --- in a script ---

@test "recipe: what an earlier attempt has done already is a success" {
  hurries 100
  # Its answer gets lost; then the version is there.
  stand_in npm <<'SH'
[ ! -e published ] || { echo 'npm ERR! You cannot publish over the previously published versions: 1.0.0.' >&2; exit 1; }
echo >published
[ "$lost" = no ] || exit 1
SH
  by_lines publish/npm bash
  assert_equal "$(grep -c 'attempt 1/8 failed' err)" 1
  rm published
  lost=no by_lines publish/npm bash
  assert_equal "$(<err)" ''
}

@test "recipe: what is there at the first attempt is no success, at a later one it is" {
  hurries 1000
  stand_in gh <<<'echo "HTTP 422: $* already exists"; exit 1'
  run -0 by_lines publish/gh bash
  assert_output $'HTTP 422: release create v1.0 already exists\nHTTP 422: release create v1.0 already exists'
  stand_in gh <<<'[ "$BACKOFF_ATTEMPT" -eq 3 ] || { echo "HTTP 500"; exit 1; }'
  run -0 by_lines publish/gh bash
  assert_output $'HTTP 500\nHTTP 500'
  stand_in gh <<<'exit 9'
  run -9 by_lines publish/gh bash
}

@test "recipe: a nested run makes one attempt, or ends the outer one too" {
  hurries 1000
  export URL=x
  stand_in curl <<<'echo >>asked; exit "${status:-7}"'
  recipe nested/DEPTH >inner
  run -7 backoff -n 2 -- sh inner
  assert_equal "$(wc -l <asked)" 2
  run -7 sh inner
  assert_equal "$(wc -l <asked)" 10
  recipe nested/outer >inner
  : >asked
  run -7 backoff -n 2 -- sh inner
  assert_equal "$(wc -l <asked)" 6
  # A malformed URL.
  : >asked
  status=3 run -3 backoff -n 2 -- sh inner
  assert_equal "$(wc -l <asked)" 1
  status=3 run -3 sh inner
  refute_output --partial '/dev/null'
}

@test "recipe: a clean-up at the end comes after a failure, and when the script is killed" {
  need setpriv
  hurries 100
  mkfifo ready
  export TMPDIR=$PWD/tmp
  mkdir tmp
  stand_in ./build <<'SH'
[ -d "$1" ] && echo "$1" >dirs
[ -n "$hangs" ] || exit 5
trap 'echo told >told; exit 3' TERM
echo >ready
while :; do sleep 0.1; done
SH
  run -5 by_lines clean-up bash
  [ ! -e "$(<dirs)" ]
  recipe clean-up >script
  hangs=1 bash script 3>&- &
  read -r _ <ready
  [ -d "$(<dirs)" ]
  kill "$!"
  ends 143 "$!"
  wait_for test -e told
  [ ! -e "$(<dirs)" ]
  # A trap cannot run then.
  rm told
  hangs=1 bash script 3>&- &
  read -r _ <ready
  kill -KILL "$!"
  ends 137 "$!"
  wait_for test -e told
}

@test "recipe: an ENTRYPOINT of Docker passes the TERM of docker stop on" {
  need_proc
  need_namespace --pid --fork --kill-child --mount-proc
  recipe entrypoint | sed 's/^[A-Z]* //' >words
  mapfile -t entry < <(python3 -S -c 'import json
for line in open("words"):
  print(*json.loads(line), sep="\n")')
  stand_in worker <<'SH'
trap 'echo told; exit 5' TERM
echo "ready $PPID"
while :; do sleep 0.1; done
SH
  "${namespace[@]}" "${entry[@]}" >out </dev/null 3>&- &
  wait_for grep -qs ready out
  # Process 1 there is the child of unshare.
  kill -TERM "$(cat "/proc/$!/task/$!/children")"
  ends 5 "$!"
  assert_equal "$(<out)" $'ready 1\ntold'
}

@test "recipe: a Job of Kubernetes" {
  need yq
  hurries 10
  yaml_of kubernetes '.spec.template.spec.containers[0] | (.command + .args)[]' >words
  mapfile -t words <words
  fails_at_first 1 ./migrate
  run -0 "${words[@]}"
  called ./migrate --to=latest --to=latest
  # Its own limits are the narrower ones.
  assert_equal "${words[*]:0:6}" 'backoff -T 12m -t 3m --grace=20s'
  [ "$(sed -n 's/.*terminationGracePeriodSeconds: //p' kubernetes.yml)" -gt 20 ]
  [ "$(sed -n 's/.*activeDeadlineSeconds: //p' kubernetes.yml)" -gt $((12 * 60)) ]
}

# in_a_system COMMAND...: where /usr/local/bin has backoff and upload; after
# need_mounts.
in_a_system() {
  "${namespace[@]}" sh -c 'mount --bind "$0" /usr/local/bin && exec "$@"' \
    "$BATS_TEST_TMPDIR/bin" "$@"
}

@test "recipe: a service of systemd" {
  need_mounts
  fails_at_first 0 upload
  recipe systemd-service >upload.service
  run -0 in_a_system sh -c "$(sed -n 's/^ExecStart=//p' upload.service)"
  called upload ''
  need systemd-analyze
  # A key that it does not know is a warning alone.
  run -0 in_a_system systemd-analyze verify ./upload.service
  assert_output ''
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
  run -123 by_lines many-jobs/ssh sh
  sort asked | uniq -c | awk '{ print $2 "*" $1 }' >counted
  assert_equal "$(xargs <counted)" 'web1*3 web2*3 web3*3 web4*1 web5*1 web6*1 web7*1 web8*1 web9*1'
}

@test "recipe: CI runners, which share a gate and slots" {
  need_answer byte_lock
  need_redis
  start_redis
  stand_in docker <<<'echo "$*" "$BACKOFF_SLOTS" >>pushed; exit 1'
  export BACKOFF_FLEET=unix:$REDIS_SOCKET IMAGE=app
  # Two runners that fail shut the gate for the third one.
  recipe many-jobs/fleet | sed 's/ -t / -n 1 -t /' >once
  BACKOFF_STATE_DIR=$PWD/one run -1 bash once
  BACKOFF_STATE_DIR=$PWD/one run -1 bash once
  # A row of a fleet lasts for two seconds.
  sleep 2
  BACKOFF_STATE_DIR=$PWD/two run -1 bash once
  assert_output --partial 'gate fleet:registry shut'
  assert_equal "$(grep -c '^push app fleet:registry:' pushed)" 3
  stand_in docker <<<'echo "$BACKOFF_GATE" >>pushed'
  BACKOFF_STATE_DIR=$PWD/three by_lines many-jobs/fleet bash
  run cat pushed
  assert_line --index 3 --regexp 'probing|paced'
  grep 'gate fleet:registry open after' err
}

@test "recipe: GNU parallel, with backoff inside" {
  parallel --version 2>/dev/null | grep -q GNU || skip "GNU parallel is not installed"
  hurries 100
  export HOME=$PWD
  mkdir .parallel
  touch .parallel/will-cite
  stand_in curl <<'SH'
[ "$2" != 503 ] || [ "$BACKOFF_ATTEMPT" -gt 1 ] || { echo 'curl: (22) The requested URL returned error: 503' >&2; exit 22; }
[ "$2" != 404 ] || { echo 'curl: (22) The requested URL returned error: 404' >&2; exit 22; }
echo "$2" >>got
SH
  printf '%s\n' 1 503 2 404 3 4 >urls
  run -1 by_lines many-jobs/parallel bash
  assert_equal "$(sort -n got | xargs)" '1 2 3 4 503'
  # The column of the statuses: one of the six has failed, and says how.
  assert_equal "$(cut -f 7 jobs.log | sort | xargs)" '0 0 0 0 0 22 Exitval'
}

@test "recipe: a Slurm array job" {
  fails_at_first 1 srun
  # It makes a script of the last word, and runs that.
  stand_in sbatch <<'SH'
for word; do case $word in -*=*) ;; -*) ;; *) script=$word ;; esac; done
printf '#!/bin/sh\n%s\n' "$script" >job
SLURM_ARRAY_TASK_ID=17 sh job
SH
  hurries 100
  run -0 by_lines many-jobs/Slurm sh
  called srun './simulate 17' './simulate 17'
}

# --- stated waits ---

# told TOOL RECIPE STATUS WORDS: a stand-in for TOOL prints WORDS and fails with STATUS, and
# succeeds at the second attempt; the recipe has waited for what they say, a second.
told() {
  printf '%s\n' "$4" >words
  printf '[ "$BACKOFF_ATTEMPT" -gt 1 ] || { cat words >&2; exit %d; }\n' "$3" | stand_in "$1"
  run -0 by_lines "$2" bash
  grep 'server asked for 1s' err
}

@test "recipes: services say when to come back, and are waited for" {
  export API=http://127.0.0.1 CHAT=1 TEXT=hello TOKEN=secret
  echo hello >prompt
  hurries 100
  told cargo stated-waits/cargo 101 'You have published too many new crates. Please try again after 1 second or email help@crates.io'
  told certbot stated-waits/certbot 1 'too many failed authorizations recently: retry after 1s: see https://letsencrypt.org/docs/rate-limits/'
  told curl stated-waits/runs.json 22 $'X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1\ncurl: (22) The requested URL returned error: 429'
  told claude stated-waits/claude 1 "You've hit your session limit, resets in 1s"
  told curl stated-waits/telegram 22 '{"ok":false,"error_code":429,"parameters":{"retry_after":1}}'
}

# --- waiting ---

@test "recipe: waiting for a port, and the way by bash alone" {
  need nc
  server_setup
  hurries 5
  answers_ready
  export HOST=127.0.0.1 PORT
  run -1 nc -z "$HOST" "$PORT"
  waits_for waiting/port. "$START"
  by_lines waiting/tcp bash
}

@test "recipe: waiting for a port of a host that does not answer" {
  hurries 5
  export HOST=127.0.0.1 PORT=9
  stand_in nc <<<'[ -e up ] || exec sleep 1000'
  waits_for waiting/port. touch up
  run cat err
  assert_line --index 0 --partial 'timed out after 5s'
}

# A real pg_isready, as real-tools.bats has the others.
@test "recipe: waiting for a database" {
  need pg_isready
  server_setup
  hurries 5
  start_script "$(type -P python3)" -S "$TOP_SRCDIR/tests/lib/postgres.py" "$PORT" starting ready
  export HOST=127.0.0.1 PORT
  waits_for waiting/pg_isready "$START"
  # For a wrong option there is no waiting.
  PGSSLMODE=none-such run -3 by_lines waiting/pg_isready bash
  grep -F 'exit 3 (no attempt was made) (--stop-on)' err
}

@test "recipe: waiting for a file" {
  hurries 10
  # It is not to be six in the morning.
  FAKETIME='@2026-01-01 00:00:00 x10'
  mkdir incoming
  waits_for waiting/today.csv sh -c 'echo >incoming/today.csv'
}

@test "recipe: waiting for an HTTP 200" {
  need curl
  server_setup
  answers_ready
  echo here >"$BATS_TEST_TMPDIR/served/page"
  export URL=http://127.0.0.1:$PORT/503/404/200/page
  waits_for waiting/HTTP. "$START"
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
  answers_start
  export URL=http://127.0.0.1:$PORT/job
  finish() {
    echo '{"state": "done"}' >job.new
    mv job.new job
  }
  waits_for waiting/JSON: finish
  assert_equal "$(grep -c 'exit 1;' err)" 1
  echo '{"state": "failed"}' >job
  run -3 by_lines waiting/JSON: bash
  run cat err
  assert_line 'it has failed'
  assert_line --partial 'not retrying after attempt 1: exit 3 (--stop-on)'
}

# --- flaky tests ---

@test "recipe: a flaky test until it fails, and until three in a row pass" {
  stand_in ./flaky-test <<<'echo "this is run $BACKOFF_ATTEMPT"; [ "$BACKOFF_ATTEMPT" -lt 50 ] || exit 3'
  run -3 by_lines flaky/--pass-on sh
  assert_output 'this is run 50'
  stand_in ./flaky-test <<<'case $BACKOFF_ATTEMPT in 1 | 4 | 6) exit 1 ;; esac; echo "$BACKOFF_ATTEMPT" >>passed'
  run -0 by_lines flaky/three sh
  assert_equal "$(xargs <passed)" '2 3 5 7 8 9'
}

# line_of NAME: the crontab line without the five fields that say when, for the
# backoff of this test.
line_of() {
  recipe "$1" | cut -d' ' -f6- | sed "s,/usr/local/bin/,,"
}

# runs_once LINE: while what it runs waits for ./go, a second one is skipped.
runs_once() {
  export HOME=$PWD
  mkfifo started go
  stand_in bin/sync <<<'echo run >>ran; echo >started; read -r line <go; [ "$BACKOFF_ATTEMPT" -gt 1 ]'
  : >err
  bash -c "$1" 3>&- 2>err &
  read -r _ <started
  run -75 bash -c "$1"
  assert_output ''
}

@test "recipe: a job that still runs is not started again" {
  need_answer byte_lock
  hurries 1000
  runs_once "$(line_of once)"
  echo >go
  read -r _ <started
  echo >go
  wait $!
  assert_equal "$(wc -l <ran)" 2
}

@test "recipe: a job that still runs, or pauses, is not started again" {
  need flock
  need_proc
  line=$(line_of never-two)
  runs_once "${line/--quiet-success/-b 1h -j none}"
  echo >go
  wait_for paused
  run -75 bash -c "$line"
  assert_output ''
  kill "$(cat "/proc/$!/task/$!/children")"
  ends 143 "$!"
  assert_equal "$(wc -l <ran)" 1
}
