#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# In a crontab: the recipes of docs/recipes.md, whose lines are run as cron runs
# them: what they print is what it would mail. The clock of backoff hurries, whose
# pauses are minutes.

load helper
load ../lib/server
load ../lib/recipes

setup() {
  server_setup
  mkdir -p "$BATS_TEST_TMPDIR"/{local,home/bin}
  ln -sf "$(realpath "$BACKOFF")" "$BATS_TEST_TMPDIR/local/backoff"
}

# crontab_of NAME: the line of that recipe, without its comment.
crontab_of() {
  recipe "$1" | grep -v '^#' >line
  assert_equal "$(wc -l <line)" 1
  # An unescaped one would be the end of the line.
  run ! grep % line
  cat line
}

# backup_is: ~/bin/backup, as stdin says.
backup_is() {
  stand_in "$BATS_TEST_TMPDIR/home/bin/backup"
}

# need_job: skips where job() cannot run its line.
need_job() {
  need_proc
  need_faketime
  need_mounts
}

# job NAME [NAME=VALUE]...: the line of that recipe, as cron runs it, behind
# these variables; sets mail to what it prints. Stand-ins come before /usr/bin,
# and HOME is the place of backups. The clock of backoff has 1000 seconds, or
# $hurry, in what is one.
job() {
  local words
  words=$(crontab_of "$1" | cut -d' ' -f6- | sed 's,/var/backups,$HOME,')
  mail=$("${namespace[@]}" sh -c \
    'mount --bind "$0" /usr/local/bin && shift && exec env -i "$@"' \
    "$BATS_TEST_TMPDIR/local" _ "PATH=$BATS_TEST_TMPDIR/bin:/usr/bin:/bin" \
    "HOME=$BATS_TEST_TMPDIR/home" "LD_PRELOAD=$preload" \
    "FAKETIME=+0 x${hurry:-1000}" FAKETIME_ONLY_CMDS=backoff \
    "${@:2}" sh -c "$words" </dev/null 2>&1 3>&-) || true
}

@test "cron: no mail about a success, and mail about a failure, with all that is needed to see why" {
  need_job
  backup_is <<<'echo out; echo err >&2; [ "$BACKOFF_ATTEMPT" -eq 3 ]'
  job cron-quiet
  assert_equal "$mail" ''
  backup_is <<'SH'
echo "attempt $BACKOFF_ATTEMPT"
echo "no space left on sdb$BACKOFF_ATTEMPT" >&2
env
cat
exit $((6 + BACKOFF_ATTEMPT))
SH
  job cron-quiet
  run cat <<<"$mail"
  assert_line --index 0 --regexp '^backoff: backup: attempt 1/3 failed after .*: exit 7 ".*"; next in 5m, at [0-9: -]+$'
  assert_line --index 1 --regexp '^backoff: backup: attempt 2/3 failed after .*: exit 8; next in 10m, at [0-9: -]+$'
  assert_line --index 2 'attempt 3'
  assert_line --index 3 'no space left on sdb3'
  assert_equal "$(grep -c '^no space' <<<"$output")" 1
  assert_line --index $((${#lines[@]} - 1)) \
    --regexp '^backoff: backup: giving up after 3 attempts in [0-9]+[mh].*: exit 9$'
  # The job finds what cron gives it.
  refute_line --regexp '^(LANG|LC_.*|TERM)='
}

@test "cron: an upload waits for the server, and says nothing; what it will never take is told at once" {
  # It is to be over within hours, which would be seconds.
  local hurry=400
  need_job
  stand_in curl <<'SH'
echo "$*" >>"$HOME/called"
[ "${code:-503} $BACKOFF_ATTEMPT" != '503 3' ] || exit 0
echo "curl: (22) The requested URL returned error: ${code:-503}" >&2
exit 22
SH
  job cron-upload UPLOAD_URL=url
  assert_equal "$mail" ''
  assert_equal "$(<"$BATS_TEST_TMPDIR/home/called")" "$(yes -- "-fsS -T $BATS_TEST_TMPDIR/home/app.tar.gz url" | head -n 3)"
  job cron-upload UPLOAD_URL=url code=403
  run cat <<<"$mail"
  assert_line --partial 'curl: (22)'
  assert_line --partial 'not retrying after attempt 1: exit 22 (HTTP 401, 403 or 407: not authorized)'
}

# sync_is: ~/bin/sync, which fails until $BATS_TEST_TMPDIR/up is there.
sync_is() {
  need_job
  need_answer byte_lock
  stand_in "$BATS_TEST_TMPDIR/home/bin/sync" <<SH
echo run >>'$BATS_TEST_TMPDIR/ran'
[ -e '$BATS_TEST_TMPDIR/up' ]
SH
}

# sync_runs NAME: that line, with a directory of its own; sets runs to how many
# attempts there have been so far.
sync_runs() {
  job "$1" "BACKOFF_STATE_DIR=$BACKOFF_STATE_DIR"
  runs=$(wc -l <"$BATS_TEST_TMPDIR/ran")
}

time_for_it() {
  "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/shared_record.py" "$BACKOFF_STATE_DIR/sync" until=-1 >/dev/null
}

@test "cron: a job that fails is put off in silence; one mail when an outage begins, one when it is over" {
  sync_is
  sync_runs cron-defer
  assert_equal "$(grep -c 'giving up after 3 attempts' <<<"$mail")" 1
  for _ in 1 2; do
    sync_runs cron-defer
    assert_equal "$runs: $mail" '3: '
  done
  time_for_it
  sync_runs cron-defer
  assert_equal "$runs: $mail" '6: '
  touch "$BATS_TEST_TMPDIR/up"
  time_for_it
  sync_runs cron-defer
  assert_equal "$runs" 7
  assert_regex "$mail" '^backoff: sync: succeeded, after 2 runs had given up since [^'$'\n'']*$'
  sync_runs cron-defer
  assert_equal "$runs: $mail" '8: '
}

@test "cron: healthchecks is told of a success, and of a failure" {
  need_job
  stand_in curl <<<'echo "$*" >>"$HOME/called"'
  backup_is <<<'[ "$BACKOFF_ATTEMPT" -eq 2 ]'
  job cron-at-end/PING_URL PING_URL=url
  assert_equal "$mail" ''
  backup_is <<<'echo why; exit 7'
  job cron-at-end/PING_URL PING_URL=url
  assert_equal "$(grep -c '^why$' <<<"$mail")" 1
  assert_equal "$(sed 's/.* //' "$BATS_TEST_TMPDIR/home/called" | xargs)" 'url url/fail'
}

@test "cron: a mail of its own to somebody else" {
  need_job
  stand_in mail <<SH
{ printf '[%s]' "\$@"; echo; cat; } >>'$BATS_TEST_TMPDIR/mailed'
SH
  backup_is <<<'exit 7'
  job cron-at-end/mail
  run cat "$BATS_TEST_TMPDIR/mailed"
  assert_line --index 0 '[-s][backup: exhausted][admin@example.org]'
  assert_line --index 1 --regexp '^status 7 after 3 attempts in (9[0-9]{2}|[0-9]{4,}) s$'
  rm "$BATS_TEST_TMPDIR/mailed"
  backup_is <<<'exit 0'
  job cron-at-end/mail
  [ ! -e "$BATS_TEST_TMPDIR/mailed" ]
}

@test "cron: a line in the system log" {
  need_job
  stand_in logger <<<'printf "[%s]" "$@" >"$HOME/logged"'
  backup_is <<<'[ "$BACKOFF_ATTEMPT" -eq 2 ]'
  job cron-at-end/logger
  assert_equal "$mail" ''
  run cat "$BATS_TEST_TMPDIR/home/logged"
  assert_output '[-t][backup][success, status 0, attempt 2]'
}

textfile_ready() {
  cp "$TOP_SRCDIR/packaging/backoff-textfile" "$BATS_TEST_TMPDIR/local"
  export TEXTFILE_DIR=$BATS_TEST_TMPDIR/metrics
  mkdir "$TEXTFILE_DIR"
}

@test "cron: metrics of a success, and then of a failure" {
  need_job
  textfile_ready
  backup_is <<<'[ "$BACKOFF_ATTEMPT" -eq 2 ]'
  job cron-textfile "TEXTFILE_DIR=$TEXTFILE_DIR"
  assert_equal "$mail" ''
  run cat "$TEXTFILE_DIR/backoff_backup.prom"
  assert_line 'backoff_last_exit_status{name="backup"} 0'
  assert_line 'backoff_last_run_attempts{name="backup"} 2'
  assert_line --regexp '^backoff_last_run_duration_seconds\{name="backup"\} ([3-9][0-9]{2}|[0-9]{4,})$'
  cp "$TEXTFILE_DIR/backoff_backup.success.prom" before
  grep -Eq '^backoff_last_success_timestamp_seconds\{name="backup"\} [0-9]{10}$' before
  backup_is <<<'exit 7'
  job cron-textfile "TEXTFILE_DIR=$TEXTFILE_DIR"
  [[ $mail == *'giving up'* ]]
  grep -q '^backoff_last_exit_status{name="backup"} 7$' "$TEXTFILE_DIR/backoff_backup.prom"
  cmp before "$TEXTFILE_DIR/backoff_backup.success.prom"
  # Nothing but whole files that everybody may read.
  assert_equal "$(cd "$TEXTFILE_DIR" && find . -type f -printf '%f %m\n' | sort)" \
    $'backoff_backup.prom 644\nbackoff_backup.success.prom 644'
}

# at_end NAME RESULT STATUS ATTEMPT: the script, as --at-end runs it.
at_end() {
  BACKOFF_RESULT=$2 BACKOFF_STATUS=$3 BACKOFF_ATTEMPT=$4 BACKOFF_ELAPSED=9 \
    "$BATS_TEST_TMPDIR/local/backoff-textfile" "$1"
}

@test "the textfile: what was there stays until the new one is whole" {
  textfile_ready
  at_end nightly exhausted 7 3
  cp "$TEXTFILE_DIR/backoff_nightly.prom" before
  # The disk is full, or the script is killed: the same to who reads.
  stand_in sync <<<'exit 1'
  run -1 at_end nightly success 0 1
  cmp before "$TEXTFILE_DIR/backoff_nightly.prom"
  assert_equal "$(ls -A "$TEXTFILE_DIR")" backoff_nightly.prom
}

@test "the textfile: a name that is none, and a run without an attempt" {
  textfile_ready
  for name in '' ../x 'a"b' $'a\nb'; do
    run -1 at_end "$name" success 0 1
    assert_output --partial 'not a name'
  done
  assert_equal "$(ls -A "$TEXTFILE_DIR")" ''
  at_end nightly deadline '' 0
  grep -q '^backoff_last_exit_status{name="nightly"} -1$' "$TEXTFILE_DIR/backoff_nightly.prom"
}

@test "the textfile: node_exporter reads it" {
  EXPORTER=$(type -P prometheus-node-exporter || type -P node_exporter) ||
    skip "node_exporter is not installed"
  need curl
  textfile_ready
  at_end nightly success 0 2
  at_end weekly exhausted 7 6
  at_end weekly success 0 1
  start_script bash -c '"$@" & disown' _ "$EXPORTER" --collector.disable-defaults --collector.textfile \
    --collector.textfile.directory="$TEXTFILE_DIR" --web.listen-address="127.0.0.1:$PORT"
  "$START"
  run -0 curl --disable --noproxy '*' -fsS "http://127.0.0.1:$PORT/metrics"
  assert_line 'node_textfile_scrape_error 0'
  assert_line 'backoff_last_exit_status{name="nightly"} 0'
  assert_line 'backoff_last_exit_status{name="weekly"} 0'
  assert_line 'backoff_last_run_attempts{name="nightly"} 2'
  assert_line --regexp '^backoff_last_success_timestamp_seconds\{name="weekly"\} [0-9.e+]+$'
  assert_line '# TYPE backoff_last_success_timestamp_seconds gauge'
}
