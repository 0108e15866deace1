#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The file of what runs share, and where it is: what is as new, and what
# cannot be used.

load helper
load ../lib/events
load ../lib/shared

setup() {
  need_answer byte_lock
  umask 022
}

# given_up: hub would put a run off.
given_up() {
  quietly --defer=hub:1h..2h -n 1 false
  run -75 "$BACKOFF" --defer=hub true
}

# as_new [WHY]: it does not, and says so with -v; and it can be used again.
as_new() {
  run -0 "$BACKOFF" -v --defer=hub true
  if [ -n "${1-}" ]; then
    assert_line --partial "state of defer hub ignored: $1"
  else
    refute_line --partial ignored
  fi
  refute_line --partial 'cannot use'
  given_up
}

# does_without WHY: it goes on without, and says so in one line; but a limit is
# relied on, and without it nothing runs.
does_without() {
  run -3 "$BACKOFF" --defer=hub -n 1 sh -c 'exit 3'
  assert_equal "${#lines[@]}" 2
  assert_regex "${lines[0]}" "^backoff: sh: cannot use defer hub \(.*: $1\); going on without\$"
  run -125 "$BACKOFF" -qq --slots=hub:2 -n 1 touch started
  assert_equal "${#lines[@]}" 1
  assert_regex "$output" "^backoff: cannot use slots hub \(.*: $1\)\$"
  assert [ ! -e started ]
}

# unit/gate/record has what else is, and where -v says why.
@test "a file that is missing, empty, cut or damaged is as new" {
  given_up
  rm "$state/hub"
  as_new
  : >"$state/hub"
  as_new
  truncate -s 511 "$state/hub"
  as_new 'cut short'
  damage 560
  as_new 'bad checksum'
  record version=2 >/dev/null
  as_new 'written by an earlier version of backoff'
}

@test "a gate with a wrong checksum is as new, which -v says once" {
  quietly --gate=hub -n 1 false
  damage 100
  run -1 "$BACKOFF" -v --gate=hub -n 2 -b 1ms false
  assert_equal "$(grep -c '^backoff: false: state of gate hub ignored: bad checksum$' <<<"$output")" 1
  run -1 "$BACKOFF" -v --gate=hub -n 1 false
  refute_output --partial ignored
  # Nor does who has seen it keep others out.
  damage 100
  run -0 "$BACKOFF" --gate=hub "$BACKOFF" --gate=hub true
  assert_output ''
}

@test "a version from the future, a larger record, and the file of another program are not touched" {
  given_up
  for change in version=4 size=1025; do
    record version=3 "$change" >/dev/null
    cp "$state/hub" before
    for option in --defer --gate; do
      run -0 "$BACKOFF" -v "$option=hub" true
      assert_line --partial 'written by a later version of backoff); going on without'
      refute_output --partial ignored
    done
    cmp before "$state/hub"
  done
  echo 'export PATH=/bin' >"$state/hub"
  run -1 "$BACKOFF" --defer=hub -n 1 false
  assert_output --partial 'not a state file of backoff); going on without'
  assert_equal "$(cat "$state/hub")" 'export PATH=/bin'
}

@test "a file that another may have made is not believed, and is named" {
  while IFS='|' read -r why make; do
    rm -rf "$state"
    given_up
    (cd "$state" && eval "$make")
    does_without "$why"
    assert_regex "$output" "/hub: $why\)\$"
  done <<'END'
larger than a state file: 1073741824|truncate -s 1G hub
a symbolic link|rm hub && ln -s ../elsewhere hub
not a regular file|rm hub && mkfifo -m 600 hub
not a regular file|rm hub && mkdir hub
its mode is not 0600|chmod 0644 hub
its mode is not 0600|chmod 0700 hub
its mode is not 0600|chmod 4600 hub
not a state file of backoff|echo export PATH=/bin >hub
it has another hard link|ln hub other
END
  assert [ ! -e elsewhere ]
}

@test "a file or directory of another owner is not believed, nor a file of another group than its shared directory" {
  need_root
  given_up
  chown 65534 "$state/hub"
  does_without 'owned by another user'
  rm "$state/hub"
  chown 65534 "$state"
  does_without 'owned by another user'
  rmdir "$state"
  mkdir -m 2770 "$state"
  quietly --defer=hub -n 1 false
  chgrp 65534 "$state/hub"
  does_without 'not of the group of its directory'
}

@test "a directory in which others may write, one that is none, or whose name is too long" {
  mkdir "$state"
  chmod 0777 "$state"
  does_without 'writable by others'
  run -0 "$BACKOFF" --gate=hub --defer=hub true
  assert_line --partial 'cannot use gate hub'
  assert_line --partial 'cannot use defer hub'
  chmod 2777 "$state"
  does_without 'writable by others'
  chmod u=rwx,g=rwx,o=,g-s "$state"
  does_without 'group-writable without setgid'
  rmdir "$state"
  : >"$state"
  does_without 'Not a directory'
  BACKOFF_STATE_DIR=$state$(printf '/x%.0s' {1..2500}) does_without 'File ?name too long'
}

@test "directory and file are for us alone, whatever the umask is" {
  for mask in 000 022 077 777; do
    rm -rf "$state"
    (umask "$mask" && "$BACKOFF" --state-dir="$state/deep/er" --defer=hub sh -c 'umask' >mask)
    assert_equal "$(stat -c %a "$state" "$state/deep/er" "$state/deep/er/hub" | xargs)" \
      '700 700 600'
    assert_equal "$(cat mask)" "0$mask"
  done
}

@test "a read-only disk" {
  need_mounts
  run in_mounts '
    mount -t tmpfs none '"$PWD"'
    cd '"$PWD"'
    mkdir -m 700 ro
    "$BACKOFF" --state-dir=ro --gate=used true
    mount -o remount,ro none '"$PWD"'
    "$BACKOFF" --state-dir=ro --slots=hub:1 true || echo status $?
    "$BACKOFF" --state-dir=ro --gate=list || echo list $?
    "$BACKOFF" --state-dir=ro --defer=hub true
    "$BACKOFF" --state-dir=ro/new --defer=hub true'
  assert_success
  assert_equal "$(grep -c 'cannot use .*: Read-only file system); going on without$' <<<"$output")" 2
  assert_line 'backoff: cannot use slots hub (ro: Read-only file system)'
  assert_line 'status 125'
  assert_line 'backoff: --gate=list: ro: Read-only file system'
  assert_line 'list 125'
}

@test "a directory where no file can be made is there: the file is named" {
  need_proc
  run -125 "$BACKOFF" --state-dir=/proc/self --slots=hub:1 true
  assert_output 'backoff: cannot use slots hub (/proc/self/hub: No such file or directory)'
}

@test "a full disk" {
  need_mounts
  run in_mounts '
    mount -t tmpfs -o size=16k none '"$PWD"'
    cd '"$PWD"'
    mkdir -m 700 full
    "$BACKOFF" -qq --state-dir=full --defer=hub -n 1 true
    head -c 1M /dev/zero >filler || :
    "$BACKOFF" --state-dir=full --slots=hub:1 true
    "$BACKOFF" --state-dir=full --defer=hub -n 1 false || echo status $?'
  assert_line --regexp 'cannot use defer hub \(full: No space left on device\); going on without$'
  refute_line --partial 'cannot use slots'
  assert_line 'status 1'
}

@test "a disk that fills up during the run costs what is remembered, which is told before the end" {
  need_mounts
  mkdir small
  run in_mounts '
    mount -t tmpfs -o size=64k none small
    "$BACKOFF" --state-dir=small/state --slots=hub:1 --defer=work -n 2 -b 0 \
      --log-format=json --log-file='"$events"' -- \
      sh -c "echo ran; head -c 1M /dev/zero 2>/dev/null >small/filler; exit 7" || echo status $?'
  assert_equal "${lines[*]}" 'ran ran status 7'
  assert_events '[n.what for n in news if n.event == "degraded"] == ["defer work"]' \
    'news[-1].reason == "small/state: No space left on device"'
}

@test "no locks, and a limit on the size of files" {
  need_strace
  run -7 strace -qq -o /dev/null -e inject=fcntl:error=ENOLCK:when=4+ \
    "$BACKOFF" --defer=hub -n 1 sh -c 'exit 7'
  assert_output --partial "hub ($state: No locks available); going on without"
  run -125 strace -qq -o /dev/null -e inject=fcntl:error=ENOLCK:when=2+ \
    "$BACKOFF" --slots=hub:1 -n 1 sh -c 'exit 7'
  assert_output "backoff: cannot use slots hub ($state: No locks available)"
  run -0 strace -qq -o /dev/null -P "$state/hub" -e inject=pread64:error=EIO "$BACKOFF" --defer=hub true
  assert_output --regexp "hub \\($state: (Input/output|I/O) error\\); going on without"
  # One line says so, also where a long deferral was to be lowered.
  quietly --defer=low:1h..2h -n 1 false
  run -0 bash -c 'ulimit -f 0; exec "$BACKOFF" --defer=low:1s..2s true 2>&1 | cat'
  assert_output --regexp '^[^ ]* true: cannot use defer low .*File too large\); going on without$'
  # The gate hears of the last attempt, too.
  run -7 bash -c 'ulimit -f 0; exec "$BACKOFF" --gate=hub -n 1 sh -c "exit 7" 2>&1 | cat; exit "${PIPESTATUS[0]}"'
  assert_output --partial 'File too large); going on without'
}

@test "the lock of the record is not waited for for ever" {
  given_up
  record until=-1 >/dev/null
  hold_bytes "$state/hub" "$record_byte" 1
  run -1 "$BACKOFF" --defer=hub -n 1 false
  assert_output --partial "hub ($state: its lock is held); going on without"
  # The slots hold without an order, which nobody writes then.
  beside --slots=hub:1 -- sh -c 'echo >taken; exec sleep 1000'
  wait_for test -e taken
  cp "$state/hub" before
  run -75 "$BACKOFF" --slots=hub:1 --slots-wait=100ms touch started
  cmp "$state/hub" before
}

@test "a TERM that comes in the wait for that lock ends us, and the gate is not what is told of" {
  need_strace
  local number
  shut_gate
  hold_bytes "$state/hub" "$record_byte" 1
  strace -qq -o calls -e trace=fcntl "$BACKOFF" -qq --gate=hub true
  number=$(grep -n 'F_OFD_SETLK.*EAGAIN' calls | sed -n '1s/:.*//p')
  assert [ "$(grep -c EAGAIN calls)" -lt 1000 ] # there are pauses
  run -143 strace -qq -o calls -e trace=fcntl -e inject="fcntl:signal=TERM:when=$number" \
    "$BACKOFF" --gate=hub true
  assert_output --regexp '^backoff: true: interrupted by TERM [^:]*$'
}

@test "two users share a setgid directory" {
  local user=(setpriv --clear-groups --regid 54321)
  need_root
  need setpriv
  chmod 755 . "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR" 2>/dev/null || :
  shared=$(mktemp -d /tmp/backoff-shared.XXXXXX)
  chgrp 54321 "$shared"
  chmod 2770 "$shared"
  program=/tmp/backoff.${shared##*.}
  cp "$BACKOFF" "$program"
  chmod 755 "$program"
  (umask 077 && cd / && "${user[@]}" --reuid 65533 "$program" -qq --state-dir="$shared" --defer=hub:1h..2h -n 1 false) || :
  mode=$(stat -c %a:%g "$shared/hub")
  run -75 "${user[@]}" --reuid 65534 "$program" --state-dir="$shared" --defer=hub true
  first=$output
  run -0 setpriv --clear-groups --regid 65534 --reuid 65534 "$program" --state-dir="$shared" --defer=hub true
  second=$output
  chmod 640 "$shared/hub"
  run -0 "${user[@]}" --reuid 65533 "$program" --state-dir="$shared" --defer=hub true
  rm -r "$shared" "$program"
  assert_equal "$mode" 660:54321
  assert_regex "$first" 'skipped until [0-9: -]+: gave up once'
  assert_regex "$second" 'Permission denied\); going on without'
  assert_output --partial 'its mode is not 0660); going on without'
}

# --- which directory ---

@test "the first directory that is named is the one" {
  unset BACKOFF_STATE_DIR
  mkdir home
  in_home() {
    run -0 env HOME="$PWD/home" "$@" "$BACKOFF" -v --slots=hub:1 true
    refute_line --partial 'cannot use'
  }
  in_home STATE_DIRECTORY="$PWD/one:$PWD/two"
  assert [ -e one/hub ]
  assert [ ! -e two ]
  in_home STATE_DIRECTORY="$PWD/not" BACKOFF_STATE_DIR="$PWD/three"
  assert [ -e three/hub ]
  run -0 env BACKOFF_STATE_DIR="$PWD/not" "$BACKOFF" --state-dir="$PWD/four" --slots=hub:1 true
  assert [ -e four/hub ]
  assert [ ! -e not ]
}

@test "without a name it is below HOME, or XDG_STATE_HOME" {
  need_ordinary_user
  unset BACKOFF_STATE_DIR STATE_DIRECTORY XDG_STATE_HOME
  mkdir home xdg
  HOME=$PWD/home run -0 "$BACKOFF" --slots=hub:1 true
  assert [ -e home/.local/state/backoff/hub ]
  HOME=$PWD/home XDG_STATE_HOME=$PWD/xdg run -0 "$BACKOFF" --slots=hub:1 true
  assert [ -e xdg/backoff/hub ]
  rm -r home/.local
  HOME=$PWD/home XDG_STATE_HOME=xdg run -0 "$BACKOFF" --slots=other:1 true
  assert [ -e home/.local/state/backoff/other ]
}

@test "for root it is /var/lib/backoff, and what cannot be used is passed over" {
  unset BACKOFF_STATE_DIR STATE_DIRECTORY
  mkdir xdg
  need_mounts
  run in_mounts '
    mount -t tmpfs none /var/lib
    "$BACKOFF" --slots=hub:1 true
    stat -c %a /var/lib/backoff /var/lib/backoff/hub
    rm -r /var/lib/backoff
    mount -o remount,ro none /var/lib
    XDG_STATE_HOME='"$PWD"'/xdg "$BACKOFF" -v --slots=hub:1 true
    stat -c %a '"$PWD"'/xdg/backoff/hub
    mount -t tmpfs none /var/tmp
    rm -r '"$PWD"'/xdg
    mkdir /var/tmp/there
    ln -s there /var/tmp/backoff-0
    XDG_STATE_HOME=/dev/null "$BACKOFF" --slots=hub:1 true || :
    rm /var/tmp/backoff-0
    XDG_STATE_HOME=/dev/null "$BACKOFF" --slots=hub:1 true
    stat -c %a /var/tmp/backoff-0/hub'
  assert_success
  assert_line --index 0 700
  assert_line --index 1 600
  assert_line --partial 'state directory /var/lib/backoff passed over: Read-only file system'
  assert_line --partial 'cannot use slots hub (/var/tmp/backoff-0: Not a directory)'
  assert_equal "$(grep -cx 600 <<<"$output")" 3
}

@test "a network file system is passed over, also where it was asked for" {
  # There is none here: a library says that it is.
  preloads nfs <<'EOC'
int
fstatfs(int fd, struct statfs *stat)
{
	struct stat file;
	fstat(fd, &file);
	stat->f_type = (file.st_mode & S_IXGRP) != 0 ? 0x6969 : 0xef53;
	return 0;
}
int
fstatfs64(int fd, struct statfs64 *stat)
{
	return fstatfs(fd, (struct statfs *)stat);
}
EOC
  mkdir -m 750 nfs
  mkdir -m 700 local
  LD_PRELOAD=$PWD/nfs.so BACKOFF_STATE_DIR=$PWD/local run -0 "$BACKOFF" -v --state-dir="$PWD/nfs" --gate=job --slots=hub:1 true
  assert_line --partial "state directory $PWD/nfs passed over: a network file system"
  assert_equal "$(grep -c 'passed over' <<<"$output")" 1
  assert [ -e local/hub ]
  assert [ ! -e nfs/hub ]
}

# --- what it costs ---

@test "who shares nothing makes none of its calls" {
  need_strace
  run -1 strace -qq -o trace "$BACKOFF" -d 0 -n 3 false
  run ! grep -E 'F_OFD|umask|statfs|boot_id|timer_create|pread64\(1|pwrite|/state' trace
  assert [ ! -e "$state" ]
}

@test "a success writes nothing, and COMMAND finds nothing of it" {
  need_strace
  given_up
  record failures=0 runs=0 >/dev/null
  cp "$state/hub" before
  strace -qq -o trace "$BACKOFF" --gate=hub --defer=hub --slots=hub:3 sh -c 'ls -l /proc/self/fd >fds; env | grep -c ^BACKOFF_STATE_DIR >env'
  run ! grep -E 'pwrite' trace
  cmp before "$state/hub"
  run ! grep state fds
  assert_equal "$(cat env)" 1
}

@test "a name may be one letter" {
  run -0 "$BACKOFF" --state-dir=letters --gate=g --slots=s:1 --defer=d true
  assert_equal "$(ls letters)" $'d\ng\ns'
}

# --- what is not in force ---

# without_locks ARG...: there are none from the first that is taken on.
without_locks() {
  need_strace
  strace -o trace -e trace=fcntl "$BACKOFF" "$@"
  from=$(grep -n 'F_OFD_SETLK' trace | head -n 1 | cut -d: -f1)
  rm -f "$events"
  run strace -qq -o /dev/null -e inject=fcntl:error=ENOLCK:when="$from+" "$BACKOFF" "$@"
}

@test "that a limit is not kept any more is told under -q, -qq and --quiet-success too" {
  for quiet in -v -q -qq --quiet-success; do
    without_locks "$quiet" --slots=hub:1 -n 1 true
    assert_success
    assert_line --regexp '^backoff: true: limit of slots hub NOT enforced \(.*: No locks available\)$'
  done
  # And where all of the log goes.
  without_locks --quiet-success --log-file="$events" --log-format=json --slots=hub:1 -n 1 true
  assert_success
  assert_events '[n.what for n in news if n.event == "degraded"] == ["slots hub"]'
}

@test "for root it is never below the home of a user, or behind a link of one, nor another's, setgid or not" {
  need_root
  need_mounts
  need_users
  unset BACKOFF_STATE_DIR STATE_DIRECTORY XDG_STATE_HOME
  mkdir -p home/ours mine theirs
  chown 65534 home
  ln -s "$PWD/theirs" mine/link
  chown -h 65534 mine/link
  run -0 in_mounts '
    mount -t tmpfs none /var/tmp
    mount -t tmpfs -o ro none /var/lib
    HOME='"$PWD"'/home "$BACKOFF" -v --defer=hub true
    HOME='"$PWD"'/home XDG_STATE_HOME='"$PWD"'/mine "$BACKOFF" --defer=hub true
    HOME='"$PWD"'/home/ours "$BACKOFF" --defer=ours true
    HOME='"$PWD"'/mine XDG_STATE_HOME='"$PWD"'/mine/link "$BACKOFF" -v --defer=hub true
    ls /var/tmp/backoff-0
    rm -r /var/tmp/backoff-0
    mkdir -m 2770 /var/tmp/backoff-0
    chown 65534 /var/tmp/backoff-0
    XDG_STATE_HOME=/dev/null "$BACKOFF" --slots=hub:1 true || :
    BACKOFF_STATE_DIR=/var/tmp/backoff-0 "$BACKOFF" --slots=asked:1 true
    ls /var/tmp/backoff-0'
  assert_line --partial 'passed over: HOME belongs to another user'
  assert_line --partial 'passed over: behind a symbolic link of another user'
  assert_line hub
  assert [ ! -e home/.local ]
  assert [ ! -e mine/backoff ]
  assert [ -e home/ours/.local/state/backoff/ours ]
  assert [ ! -e theirs/backoff ]
  assert_line --partial 'cannot use slots hub (/var/tmp/backoff-0: owned by another user)'
  assert_equal "${lines[-1]}" asked
}
