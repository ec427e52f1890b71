/* SPDX-License-Identifier: MIT
 *
 * The most remote references of a passage over n, both axes logarithmic: a power of n is a straight line there.
 */
#include "counter/growth.h"

#include <math.h>

enum { WIDTH = 760, HEIGHT = 470, LEFT = 70, RIGHT = 560, TOP = 60, BOTTOM = 400 };

struct scale {
    double x_min, x_max, y_min, y_max; /* logarithms */
};

static double x_at(const struct scale *scale, double n)
{
    return LEFT + (log(n) - scale->x_min) / (scale->x_max - scale->x_min) * (RIGHT - LEFT);
}

static double y_at(const struct scale *scale, double most)
{
    return BOTTOM - (log(most) - scale->y_min) / (scale->y_max - scale->y_min) * (BOTTOM - TOP);
}

static struct scale scale_of(const struct series *series, unsigned count)
{
    double n_min = HUGE_VAL, n_max = 0, least = HUGE_VAL, most = 0;
    for (unsigned c = 0; c < count; c++)
        for (unsigned p = 0; p < series[c].count; p++) {
            n_min = fmin(n_min, series[c].points[p].n);
            n_max = fmax(n_max, series[c].points[p].n);
            if (series[c].points[p].most == UINT64_MAX)
                continue;
            least = fmin(least, fmax(1, (double)series[c].points[p].most));
            most = fmax(most, (double)series[c].points[p].most);
        }
    least = fmin(least, fmax(most, 1));
    return (struct scale){.x_min = log(n_min),
                          .x_max = log(fmax(n_max, n_min + 1)),
                          .y_min = log(least / 1.5),
                          .y_max = log(fmax(most, 2 * least) * 1.5)};
}

static void draw_axes(FILE *out, const struct scale *scale, const struct series *series)
{
    for (double power = 1; log(power) <= scale->y_max; power *= 10)
        for (unsigned digit = 1; digit < 10; digit = digit == 1 ? 2 : digit == 2 ? 5 : 10) {
            double value = power * digit;
            if (log(value) < scale->y_min || log(value) > scale->y_max)
                continue;
            fprintf(out, "<path class='grid' d='M%d %.1fH%d'/><text class='end' x='%d' y='%.1f'>%.0f</text>\n", LEFT,
                    y_at(scale, value), RIGHT, LEFT - 8, y_at(scale, value) + 4, value);
        }
    double last = -HUGE_VAL;
    for (unsigned p = 0; p < series->count; p++) {
        double x = x_at(scale, series->points[p].n);
        fprintf(out, "<path class='axis' d='M%.1f %dv5'/>", x, BOTTOM);
        if (fabs(x - last) > 14) {
            fprintf(out, "<text class='middle' x='%.1f' y='%d'>%u</text>\n", x, BOTTOM + 20, series->points[p].n);
            last = x;
        }
    }
    fprintf(out, "<path class='axis' d='M%d %dV%dH%d'/>\n", LEFT, TOP, BOTTOM, RIGHT);
    fprintf(out, "<text class='middle' x='%d' y='%d'>processes n (logarithmic)</text>\n", (LEFT + RIGHT) / 2,
            BOTTOM + 44);
    fprintf(out,
            "<text class='middle' transform='translate(18 %d) rotate(-90)'>most remote references in a passage "
            "(logarithmic)</text>\n",
            (TOP + BOTTOM) / 2);
}

/* A straight line that grows like n, to compare the slopes with. */
static void draw_guide(FILE *out, const struct scale *scale)
{
    double run = fmin(scale->x_max - scale->x_min, scale->y_max - scale->y_min);
    double x = exp(scale->x_min), y = exp(scale->y_min);
    fprintf(out,
            "<path class='guide' d='M%.1f %.1fL%.1f %.1f'/><text class='note' x='%.1f' y='%.1f'>grows like n</text>\n",
            x_at(scale, x), y_at(scale, y), x_at(scale, x * exp(run)), y_at(scale, y * exp(run)),
            x_at(scale, x * exp(run * 0.62)) + 8, y_at(scale, y * exp(run * 0.62)) + 14);
}

static void draw_mark(FILE *out, const struct series *series, double x, double y)
{
    if (series->schedule == ADVERSARIAL)
        fprintf(out, "<circle class='m%d' cx='%.1f' cy='%.1f' r='4'/>", series->model, x, y);
    else if (series->schedule == RANDOM)
        fprintf(out, "<path class='m%d' d='M%.1f %.1fh8v8h-8z'/>", series->model, x - 4, y - 4);
    else
        fprintf(out, "<path class='m%d' d='M%.1f %.1fl4.5 8h-9z'/>", series->model, x, y - 5);
}

/* Where there is no most, an arrow at the upper edge. */
static void draw_arrow(FILE *out, const struct series *series, double x)
{
    fprintf(out, "<path class='c%d' d='M%.1f %dv-16m-5 6l5 -6l5 6'/>", series->model, x, TOP + 2);
}

static void draw_series(FILE *out, const struct scale *scale, const struct series *series, unsigned number)
{
    bool pen_down = false;
    fprintf(out, "<path class='c%d s%d' d='", series->model, series->schedule);
    for (unsigned p = 0; p < series->count; p++) {
        if (series->points[p].most == UINT64_MAX) {
            pen_down = false;
            continue;
        }
        fprintf(out, "%c%.1f %.1f", pen_down ? 'L' : 'M', x_at(scale, series->points[p].n),
                y_at(scale, fmax(1, (double)series->points[p].most)));
        pen_down = true;
    }
    fprintf(out, "'/>");
    bool complete = true;
    for (unsigned p = 0; p < series->count; p++) {
        double x = x_at(scale, series->points[p].n);
        if (series->points[p].most != UINT64_MAX) {
            draw_mark(out, series, x, y_at(scale, fmax(1, (double)series->points[p].most)));
        } else {
            draw_arrow(out, series, x + (series->model == DSM ? 5 : -5));
            complete = false;
        }
    }
    struct growth growth;
    growth_fit(&growth, series);
    double y = TOP + 12 + 44 * (double)number;
    fprintf(out, "\n<path class='c%d s%d' d='M%d %.1fh30'/>", series->model, series->schedule, RIGHT + 16, y - 4);
    draw_mark(out, series, RIGHT + 31, y - 4);
    fprintf(out, "<text x='%d' y='%.1f'>%s, %s</text><text class='note' x='%d' y='%.1f'>", RIGHT + 54, y,
            memory_model_name[series->model], schedule_name[series->schedule], RIGHT + 54, y + 15);
    if (is_linear(&growth))
        fprintf(out, "%.1f n %s %.1f", growth.slope, growth.offset < 0 ? "−" : "+", fabs(growth.offset));
    else if (growth.known)
        fprintf(out, "like n^%.2f", growth.exponent);
    else
        fputs(complete ? "too few points to fit" : "no most: see the arrows", out);
    fputs("</text>\n", out);
}

void growth_plot(FILE *out, const char *title, const struct series *series, unsigned count)
{
    struct scale scale = scale_of(series, count);
    fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' role='img'>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(out, "<title>Remote references of %s</title>\n", title);
    fputs("<style>\n"
          "text{font:12px system-ui,sans-serif;fill:#1b1b1b}.title{font-size:15px;font-weight:600}\n"
          ".end{text-anchor:end}.middle{text-anchor:middle}.note{fill:#666;font-size:11px}.paper{fill:#fff}\n"
          ".grid,.axis,.guide,.c0,.c1,.c2{fill:none}.grid{stroke:#e3e3e3}.axis{stroke:#1b1b1b}\n"
          ".guide{stroke:#888;stroke-dasharray:2 4}.c0,.c1,.c2{stroke-width:2}\n"
          ".c0{stroke:#1f6fb4}.c1{stroke:#c4511a}.c2{stroke:#2b8a4b}\n"
          ".m0{fill:#1f6fb4}.m1{fill:#c4511a}.m2{fill:#2b8a4b}.s0{stroke-dasharray:2 3}.s1{stroke-dasharray:7 4}\n"
          "@media(prefers-color-scheme:dark){text{fill:#ececec}.note{fill:#a3a3a3}.paper{fill:#16181c}\n"
          ".grid{stroke:#33373d}.axis{stroke:#ececec}.c0{stroke:#6db3f2}.c1{stroke:#f2945c}.c2{stroke:#6fd08f}\n"
          ".m0{fill:#6db3f2}.m1{fill:#f2945c}.m2{fill:#6fd08f}}\n"
          "</style>\n",
          out);
    fprintf(out, "<rect class='paper' width='%d' height='%d'/>\n", WIDTH, HEIGHT);
    fprintf(out, "<text class='title' x='%d' y='26'>Remote references of %s</text>\n", LEFT, title);
    draw_axes(out, &scale, series);
    draw_guide(out, &scale);
    for (unsigned c = 0; c < count; c++)
        draw_series(out, &scale, &series[c], c);
    fputs("</svg>\n", out);
}
