# SPDX-License-Identifier: MIT
# A Debian to try things in.  shellcheck shell=bash

codename() {
  sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

# make_debian DIRECTORY [PACKAGE]...: with the sources of this machine's Debian, and
# as it reaches them.
make_debian() {
  local where=$1 conf sources=() status
  shift
  [ ! -f /etc/apt/sources.list.d/debian.sources ] ||
    sources=(/etc/apt/sources.list.d/debian.sources)
  conf=$(mktemp) && apt-config dump Acquire >"$conf" || return
  mmdebstrap --variant=apt --aptopt="$conf" "${@/#/--include=}" \
    "$(codename)" "$where" "${sources[@]}"
  status=$?
  rm -f "$conf"
  return "$status"
}

# with_kernel DIRECTORY COMMAND...: beside such a directory that has /proc and /dev, with a
# /dev/shm of its own, as what libfaketime has there is named by process ids. Nothing
# that it starts outlives it.
with_kernel() {
  # shellcheck disable=SC2016 # for the other shell
  unshare --mount --pid --fork --kill-child sh -ec '
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    mount -t tmpfs none "$0/dev/shm"
    exec "$@"' "$@"
}
