/* SPDX-License-Identifier: MIT */
#include "base/die.h"
#include "cli/gates/gates.h"
#include "cli/gates/picture.h"
#include "cli/gates/report.h"
#include "markup/escaped.h"

#include <stdlib.h>

static int lane_height(const struct panel *panel)
{
    return panel->lanes <= 8 ? 18 : panel->lanes <= 16 ? 12 : 7;
}

static int lane_y(const struct panel *panel, unsigned slot)
{
    return panel->y + HEADING + (int)slot * (lane_height(panel) + LANE_GAP);
}

int lanes_height(const struct panel *panel)
{
    return panel->lanes > 0 ? (int)panel->lanes * (lane_height(panel) + LANE_GAP) : USE_HEIGHT;
}

static unsigned colour_of(const struct picture *picture, const struct stay *stay)
{
    const uint32_t number = picture->by_user ? stay->user : stay->program;
    unsigned colour = 0;
    while (colour < picture->named && picture->largest[colour].number != number)
        colour++;
    if (colour == picture->named)
        colour = OTHERS;
    if (stay->kind == STAY_END_UNKNOWN)
        colour = UNKNOWN_END;
    picture->seen[colour] = true;
    return colour;
}

static void draw_slot_there(const struct picture *picture, const struct panel *panel, const struct reckoning *r,
                            unsigned slot)
{
    enum { CHANGES_MAX = 50 };
    const int y = lane_y(panel, slot), height = lane_height(panel);
    for (size_t c = 0; c < r->k_count; c++) {
        const bool all = r->k_count > CHANGES_MAX;
        const int64_t end = all || c + 1 == r->k_count ? r->last : r->ks[c + 1].time;
        if (!all && r->ks[c].k <= slot)
            continue;
        fprintf(picture->out, "<path class='lane' d='M%.1f %dH%.1fv%dH%.1fz'/>\n", x_of(picture, r->ks[c].time), y,
                x_of(picture, end), height, x_of(picture, r->ks[c].time));
        if (all)
            break;
    }
    if (panel->lanes <= 16 || slot % 4 == 0)
        fprintf(picture->out, "<text class='end' x='%d' y='%d'>%s%u</text>\n", LEFT - 8, y + height / 2 + 4,
                slot == 0 ? "slot " : "", slot);
}

static void draw_stay(const struct picture *picture, const struct panel *panel, const struct stay *stay)
{
    char since[32], span[32];
    const char *user = name_of(&picture->log->users, stay->user);
    const char *program = name_of(&picture->log->programs, stay->program);
    const double x = x_of(picture, stay->begin), width = x_of(picture, stay->end) - x;
    fprintf(picture->out, "<rect class='c%u' x='%.2f' y='%d' width='%.2f' height='%d'><title>",
            colour_of(picture, stay), x, lane_y(panel, stay->slot),
            width > 3     ? width - 0.6
            : width > 0.6 ? width
                          : 0.6,
            lane_height(panel));
    print_escaped(picture->out, program != NULL ? program : "?", 60);
    fputs(", ", picture->out);
    print_escaped(picture->out, user != NULL ? user : "?", 60);
    fprintf(picture->out, ", process %u, slot %u; from %s%s, %s", stay->pid, stay->slot,
            stay->kind == STAY_BEGAN_BEFORE ? "before " : "", date_for_people(stay->begin, since),
            span_for_people(stay->end - stay->begin, span));
    fputs(stay->kind == STAY_END_UNKNOWN ? " at most: its exit is not in the log"
          : stay->kind == STAY_NOT_OVER  ? ", not over"
                                         : "",
          picture->out);
    if (stay->status >= 0)
        fprintf(picture->out, "; status %d", stay->status);
    fputs("</title></rect>\n", picture->out);
}

/* used[slot][column][colour]: how much of a column's time. */
static float *use_of_columns(const struct picture *picture, const struct panel *panel, const struct reckoning *r)
{
    float *used = must_allocate((size_t)panel->lanes * COLUMNS * COLOURS * sizeof *used);
    for (size_t s = 0; s < r->stay_count; s++) {
        const struct stay *stay = &r->stays[s];
        const double begin = x_of(picture, stay->begin) - LEFT, end = x_of(picture, stay->end) - LEFT;
        float *cell = used + (size_t)stay->slot * COLUMNS * COLOURS + colour_of(picture, stay);
        for (unsigned c = (unsigned)begin; c < COLUMNS && (c < end || c == (unsigned)begin); c++) {
            const double part = (end < c + 1 ? end : c + 1) - (begin > c ? begin : c);
            cell[(size_t)c * COLOURS] += (float)(part > 0 ? part : 0) + 1e-6f;
        }
    }
    return used;
}

/* colour * FAINTNESS + how full, from 0; -1: nobody was there. */
static int mark_of(const float cell[COLOURS])
{
    unsigned most = 0;
    float all = 0;
    for (unsigned c = 0; c < COLOURS; c++) {
        all += cell[c];
        most = cell[c] > cell[most] ? c : most;
    }
    if (all <= 0)
        return -1;
    const int full = (int)(all * FAINTNESS);
    return (int)most * FAINTNESS + (full < FAINTNESS ? full : FAINTNESS - 1);
}

static void draw_columns(const struct picture *picture, const struct panel *panel, const float *used, unsigned slot)
{
    const int y = lane_y(panel, slot), height = lane_height(panel);
    int marks[COLUMNS + 1];
    for (unsigned c = 0; c < COLUMNS; c++)
        marks[c] = mark_of(used + ((size_t)slot * COLUMNS + c) * COLOURS);
    marks[COLUMNS] = -1;
    for (int mark = 0; mark < COLOURS * FAINTNESS; mark++) {
        int last = -1;
        for (unsigned c = 0, until; c < COLUMNS; c = until) {
            for (until = c + 1; marks[until] == marks[c] && until < COLUMNS;)
                until++;
            if (marks[c] != mark)
                continue;
            if (last < 0)
                fprintf(picture->out, "<path class='c%d o%d' d='M%u %d", mark / FAINTNESS, mark % FAINTNESS, LEFT + c,
                        y);
            else
                fprintf(picture->out, "m%u 0", c - (unsigned)last);
            fprintf(picture->out, "h%uv%dh-%uz", until - c, height, until - c);
            last = (int)c;
        }
        if (last >= 0)
            fputs("'/>\n", picture->out);
    }
}

void draw_lanes(const struct picture *picture, const struct panel *panel, const struct reckoning *r)
{
    for (unsigned slot = 0; slot < panel->lanes; slot++)
        draw_slot_there(picture, panel, r, slot);
    if (picture->each_stay) {
        for (size_t s = 0; s < r->stay_count; s++)
            draw_stay(picture, panel, &r->stays[s]);
        return;
    }
    float *used = use_of_columns(picture, panel, r);
    for (unsigned slot = 0; slot < panel->lanes; slot++)
        draw_columns(picture, panel, used, slot);
    free(used);
}
