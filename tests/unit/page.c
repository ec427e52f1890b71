/* SPDX-License-Identifier: MIT
 *
 * The page of `admit top` (cli/gates/top_page.h), in terminals of every size: each row is put once, none is too wide, and
 * whatever is pressed leads nowhere else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/gates/columns.h"
#include "cli/gates/top_page.h"

enum { GATES = 5, WAITERS = 12, WIDE = 130, HIGH = 45 };

static admit_participant crowd[WAITERS];
static admit_view views[GATES];
static struct watched gates[GATES];
static struct watched *list[GATES];
static struct watch watch = {.gate = list, .count = GATES};
static struct page page;

static char rows[HIGH][2048];
static unsigned put_rows;

/* An idle one, one with some who wait, one with some inside and dead, one that cannot be used, one that is gone. */
static int open_page(void **state)
{
    static char names[GATES][32] = {"idle", "a-gate-with-a-long-name", "h\xc3\xa4lt", "broken", "gone"};
    (void)state;
    for (unsigned c = 0; c < WAITERS; c++) {
        crowd[c] = (admit_participant){
            .slot = c, .place = c + 1, .ticket = c, .pid = 100 + c, .since = 1, .condition = c % 5, .user = -1};
        snprintf(crowd[c].command, sizeof crowd[c].command,
                 "j\xc3\xb6"
                 "b \xe4\xb8\xad\xe4\xb8\xad %u \033[2J",
                 c);
    }
    for (unsigned g = 0; g < GATES; g++) {
        views[g] = (admit_view){.k = 4, .most_k = WAITERS, .declared_k = 4, .holder = crowd, .waiter = crowd};
        gates[g] = (struct watched){.name = names[g], .view = g < 3 ? &views[g] : NULL, .is_removed = g == 4};
        list[g] = &gates[g];
    }
    views[1].waiters = views[2].holders = WAITERS;
    snprintf(gates[3].error, sizeof gates[3].error, "it has been overwritten \033[1m");
    page = (struct page){.watch = &watch};
    return 0;
}

static int close_page(void **state)
{
    (void)state;
    page_close(&page);
    return 0;
}

static void put(void *context, unsigned y, enum row_style style, const char *text)
{
    (void)context, (void)style;
    assert_int_equal(y, put_rows);
    assert_true(y < page.height);
    assert_true(columns_of_text(text) <= page.width);
    assert_null(strchr(text, '\033'));
    snprintf(rows[put_rows++], sizeof rows[0], "%s", text);
}

static void draw(unsigned width, unsigned height)
{
    put_rows = 0;
    page.width = width;
    page.height = height;
    page_draw(&page, put, NULL);
    assert_int_equal(put_rows, width > 0 ? height : 0);
}

static bool shows(const char *text)
{
    bool found = false;
    for (unsigned r = 0; r < put_rows; r++)
        found |= strstr(rows[r], text) != NULL;
    return found;
}

static void note(unsigned count)
{
    const struct change change = {.kind = CHANGE_RESIZED, .from = 2, .to = 4};
    for (unsigned c = 0; c < count; c++)
        past_note(&page.past, &watch, &gates[c % GATES], &change, 1);
}

/* The same run each time; *random is not 0. */
static unsigned below(uint64_t *random, unsigned limit)
{
    *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
    return (unsigned)(*random % limit);
}

static void every_size(void **state)
{
    (void)state;
    for (unsigned notes = 0; notes < 300; notes += 150) {
        note(notes);
        for (unsigned width = 0; width <= WIDE; width += width < 30 ? 1 : 7)
            for (unsigned height = 0; height <= HIGH; height += height < 12 ? 1 : 5)
                draw(width, height);
    }
}

static void every_key(void **state)
{
    uint64_t random = 17;
    (void)state;
    note(3);
    for (unsigned press = 0; press < 3000; press++) {
        watch.count = below(&random, 50) == 0 ? below(&random, GATES + 1) : watch.count;
        page_press(&page, (enum page_key)below(&random, PAGE_REDRAW + 1));
        draw(below(&random, WIDE), below(&random, HIGH));
    }
    watch.count = GATES;
}

static void all_rows_can_be_seen(void **state)
{
    (void)state;
    draw(100, 12);
    assert_true(shows("idle: 0 of 4") && shows("rows 1-10 of 35") && !shows("overwritten"));
    page_press(&page, PAGE_LAST);
    draw(100, 12);
    assert_true(!shows("idle: 0 of 4") && shows("rows 26-35 of 35") && shows("it has been overwritten ?[1m"));
    assert_true(shows("gone: there is no such gate any more") && shows("(died) j\xc3\xb6"
                                                                       "b"));
    page_press(&page, PAGE_DOWN_ROW);
    draw(100, 12);
    assert_true(shows("rows 26-35 of 35"));
    page_press(&page, PAGE_UP_SCREEN);
    draw(100, 12);
    assert_true(shows("rows 17-26 of 35"));
}

static void a_gate_alone(void **state)
{
    (void)state;
    note(GATES);
    draw(100, 30);
    page_press(&page, PAGE_NEXT_GATE);
    page_press(&page, PAGE_NEXT_GATE);
    page_press(&page, PAGE_ALONE);
    draw(100, 30);
    assert_true(shows("> a-gate-with-a-long-name: ") && !shows("idle") && !shows("broken"));
    page_press(&page, PAGE_PREVIOUS_GATE);
    draw(100, 30);
    assert_true(shows("> idle: ") && !shows("a-gate-with"));
    page_press(&page, PAGE_ALONE);
    draw(100, 30);
    assert_true(shows("> idle: ") && shows("a-gate-with"));
}

static void help_stays_until_a_key(void **state)
{
    (void)state;
    page_press(&page, PAGE_HELP);
    page_press(&page, PAGE_NO_KEY);
    draw(80, 24);
    assert_true(shows("Page Up") && !shows("idle:"));
    page_press(&page, PAGE_OTHER_KEY);
    draw(80, 24);
    assert_true(!shows("Page Up") && shows("idle:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_size, open_page, close_page),
        cmocka_unit_test_setup_teardown(every_key, open_page, close_page),
        cmocka_unit_test_setup_teardown(all_rows_can_be_seen, open_page, close_page),
        cmocka_unit_test_setup_teardown(a_gate_alone, open_page, close_page),
        cmocka_unit_test_setup_teardown(help_stays_until_a_key, open_page, close_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
