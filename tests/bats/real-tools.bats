#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --tool with real commands that fail for real, on loopback: each is retried
# or stopped as its table says, and each comes through when the other side
# is back in time. Nothing here waits for a time to pass.
#
# Variables in single quotes here are for another shell to expand.
# shellcheck disable=SC2016
# shellcheck disable=SC2154 # what the helpers set

load helper
load ../lib/events
load ../lib/server

setup() {
  server_setup
  # What assert_attempts looks at.
  events=$LOG
  URL=http://127.0.0.1:$PORT
  # The tables know the messages of this locale, and no user's settings
  # decide here; a name server that is away is not waited for.
  export LC_ALL=C HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 \
    RES_OPTIONS='timeout:1 attempts:1'
  unset HTTP_PROXY HTTPS_PROXY ALL_PROXY GIT_SSH GIT_SSH_COMMAND GIT_DIR \
    "${!PG@}"
}

teardown() {
  server_teardown
}

needs() {
  command -v "$1" >/dev/null || skip "$1 is missing"
}

# fails STATUS WANTED -- COMMAND...: it ends so, is tried again where WANTED
# is no stop, and WANTED is what the log says of it: "retry: exit 7 (...)".
fails() {
  local wanted_status=$1 wanted=$2 status=0 count=2
  shift 3
  case $wanted in
    stop:*) count=1 ;;
  esac
  logged -n 2 -b 1us --tool -- "$@" </dev/null >out 2>err || status=$?
  assert_equal "$status" "$wanted_status"
  judged
  # The last line of its stderr follows, in words that change.
  assert_equal "$verdict: ${reason%% \"*}" "$wanted"
  assert_equal "$(grep -c '"event":"attempt"' "$events")" "$count"
}

# succeeds HOOK STATUS... -- COMMAND...: after attempts that end with these.
succeeds() {
  local hook=$1 statuses=()
  shift
  while [ "$1" != -- ]; do
    statuses+=("$1")
    shift
  done
  retrying --tool --before-retry="$hook" "$@" </dev/null >out
  assert_attempts $((${#statuses[@]} + 1)) "${statuses[@]}"
}

# --- curl ---

# curl_ready: curl without anybody's settings.
curl_ready() {
  needs curl
  CURL=(curl --disable --noproxy '*' -sS)
}

@test "curl: a connection that is refused is retried" {
  curl_ready
  fails 7 'retry: exit 7 (could not connect to host)' -- "${CURL[@]}" "$URL/file"
}

@test "curl: a host that is not known is retried" {
  curl_ready
  fails 6 'retry: exit 6 (could not resolve host)' -- "${CURL[@]}" http://nonexistent.invalid/
}

@test "curl: a bad option stops" {
  curl_ready
  fails 2 'stop: exit 2 (bad option, or failed to initialize)' -- "${CURL[@]}" --no-such-option "$URL/file"
}

@test "curl -f: 503 is retried, 404 and 401 stop, 429 is a throttle" {
  curl_ready
  answers_ready
  "$START"
  fails 22 'retry: exit 22 (HTTP error of the server)' -- "${CURL[@]}" -f "$URL/503/file"
  fails 22 'stop: exit 22 (HTTP 404 or 410: not found)' -- "${CURL[@]}" -f "$URL/file"
  fails 22 'stop: exit 22 (HTTP 401, 403 or 407: not authorized)' -- "${CURL[@]}" -f "$URL/401/file"
  fails 22 'stop: exit 22 (HTTP error that will not pass)' -- "${CURL[@]}" -f "$URL/400/file"
  fails 22 'throttle: exit 22 (HTTP 429: too many requests)' -- "${CURL[@]}" -f "$URL/429/file"
}

@test "curl -f: the message is found behind a progress meter" {
  curl_ready
  answers_ready
  "$START"
  fails 22 'stop: exit 22 (HTTP 404 or 410: not found)' -- "${CURL[@]}" --no-silent -f -o file "$URL/file"
  grep -q 'Total' err
}

@test "curl: without -f a 503 is exit 0, and with -s but without -S a 404 is retried" {
  curl_ready
  answers_ready
  "$START"
  run -0 logged --tool -- "${CURL[@]}" "$URL/503/file"
  assert_events 'attempts[0].verdict == "success"' 'len(attempts) == 1'
  fails 22 'retry: exit 22 (HTTP error)' -- curl --disable --noproxy '*' -s -f "$URL/file"
}

@test "curl: a file that it cannot write is a stop" {
  curl_ready
  [ -w /dev/full ] || skip "no /dev/full"
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_ready
  "$START"
  fails 23 'stop: exit 23 (could not write output)' -- "${CURL[@]}" -o /dev/full "$URL/file"
}

@test "curl: 503 twice, and then it has the file" {
  curl_ready
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_ready
  "$START"
  succeeds : 22 22 -- "${CURL[@]}" -f -o got "$URL/503/503/200/file"
  assert_equal "$(<got)" fine
}

@test "curl: a server that starts at the third attempt" {
  curl_ready
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_ready
  succeeds "$(at_attempt 3)" 7 7 -- "${CURL[@]}" -f -o got "$URL/file"
  assert_equal "$(<got)" fine
}

# --- wget ---

wget_ready() {
  needs wget
  WGET=(wget --no-config --no-proxy -O got)
}

@test "wget: a connection that is refused is retried, and so is a host that is not known" {
  wget_ready
  fails 4 'retry: exit 4 (network failure)' -- "${WGET[@]}" "$URL/file"
  fails 4 'retry: exit 4 (network failure)' -- "${WGET[@]}" http://nonexistent.invalid/
}

@test "wget: 503 is retried, 404 stops, 429 is a throttle" {
  wget_ready
  answers_ready
  "$START"
  fails 8 'retry: exit 8 (HTTP error of the server)' -- "${WGET[@]}" "$URL/503/file"
  fails 8 'stop: exit 8 (HTTP error that will not pass)' -- "${WGET[@]}" "$URL/file"
  fails 8 'throttle: exit 8 (HTTP 429: too many requests)' -- "${WGET[@]}" "$URL/429/file"
  fails 8 'stop: exit 8 (HTTP error that will not pass)' -- "${WGET[@]}" -nv "$URL/file"
}

@test "wget -q: nothing tells a 404 from a 503, so it is retried" {
  wget_ready
  answers_ready
  "$START"
  fails 8 'retry: exit 8 (server sent an error)' -- "${WGET[@]}" -q "$URL/file"
}

@test "wget: a bad option stops, and so does a file that cannot be written" {
  wget_ready
  answers_ready
  "$START"
  fails 2 'stop: exit 2 (bad option or configuration)' -- "${WGET[@]}" --no-such-option "$URL/file"
  fails 1 'stop: exit 1 (cannot write there)' -- "${WGET[@]}" -O no/such/directory "$URL/file"
}

@test "wget: 503 twice, and then it has the file" {
  wget_ready
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_ready
  "$START"
  succeeds : 8 8 -- "${WGET[@]}" "$URL/503/503/200/file"
  assert_equal "$(<got)" fine
}

@test "wget: a server that starts at the third attempt" {
  wget_ready
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_ready
  succeeds "$(at_attempt 3)" 4 4 -- "${WGET[@]}" "$URL/file"
  assert_equal "$(<got)" fine
}

# --- rsync ---

# A script that runs the words behind it where ./small is a file system.
in_a_small_disk='mount -t tmpfs -o size=64k tmpfs small && exec "$@"'

@test "rsync: a daemon that is not there is retried" {
  needs rsync
  fails 10 'retry: exit 10 (socket error)' -- rsync upload "rsync://127.0.0.1:$PORT/served/"
}

@test "rsync: a full disk stops" {
  needs rsync
  mkdir small
  local as=()
  [ "$(id -u)" -eq 0 ] || as=(--map-root-user)
  unshare "${as[@]}" --mount sh -c "$in_a_small_disk" sh true 2>/dev/null ||
    skip "no file system can be mounted here"
  # backoff is in there with it: --tool goes by rsync's own name.
  run -11 unshare "${as[@]}" --mount sh -c "$in_a_small_disk" sh \
    "$BACKOFF" -n 2 -b 1us --log-format=json --log-file="$events" --tool -- \
    rsync upload small/
  judged
  assert_equal "$verdict: ${reason%% \"*}" 'stop: exit 11 (no space or read-only)'
  assert_events 'len(attempts) == 1'
}

@test "rsync: a file that is not in the module is a stop, and so is a bad option" {
  rsyncd_ready
  "$START"
  fails 23 'stop: exit 23 (some files cannot be transferred)' -- rsync "${URL}missing" .
  fails 5 'stop: exit 5 (no such module)' -- rsync upload "rsync://127.0.0.1:$PORT/missing/"
  fails 1 'stop: exit 1 (bad option or usage)' -- rsync --no-such-option upload "$URL"
}

@test "rsync: too many connections are a throttle" {
  rsyncd_ready
  # As the manual has it: a negative number is for a module that is disabled.
  printf '%s\n' 'max connections = -1' "lock file = $BATS_TEST_TMPDIR/rsyncd.lock" \
    >>"$BATS_TEST_TMPDIR/rsyncd.conf"
  "$START"
  fails 5 'throttle: exit 5 (daemon has too many connections)' -- rsync upload "$URL"
}

@test "rsync: a daemon that starts at the third attempt" {
  rsyncd_ready
  succeeds "$(at_attempt 3)" 10 10 -- rsync upload "$URL"
  cmp upload "$BATS_TEST_TMPDIR/served/upload"
}

@test "rsync: an ssh that is refused is retried" {
  needs rsync
  needs ssh
  # It is 255 or 12, whichever of the two programs is seen to end first.
  run logged -n 2 -b 1us --tool -- \
    rsync -e "ssh -F none -p $PORT -o BatchMode=yes" upload 127.0.0.1:
  assert_events '[a.verdict for a in attempts] == ["retry", "retry"]' \
    'all(a.status in (12, 255) for a in attempts)'
}

# --- ssh ---

@test "ssh: a connection that is refused is retried, and so is a host that is not known" {
  needs ssh
  fails 255 'retry: exit 255 (connection refused)' -- ssh -F none -p "$PORT" 127.0.0.1 true
  fails 255 'retry: exit 255 (could not resolve host)' -- ssh -F none nonexistent.invalid true
}

@test "ssh: a bad option stops" {
  needs ssh
  fails 255 'stop: exit 255 (bad configuration)' -- ssh -F none -o NoSuchOption=yes 127.0.0.1 true
}

@test "ssh: a login that is denied stops, and so it does for scp and sftp" {
  sshd_ready
  "$START"
  ssh-keygen -q -t ed25519 -N '' -f other
  sed "s,^IdentityFile .*,IdentityFile $PWD/other," "$BATS_TEST_TMPDIR/ssh_config" >config
  fails 255 'stop: exit 255 (login denied)' -- ssh -F config -p "$PORT" 127.0.0.1 true
  fails 255 'stop: exit 255 (login denied)' -- scp -F config -P "$PORT" upload 127.0.0.1:
  fails 255 'stop: exit 255 (login denied)' -- sftp -F config -P "$PORT" 127.0.0.1:upload
}

@test "ssh: a host key that has changed stops, and so it does for scp and sftp" {
  sshd_ready
  "$START"
  ssh-keygen -q -t ed25519 -N '' -f other
  sed -i "s, ssh-ed25519 .*, $(cut -d ' ' -f 1,2 other.pub)," "$BATS_TEST_TMPDIR/known_hosts"
  sed 's/^StrictHostKeyChecking .*/StrictHostKeyChecking yes/' "$BATS_TEST_TMPDIR/ssh_config" >config
  fails 255 'stop: exit 255 (host key verification failed)' -- ssh -F config -p "$PORT" 127.0.0.1 true
  fails 255 'stop: exit 255 (host key verification failed)' -- scp -F config -P "$PORT" upload 127.0.0.1:
  fails 255 'stop: exit 255 (host key verification failed)' -- sftp -F config -P "$PORT" 127.0.0.1:upload
}

@test "ssh: a remote command's own status is an answer, not an outage" {
  sshd_ready
  "$START"
  fails 7 "stop: exit 7 (the remote command's own status)" -- "${SSH[@]}" exit 7
}

@test "ssh: an sshd that starts at the third attempt" {
  sshd_ready
  succeeds "$(at_attempt 3)" 255 255 -- "${SSH[@]}" true
}

# --- git ---

# repository: ./served/repo.git, which a server of files alone can offer.
repository() {
  needs git
  git -c init.defaultBranch=main init -q source
  cp upload source/
  git -C source add upload
  git -C source -c user.name=nobody -c user.email=nobody@example.org commit -q -m one
  git clone -q --bare source "$BATS_TEST_TMPDIR/served/repo.git"
  git -C "$BATS_TEST_TMPDIR/served/repo.git" update-server-info
}

@test "git clone: a connection that is refused is retried, and so is a host that is not known" {
  needs git
  fails 128 'retry: exit 128 (could not connect to host)' -- git clone "$URL/repo.git"
  fails 128 'retry: exit 128 (could not connect to host)' -- git clone "git://127.0.0.1:$PORT/repo.git"
  fails 128 'retry: exit 128 (could not resolve host)' -- git clone http://nonexistent.invalid/repo.git
}

@test "git clone: a repository that does not exist stops" {
  needs git
  answers_ready
  "$START"
  fails 128 'stop: exit 128 (repository not found)' -- git clone "$URL/missing.git"
  fails 128 'stop: exit 128 (no git repository there)' -- git clone "file://$PWD/missing.git"
  fails 128 'stop: exit 128 (repository not found)' -- git clone "$PWD/missing.git"
}

@test "git clone: 503 is retried, 401 and 403 stop, 429 is a throttle" {
  needs git
  answers_ready
  "$START"
  fails 128 'retry: exit 128 (HTTP error of the server)' -- git clone "$URL/503/repo.git"
  fails 128 'stop: exit 128 (login denied)' -- git clone "$URL/401/repo.git"
  fails 128 'stop: exit 128 (HTTP error that will not pass)' -- git clone "$URL/403/repo.git"
  fails 128 'throttle: exit 128 (too many requests)' -- git clone "$URL/429/repo.git"
}

@test "git: bad usage stops, and so does a directory that is in the way" {
  repository
  fails 129 'stop: exit 129 (bad usage)' -- git clone --no-such-option "$URL/repo.git"
  fails 128 'stop: exit 128 (destination exists)' -- git clone "$BATS_TEST_TMPDIR/served/repo.git" source
}

@test "git clone: 503 twice, and then it has the repository" {
  repository
  answers_ready
  "$START"
  succeeds : 128 128 -- git clone -q "$URL/503/503/200/repo.git" cloned
  cmp upload cloned/upload
}

@test "git clone: a server that starts at the third attempt" {
  repository
  answers_ready
  succeeds "$(at_attempt 3)" 128 128 -- git clone -q "$URL/repo.git" cloned
  cmp upload cloned/upload
}

# --- psql ---

# postgres_with ANSWER...: see postgres.py.
postgres_with() {
  start_script "$(type -P python3)" "$TOP_SRCDIR/tests/lib/postgres.py" "$PORT" "$@"
}

psql_ready() {
  needs psql
  PSQL=(psql -X -w -h 127.0.0.1 -p "$PORT" -U nobody -c 'select 1' nothing)
}

@test "psql: a connection that is refused is retried, and so is a host that is not known" {
  psql_ready
  fails 2 'retry: exit 2 (could not connect to the server)' -- "${PSQL[@]}"
  fails 2 'retry: exit 2 (could not resolve host)' -- "${PSQL[@]}" -h nonexistent.invalid
}

@test "psql: a server that is not up yet is retried" {
  psql_ready
  postgres_with starting
  "$START"
  fails 2 'retry: exit 2 (server is not up yet)' -- "${PSQL[@]}"
}

@test "psql: too many clients are a throttle" {
  psql_ready
  postgres_with full
  "$START"
  fails 2 'throttle: exit 2 (too many connections)' -- "${PSQL[@]}"
}

@test "psql: a login that is denied stops, and so does a bad option" {
  psql_ready
  postgres_with denied
  "$START"
  fails 2 'stop: exit 2 (login denied)' -- "${PSQL[@]}"
  fails 1 'stop: exit 1 (fatal error of its own, or of the command)' -- "${PSQL[@]}" --no-such-option
}

@test "psql: a server that is started at the third attempt, and has started at the fourth" {
  psql_ready
  postgres_with starting ready
  succeeds "$(at_attempt 3)" 2 2 2 -- "${PSQL[@]}"
  assert_equal "$(<out)" 'SELECT 0'
}

# --- pg_isready ---

pg_isready_ready() {
  needs pg_isready
  PG_ISREADY=(pg_isready -h 127.0.0.1 -p "$PORT")
}

@test "pg_isready: no response is retried" {
  pg_isready_ready
  fails 2 'retry: exit 2 (no response)' -- "${PG_ISREADY[@]}"
}

@test "pg_isready: a server that rejects connections is retried, and no attempt stops" {
  pg_isready_ready
  postgres_with starting
  "$START"
  fails 1 'retry: exit 1 (server rejects connections)' -- "${PG_ISREADY[@]}"
  fails 3 'stop: exit 3 (no attempt was made)' -- "${PG_ISREADY[@]}" --no-such-option
}

@test "pg_isready: a server that is started at the third attempt, and has started at the fourth" {
  pg_isready_ready
  postgres_with starting ready
  succeeds "$(at_attempt 3)" 2 2 1 -- "${PG_ISREADY[@]}"
}
