#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# There is no memory left: each time that backoff asks for some, one after the
# other, it gets none. It then does what it was to do, or says why not.

load helper

setup() {
  mkdir tmp state
  export TMPDIR=$PWD/tmp
  # Of what is asked for, number $NO_MEMORY is refused, and the file "refused"
  # made. COMMAND has all that it wants. The file of BACKOFF_HINT has a name,
  # which has to be removed.
  preloads no_memory <<'EOC'
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
static long left;
__attribute__((constructor)) static void
begin(void)
{
	const char *number = getenv("NO_MEMORY");
	left = number != NULL ? strtol(number, NULL, 10) : 0;
	unsetenv("LD_PRELOAD");
	unsetenv("NO_MEMORY");
}
static int
refused(void)
{
	if (left == 0 || --left > 0)
		return 0;
	open("refused", O_CREAT | O_CLOEXEC, 0600);
	errno = ENOMEM;
	return 1;
}
int memfd_create(const char *name, unsigned flags)
{ (void)name; (void)flags; errno = ENOSYS; return -1; }
void *malloc(size_t size) { return refused() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size)
{ return refused() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size)
{ return refused() ? NULL : __libc_realloc(old, size); }
EOC
  NO_MEMORY=1 LD_PRELOAD=$PWD/no_memory.so "$BACKOFF" --delays=1s true 2>said ||
    grep -q 'no memory' said || skip 'it cannot be preloaded'
  [ -e refused ] || skip 'it cannot be preloaded'
}

# without_memory STATUS ARG...: runs it with these and a pipe for input, and
# refuses each request in turn. Without a refusal it ends with STATUS, and
# writes its input. All that was said is in "heard".
# A long line of requests is looked at ever more loosely.
without_memory() {
  local expected=$1 number=0
  shift
  while :; do
    number=$((number + 1 + number / 30))
    rm -f refused
    status=0
    # shellcheck disable=SC2002 # a pipe, of which something is to be kept
    cat input | NO_MEMORY=$number LD_PRELOAD=$PWD/no_memory.so \
      "$BACKOFF" "$@" >got 2>said || status=$?
    cat said >>heard
    { [ "$status" -eq "$expected" ] && cmp -s got input; } || has_refused ||
      fail "request $number: status $status, $(wc -c <got) bytes; $(cat said)"
    assert_equal "$(ls tmp)" ''
    [ -e refused ] || break
  done
  assert [ "$number" -gt 1 ]
}

# has_refused: whether it was refused something, and said what.
has_refused() {
  [ -e refused ] && [ "$status" -gt 0 ] && [ "$status" -lt 128 ] && grep -q '^backoff: ' said
}

@test "what was asked for is done, or the reason told: streams and conditions" {
  seq 2000 >input
  without_memory 0 -n 3 --delays=1ms,1ms --hold --tool=curl --stop-if=never \
    --success-if=1999 sh -c '[ "$BACKOFF_ATTEMPT" -eq 3 ] || exit 7; cat'
  grep -Fx 'backoff: --stop-if: never: no memory for it' heard
  grep -Fx 'backoff: --delays: 1ms,1ms: no memory for it' heard
  run ! grep 'no line matches' heard
}

@test "what was asked for is done, or the reason told: long names, a large environment" {
  name=$(printf '%3000s' '' | tr ' ' x)
  seq 10 >input
  for number in {1..600}; do export "LONG_$number=$number"; done
  without_memory 0 --base=0 -n 2 --name="$name" --log-format=json --log-file=log \
    sh -c '[ "$BACKOFF_ATTEMPT" -eq 2 ] || exit 7; cat'
  grep '^backoff: memory: ' heard
  grep '^backoff: environment: no memory: ' heard
}

@test "what was asked for is done, or the reason told: a script without #!, in PATH" {
  mkdir -p bin empty
  printf '[ "$BACKOFF_ATTEMPT" -eq 2 ] || exit 7; cat\n' >bin/script
  chmod +x bin/script
  seq 10 >input
  PATH=$PWD/empty:$PWD/bin:$PATH without_memory 0 --base=0 -n 2 --stop-if=no script
}

@test "what was asked for is done, or the reason told: what runs share" {
  need_answer byte_lock
  seq 10 >input
  without_memory 0 --base=0 -n 2 --slots=hub:2 --defer=hub --gate=hub \
    sh -c '[ "$BACKOFF_ATTEMPT" -eq 2 ] || exit 7; cat'
}

@test "what was asked for is done, or the reason told: a timeout and its tree" {
  need_answer processes
  : >input
  without_memory 124 --base=0 -n 1 -t 50ms -k 50ms sh -c 'trap "" TERM; sleep 1000 & wait; wait'
}
