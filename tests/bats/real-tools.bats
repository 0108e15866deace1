#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# --tool with real commands that fail for real, on loopback: each is retried
# or stopped as its table says, and comes through when the other side is back
# in time (of rsync and ssh, real.bats shows that). A few messages of each tool:
# unit/known/samples.def has all of them. Nothing here waits for a time to pass.

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
# a throttle, a 404 stops; {} in an argument is the URL. The table may have words of its own
# for a 429, $limited, and for a 404, $missing.
server_fails() {
  local status=$1
  shift
  need "$1"
  fails "$status" "retry: exit $status (could not connect to host)" -- "${@//{\}/$URL}"
  answers_start
  fails "$status" "retry: exit $status (HTTP server error)" -- "${@//{\}/$URL/503}"
  fails "$status" "throttle: exit $status (${limited:-HTTP 429: too many requests})" -- "${@//{\}/$URL/429}"
  fails "$status" "stop: exit $status (${missing:-permanent HTTP error})" -- "${@//{\}/$URL/404}"
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

# curl_ready: curl without anybody's settings.
curl_ready() {
  need curl
  CURL=(curl --disable --noproxy '*' -sS)
}

@test "curl: no server and a host that is not known are retried, a file that it cannot write and a certificate stop" {
  curl_ready
  need_writable /dev/full
  fails 7 'retry: exit 7 (could not connect to host)' -- "${CURL[@]}" "$URL/file"
  fails 6 'retry: exit 6 (could not resolve host)' -- "${CURL[@]}" http://nonexistent.invalid/
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_start
  fails 23 'stop: exit 23 (could not write output)' -- "${CURL[@]}" -o /dev/full "$URL/file"
  unverified 60 "${CURL[@]}" {}/file
  # The log quotes the reason.
  assert_regex "$reason" '"curl: \(60\) SSL'
}

@test "curl -f: 503 is retried, 404 stops, 429 is a throttle" {
  curl_ready
  answers_start
  fails 22 'retry: exit 22 (HTTP server error)' -- "${CURL[@]}" -f "$URL/503/file"
  fails 22 'throttle: exit 22 (HTTP 429: too many requests)' -- "${CURL[@]}" -f "$URL/429/file"
  # With -s but without -S nothing tells a 404; behind a progress meter it is found.
  fails 22 'retry: exit 22 (HTTP error)' -- curl --disable --noproxy '*' -s -f "$URL/file"
  fails 22 'stop: exit 22 (HTTP 404 or 410: not found)' -- "${CURL[@]}" --no-silent -f -o file "$URL/file"
  grep -q 'Total' err
}

@test "curl: a server that starts at the third attempt, and then says 503 once" {
  curl_ready
  echo fine >"$BATS_TEST_TMPDIR/served/file"
  answers_ready
  succeeds "$(at_attempt 3)" 7 7 22 -- "${CURL[@]}" -f -o got "$URL/503/200/file"
  assert_equal "$(<got)" fine
}

@test "wget: no server and 503 are retried, 429 is a throttle, 404 stops unless -q hides it" {
  need wget
  local wget=(wget --no-config --no-proxy -O got)
  fails 4 'retry: exit 4 (network failure)' -- "${wget[@]}" "$URL/file"
  answers_start
  fails 8 'retry: exit 8 (HTTP server error)' -- "${wget[@]}" "$URL/503/file"
  fails 8 'stop: exit 8 (permanent HTTP error)' -- "${wget[@]}" -nv "$URL/file"
  fails 8 'retry: exit 8 (server sent an error)' -- "${wget[@]}" -q "$URL/file"
  fails 8 'throttle: exit 8 (HTTP 429: too many requests)' -- "${wget[@]}" "$URL/429/file"
  fails 1 'stop: exit 1 (cannot write there)' -- "${wget[@]}" -O no/such/directory "$URL/file"
}

# bats test_tags=long
@test "http: no server and 503 are retried, 404 stops, 429 is a throttle" {
  need http
  local http=(http --ignore-stdin --check-status GET)
  fails 1 'retry: exit 1 (could not connect to host)' -- "${http[@]}" "$URL/file"
  answers_start
  fails 5 'retry: exit 5 (HTTP server error)' -- "${http[@]}" "$URL/503/file"
  fails 4 'stop: exit 4 (permanent HTTP error)' -- "${http[@]}" "$URL/missing"
  fails 4 'throttle: exit 4 (HTTP 429: too many requests)' -- "${http[@]}" "$URL/429/file"
}

@test "aria2c: no server and 503 are retried, 404 stops, 429 is a throttle" {
  need aria2c
  local aria2c=(aria2c --no-conf -m 1)
  fails 1 'retry: exit 1 (timed out, or unknown error)' -- "${aria2c[@]}" "$URL/file"
  answers_start
  fails 29 'retry: exit 29 (server is overloaded)' -- "${aria2c[@]}" "$URL/503/file"
  fails 3 'stop: exit 3 (not found)' -- "${aria2c[@]}" "$URL/missing"
  fails 22 'throttle: exit 22 (HTTP 429: too many requests)' -- "${aria2c[@]}" "$URL/429/file"
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

@test "rsync: a daemon that is not there is retried; a file or a module that it has not stops" {
  rsyncd_ready
  fails 10 'retry: exit 10 (socket error)' -- rsync upload "$URL"
  "$START"
  fails 23 'stop: exit 23 (some files cannot be transferred)' -- rsync "${URL}missing" .
  fails 5 'stop: exit 5 (no such module)' -- rsync upload "rsync://127.0.0.1:$PORT/missing/"
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

@test "ssh: no server and no such host are retried, a bad port or option stops, for scp and sftp too" {
  need ssh
  fails 255 'retry: exit 255 (connection refused)' -- ssh -F none -p "$PORT" 127.0.0.1 true
  fails 255 'retry: exit 255 (could not resolve host)' -- ssh -F none nonexistent.invalid true
  fails 255 'stop: exit 255 (bad usage)' -- ssh -F none -p none 127.0.0.1 true
  fails 255 'stop: exit 255 (bad configuration)' -- ssh -F none -o NoSuchOption=yes 127.0.0.1 true
  fails 255 'stop: exit 255 (bad usage)' -- scp -F none -P none upload 127.0.0.1:
  fails 255 'stop: exit 255 (bad usage)' -- sftp -F none -P none 127.0.0.1:upload
}

@test "ssh, scp and sftp: a login that is denied stops, and so does a host key that has changed" {
  sshd_ready
  "$START"
  ssh-keygen -q -t ed25519 -N '' -f other
  sed "s,^IdentityFile .*,IdentityFile $PWD/other," "$BATS_TEST_TMPDIR/ssh_config" >config
  fails 255 'stop: exit 255 (login denied)' -- ssh -F config -p "$PORT" 127.0.0.1 true
  fails 255 'stop: exit 255 (login denied)' -- sftp -F config -P "$PORT" 127.0.0.1:upload
  sed -i "s, ssh-ed25519 .*, $(cut -d ' ' -f 1,2 other.pub)," "$BATS_TEST_TMPDIR/known_hosts"
  sed 's/^StrictHostKeyChecking .*/StrictHostKeyChecking yes/' "$BATS_TEST_TMPDIR/ssh_config" >config
  fails 255 'stop: exit 255 (host key verification failed)' -- scp -F config -P "$PORT" upload 127.0.0.1:
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
  rm -f remote
  for limit in 1 5 20 60; do
    run -124 "$BACKOFF" -q -n 1 -t "$limit" -- "$@" \
      "echo \$\$ >$PWD/remote; exec sleep 1000"
    [ ! -s remote ] || break
  done
  remote=$(cat remote)
}

# bats test_tags=long
@test "ssh: a timeout leaves the remote command running, but not that of ssh -tt" {
  sshd_ready
  "$START"
  times_out "${SSH[@]}"
  run -0 kill "$remote"
  need_ssh_terminal
  times_out ssh -tt "${SSH[@]:1}"
  wait_for gone "$remote"
}

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
  limited='too many requests' missing='repository not found' server_fails 128 git clone {}/repo.git
  fails 128 'stop: exit 128 (login denied)' -- git clone "$URL/401/repo.git"
  fails 128 'stop: exit 128 (no git repository there)' -- git clone "file://$PWD/missing.git"
  unverified 128 git ls-remote {}/repo.git
}

@test "git: bad usage, a directory in the way, and nothing to commit stop" {
  repository
  fails 129 'stop: exit 129 (bad usage)' -- git clone --no-such-option "$URL/repo.git"
  fails 128 'stop: exit 128 (destination exists)' -- git clone "$BATS_TEST_TMPDIR/served/repo.git" source
  fails 1 'stop: exit 1 (nothing to commit)' -- \
    git -C source -c user.name=nobody -c user.email=nobody@example.org commit -m two
}

# bats test_tags=long
@test "git: a conflict, also one that is still there, and a push of what is not there stop" {
  repository
  export GIT_AUTHOR_NAME=nobody GIT_AUTHOR_EMAIL=nobody@example.org
  export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
  git clone -q source cloned
  echo ours >cloned/upload
  git -C cloned commit -qam ours
  echo theirs >source/upload
  git -C source commit -qam theirs
  fails 1 'stop: exit 1 (unresolved conflict)' -- git -C cloned pull --no-rebase
  grep -q '^CONFLICT' out
  fails 128 'stop: exit 128 (unresolved conflict)' -- git -C cloned pull --no-rebase
  fails 1 'stop: exit 1 (nothing of that name)' -- git -C cloned push origin missing
}

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

@test "apt-get: a list of sources that cannot be read stops, and so does a missing file" {
  apt_ready
  fails 100 'stop: exit 100 (no such package)' -- "${APT[@]}" install "$PWD/missing.deb"
  echo nonsense >apt/sources.list
  fails 100 'stop: exit 100 (bad list of sources)' -- "${APT[@]}" update
}

@test "apt-get: a certificate that is not verified stops" {
  apt_ready
  sed -i s/http:/https:/ apt/sources.list
  # --error-on=any, as a configuration of apt has it.
  unverified 100 "${APT[@]}" -o APT::Update::Error-Mode=any update
}

@test "apt-get update: a mirror that is down is retried, although the status is 0" {
  apt_ready
  fails 1 'retry: exit 0 (index files could not be downloaded)' -- "${APT[@]}" update
  rm "$events"
  cd "$BATS_TEST_TMPDIR/served" || return
  : >Packages
  printf 'Date: %s\nSHA256:\n %s 0 Packages\n' "$(date -Ru)" "$(sha256sum <Packages | cut -d ' ' -f 1)" >Release
  cd - || return
  answers_ready
  succeeds "$START" 0 -- "${APT[@]}" update
}

@test "svn: no server and 5xx are retried, what is missing and bad usage stop, 429 is a throttle" {
  local svn=(svn --non-interactive --config-dir "$PWD")
  missing='not found' server_fails 1 "${svn[@]}" ls {}/x
  fails 1 'stop: exit 1 (bad usage)' -- "${svn[@]}" checkout
  fails 1 'stop: exit 1 (not a working copy, or out of date)' -- "${svn[@]}" update .
  unverified 1 "${svn[@]}" ls {}
}

# bats test_tags=long
@test "hg: no server and 503 are retried, 404, what is missing and bad usage stop, 429 is a throttle" {
  server_fails 255 hg clone {}/x
  fails 255 'stop: exit 255 (no such repository or revision)' -- hg clone missing
  fails 255 'stop: exit 255 (bad usage)' -- hg clone
  unverified 255 hg clone {}/x
}

@test "gh: no server and 503 are retried, 404, no login and bad usage stop, 429 is a throttle" {
  export GH_TOKEN=none
  limited='rate limited by the server' missing='not found, or access denied' server_fails 1 gh api {}/x
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
  answers_start
  fails 101 'retry: exit 101 (HTTP server error)' -- "${cargo[@]//{\}/$URL/503}"
  fails 101 'throttle: exit 101 (HTTP 429: too many requests)' -- "${cargo[@]//{\}/$URL/429}"
  fails 101 'stop: exit 101 (permanent HTTP error)' -- "${cargo[@]//{\}/$URL/403}"
  unverified 101 "${cargo[@]}"
  sed -i '/^x/d' Cargo.toml
  fails 101 'stop: exit 101 (does not compile)' -- cargo build --offline
}

# bats test_tags=long
@test "go: no proxy and 503 are retried, 404 and bad usage stop, 429 is a throttle" {
  need go
  export GOSUMDB=off GOFLAGS=-modcacherw
  server_fails 1 env GOPROXY={} go install example.invalid/x@v1.0.0
  fails 2 'stop: exit 2 (bad usage, or does not compile)' -- go no-such-command
  unverified 1 env GOPROXY={} go install example.invalid/x@v1.0.0
}

# bats test_tags=long
@test "gem: no server and 503 are retried, 404 and a gem that there is not stop, 429 is a throttle" {
  server_fails 2 gem install --clear-sources --source {}/ --install-dir gems nothing
  fails 2 'stop: exit 2 (no such gem)' -- gem install --local nothing
  unverified 2 gem install --clear-sources --source {}/ --install-dir gems nothing
}

# bats test_tags=long
@test "pip: a certificate that is not verified stops" {
  local pip=(pip --isolated --disable-pip-version-check --retries 1 download --no-deps)
  pip --version || skip 'pip does not run here'
  unverified 1 "${pip[@]}" --index-url "https://127.0.0.1:$PORT/" nothing
  fails 2 'stop: exit 2 (server certificate not verified)' -- "${pip[@]}" "https://127.0.0.1:$PORT/x-1.0.tar.gz"
}

# bats test_tags=long
@test "npm: a certificate that is not verified stops, and so does a command that there is not" {
  need npm
  local npm=(npm --cache "$PWD/npm" --fetch-retries=0 --no-update-notifier)
  unverified 1 "${npm[@]}" view nothing --registry {}/
  fails 1 'stop: exit 1 (bad usage)' -- "${npm[@]}" no-such-command
}

# images_ready: a registry; that of 127.0.0.1:PORT/404 has no such image.
images_ready() {
  echo '{"default": [{"type": "insecureAcceptAnything"}]}' >policy.json
  IMAGE=127.0.0.1:$PORT
  # Podman's root leaves a directory where nobody else may look for logins.
  echo '{}' >auth.json
  export REGISTRY_AUTH_FILE=$PWD/auth.json
  answers_ready
}

# bats test_tags=long
@test "skopeo: an image that is missing or denied stops, 503 and no registry are retried" {
  need skopeo
  images_ready
  local skopeo=(skopeo --policy policy.json inspect --tls-verify=false)
  fails 1 'retry: exit 1 (could not connect to the registry)' -- "${skopeo[@]}" "docker://$IMAGE/404"
  "$START"
  fails 1 'stop: exit 1 (image not found)' -- "${skopeo[@]}" "docker://$IMAGE/404"
  fails 1 'stop: exit 1 (access denied by the registry)' -- "${skopeo[@]}" "docker://$IMAGE/403"
  fails 1 'retry: exit 1 (HTTP error of the registry)' -- "${skopeo[@]}" "docker://$IMAGE/503"
}

@test "skopeo: a bad name and a certificate that is not verified stop" {
  need skopeo
  images_ready
  fails 1 'stop: exit 1 (bad image name)' -- skopeo --policy policy.json copy docker://BAD dir:copy
  answers_with_tls_ready
  "$START"
  fails 1 'stop: exit 1 (server certificate not verified)' -- \
    skopeo --policy policy.json inspect "docker://$IMAGE/404"
}

# bats test_tags=long
@test "podman pull: an image that is missing or denied stops, and 503 is retried" {
  need podman
  need_root
  images_ready
  local dir=$BATS_TEST_TMPDIR
  local podman=(podman --root "$dir/root" --runroot "$dir/run" --storage-driver=vfs --cgroup-manager=cgroupfs
    pull --tls-verify=false)
  "${podman[@]}" --help >/dev/null 2>&1 || skip 'podman does not run here'
  "$START"
  fails 125 'stop: exit 125 (image not found)' -- "${podman[@]}" "$IMAGE/404"
  fails 125 'stop: exit 125 (access denied by the registry)' -- "${podman[@]}" "$IMAGE/403"
  fails 125 'stop: exit 125 (bad usage)' -- podman no-such-command
  fails 125 'retry: exit 125 (HTTP error of the registry)' -- "${podman[@]}" "$IMAGE/503"
}

@test "docker: no directory to build from stops" {
  need docker
  export DOCKER_BUILDKIT=0 DOCKER_HOST=unix://$PWD/none DOCKER_CONFIG=$PWD
  fails 1 'stop: exit 1 (bad usage)' -- docker build missing
}

@test "kubectl: a bad manifest stops, and so does bad usage; a server that is not there is retried" {
  need kubectl
  echo 'kind: [' >bad.yaml
  fails 1 'stop: exit 1 (manifest cannot be read)' -- kubectl label --local -f bad.yaml a=b
  fails 1 'stop: exit 1 (bad usage)' -- kubectl apply
  fails 1 'retry: exit 1 (could not connect to the server)' -- kubectl --server="$URL" get pods
}

@test "kubectl: a question for a login stops, where both streams are one" {
  need kubectl
  run logged -n 2 -b 1us --tool -- kubectl --server="https://127.0.0.1:$PORT" get pods </dev/null
  judged
  assert_equal "$verdict: ${reason%% \"*}" 'stop: exit 1 (access denied)'
}

# bats test_tags=long
@test "rclone: a URL that is not there stops, so does a 403 of an S3 server, and 503 is retried" {
  need rclone
  unset AWS_CA_BUNDLE
  local rclone=(rclone --config rclone.conf --retries 1 --low-level-retries 1)
  printf '%s\n' '[s3]' type=s3 provider=Other access_key_id=a secret_access_key=b \
    "endpoint=$URL/403" >rclone.conf
  answers_start
  fails 1 'stop: exit 1 (not found)' -- "${rclone[@]}" copyurl "$URL/missing" got
  fails 1 'retry: exit 1 (HTTP server error)' -- "${rclone[@]}" copyurl "$URL/503/file" got
  fails 1 'stop: exit 1 (access denied)' -- "${rclone[@]}" ls s3:bucket
  unverified 1 "${rclone[@]}" copyurl {}/file got
}

# bats test_tags=long
@test "aws: a certificate that is not verified stops" {
  need aws
  aws --version || skip 'aws does not run here'
  unset AWS_CA_BUNDLE
  unverified 255 aws --no-sign-request --region us-east-1 --endpoint-url "https://127.0.0.1:$PORT" s3 ls
}

# bats test_tags=long
@test "restic: a snapshot that there is not stops, and so does a certificate that is not verified" {
  need restic
  export RESTIC_PASSWORD=none
  restic init -q -r repository
  fails 1 'stop: exit 1 (no such snapshot)' -- restic -r repository restore missing --target got
  unverified 1 restic -r "rest:https://127.0.0.1:$PORT/" snapshots
}

# bats test_tags=long
@test "borg: a file that was not saved is a pass, whose status is kept, and bad usage stops" {
  need borg
  export BORG_BASE_DIR=$PWD BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes
  borg init -e none repository
  fails 1 'pass: exit 1 (done, with warnings)' -- borg create repository::one upload missing
  fails 2 'stop: exit 2 (bad usage)' -- borg create repository upload
}

# postgres_with ANSWER...: see postgres.py.
postgres_with() {
  start_script "$(type -P python3)" -S "$TOP_SRCDIR/tests/lib/postgres.py" "$PORT" "$@"
}

@test "psql: no server is retried, too many clients are a throttle, a bad option and a denied login stop" {
  need psql
  local psql=(psql -X -w -h 127.0.0.1 -p "$PORT" -U nobody -c 'select 1' nothing)
  fails 2 'retry: exit 2 (could not connect to the server)' -- "${psql[@]}"
  fails 1 'stop: exit 1 (fatal error of its own, or of the command)' -- "${psql[@]}" --no-such-option
  postgres_with full full denied
  "$START"
  fails 2 'throttle: exit 2 (too many connections)' -- "${psql[@]}"
  fails 2 'stop: exit 2 (login denied)' -- "${psql[@]}"
}

@test "pg_dump: a server that lacks TLS stops" {
  need pg_dump
  postgres_with full
  "$START"
  PGSSLMODE=require fails 1 'stop: exit 1 (server has no TLS)' -- pg_dump -w -h 127.0.0.1 -p "$PORT" nothing
}

@test "mysqldump: a file that cannot be written stops" {
  need mysqldump
  fails 1 'stop: exit 1 (could not write output)' -- mysqldump --no-defaults -r missing/file nothing
}
