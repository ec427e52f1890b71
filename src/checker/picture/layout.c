/* SPDX-License-Identifier: MIT */
#include "checker/picture/layout.h"

#include "base/die.h"

#include <stdlib.h>

bool has_loop(const struct layout *layout)
{
    const struct trace *trace = layout->picture->trace;
    return trace->loop != NO_LOOP && trace->loop < trace->loop_end && layout->steps >= trace->loop_end;
}

bool ends_in_loop(const struct layout *layout)
{
    return has_loop(layout) && layout->picture->trace->loop_end == layout->picture->trace->count;
}

const char *words_before(const struct layout *layout, size_t step, char *words, size_t size)
{
    const struct trace *trace = layout->picture->trace;
    if (step == layout->hidden_from && layout->hidden_from < layout->hidden_to) {
        snprintf(words, size, "steps %zu to %zu are not drawn", layout->hidden_from + 1, layout->hidden_to);
        return words;
    }
    if (is_hidden(layout, step))
        return NULL;
    const char *loop = loop_begins(trace, step);
    if (loop != NULL)
        return loop;
    if (step == trace->loop_end)
        return "and then";
    return step + 1 == trace->count ? trace->before_last : NULL;
}

static int width_of(size_t letters)
{
    return (int)(letters * LETTER_TENTHS / 10);
}

/* Characters, and not bytes, of what is written with one that is not ASCII. */
static size_t letters_in(const char *text)
{
    size_t letters = 0;
    for (; *text != '\0'; text++)
        letters += (*text & 0xc0) != 0x80;
    return letters;
}

/* The widest text of each process. */
static void measure(const struct layout *layout, int widest[])
{
    const struct picture_of *picture = layout->picture;
    for (unsigned i = 0; i < layout->lanes; i++)
        widest[i] = 64 - BAR;
    for (size_t s = 0; s < layout->steps; s++) {
        char access[WORDS_SIZE];
        const unsigned i = picture->trace->steps[s].process;
        const struct told_step told = tell_step(picture->trace, picture->execution, s);
        describe_access(picture, s, access, sizeof access);
        const int width = width_of(strlen(told.label) + 2 + letters_in(access));
        if (!is_hidden(layout, s) && width > widest[i])
            widest[i] = width;
    }
}

/* What is said in rows of its own stands beside the last lane, where it runs into no other. */
static void make_room_for_words(struct layout *layout)
{
    for (size_t s = 0; s < layout->steps; s++) {
        char words[WORDS_SIZE];
        const char *before = words_before(layout, s, words, sizeof words);
        const int needed =
            layout->text_x[layout->lanes - 1] + width_of(before != NULL ? letters_in(before) : 0) + MARGIN;
        layout->width = layout->width < needed ? needed : layout->width;
    }
}

static void place_lanes(struct layout *layout)
{
    enum { LANE = 86, GAP = 18 };
    int widest[CHECKED_PROCESSES_MAX], all = layout->left, text = 0;
    measure(layout, widest);
    for (unsigned i = 0; i < layout->lanes; i++) {
        all += BAR + 10 + widest[i] + GAP;
        text = widest[i] > text ? widest[i] : text;
    }
    layout->texts_apart = all > ROOM;
    int x = layout->left;
    for (unsigned i = 0; i < layout->lanes; i++) {
        layout->bar_x[i] = x + BAR / 2;
        layout->text_x[i] = x + BAR + 10;
        x += layout->texts_apart ? LANE : BAR + 10 + widest[i] + GAP;
    }
    for (unsigned i = 0; i < layout->lanes && layout->texts_apart; i++)
        layout->text_x[i] = x;
    layout->width = x + (layout->texts_apart ? text : -GAP) + MARGIN;
    layout->width = layout->width < WIDTH_MIN ? WIDTH_MIN : layout->width;
    make_room_for_words(layout);
}

void layout_open(struct layout *layout, const struct picture_of *picture)
{
    layout->picture = picture;
    layout->width = WIDTH_MIN;
    if (picture->trace == NULL || picture->execution->count == 0)
        return;
    layout->lanes = processes_of(picture->setting);
    layout->steps = picture->execution->count - 1;
    if (layout->steps > STEPS_DRAWN) {
        layout->hidden_from = FIRST_STEPS_DRAWN;
        layout->hidden_to = layout->steps - (STEPS_DRAWN - FIRST_STEPS_DRAWN);
    }
    layout->left = MARGIN + (has_loop(layout) ? GUTTER : 0) + NUMBERS;
    place_lanes(layout);
}

void layout_rows(struct layout *layout, int top)
{
    int y = top;
    layout->top = top;
    layout->y = must_allocate((layout->steps + 1) * sizeof *layout->y);
    for (size_t s = 0; s < layout->steps; s++) {
        char words[WORDS_SIZE];
        if (words_before(layout, s, words, sizeof words) != NULL)
            y += ROW;
        y += is_hidden(layout, s) ? 0 : ROW;
        layout->y[s] = y;
    }
    layout->bottom = y + ROW;
    layout->height = layout->bottom;
}

void layout_close(struct layout *layout)
{
    free(layout->y);
}
