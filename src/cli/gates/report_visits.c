/* SPDX-License-Identifier: MIT
 *
 * The picture of a log in which few came: a lane for each, from when it came until it left, and where one was killed
 * inside, who had its slot next.
 */
#include "cli/gates/gates.h"
#include "cli/gates/picture.h"
#include "markup/escaped.h"

enum { STEP = 32, BAR = 24, THIN = 10, MARK = 9, SLOT_COLOURS = 6 };

static int middle_of(const struct panel *panel, const struct visit *visit)
{
    return panel->y + HEADING_OF_VISITS + (int)(visit - panel->visits) * STEP + STEP / 2;
}

int visits_height(const struct panel *panel)
{
    return HEADING_OF_VISITS + (int)panel->visit_count * STEP;
}

static void say_who(const struct picture *picture, const struct visit *visit, unsigned most)
{
    print_escaped(picture->out, name_of_visit(picture->log, visit), most);
}

static void draw_lane(const struct picture *picture, const struct panel *panel, const struct visit *visit)
{
    const int y = middle_of(panel, visit);
    char number[16];
    fprintf(picture->out, "<path class='grid' d='M%d %dH%d'/><text class='end' x='%d' y='%d'>", picture->left, y, RIGHT,
            picture->left - 12, y + 5);
    say_who(picture, visit, 18);
    fprintf(picture->out, " <tspan class='pid'>%s</tspan></text>\n", number_of_visit(visit, number));
}

/* For who points at it. */
static void draw_tip(const struct picture *picture, const struct visit *visit)
{
    static const char *const how[] = {[VISIT_LEFT] = "",
                                      [VISIT_KILLED] = "; killed",
                                      [VISIT_EXIT_NOT_TOLD] = " at most: its exit is not in the log",
                                      [VISIT_STILL_INSIDE] = ", not over",
                                      [VISIT_GAVE_UP] = "; gave up",
                                      [VISIT_KILLED_IN_LINE] = " at most; killed in line",
                                      [VISIT_STILL_WAITING] = ", not over"};
    char waited[32], inside[32];
    fputs("<title>", picture->out);
    say_who(picture, visit, 60);
    if (picture->by_user) {
        const char *user = name_of(&picture->log->users, visit->user);
        fputs(", ", picture->out);
        print_escaped(picture->out, user != NULL ? user : "?", 60);
    }
    if (visit->job != 0)
        fprintf(picture->out, ", job @%u", visit->job);
    fprintf(picture->out, ", process %u: waited %s", visit->pid, span_for_people(visit->entered - visit->came, waited));
    if (visit->was_inside)
        fprintf(picture->out, ", in slot %u for %s", visit->slot, span_for_people(visit->end - visit->entered, inside));
    fputs(how[visit->how], picture->out);
    if (visit->status >= 0)
        fprintf(picture->out, "; status %d", visit->status);
    fputs("</title>", picture->out);
}

static void draw_waiting(const struct picture *picture, const struct panel *panel, const struct visit *visit)
{
    const double x = x_of(picture, visit->came), width = x_of(picture, visit->entered) - x;
    if (width > 0)
        fprintf(picture->out, "<rect class='waits' x='%.2f' y='%d' width='%.2f' height='%d'/>", x,
                middle_of(panel, visit) - THIN / 2, width, THIN);
}

static void draw_inside(const struct picture *picture, const struct panel *panel, const struct visit *visit)
{
    const double x = x_of(picture, visit->entered), width = x_of(picture, visit->end) - x;
    const int y = middle_of(panel, visit);
    if (!visit->was_inside)
        return;
    fprintf(picture->out, "<rect class='c%u' x='%.2f' y='%d' width='%.2f' height='%d' rx='2'/>",
            visit->how == VISIT_EXIT_NOT_TOLD ? UNKNOWN_END : visit->slot % SLOT_COLOURS, x, y - BAR / 2,
            width > 1 ? width : 1, BAR);
    if (width >= 16)
        fprintf(picture->out, "<text class='t%u middle' x='%.2f' y='%d'>%s%u</text>", visit->slot % SLOT_COLOURS,
                x + width / 2, y + 5, width >= 60 ? "slot " : "", visit->slot);
}

static void draw_cross(const struct picture *picture, double x, int y)
{
    fprintf(picture->out,
            "<circle class='kill' cx='%.2f' cy='%d' r='%d'/><path class='cross' d='M%.2f %dl8 8m0-8l-8 8'/>", x, y,
            MARK, x - 4, y - 4);
}

/* From who was killed to who has the slot now. */
static void draw_heritage(const struct picture *picture, const struct panel *panel, const struct visit *killed,
                          const struct visit *heir)
{
    const double x = x_of(picture, killed->end);
    const int from = middle_of(panel, killed), to = middle_of(panel, heir), down = to > from ? 1 : -1;
    fprintf(picture->out, "<path class='goes' d='M%.2f %dV%d'/><path class='kill' d='M%.2f %dl-5 %dh10z'/>\n", x,
            from + down * MARK, to - down * (BAR / 2 + 7), x, to - down * BAR / 2, down * -8);
}

static void draw_end(const struct picture *picture, const struct panel *panel, const struct visit *visit)
{
    enum { ROOM_FOR_WORDS = 320, ROOM_FOR_WORD = 130, GAP = MARK + 6 };
    const double x = x_of(picture, visit->end), room = RIGHT - x;
    const int y = middle_of(panel, visit);
    if (visit->how == VISIT_KILLED) {
        const struct visit *heir = heir_of(visit, panel->visits, panel->visit_count);
        if (heir != NULL)
            draw_heritage(picture, panel, visit, heir);
        draw_cross(picture, x, y);
        if (heir != NULL && room >= ROOM_FOR_WORDS)
            fprintf(picture->out, "<text class='told' x='%.2f' y='%d'>killed: slot %u goes to the next in line</text>",
                    x + GAP, y + 5, visit->slot);
        else if (room >= ROOM_FOR_WORD)
            fprintf(picture->out, "<text class='told' x='%.2f' y='%d'>killed</text>", x + GAP, y + 5);
    } else if (visit->how == VISIT_KILLED_IN_LINE) {
        draw_cross(picture, x, y);
        if (room >= ROOM_FOR_WORD)
            fprintf(picture->out, "<text class='told' x='%.2f' y='%d'>killed in line by now</text>", x + GAP, y + 5);
    } else if (visit->how == VISIT_GAVE_UP) {
        fprintf(picture->out, "<path class='gave-up' d='M%.2f %dv%d'/>", x, y - BAR / 2, BAR);
        if (room >= ROOM_FOR_WORD)
            fprintf(picture->out, "<text class='told' x='%.2f' y='%d'>%s</text>", x + GAP, y + 5,
                    visit->why == WHY_TIMED_OUT ? "its time was over"
                    : visit->why == WHY_NO_SLOT ? "no slot was free"
                                                : "gave up");
    }
}

static void draw_summary(const struct picture *picture, const struct panel *panel)
{
    const struct visits_sum sum = sum_of_visits(panel->visits, panel->visit_count);
    FILE *out = picture->out;
    fprintf(out, "<text class='gate' x='%d' y='%d'>", picture->left, panel->y + 14);
    print_escaped(out, picture->log->gate_names[picture->log->events[panel->from].gate], 24);
    fprintf(out, ", k = %u</text>\n<text class='note' x='%d' y='%d'>%zu came, %u inside at once at most",
            picture->log->events[panel->from].k, picture->left, panel->y + 36, panel->visit_count, sum.most_inside);
    if (sum.killed > 0)
        fprintf(out, ", %u killed inside", sum.killed);
    if (sum.killed_in_line > 0)
        fprintf(out, ", %u killed in line", sum.killed_in_line);
    fprintf(out, "%s</text>\n", sum.in_order ? "; entered in the order in which they came" : "");
}

void draw_visits(const struct picture *picture, const struct panel *panel)
{
    draw_summary(picture, panel);
    for (size_t v = 0; v < panel->visit_count; v++)
        draw_lane(picture, panel, &panel->visits[v]);
    for (size_t v = 0; v < panel->visit_count; v++) {
        fputs("<g>", picture->out);
        draw_tip(picture, &panel->visits[v]);
        draw_waiting(picture, panel, &panel->visits[v]);
        draw_inside(picture, panel, &panel->visits[v]);
        fputs("</g>\n", picture->out);
    }
    for (size_t v = 0; v < panel->visit_count; v++)
        draw_end(picture, panel, &panel->visits[v]);
}

void draw_visits_legend(const struct picture *picture)
{
    enum { Y = TOP_OF_VISITS + 9, X = RIGHT - 462 };
    fprintf(
        picture->out,
        "<rect class='waits' x='%d' y='%d' width='36' height='%d'/><text x='%d' y='%d'>waits</text>\n"
        "<rect class='c0' x='%d' y='%d' width='36' height='18' rx='2'/><text class='t0 middle' x='%d' y='%d'>0</text>"
        "<text x='%d' y='%d'>inside, in the slot of this number</text>\n",
        X, Y - THIN / 2, THIN, X + 44, Y + 5, X + 96, Y - 9, X + 114, Y + 5, X + 140, Y + 5);
    draw_cross(picture, X + 410, Y);
    fprintf(picture->out, "<text x='%d' y='%d'>killed</text>\n", X + 424, Y + 5);
}
