/* SPDX-License-Identifier: MIT */
/* The command line of backoff-herd. */
#define PROGRAM PROGRAM_HERD
#include "fuzz/options/argv.c"
