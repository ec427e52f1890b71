/* SPDX-License-Identifier: MIT
 *
 * svg.c - a run as a picture. It has no scripts and needs nothing from elsewhere, so that it can be shown wherever pictures
 * can. Where a process is can be told by colour, by pattern and by sign; what a step does by the form of its mark.
 */
#include "checker/picture/layout.h"

#include "base/die.h"
#include "markup/escaped.h"

#include <stdlib.h>
#include <string.h>

/* Colours by Okabe and Ito, which differ for nearly everybody's eyes; plain ones, since not all that draws knows variables. */
static const char style[] =
    "<style>\n"
    ".run text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace}\n"
    ".run .title{font:600 17px system-ui,sans-serif}.run .note{font:13px system-ui,sans-serif}"
    ".run .head{font:600 12px system-ui,sans-serif}\n"
    ".run .nr{text-anchor:end}.run .say{font:italic 12px system-ui,sans-serif}.run .alarm,.run "
    ".wrong{font-weight:600}\n"
    ".run .sign{font-size:10px;font-weight:700;text-anchor:middle}"
    ".run .sign,.run .say{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}\n"
    ".run .grid,.run .lead,.run .loop,.run .band,.run .gone,.run .open{fill:none}.run .lead{stroke-dasharray:1 3}\n"
    ".run .loop,.run .gone{stroke-width:1.5}.run .gone{stroke-dasharray:3 3}"
    ".run .band{stroke-width:2}.run .open{stroke-width:3}\n"
    ".run .way{fill:url(#way)}.run .wait{fill:url(#wait)}.run .out{fill:url(#out)}.run .odd{fill:url(#odd)}\n"
    ".p-way{fill:#56b4e9}.p-wait{fill:#e69f00}.run .in{fill:#0072b2}.p-out{fill:#009e73}.p-odd{fill:#cc79a7}\n"
    ".p-line{stroke-width:2;stroke:#fff}.p-dot{fill:#fff}.m-dot{fill:#fff;stroke:#1b1b1b;stroke-width:2}\n"
    ".m-block{fill:#1b1b1b;stroke:#fff;stroke-width:1.5}.m-cross{stroke:#d55e00;stroke-width:3}"
    ".m-halo{stroke:#fff;stroke-width:6}\n"
    ".run text,.run .arrow,.m-pupil{fill:#1b1b1b}.run .loop,.run .gone,.run .open{stroke:#1b1b1b}\n"
    ".run .nr,.run .label,.run .note{fill:#595959}.run .rest{fill:#b0b0b0}.run .grid,.run .lead{stroke:#d0d0d0}\n"
    ".run .paper,.run .in.sign{fill:#fff}.run .sign,.run .say{stroke:#fff}.run .in.sign{stroke:none}\n"
    ".run .tint{fill:#f1f0f8}.run .alarm,.run .wrong{fill:#b84000}.run .band{stroke:#d55e00}\n"
    "@media(prefers-color-scheme:dark){\n"
    ".p-line{stroke:#16181c}.p-dot{fill:#16181c}.m-dot{fill:#16181c;stroke:#e8e8e8}"
    ".m-block{fill:#e8e8e8;stroke:#16181c}.m-cross{stroke:#f07a2a}.m-halo{stroke:#16181c}\n"
    ".run text,.run .arrow,.m-pupil{fill:#e8e8e8}.run .loop,.run .gone,.run .open{stroke:#e8e8e8}\n"
    ".run .nr,.run .label,.run .note{fill:#a8a8a8}.run .rest{fill:#6b6f76}.run .grid,.run .lead{stroke:#3f444c}\n"
    ".run .paper{fill:#16181c}.run .sign,.run .say{stroke:#16181c}.run .tint{fill:#23222e}"
    ".run .alarm,.run .wrong{fill:#ff9455}.run .band{stroke:#f07a2a}\n"
    ".run .in{fill:#3d9ad6}.run .in.sign{fill:#0c0d10;stroke:none}\n"
    "}\n"
    "</style>\n";

static const char definitions[] =
    "<defs>\n"
    "<pattern id='way' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
    "<rect class='p-way' width='6' height='6'/><path class='p-line' d='M1 0v6'/></pattern>\n"
    "<pattern id='wait' width='7' height='7' patternUnits='userSpaceOnUse'><rect class='p-wait' width='7' height='7'/>"
    "<circle class='p-dot' cx='3.5' cy='3.5' r='1.3'/></pattern>\n"
    "<pattern id='out' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(-45)'>"
    "<rect class='p-out' width='6' height='6'/><path class='p-line' d='M1 0v6'/></pattern>\n"
    "<pattern id='odd' width='7' height='7' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
    "<rect class='p-odd' width='7' height='7'/><path class='p-line' d='M1 0v7M0 1h7'/></pattern>\n"
    "<circle id='reads' class='m-dot' r='4.5'/>\n"
    "<g id='reads-amid'><circle class='m-dot' r='6'/><circle class='m-pupil' r='2'/></g>\n"
    "<rect id='writes' class='m-block' x='-6' y='-6' width='12' height='12'/>\n"
    "<rect id='begins' class='m-dot' x='-5' y='-5' width='10' height='10'/>\n"
    "<path id='updates' class='m-block' d='M0 -8L8 0L0 8L-8 0z'/>\n"
    "<path id='writes-not' class='m-dot' d='M0 -6.5L6.5 0L0 6.5L-6.5 0z'/>\n"
    "<path id='kernel' class='m-block' d='M0 -8L8 6H-8z'/>\n"
    "<g id='wrong'><path class='m-halo' d='M-6 -6L6 6M6 -6L-6 6'/><path class='m-cross' d='M-6 -6L6 6M6 -6L-6 "
    "6'/></g>\n"
    "</defs>\n";

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
        y = draw_words(layout, "note", words, y + 3, 72);
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
            y + ROW / 2, layout->width - MARGIN, layout->text_x[0], y + 4);
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
    const int from = layout->y[trace->loop], to = layout->y[trace->loop_end - 1], x = MARGIN;
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
    fprintf(out, "%s%s<rect class='paper' width='%d' height='%d'/>\n", style, definitions, layout.width, layout.height);
    fwrite(body, 1, size, out);
    fputs("</svg>\n", out);
    free(body);
    layout_close(&layout);
}
