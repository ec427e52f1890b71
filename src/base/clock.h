/* SPDX-License-Identifier: MIT
 *
 * clock.h - how long something takes: seconds since some moment, which nobody sets back.
 */
#ifndef ADMIT_BASE_CLOCK_H
#define ADMIT_BASE_CLOCK_H

#include <time.h>

static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#endif
