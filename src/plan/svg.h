/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PLAN_SVG_H
#define BACKOFF_PLAN_SVG_H
/*
 * --plan as a picture.
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/charts/forecast.h"

/*
 * To stdout: the first of COUNT pauses, or that there is none. ENDLESS: there
 * would be more of them. SETTINGS, in words, stand below the title.
 */
void plan_svg(const struct forecast_row *rows, size_t count, bool endless,
    const char *settings);

#endif
