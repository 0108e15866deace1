# SPDX-License-Identifier: MIT
# The Debian package, for tests/packages.  shellcheck shell=bash
# shellcheck disable=SC2154 # what tests/packages has set

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

# README has links to files of the repository.
readme_has_no_links() {
  dpkg-deb --fsys-tarfile "$package" |
    tar -xO --wildcards './usr/share/doc/backoff/README.md*' |
    zcat -f >"$work/readme" &&
    [ -s "$work/readme" ] && ! grep -nE '\]\([^):]*\)' "$work/readme"
}

# Purged, the package leaves no state of root's either.
leaves_no_trace() {
  mkdir "$work/scripts" || return
  cat >"$work/scripts/post_install_state" <<'SH' && chmod 755 "$work/scripts/post_install_state"
#!/bin/sh
mkdir -p -m 700 /var/lib/backoff && : >/var/lib/backoff/hub
SH
  piuparts --existing-chroot="$debian" --keep-sources-list --distribution="$(codename)" \
    --no-upgrade-test --no-eatmydata --scriptsdir="$work/scripts" "$package" "$fleet"
}

# What Debian runs on each new package; of the suite what the options of a
# packager or the way of installing could break, and takes seconds.
tests_pass() {
  with_kernel "$debian" autopkgtest --apt-upgrade --no-built-binaries \
    --env=SUITE="$(printf 'tests/bats/%s.bats ' exit-status environment spawn hold)" \
    "$package" "$fleet" "$work/copy/" -- chroot "$debian"
}

deb() {
  local debian=$scratch/debian
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
  try 'mmdebstrap makes a Debian for it' make_debian "$debian" || return
  try 'piuparts installs it, and removes it without a trace' leaves_no_trace
  try 'autopkgtest: smoke, the completions, and the test suite in part' tests_pass
}
