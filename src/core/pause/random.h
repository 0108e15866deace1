/* SPDX-License-Identifier: MIT */
#include "core/pause/schedule.h"
