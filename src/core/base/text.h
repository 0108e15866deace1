/* SPDX-License-Identifier: MIT */
#include "core/base/base.h"
