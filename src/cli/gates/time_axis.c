/* SPDX-License-Identifier: MIT */
#include "cli/gates/time_axis.h"

#include "cli/gates/gates.h"

#include <string.h>
#include <time.h>

enum { TICKS_MAX = 8 };
static const int64_t second = 1000000, day = INT64_C(86400) * 1000000;

static int64_t step_for(int64_t span)
{
    static const int64_t seconds[] = {1,     2,     5,      10,     15,     30,      60,     120,
                                      300,   600,   900,    1800,   3600,   7200,    10800,  21600,
                                      43200, 86400, 172800, 345600, 604800, 1209600, 2419200};
    int64_t step = 1;
    for (; step < second; step *= 10)
        for (int64_t digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3)
            if (span <= digit * step * TICKS_MAX)
                return digit * step;
    for (unsigned s = 0; s < sizeof seconds / sizeof seconds[0]; s++)
        if (span <= seconds[s] * second * TICKS_MAX)
            return seconds[s] * second;
    for (step = 91 * day; span > step * TICKS_MAX;)
        step *= 2;
    return step;
}

static struct tm local(int64_t time)
{
    const time_t seconds = time / second;
    struct tm tm = {0};
    localtime_r(&seconds, &tm);
    return tm;
}

static void label(int64_t time, int64_t step, char text[32])
{
    const struct tm tm = local(time);
    strftime(text, 32, step >= day ? "%m-%d" : step >= 60 * second ? "%H:%M" : "%H:%M:%S", &tm);
    if (step >= second)
        return;
    size_t length = strlen(text);
    snprintf(text + length, 32 - length, ".%06lld", (long long)(time % second));
    for (length += 7; step % 10 == 0; step /= 10)
        text[--length] = '\0';
}

static double x_of_time(int64_t time, int64_t from, int64_t to, const struct axis_place *place)
{
    return place->left + (double)(place->right - place->left) * (double)(time - from) / (double)(to - from);
}

static void draw_tick(FILE *out, double x, const struct axis_place *place, const char *text)
{
    fprintf(out, "<path class='grid' d='M%.1f %dV%d'/><text class='middle' x='%.1f' y='%d'>%s</text>\n", x, place->top,
            place->bottom + 5, x, place->bottom + 20, text);
}

static void draw_spans(FILE *out, int64_t from, int64_t to, const struct axis_place *place)
{
    char span[32];
    const int64_t step = step_for(to - from);
    for (int64_t time = from; time <= to; time += step) {
        if (step % second == 0 && time - from < 60 * second)
            snprintf(span, sizeof span, "%lld s", (long long)((time - from) / second));
        else
            span_for_people(time - from, span);
        draw_tick(out, x_of_time(time, from, to, place), place, span);
    }
}

void draw_time_axis(FILE *out, int64_t from, int64_t to, const struct axis_place *place)
{
    if (place->from_zero) {
        draw_spans(out, from, to, place);
        return;
    }
    const int64_t step = step_for(to - from), zone = (int64_t)local(from).tm_gmtoff * second;
    const int64_t first = (from + zone + step - 1) / step * step - zone;
    char text[32], date[32], last_date[32] = "";
    for (int64_t time = first; time <= to; time += step) {
        const double x = x_of_time(time, from, to, place);
        const struct tm tm = local(time);
        label(time, step, text);
        strftime(date, sizeof date, step >= day ? "%Y" : "%Y-%m-%d", &tm);
        draw_tick(out, x, place, text);
        if (strcmp(date, last_date) != 0)
            fprintf(out, "<text class='middle note' x='%.1f' y='%d'>%s</text>\n", x, place->bottom + 36, date);
        memcpy(last_date, date, sizeof date);
    }
}
