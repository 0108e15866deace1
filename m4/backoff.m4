dnl SPDX-License-Identifier: MIT

dnl BACKOFF_CFLAG(FLAG, VARIABLE): append FLAG to VARIABLE if the compiler
dnl takes it without a word. FLAG may be a shell variable.
AC_DEFUN([BACKOFF_CFLAG],
[AS_VAR_PUSHDEF([known], [backoff_cv_cflag_$1])dnl
AC_CACHE_CHECK([whether $CC takes $1], [known],
  [backoff_cflags=$CFLAGS
   CFLAGS="$CFLAGS -Werror $1"
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([])],
     [AS_VAR_SET([known], [yes])], [AS_VAR_SET([known], [no])])
   CFLAGS=$backoff_cflags])
AS_VAR_IF([known], [yes], [$2="$$2 $1"])
AS_VAR_POPDEF([known])])

dnl BACKOFF_LDFLAG(FLAG, VARIABLE): the same for the linker.
AC_DEFUN([BACKOFF_LDFLAG],
[AS_VAR_PUSHDEF([known], [backoff_cv_ldflag_$1])dnl
AC_CACHE_CHECK([whether $CC links with $1], [known],
  [backoff_ldflags=$LDFLAGS
   LDFLAGS="$LDFLAGS -Werror $1"
   AC_LINK_IFELSE([AC_LANG_PROGRAM([])],
     [AS_VAR_SET([known], [yes])], [AS_VAR_SET([known], [no])])
   LDFLAGS=$backoff_ldflags])
AS_VAR_IF([known], [yes], [$2="$$2 $1"])
AS_VAR_POPDEF([known])])

dnl BACKOFF_HARDENING: fill HARDENING_CPPFLAGS, _CFLAGS and _LDFLAGS.
AC_DEFUN([BACKOFF_HARDENING],
[BACKOFF_CFLAG([-fstack-protector-strong], [HARDENING_CFLAGS])
BACKOFF_LDFLAG([-Wl,-z,relro], [HARDENING_LDFLAGS])
BACKOFF_LDFLAG([-Wl,-z,now], [HARDENING_LDFLAGS])

# _FORTIFY_SOURCE only warns where nothing is optimised, is at odds with the
# sanitizers, and may have been set to another value by user or compiler.
AC_CACHE_CHECK([whether to define _FORTIFY_SOURCE], [backoff_cv_fortify],
  [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
     #if !defined __OPTIMIZE__ || defined _FORTIFY_SOURCE
     #error "not here"
     #endif]])],
     [backoff_cv_fortify=yes], [backoff_cv_fortify=no])])
AS_IF([test "$backoff_cv_fortify" = yes && test "x$enable_sanitize" != xyes],
  [HARDENING_CPPFLAGS=-D_FORTIFY_SOURCE=2])

# Most compilers make position-independent executables by themselves. A static
# one is left alone: not every libc has the start files for it.
AC_CACHE_CHECK([whether to ask for PIE], [backoff_cv_pie],
  [AS_CASE([" $CC $CFLAGS $LDFLAGS "],
     [*" -static"*], [backoff_cv_pie=no],
     [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #ifdef __PIE__
        #error "it does so by itself"
        #endif]])],
        [backoff_cv_pie=yes], [backoff_cv_pie=no])])])
AS_IF([test "$backoff_cv_pie" = yes],
  [BACKOFF_CFLAG([-fPIE], [HARDENING_CFLAGS])
   BACKOFF_LDFLAG([-pie], [HARDENING_LDFLAGS])])])

dnl BACKOFF_COMPLETION(SHELL, DIR): --with-SHELL-completion-dir. The default
dnl is DIR below our own datarootdir. What pkg-config says of bash-completion
dnl ignores --prefix, so an ordinary user could not install.
AC_DEFUN([BACKOFF_COMPLETION],
[AC_ARG_WITH([$1-completion-dir],
  [AS_HELP_STRING([--with-$1-completion-dir=DIR],
     [where the $1 completion goes, or no @<:@DATAROOTDIR/$2@:>@])],
  [], [with_$1_completion_dir=yes])
AS_CASE([$with_$1_completion_dir],
  [yes], [$1_completiondir='${datarootdir}/$2'],
  [no], [$1_completiondir=],
  [$1_completiondir=$with_$1_completion_dir])
AC_SUBST([$1_completiondir])])

dnl BACKOFF_BATS: find bats, prove that it runs what our tests begin with,
dnl and set the conditional HAVE_BATS. have_bats is yes or says what is wrong.
AC_DEFUN([BACKOFF_BATS],
[AC_PATH_PROG([BATS], [bats])
AC_ARG_VAR([BATS_LIB_PATH], [where bats finds bats-support and bats-assert])
AC_ARG_VAR([TEST_PATH], [where the tests look for GNU tools first])
AC_MSG_CHECKING([whether bats can run the tests])
cat >conftest.bats <<\END
bats_require_minimum_version 1.8.0
bats_load_library bats-support
bats_load_library bats-assert
@test "it runs" { assert_equal 1 1; }
END
AS_IF([test -z "$BATS"], [have_bats=missing],
  ["$BATS" conftest.bats </dev/null >&AS_MESSAGE_LOG_FD 2>&1],
  [have_bats=yes], [have_bats='older than 1.8, or no bats-assert'])
rm -f conftest.bats
AC_MSG_RESULT([$have_bats])
AC_SUBST([have_bats])
AM_CONDITIONAL([HAVE_BATS], [test "$have_bats" = yes])

# Who runs make check in the background or under nohup has INT, QUIT or HUP
# ignored, and what is ignored stays ignored in all that the tests start.
AC_MSG_CHECKING([what restores the default signals])
AS_IF([env --default-signal true 2>/dev/null],
  [DEFAULT_SIGNALS='env --default-signal'], [DEFAULT_SIGNALS=])
AC_SUBST([DEFAULT_SIGNALS])
AC_MSG_RESULT([${DEFAULT_SIGNALS:-nothing}])

# The tests start python3 a thousand times, and a script that looks for it
# first (pyenv) takes longer each time than the program that it finds.
AC_MSG_CHECKING([for the directory of python3])
python_dir=`python3 -c \
  'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null`
AC_MSG_RESULT([${python_dir:-none}])
PYTHON_PATH=${python_dir:+$python_dir:}${TEST_PATH:+$TEST_PATH:}
AC_SUBST([PYTHON_PATH])])

dnl BACKOFF_FLEET: whether to build backoff-fleet, and how: HAVE_HIREDIS,
dnl HIREDIS_*, OPENSSL_*, and fleet for the summary.
AC_DEFUN([BACKOFF_FLEET],
[AC_ARG_WITH([hiredis],
  [AS_HELP_STRING([--without-hiredis],
     [do not build backoff-fleet, for --gate=fleet: and --slots=fleet:])],
  [], [with_hiredis=auto])
AC_ARG_WITH([openssl],
  [AS_HELP_STRING([--without-openssl], [build backoff-fleet without TLS])],
  [], [with_openssl=auto])
AC_ARG_VAR([HIREDIS_CFLAGS], [how to compile with hiredis])
AC_ARG_VAR([HIREDIS_LIBS], [how to link with hiredis])
AC_ARG_VAR([OPENSSL_CFLAGS], [how to compile with OpenSSL])
AC_ARG_VAR([OPENSSL_LIBS], [how to link with OpenSSL])
: "${HIREDIS_LIBS=-lhiredis}" "${OPENSSL_LIBS=-lssl -lcrypto}"
fleet=no
AS_IF([test "$with_hiredis" != no],
  [BACKOFF_LIBRARY([hiredis], [HIREDIS], [hiredis/hiredis.h],
     [redisReaderFree(redisReaderCreate());], [fleet='yes (without TLS)'])
   AS_IF([test "$fleet$with_hiredis" = noyes],
     [AC_MSG_ERROR([hiredis is missing, or does not work])])])
AS_IF([test "$fleet" != no && test "$with_openssl" != no],
  [BACKOFF_LIBRARY([OpenSSL], [OPENSSL], [openssl/ssl.h],
     [SSL_CTX_new(TLS_client_method());], [fleet='yes (with TLS)'])
   AS_IF([test "$fleet$with_openssl" = 'yes (without TLS)yes'],
     [AC_MSG_ERROR([OpenSSL is missing, or does not work])])])
AS_IF([test "$fleet" = 'yes (with TLS)'],
  [AC_DEFINE([HAVE_OPENSSL], [1],
     [Define to 1 where backoff-fleet has TLS.])],
  [OPENSSL_CFLAGS='' OPENSSL_LIBS=''])
AM_CONDITIONAL([HAVE_HIREDIS], [test "$fleet" != no])
AC_SUBST([fleet])])

dnl BACKOFF_LIBRARY(NAME, VARIABLE, HEADER, CALL, THEN): whether a program
dnl that makes the CALL can be linked by VARIABLE_CFLAGS and VARIABLE_LIBS.
AC_DEFUN([BACKOFF_LIBRARY],
[AC_MSG_CHECKING([for $1])
backoff_cflags=$CFLAGS backoff_libs=$LIBS
CFLAGS="$CFLAGS $$2_CFLAGS" LIBS="$$2_LIBS $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stddef.h>
#include <$3>]], [[$4]])],
  [AC_MSG_RESULT([yes])
   $5],
  [AC_MSG_RESULT([no])])
CFLAGS=$backoff_cflags LIBS=$backoff_libs])

dnl BACKOFF_SYSTEM: --with-system, whose answers in src/system are compiled:
dnl system, the conditionals SYSTEM_*, not_here, which is the answers that it
dnl has not got, and system_note for the summary.
AC_DEFUN([BACKOFF_SYSTEM],
[AC_ARG_WITH([system],
  [AS_HELP_STRING([--with-system=linux|posix|darwin],
     [build for this system @<:@the host@:>@; posix uses only POSIX.1-2008])],
  [system=$withval],
  [AS_CASE([$host_os],
     [linux*], [system=linux],
     [darwin*], [system=darwin],
     [system=posix])])
AC_MSG_CHECKING([which system to build for])
AC_MSG_RESULT([$system])
not_here= system_note=
AS_CASE([$system],
  [linux], [],
  [posix],
    [not_here=' byte_lock descriptors_compare file_in_memory file_writers handles open_again orphans parent peek processes signalfd terminal_columns unnamed_file'
     system_note=': a timeout ends only the command and a process group that it leads'],
  [darwin],
    [not_here=' descriptors_compare file_in_memory file_writers handles open_again orphans parent peek signalfd unnamed_file'
     system_note=' (never run on a Mac by its authors)'],
  [AC_MSG_ERROR([--with-system=$system: expected linux, posix or darwin])])
AM_CONDITIONAL([SYSTEM_LINUX], [test "$system" = linux])
AM_CONDITIONAL([SYSTEM_POSIX], [test "$system" = posix])
AM_CONDITIONAL([SYSTEM_DARWIN], [test "$system" = darwin])])

dnl BACKOFF_NOT_HERE(CALL, ANSWER): without the CALL there is no ANSWER.
AC_DEFUN([BACKOFF_NOT_HERE],
[AS_VAR_IF([ac_cv_have_decl_$1], [no], [not_here="$not_here $2"])])
