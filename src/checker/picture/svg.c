/* SPDX-License-Identifier: MIT
 *
 * svg.c - a run as a picture. It has no scripts and needs nothing from elsewhere, so that it can be shown wherever pictures
 * can. Where a process is can be told by colour, by pattern and by sign; what a step does by the form of its mark. The
 * colours, in svg.css, are those of Okabe and Ito, which differ for nearly everybody's eyes; without variables, since not
 * all that draws knows them. The patterns and marks are in svg.defs.
 */
#include "checker/picture/layout.h"
#include "checker/picture/texts.h"

#include "base/die.h"
#include "markup/escaped.h"

#include <stdlib.h>
#include <string.h>

/* In the order of section_words. */
static const char *const bar_class[SECTION_SIGNS] = {"rest", "way", "wait", "in", "out", "odd", "gone"};

/* By kind of step; and one that could have written, and has not. */
enum { WRITES_NOT = STEP_KINDS, MARKS };

static const struct {
    const char *id, *words;
} mark[MARKS] = {
    [STEP_READS] = {"reads", "reads"},
    [STEP_READS_AMID_WRITE] = {"reads-amid", "reads during a write"},
    [STEP_WRITES] = {"writes", "writes"},
    [STEP_BEGINS_WRITE] = {"begins", "begins to write"},
    [STEP_ENDS_WRITE] = {"writes", "writes"},
    [STEP_UPDATES] = {"updates", "reads and writes at once"},
    [WRITES_NOT] = {"writes-not", "the same, and changes nothing"},
    [STEP_OF_KERNEL] = {"kernel", "the kernel acts"},
    [STEP_GOES_WRONG] = {"wrong", "a fault"},
};

/* --- headings --------------------------------------------------------------------------------------------------------- */

/* As many lines as it takes; returns where the next would be. */
static int draw_words(const struct layout *layout, const char *class, const char *words, int y, int letter_tenths)
{
    const int line_height = letter_tenths * 5 / 2 / 10 + 1;
    const size_t most = (size_t)((layout->width - 2 * MARGIN) * 10 / letter_tenths);
    while (*words != '\0') {
        char line[WORDS_SIZE];
        size_t length = strlen(words);
        if (length > most) {
            for (length = most; length > 0 && words[length] != ' '; length--)
                ;
            length = length > 0 ? length : most;
        }
        snprintf(line, sizeof line, "%.*s", (int)length, words);
        fprintf(layout->out, "<text class='%s' x='%d' y='%d'>", class, MARGIN, y);
        print_escaped(layout->out, line, WORDS_SIZE);
        fputs("</text>\n", layout->out);
        words += length;
        words += strspn(words, " ");
        y += line_height;
    }
    return y;
}

/* What the registers hold at the start, if the run says so: those that are not 0. */
static int draw_start(const struct layout *layout, int y)
{
    const struct picture_of *picture = layout->picture;
    const struct instance *instance = &picture->execution->model.instance;
    char words[4 * WORDS_SIZE] = "";
    if (picture->trace->start.values == NULL)
        return y;
    for (unsigned r = 0; r < instance->reg_count; r++) {
        char name[64], value[128];
        if (picture->trace->start.values[r] == 0)
            continue;
        register_name(instance, r, name, sizeof name);
        describe_value(instance, r, picture->trace->start.values[r], value, sizeof value);
        const size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%s = %s", used > 0 ? ", " : "At the start ", name, value);
    }
    return draw_words(layout, "note", words[0] != '\0' ? words : "At the start all registers are 0", y, 72);
}

static int draw_headings(const struct layout *layout)
{
    const struct picture_of *picture = layout->picture;
    char words[WORDS_SIZE];
    int y = MARGIN;
    if (!picture->is_within_page) {
        picture_title(picture, words, sizeof words);
        y = draw_words(layout, "title", words, 30, 100);
        picture_setting(picture->setting, words, sizeof words);
        y = draw_words(layout, "note", words, y, 72);
        if (picture->trace != NULL)
            y = draw_words(layout, "note", picture->trace->what, y, 72);
        if (picture->remark != NULL)
            y = draw_words(layout, "note", picture->remark, y, 72);
    }
    if (layout->lanes > 0)
        y = draw_start(layout, y);
    return y;
}

static void draw_lane_heads(const struct layout *layout, int y)
{
    const struct setting *setting = layout->picture->setting;
    for (unsigned i = 0; i < layout->lanes; i++)
        fprintf(layout->out, "<text class='head' x='%d' y='%d'>%s %u</text>\n", layout->bar_x[i] - BAR / 2, y,
                kind_of_process(setting, i), number_of_process(setting, i));
}

/* --- bars ----------------------------------------------------------------------------------------------------------- */

static void draw_bar(const struct layout *layout, int x, int from, int to, unsigned section)
{
    const int width = section == 0 ? 2 : section_words[section].sign == '#' ? BAR + 4 : BAR - 2;
    fprintf(layout->out, "<rect class='%s' x='%d' y='%d' width='%d' height='%d'/>", bar_class[section], x - width / 2,
            from, width, to - from);
    if (section > 0 && to - from >= ROW)
        fprintf(layout->out, "<text class='sign%s' x='%d' y='%d'>%c</text>",
                section_words[section].sign == '#' ? " in" : "", x, from + ROW / 2 + 4, section_words[section].sign);
    fputc('\n', layout->out);
}

static void draw_bars(const struct layout *layout, unsigned i, unsigned *seen)
{
    for (size_t m = 0, next; m <= layout->steps; m = next) {
        const unsigned section = section_words_at(layout->picture, m, i);
        for (next = m + 1; next <= layout->steps && section_words_at(layout->picture, next, i) == section; next++)
            ;
        const int from = moment_y(layout, m), to = next <= layout->steps ? moment_y(layout, next) : layout->bottom;
        if (from == to)
            continue; /* all of it is hidden */
        draw_bar(layout, layout->bar_x[i], from, to, section);
        *seen |= 1u << section;
    }
}

/* A write that is under way, beside the bar. One that never ends goes on to the end. */
static void draw_open_writes(const struct layout *layout, unsigned i)
{
    const struct moment *moments = layout->picture->execution->moments;
    for (size_t m = 0, next; m <= layout->steps; m = next) {
        const bool open = moments[m].process[i].writing != 0;
        for (next = m + 1; next <= layout->steps && (moments[next].process[i].writing != 0) == open; next++)
            ;
        const int from = moment_y(layout, m), to = next <= layout->steps ? moment_y(layout, next) : layout->bottom;
        const int x = layout->bar_x[i] + BAR / 2 + 3;
        if (open && from < to)
            fprintf(layout->out, "<path class='open' d='M%d %dH%dV%d%s'/>\n", x - 4, from, x, to,
                    next <= layout->steps ? "h-4" : "");
    }
}

/* --- rows --------------------------------------------------------------------------------------------------------------- */

/* What happens at a store beside the text is marked like a fault. */
static unsigned mark_of(const struct picture_of *picture, size_t s, const struct told_step *told)
{
    if (picture->execution->moments[s + 1].access.beside != NULL)
        return STEP_GOES_WRONG;
    return told->kind == STEP_UPDATES && !told->changes ? (unsigned)WRITES_NOT : (unsigned)told->kind;
}

static void draw_step(const struct layout *layout, size_t s, unsigned *seen)
{
    const struct picture_of *picture = layout->picture;
    const unsigned i = picture->trace->steps[s].process;
    const struct told_step told = tell_step(picture->trace, picture->execution, s);
    const unsigned kind = mark_of(picture, s, &told);
    FILE *out = layout->out;
    char access[WORDS_SIZE];
    describe_access(picture, s, access, sizeof access);
    fprintf(out, "<g id='s%zu' transform='translate(0 %d)'>", s + 1, layout->y[s]);
    fprintf(out, "<rect x='0' y='-%d' width='%d' height='%d' fill='none' pointer-events='all'/>", ROW / 2,
            layout->width, ROW);
    fprintf(out, "<text class='nr' x='%d' y='4'>%zu</text>", layout->left - 12, s + 1);
    fprintf(out, "<use href='#%s' x='%d'/>", mark[kind].id, layout->bar_x[i]);
    fprintf(out, "<text x='%d' y='4'><tspan class='%s'>", layout->text_x[i],
            kind == STEP_GOES_WRONG ? "wrong" : "label");
    print_escaped(out, told.label, WORDS_SIZE);
    fprintf(out, "%s</tspan>", access[0] != '\0' ? ": " : "");
    print_escaped(out, access, WORDS_SIZE);
    fputs("</text></g>\n", out);
    *seen |= 1u << kind;
}

static void draw_row_words(const struct layout *layout, const char *words, int y)
{
    fprintf(layout->out, "<path class='grid' d='M%d %dH%d'/><text class='say' x='%d' y='%d'>", layout->left - 8,
            y + ROW / 2, layout->width - MARGIN, layout->text_x[layout->lanes - 1], y + 4);
    print_escaped(layout->out, words, WORDS_SIZE);
    fputs("</text>\n", layout->out);
}

static void draw_rows(const struct layout *layout, unsigned *seen)
{
    for (size_t s = 0; s < layout->steps; s++) {
        char words[WORDS_SIZE];
        const char *before = words_before(layout, s, words, sizeof words);
        if (before != NULL)
            draw_row_words(layout, before, layout->y[s] - (is_hidden(layout, s) ? 0 : ROW));
        if (!is_hidden(layout, s))
            draw_step(layout, s, seen);
    }
}

/* --- what it shows ------------------------------------------------------------------------------------------------------ */

static void draw_loop_tint(const struct layout *layout)
{
    const struct trace *trace = layout->picture->trace;
    const int from = layout->y[trace->loop] - ROW / 2, to = layout->y[trace->loop_end - 1] + ROW / 2;
    fprintf(layout->out, "<rect class='tint' x='%d' y='%d' width='%d' height='%d'/>\n", MARGIN / 2, from,
            layout->width - MARGIN, to - from);
}

static void draw_loop_arrow(const struct layout *layout)
{
    const struct trace *trace = layout->picture->trace;
    const int apart = trace->loop + 1 == trace->loop_end ? 7 : 0, x = MARGIN;
    const int from = layout->y[trace->loop] - apart, to = layout->y[trace->loop_end - 1] + apart;
    fprintf(layout->out, "<path class='loop' d='M%d %dh-7q-5 0-5-5V%dq0-5 5-5h3'/>", x + 16, to, from + 5);
    fprintf(layout->out, "<path class='arrow' d='M%d %dl-8-4.5v9z'/>\n", x + 18, from);
}

/* The last step is the one after which the property is violated. */
static bool shows_violation(const struct layout *layout)
{
    const struct picture_of *picture = layout->picture;
    return picture->is_shown && picture->trace->property != PROPERTIES && !ends_in_loop(layout) && layout->steps > 0;
}

static void draw_band(const struct layout *layout)
{
    fprintf(layout->out, "<rect class='band' x='%d' y='%d' width='%d' height='%d' rx='4'/>\n", MARGIN / 2,
            layout->y[layout->steps - 1] - ROW / 2, layout->width - MARGIN, ROW);
}

/* From each step to its text, where that is not beside it. */
static void draw_leads(const struct layout *layout)
{
    for (size_t s = 0; s < layout->steps && layout->texts_apart; s++) {
        const unsigned i = layout->picture->trace->steps[s].process;
        if (!is_hidden(layout, s))
            fprintf(layout->out, "<path class='lead' d='M%d %dH%d'/>\n", layout->bar_x[i] + BAR, layout->y[s],
                    layout->text_x[i] - 6);
    }
}

static int draw_end(const struct layout *layout, int y)
{
    const struct picture_of *picture = layout->picture;
    char words[WORDS_SIZE];
    if (ends_in_loop(layout)) {
        snprintf(words, sizeof words, "\u21ba and again from step %zu on, for ever", picture->trace->loop + 1);
    } else if (shows_violation(layout)) {
        snprintf(words, sizeof words, "\u2717 %s", picture->trace->what);
    } else if (layout->steps < picture->trace->count) {
        snprintf(words, sizeof words, "here the run ends: step %zu is not possible", layout->steps + 1);
    } else {
        return y;
    }
    return draw_words(layout, ends_in_loop(layout) ? "say" : "alarm", words, y + 14, LETTER_TENTHS);
}

/* --- the legend --------------------------------------------------------------------------------------------------------- */

/* Where the next sign is to be drawn, with these words beside it: in the next line, if there is no room. */
static int legend_place(const struct layout *layout, int *x, int *y, const char *words)
{
    enum { SIGN = 24, BETWEEN = 22 };
    const int needed = SIGN + (int)strlen(words) * 66 / 10;
    if (*x + needed > layout->width - MARGIN) {
        *x = MARGIN;
        *y += ROW;
    }
    const int at = *x;
    fprintf(layout->out, "<text class='note' x='%d' y='%d'>%s</text>", at + SIGN, *y + 4, words);
    *x += needed + BETWEEN;
    return at + 9;
}

static int draw_legend(const struct layout *layout, unsigned sections, unsigned kinds, int y)
{
    int x = MARGIN;
    for (unsigned s = 0; s < SECTION_SIGNS; s++)
        if (sections >> s & 1) {
            const int at = legend_place(layout, &x, &y, section_words[s].words);
            draw_bar(layout, at, y - ROW / 2, y + ROW / 2, s);
        }
    x = MARGIN;
    y += ROW + 6;
    if (kinds >> STEP_ENDS_WRITE & 1)
        kinds = (kinds & ~(1u << STEP_ENDS_WRITE)) | 1u << STEP_WRITES;
    static const unsigned order[] = {STEP_READS, STEP_READS_AMID_WRITE, STEP_BEGINS_WRITE, STEP_WRITES, STEP_UPDATES,
                                     WRITES_NOT, STEP_OF_KERNEL,        STEP_GOES_WRONG};
    for (unsigned o = 0; o < sizeof order / sizeof *order; o++)
        if (kinds >> order[o] & 1) {
            const int at = legend_place(layout, &x, &y, mark[order[o]].words);
            fprintf(layout->out, "<use href='#%s' x='%d' y='%d'/>\n", mark[order[o]].id, at, y);
        }
    return y;
}

/* --- the whole -------------------------------------------------------------------------------------------------------- */

/* For those who do not see it: what is drawn, in words. */
static void write_description(const struct layout *layout)
{
    const struct picture_of *picture = layout->picture;
    FILE *out = layout->out;
    fputs("<desc id='about'>", out);
    if (layout->lanes == 0)
        fputs("Nothing is drawn.", out);
    else
        fputs("Time runs down; each process has a lane, which shows where it is, and each step a row.", out);
    for (size_t s = 0; s < layout->steps; s++) {
        char words[WORDS_SIZE];
        if (is_hidden(layout, s))
            continue;
        const unsigned i = picture->trace->steps[s].process;
        const char *before = words_before(layout, s, words, sizeof words);
        if (before != NULL) {
            fputs("\n", out);
            print_escaped(out, before, WORDS_SIZE);
            fputs(":", out);
        }
        describe_access(picture, s, words, sizeof words);
        fprintf(out, "\n%zu. %s %u: ", s + 1, kind_of_process(picture->setting, i),
                number_of_process(picture->setting, i));
        print_escaped(out, tell_step(picture->trace, picture->execution, s).label, WORDS_SIZE);
        fputs(words[0] != '\0' ? ": " : "", out);
        print_escaped(out, words, WORDS_SIZE);
        fprintf(out, " (%s)", section_words[section_words_at(picture, s + 1, i)].words);
    }
    fputs("</desc>\n", out);
}

static void write_title(const struct layout *layout)
{
    char words[WORDS_SIZE];
    fputs("<title id='title'>", layout->out);
    picture_title(layout->picture, words, sizeof words);
    print_escaped(layout->out, words, WORDS_SIZE);
    picture_setting(layout->picture->setting, words, sizeof words);
    fputs(", ", layout->out);
    print_escaped(layout->out, words, WORDS_SIZE);
    fputs("</title>\n", layout->out);
}

/* All below the headings. */
static void draw_run(struct layout *layout)
{
    unsigned sections = 0, kinds = 0;
    if (has_loop(layout))
        draw_loop_tint(layout);
    if (shows_violation(layout))
        draw_band(layout);
    draw_leads(layout);
    for (unsigned i = 0; i < layout->lanes; i++)
        draw_bars(layout, i, &sections);
    for (unsigned i = 0; i < layout->lanes; i++)
        draw_open_writes(layout, i);
    draw_rows(layout, &kinds);
    if (has_loop(layout))
        draw_loop_arrow(layout);
    const int y = draw_end(layout, layout->bottom + 8);
    layout->height = draw_legend(layout, sections, kinds, y + 16) + MARGIN + 6;
}

void draw_svg(const struct picture_of *picture, FILE *out)
{
    struct layout layout = {.lanes = 0};
    char *body;
    size_t size;
    layout_open(&layout, picture);
    /* How high it is, is known only in the end. */
    layout.out = must_open_memory(&body, &size);
    const int top = draw_headings(&layout) + 12;
    layout.height = top;
    if (layout.lanes > 0) {
        draw_lane_heads(&layout, top);
        layout_rows(&layout, top + 10);
        draw_run(&layout);
    }
    must_close_memory(layout.out);
    layout.out = out;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' class='run' viewBox='0 0 %d %d' width='%d' height='%d' role='img' "
            "aria-labelledby='title about'>\n",
            layout.width, layout.height, layout.width, layout.height);
    write_title(&layout);
    write_description(&layout);
    fputs("<style>\n", out);
    write_embedded("src/checker/picture/svg.css", out);
    fputs("</style>\n", out);
    write_embedded("src/checker/picture/svg.defs", out);
    fprintf(out, "<rect class='paper' width='%d' height='%d'/>\n", layout.width, layout.height);
    fwrite(body, 1, size, out);
    fputs("</svg>\n", out);
    free(body);
    layout_close(&layout);
}
