#!/bin/sh
# SPDX-License-Identifier: MIT
# hydra.sh DIR: a tree of processes that is hard to end: children, sessions
# in sessions, daemons that have left their parents, and of each kind one
# that ignores TERM. It makes DIR/ready when all of them stand. With
# HYDRA_STAYS, none has left its parent.

dir=$1 head=${2:-main}
mkdir -p "$dir"

stay() {
  : >"$dir/$head"
  while :; do
    sleep 1000
  done
}

case $head in
main)
  sh "$0" "$dir" child &
  sh "$0" "$dir" deaf-child &
  setsid sh "$0" "$dir" session &
  daemons=
  if [ -z "$HYDRA_STAYS" ]; then
    daemons='daemon deaf-daemon'
    (setsid sh "$0" "$dir" daemon &)
    (setsid sh "$0" "$dir" deaf-daemon &)
  fi
  # shellcheck disable=SC2086 # two names
  for name in child deaf-child session inner-session deaf-inner-session $daemons; do
    until [ -e "$dir/$name" ]; do
      sleep 0.02
    done
  done
  : >"$dir/ready"
  wait
  ;;
session)
  setsid sh "$0" "$dir" inner-session &
  setsid sh "$0" "$dir" deaf-inner-session &
  stay
  ;;
deaf-*)
  trap '' TERM
  stay
  ;;
*)
  stay
  ;;
esac
