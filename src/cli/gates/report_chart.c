/* SPDX-License-Identifier: MIT
 *
 * Slots in use and the length of the line over time, in characters.
 */
#include "cli/gates/gates.h"
#include "cli/gates/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHART_MAX = 60, CHART_MIN = 10, CHART_LEFT = 9 };

/* As the environment says it; not asked of the C library, which knows no locales where it is linked statically. */
static bool is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (unsigned n = 0; n < 3; n++) {
        const char *value = getenv(names[n]);
        if (value != NULL && value[0] != '\0')
            return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

struct chart {
    unsigned columns, rows;
    double *height; /* of each column, 0 to 1 */
    char top[16];   /* what stands beside the first row */
};

/* What is there at all is seen: the lowest mark. */
static void print_chart(const struct chart *chart)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", ".", ":", "#"};
    const bool utf8 = is_utf8();
    const unsigned levels = utf8 ? 8 : 3;
    for (unsigned row = chart->rows; row-- > 0;) {
        printf("  %*s |", CHART_LEFT - 4, row + 1 == chart->rows ? chart->top : row == 0 ? "0" : "");
        for (unsigned c = 0; c < chart->columns; c++) {
            const double marks = chart->height[c] * levels * chart->rows;
            unsigned level = marks > 0 && marks < 1 ? 1 : (unsigned)(marks + 0.5);
            level = level > row * levels ? level - row * levels : 0;
            level = level > levels ? levels : level;
            fputs(utf8 ? blocks[level] : ascii[level], stdout);
        }
        putchar('\n');
    }
}

static void print_axis(const struct reckoning *r, unsigned columns)
{
    char from[32], to[32];
    printf("  %*s +", CHART_LEFT - 4, "");
    for (unsigned c = 0; c < columns; c++)
        putchar('-');
    date_for_people(r->first, from);
    date_for_people(r->last, to);
    if (columns >= strlen(from) + strlen(to) + 2)
        printf("\n%*s%s%*s\n", CHART_LEFT, "", from, (int)(columns - strlen(from)), to);
    else
        printf("\n%*s%s ...\n", CHART_LEFT, "", from);
}

void print_over_time(const struct reckoning *r)
{
    enum { ROWS = 4, LINE_ROWS = 2 };
    double height[CHART_MAX];
    char span[32];
    const unsigned width = width_of_terminal();
    struct chart chart = {.columns = CHART_MAX, .rows = ROWS, .height = height, .top = "100 %"};
    if (r->last <= r->first)
        return;
    if (width > 0 && width < CHART_MAX + CHART_LEFT + 1)
        chart.columns = width < CHART_MIN + CHART_LEFT + 1 ? CHART_MIN : width - CHART_LEFT - 1;
    struct over_time over;
    spread_over_time(&over, r, r->first, r->last, chart.columns);
    printf("\n  slots in use, each column %s\n", span_for_people((r->last - r->first) / (int64_t)chart.columns, span));
    for (unsigned c = 0; c < chart.columns; c++)
        height[c] = over.offered[c] > 0 ? over.used[c] / over.offered[c] : 0;
    print_chart(&chart);
    print_axis(r, chart.columns);
    if (r->longest_line > 0) {
        puts("  in line, at most");
        snprintf(chart.top, sizeof chart.top, "%u", r->longest_line);
        chart.rows = LINE_ROWS;
        for (unsigned c = 0; c < chart.columns; c++)
            height[c] = (double)over.line[c] / r->longest_line;
        print_chart(&chart);
    }
    over_time_free(&over);
}
