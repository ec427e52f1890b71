/* SPDX-License-Identifier: MIT
 *
 * picture.h - what the parts of a log's picture share: where it is, and what colours mean.
 */
#ifndef ADMIT_CLI_GATES_PICTURE_H
#define ADMIT_CLI_GATES_PICTURE_H

#include "cli/gates/reckoning.h"
#include "cli/gates/shares.h"
#include "cli/gates/visits.h"

#include <stdio.h>

enum { WIDTH = 960, LEFT = 76, COLUMNS = 840, RIGHT = LEFT + COLUMNS, TOP = 74 };
enum { HEADING = 40, LANE_GAP = 2, USE_HEIGHT = 80, LINE_HEIGHT = 44, LINE_GAP = 12, PANEL_GAP = 22, AXIS = 56 };
enum { LEFT_OF_VISITS = 200, TOP_OF_VISITS = 18, HEADING_OF_VISITS = 48, AXIS_OF_VISITS = 40 };
enum { GATES_MAX = 12, LANES_MAX = 64, STAYS_MAX = 1500 };
enum { NAMED = 6, OTHERS = NAMED, UNKNOWN_END, COLOURS, FAINTNESS = 4 };

struct panel {
    size_t from, count;    /* events */
    unsigned slots, lanes; /* lanes 0: too many slots */
    size_t stays;
    struct visit *visits; /* if there is a lane for each of them */
    size_t visit_count;
    int y, height;
};

struct picture {
    FILE *out;
    const struct log *log;
    int64_t from, to;
    int left, top;   /* where `from` is; where the first gate is */
    bool each_visit; /* has a lane; else each slot has */
    bool by_user, each_stay;
    unsigned named;
    struct share largest[NAMED];
    struct panel panels[GATES_MAX];
    unsigned gates, drawn;
    int height;
    bool *seen; /* which colours have been used so far */
};

double x_of(const struct picture *picture, int64_t time);

int lanes_height(const struct panel *panel);
/* Of a panel that has lanes. */
void draw_lanes(const struct picture *picture, const struct panel *panel, const struct reckoning *reckoning);

/* Of one that has visits. */
void draw_visits(const struct picture *picture, const struct panel *panel);
int visits_height(const struct panel *panel);
/* What its bars and marks mean; once. */
void draw_visits_legend(const struct picture *picture);

#endif
