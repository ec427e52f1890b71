/* SPDX-License-Identifier: MIT
 *
 * The picture of a log: for each gate a lane per slot, and below them how long the line was; all over the same time.
 *
 * It stays small, however long the log: each stay is a rectangle that says who it was as long as they are few. If they
 * are many, a lane has for each column the colour that was there longest, the fainter the less of the time it was used.
 * If there are too many slots for lanes, only how many were used is drawn.
 */
#include "cli/gates/gates.h"
#include "cli/gates/picture.h"
#include "cli/gates/report.h"
#include "cli/gates/time_axis.h"
#include "cli/whole_file.h"
#include "markup/escaped.h"

#include "base/die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double x_of(const struct picture *picture, int64_t time)
{
    return picture->left +
           (double)(RIGHT - picture->left) * (double)(time - picture->from) / (double)(picture->to - picture->from);
}

/* --- what is drawn, and where ----------------------------------------------------------------------------------------- */

static void measure(struct panel *panel, const struct log *log)
{
    for (size_t e = panel->from; e < panel->from + panel->count; e++) {
        const struct event *event = &log->events[e];
        const bool has_slot = event->event == LOG_ENTER || event->event == LOG_EXIT;
        panel->slots = event->k > panel->slots ? event->k : panel->slots;
        panel->slots = has_slot && event->slot >= panel->slots ? event->slot + 1u : panel->slots;
        panel->stays += event->event == LOG_ENTER;
    }
}

/* They are few at all gates together. */
static bool find_visits_of_all(struct picture *picture)
{
    struct visit visits[VISITS_MAX];
    size_t all = 0;
    for (unsigned p = 0; p < picture->drawn; p++) {
        struct panel *panel = &picture->panels[p];
        panel->visit_count = find_visits(picture->log, picture->log->events + panel->from, panel->count, visits);
        panel->visits = must_allocate(panel->visit_count * sizeof *visits);
        memcpy(panel->visits, visits, panel->visit_count * sizeof *visits);
        all += panel->visit_count;
        if (panel->visit_count == 0 || all > VISITS_MAX)
            return false;
    }
    return picture->drawn == picture->gates;
}

static void lay_out_panels(struct picture *picture)
{
    unsigned lanes_left = LANES_MAX;
    int y = picture->top;
    for (unsigned p = 0; p < picture->drawn; p++) {
        struct panel *panel = &picture->panels[p];
        panel->y = y;
        panel->lanes = panel->slots <= lanes_left ? panel->slots : 0;
        lanes_left -= panel->lanes;
        panel->height =
            picture->each_visit ? visits_height(panel) : HEADING + lanes_height(panel) + LINE_GAP + LINE_HEIGHT;
        y += panel->height + PANEL_GAP;
    }
    picture->height = y + (picture->each_visit ? AXIS_OF_VISITS - PANEL_GAP / 2 : AXIS);
}

static void lay_out(struct picture *picture)
{
    size_t stays = 0;
    for (size_t at = 0, count; at < picture->log->count; at += count, picture->gates++) {
        count = events_of_gate(picture->log, at);
        if (picture->gates >= GATES_MAX)
            continue;
        struct panel *panel = &picture->panels[picture->drawn++];
        *panel = (struct panel){.from = at, .count = count};
        measure(panel, picture->log);
        stays += panel->stays;
        const struct event *first = &picture->log->events[at], *last = first + count - 1;
        picture->from = picture->drawn == 1 || first->time < picture->from ? first->time : picture->from;
        picture->to = picture->drawn == 1 || last->time > picture->to ? last->time : picture->to;
    }
    if (picture->to <= picture->from)
        picture->to = picture->from + 1;
    picture->each_stay = stays <= STAYS_MAX;
    picture->each_visit = find_visits_of_all(picture);
    picture->left = picture->each_visit ? LEFT_OF_VISITS : LEFT;
    picture->top = picture->each_visit ? TOP_OF_VISITS : TOP;
    lay_out_panels(picture);
}

/* The colours are the same at all gates. By user if there are several; else by command. */
static void choose_colours(struct picture *picture)
{
    const struct log *log = picture->log;
    picture->by_user = log->users.count > 1;
    picture->named = largest_shares(log, picture->by_user, picture->largest, NAMED);
}

/* --- areas ------------------------------------------------------------------------------------------------------------ */

/* Over all columns, from a base line up; `height` is that of the largest value. */
static void draw_area(FILE *out, const char *class, const double *values, double most, int base, int height)
{
    fprintf(out, "<path class='%s' d='M%d %d", class, LEFT, base);
    double last = 0;
    for (unsigned c = 0; c < COLUMNS; c++)
        if (values[c] != last) {
            last = values[c];
            fprintf(out, "H%uV%.1f", LEFT + c, base - height * (last < most ? last : most) / most);
        }
    fprintf(out, "H%dV%dz'/>\n", RIGHT, base);
}

static void draw_side(FILE *out, const char *what, unsigned most, int base, int height)
{
    fprintf(out, "<text class='end note' x='%d' y='%d'>%u</text>", LEFT - 8, base - height + 9, most);
    fprintf(out, "<text class='end note' x='%d' y='%d'>%s</text>\n", LEFT - 8, base, what);
    fprintf(out, "<path class='grid' d='M%d %dH%d'/>\n", LEFT, base, RIGHT);
}

static void draw_areas(const struct picture *picture, const struct panel *panel, const struct reckoning *r)
{
    struct over_time over;
    double line[COLUMNS];
    spread_over_time(&over, r, picture->from, picture->to, COLUMNS);
    if (panel->lanes == 0) {
        const int base = panel->y + HEADING + USE_HEIGHT;
        draw_area(picture->out, "lane", over.offered, panel->slots, base, USE_HEIGHT);
        draw_area(picture->out, "line", over.used, panel->slots, base, USE_HEIGHT);
        draw_side(picture->out, "inside", panel->slots, base, USE_HEIGHT);
    }
    const int base = panel->y + panel->height;
    for (unsigned c = 0; c < COLUMNS; c++)
        line[c] = over.line[c];
    if (r->longest_line > 0) {
        draw_area(picture->out, "line", line, r->longest_line, base, LINE_HEIGHT);
        draw_side(picture->out, "waiting", r->longest_line, base, LINE_HEIGHT);
    } else {
        fprintf(picture->out, "<text class='note' x='%d' y='%d'>nobody waited</text>\n", LEFT, base);
    }
    over_time_free(&over);
}

static void draw_heading(const struct picture *picture, const struct panel *panel, const struct reckoning *r)
{
    char p50[32], p99[32];
    fprintf(picture->out, "<text class='gate' x='%d' y='%d'>", LEFT, panel->y + 14);
    print_escaped(picture->out, r->name, 60);
    fprintf(picture->out, "</text>\n<text class='note' x='%d' y='%d'>%llu entered; waits p50 %s, p99 %s", LEFT,
            panel->y + 31, (unsigned long long)r->entered, span_for_people(r->waits.p50, p50),
            span_for_people(r->waits.p99, p99));
    if (r->offered > 0)
        fprintf(picture->out, "; %.0f %% of the slots used", 100 * r->used / r->offered);
    if (r->short_of > 0)
        fprintf(picture->out, "; %.0f %% of the time all busy and somebody waiting",
                100 * (double)r->short_of / (double)(r->last - r->first));
    if (r->tokens_entered > 0)
        fprintf(picture->out, "; %llu token%s of builds", (unsigned long long)r->tokens_entered,
                r->tokens_entered == 1 ? "" : "s");
    if (r->recovered > 0)
        fprintf(picture->out, "; %llu recovered", (unsigned long long)r->recovered);
    fputs("</text>\n", picture->out);
}

/* --- the whole -------------------------------------------------------------------------------------------------------- */

static const char style[] =
    "<style>\n"
    "text{font:12px system-ui,sans-serif;fill:#1b1b1b}.title{font-size:16px;font-weight:600}\n"
    ".gate{font-size:14px;font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}\n"
    ".gate,.note{paint-order:stroke;stroke:#fff;stroke-width:3px}.note{fill:#5a5a5a;font-size:11px}.paper{fill:#fff}."
    "lane{fill:#ececec}.grid{stroke:#d5d5d5;fill:none}\n"
    ".line{fill:#7d7d7d}.c0{fill:#0072b2}.c1{fill:#e69f00}.c2{fill:#009e73}.c3{fill:#cc79a7}.c4{fill:#56b4e9}\n"
    ".c5{fill:#d55e00}.c6{fill:#8a8a8a}.c7{fill:url(#unknown)}.hatch{stroke:#444;stroke-width:2}.rain{stroke:#8a8a8a;"
    "stroke-width:1.5}\n"
    ".waits{fill:url(#waits);stroke:#8a8a8a}.kill{fill:#b3261e}.cross{stroke:#fff;stroke-width:2.5;fill:none}\n"
    ".goes{stroke:#b3261e;stroke-width:2;stroke-dasharray:4 3;fill:none}.gave-up{stroke:#5a5a5a;stroke-width:2}\n"
    ".visits text{font-size:14px}.visits .gate{font-size:18px}.visits "
    ".note{font-size:13px}.pid{fill:#767676;font-size:12px}.told{paint-order:stroke;stroke:#fff;stroke-width:4px}.t0,."
    "t2,.t5{fill:#fff}\n"
    ".t1,.t3,.t4{fill:#000}.o0{opacity:.3}.o1{opacity:.5}.o2{opacity:.75}\n"
    "@media(prefers-color-scheme:dark){text{fill:#ececec}.note{fill:#a8a8a8}.gate,.note{stroke:#16181c}.paper{fill:#"
    "16181c}.lane{fill:#2a2d33}\n"
    ".waits{stroke:#9a9a9a}.kill{fill:#ff6b5e}.cross{stroke:#16181c}.goes{stroke:#ff6b5e}.gave-up{stroke:#a8a8a8}\n"
    ".pid{fill:#9a9a9a}.told{stroke:#16181c}.t0,.t2,.t5{fill:#000}.c2{fill:#1fbf8f}.c5{fill:#f08040}\n"
    ".grid{stroke:#3a3e45}.line{fill:#9a9a9a}.c0{fill:#3d9ad6}.hatch{stroke:#c8c8c8}}\n"
    "</style>\n"
    "<defs><pattern id='unknown' width='5' height='5' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
    "<path class='hatch' d='M1 0v5'/></pattern>\n"
    "<pattern id='waits' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
    "<path class='rain' d='M1 0v6'/></pattern></defs>\n";

static void draw_legend(const struct picture *picture)
{
    const struct names *names = picture->by_user ? &picture->log->users : &picture->log->programs;
    int x = LEFT;
    for (int colour = 0; colour < COLOURS; colour++) {
        if (!picture->seen[colour])
            continue;
        const char *name = colour == OTHERS        ? "others"
                           : colour == UNKNOWN_END ? "exit not told"
                                                   : name_of(names, picture->largest[colour].number);
        fprintf(picture->out, "<rect class='c%d' x='%d' y='46' width='11' height='11'/><text x='%d' y='56'>", colour, x,
                x + 16);
        print_escaped(picture->out, name == NULL ? "others" : name[0] == '\0' ? "unnamed" : name, 13);
        fputs("</text>\n", picture->out);
        x += COLUMNS / COLOURS;
    }
}

static void draw_description(const struct picture *picture)
{
    char from[32], to[32];
    FILE *out = picture->out;
    fprintf(out, "<title id='title'>%s, %s to %s</title>\n<desc id='about'>",
            picture->each_visit ? "Who waited and who was inside" : "Use of slots",
            date_for_people(picture->from, from), date_for_people(picture->to, to));
    if (picture->each_visit)
        fputs("For each process that came a lane, in the order in which they came: how long it waited, and in which "
              "slot it "
              "was how long.",
              out);
    else
        fprintf(out, "For each gate a lane per slot, coloured by %s, and below them how many waited.",
                picture->by_user ? "user" : "command");
    for (unsigned p = 0; p < picture->drawn; p++) {
        fputs(p == 0 ? " Gates: " : ", ", out);
        print_escaped(out, picture->log->gate_names[picture->log->events[picture->panels[p].from].gate], 60);
    }
    fputs(".</desc>\n", out);
}

static void draw_head(const struct picture *picture)
{
    char span[32];
    FILE *out = picture->out;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' role='img' "
            "aria-labelledby='title about'>\n",
            WIDTH, picture->height, WIDTH, picture->height);
    draw_description(picture);
    fprintf(out, "%s<rect class='paper' width='%d' height='%d'/>\n", style, WIDTH, picture->height);
    if (picture->each_visit) {
        fputs("<g class='visits'>\n", out);
        return;
    }
    fprintf(out, "<text class='title' x='%d' y='28'>Use of slots by %s, %s", LEFT,
            picture->by_user ? "user" : "command", span_for_people(picture->to - picture->from, span));
    if (picture->gates > picture->drawn)
        fprintf(out, "; %u of %u gates", picture->drawn, picture->gates);
    fputs("</text>\n", out);
}

static void draw_panel(const struct picture *picture, const struct panel *panel)
{
    struct reckoning reckoning;
    if (picture->each_visit) {
        draw_visits(picture, panel);
        return;
    }
    reckon(&reckoning, picture->log, picture->log->events + panel->from, panel->count);
    draw_heading(picture, panel, &reckoning);
    if (panel->lanes > 0)
        draw_lanes(picture, panel, &reckoning);
    draw_areas(picture, panel, &reckoning);
    reckoning_free(&reckoning);
}

bool draw_log(const struct log *log, const char *file)
{
    bool seen[COLOURS] = {false};
    struct picture picture = {.log = log, .seen = seen};
    char *text;
    size_t size;
    picture.out = open_memstream(&text, &size);
    if (picture.out == NULL)
        die("there is no memory left for the picture");
    lay_out(&picture);
    choose_colours(&picture);
    draw_head(&picture);
    draw_time_axis(picture.out, picture.from, picture.to,
                   &(struct axis_place){.left = picture.left,
                                        .right = RIGHT,
                                        .top = picture.top + (picture.each_visit ? HEADING_OF_VISITS : 0),
                                        .bottom = picture.height - (picture.each_visit ? AXIS_OF_VISITS : AXIS),
                                        .from_zero = picture.each_visit});
    for (unsigned p = 0; p < picture.drawn; p++)
        draw_panel(&picture, &picture.panels[p]);
    if (picture.each_visit) {
        draw_visits_legend(&picture);
        fputs("</g>\n", picture.out);
    } else {
        draw_legend(&picture);
    }
    fputs("</svg>\n", picture.out);
    if (fclose(picture.out) != 0)
        die("there is no memory left for the picture");
    const bool written = write_whole_file("report", file, text, size);
    free(text);
    for (unsigned p = 0; p < picture.drawn; p++)
        free(picture.panels[p].visits);
    return written;
}
