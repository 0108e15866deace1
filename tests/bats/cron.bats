#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# In a crontab: the recipes of docs/recipes.md, run by Debian's cron with a
# crontab, a spool and programs of their own, in namespaces, so that nothing
# of this machine is touched. sendmail is a stand-in that keeps the mail. The
# clocks hurry: cron's, and that of backoff, whose pauses are minutes.
# shellcheck shell=bash disable=SC2154 # the helpers set these

load helper
load ../lib/server
load ../lib/recipes

setup() {
  server_setup
  spool=$BATS_TEST_TMPDIR/spool
  mkdir -p "$spool" "$BATS_TEST_TMPDIR"/{sbin,usr-bin,local,empty,pam,mail,home/bin}
}

teardown() {
  [ -z "${jail:-}" ] || kill -KILL "$jail" 2>/dev/null || true
  server_teardown
}

# need_cron: skips where the real one cannot be run.
need_cron() {
  CRON=$(PATH=$PATH:/usr/sbin:/sbin type -P cron) || skip "cron is not installed"
  need_faketime
  # It changes to the user of the crontab, which the kernel allows to root.
  need_root
  need_namespace --mount --pid --fork --kill-child --mount-proc
  need_users
  "${namespace[@]}" sh -c 'mount -t overlay -o "lowerdir=$0:/usr/bin" overlay /usr/bin' \
    "$BATS_TEST_TMPDIR/usr-bin" 2>/dev/null || skip 'file systems cannot be mounted here'
}

# crontab_of NAME: the line of that recipe.
crontab_of() {
  recipe "$1" >line
  assert_equal "$(wc -l <line)" 1
  # An unescaped one would be the end of the line.
  run ! grep % line
  cat line
}

# backup_is: ~/bin/backup, as stdin says; it notes each run.
backup_is() {
  {
    echo "echo run >>'$BATS_TEST_TMPDIR/ran'"
    cat
  } | stand_in "$BATS_TEST_TMPDIR/home/bin/backup"
}

# cron_starts LINE [NAME=VALUE]...: cron, half a minute before it is time for
# that line of the crontab, behind these variables. Its clock has
# twelve seconds in what is one; that of backoff has $hurry, or 1000.
cron_starts() {
  local line=$1 minute hour
  shift
  read -r minute hour _ <<<"$line"
  # In a line for each minute, any does.
  minute=${minute/\*/5} hour=${hour/\*/3}
  {
    printf '%s\n' "HOME=$BATS_TEST_TMPDIR/home" "LD_PRELOAD=$preload" \
      "FAKETIME=+0 x${hurry:-1000}" FAKETIME_ONLY_CMDS=backoff "$@" "$line"
  } >"$spool/root"
  chmod 600 "$spool/root"
  printf '%s required pam_permit.so\n' auth account session >"$BATS_TEST_TMPDIR/pam/cron"
  ln -sf "$(realpath "$BACKOFF")" "$BATS_TEST_TMPDIR/local/backoff"
  stand_in "$BATS_TEST_TMPDIR/sbin/sendmail" <<SH
cat >'$BATS_TEST_TMPDIR/mail/'\$\$.new &&
mv '$BATS_TEST_TMPDIR/mail/'\$\$.new '$BATS_TEST_TMPDIR/mail/'\$\$.eml
SH
  cat >jail.sh <<SH
set -e
over() {
  mount -t overlay -o "lowerdir=$BATS_TEST_TMPDIR/\$1:\$2" overlay "\$2"
}
over sbin '${CRON%/*}'
over usr-bin /usr/bin
mount --bind '$BATS_TEST_TMPDIR/local' /usr/local/bin
mount --bind '$spool' /var/spool/cron/crontabs
mount --bind '$BATS_TEST_TMPDIR/empty' /etc/cron.d
mount --bind '$BATS_TEST_TMPDIR/pam' /etc/pam.d
[ ! -e /etc/crontab ] || mount --bind /dev/null /etc/crontab
mount -t tmpfs tmpfs /run
# Of libfaketime, whose semaphores have the number of their process for a name.
mount -t tmpfs tmpfs /dev/shm
export LD_PRELOAD='$preload' TZ=UTC
export FAKETIME='@$(date -u -d "2026-01-15 $hour:$minute UTC - 30 seconds" '+%F %T') x12'
exec '$CRON' -f
SH
  # Nothing of the caller's environment: cron has little of its own.
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "${namespace[@]}" sh jail.sh \
    </dev/null >cron.out 2>&1 3>&- &
  jail=$!
}

# The process that cron is.
cron_itself() {
  cat "/proc/$jail/task/$jail/children"
}

# What cron runs is over, and its mail has been sent.
cron_idle() {
  local pid
  pid=$(cron_itself)
  [ -z "$(cat "/proc/${pid% }/task/${pid% }/children")" ]
}

# cron_ran: the job has been run, and all that comes of it is there.
cron_ran() {
  wait_for test -s "$BATS_TEST_TMPDIR/ran"
  wait_for cron_idle
}

# mails N: there are that many; sets mail to the last one's text.
mails() {
  local files=("$BATS_TEST_TMPDIR"/mail/*.eml)
  [ -e "${files[0]}" ] || files=()
  assert_equal "${#files[@]}" "$1"
  [ "$1" -eq 0 ] || mail=$(sed '1,/^$/d' "${files[-1]}")
}

# --- --quiet-success ---

@test "cron: no mail about a success, not even at the third attempt" {
  need_proc
  need_cron
  backup_is <<<'echo out; echo err >&2; [ "$BACKOFF_ATTEMPT" -eq 3 ]'
  cron_starts "$(crontab_of cron-quiet)"
  cron_ran
  assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/ran")" 3
  mails 0
}

@test "cron: mail about the last failure, with all that is needed to see why" {
  need_proc
  need_cron
  backup_is <<'SH'
echo "attempt $BACKOFF_ATTEMPT"
echo "no space left on sdb$BACKOFF_ATTEMPT" >&2
exit $((6 + BACKOFF_ATTEMPT))
SH
  cron_starts "$(crontab_of cron-quiet)"
  cron_ran
  mails 1
  run cat <<<"$mail"
  assert_line --index 0 --regexp '^backoff: backup: attempt 1/3 failed after .*: exit 7; next in 5m$'
  assert_line --index 1 --regexp '^backoff: backup: attempt 2/3 failed after .*: exit 8; next in 10m$'
  assert_line --index 2 'attempt 3'
  assert_line --index 3 'no space left on sdb3'
  assert_line --index 4 --regexp '^backoff: backup: giving up after 3 attempts in [0-9]+[mh].*: exit 9$'
  assert_equal "${#lines[@]}" 5
}

@test "cron: the job finds what cron gives it" {
  need_proc
  need_cron
  backup_is <<<'env >&2; readlink /proc/self/fd/0; cat; exit 7'
  cron_starts "$(crontab_of cron-quiet)"
  cron_ran
  mails 1
  run cat <<<"$mail"
  assert_line PATH=/usr/bin:/bin
  assert_line BACKOFF_ATTEMPT=3
  refute_line --regexp '^(LANG|LC_.*|TERM)='
  # cron's own stdin for a job is a pipe that is at its end.
  assert_line --regexp '^pipe:'
}

# in_a_cron COMMAND...: what the leanest of crons gives it.
in_a_cron() {
  env -i PATH=/usr/bin:/bin "$@" </dev/null
}

@test "cron: no HOME, no LANG and no input are needed" {
  cd / || return
  in_a_cron "$BACKOFF" --quiet-success -b 0 -- \
    sh -c 'echo "$HOME$LANG"; cat; [ "$BACKOFF_ATTEMPT" -eq 3 ]' \
    >"$BATS_TEST_TMPDIR/said" 2>&1
  [ ! -s "$BATS_TEST_TMPDIR/said" ]
  run -7 in_a_cron "$BACKOFF" --quiet-success -b 0 -n 2 -- \
    sh -c 'printf "caf\303\251 %s\n" "$HOME$LANG"; cat; exit 7'
  assert_line --index 0 --partial 'attempt 1/2 failed'
  assert_line --index 1 $'caf\303\251 '
  assert_line --index 2 --partial 'giving up after 2 attempts'
  assert_equal "${#lines[@]}" 3
}

@test "cron: a command that is not there is told, and not tried again" {
  need_proc
  need_cron
  crontab_of cron-quiet >/dev/null
  cron_starts "$(sed 's,/bin/backup,/bin/none; echo >>"$HOME/../ran",' line)"
  cron_ran
  mails 1
  assert_equal "$mail" 'backoff: none: not retrying after attempt 1/3: not found'
}

# --- an upload ---

# It is to be over within hours, which would be seconds.
@test "cron: an upload waits for the server, and says nothing" {
  need_proc
  need_cron
  local crontab hurry=200
  need curl
  answers_ready
  "$START"
  crontab=$(crontab_of cron-upload)
  echo whole >app.tar.gz
  cron_starts "${crontab/\/var\/backups/$PWD}" \
    "UPLOAD_URL=http://127.0.0.1:$PORT/503/503/200/app.tar.gz"
  wait_for test -s "$BATS_TEST_TMPDIR/served/app.tar.gz"
  wait_for cron_idle
  cmp app.tar.gz "$BATS_TEST_TMPDIR/served/app.tar.gz"
  mails 0
}

@test "cron: an upload that the server will never take is told at once" {
  need_cron
  local crontab hurry=200
  need curl
  answers_ready
  "$START"
  crontab=$(crontab_of cron-upload)
  echo whole >app.tar.gz
  cron_starts "${crontab/\/var\/backups/$PWD}" \
    "UPLOAD_URL=http://127.0.0.1:$PORT/403/app.tar.gz"
  mailed() {
    compgen -G "$BATS_TEST_TMPDIR/mail/*.eml" >/dev/null
  }
  wait_for mailed
  mails 1
  run cat <<<"$mail"
  assert_line --partial 'curl: (22)'
  assert_line --partial 'not retrying after attempt 1: exit 22 (HTTP 401, 403 or 407: not authorized)'
}

# --- --defer ---

@test "cron: a job that fails is put off in silence, until it is time" {
  need_proc
  need_answer byte_lock
  need_cron
  local crontab ends=$BATS_TEST_TMPDIR/home/ends
  stand_in "$BATS_TEST_TMPDIR/home/bin/sync" <<SH
echo run >>'$BATS_TEST_TMPDIR/ran'
[ -e '$BATS_TEST_TMPDIR/up' ]
SH
  touch "$ends"
  # Every minute, and with a trace of each run.
  crontab=$(crontab_of cron-defer | sed 's,^\*/5,*,
    s, -- , --at-end=\x27echo $BACKOFF_RESULT >>$HOME/ends\x27&,')
  cron_starts "$crontab" "BACKOFF_STATE_DIR=$BACKOFF_STATE_DIR"
  put_off_twice() {
    [ "$(grep -c '^deferred$' "$ends")" -ge 2 ]
  }
  wait_for put_off_twice
  wait_for cron_idle
  assert_equal "$(head -n 1 "$ends")" exhausted
  assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/ran")" 3
  mails 1
  [[ $mail == *'giving up after 3 attempts'* ]]
  touch "$BATS_TEST_TMPDIR/up"
  "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/shared_record.py" "$BACKOFF_STATE_DIR/sync" until=-1 >/dev/null
  wait_for grep -q '^success$' "$ends"
  wait_for cron_idle
  mails 1
}

@test "cron: one mail when an outage begins, one when it is over, and nothing between" {
  need_proc
  need_answer byte_lock
  need_cron
  local crontab ends=$BATS_TEST_TMPDIR/home/ends
  stand_in "$BATS_TEST_TMPDIR/home/bin/sync" <<SH
echo out; echo err >&2
[ -e '$BATS_TEST_TMPDIR/up' ]
SH
  touch "$ends"
  # Every minute, and with a trace of each run. It is put off for a moment of
  # its own hurrying clock, or for a minute of cron's.
  crontab=$(crontab_of cron-repeats | sed 's,^\*/5,*,
    s, -- , --at-end=\x27echo $BACKOFF_RESULT >>$HOME/ends\x27&,')
  cron_starts "$crontab" "BACKOFF_STATE_DIR=$BACKOFF_STATE_DIR"
  ended() {
    [ "$(grep -c "^$1\$" "$ends")" -ge "$2" ]
  }
  time_for_it() {
    "${PYTHON[@]}" "$TOP_SRCDIR/tests/lib/shared_record.py" "$BACKOFF_STATE_DIR/sync" until=-1 >/dev/null
  }
  wait_for ended exhausted 1
  wait_for ended deferred 1
  time_for_it
  wait_for ended exhausted 2
  wait_for ended deferred 2
  touch "$BATS_TEST_TMPDIR/up"
  time_for_it
  wait_for ended success 2
  wait_for cron_idle
  mails 2
  assert_equal "$(sed '1,/^$/d' "$BATS_TEST_TMPDIR"/mail/*.eml | grep -c 'giving up after 3 attempts')" 1
  assert_equal "$(sed '1,/^$/d' "$BATS_TEST_TMPDIR"/mail/*.eml |
    grep -c '^backoff: sync: succeeded, after 2 runs had given up since ')" 1
}

# --- --at-end ---

# pinged PATH...: these were asked for, and no others.
pinged() {
  assert_equal "$(sed -n 's/.*"GET \([^ ]*\) .*/\1/p' "$BATS_TEST_TMPDIR/server.out")" \
    "$(printf '%s\n' "$@")"
}

@test "cron: healthchecks is told of a success, and of a failure" {
  need_proc
  need_cron
  need curl
  answers_ready
  "$START"
  mkdir "$BATS_TEST_TMPDIR/served/uuid"
  echo OK >"$BATS_TEST_TMPDIR/served/uuid/fail"
  echo OK >"$BATS_TEST_TMPDIR/served/uuid/index.html"
  backup_is <<<'[ "$BACKOFF_ATTEMPT" -eq 2 ]'
  cron_starts "$(crontab_of cron-healthchecks)" "PING_URL=http://127.0.0.1:$PORT/200/uuid"
  cron_ran
  mails 0
  # A directory is asked for again with its slash, which -f lets pass.
  pinged /200/uuid
  kill -KILL "$jail"
  rm "$BATS_TEST_TMPDIR/ran"
  backup_is <<<'echo why; exit 7'
  cron_starts "$(crontab_of cron-healthchecks)" "PING_URL=http://127.0.0.1:$PORT/200/uuid"
  cron_ran
  mails 1
  assert_equal "$(grep -c '^why$' <<<"$mail")" 1
  pinged /200/uuid /200/uuid/fail
}

@test "cron: a mail of its own to somebody else" {
  need_proc
  need_cron
  stand_in "$BATS_TEST_TMPDIR/usr-bin/mail" <<SH
{ printf '[%s]' "\$@"; echo; cat; } >>'$BATS_TEST_TMPDIR/mailed'
SH
  backup_is <<<'exit 7'
  cron_starts "$(crontab_of cron-mail)"
  cron_ran
  mails 1
  run cat "$BATS_TEST_TMPDIR/mailed"
  assert_line --index 0 '[-s][backup: exhausted][admin@example.org]'
  assert_line --index 1 --regexp '^status 7 after 3 attempts in (9[0-9]{2}|[0-9]{4,}) s$'
  kill -KILL "$jail"
  rm "$BATS_TEST_TMPDIR"/{ran,mailed}
  backup_is <<<'exit 0'
  cron_starts "$(crontab_of cron-mail)"
  cron_ran
  mails 1
  [ ! -e "$BATS_TEST_TMPDIR/mailed" ]
}

@test "cron: a line in the system log" {
  need_proc
  need_cron
  need logger
  # The real one, to a socket in the place of /dev/log.
  cp "$(type -P logger)" "$BATS_TEST_TMPDIR/logger"
  stand_in "$BATS_TEST_TMPDIR/usr-bin/logger" <<SH
exec '$BATS_TEST_TMPDIR/logger' --socket '$PWD/socket' "\$@"
SH
  python3 -c '
import socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
  log.bind("socket")
  print(log.recv(4096).decode())' >logged 3>&- &
  wait_for test -S socket
  backup_is <<<'[ "$BACKOFF_ATTEMPT" -eq 2 ]'
  cron_starts "$(crontab_of cron-logger)"
  cron_ran
  wait_for test -s logged
  mails 0
  run cat logged
  assert_output --regexp ' backup: success, status 0, attempt 2$'
}

# --- a textfile for node_exporter ---

textfile_ready() {
  recipe textfile >"$BATS_TEST_TMPDIR/local/backoff-textfile"
  chmod +x "$BATS_TEST_TMPDIR/local/backoff-textfile"
  export TEXTFILE_DIR=$BATS_TEST_TMPDIR/metrics
  mkdir "$TEXTFILE_DIR"
}

@test "cron: metrics of a success, and then of a failure" {
  need_proc
  need_cron
  textfile_ready
  backup_is <<<'[ "$BACKOFF_ATTEMPT" -eq 2 ]'
  cron_starts "$(crontab_of cron-textfile)" "TEXTFILE_DIR=$TEXTFILE_DIR"
  cron_ran
  mails 0
  run cat "$TEXTFILE_DIR/backoff_backup.prom"
  assert_line 'backoff_last_exit_status{name="backup"} 0'
  assert_line 'backoff_last_run_attempts{name="backup"} 2'
  assert_line --regexp '^backoff_last_run_duration_seconds\{name="backup"\} ([3-9][0-9]{2}|[0-9]{4,})$'
  cp "$TEXTFILE_DIR/backoff_backup.success.prom" before
  grep -Eq '^backoff_last_success_timestamp_seconds\{name="backup"\} [0-9]{10}$' before
  kill -KILL "$jail"
  rm "$BATS_TEST_TMPDIR/ran"
  backup_is <<<'exit 7'
  cron_starts "$(crontab_of cron-textfile)" "TEXTFILE_DIR=$TEXTFILE_DIR"
  cron_ran
  mails 1
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
  mkdir bin
  printf '#!/bin/sh\nexit 1\n' >bin/sync
  chmod +x bin/sync
  PATH=$PWD/bin:$PATH run -1 at_end nightly success 0 1
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
