/* SPDX-License-Identifier: MIT
 *
 * top_screen.h - a whole terminal for `admit top`, by ncurses, and the way back from it.
 */
#ifndef ADMIT_CLI_GATES_TOP_SCREEN_H
#define ADMIT_CLI_GATES_TOP_SCREEN_H

#include "cli/gates/top_page.h"

/* NULL: it is open; else why it cannot be. Standard output must be a terminal. From now on, whatever ends the process that can
 * be caught leaves the terminal as it was. */
const char *screen_open(void);
void screen_close(void);

void screen_size(unsigned *width, unsigned *height);

/* A put_row of top_page.h; what has been put is seen from screen_show on. */
void screen_put(void *context, unsigned y, enum row_style style, const char *text);
void screen_show(void);

/* Waits as long for a key, or for another size; PAGE_QUIT also if the terminal has gone away. */
enum page_key screen_key(int milliseconds);

#endif
