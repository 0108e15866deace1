# SPDX-License-Identifier: MIT
# The Debian package, for tests/packages.  shellcheck shell=bash
# shellcheck disable=SC2154 # what tests/packages has set

# Some of the behaviour tests: they take seconds, and what the options of a
# packager or the way of installing could break is in them.
suite=(tests/bats/{exit-status,environment,spawn,hold}.bats)

# The two ways that packaging/README.md tells of. make check has run the tests
# by now, and here some are run on what is installed.
build_binary_package() {
  unpack "$work/source" && cd "$work/source" &&
    ln -s packaging/debian debian &&
    DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b 2>&1 |
    tee "$work/build.log"
}

build_source_package() {
  cp "$tarball" "$work/backoff_$version.orig.tar.xz" &&
    unpack "$work/copy" && cd "$work/copy" &&
    cp -r packaging/debian debian && dpkg-buildpackage -us -uc -S -d
}

package_has_everything() {
  for part in "$package" "$fleet"; do
    dpkg-deb --fsys-tarfile "$part" | tar -t
  done | sort -u >"$work/list" &&
    has_everything "$work/list"
}

# libs PACKAGE: what it depends on besides us.
libs() {
  dpkg-deb -f "$1" Depends | tr ',' '\n' | sed 's/^ *//; s/ .*//' |
    grep -v '^backoff$' | sort | tr '\n' ' '
}

# Who wants no server needs none of what the helper is linked with.
libc_is_enough() {
  printf 'backoff: %s, backoff-fleet: %s\n' "$(libs "$package")" "$(libs "$fleet")"
  [ "$(libs "$package")" = 'libc6 ' ] || return
  libs "$fleet" | grep 'libhiredis.* libssl' || return
  [ "$(dpkg-deb --fsys-tarfile "$fleet" | tar -t |
    grep -v -e '/$' -e ./usr/share/lintian/)" = \
    "./usr/libexec/backoff-fleet
./usr/share/doc/backoff-fleet" ]
}

lintian_is_silent() {
  local said
  said=$(lintian --allow-root --display-info --pedantic --info \
    "$work"/*.changes 2>&1) || return
  printf '%s\n' "$said"
  ! printf '%s\n' "$said" | grep -q '^[EWIP]: '
}

paths_there() {
  while read -r path; do
    [ ! -e "${path#.}" ] || printf '%s\n' "$path"
  done <"$work/list"
}

# may_install: whether it can be removed again without a trace. Else says why.
may_install() {
  if [ "$(id -u)" -ne 0 ]; then
    echo 'not root'
  elif dpkg-query -W backoff >/dev/null 2>&1; then
    echo 'a package of that name is installed'
  elif paths_there | grep -v '/$'; then
    echo 'these files are there already'
  elif [ -e /var/lib/backoff ]; then
    echo 'there is state in /var/lib/backoff'
  else
    return 0
  fi
  return 1
}

# Each finds the completions by itself.
shells_complete() {
  bash -c '. /usr/share/bash-completion/bash_completion
    for name in _load_completion _comp_load __load_completion; do
      ! declare -F "$name" >/dev/null || "$name" backoff
    done
    complete -p backoff' &&
    zsh -fc 'autoload -U compinit && compinit -uD &&
      [ "$_comps[backoff]" = _backoff ]' &&
    fish -c 'complete -C "backoff --attem"' | grep -e '^--attempts'
}

# README has links to files of the repository.
readme_has_no_links() {
  dpkg-deb --fsys-tarfile "$package" |
    tar -xO --wildcards './usr/share/doc/backoff/README.md*' |
    zcat -f >"$work/readme" &&
    [ -s "$work/readme" ] && ! grep -nE '\]\([^):]*\)' "$work/readme"
}

# Purged, the package leaves no state of root's either.
remove_package() {
  mkdir -m 700 /var/lib/backoff && : >/var/lib/backoff/hub || return
  dpkg --purge backoff-fleet backoff || return
  installed=no
  ! dpkg-query -W backoff 2>/dev/null || return
  [ ! -e /var/lib/backoff ] || return
  paths_there | diff "$work/before" -
}

deb() {
  local where=$scratch/root why
  work=$scratch/deb
  mkdir "$work"
  try 'make dist' make dist || return
  try 'the package is built, through a link' build_binary_package || return
  package=$(echo "$work"/backoff_*.deb)
  fleet=$(echo "$work"/backoff-fleet_*.deb)
  try 'and its source package, from a copy' build_source_package
  try 'it has the programs, manual pages, completions and documents' \
    package_has_everything || return
  try 'its README has no links to files of the repository' readme_has_no_links
  try 'it needs libc alone, and backoff-fleet brings the rest' libc_is_enough
  try 'all was compiled with hardening (blhc)' blhc "$work/build.log"
  try 'lintian says nothing, pedantic as it is' lintian_is_silent
  if why=$(may_install); then
    paths_there >"$work/before"
    installed=yes where=
    try 'it is installed' dpkg --install "$package" "$fleet" || return
    try 'bash, zsh and fish complete it' shells_complete
  else
    try "it is unpacked, not installed ($why)" \
      dpkg-deb --extract "$package" "$where" || return
    dpkg-deb --extract "$fleet" "$where"
  fi
  try 'its test smoke' env PATH="$where/usr/bin:/usr/bin:/bin" \
    "$top/packaging/debian/tests/smoke"
  try 'its test suite, in part' env BACKOFF="$where/usr/bin/backoff" \
    "$top/packaging/debian/tests/suite" "${suite[@]}"
  [ "$installed" = no ] ||
    try 'it is removed without a trace' remove_package && installed=no
}
