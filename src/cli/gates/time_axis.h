/* SPDX-License-Identifier: MIT
 *
 * time_axis.h - ticks of a time axis where people expect them, from microseconds to years, in the local zone,
 * or counted from the beginning.
 */
#ifndef ADMIT_CLI_GATES_TIME_AXIS_H
#define ADMIT_CLI_GATES_TIME_AXIS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct axis_place {
    int left, right, top, bottom; /* grid lines go from top to bottom; what they mean stands below */
    bool from_zero;               /* how long after the beginning, instead of the time of the clock */
};

/* In SVG, with the classes grid, middle and note. `from` and `to`: microseconds since 1970. */
void draw_time_axis(FILE *out, int64_t from, int64_t to, const struct axis_place *place);

#endif
