#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --tool: its table decides what the options leave open. The
# commands are fakes here; the real ones are in real-tools.bats, and all tables
# in unit/known.

load helper
load ../lib/events
load ../lib/process

# What curl prints for an HTTP status.
says_404='curl: (22) The requested URL returned error: 404'
# And the meaning of that in the log.
stops_404="stop: exit 22 (HTTP 404 or 410: not found) \"$says_404\""

setup() {
  mkdir bin
  PATH=$PWD/bin:$PATH
  fake curl
}

# fake NAME: a command "NAME STATUS [LINE]...", which writes to stderr.
fake() {
  cat >"bin/$1" <<'SH'
#!/bin/sh
status=$1
shift
[ $# -eq 0 ] || printf '%s\n' "$@" >&2
exit "$status"
SH
  chmod +x "bin/$1"
}

# judges WANTED OPTION... -- COMMAND...: what an attempt is taken for, and
# why: "stop: exit 7". What came out is in $got and $said, our end in $ended.
judges() {
  ended=0
  logged -n 1 "${@:2}" </dev/null >"$got" 2>"$said" || ended=$?
  judged
  assert_equal "$verdict: $reason" "$1"
}

# --- exit codes ---

@test "a transient code is retried, a permanent one stops, and one that the table does not know is retried" {
  judges 'retry: exit 7 (could not connect to host)' --tool -- curl 7
  assert_equal "$ended" 7
  judges 'stop: exit 2 (bad option, or failed to initialize)' -n 2 --tool -- curl 2
  assert_equal "$ended" 2
  assert_events 'len(attempts) == 1' 'end.result == "stopped"'
  judges 'retry: exit 199' --tool -- curl 199
}

@test "without --tool its table only says what the code means" {
  judges 'retry: exit 2 (bad option, or failed to initialize)' -- curl 2
  judges 'retry: exit 22 (HTTP error)' -- curl 22 "$says_404"
  judges 'retry: exit 7 (could not connect to host)' -- env nice curl 7
  judges 'retry: exit 3' -- sh -c 'exit 3'
}

@test "what timeout(1) exits with by itself is not the command's" {
  fake ssh
  judges 'retry: exit 124' --tool -- env timeout -k 1 100 ssh 124
  judges "stop: exit 124 (the remote command's own status)" --tool -- ssh 124
  run -124 "$BACKOFF" -n 2 -b 1us -- timeout 100 ssh 124
  refute_output --partial 'would stop'
}

@test "without --tool one line says that it would have stopped" {
  local hint='exit 2 \(bad option, or failed to initialize\)[^"]* \(--tool would stop here\)'
  run -2 "$BACKOFF" -n 3 -b 1us -- curl 2
  assert_line --index 0 --regexp "attempt 1/3 failed .*: $hint; next in [^ ]*\$"
  assert_equal "$(grep -c -- '--tool' <<<"$output")" 1
  run -2 "$BACKOFF" -q -n 2 -b 1us -- curl 2
  assert_output --regexp "^backoff: curl: giving up .*: $hint\$"
  # Not where a rule has decided, nor in JSON.
  for words in '--tool curl 2' '--retry-on=2 curl 2' '-x 2 curl 2' 'curl 7' '--log-format=json curl 2'; do
    # shellcheck disable=SC2086 # several words
    run "$BACKOFF" -v -b 1us -n 2 $words
    refute_output --partial 'would stop'
  done
}

@test "the first line of a poll says how exit 0 can count without --success-if" {
  run -1 "$BACKOFF" -n 3 -b 1us --success-if=ready -- echo not yet
  assert_line --index 1 --regexp \
    ' attempt 1/3 not done after [^:]*: no line matches --success-if \(--success-on=0 lets exit 0 count as well\); next in [^ ]*$'
  assert_equal "$(grep -c -- '--success-on' <<<"$output")" 1
}

@test "one note says that the output hides the messages that a code is left to" {
  while IFS='|' read -r count options text; do
    # shellcheck disable=SC2086 # options
    run "$BACKOFF" -n 3 -b 1us $options
    assert_equal "$options: $(grep -c ': --tool: .* printed nothing to judge by' <<<"$output")" "$options: $count"
    [ "$count" -eq 0 ] || assert_line "backoff: curl: --tool: $text"
  done <<'TABLE'
1|--tool curl 22|curl printed nothing to judge by; curl -sS shows errors
1|--tool=wget curl 8|wget printed nothing to judge by; wget -nv shows errors
0|--tool curl 7
0|--tool curl 22 words
0|-r 22 --tool curl 22
TABLE
  run -1 "$BACKOFF" --tool=borg -- sh -c 'exit 1' # a pass
  assert_output ''
}

# --- messages ---

@test "the line that is quoted is the message, not the advice behind it" {
  local line="curl: (60) SSL certificate problem: self-signed certificate"
  judges "stop: exit 60 (server certificate not verified) \"$line\"" --tool -- curl 60 "$line" \
    'how to fix it, please visit the web page mentioned above.'
}

# What git pull has on stdout, with the reason that it is.
conflict='CONFLICT (content): Merge conflict in f'
stops_conflict='stop: exit 1 (unresolved conflict)'

@test "a message on stdout counts if the tool writes it there, held or not, and is not quoted" {
  for held in -q -o -oall; do
    judges "$stops_conflict" --tool=git "$held" -- sh -c 'echo "$1"; exit 1' sh "$conflict"
  done
  judges "$stops_conflict" --tool=git -- sh -c 'echo "$1"; exit 1' sh "$conflict"
  assert_equal "$(<"$got")" "$conflict"
  # One that is for stderr alone does not.
  judges 'retry: exit 1' --tool=git -- sh -c 'echo "fatal: repository not found"; exit 1'
}

@test "stdout and stderr opened separately are two, even for one file" {
  need_kcmp
  logged -n 1 --tool=curl -- sh -c 'echo "$1"; exit 22' sh "$says_404" >>"$got" 2>>"$got" || true
  judged
  assert_equal "$verdict: $reason" 'retry: exit 22 (HTTP error)'
}

@test "where kcmp is refused, they are one" {
  need_answer descriptors_compare
  need_strace
  # shellcheck disable=SC2034 # for logged
  under=(strace -qq -o calls -e trace=kcmp -e inject=kcmp:error=EPERM)
  logged -n 1 --tool=curl -- sh -c 'echo "$1"; exit 22' sh "$says_404" >>"$got" 2>>"$got" || true
  grep -q 'EPERM.*INJECTED' calls || fail "$(cat calls)"
  judged
  assert_equal "$verdict: $reason" "$stops_404"
}

# --- which streams are watched ---

@test "at a terminal only what has to be watched becomes a pipe" {
  cat >bin/look <<'SH'
#!/bin/sh
for fd in 0 1 2; do
  if [ -t $fd ]; then printf '%d tty ' $fd; else printf '%d no ' $fd; fi
done
echo
SH
  chmod +x bin/look
  # stderr; stdout too if a tool has messages there, or if both are one; and
  # nothing for a tool without messages, or a command that is not known.
  at_terminal <<'EOS'
type "$BACKOFF" --tool=curl look 2>seen
prompt
type "$BACKOFF" --tool=git look 2>seen
prompt
type "$BACKOFF" --tool=curl look
prompt
type "$BACKOFF" --tool=pg_isready look
prompt
type "$BACKOFF" --tool look
prompt
EOS
  assert_equal "$(grep -oE '0 (tty|no) 1 (tty|no) 2 (tty|no)' <<<"$output")" "$(printf '%s\n' \
    '0 tty 1 tty 2 no' '0 tty 1 no 2 no' '0 tty 1 no 2 no' '0 tty 1 tty 2 tty' '0 tty 1 tty 2 tty')"
}

@test "held stdout is not looked at, and stderr beside it is" {
  judges "$stops_404" --tool=curl -o -- sh -c 'echo "$1" >&2; exit 22' sh "$says_404"
  judges 'retry: exit 22 (HTTP error)' --tool=curl -o -- sh -c 'echo "$1"; exit 22' sh "$says_404"
  # Where they are one outside, it counts as without --hold.
  logged -n 1 --tool=curl -o -- sh -c 'echo "$1"; exit 22' sh "$says_404" >"$got" 2>&1 || true
  judged
  assert_equal "$verdict: $reason" 'stop: exit 22 (HTTP 404 or 410: not found)'
}

# --- finding the tool ---

@test "COMMAND's base name decides, not --name" {
  mkdir other
  cp bin/curl other/curl
  ln -s curl bin/rsync
  judges 'retry: exit 7 (could not connect to host)' --tool -- "$PWD/other/curl" 7
  judges 'retry: exit 10 (socket error)' --tool -- rsync 10
  judges 'retry: exit 7' --tool --name=curl -- sh -c 'exit 7'
}

@test "--tool=NAME is for a command of another name, and the last --tool counts" {
  fake rsync
  judges 'stop: exit 3 (malformed URL)' --tool=curl -- rsync 3
  judges 'retry: exit 255 (connection failed)' --tool=sftp -- sh -c 'exit 255'
  judges 'stop: exit 3 (malformed URL)' --tool=rsync --tool -- curl 3
  judges 'stop: exit 3 (could not select files)' --tool --tool=rsync -- curl 3
  # It does not take the next word.
  judges 'stop: exit 3 (malformed URL)' --tool curl 3
}

@test "the name in the log is that of the command behind its wrappers" {
  fake curl
  run -7 --separate-stderr "$BACKOFF" -n 1 -- env LC_ALL=C nice -n 5 curl 7
  assert_regex "$stderr" '^backoff: curl: giving up '
  run -7 --separate-stderr "$BACKOFF" -n 1 -- env -S 'sh -c "exit 7"'
  assert_regex "$stderr" '^backoff: env: giving up '
}

@test "-v says which tool is known, or that none is" {
  run --separate-stderr -0 "$BACKOFF" -v --tool -- nice curl 0
  assert_regex "${stderr_lines[0]}" '; tool: curl$'
  run --separate-stderr -0 "$BACKOFF" -v --tool -- env -S 'curl 0'
  assert_regex "${stderr_lines[0]}" '; tool: unknown$'
  run --separate-stderr -0 "$BACKOFF" -v -- curl 0
  [[ ${stderr_lines[0]} != *tool:* ]]
}

# --- what a tool does not decide ---

@test "a timeout is a timeout, whatever its status and its messages" {
  need_proc
  # shellcheck disable=SC2034 # for logged
  under=("${HOLD_TERM[@]}")
  judges "retry: timed out after 100ms \"$says_404\"" -t 100ms --tool=curl -- \
    bash -c 'echo "$1" >&2; '"$until_term"'; exit 22' bash "$says_404"
  assert_events 'attempts[0].outcome == "timed-out"' 'attempts[0].status == 22'
}

@test "a signal is a signal, whatever is on stderr, and not a shell's status 128+N" {
  judges "retry: killed by KILL \"$says_404\"" --tool=curl -- \
    sh -c 'echo "$1" >&2; kill -KILL $$' sh "$says_404"
  judges 'retry: killed by TERM' --tool=ssh -- sh -c 'kill -TERM $$'
}

@test "a tool does not change the verdict on a command that is not found or cannot be run" {
  judges 'stop: not found' --tool=ssh -- ./missing
  # sysexits has 126 for a stop, but this will pass.
  cp "$(type -P true)" busy
  exec 7>>busy
  judges 'retry: Text file busy' --tool=sysexits -- ./busy
  exec 7>&-
  judges 'stop: exit 126 (cannot be run)' --tool=sysexits -- sh -c 'exit 126'
}

# --- a lock that is taken ---

# unit/known/wrapped_command has the ways to say so.
@test "flock -n: a lock that is taken is retried, without the tool's meaning; if it is free, the tool decides" {
  need flock
  exec 7>>lock
  flock 7
  judges 'retry: exit 1' --tool -- flock -n lock curl 3 7>&-
  judges 'retry: exit 22' --tool -- nice flock -nE22 "$PWD/lock" nice curl 3 7>&-
  exec 7>&-
  judges 'stop: exit 3 (malformed URL)' --tool -- flock -n lock curl 3
  # The status is flock's own.
  judges 'retry: exit 1' --tool -- flock -n lock curl 1
  judges 'stop: exit 1 (unsupported protocol)' --tool -- flock lock curl 1
}

# --- lists and tables ---

@test "--tool=list has each tool with its names and its source" {
  run -0 "$BACKOFF" --tool=list
  assert_equal "$(grep -c '^[^ ]' <<<"$output")" 34
  assert_equal "$(grep -c '^    [^ ]' <<<"$output")" 34
  assert_line --index 0 sysexits
  assert_line 'scp sftp'
  assert_line --regexp '--tool=NAME --plan'
  assert_line --index 3 '    curl(1), EXIT CODES; messages: curl 7.88'
  # No options beside it, no command.
  run -0 "$BACKOFF" -n 3 --tool=list -- touch made
  refute [ -e made ]
}

@test "--tool=NAME --plan is its table, its messages, its warning and the plan" {
  run -0 "$BACKOFF" --tool=pg_isready --plan -n 1
  assert_output 'pg_isready: pg_isready(1), EXIT STATUS

     exit  verdict   meaning
        0  success   success
        1  retry     server rejects connections
        2  retry     no response
        3  stop      no attempt was made
   others  retry     not documented

Beware: it does not log in: a wrong user or database is exit 0 too.

One attempt, no pause.'
  run -0 "$BACKOFF" --tool=curl --plan
  assert_line --index 0 'curl: curl(1), EXIT CODES; messages: curl 7.88'
  assert_line '       22  stop      HTTP 404 or 410: not found'
  assert_line '                      curl: \(22\) The requested URL returned error: 4(04|10)'
  assert_line '       22  throttle  HTTP 429: too many requests'
  assert_line 'Beware: without -f an HTTP 503 is exit 0; with -s add -S, or 404 and 503 look alike.'
  assert_line '  after           pause           next attempt starts at'
  run -0 "$BACKOFF" --tool=git --plan -n 1
  assert_line '     exit  verdict   if a line on stderr matches'
  assert_line '     exit  verdict   if a line on stdout matches'
  assert_equal "${lines[-3]}" '        1  stop      nothing to commit'
}

@test "the table shows the loop's verdicts, including the user's rules" {
  run -0 "$BACKOFF" --tool=curl --plan -x 7 --throttle-on=200 --pass-on=54-55
  assert_line --regexp '^ *7  stop      could not connect'
  assert_line --regexp '^ *200  throttle  not documented$'
  assert_line --regexp '^ *55  pass      '
  assert_line '   others  retry     not documented'
  run -0 "$BACKOFF" --tool=ssh --plan -r 3
  assert_line --regexp '^ *4-254  stop  '
  refute_line --regexp 'not documented'
  run -0 "$BACKOFF" --tool=curl --plan --success-if=ready
  assert_line --regexp '^ *0  retry     exit 0$'
}

@test "--tool --plan goes by COMMAND, which is not run; as JSON it is the plan alone" {
  run -0 "$BACKOFF" --tool --plan -n 1 -- nice curl 0
  assert_line --index 0 'curl: curl(1), EXIT CODES; messages: curl 7.88'
  run -0 "$BACKOFF" --tool --plan -n 1 -- touch made
  assert_output 'One attempt, no pause.'
  refute [ -e made ]
  run -0 "$BACKOFF" --tool=curl --plan --log-format=json -n 3
  assert_equal "${#lines[@]}" 2
  assert_line --index 0 --partial '{"event":"plan",'
}

@test "the conditions are those of the C locale, whatever ours is" {
  export LC_ALL=C.UTF-8
  judges "$stops_404" --tool -- curl 22 "$says_404"
  judges 'stop: exit 22 (HTTP 404 or 410: not found) "caf'$'\303\251''curl: (22) The requested URL returned error: 404"' --tool -- curl 22 $'caf\303\251'"$says_404"
}
