#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Starting the command, and failures to start it.

load helper
load ../lib/tree

teardown() {
  end_all
  end_marked
  [ -z "${cgroup:-}" ] || wait_for rmdir "$cgroup"
}

# script FILE LINE...: makes an executable file of these lines.
script() {
  local file=$1
  shift
  printf '%s\n' "$@" >"$file"
  chmod +x "$file"
}

# lasting STATUS COMMAND...: it cannot be started, and trying again cannot
# help: one attempt, and that status.
lasting() {
  run "-$1" logged -n 4 --base=0 -- "${@:2}"
  assert_events 'len(attempts) == 1 and attempts[0].outcome == "not-started"' \
    "attempts[0].status == $1 and attempts[0].signal is None" \
    'attempts[0].verdict == "stop" and attempts[0].pause_s is None' \
    "end.result == 'stopped' and end.status == $1"
}

@test "rule 54: a command that is not found is 127, and not tried again" {
  ln -s none dangling
  lasting 127 no-such-command-anywhere
  lasting 127 "$BATS_TEST_TMPDIR/none"
  lasting 127 ./none/none
  lasting 127 ./dangling
}

@test "a command that cannot be started leaves no descriptor open, whatever its output was to go to" {
  ulimit -n 40
  run -127 "$BACKOFF" -q --retry-on=start -n 200 -b 0 --stop-if=words -o -- /nosuch
  assert_output --regexp '^backoff: nosuch: giving up after 200 attempts in [^ ]+: not found$'
}

@test "rule 54: a script whose interpreter is not found is 127, and not said to be missing itself" {
  script orphan '#!/no/such/interpreter' 'exit 0'
  lasting 127 ./orphan
  run -127 "$BACKOFF" -- ./orphan
  assert_output --regexp ': interpreter not found$'
  PATH=$PWD:$PATH run -127 "$BACKOFF" -- orphan
  assert_output --regexp ': interpreter not found$'
}

@test "what is not found is explained by what is there: a script here, or the unit of a duration" {
  script upload '#!/bin/sh' 'exit 0'
  mkdir uploads
  while IFS='|' read -r arguments hint; do
    # shellcheck disable=SC2086 # several words
    PATH=/usr/bin:/bin run -127 "$BACKOFF" $arguments
    assert_output --partial ": not found ($hint"
  done <<'TABLE'
upload|it is in this directory: ./upload)
uploads|a shell function?
-T 10 min true|a duration is one word: 10min)
-n3 -- min|a shell function?
TABLE
  run -127 env -u PATH "$BACKOFF" -- upload
  assert_output --partial ': not found ('
}

@test "rule 54: what cannot be executed is 126, and not tried again" {
  echo 'exit 0' >plain
  mkdir directory
  ln -s this that
  ln -s that this
  lasting 126 ./plain
  lasting 126 ./directory
  lasting 126 ./plain/command
  lasting 126 ./this
  lasting 126 "./$(printf '%0300d' 0)"
}

@test "rule 74: a child that could not exec the command is reaped" {
  need_proc
  run -127 "$BACKOFF" -qq -n 2 --base=0 --retry-on=start --before-retry='
    for child in $(cat /proc/$PPID/task/*/children); do cat "/proc/$child/stat"; done >children' -- ./none
  [ -s children ]
  run ! grep ') Z ' children
}

@test "rule 56: the command's own 126 is retried, and the 127 of a shell that does not find its command" {
  run -126 logged -n 3 --base=0 -- sh -c "exit 126"
  assert_events 'len(attempts) == 3' \
    'all(a.outcome == "exited" and a.status == 126 for a in attempts)'
  run -127 --separate-stderr "$BACKOFF" -n 2 --base=0 -- sh -c 'no-such-command-anywhere 2>&-'
  assert_equal "${#stderr_lines[@]}" 2
  refute_regex "$stderr" 'builtin'
}

@test "rule 55: a fork that fails for now is a failed attempt, and the next may succeed" {
  need_strace
  local calls='?vfork,?fork,clone,?clone3'
  # shellcheck disable=SC2034 # for logged
  under=(strace -qq -f -o /dev/null -e trace="$calls" -e inject="$calls:error=EAGAIN:when=1")
  run -0 logged --base=0 -n 3 -- sh -c 'echo "$BACKOFF_ATTEMPT"'
  assert_output 2
  assert_events 'len(attempts) == 2 and end.result == "success"' \
    'attempts[0].outcome == "not-started" and attempts[0].verdict == "retry"' \
    'attempts[0].pause_s is not None'
}

@test "a wait4(2) that is refused once loses no exit status" {
  need_strace
  # The first is before the attempt, the second reaps the command.
  run -0 strace -qq -o /dev/null -e trace=wait4 -e inject=wait4:error=ECHILD:when=2 \
    "$BACKOFF" --base=0 -n 3 -- sh -c 'echo "$BACKOFF_ATTEMPT"'
  assert_output 1
}

@test "rule 55: a command for which its cgroup has no room (pids.max) is started when it has" {
  need_cgroup pids pids.max
  echo 1 >"$limit"
  start -- "${within[@]}" "$BACKOFF" -d 20ms -n inf -- true
  await "$err" 'attempt 1 failed after .*: Resource temporarily unavailable; next in 20ms'
  echo max >"$limit"
  assert_fate 'exited 0'
}

@test "rule 55: a command that is being written is started once it has been" {
  script command '#!/bin/sh' 'echo "attempt $BACKOFF_ATTEMPT"'
  exec 9>>"$PWD/command"
  if (exec 9>&- && ./command) >/dev/null 2>&1; then
    skip "this system starts a file that is open for writing"
  fi
  env TEST_MARK="$MARKS/busy" "$BACKOFF" -n inf -d 20ms -- ./command >output 2>log </dev/null 3>&- 9>&- &
  local pid=$!
  wait_for grep -q 'attempt 2.* failed after' log
  grep -q 'attempt 1.* failed after .*: Text file busy; next in' log || fail "$(cat log)"
  exec 9>&-
  wait "$pid"
  run cat output
  assert_output --regexp '^attempt ([3-9]|[1-9][0-9]+)$'
}

@test "no secret of a command line in one word is logged, as text, JSON or annotation" {
  for format in text json github; do
    run -127 "$BACKOFF" --log-format=$format 'TOKEN=s3cr3t deploy web --key=s3cr3t'
    assert_output --partial 'deploy web'
    refute_output --partial s3cr3t
  done
}

@test "a word with blanks is named by its first 60 bytes" {
  zeros=$(printf %058d 0)
  run -127 "$BACKOFF" "$zeros äx"
  assert_output --partial "backoff: $zeros : not retrying"
  run -127 "$BACKOFF" "${zeros:1} äx"
  assert_output --partial "backoff: ${zeros:1} ä: not retrying"
  run -127 env LC_ALL=C.UTF-8 "$BACKOFF" "/no such/directory"
  assert_output --partial 'backoff: /no such/directory: not retrying'
}

@test "rule 57: a script without #! is run by the shell, also one that is found on the PATH" {
  mkdir bin
  script bin/plain-script 'echo "$1 $2"; exit 3'
  run -3 "$BACKOFF" -q -n 1 -- ./bin/plain-script one 'two three'
  assert_line 'one two three'
  PATH=$PWD/bin:$PATH run -3 logged -n 1 -- plain-script
  assert_events 'attempts[0].outcome == "exited"'
}

@test "rule 58: the PATH is searched at every attempt: a new program is found" {
  mkdir first second
  script second/program '#!/bin/sh' \
    'echo old; { echo "#!/bin/sh"; echo "echo new"; } >first/program' \
    'chmod +x first/program; exit 7'
  PATH=$PWD/first:$PWD/second:$PATH run -0 "$BACKOFF" -qq --base=0 -- program
  assert_output $'old\nnew'
}

@test "a file that is not executable is passed over on the PATH, and is 126 if there is no other" {
  mkdir first second
  : >first/program
  PATH=$PWD/first:$PATH lasting 126 program
  script second/program '#!/bin/sh' 'exit 3'
  PATH=$PWD/first:$PWD/second:$PATH run -3 "$BACKOFF" -q -n 1 -- program
  # Without a PATH the system's is searched.
  run -3 env -u PATH "$BACKOFF" -q -n 1 -- sh -c 'exit 3'
}

@test "rule 63: arguments are passed as they are, and options end at the command, or at --" {
  run "$BACKOFF" -- printf '<%s>' -- '' ' a  b ' $'new\nline' '*' $'\xff' '%d' -n
  assert_output "<--><>< a  b ><new"$'\n'"line><*><"$'\xff'"><%d><-n>"
  run -0 "$BACKOFF" -n 1 printf '<%s>' --attempts=0 -h --
  assert_output '<--attempts=0><-h><-->'
  mkdir bin
  script bin/-x '#!/bin/sh' 'exit 3'
  PATH=$PWD/bin:$PATH run -3 "$BACKOFF" -q -n 1 -- -x
}

@test "argv[0] is the command as it was given" {
  need_proc
  run "$BACKOFF" -- sh -c 'tr "\0" "\n" </proc/$$/cmdline | head -n 1'
  assert_output sh
}
