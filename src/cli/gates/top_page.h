/* SPDX-License-Identifier: MIT
 *
 * top_page.h - the page that `admit top` shows, row by row; on what, it does not know.
 *
 *   a title        what is watched, which rows are seen, the time
 *   the gates      each as `admit status` prints it: more than has room is scrolled
 *   what happened  the last lines of it, if there are rows enough
 *   the keys       the same
 */
#ifndef ADMIT_CLI_GATES_TOP_PAGE_H
#define ADMIT_CLI_GATES_TOP_PAGE_H

#include "cli/gates/top_past.h"

/* How a row looks where the terminal can; nothing is told by that alone. */
enum row_style { ROW_PLAIN, ROW_TITLE, ROW_HEADING, ROW_GATE, ROW_ILL, ROW_HARM, ROW_KEYS };

enum page_key {
    PAGE_NO_KEY, /* none was pressed */
    PAGE_OTHER_KEY,
    PAGE_UP_ROW,
    PAGE_DOWN_ROW,
    PAGE_UP_SCREEN,
    PAGE_DOWN_SCREEN,
    PAGE_FIRST,
    PAGE_LAST,
    PAGE_NEXT_GATE,
    PAGE_PREVIOUS_GATE,
    PAGE_ALONE, /* only the gate that is chosen, or all again */
    PAGE_PAUSE,
    PAGE_HELP,
    PAGE_QUIT,
    PAGE_REDRAW
};

struct page {
    const struct watch *watch;
    unsigned width, height;
    unsigned scroll; /* rows of the gates above the first that is seen */
    char *chosen;    /* a gate; NULL: none yet */
    unsigned at;     /* where it is among those that are watched */
    bool is_alone, is_paused, shows_help;
    struct past_lines past;
};

void page_press(struct page *page, enum page_key key);

/* Puts each row, from the top to the bottom; none is wider than the page. */
typedef void put_row(void *context, unsigned y, enum row_style style, const char *text);
void page_draw(struct page *page, put_row *put, void *context);

void page_close(struct page *page);

#endif
