/* SPDX-License-Identifier: MIT */
#include "options/options.h"
