# SPDX-License-Identifier: MIT
# Real servers on loopback that go away and come back, with settings of our
# own; for tests whose setup() calls server_setup.  shellcheck shell=bash
#
# What is set here is for the tests.
# shellcheck disable=SC2034

# server_setup [LINES]: for setup(), with so much to upload.
server_setup() {
  unset http_proxy https_proxy all_proxy no_proxy RSYNC_PROXY RSYNC_RSH
  need python3
  PORT=$(free_port)
  LOG=$BATS_TEST_TMPDIR/log
  START=$BATS_TEST_TMPDIR/start
  # Everything that a test starts works here, which is how teardown knows
  # it again.
  mkdir "$BATS_TEST_TMPDIR/work" "$BATS_TEST_TMPDIR/served"
  cd "$BATS_TEST_TMPDIR/work" || return
  # No two lines alike: a file put together from two attempts shows.
  seq "${1:-50000}" >upload
}

server_teardown() {
  cd /
  wait_for none_left
}

# Where a file has no other.
teardown() {
  server_teardown
}

# ours: the processes whose working directory is below this test's, or that have a
# file there open.
ours() {
  find /proc/[0-9]*/cwd /proc/[0-9]*/fd -lname "$BATS_TEST_TMPDIR/*" \
    2>/dev/null | cut -d / -f 3 | sort -u
}

# none_left: checks that there are none of those; kills what there is.
none_left() {
  local pids
  need_proc
  pids=$(ours)
  [ -z "$pids" ] || {
    xargs kill -KILL <<<"$pids" 2>/dev/null
    return 1
  }
}

# gone GROUP: whether nothing of this process group runs; reaping the dead
# may take its time.
gone() {
  ps -A -o pgid= -o stat= |
    awk -v group="$1" '$1 == group && $2 !~ /^Z/ { exit 1 }'
}

# start_script COMMAND...: $START runs it and returns when the port
# answers. It keeps no descriptor of the test, which would wait for it.
start_script() {
  cat >"$START" <<SH
#!/bin/bash
exec 3>&- >>'$BATS_TEST_TMPDIR/server.out' 2>&1 </dev/null
set -e
cd '$BATS_TEST_TMPDIR/work'
$(printf '%q ' "$@")
until (: </dev/tcp/127.0.0.1/$PORT) 2>/dev/null; do sleep 0.02; done
SH
  chmod +x "$START"
}

# answers_ready: an HTTP server that answers as the path says; see answers.py.
answers_ready() {
  start_script "$(type -P python3)" -S "$TOP_SRCDIR/tests/lib/answers.py" \
    "$PORT" "$BATS_TEST_TMPDIR/served"
}

# answers_start: the same, and it runs.
answers_start() {
  answers_ready
  "$START"
}

# answers_with_tls_ready: the same by TLS, with a certificate that it has signed
# itself: ./self.pem, of a name that nobody asks for.
answers_with_tls_ready() {
  command -v openssl >/dev/null || skip "openssl is missing"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -keyout self.key -out self.pem -days 2 -subj /CN=self 2>/dev/null
  start_script "$(type -P python3)" -S "$TOP_SRCDIR/tests/lib/answers.py" \
    "$PORT" "$BATS_TEST_TMPDIR/served" self.pem self.key
}

# at_attempt N: the hook that brings the server back just before it.
at_attempt() {
  printf '[ "$BACKOFF_ATTEMPT" -ne %d ] || "%s"' "$1" "$START"
}

# retrying [OPTION]... COMMAND...: backoff with a log that can be counted.
retrying() {
  "$BACKOFF" --base=10ms --log-format=json --log-file="$LOG" "$@"
}

# assert_attempts N FIRST...: N attempts, the first of which ended with
# these statuses, and the last of which is the success.
assert_attempts() {
  run -0 sed -n 's/.*"event":"attempt".*"status":\([0-9]*\).*"verdict":"retry".*/\1/p' "$LOG"
  assert_output "$(printf '%s\n' "${@:2}")"
  run -0 grep '"event":"end"' "$LOG"
  assert_output --partial "\"result\":\"success\",\"attempts\":$1,\"status\":0,"
}

# nginx_ready: settings for an nginx that accepts PUT into ./served. For a
# directory that is missing there it says 503, after it has read the whole
# body, so that an attempt that got a 503 has surely read its file. For what
# is missing in ./served/limited it says 429 and to come back in 2 seconds.
nginx_ready() {
  NGINX=$(PATH=$PATH:/usr/sbin:/usr/local/sbin type -P nginx) ||
    skip 'nginx is not installed'
  need curl
  # -V lists the module also where it is left out: --without-...
  "$NGINX" -V 2>&1 | grep -q with-http_dav_module ||
    skip "nginx has no WebDAV"
  local user='' dir=$BATS_TEST_TMPDIR
  [ "$(id -u)" -ne 0 ] || user="user root $(id -gn);"
  cat >"$dir/nginx.conf" <<CONF
$user
worker_processes 1;
pid $dir/nginx.pid;
error_log $dir/nginx.err;
events { worker_connections 64; }
http {
  log_format status '\$status';
  log_format times '\$msec \$status';
  access_log $dir/nginx.log status;
  client_max_body_size 0;
  client_body_temp_path $dir/body;
  proxy_temp_path $dir/t1;
  fastcgi_temp_path $dir/t2;
  uwsgi_temp_path $dir/t3;
  scgi_temp_path $dir/t4;
  server {
    listen 127.0.0.1:$PORT;
    root $dir/served;
    location / {
      dav_methods PUT;
      error_page 409 500 = @busy;
    }
    location @busy { return 503; }
    location /limited/ {
      access_log $dir/limited.log times;
      dav_methods PUT;
      error_page 404 409 500 = @slow_down;
    }
    location @slow_down {
      access_log $dir/limited.log times;
      add_header Retry-After 2 always;
      return 429;
    }
  }
}
CONF
  # It comes back when its socket listens and it runs by itself.
  start_script "$NGINX" -p "$dir" -c "$dir/nginx.conf"
  URL=http://127.0.0.1:$PORT
  CURL=(curl --disable --fail --silent --show-error --noproxy '*')
}

# stop_nginx: at once, connections and all; back when all of it is gone.
stop_nginx() {
  local pid
  pid=$(cat "$BATS_TEST_TMPDIR/nginx.pid")
  kill -TERM "$pid"
  wait_for gone "$pid"
}

body_arrives() {
  [ -n "$(find "$BATS_TEST_TMPDIR/body" -type f -size +0 2>/dev/null)" ]
}

# rsyncd_ready: settings for an rsync daemon that has ./served.
rsyncd_ready() {
  need rsync
  local user='' dir=$BATS_TEST_TMPDIR
  [ "$(id -u)" -ne 0 ] || user="uid = root
gid = $(id -gn)"
  cat >"$dir/rsyncd.conf" <<CONF
pid file = $dir/rsyncd.pid
log file = $dir/rsyncd.log
use chroot = no
$user
[served]
path = $dir/served
read only = no
CONF
  start_script rsync --daemon --config="$dir/rsyncd.conf" \
    --address=127.0.0.1 --port="$PORT"
  URL=rsync://127.0.0.1:$PORT/served/
}

# stop_rsyncd: it has a process for each connection, all in its group. By
# KILL, because a TERM can leave those waiting for each other for 30 s; so
# the next one finds a file that says it still runs.
stop_rsyncd() {
  local pid
  pid=$(cat "$BATS_TEST_TMPDIR/rsyncd.pid")
  kill -KILL -- "-$pid"
  wait_for gone "$pid"
  rm "$BATS_TEST_TMPDIR/rsyncd.pid"
}

# need_ssh_terminal: skips where the sshd of sshd_ready, which runs by now, makes
# no terminals: without rights it needs a /dev/pts with the group tty.
need_ssh_terminal() {
  "${SSH[@]}" -tt true </dev/null >/dev/null 2>&1 ||
    skip 'sshd makes no terminals here'
}

# sshd_ready: settings for an sshd that lets us in by SSH, the command.
sshd_ready() {
  SSHD=$(PATH=$PATH:/usr/sbin:/usr/local/sbin type -P sshd) ||
    skip 'sshd is not installed'
  need ssh
  # Who may not read shadow passwords learns from PAM alone that the
  # account is not locked.
  local dir=$BATS_TEST_TMPDIR pam=no
  [ "$(id -u)" -eq 0 ] || pam=yes
  ssh-keygen -q -t ed25519 -N '' -f "$dir/host_key"
  ssh-keygen -q -t ed25519 -N '' -f "$dir/key"
  cat >"$dir/sshd_config" <<CONF
ListenAddress 127.0.0.1:$PORT
HostKey $dir/host_key
PidFile $dir/sshd.pid
AuthorizedKeysFile $dir/key.pub
StrictModes no
UsePAM $pam
Subsystem sftp internal-sftp
CONF
  cat >"$dir/ssh_config" <<CONF
Host *
IdentityFile $dir/key
IdentitiesOnly yes
UserKnownHostsFile $dir/known_hosts
StrictHostKeyChecking no
BatchMode yes
LogLevel ERROR
CONF
  local daemon=("$SSHD" -f "$dir/sshd_config" -E "$dir/sshd.log")
  # Root's sshd insists on a directory that only its boot script makes.
  if [ "$(id -u)" -eq 0 ] && [ ! -d /run/sshd ]; then
    need_mounts
    daemon=("${namespace[@]}" sh -c
      'mount -t tmpfs tmpfs /run && mkdir /run/sshd && exec "$@"' sh
      "${daemon[@]}")
  fi
  start_script "${daemon[@]}"
  SSH=(ssh -F "$dir/ssh_config" -p "$PORT" 127.0.0.1)
  if ! "$START" || ! "${SSH[@]}" true </dev/null; then
    skip "no ssh into this account"
  fi
  local pid
  pid=$(cat "$dir/sshd.pid")
  kill -TERM "$pid"
  wait_for gone "$pid"
}
