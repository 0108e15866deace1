#!/bin/sh
# SPDX-License-Identifier: MIT
# state.sh FILE [STATUS]: writes what a process inherits into FILE, ids of
# its own and BACKOFF_* aside, and ends with that status. Nothing in it may
# depend on when it is run.

# A subshell: it is our own descriptors that we look at, as we found them.
(
  echo "== descriptors"
  # shellcheck disable=SC2012 # their names are numbers, and we want targets
  ls -l "/proc/$$/fd" | sed -n 's/.* \([0-9]* -> \)/\1/p'
  echo "== environment"
  env | grep -v '^BACKOFF_'
  echo "== limits"
  cat /proc/self/limits
  echo "== signals, credentials and the like"
  grep -E '^(Umask|Uid|Gid|Groups|Sig(Blk|Ign)|Cap|NoNewPrivs|Seccomp|(Cpus|Mems)_allowed)' \
    "/proc/$$/status"
  echo "== group, session, terminal and its foreground group"
  # The name in the second field may hold anything.
  sed 's/.*) //' "/proc/$$/stat" | cut -d' ' -f3-6
  echo "== the rest"
  pwd -P
  umask
  nice
  cat /proc/self/oom_score_adj /proc/self/timerslack_ns
) >"$1" 2>&1
exit "${2:-0}"
