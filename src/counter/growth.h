/* SPDX-License-Identifier: MIT
 *
 * growth.h - how a number grows with n: what was counted for several n, fitted to a power of n, and drawn.
 */
#ifndef ADMIT_COUNTER_GROWTH_H
#define ADMIT_COUNTER_GROWTH_H

#include "counter/passage_costs.h"

#include <stdio.h>

enum { POINTS_MAX = 16 };

/* The most remote references in a passage, for each n: one curve. */
struct series {
    enum memory_model model;
    enum schedule schedule;
    unsigned count;
    struct {
        unsigned n;
        uint64_t most; /* UINT64_MAX: there is none */
    } points[POINTS_MAX];
};

/* Least squares on the logarithms, n^exponent; and the exponent between the last two points alone, since a + bn looks
 * flatter or steeper than n where n is small. So a line is fitted too, by least squares on relative errors: slope * n +
 * offset, off by at most line_error of a point's number. */
struct growth {
    bool known; /* three different n at least, and a number for each */
    double exponent, last_exponent;
    double slope, offset, line_error;
    unsigned from, to; /* n */
};

void growth_fit(struct growth *growth, const struct series *series);
/* "about linear", "between linear and quadratic" and so on. */
const char *growth_words(double exponent);
/* Whether a line that rises goes through all points, but for a tenth of each. */
bool is_linear(const struct growth *growth);

/* A plot of all curves, as SVG. */
void growth_plot(FILE *out, const char *title, const struct series *series, unsigned count);

#endif
