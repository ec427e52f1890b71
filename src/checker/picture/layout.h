/* SPDX-License-Identifier: MIT
 *
 * layout.h - where in the picture what is. Time runs down, a row a step; a lane is a column. As long as there is room, each
 * lane has its own texts beside its bar; otherwise the bars stand close together, and all texts beside the last.
 */
#ifndef ADMIT_CHECKER_PICTURE_LAYOUT_H
#define ADMIT_CHECKER_PICTURE_LAYOUT_H

#include "checker/picture/picture.h"

/* In pixels. A letter of the texts is so wide in the widest of the usual fonts. */
enum { MARGIN = 16, ROW = 24, BAR = 14, GUTTER = 22, NUMBERS = 34, LETTER_TENTHS = 73, ROOM = 980, WIDTH_MIN = 620 };

struct layout {
    const struct picture_of *picture;
    FILE *out;
    unsigned lanes;
    int bar_x[CHECKED_PROCESSES_MAX], text_x[CHECKED_PROCESSES_MAX];
    bool texts_apart; /* beside the last lane */
    int left, width;
    size_t steps;                  /* that could be executed */
    size_t hidden_from, hidden_to; /* steps that are not drawn */
    int *y;                        /* of each step; of a hidden one where the gap is */
    int top, bottom, height;       /* of the bars; of the picture */
};

/* `top` is where the rows begin, below all headings. */
void layout_open(struct layout *layout, const struct picture_of *picture);
void layout_rows(struct layout *layout, int top);
void layout_close(struct layout *layout);

/* What is said in a row of its own before the step; NULL: nothing. */
const char *words_before(const struct layout *layout, size_t step, char *words, size_t size);
bool has_loop(const struct layout *layout);
bool ends_in_loop(const struct layout *layout);

static inline bool is_hidden(const struct layout *layout, size_t step)
{
    return step >= layout->hidden_from && step < layout->hidden_to;
}

/* Where a moment begins: where the step that leads to it is. */
static inline int moment_y(const struct layout *layout, size_t moment)
{
    return moment == 0 ? layout->top : layout->y[moment - 1];
}

#endif
