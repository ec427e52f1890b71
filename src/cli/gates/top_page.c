/* SPDX-License-Identifier: MIT */
#include "cli/gates/top_page.h"

#include "base/die.h"
#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "cli/gates/view.h"
#include "native/printable.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_LINE = 1024, NARROW = 72, KEYS_FROM = 6, HISTORY_FROM = 10, HISTORY_MOST = 8, HISTORY_SHARE = 4 };

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        die("out of memory");
    return copy;
}

/* --- which gates and rows are seen -------------------------------------------------------------------------------------- */

/* The gate that is chosen, or would have been: it may be gone. */
static void find_chosen(struct page *page)
{
    const struct watch *watch = page->watch;
    page->at = 0;
    while (page->chosen != NULL && page->at + 1 < watch->count &&
           (watch->has_all ? strcmp(watch->gate[page->at]->name, page->chosen) < 0
                           : strcmp(watch->gate[page->at]->name, page->chosen) != 0))
        page->at++;
}

static bool is_seen(const struct page *page, unsigned gate)
{
    return !page->is_alone || gate == page->at;
}

static void count_one(void *context, enum view_list list, int number, const admit_participant *participant)
{
    unsigned *rows = context;
    (void)number, (void)participant;
    rows[list]++;
}

/* A line of its own, those of its lists with a heading each, and a blank one unless it is idle. */
static unsigned rows_of(const struct watched *watched)
{
    unsigned in[3] = {0}, rows = 1;
    for (enum view_list list = LIST_INSIDE; list <= LIST_DEAD && watched->view != NULL; list++) {
        view_each(watched->view, list, count_one, in);
        rows += in[list] + (in[list] > 0);
    }
    return rows > 1 ? rows + 1 : rows;
}

static unsigned rows_before(const struct page *page, unsigned gate)
{
    unsigned rows = 0;
    for (unsigned g = 0; g < gate; g++)
        rows += is_seen(page, g) ? rows_of(page->watch->gate[g]) : 0;
    return rows;
}

static unsigned history_rows(const struct page *page)
{
    unsigned rows = page->height / HISTORY_SHARE;
    rows = rows < HISTORY_MOST ? rows : HISTORY_MOST;
    rows = rows < page->past.count ? rows : page->past.count;
    return page->height < HISTORY_FROM ? 0 : rows;
}

/* With a heading above what happened. */
static unsigned body_rows(const struct page *page)
{
    const unsigned history = history_rows(page);
    const unsigned others = 1 + (page->height >= KEYS_FROM) + (history > 0 ? history + 1 : 0);
    return page->height > others ? page->height - others : 0;
}

static unsigned last_scroll(const struct page *page)
{
    const unsigned rows = rows_before(page, page->watch->count), room = body_rows(page);
    return rows > room ? rows - room : 0;
}

/* --- keys ----------------------------------------------------------------------------------------------------------------- */

static void choose(struct page *page, bool next)
{
    const unsigned count = page->watch->count;
    if (count == 0)
        return;
    const unsigned gate = page->chosen != NULL || !next ? (page->at + (next ? 1 : count - 1)) % count : page->at;
    free(page->chosen);
    page->chosen = copy_of(page->watch->gate[gate]->name);
    page->at = gate;
    page->scroll = page->is_alone ? 0 : rows_before(page, gate);
}

static void alone_or_not(struct page *page)
{
    const unsigned gate = page->at;
    if (page->chosen == NULL && page->watch->count > 0)
        page->chosen = copy_of(page->watch->gate[gate]->name);
    page->is_alone = !page->is_alone && page->chosen != NULL;
    page->scroll = page->is_alone ? 0 : rows_before(page, gate);
}

void page_press(struct page *page, enum page_key key)
{
    if (key == PAGE_NO_KEY)
        return;
    find_chosen(page);
    const unsigned screen = body_rows(page) > 1 ? body_rows(page) - 1 : 1, last = last_scroll(page);
    const unsigned step = key == PAGE_UP_SCREEN || key == PAGE_DOWN_SCREEN ? screen : 1;
    if (page->shows_help && key != PAGE_REDRAW) {
        page->shows_help = false;
        return;
    }
    if (page->scroll > last)
        page->scroll = last;
    switch (key) {
    case PAGE_UP_ROW:
    case PAGE_UP_SCREEN:
        page->scroll = page->scroll > step ? page->scroll - step : 0;
        break;
    case PAGE_DOWN_ROW:
    case PAGE_DOWN_SCREEN:
        page->scroll = page->scroll + step < last ? page->scroll + step : last;
        break;
    case PAGE_FIRST:
        page->scroll = 0;
        break;
    case PAGE_LAST:
        page->scroll = last;
        break;
    case PAGE_NEXT_GATE:
    case PAGE_PREVIOUS_GATE:
        choose(page, key == PAGE_NEXT_GATE);
        break;
    case PAGE_ALONE:
        alone_or_not(page);
        break;
    case PAGE_PAUSE:
        page->is_paused = !page->is_paused;
        break;
    case PAGE_HELP:
        page->shows_help = true;
        break;
    default:
        break;
    }
}

/* --- rows ----------------------------------------------------------------------------------------------------------------- */

/* From row `next` of the page on, as many as stay, after as many as are scrolled away. */
struct pen {
    const struct page *page;
    put_row *put;
    void *context;
    unsigned skip, next, end;
    unsigned in_list[3];
};

/* Whether the next row is seen; what is not need not be made. */
static bool takes_row(struct pen *pen)
{
    if (pen->skip > 0) {
        pen->skip--;
        return false;
    }
    return pen->next < pen->end;
}

static void put_text(struct pen *pen, enum row_style style, char *text)
{
    cut_to_columns(text, pen->page->width);
    pen->put(pen->context, pen->next++, style, text);
}

static void __attribute__((format(printf, 3, 4)))
put_format(struct pen *pen, enum row_style style, const char *format, ...)
{
    char text[PAGE_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_text(pen, style, text);
}

static void put_participant(void *context, enum view_list list, int number, const admit_participant *participant)
{
    struct pen *pen = context;
    char line[VIEW_LINE], command[ADMIT_COMMAND_SIZE];
    const bool is_narrow = pen->page->width < NARROW;
    if (pen->in_list[list]++ == 0 && takes_row(pen)) {
        view_heading(list, is_narrow, line);
        put_text(pen, ROW_HEADING, line);
    }
    if (!takes_row(pen))
        return;
    view_row(number, participant, is_narrow, line);
    put_format(pen,
               participant->condition == ADMIT_LIVES ? ROW_PLAIN
               : list == LIST_DEAD                   ? ROW_HARM
                                                     : ROW_ILL,
               "%s%s", line, printable(participant->command, command));
}

static void put_gate(struct pen *pen, const struct watched *watched, bool is_chosen)
{
    char name[PAGE_LINE / 2], summary[VIEW_LINE], counters[VIEW_LINE];
    const char *mark = is_chosen ? "> " : "  ";
    admit_printable(watched->name, name, sizeof name);
    shorten_to_columns(name, pen->page->width > 3 * 16 ? pen->page->width / 3 : 16);
    if (watched->view == NULL) {
        admit_printable(watched->is_removed ? "there is no such gate any more" : watched->error, summary,
                        sizeof summary);
        if (takes_row(pen))
            put_format(pen, ROW_HARM, "%s%s: %s", mark, name, summary);
        return;
    }
    view_summary(watched->view, watched->view->outside > 0, summary);
    const bool is_counted = view_counters(watched->view, counters);
    if (takes_row(pen))
        put_format(pen, ROW_GATE, "%s%s: %s%s%s", mark, name, summary, is_counted ? "; " : "",
                   is_counted ? counters : "");
    memset(pen->in_list, 0, sizeof pen->in_list);
    for (enum view_list list = LIST_INSIDE; list <= LIST_DEAD; list++)
        view_each(watched->view, list, put_participant, pen);
    if (pen->in_list[0] + pen->in_list[1] + pen->in_list[2] > 0 && takes_row(pen))
        put_format(pen, ROW_PLAIN, "%s", "");
}

static void put_title(struct pen *pen)
{
    char left[PAGE_LINE / 2], right[128], rows[64] = "", when[32], shown[PAGE_LINE / 2];
    const struct page *page = pen->page;
    const struct watch *watch = page->watch;
    const unsigned all = rows_before(page, watch->count), room = body_rows(page);
    if (watch->has_all)
        snprintf(left, sizeof left, "admit top: %u gate%s in %s", watch->count, watch->count == 1 ? "" : "s",
                 admit_gate_directory());
    else if (watch->count == 1)
        snprintf(left, sizeof left, "admit top: %s", watch->gate[0]->name);
    else
        snprintf(left, sizeof left, "admit top: %u gates", watch->count);
    if (all > room)
        snprintf(rows, sizeof rows, "rows %u-%u of %u  ", page->scroll + 1, page->scroll + room, all);
    snprintf(right, sizeof right, "  %s%s%s", rows, page->is_paused ? "PAUSED  " : "",
             time_for_people((int64_t)time(NULL) * 1000000000, when));
    admit_printable(left, shown, sizeof shown);
    const unsigned beside = (unsigned)strlen(right), width = page->width;
    if (width < beside + 10) { /* a name of a gate says more than the time */
        put_format(pen, ROW_TITLE, "%s%s", page->is_paused ? "PAUSED " : "", shown);
        return;
    }
    cut_to_columns(shown, width - beside);
    put_format(pen, ROW_TITLE, "%s%*s%s", shown, (int)(width - beside - columns_of_text(shown)), "", right);
}

static void put_help(struct pen *pen)
{
    static const char *const lines[] = {"",
                                        "  q            quit",
                                        "  j k  arrows  scroll by a row; Page Up, Page Down, Home, End",
                                        "  Tab  right   the next gate; left: the one before",
                                        "  Enter        the chosen gate alone, or all again",
                                        "  p  space     stop looking, and go on",
                                        "  h ?          this",
                                        "",
                                        "  slot '-': its turn has come, and it has yet to take its slot",
                                        "  stopped: by a signal     orphan: its admit was killed, the command holds on",
                                        "  died: what it had goes to the next that comes, and nobody has yet",
                                        "  recovered: what a dead one had has come back"};
    for (unsigned l = 0; l < sizeof lines / sizeof lines[0]; l++)
        if (takes_row(pen))
            put_format(pen, ROW_PLAIN, "%s", lines[l]);
}

/* The last of those that are about what is seen, the newest at the bottom. */
static void put_history(struct pen *pen)
{
    const struct page *page = pen->page;
    const struct past *shown[HISTORY_MOST];
    unsigned found = past_last(&page->past, page->is_alone ? page->chosen : NULL, shown, history_rows(page));
    put_format(pen, ROW_HEADING, "%s", found > 0 ? "what happened" : "nothing has happened here");
    while (found-- > 0)
        put_format(pen, shown[found]->is_harm ? ROW_HARM : ROW_PLAIN, "%s", shown[found]->line);
}

void page_draw(struct page *page, put_row *put, void *context)
{
    const struct watch *watch = page->watch;
    find_chosen(page);
    const unsigned last = last_scroll(page), body = body_rows(page);
    struct pen pen = {.page = page, .put = put, .context = context};
    if (page->height == 0 || page->width == 0)
        return;
    if (page->scroll > last)
        page->scroll = last;
    put_title(&pen);
    pen.end = 1 + body;
    pen.skip = page->shows_help ? 0 : page->scroll;
    if (page->shows_help)
        put_help(&pen);
    for (unsigned g = 0; g < watch->count && !page->shows_help; g++)
        if (is_seen(page, g))
            put_gate(&pen, watch->gate[g], page->chosen != NULL && g == page->at);
    if (watch->count == 0 && !page->shows_help && takes_row(&pen))
        put_format(&pen, ROW_PLAIN, "%s", "There is no gate yet: 'admit run -k K GATE -- COMMAND' makes one.");
    while (pen.next < pen.end)
        put_format(&pen, ROW_PLAIN, "%s", "");
    if (history_rows(page) > 0)
        put_history(&pen);
    while (pen.next + 1 < page->height)
        put_format(&pen, ROW_PLAIN, "%s", "");
    if (page->height >= KEYS_FROM)
        put_format(&pen, ROW_KEYS, "%s", "q quit  h help  p pause  j/k scroll  Tab gate  Enter alone");
}

void page_close(struct page *page)
{
    past_close(&page->past);
    free(page->chosen);
}
