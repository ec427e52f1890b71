/* SPDX-License-Identifier: MIT
 *
 * A log in which few came, in characters: a lane for each.
 */
#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "cli/gates/report.h"
#include "cli/gates/visits.h"
#include "native/printable.h"

#include <stdio.h>

enum { LANE_MAX = 60, LANE_MIN = 10, NAME_COLUMNS = 17, NAME_SIZE = 256, BEFORE_LANE = 2 + NAME_COLUMNS + 1 + 8 + 1 };
enum { USUAL_WIDTH = 80 };

static char letter_of(unsigned slot)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    return slot < sizeof letters - 1 ? letters[slot] : '#';
}

/* From `from` until `to`, at a moment of it at least; what begins and ends in one is there, too. */
static bool overlaps(int64_t begin, int64_t end, int64_t from, int64_t to)
{
    return begin < to && (end > from || (begin == end && begin == from));
}

/* An end is seen, however soon after the beginning, and a stay rather than a wait. */
static char mark_of(const struct visit *visit, int64_t from, int64_t to)
{
    if (visit->end >= from && visit->end < to) {
        if (visit->how == VISIT_KILLED || visit->how == VISIT_KILLED_IN_LINE)
            return 'X';
        if (visit->how == VISIT_GAVE_UP)
            return '-';
    }
    if (visit->was_inside && overlaps(visit->entered, visit->end, from, to))
        return letter_of(visit->slot);
    return overlaps(visit->came, visit->entered, from, to) ? '.' : ' ';
}

static void print_lane(const struct log *log, const struct reckoning *r, const struct visit *visit, unsigned columns)
{
    char name[NAME_SIZE], number[16], lane[LANE_MAX + 1];
    const int64_t span = r->last - r->first;
    unsigned length = 0;
    for (unsigned c = 0; c < columns; c++) {
        const int64_t to = r->first + span * (c + 1) / columns;
        lane[c] = mark_of(visit, r->first + span * c / columns, c + 1 == columns ? to + 1 : to);
        length = lane[c] != ' ' ? c + 1 : length;
    }
    lane[length] = '\0';
    admit_printable(name_of_visit(log, visit), name, sizeof name);
    cut_to_columns(name, NAME_COLUMNS);
    printf("  %s%*s %-8s %s\n", name, (int)(NAME_COLUMNS - columns_of_text(name)), "", number_of_visit(visit, number),
           lane);
}

bool print_visits(const struct reckoning *r, const struct log *log, const struct event *events, size_t count)
{
    struct visit visits[VISITS_MAX];
    const size_t came = r->last > r->first ? find_visits(log, events, count, visits) : 0;
    const unsigned terminal = width_of_terminal(), room = (terminal > 0 ? terminal : USUAL_WIDTH) - 1;
    const unsigned columns = room < LANE_MIN + BEFORE_LANE   ? LANE_MIN
                             : room > LANE_MAX + BEFORE_LANE ? LANE_MAX
                                                             : room - BEFORE_LANE;
    char span[32];
    if (came == 0)
        return false;
    printf("\n  . in line, 0 1 2 in that slot, X killed, - gave up; a column is %s\n",
           span_for_people((r->last - r->first) / (int64_t)columns, span));
    for (size_t v = 0; v < came; v++)
        print_lane(log, r, &visits[v], columns);
    return true;
}
