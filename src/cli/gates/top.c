/* SPDX-License-Identifier: MIT
 *
 * admit top - what happens at the gates, on a whole terminal.
 */
#include "cli/gates/gates.h"
#include "cli/gates/top_page.h"
#include "cli/gates/top_screen.h"
#include "cli/gates/watch.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit top [GATE]...\n"
    "\n"
    "Shows who is inside GATE and who waits there, as 'admit status' does, and what happens meanwhile, until q is "
    "pressed.\n"
    "Without GATE: all gates that 'admit list' names, those too that are made later. It looks five times a second, "
    "less\n"
    "often if that takes long, and changes nothing at a gate.\n"
    "\n"
    "  j k, arrows          scroll by a row; Page Up, Page Down, Home, End\n"
    "  Tab, right; left     choose the next gate; the one before\n"
    "  Enter                the chosen gate alone, or all again\n"
    "  p, space             stop looking, and go on\n"
    "  h, ?                 help\n"
    "  q, Ctrl-C            quit\n"
    "\n"
    "Where there is no screen (a pipe, TERM=dumb) it prints lines, as 'admit status --watch' does. NO_COLOR is "
    "honoured.\n";

static int64_t now_ms(void)
{
    const struct timespec now = in_future(0);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

struct top {
    struct watch watch;
    struct page page;
    bool is_other; /* than what is drawn */
};

static void note(void *context, const struct watched *watched, const struct change *change, int64_t at)
{
    struct top *top = context;
    past_note(&top->page.past, &top->watch, watched, change, at);
}

static void looked(void *context, const struct watched *watched, bool is_other, int64_t at)
{
    struct top *top = context;
    (void)watched, (void)at;
    top->is_other |= is_other;
}

static void draw(struct top *top)
{
    screen_size(&top->page.width, &top->page.height);
    page_draw(&top->page, screen_put, NULL);
    screen_show();
    top->is_other = false;
}

/* Looks when it is time, and draws when there is something else to see: for how long, each second. */
static void watch_on_screen(struct top *top)
{
    int64_t look_at = now_ms() + watch_pause(&top->watch);
    time_t drawn = 0;
    for (enum page_key key = PAGE_REDRAW; key != PAGE_QUIT;) {
        int64_t rest = look_at - now_ms();
        if (rest <= 0 && !top->page.is_paused) {
            watch_look(&top->watch);
            rest = watch_pause(&top->watch);
            look_at = now_ms() + rest;
        }
        page_press(&top->page, key);
        if (key != PAGE_NO_KEY || top->is_other || time(NULL) != drawn)
            draw(top);
        drawn = time(NULL);
        key = screen_key(rest > 0 ? (int)rest : 1000);
    }
}

int command_top(int argc, char **argv)
{
    static struct top top;
    struct arguments arguments = {
        .command = "top", .argc = argc, .argv = argv, .plain_max = INT_MAX, .dashes_end_options = true};
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (!is_option(option, "-h", "--help"))
            no_such_option("top", option, help_text);
        fputs(help_text, stdout);
        return EXIT_OK;
    }
    watch_begin(&top.watch, "top", argv, (unsigned)arguments.plain_count);
    if (!isatty(STDOUT_FILENO))
        return watch_in_lines(&top.watch, false);
    const char *why_not = screen_open();
    if (why_not != NULL) {
        fprintf(stderr, "admit top: %s: so it prints lines\n", why_not);
        return watch_in_lines(&top.watch, false);
    }
    top.page.watch = &top.watch;
    top.watch.note = note;
    top.watch.looked = looked;
    top.watch.context = &top;
    watch_on_screen(&top);
    screen_close();
    page_close(&top.page);
    watch_close(&top.watch);
    return EXIT_OK;
}
