# Checked on Debian by nix-instantiate, evaluated without nixpkgs; never built.
# SPDX-License-Identifier: MIT
# nix-build packaging, in a fresh checkout or an unpacked tarball.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "backoff";
  version = "0.2.0";

  src = pkgs.lib.cleanSource ../.;

  nativeBuildInputs = [ pkgs.autoreconfHook ];

  # For backoff-fleet alone; backoff finds it where it is installed.
  buildInputs = [ pkgs.hiredis pkgs.openssl ];
  configureFlags = [ "--with-hiredis" ];

  # The behaviour tests use programs of /bin and /usr/bin, which no build of Nix
  # has. The unit tests do without.
  doCheck = true;
  checkTarget = "check-unit";
  enableParallelBuilding = true;

  meta = {
    description = "Retry a failing command with growing random pauses";
    license = pkgs.lib.licenses.mit;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "backoff";
  };
}
