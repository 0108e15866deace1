#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --tool with real commands that fail for real, on loopback: each is retried
# or stopped as its table says, and comes through when the other side is back
# in time (of rsync and ssh, real.bats shows that). Nothing here waits for a
# time to pass.
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
  # decide here, but rustup finds its compilers; a name server that is away is not waited for.
  export RUSTUP_HOME=${RUSTUP_HOME-$HOME/.rustup}
  export LC_ALL=C HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 \
    RES_OPTIONS='timeout:1 attempts:1'
  unset HTTP_PROXY HTTPS_PROXY ALL_PROXY GIT_SSH GIT_SSH_COMMAND GIT_DIR \
    "${!PG@}"
}

# fails STATUS WANTED -- COMMAND...: it ends so, is tried again where WANTED
# is no stop and no pass, and WANTED is what the log says of it: "retry: exit 7 (...)".
fails() {
  local wanted_status=$1 wanted=$2 status=0 count=2
  shift 3
  case $wanted in
    stop:* | pass:*) count=1 ;;
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

# server_fails STATUS COMMAND...: a server that is not there and a 503 are retried, a 429 is
# a throttle, a 404 stops; {} in an argument is the URL.
server_fails() {
  local status=$1
  shift
  need "$1"
  fails "$status" "retry: exit $status (could not connect to host)" -- "${@//{\}/$URL}"
  answers_ready
  "$START"
  fails "$status" "retry: exit $status (HTTP server error)" -- "${@//{\}/$URL/503}"
  fails "$status" "throttle: exit $status (HTTP 429: too many requests)" -- "${@//{\}/$URL/429}"
  fails "$status" "stop: exit $status (permanent HTTP error)" -- "${@//{\}/$URL/404}"
}

# unverified STATUS COMMAND...: it stops at a server's certificate; {} is the URL. The port is
# another one if there is a server already.
unverified() {
  local command=("${@:2}")
  need "$2"
  [ ! -e "$START" ] || PORT=$(free_port)
  answers_with_tls_ready
  "$START"
  fails "$1" "stop: exit $1 (server certificate not verified)" -- "${command[@]//{\}/https://127.0.0.1:$PORT}"
}

# fails_on_disk STATUS WANTED -- COMMAND...: the same where ./small is a full disk;
# backoff has to be in there with it, as --tool goes by the command's own name.
fails_on_disk() {
  local wanted_status=$1 wanted=$2
  shift 3
  mkdir small
  need_mounts
  run -"$wanted_status" "${namespace[@]}" sh -c \
    'mount -t tmpfs -o size=64k tmpfs small && mkdir small/partial && exec "$@"' sh \
    "$BACKOFF" -n 2 -b 1us --log-format=json --log-file="$events" --tool -- "$@"
  judged
  assert_equal "$verdict: ${reason%% \"*}" "$wanted"
  assert_events 'len(attempts) == 1'
}

# --- curl ---

# curl_ready: curl without anybody's settings.
curl_ready() {
  need curl
  CURL=(curl --disable --noproxy '*' -sS)
}

@test "curl: no server and a host that is not known are retried, a bad option and a certificate stop" {
  curl_ready
  fails 7 'retry: exit 7 (could not connect to host)' -- "${CURL[@]}" "$URL/file"
  fails 6 'retry: exit 6 (could not resolve host)' -- "${CURL[@]}" http://nonexistent.invalid/
  fails 2 'stop: exit 2 (bad option, or failed to initialize)' -- "${CURL[@]}" --no-such-option "$URL/file"
  unverified 60 "${CURL[@]}" {}/file
  # The log quotes the reason.
  assert_regex "$reason" '"curl: \(60\) SSL'
}

@test "curl -f: 503 is retried, 404 and 401 stop, 429 is a throttle" {
  curl_ready
  answers_ready
  "$START"
  fails 22 'retry: exit 22 (HTTP server error)' -- "${CURL[@]}" -f "$URL/503/file"
  fails 22 'stop: exit 22 (HTTP 401, 403 or 407: not authorized)' -- "${CURL[@]}" -f "$URL/401/file"
  fails 22 'stop: exit 22 (permanent HTTP error)' -- "${CURL[@]}" -f "$URL/400/file"
  fails 22 'throttle: exit 22 (HTTP 429: too many requests)' -- "${CURL[@]}" -f "$URL/429/file"
  # With -s but without -S nothing tells a 404; behind a progress meter it is found.
  fails 22 'retry: exit 22 (HTTP error)' -- curl --disable --noproxy '*' -s -f "$URL/file"
  fails 22 'stop: exit 22 (HTTP 404 or 410: not found)' -- "${CURL[@]}" --no-silent -f -o file "$URL/file"
  grep -q 'Total' err
}

@test "curl: a file that it cannot write is a stop" {
  curl_ready
  need_writable /dev/full
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_ready
  "$START"
  fails 23 'stop: exit 23 (could not write output)' -- "${CURL[@]}" -o /dev/full "$URL/file"
}

@test "curl: a server that starts at the third attempt, and then says 503 once" {
  curl_ready
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_ready
  succeeds "$(at_attempt 3)" 7 7 22 -- "${CURL[@]}" -f -o got "$URL/503/200/file"
  assert_equal "$(<got)" fine
}

# --- wget ---

wget_ready() {
  need wget
  WGET=(wget --no-config --no-proxy -O got)
}

@test "wget: no server and 503 are retried, 429 is a throttle, 404 stops unless -q hides it, and so does what will not pass" {
  wget_ready
  fails 4 'retry: exit 4 (network failure)' -- "${WGET[@]}" "$URL/file"
  fails 4 'retry: exit 4 (network failure)' -- "${WGET[@]}" http://nonexistent.invalid/
  answers_ready
  "$START"
  fails 8 'retry: exit 8 (HTTP server error)' -- "${WGET[@]}" "$URL/503/file"
  fails 8 'stop: exit 8 (permanent HTTP error)' -- "${WGET[@]}" -nv "$URL/file"
  fails 8 'retry: exit 8 (server sent an error)' -- "${WGET[@]}" -q "$URL/file"
  fails 8 'throttle: exit 8 (HTTP 429: too many requests)' -- "${WGET[@]}" "$URL/429/file"
  fails 8 'stop: exit 8 (too many redirects)' -- "${WGET[@]}" --max-redirect=1 "$URL/302/file"
  fails 2 'stop: exit 2 (bad option or configuration)' -- "${WGET[@]}" --no-such-option "$URL/file"
  fails 1 'stop: exit 1 (cannot write there)' -- "${WGET[@]}" -O no/such/directory "$URL/file"
}

# --- HTTPie, aria2c, msmtp ---

# bats test_tags=long
@test "http: no server and 503 are retried, 404 and bad usage stop, 429 is a throttle" {
  need http
  local http=(http --ignore-stdin --check-status GET)
  fails 1 'retry: exit 1 (could not connect to host)' -- "${http[@]}" "$URL/file"
  answers_ready
  "$START"
  fails 5 'retry: exit 5 (HTTP server error)' -- "${http[@]}" "$URL/503/file"
  fails 4 'stop: exit 4 (permanent HTTP error)' -- "${http[@]}" "$URL/missing"
  fails 4 'throttle: exit 4 (HTTP 429: too many requests)' -- "${http[@]}" "$URL/429/file"
  fails 1 'stop: exit 1 (bad usage)' -- http --ignore-stdin --no-such-option "$URL/file"
}

@test "aria2c: no server and 503 are retried, 404, 403 and bad options stop, 429 is a throttle" {
  need aria2c
  local aria2c=(aria2c --no-conf -m 1)
  fails 1 'retry: exit 1 (timed out, or unknown error)' -- "${aria2c[@]}" "$URL/file"
  answers_ready
  "$START"
  fails 29 'retry: exit 29 (server is overloaded)' -- "${aria2c[@]}" "$URL/503/file"
  fails 3 'stop: exit 3 (not found)' -- "${aria2c[@]}" "$URL/missing"
  fails 22 'stop: exit 22 (permanent HTTP error)' -- "${aria2c[@]}" "$URL/403/file"
  fails 22 'throttle: exit 22 (HTTP 429: too many requests)' -- "${aria2c[@]}" "$URL/429/file"
  fails 28 'stop: exit 28 (bad option, torrent or magnet URI)' -- "${aria2c[@]}" --no-such-option
}

@test "msmtp: a server that is not there or says 4xx is retried, 5xx stops" {
  need msmtp
  local msmtp=(msmtp --file=/dev/null --host=127.0.0.1 --port="$PORT" --from=a@b.invalid c@d.invalid)
  fails 75 'retry: exit 75 (could not connect, or connection lost)' -- "${msmtp[@]}"
  # The first of its clients is $START.
  start_script "$(type -P python3)" -S -c "import contextlib, os, socket
server = socket.create_server(('127.0.0.1', $PORT))
if os.fork() == 0:
  for code in 421, 421, 421, 554:
    with contextlib.suppress(ConnectionError), server.accept()[0] as client:
      client.sendall(b'%d no\\r\\n' % code)
      client.recv(1)"
  "$START"
  fails 76 'retry: exit 76 (server asks to try again later)' -- "${msmtp[@]}"
  fails 76 'stop: exit 76 (refused by the server)' -- "${msmtp[@]}"
}

# --- rsync ---

@test "rsync: a full disk stops" {
  need rsync
  fails_on_disk 11 'stop: exit 11 (no space or read-only)' -- rsync upload small/
}

@test "rsync: a daemon that is not there is retried; a file or a module that it has not, and a bad option, stop" {
  rsyncd_ready
  fails 10 'retry: exit 10 (socket error)' -- rsync upload "$URL"
  "$START"
  fails 23 'stop: exit 23 (some files cannot be transferred)' -- rsync "${URL}missing" .
  fails 5 'stop: exit 5 (no such module)' -- rsync upload "rsync://127.0.0.1:$PORT/missing/"
  rmdir "$BATS_TEST_TMPDIR/served"
  fails 5 'stop: exit 5 (no such module)' -- rsync upload "$URL"
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

@test "rsync: a --rsync-path that is not there stops" {
  sshd_ready
  "$START"
  need rsync
  # It is 12 or 127, whichever of the two programs is seen to end first.
  run logged -n 2 -b 1us --tool -- rsync -e "${SSH[*]:0:5}" --rsync-path=/nonexistent/rsync upload 127.0.0.1:
  assert_events '[a.verdict for a in attempts] == ["stop"]' 'attempts[0].status in (12, 127)'
}

@test "rsync: a bad option of its ssh stops, and an ssh that is refused is retried" {
  need rsync ssh
  # It is 255 or 12, whichever of the two programs is seen to end first.
  run logged -n 2 -b 1us --tool -- rsync -e 'ssh -F none -p none' upload 127.0.0.1:
  assert_events '[a.verdict for a in attempts] == ["stop"]' 'attempts[0].status in (12, 255)'
  run logged -n 2 -b 1us --tool -- rsync -e "ssh -F none -p $PORT -o BatchMode=yes" upload 127.0.0.1:
  assert_events '[a.verdict for a in attempts] == ["retry", "retry"]' \
    'all(a.status in (12, 255) for a in attempts)'
}

# --- ssh ---

@test "ssh: no server and no such host are retried, a bad port, cipher or option stops, for scp and sftp too" {
  need ssh
  fails 255 'retry: exit 255 (connection refused)' -- ssh -F none -p "$PORT" 127.0.0.1 true
  fails 255 'retry: exit 255 (could not resolve host)' -- ssh -F none nonexistent.invalid true
  fails 255 'stop: exit 255 (bad usage)' -- ssh -F none -p none 127.0.0.1 true
  fails 255 'stop: exit 255 (bad usage)' -- ssh -F none -c none 127.0.0.1 true
  fails 255 'stop: exit 255 (bad configuration)' -- ssh -F none -o NoSuchOption=yes 127.0.0.1 true
  fails 255 'stop: exit 255 (bad usage)' -- scp -F none -P none upload 127.0.0.1:
  fails 255 'stop: exit 255 (bad usage)' -- sftp -F none -P none 127.0.0.1:upload
  fails 255 'stop: exit 255 (file cannot be copied)' -- sftp -b missing 127.0.0.1
}

# all_stop WHY: ssh, scp and sftp with ./config stop for it.
all_stop() {
  fails 255 "stop: exit 255 ($1)" -- ssh -F config -p "$PORT" 127.0.0.1 true
  fails 255 "stop: exit 255 ($1)" -- scp -F config -P "$PORT" upload 127.0.0.1:
  fails 255 "stop: exit 255 ($1)" -- sftp -F config -P "$PORT" 127.0.0.1:upload
}

@test "ssh, scp and sftp: a login that is denied stops, and so does a host key that has changed" {
  sshd_ready
  "$START"
  ssh-keygen -q -t ed25519 -N '' -f other
  sed "s,^IdentityFile .*,IdentityFile $PWD/other," "$BATS_TEST_TMPDIR/ssh_config" >config
  all_stop 'login denied'
  sed -i "s, ssh-ed25519 .*, $(cut -d ' ' -f 1,2 other.pub)," "$BATS_TEST_TMPDIR/known_hosts"
  sed 's/^StrictHostKeyChecking .*/StrictHostKeyChecking yes/' "$BATS_TEST_TMPDIR/ssh_config" >config
  all_stop 'host key verification failed'
}

@test "ssh: a remote command's own status is an answer, and a file that scp misses is none" {
  sshd_ready
  "$START"
  fails 7 "stop: exit 7 (the remote command's own status)" -- "${SSH[@]}" exit 7
  fails 255 'stop: exit 255 (file cannot be copied)' -- \
    scp -F "$BATS_TEST_TMPDIR/ssh_config" -P "$PORT" missing 127.0.0.1:
}

# times_out SSH...: an attempt that is cut while its remote command runs; that
# one is process $remote.
times_out() {
  local limit

  for limit in 1 5 20 60; do
    run -124 "$BACKOFF" -q -n 1 -t "$limit" -- "$@" \
      "echo \$\$ >$PWD/remote; exec sleep 1000"
    [ ! -s remote ] || break
  done
  remote=$(cat remote)
}

# bats test_tags=long
@test "ssh: a timeout leaves the remote command running" {
  sshd_ready
  "$START"
  times_out "${SSH[@]}"
  run -0 kill "$remote"
}

# bats test_tags=long
@test "ssh -tt: a timeout ends the remote command, too" {
  sshd_ready
  "$START"
  need_ssh_terminal
  times_out ssh -tt "${SSH[@]:1}"
  wait_for gone "$remote"
}

# --- git ---

# repository: ./served/repo.git, which a server of files alone can offer.
repository() {
  need git
  git -c init.defaultBranch=main init -q source
  cp upload source/
  git -C source add upload
  git -C source -c user.name=nobody -c user.email=nobody@example.org commit -q -m one
  git clone -q --bare source "$BATS_TEST_TMPDIR/served/repo.git"
  git -C "$BATS_TEST_TMPDIR/served/repo.git" update-server-info
}

@test "git clone: no server and 503 are retried, 429 is a throttle, and what will not pass stops" {
  need git
  fails 128 'retry: exit 128 (could not connect to host)' -- git clone "$URL/repo.git"
  fails 128 'retry: exit 128 (could not connect to host)' -- git clone "git://127.0.0.1:$PORT/repo.git"
  fails 128 'retry: exit 128 (could not resolve host)' -- git clone http://nonexistent.invalid/repo.git
  mkdir -p "$BATS_TEST_TMPDIR/served/page/info"
  echo '<html>' >"$BATS_TEST_TMPDIR/served/page/info/refs"
  answers_ready
  "$START"
  fails 128 'retry: exit 128 (HTTP server error)' -- git clone "$URL/503/repo.git"
  fails 128 'throttle: exit 128 (too many requests)' -- git clone "$URL/429/repo.git"
  fails 128 'stop: exit 128 (login denied)' -- git clone "$URL/401/repo.git"
  fails 128 'stop: exit 128 (permanent HTTP error)' -- git clone "$URL/403/repo.git"
  fails 128 'stop: exit 128 (repository not found)' -- git clone "$URL/missing.git"
  fails 128 'stop: exit 128 (repository not found)' -- git clone "$PWD/missing.git"
  fails 128 'stop: exit 128 (no git repository there)' -- git clone "file://$PWD/missing.git"
  fails 128 'stop: exit 128 (no git repository there)' -- git clone "$URL/page"
  fails 128 'stop: exit 128 (too many redirects)' -- git clone "$URL/302/repo.git"
  unverified 128 git ls-remote {}/repo.git
}

@test "git: bad usage, a directory in the way, nothing to commit, and a patch that does not apply stop" {
  repository
  fails 129 'stop: exit 129 (bad usage)' -- git clone --no-such-option "$URL/repo.git"
  fails 128 'stop: exit 128 (destination exists)' -- git clone "$BATS_TEST_TMPDIR/served/repo.git" source
  fails 1 'stop: exit 1 (nothing to commit)' -- \
    git -C source -c user.name=nobody -c user.email=nobody@example.org commit -m two
  printf '%s\n' '--- a/upload' '+++ b/upload' '@@ -1 +1 @@' -missing +new >bad.patch
  fails 1 'stop: exit 1 (patch cannot be applied)' -- git -C source apply "$PWD/bad.patch"
  fails 128 'stop: exit 128 (patch cannot be applied)' -- git -C source apply "$PWD/source/upload"
}

@test "git clone: a server that starts at the third attempt, and then says 503 once" {
  repository
  answers_ready
  succeeds "$(at_attempt 3)" 128 128 128 -- git clone -q "$URL/503/200/repo.git" cloned
  cmp upload cloned/upload
}

# in_conflict: source and cloned have changed the same line.
in_conflict() {
  repository
  export GIT_AUTHOR_NAME=nobody GIT_AUTHOR_EMAIL=nobody@example.org
  export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
  git clone -q source cloned
  echo ours >cloned/upload
  git -C cloned commit -qam ours
  echo theirs >source/upload
  git -C source commit -qam theirs
  git -C cloned fetch -q
}

# bats test_tags=long
@test "git pull, rebase and cherry-pick: a conflict stops, and so does one that is still there" {
  in_conflict
  fails 1 'stop: exit 1 (unresolved conflict)' -- git -C cloned pull --no-rebase
  grep -q '^CONFLICT' out
  fails 128 'stop: exit 128 (unresolved conflict)' -- git -C cloned pull --no-rebase
  git -C cloned merge --abort
  fails 1 'stop: exit 1 (unresolved conflict)' -- git -C cloned rebase origin/main
  git -C cloned rebase --abort
  fails 1 'stop: exit 1 (unresolved conflict)' -- git -C cloned cherry-pick origin/main
}

@test "git push: what is not there, or has no upstream branch, stops" {
  in_conflict
  fails 1 'stop: exit 1 (nothing of that name)' -- git -C cloned push origin missing
  git -C cloned checkout -qb new
  fails 128 'stop: exit 128 (no upstream branch)' -- git -C cloned push
}

@test "git: a daemon that does not offer the repository stops" {
  repository
  git_daemon_ready
  "$START"
  fails 128 'stop: exit 128 (not offered by the daemon)' -- git ls-remote "git://127.0.0.1:$PORT/repo.git"
}

# bats test_tags=long
@test "git: no git on the other side stops" {
  repository
  sshd_ready
  "$START"
  export GIT_SSH_COMMAND="${SSH[*]:0:3}"
  fails 128 'stop: exit 128 (no git on the remote side)' -- \
    git ls-remote --upload-pack=/nonexistent/git-upload-pack "ssh://127.0.0.1:$PORT$PWD/source"
}

# --- apt-get ---

# apt_ready: apt-get with nothing of this system's: ./served is its repository.
apt_ready() {
  need apt-get
  mkdir -p apt/lists/partial apt/archives/partial apt/none
  : >apt/status
  echo "deb [trusted=yes] $URL ./" >apt/sources.list
  APT=(apt-get -q -o Dir::State::Lists="$PWD/apt/lists" -o Dir::State::Status="$PWD/apt/status"
    -o Dir::Cache="$PWD/apt" -o Dir::Etc::SourceList="$PWD/apt/sources.list"
    -o Dir::Etc::SourceParts="$PWD/apt/none" -o Dir::Etc::Parts="$PWD/apt/none"
    -o Acquire::Languages=none -o APT::Sandbox::User='')
}

# apt_serves: ./served is a repository with the packages on stdin.
apt_serves() {
  (
    cd "$BATS_TEST_TMPDIR/served" || exit
    cat >Packages
    printf 'Date: %s\nSHA256:\n %s %d Packages\n' "$(date -Ru)" \
      "$(sha256sum Packages | cut -d ' ' -f 1)" "$(stat -c %s Packages)" >Release
  )
  answers_ready
}

@test "apt-get: a list of sources that cannot be read or lacks sources stops, and so does a missing file" {
  apt_ready
  fails 100 'stop: exit 100 (bad list of sources)' -- "${APT[@]}" source nothing
  fails 100 'stop: exit 100 (no such package)' -- "${APT[@]}" install "$PWD/missing.deb"
  echo nonsense >apt/sources.list
  fails 100 'stop: exit 100 (bad list of sources)' -- "${APT[@]}" update
}

@test "apt-get: a certificate that is not verified stops" {
  apt_ready
  sed -i s/http:/https:/ apt/sources.list
  unverified 100 "${APT[@]}" --error-on=any update
}

@test "apt-get update: a mirror that is down is retried, although the status is 0" {
  apt_ready
  fails 1 'retry: exit 0 (index files could not be downloaded)' -- "${APT[@]}" update
  rm "$events"
  apt_serves </dev/null
  succeeds "$START" 0 -- "${APT[@]}" update
}

# bats test_tags=long
@test "apt-get: a full disk stops" {
  apt_ready
  sed 's/^/X-/; s/$/: x/' upload | apt_serves
  "$START"
  fails_on_disk 100 'stop: exit 100 (system needs a repair, or space)' -- \
    "${APT[@]}" -o Dir::State::Lists="$PWD/small" --error-on=any update
}

# --- svn, hg, gh, cargo, go, gem, pip ---

@test "svn: no server and 5xx are retried, what is missing and bad usage stop, 429 is a throttle" {
  need svn svnadmin
  local svn=(svn --non-interactive --config-dir "$PWD")
  fails 1 'retry: exit 1 (could not connect to host)' -- "${svn[@]}" ls "$URL"
  answers_ready
  "$START"
  fails 1 'retry: exit 1 (HTTP server error)' -- "${svn[@]}" ls "$URL/503/x"
  fails 1 'throttle: exit 1 (HTTP 429: too many requests)' -- "${svn[@]}" ls "$URL/429/x"
  fails 1 'stop: exit 1 (not found)' -- "${svn[@]}" ls "$URL/404/x"
  fails 1 'stop: exit 1 (access denied)' -- "${svn[@]}" ls "$URL/403/x"
  fails 1 'stop: exit 1 (bad usage)' -- "${svn[@]}" checkout
  fails 1 'stop: exit 1 (not a working copy, or out of date)' -- "${svn[@]}" update .
  svnadmin create repository
  fails 1 'stop: exit 1 (not found)' -- "${svn[@]}" ls "file://$PWD/repository/missing"
  unverified 1 "${svn[@]}" ls {}
}

# bats test_tags=long
@test "hg: no server and 503 are retried, 404, what is missing and bad usage stop, 429 is a throttle" {
  server_fails 255 hg clone {}/x
  fails 255 'stop: exit 255 (login denied)' -- hg clone "$URL/401/x"
  fails 255 'stop: exit 255 (no such repository or revision)' -- hg clone missing
  fails 255 'stop: exit 255 (bad usage)' -- hg clone
  hg init repository
  fails 255 'stop: exit 255 (no such repository or revision)' -- hg -R repository update missing
  unverified 255 hg clone {}/x
}

@test "gh: no server and 503 are retried, 404, no login and bad usage stop, 429 is a throttle" {
  need gh
  export GH_TOKEN=none
  fails 1 'retry: exit 1 (could not connect to host)' -- gh api "$URL/x"
  answers_ready
  "$START"
  fails 1 'retry: exit 1 (HTTP server error)' -- gh api "$URL/503/x"
  fails 1 'throttle: exit 1 (rate limited by the server)' -- gh api "$URL/429/x"
  fails 1 'stop: exit 1 (not found, or access denied)' -- gh api "$URL/404/x"
  fails 1 'stop: exit 1 (bad usage)' -- gh --no-such-option
  unverified 1 gh api {}/x
  unset GH_TOKEN
  fails 4 'stop: exit 4 (login needed)' -- gh api x
}

@test "cargo: no server and 503 are retried, 403, bad usage and code stop, 429 is a throttle" {
  need cargo
  cargo --version || skip 'cargo does not run here'
  mkdir src
  echo nonsense >src/main.rs
  printf '%s\n' '[package]' 'name = "crate"' 'version = "1.0.0"' '[dependencies]' 'x = "1"' >Cargo.toml
  local cargo=(cargo --config net.retry=0 --config 'source.crates-io.replace-with="ours"'
    --config "source.ours.registry='sparse+{}/'" fetch)
  fails 101 'retry: exit 101 (could not connect to host)' -- "${cargo[@]//{\}/$URL}"
  answers_ready
  "$START"
  fails 101 'retry: exit 101 (HTTP server error)' -- "${cargo[@]//{\}/$URL/503}"
  fails 101 'throttle: exit 101 (HTTP 429: too many requests)' -- "${cargo[@]//{\}/$URL/429}"
  fails 101 'stop: exit 101 (permanent HTTP error)' -- "${cargo[@]//{\}/$URL/403}"
  unverified 101 "${cargo[@]}"
  fails 101 'stop: exit 101 (bad usage)' -- cargo no-such-command
  sed -i '/^x/d' Cargo.toml
  fails 101 'stop: exit 101 (does not compile)' -- cargo build --offline
  rm Cargo.toml
  fails 101 'stop: exit 101 (bad manifest, or none)' -- cargo build
}

# bats test_tags=long
@test "go: no proxy and 503 are retried, 404 and bad usage stop, 429 is a throttle" {
  need go
  export GOSUMDB=off GOFLAGS=-modcacherw
  server_fails 1 env GOPROXY={} go install example.invalid/x@v1.0.0
  fails 1 'stop: exit 1 (no such module or directory)' -- go build
  fails 2 'stop: exit 2 (bad usage, or does not compile)' -- go no-such-command
  unverified 1 env GOPROXY={} go install example.invalid/x@v1.0.0
}

# bats test_tags=long
@test "gem: no server and 503 are retried, 404, a gem that there is not and bad usage stop, 429 is a throttle" {
  server_fails 2 gem install --clear-sources --source {}/ --install-dir gems nothing
  fails 2 'stop: exit 2 (no such gem)' -- gem install --local nothing
  fails 1 'stop: exit 1 (bad usage)' -- gem no-such-command
  fails 1 'stop: exit 1 (files cannot be read or written)' -- gem build missing
  unverified 2 gem install --clear-sources --source {}/ --install-dir gems nothing
}

# bats test_tags=long
@test "pip: a certificate that is not verified stops" {
  local pip=(pip --isolated --disable-pip-version-check --retries 1 download --no-deps)
  pip --version || skip 'pip does not run here'
  unverified 1 "${pip[@]}" --index-url "https://127.0.0.1:$PORT/" nothing
  fails 2 'stop: exit 2 (server certificate not verified)' -- "${pip[@]}" "https://127.0.0.1:$PORT/x-1.0.tar.gz"
}

# --- npm ---

# bats test_tags=long
@test "npm: a certificate that is not verified stops, and so does a command that there is not" {
  need npm
  local npm=(npm --cache "$PWD/npm" --fetch-retries=0 --no-update-notifier)
  unverified 1 "${npm[@]}" view nothing --registry {}/
  fails 1 'stop: exit 1 (bad usage)' -- "${npm[@]}" no-such-command
}

# --- skopeo, podman, buildah ---

# images_ready: a registry, and a writable place for their images.
images_ready() {
  local dir=$BATS_TEST_TMPDIR
  echo '{"default": [{"type": "insecureAcceptAnything"}]}' >policy.json
  SKOPEO=(skopeo --policy policy.json inspect --tls-verify=false)
  PODMAN=(podman --root "$dir/root" --runroot "$dir/run" --storage-driver=vfs --cgroup-manager=cgroupfs
    pull --tls-verify=false)
  BUILDAH=(buildah --root "$dir/root" --runroot "$dir/run" --storage-driver=vfs pull --tls-verify=false)
  IMAGE=127.0.0.1:$PORT
  # Podman's root leaves a directory where nobody else may look for logins.
  echo '{}' >auth.json
  export REGISTRY_AUTH_FILE=$PWD/auth.json
  registry_ready
}

# bats test_tags=long
@test "skopeo: an image that is missing or denied stops, 503 and no registry are retried" {
  need skopeo
  images_ready
  fails 1 'retry: exit 1 (could not connect to the registry)' -- "${SKOPEO[@]}" "docker://$IMAGE/missing"
  "$START"
  fails 1 'stop: exit 1 (image not found)' -- "${SKOPEO[@]}" "docker://$IMAGE/missing"
  local image
  for image in denied login forbidden; do
    fails 1 'stop: exit 1 (access denied by the registry)' -- "${SKOPEO[@]}" "docker://$IMAGE/$image"
  done
  fails 1 'retry: exit 1 (HTTP error of the registry)' -- "${SKOPEO[@]}" "docker://$IMAGE/failing"
}

@test "skopeo: a bad name, option or directory stops" {
  need skopeo
  images_ready
  fails 1 'stop: exit 1 (bad image name)' -- skopeo --policy policy.json copy docker://BAD dir:copy
  fails 1 'stop: exit 1 (bad usage)' -- skopeo --no-such-option
  fails 1 'stop: exit 1 (image not found)' -- skopeo --policy policy.json copy dir:missing dir:copy
  answers_ready
  "$START"
  fails 1 'stop: exit 1 (image not found)' -- "${SKOPEO[@]}" "docker://$IMAGE/missing"
}

@test "skopeo: a certificate that is not verified stops" {
  need skopeo
  images_ready
  answers_with_tls_ready
  "$START"
  fails 1 'stop: exit 1 (server certificate not verified)' -- \
    skopeo --policy policy.json inspect "docker://$IMAGE/missing"
}

# pulls COMMAND...: as podman or buildah should.
pulls() {
  "$@" --help >/dev/null 2>&1 || skip "$1 does not run here"
  "$START"
  fails 125 'stop: exit 125 (image not found)' -- "$@" "$IMAGE/missing"
  fails 125 'stop: exit 125 (access denied by the registry)' -- "$@" "$IMAGE/denied"
  fails 125 'stop: exit 125 (bad image name)' -- "$@" BAD
  fails 125 'stop: exit 125 (bad usage)' -- "$1" no-such-command
  [ "$1" = buildah ] || fails 125 'stop: exit 125 (bad usage)' -- "${@:1:5}" build missing
  fails 125 'retry: exit 125 (HTTP error of the registry)' -- "$@" "$IMAGE/failing"
}

# bats test_tags=long
@test "podman pull: an image that is missing or denied stops, and 503 is retried" {
  need podman
  need_root
  images_ready
  pulls "${PODMAN[@]}"
}

# bats test_tags=long
@test "buildah pull: an image that is missing or denied stops, and 503 is retried" {
  need buildah
  need_root
  images_ready
  pulls "${BUILDAH[@]}"
}

# --- docker ---

@test "docker: no directory to build from stops" {
  need docker
  export DOCKER_BUILDKIT=0 DOCKER_HOST=unix://$PWD/none DOCKER_CONFIG=$PWD
  fails 1 'stop: exit 1 (bad usage)' -- docker build missing
}

# --- kubectl ---

@test "kubectl: a bad manifest stops, and so does bad usage; a server that is not there is retried" {
  need kubectl
  echo 'kind: [' >bad.yaml
  echo 'no: kind' >strange.yaml
  echo 'no object' >text
  fails 1 'stop: exit 1 (manifest cannot be read)' -- kubectl label --local -f bad.yaml a=b
  fails 1 'stop: exit 1 (manifest cannot be read)' -- kubectl label --local -f strange.yaml a=b
  fails 1 'stop: exit 1 (bad usage)' -- kubectl apply
  fails 1 'retry: exit 1 (could not connect to the server)' -- kubectl --server="$URL" get pods
  answers_ready
  "$START"
  fails 1 'stop: exit 1 (manifest cannot be read)' -- kubectl --server="$URL" apply -f text
}

@test "kubectl: a question for a login stops, where both streams are one" {
  need kubectl
  run logged -n 2 -b 1us --tool -- kubectl --server="https://127.0.0.1:$PORT" get pods </dev/null
  judged
  assert_equal "$verdict: ${reason%% \"*}" 'stop: exit 1 (access denied)'
}

# --- rclone ---

rclone_ready() {
  need rclone
  unset AWS_CA_BUNDLE
  : >rclone.conf
  RCLONE=(rclone --config rclone.conf --retries 1 --low-level-retries 1)
}

# bats test_tags=long
@test "rclone: a URL that is not there stops, so does a 403 of an S3 server, and 503 is retried" {
  rclone_ready
  printf '%s\n' '[s3]' type=s3 provider=Other access_key_id=a secret_access_key=b \
    "endpoint=$URL/403" >rclone.conf
  answers_ready
  "$START"
  fails 1 'stop: exit 1 (not found)' -- "${RCLONE[@]}" copyurl "$URL/missing" got
  fails 1 'stop: exit 1 (not found)' -- "${RCLONE[@]}" copy upload /proc/missing
  fails 1 'retry: exit 1 (HTTP server error)' -- "${RCLONE[@]}" copyurl "$URL/503/file" got
  fails 1 'stop: exit 1 (access denied)' -- "${RCLONE[@]}" ls s3:bucket
  unverified 1 "${RCLONE[@]}" copyurl {}/file got
}

# bats test_tags=long
@test "rclone: a login that is denied stops" {
  rclone_ready
  sshd_ready
  "$START"
  ssh-keygen -q -t rsa -N '' -m PEM -f other
  printf '%s\n' '[sftp]' type=sftp host=127.0.0.1 "port=$PORT" "user=$(id -un)" \
    "key_file=$PWD/other" >rclone.conf
  fails 1 'stop: exit 1 (access denied)' -- "${RCLONE[@]}" ls sftp:
  rm other
  fails 1 'stop: exit 1 (access denied)' -- "${RCLONE[@]}" ls sftp:
}

# --- aws ---

# bats test_tags=long
@test "aws: a certificate that is not verified stops" {
  need aws
  aws --version || skip 'aws does not run here'
  unset AWS_CA_BUNDLE
  unverified 255 aws --no-sign-request --region us-east-1 --endpoint-url "https://127.0.0.1:$PORT" s3 ls
}

# --- restic ---

# bats test_tags=long
@test "restic: a snapshot that there is not stops, and so does a certificate that is not verified" {
  need restic
  export RESTIC_PASSWORD=none
  restic init -q -r repository
  fails 1 'stop: exit 1 (no such snapshot)' -- restic -r repository restore missing --target got
  fails 1 'stop: exit 1 (repository does not exist)' -- restic -r "s3:$URL/x" snapshots
  unverified 1 restic -r "rest:https://127.0.0.1:$PORT/" snapshots
}

# bats test_tags=long
@test "rclone: a full disk stops" {
  rclone_ready
  fails_on_disk 1 'stop: exit 1 (no space left)' -- "${RCLONE[@]}" copy upload small/
}

# --- borg ---

# borg_ready: a repository, and its settings.
borg_ready() {
  need borg
  export BORG_BASE_DIR=$PWD BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes BORG_RELOCATED_REPO_ACCESS_IS_OK=yes
  borg init -e none repository
}

# bats test_tags=long
@test "borg: a file that was not saved is a pass, whose status is kept, and bad usage stops" {
  borg_ready
  fails 1 'pass: exit 1 (done, with warnings)' -- borg create repository::one upload missing
  fails 2 'stop: exit 2 (bad usage)' -- borg create repository upload
  fails 2 'stop: exit 2 (bad usage)' -- borg prune repository
  unset BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK
  BORG_BASE_DIR=$PWD/new fails 2 'stop: exit 2 (access denied)' -- borg list repository
}

# bats test_tags=long
@test "borg: no borg on the other side stops" {
  borg_ready
  sshd_ready
  "$START"
  export BORG_RSH="${SSH[*]:0:5}"
  # Where borg sees ssh's end before ssh's words, it leaves them out.
  : >err
  until grep -q '^Remote: ' err; do
    run -2 --separate-stderr "$BACKOFF" -n 1 --tool -- \
      borg --remote-path=/nonexistent/borg list "ssh://127.0.0.1$PWD/repository"
    echo "$stderr" >err
  done
  assert_regex "$stderr" 'not retrying after attempt 1/1: exit 2 \(no borg on the remote side\)'
}

# --- psql ---

# postgres_with ANSWER...: see postgres.py.
postgres_with() {
  start_script "$(type -P python3)" -S "$TOP_SRCDIR/tests/lib/postgres.py" "$PORT" "$@"
}

psql_ready() {
  need psql
  PSQL=(psql -X -w -h 127.0.0.1 -p "$PORT" -U nobody -c 'select 1' nothing)
}

@test "psql: no server is retried, too many clients are a throttle, a bad option and a denied login stop" {
  psql_ready
  fails 2 'retry: exit 2 (could not connect to the server)' -- "${PSQL[@]}"
  fails 2 'retry: exit 2 (could not resolve host)' -- "${PSQL[@]}" -h nonexistent.invalid
  fails 1 'stop: exit 1 (fatal error of its own, or of the command)' -- "${PSQL[@]}" --no-such-option
  postgres_with full full denied
  "$START"
  fails 2 'throttle: exit 2 (too many connections)' -- "${PSQL[@]}"
  fails 2 'stop: exit 2 (login denied)' -- "${PSQL[@]}"
}

@test "psql and pg_dump: a server that lacks TLS stops, and so does pg_restore without a place" {
  psql_ready
  postgres_with full
  "$START"
  export PGSSLMODE=require
  fails 2 'stop: exit 2 (server has no TLS)' -- "${PSQL[@]}"
  fails 1 'stop: exit 1 (server has no TLS)' -- pg_dump -w -h 127.0.0.1 -p "$PORT" nothing
  fails 1 'stop: exit 1 (bad usage)' -- pg_restore upload
}

# --- mysqldump ---

@test "mysqldump: a file that cannot be written stops" {
  need mysqldump
  fails 1 'stop: exit 1 (could not write output)' -- mysqldump --no-defaults -r missing/file nothing
}

# --- pg_isready ---

@test "pg_isready: a server that is started at the third attempt, and has started at the fourth" {
  need pg_isready
  local command=(pg_isready -h 127.0.0.1 -p "$PORT")
  fails 3 'stop: exit 3 (no attempt was made)' -- "${command[@]}" --no-such-option
  postgres_with starting ready
  succeeds "$(at_attempt 3)" 2 2 1 -- "${command[@]}"
}
