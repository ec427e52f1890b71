/* SPDX-License-Identifier: MIT */
#include "counter/growth.h"

#include <math.h>

/* Weights 1 / most^2 make the errors relative. */
static void fit_line(struct growth *growth, const struct series *series)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (unsigned p = 0; p < series->count; p++) {
        double n = series->points[p].n, most = (double)series->points[p].most, weight = 1 / (most * most);
        w += weight;
        x += weight * n;
        y += weight * most;
        xx += weight * n * n;
        xy += weight * n * most;
    }
    growth->slope = (w * xy - x * y) / (w * xx - x * x);
    growth->offset = (y - growth->slope * x) / w;
    for (unsigned p = 0; p < series->count; p++) {
        double most = (double)series->points[p].most;
        growth->line_error =
            fmax(growth->line_error, fabs(growth->slope * series->points[p].n + growth->offset - most) / most);
    }
}

bool is_linear(const struct growth *growth)
{
    return growth->known && growth->line_error <= 0.1 && growth->slope * growth->to > 0.2 * growth->offset;
}

void growth_fit(struct growth *growth, const struct series *series)
{
    double x = 0, y = 0, xx = 0, xy = 0, count = series->count;
    *growth = (struct growth){.known = series->count >= 3};
    for (unsigned p = 0; p < series->count && growth->known; p++) {
        unsigned n = series->points[p].n;
        uint64_t most = series->points[p].most;
        if (most == UINT64_MAX || most == 0 || (p > 0 && n <= series->points[p - 1].n)) {
            growth->known = false;
            return;
        }
        x += log(n);
        y += log((double)most);
        xx += log(n) * log(n);
        xy += log(n) * log((double)most);
    }
    if (!growth->known)
        return;
    unsigned last = series->count - 1;
    growth->exponent = (count * xy - x * y) / (count * xx - x * x);
    growth->last_exponent = log((double)series->points[last].most / (double)series->points[last - 1].most) /
                            log((double)series->points[last].n / series->points[last - 1].n);
    growth->from = series->points[0].n;
    growth->to = series->points[last].n;
    fit_line(growth, series);
}

const char *growth_words(double exponent)
{
    static const char *const about[] = {"about constant", "about linear", "about quadratic", "about cubic"};
    static const char *const between[] = {"between constant and linear", "between linear and quadratic",
                                          "between quadratic and cubic"};
    double whole = floor(exponent + 0.5);
    if (exponent < 0.2)
        return exponent > -0.2 ? about[0] : "falling";
    if (exponent > 3.2)
        return "more than cubic";
    return fabs(exponent - whole) <= 0.2 ? about[(int)whole] : between[(int)floor(exponent)];
}
